#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What the live tests share; sourced. Every process started here is ended by its pid, every undo is done, whatever happens.
# Sets: root, out (where things are built), standstill, work (a directory for this run).
# shellcheck disable=SC2034 # what is set here is for who sources it
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$(realpath -m "${O:-$root/build}")
standstill=${STANDSTILL:-$out/standstill}
classes=$out/live/classes
if [[ ! -x $out/live/inject ]]; then
	printf '%s is not built: run make live-ready, and name its O in O\n' "$out/live/inject" >&2
	exit 2
fi
work=$(mktemp -d "$out/live/run.XXXXXX")
jvm_user_flags=() # more flags of the next JVM

passed=0
failed=0
skipped=0
pids=()  # started and not yet waited for
undos=() # commands to run at the end, last first

pass() { # pass NAME [FIGURES]
	passed=$((passed + 1))
	printf 'PASS %s%s\n' "$1" "${2:+: $2}"
}

fail() { # fail NAME WHY
	failed=$((failed + 1))
	printf 'FAIL %s: %s\n' "$1" "$2"
}

skip() { # skip NAME WHY
	skipped=$((skipped + 1))
	printf 'SKIP %s: %s\n' "$1" "$2"
}

finish() { # the summary; the status of the whole script
	printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
	[[ $failed -eq 0 && $passed -gt 0 ]]
}

end_process() { # end_process PID: ask, then insist
	local i

	kill -CONT "$1" 2>/dev/null || true
	kill -TERM "$1" 2>/dev/null || return 0
	for ((i = 0; i < 100; i++)); do
		kill -0 "$1" 2>/dev/null || break
		sleep 0.05
	done
	kill -KILL "$1" 2>/dev/null || true
	wait "$1" 2>/dev/null || true
}

tidy() {
	local code=$? i

	for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
		end_process "${pids[i]}"
	done
	for ((i = ${#undos[@]} - 1; i >= 0; i--)); do
		eval "${undos[i]}" || true
	done
	if [[ $code -eq 0 && -z ${KEEP:-} ]]; then
		rm -rf "$work"
	else
		printf 'kept: %s\n' "$work"
	fi
}
trap tidy EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

clock() { "$out/live/inject" clock; }

wait_until() { # wait_until SECONDS COMMAND...: until it succeeds
	local deadline=$((${EPOCHREALTIME%.*} + $1))

	shift
	until "$@"; do
		((${EPOCHREALTIME%.*} < deadline)) || return 1
		sleep 0.05
	done
}

# Start a JVM nobody prepared, but for its heap and its own log of safepoints, which the tests need as the truth.
# start_jvm JDK COLLECTOR HEAP CLASS [ARGUMENT...]; sets jvm (its pid), jvm_log, jvm_out.
start_jvm() {
	local java=$1/bin/java collector=$2 heap=$3

	shift 3
	jvm_log=$work/$1.safepoints
	jvm_out=$work/$1.out
	"$java" "-XX:+Use${collector}GC" "-Xmx$heap" "${jvm_user_flags[@]}" \
		"-Xlog:safepoint=info:file=$jvm_log:tn:filecount=0" -cp "$classes" "$@" \
		>"$jvm_out" 2>&1 &
	jvm=$!
	pids+=("$jvm")
	if ! wait_until 10 test -s "/proc/$jvm/root/tmp/hsperfdata_$(id -un)/$jvm"; then
		printf 'the JVM did not come up: %s\n' "$(head -n 3 "$jvm_out")" >&2
		return 1
	fi
	sleep 1 # past its start, and past compiling what it will run
}

stop_jvm() {
	end_process "$jvm"
	forget "$jvm"
}

# symbol_offset FILE SYMBOL: where in the file its code begins; nothing when it has no such symbol.
symbol_offset() {
	local value

	value=$(readelf --wide --symbols "$1" 2>/dev/null | awk -v want="$2" '$8 == want { print $2; exit }')
	[[ -n $value ]] || return 1
	readelf --wide --segments "$1" | while read -r type offset address _ _ size _; do
		[[ $type == LOAD ]] || continue
		if ((16#$value >= address && 16#$value < address + size)); then
			printf '%d\n' $((16#$value - address + offset))
			return
		fi
	done
}

# thread_called PID NAME: the tid of the thread the kernel calls so
thread_called() {
	local task

	for task in "/proc/$1/task/"*; do
		if [[ $(<"$task/comm") == "$2" ]]; then
			printf '%s\n' "${task##*/}"
			return
		fi
	done 2>/dev/null
	return 1
}

# watch_releases JDK: when the JVM comes to what lets the threads go, into the file jvm_releases, empty where its libjvm has no
# symbols. A truth of its own, for JDKs whose log has none; in others its breakpoint would lie between the log's stamp and the release,
# and where the kernel must single-step the instruction under it, it takes 10 us.
watch_releases() {
	local library=$1/lib/server/libjvm.so offset

	jvm_releases=$work/releases
	: >"$jvm_releases"
	[[ $(jdk_release "$1") -lt 21 ]] || return 0
	offset=$(symbol_offset "$library" _ZN16LinuxWaitBarrier6disarmEv) || return 0
	"$out/live/hits" "$(thread_called "$jvm" "VM Thread")" "$library" "$offset" >"$jvm_releases.raw" 2>"$jvm_releases.err" &
	hits=$!
	pids+=("$hits")
	wait_until 5 grep -qs ready "$jvm_releases.raw"
}

# The watching ends when the JVM does; then its file is whole.
collect_releases() {
	[[ -e $jvm_releases.raw ]] || return 0
	kill -TERM "$hits" 2>/dev/null || true
	wait "$hits" || return 1
	forget "$hits"
	grep -v ready "$jvm_releases.raw" >"$jvm_releases" || true
}

forget() { # forget PID: it has been waited for
	local pid rest=()

	for pid in "${pids[@]}"; do
		[[ $pid == "$1" ]] || rest+=("$pid")
	done
	pids=("${rest[@]}")
}

says_recording() {
	grep -qs recording "$1" && return
	kill -0 "$recorder" 2>/dev/null || return 0 # it ended: no use waiting on
	return 1
}

# start_record FILE [OPTION...]: returns when the probes are there; sets recorder, record_err, from_ns.
start_record() {
	local file=$1

	shift
	record_err=$work/${file##*/}.err
	rm -f "$record_err" # what the one before said is not taken for this one's
	"$standstill" record -o "$file" "$@" >"$work/${file##*/}.out" 2>"$record_err" </dev/null &
	recorder=$!
	pids+=("$recorder")
	wait_until 20 says_recording "$record_err" || true
	from_ns=$(clock)
	if ! kill -0 "$recorder" 2>/dev/null || ! grep -q recording "$record_err"; then
		printf 'the recorder did not attach: %s\n' "$(tail -n 3 "$record_err")" >&2
		return 1
	fi
}

# stop_record: sets to_ns and record_status.
stop_record() {
	to_ns=$(clock)
	kill -TERM "$recorder" 2>/dev/null || true
	record_status=0
	wait "$recorder" || record_status=$?
	forget "$recorder"
}
