#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# 50,000 records a second for some time: none may be lost. The load counts its own switches by the kernel's counters;
# the recording must hold exactly as many intervals of its two threads, but for those that the kernel showed to no probe.
#
#   tests/bpf/soak.sh O SECONDS
set -euo pipefail
cd "$(dirname "$0")/../.."

out=$1
seconds=$2
rate=50000
files=$out/soak
passed=0
failed=0

if [[ $(id -u) -ne 0 ]]; then
	printf 'SKIP soak: needs root\n0 passed, 0 failed, 1 skipped\n'
	exit 0
fi
mkdir -p "$files"
# shellcheck source=../../tools/bench/lib.sh
source tools/bench/lib.sh
trap end_started EXIT

expect() { # expect WHAT GOT WANTED
	if [[ $2 == "$3" ]]; then
		passed=$((passed + 1))
		printf 'ok   %s: %s\n' "$1" "$2"
	else
		failed=$((failed + 1))
		printf 'FAIL %s: %s, not %s\n' "$1" "$2" "$3"
	fi
}

# Print "intervals missing" of thread $1 within ($2, $3]: how many there are, how many the numbers skip between them.
tally() {
	"$out/standstill" dump --kind offcpu --thread "$1" "$files/soak.still" | awk -v from="$2" -v to="$3" '
		$1 <= from || $1 > to { next }
		{
			for (i = 4; i <= NF; i++) if ($i ~ /^seq=/) seq = substr($i, 5)
			if (n++) missing += seq - last - 1
			last = seq
		}
		END { print n + 0, missing + 0 }'
}

# Print "unseen others": records lost since the kernel showed a switch to no probe (nobody can record that), and all else.
losses() {
	"$out/standstill" dump --kind lost "$files/soak.still" | awk -v unseen=7 '
		{
			nr = cause = 0
			for (i = 4; i <= NF; i++) {
				if ($i ~ /^nr=/) nr = substr($i, 4)
				if ($i ~ /^cause=/) cause = substr($i, 7)
			}
			if (cause == unseen) kept += nr; else lost += nr
		}
		END { print kept + 0, lost + 0 }'
}

load_start --libjvm "$(find_libjvm)" --rate "$rate" --seconds "$seconds"
record_start "$files/soak.still"
load_run
record_stop
load_stop
tail -n 3 "$files/record.err"
printf '%s\n' "$result"

switches=$(value switches "$result")
per_second=$((switches * 1000 / ($(value wall_ns "$result") / 1000000)))
expect "at least 98 % of $rate a second were made" $((per_second * 100 >= rate * 98)) 1
read -r unseen lost < <(losses)
expect "records lost by the probes, the ring or the file" "$lost" 0
short=0
for which in a b; do
	read -r intervals missing < <(tally "$(value tid_$which "$result")" "$(value from_$which "$result")" \
		"$(value to_$which "$result")")
	expect "intervals and gaps of thread $which, as the kernel counts" $((intervals + missing)) \
		"$(value switches_$which "$result")"
	short=$((short + missing))
done
expect "of those missing ($short), more than were never shown to a probe ($unseen)" $((short > unseen)) 0
rm -f "$files/soak.still"
printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
[[ $failed -eq 0 ]]
