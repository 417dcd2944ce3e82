#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Whether check.sh tells a failure from a pass: parts that fail in every way it should notice, and some that do not.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

# shellcheck source=check.sh
source tests/check.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nap=1000.$$ # seconds no other sleep takes
nr_ok=0
nr_bad=0

# expect WHAT WANTED SCRIPT [LIMIT]: WANTED is "passed failed skipped" of a part that is this script
expect() {
	printf '%s\n' "$3" >"$work/part"
	run_part part "${4:-10}" "bash $work/part" "$work/log" >/dev/null 2>&1 # bash tells of kills
	if [[ "$passed $failed $skipped" == "$2" ]]; then
		nr_ok=$((nr_ok + 1))
	else
		nr_bad=$((nr_bad + 1))
		printf 'FAIL %s: "%s", not "%s"\n' "$1" "$passed $failed $skipped" "$2"
	fi
}

synthesis() { # synthesis PASSING FAILING CRASHING
	printf 'echo "[====] Synthesis: Tested: %d | Passing: %d | Failing: %d | Crashing: %d "' $(($1 + $2 + $3)) "$1" "$2" "$3"
}

expect "a command that succeeds is one test" "1 0 0" true
expect "a command that fails is one failure" "0 1 0" false
expect "a summary counts" "3 0 1" 'echo "3 passed, 0 failed, 1 skipped"'
expect "summaries add up" "5 1 1" 'echo "3 passed, 0 failed, 1 skipped"; echo "2 passed, 1 failed, 0 skipped"; exit 1'
expect "a failure in a summary is one whatever the exit status" "3 2 0" 'echo "3 passed, 2 failed, 0 skipped"'
expect "passes with a failing exit status are a failure" "3 1 0" 'echo "3 passed, 0 failed, 0 skipped"; exit 1'
expect "no test at all is a failure" "0 1 0" 'echo "0 passed, 0 failed, 0 skipped"'
expect "only skips are a failure" "0 1 2" 'echo "0 passed, 0 failed, 2 skipped"'
expect "Criterion's synthesis counts" "7 0 0" "$(synthesis 7 0 0)"
expect "Criterion's failures and crashes count" "7 3 0" "$(synthesis 7 2 1); exit 1"
expect "Criterion's skips count" "7 0 1" "echo '[SKIP] a::b: needs root'; $(synthesis 7 0 0)"
expect "a run of no Criterion test is a failure" "0 1 0" "$(synthesis 0 0 0)"
expect "a part that takes too long is a failure" "0 1 0" "sleep 5" 1
expect "what a part left behind is ended" "1 0 0" "set -m; sleep $nap &"
expect "and is gone" "1 0 0" "! pgrep -f 'slee[p] $nap'"
expect "a part that is killed is a failure" "0 1 0" 'kill -9 $$'
printf '%d passed, %d failed, 0 skipped\n' "$nr_ok" "$nr_bad"
[[ $nr_bad -eq 0 ]]
