#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Runs the fuzzers, as many at once as there are CPUs, each for FUZZ_SECONDS (10) from what it found interesting before and
# its seeds. One that finds a crash, a leak, undefined behaviour, more than 512 MB or an input that takes over 10 s leaves
# that input behind, and fails.
#
#   tests/fuzz/run.sh DIR TARGET...    DIR/TARGET is the program; DIR/seeds, DIR/corpus, DIR/found beside it;
#                                      seeds/TARGET beside this script are inputs too
set -uo pipefail

directory=$1
shift
seconds=${FUZZ_SECONDS:-10}

fuzz() { # fuzz TARGET: prints one line of it, and more when it fails
	local target=$1 corpus=$directory/corpus/$1 log=$directory/$1.log
	local kept=("$here/seeds/$1") # first inputs that no program makes

	mkdir -p "$corpus" "$directory/seeds/$target"
	[[ -d ${kept[0]} ]] || kept=()
	if "$directory/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=512 -max_len=65536 \
		-print_final_stats=1 -artifact_prefix="$directory/found/$target-" \
		"$corpus" "$directory/seeds/$target" "${kept[@]}" >"$log" 2>&1; then
		printf '%-16s %s\n' "$target" "$(awk '/number_of_executed_units/ { n = $2 } /cov: / { cov = $4 }
			END { print n " inputs in '"$seconds"' s, " cov " edges" }' "$log")"
		return
	fi
	printf '%-16s FAIL: %s\n' "$target" "$log"
	grep -E 'ERROR|SUMMARY|runtime error|Assertion|Test unit written' "$log" | head -5
	return 1
}

here=$(dirname "$0")
passed=0
failed=0
mkdir -p "$directory/found"
while [[ $# -gt 0 ]]; do
	running=()
	for target in "${@:1:$(nproc)}"; do
		fuzz "$target" &
		running+=($!)
		shift
	done
	for job in "${running[@]}"; do
		if wait "$job"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
	done
done
printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
[[ $failed -eq 0 ]]
