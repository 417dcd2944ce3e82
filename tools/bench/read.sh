#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The section of the benchmark about reading; sourced by run after sections.sh.

: "${out:?}" "${files:?}"

# Simulated intervals of many threads, as the recording's own benchmark makes them; what every command needs for them.
bench_read() {
	local millions=$((${FULL:-0} ? 100 : 20)) file=$files/read.still command usage
	"$out/bench-recording" -n $((millions * 1000000)) -o "$file" >"$files/read"
	row "writing, CPU time for a record, of $millions million simulated" "$(printed write)" ns
	row "  bytes on disk for each of them" "$(printed size)" B "<=8"
	row "reading and checking, million records a second of CPU time" "$(printed read_speed)" M/s ">=5"
	for command in "dump --stats" threads pauses; do
		# shellcheck disable=SC2086 # the command is words
		"$out/usage" "$files/usage" "$out/standstill" $command "$file" >/dev/null
		usage=$(<"$files/usage")
		row "  with standstill $command" \
			"$(calculate '%.2f' "$millions * 1e9 / $(value cpu_ns "$usage")")" M/s ">=5"
		row "    its memory at most, for $millions million records" \
			"$(calculate '%.1f' "$(value peak_kb "$usage") / 1024")" MiB "<100"
	done
	rm -f "$file"
}

printed() { # printed NAME: a value that bench-recording printed
	awk -v name="recording.simulated.$1" '$1 == name { print $2 }' "$files/read"
}
