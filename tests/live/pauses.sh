#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# One cell of the table: a JVM that runs already is attached to by pid, recorded, and standstill's pauses are held against the JVM's
# own log of safepoints.
#
#   tests/live/pauses.sh JDK-HOME COLLECTOR WORKLOAD SOURCE SECONDS [TABLE]
#
# COLLECTOR: Serial Parallel G1 Z Shenandoah. WORKLOAD: allocate gc dumps late copy many. SOURCE: usdt futex auto, or several with
# commas between: that many recorders at once, each for itself, on the same pauses.
# The rows also go to the end of the file TABLE. Exit: 0 the limits hold, 1 one is broken, 3 the cell could not be run.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/jdk.sh"

jdk=$1 collector=$2 workload=$3 seconds=$5 table=${6:-/dev/null}
IFS=, read -ra sources <<<"$4"
declare -A recorders errs froms tos # of each source

choose() { # sets command, heap, offender, only
	local life=$((seconds + 30)) # the JVM is ended long before

	heap=64m
	offender=()
	only=()
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
		only=(--counts) # with 200 waiters the kernel needs 35 us from the call to the first wake
		;;
	*) return 1 ;;
	esac
}

# The tool's own check: what it found against the growth of the JVM's counter.
check_own_count() {
	"$standstill" pauses "$1" >"$1.txt" || return 1
	grep -q "sun.rt.safepoints.*: agree" "$1.txt"
}

record_all() {
	local source

	for source in "${sources[@]}"; do
		start_record "$work/$source.still" -p "$jvm" --pause-source="$source" || return
		recorders[$source]=$recorder errs[$source]=$record_err froms[$source]=$from_ns
	done
	sleep "$seconds"
	for source in "${sources[@]}"; do
		recorder=${recorders[$source]}
		stop_record
		tos[$source]=$to_ns
		[[ $record_status -eq 0 ]] && continue
		printf 'record ended with %d: %s\n' "$record_status" "$(tail -n 1 "${errs[$source]}")"
		return 1
	done
}

judge() { # judge SOURCE: the row, and whether the limits hold
	local file=$work/$1.still label names=() status=0

	[[ $1 == futex ]] || names=(--names)
	"$standstill" pauses "$file" --csv >"$file.pauses"
	"$standstill" threads "$file" --spans --csv --thread "VM Thread" >"$file.spans"
	label=$(printf '%-10s %2s %-8s %-5s' "$collector" "$(jdk_release "$jdk")" "$workload" "$1")
	"$out/live/agree" --log "$jvm_log" --pauses "$file.pauses" --spans "$file.spans" --releases "$jvm_releases" --from "${froms[$1]}" \
		--to "${tos[$1]}" --label "$label" "${offender[@]}" "${names[@]}" "${only[@]}" >"$file.row" || status=$?
	tee -a "$table" <"$file.row"
	check_own_count "$file" || { printf 'the count of %s does not agree with the JVM\n' "$file"; status=1; }
	return "$status"
}

main() {
	local source status=0

	choose || { printf 'pauses.sh: there is no workload %s\n' "$workload" >&2; exit 3; }
	start_jvm "$jdk" "$collector" "$heap" "${command[@]}" || exit 3
	watch_releases "$jdk" || exit 3
	record_all || exit 3
	collect_releases || exit 3
	stop_jvm
	for source in "${sources[@]}"; do
		judge "$source" || status=1
	done
	exit "$status"
}

main
