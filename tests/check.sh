#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Runs the parts of `make check` and `make verify`, each bounded in time, each with a log of its own, and sums up. A
# part is a command that prints Criterion's synthesis or lines "N passed, N failed, N skipped"; one that prints neither
# is one test, its exit status. A part in which nothing passed has failed: no test is not a passed test.
#
#   tests/check.sh check [PART...]     at a size that takes minutes
#   tests/check.sh verify [PART...]    the full matrices as well
#
# Environment: O, where everything built and logged goes (build).
set -uo pipefail
cd "$(dirname "$0")/.." || exit

out=$(realpath -m "${O:-build}")
make="make --no-print-directory"
mk="$make O=$out/ci CI=1" # an O of its own: warnings are errors in here, and objects built without are not trusted

# part | in | seconds at most | command
table="
setup   | check verify | 300  | tools/setup
build   | check verify | 180  | $mk -j$(nproc) all
driver  | check verify | 30   | tests/check_self.sh
style   | check verify | 60   | tests/style.sh
install | check verify | 30   | $mk check-install
unit    | check verify | 120  | $mk -j$(nproc) check-unit
sanitize| check        | 360  | $mk -j$(nproc) CFLAGS=-O1 SANITIZE=address,undefined check-unit UNIT=hostile
sanitize| verify       | 900  | $mk -j$(nproc) CFLAGS=-O1 SANITIZE=address,undefined check-unit
golden  | check verify | 60   | $mk check-golden
fuzz    | check        | 150  | $mk check-fuzz FUZZ_SECONDS=5
bpf     | check verify | 120  | $mk check-bpf
load    | check        | 150  | $mk check-load
live    | check        | 400  | $mk check-live
soak    | check        | 60   | $mk check-soak SOAK_SECONDS=10
fuzz    | verify       | 900  | $mk check-fuzz FUZZ_SECONDS=60
load    | verify       | 600  | $mk verify-load
live    | verify       | 7200 | $mk verify-live
soak    | verify       | 180  | $mk check-soak SOAK_SECONDS=60
bench   | verify       | 900  | $mk bench
"

deadline_of() { # seconds for all parts together; a check may take 12 minutes, its set-up on a bare machine included
	case $1 in
	check) echo 715 ;;
	verify) echo 14400 ;;
	*) return 1 ;;
	esac
}

parts_of() { # parts_of SUITE: "part|limit|command" a line
	local part suites limit command
	while IFS='|' read -r part suites limit command; do
		part=${part// /}
		[[ -n $part && " $suites " == *" $1 "* ]] && printf '%s|%s|%s\n' "$part" "${limit// /}" "${command# }"
	done <<<"$table"
}

# Print "passed failed skipped" of a log: sums of Criterion's synthesis lines, its [SKIP] lines and our own summaries.
count() {
	awk '
		{ gsub(/\033\[[0-9;]*m/, "") }
		/Synthesis: Tested:/ {
			seen = 1
			for (i = 1; i < NF; i++) {
				if ($i == "Passing:") passed += $(i + 1)
				if ($i == "Failing:" || $i == "Crashing:") failed += $(i + 1)
			}
		}
		/^\[SKIP\]/ { skipped++ }
		/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { seen = 1; passed += $1; failed += $3; skipped += $5 }
		END { print (seen ? "yes" : "no"), passed + 0, failed + 0, skipped + 0 }
	' "$1"
}

session= # of the part under way
end_part() {
	[[ -z $session ]] || pkill -KILL --session "$session"
	session=
}

# Run one part; sets passed, failed, skipped of it. A part is a session of its own, since Criterion leaves the process
# group that `timeout` ends.
run_part() { # run_part PART LIMIT COMMAND LOG
	local code seen

	# shellcheck disable=SC2086 # the command is words
	setsid timeout --kill-after=10 "$2" $3 </dev/null >"$4" 2>&1 &
	session=$!
	wait "$session"
	code=$?
	end_part
	read -r seen passed failed skipped < <(count "$4")
	if [[ $seen == no ]]; then
		passed=$((code == 0))
	elif [[ $passed -eq 0 ]]; then
		printf '  no test of %s passed\n' "$1"
	fi
	[[ $code -ne 124 ]] || printf '  %s was ended after %s s\n' "$1" "$2"
	if [[ $failed -eq 0 && ($code -ne 0 || $passed -eq 0) ]]; then
		failed=1
	fi
}

show() { # show LOG: what was skipped and, if the part failed, why
	grep -aE '^(\[SKIP\]|SKIP )' "$1" | sed 's/^/  /'
	[[ $failed -eq 0 ]] && return
	grep -aE '^(\[FAIL\]|FAIL |.*\bError [0-9]+$)' "$1" | head -n 20 | sed 's/^/  /'
	printf '  the end of %s:\n' "$1"
	tail -n 40 "$1" | sed 's/^/  | /'
}

main() {
	local suite=${1:-check} begin=$SECONDS deadline part limit command at log
	local all_passed=0 all_failed=0 all_skipped=0 summary=()

	[[ $# -eq 0 ]] || shift
	deadline=$(deadline_of "$suite") || {
		printf 'check.sh: there is no suite %s; known: check, verify\n' "$suite" >&2
		exit 2
	}
	mkdir -p "$out/$suite"
	while IFS='|' read -r part limit command <&3; do
		[[ $# -eq 0 || " $* " == *" $part "* ]] || continue
		at=$SECONDS
		log=$out/$suite/$part.log
		((limit > deadline - (at - begin))) && limit=$((deadline - (at - begin)))
		printf '== %s: %s\n' "$part" "$command"
		if ((limit <= 0)); then
			printf '  not run: %s s are over\n' "$deadline"
			passed=0 failed=1 skipped=0
		else
			run_part "$part" "$limit" "$command" "$log"
			show "$log"
		fi
		printf '   %d passed, %d failed, %d skipped in %d s\n' "$passed" "$failed" "$skipped" $((SECONDS - at))
		summary+=("$(printf '%-10s %8d %8d %8d %8d' "$part" "$passed" "$failed" "$skipped" $((SECONDS - at)))")
		all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed)) all_skipped=$((all_skipped + skipped))
	done 3< <(parts_of "$suite")
	printf '\n%-10s %8s %8s %8s %8s\n' part passed failed skipped seconds
	printf '%s\n' "${summary[@]}"
	printf '%-10s %8d %8d %8d %8d\n\n' all "$all_passed" "$all_failed" "$all_skipped" $((SECONDS - begin))
	printf '%d passed, %d failed, %d skipped\n' "$all_passed" "$all_failed" "$all_skipped"
	[[ $all_failed -eq 0 && $all_passed -gt 0 ]]
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
	trap end_part EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	main "$@"
fi
