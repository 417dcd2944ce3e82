#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# One cell of the table: a JVM that runs already is attached to by pid, recorded, and standstill's pauses are held against the JVM's
# own log of safepoints.
#
#   tests/live/pauses.sh JDK-HOME COLLECTOR WORKLOAD SOURCE SECONDS [TABLE]
#
# COLLECTOR: Serial Parallel G1 Z Shenandoah. WORKLOAD: allocate gc dumps late copy many. SOURCE: usdt futex auto.
# The row also goes to the end of the file TABLE. Exit: 0 the limits hold, 1 one is broken, 3 the cell could not be run.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/jdk.sh"

jdk=$1 collector=$2 workload=$3 source=$4 seconds=$5 table=${6:-/dev/null}

choose() { # sets command, heap, offender
	local life=$((seconds + 30)) # the JVM is ended long before

	heap=64m
	offender=()
	[[ $collector != Z ]] || heap=160m # ZGC needs room for what is allocated while it collects
	case $workload in
	allocate) command=(Allocate "$life") ;;
	gc) command=(SystemGc "$life") ;;
	dumps) command=(ThreadDumps "$life") ;;
	late)
		command=(LateCounted "$life")
		jvm_user_flags=(-XX:-UseCountedLoopSafepoints)
		offender=(--offender late-counted)
		;;
	copy)
		command=(LateCopy "$life")
		heap=1g
		offender=(--offender late-copy)
		;;
	many)
		command=(ManyThreads "$life")
		;;
	*) return 1 ;;
	esac
}

# The tool's own check: what it found against the growth of the JVM's counter.
check_own_count() {
	"$standstill" pauses "$1" >"$1.txt" || return 1
	grep -q "sun.rt.safepoints" "$1.txt" || return 1
}

main() {
	local file=$work/run.still label names=() status=0

	choose || { printf 'pauses.sh: there is no workload %s\n' "$workload" >&2; exit 3; }
	[[ $source == futex ]] || names=(--names)
	start_jvm "$jdk" "$collector" "$heap" "${command[@]}" || exit 3
	start_record "$file" -p "$jvm" --pause-source="$source" || exit 3
	sleep "$seconds"
	stop_record
	stop_jvm
	[[ $record_status -eq 0 ]] || { printf 'record ended with %d: %s\n' "$record_status" "$(tail -n 1 "$record_err")"; exit 3; }
	"$standstill" pauses "$file" --csv >"$file.pauses"
	"$standstill" threads "$file" --spans --csv --thread "VM Thread" >"$file.spans"
	label=$(printf '%-10s %2s %-8s %-5s' "$collector" "$(jdk_release "$jdk")" "$workload" "$source")
	"$out/live/agree" --log "$jvm_log" --pauses "$file.pauses" --spans "$file.spans" --from "$from_ns" \
		--to "$to_ns" --label "$label" "${offender[@]}" "${names[@]}" >"$file.row" || status=$?
	cat "$file.row"
	cat "$file.row" >>"$table"
	check_own_count "$file" || { printf 'the count of %s does not agree with the JVM\n' "$file"; status=1; }
	exit "$status"
}

main
