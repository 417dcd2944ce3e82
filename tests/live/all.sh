#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Every live test, one after the other: they measure, and would spoil each other's times.
#
#   tests/live/all.sh check              a selection of the matrix, 5 s a cell; injections, errors
#   tests/live/all.sh verify [SECONDS]   the whole matrix, SECONDS (60) a cell; the same injections and errors
#
# Environment: O (build), TABLES (O/verify), CELLS (a regular expression on "COLLECTOR JDK WORKLOAD SOURCE"), STANDSTILL_JDKS.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/jdk.sh"
source "$(dirname "$0")/rights.sh"

live=$root/tests/live
suite=${1:-check}
tables=${TABLES:-$out/verify}
table=$tables/live-$suite.txt

# Where the futex source cannot be had, the cell is one of the other alone.
run_cell() { # run_cell JDK COLLECTOR WORKLOAD SOURCE SECONDS
	local name why status=0 sources=$4

	name="$2 $(jdk_release "$1") $3 $4"
	[[ $name =~ ${CELLS:-.} ]] || return 0
	if [[ $sources == *,futex ]] && why=$(why_no_futex_source); then
		skip "$2 $(jdk_release "$1") $3 futex" "$why"
		sources=${sources%,futex}
		name="$2 $(jdk_release "$1") $3 $sources"
	fi
	if ! jdk_has "$1" "$2"; then
		skip "$name" "this JDK was built without that collector"
		return
	fi
	"$live/pauses.sh" "$1" "$2" "$3" "$sources" "$5" "$table" >"$work/cell" 2>&1 || status=$?
	cat "$work/cell"
	case $status in
	0) pass "$name" ;;
	1) fail "$name" "$(grep -oE 'BROKEN: [^;]*|the count of .*' "$work/cell" | tr '\n' ' ')" ;;
	*) fail "$name" "the cell could not be run: $(grep -v '^kept' "$work/cell" | tail -n 1)" ;;
	esac
}

# Every collector and every workload, with both sources at once.
check_cells() { # check_cells HOME
	local row

	for row in "Serial late" "Parallel gc" "G1 allocate" "Z gc" "Shenandoah dumps"; do
		# shellcheck disable=SC2086 # the row is words
		run_cell "$1" $row usdt,futex 5
	done
}

verify_cells() { # verify_cells HOME SECONDS
	local collector workload

	for collector in Serial Parallel G1 Z Shenandoah; do
		for workload in allocate gc dumps late; do
			run_cell "$1" "$collector" "$workload" usdt,futex "$2" # two recorders at once: half the hours
		done
	done
	run_cell "$1" G1 copy usdt "$2"
	run_cell "$1" Parallel many usdt "$2"
}

cells() { # cells SECONDS
	local home homes=()

	mapfile -t homes < <(jdk_homes)
	if [[ -z $(jdk_home 17) ]]; then
		fail "JDK 17" "there is none; tools/setup demo installs it"
	fi
	[[ -n $(jdk_home 25) ]] || skip "JDK 25" "there is none; name one in STANDSTILL_JDKS"
	for home in "${homes[@]}"; do
		if [[ $suite == verify ]]; then
			verify_cells "$home" "$1"
		else
			check_cells "$home"
		fi
	done
}

run_script() { # run_script NAME: add its results to ours
	local line begin=$SECONDS

	printf -- '-- %s\n' "$1"
	"$live/$1" 2>&1 | tee "$work/script" | grep -vE '^[0-9]+ passed,' || true
	printf -- '-- %s took %d s\n' "$1" $((SECONDS - begin))
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$work/script" | tail -n 1 || true)
	if [[ -z $line ]]; then
		fail "$1" "it did not come to its end"
		return
	fi
	# shellcheck disable=SC2086 # the line is words
	set -- $line
	passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
}

main() {
	local script

	if [[ $(id -u) -ne 0 ]]; then
		skip "live tests" "only root may attach probes"
		finish
		return
	fi
	mkdir -p "$tables"
	jdk_table | tee "$table"
	"$out/live/agree" --header | tee -a "$table"
	run_script agree_self.sh
	run_script judges_self.sh
	cells "${2:-60}"
	[[ $suite == check ]] || export LIVE_FULL=1 NAMES_SECONDS=10
	for script in inspect.sh names.sh several.sh inject_stop.sh inject_freeze.sh inject_quota.sh inject_wakers.sh inject_faults.sh errors.sh; do
		run_script "$script"
	done
	printf 'the table: %s\n' "$table"
	finish
}

main "$@"
