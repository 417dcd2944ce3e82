#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# 50,000 records a second for some time: none may be lost. The load counts its own switches by the kernel's counters;
# the recording must hold exactly as many intervals of its two threads, numbered without a gap.
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

# Print "intervals gaps lost" of thread $1 within ($2, $3]; a record of loss counts wherever it is.
tally() {
	"$out/standstill" dump "$files/soak.still" | awk -v tid="$1" -v from="$2" -v to="$3" '
		$2 == "lost" { for (i = 4; i <= NF; i++) if ($i ~ /^nr=/) lost += substr($i, 4) }
		$2 == "offcpu" && $3 == tid && $1 > from && $1 <= to {
			n++
			for (i = 4; i <= NF; i++) if ($i ~ /^seq=/) seq = substr($i, 5)
			if (n > 1 && seq != last + 1) gaps++
			last = seq
		}
		END { print n + 0, gaps + 0, lost + 0 }'
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
for which in a b; do
	read -r intervals gaps lost < <(tally "$(value tid_$which "$result")" "$(value from_$which "$result")" \
		"$(value to_$which "$result")")
	expect "intervals of thread $which" "$intervals" "$(value switches_$which "$result")"
	expect "gaps in the numbers of thread $which" "$gaps" 0
done
expect "records lost" "$lost" 0
rm -f "$files/soak.still"
printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
[[ $failed -eq 0 ]]
