#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Two JVMs in one recording: each has its own pauses, threads and names, and when one exits the other is recorded on. And --keep by time, of
# a JVM that makes pauses all the time: the oldest are gone, the file opens, and says what was dropped.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/injected.sh"

pauses_of() { # pauses_of FILE.csv TGID [AFTER_NS]
	awk -F, -v tgid="$2" -v after_ns="${3:-0}" '$2 == tgid && $3 > after_ns { nr++ } END { print nr + 0 }' "$1"
}

both_are_there() { # both_are_there FILE FIRST SECOND EXIT_NS: figures, or what is wrong
	local first second later names

	"$standstill" pauses "$1" --csv >"$1.csv"
	first=$(pauses_of "$1.csv" "$2") second=$(pauses_of "$1.csv" "$3") later=$(pauses_of "$1.csv" "$3" "$4")
	names=$("$standstill" threads "$1" --csv | awk -F, '$3 == "main" || $3 == "VM Thread" { print $1 }' | sort | uniq -c | awk '$1 == 2' | wc -l)
	printf '%d and %d pauses, %d of the second after the first had exited, main and VM Thread of %d' "$first" "$second" "$later" "$names"
	[[ $first -gt 0 && $second -gt 0 && $later -gt 0 && $names -eq 2 && $(pauses_of "$1.csv" "$2" "$4") -eq 0 ]]
}

two_jvms() { # two_jvms HOME
	local first second exit_ns file=$work/two.still

	start_jvm "$1" Serial 64m SystemGc 60
	first=$jvm
	start_jvm "$1" G1 64m SystemGc 60
	second=$jvm
	start_record "$file" -p "$first" -p "$second"
	sleep 1.5
	end_process "$first"
	forget "$first"
	exit_ns=$(clock)
	sleep 1.5
	stop_record
	judge "two JVMs, one exits" both_are_there "$file" "$first" "$second" "$exit_ns"
}

dropped() { # dropped FILE: segments, as dump says
	"$standstill" dump "$1" --stats 2>/dev/null | sed -n 's/.*(\([0-9]*\) before them were dropped by --keep).*/\1/p'
}

# kept_last FILE SECONDS: the pauses of no more than that are left
kept_last() {
	local seconds

	"$standstill" pauses "$1" --csv >"$1.csv" || return
	seconds=$(awk -F, 'NR > 1 && $3 { if (!first) first = $3; last = $3 } END { print int((last - first) / 1e9 + 0.5) }' "$1.csv")
	printf 'pauses over %d s, %d segments were dropped' "$seconds" "$(dropped "$1")"
	[[ $seconds -gt 0 && $seconds -le $2 && $(dropped "$1") -gt 0 ]]
}

keeps() { # the second JVM of before
	local file=$work/time.still

	start_record "$file" -p "$jvm" --keep 10s
	sleep 14
	stop_record
	judge "--keep 10s of 14" kept_last "$file" 12
}

main() {
	two_jvms "$(jdk_first)"
	keeps
	finish
}

main
