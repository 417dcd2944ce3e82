#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The split against the truth: a server under a steady load, recorded, while one thing goes wrong again and again at known times. The time that this
# added to requests must be found in its cause. docs/testing.md, "Ground truth".
#
#   tests/truth/run.sh check                  two injections, three times each, on JDK 17
#   tests/truth/run.sh verify                 each injection, ten times, on each server and JDK
#   tests/truth/run.sh one INJECTION SERVER JDK-RELEASE [TIMES]
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/../requests/lib.sh"
source "$root/tests/live/cgroup.sh"

rate=400

# injection | what requests ask for | causes | added ms at least | process-wide or of threads
injection_table='
gc        | /       | pause,pause_run_queue,pause_throttled,pause_stopped,pause_fault,backlog_pause | 20   | process
stop      | /       | stopped,backlog_stopped,pause_stopped                                         | 2000 | process
quota     | /       | throttled,backlog_throttled,pause_throttled                                   | 2000 | process
lock      | /locked | lock,backlog_lock                                                             | 500  | threads
downstream| /ask    | downstream,backlog_downstream                                                 | 500  | threads
neighbour | /       | run_queue_others,backlog_run_queue,pause_run_queue                            | 20   | process
generator | /       | stopped,generator,backlog_generator,backlog_load                              | 2000 | process
spin      | /       | on_cpu,backlog_load,run_queue_own,backlog_run_queue                           | 300  | threads
'

injections() { awk -F'|' 'NF > 1 { gsub(/ /, "", $1); print $1 }' <<<"$injection_table"; }

injection_field() { # injection_field NAME COLUMN
	awk -F'|' -v name="$1" -v column="$2" '{ at = $1; gsub(/ /, "", at) } at == name { gsub(/ /, "", $column); print $column }' <<<"$injection_table"
}

ask() { # ask PATH: of the server, on a connection of its own
	exec {asked}<>"/dev/tcp/127.0.0.1/$port"
	printf 'GET %s HTTP/1.0\r\n\r\n' "$1" >&"$asked"
	cat <&"$asked" >/dev/null
	exec {asked}>&-
}

around() { # around COMMAND...: its times into the file
	local begin

	begin=$(clock)
	"$@"
	printf '%s %s\n' "$begin" "$(clock)" >>"$work/times"
}

repeat() { # repeat TIMES COMMAND...
	local i

	for ((i = 0; i < $1; i++)); do
		sleep 0.7
		around "${@:2}"
	done
}

outside() { # outside TIMES WORD...: by the helper, whose times are exact
	"$out/live/inject" "${@:2}" "$1" 200 700 | awk '{ print $1, $4 }' >>"$work/times"
}

make_group() { # with a quota
	cgroup_make cpu && return
	cgroup="no cgroup hierarchy of version 1 has the cpu controller"
	return 1
}

quota_for() { # quota_for TIMES: 5 ms in 100 ms
	printf '%s\n' "$server" >"$cgroup/cgroup.procs"
	echo 100000 >"$cgroup/cpu.cfs_period_us"
	"$out/live/inject" write "$cgroup/cpu.cfs_quota_us" 5000 -1 "$1" 400 1000 | awk '{ print $1, $4 }' >>"$work/times"
	printf '%s\n' "$server" >"${cgroup%/*}/cgroup.procs"
}

silence_peer() {
	echo 100 >&"$peer_stdin"
	sleep 0.1
}

spin_all() { # on each thread of the pool
	local i asking=()

	for i in 1 2 3 4; do
		ask "/spin?ms=100" &
		asking+=($!)
	done
	wait "${asking[@]}"
}

neighbours_for() { # neighbours_for TIMES: two on the server's CPU
	local i noisy=()

	taskset -acp 0 "$server" >/dev/null
	taskset -acp 1 "$load" >/dev/null
	for i in 1 2; do
		nice -n -5 taskset -c 0 bash -c 'kill -STOP $$; while :; do :; done' &
		noisy+=($!)
		pids+=($!)
	done
	sleep 0.3
	for ((i = 0; i < $1; i++)); do
		sleep 0.7
		around make_noise "${noisy[@]}"
	done
	kill -KILL "${noisy[@]}"
	kill -CONT "${noisy[@]}" 2>/dev/null || true
	for i in "${noisy[@]}"; do
		wait "$i" 2>/dev/null || true
		forget "$i"
	done
}

make_noise() { # make_noise PID...
	kill -CONT "$@"
	sleep 0.3
	kill -STOP "$@"
}

inject() { # inject NAME TIMES
	case $1 in
	gc) repeat "$2" ask /gc ;;
	stop) outside "$2" stop "$server" "$server" ;;
	generator) outside "$2" stop "$load" "$load" ;;
	quota) quota_for "$2" ;;
	lock) repeat "$2" ask "/hold?ms=100" ;;
	downstream) repeat "$2" silence_peer ;;
	neighbour) neighbours_for "$2" ;;
	spin) repeat "$2" spin_all ;;
	esac
}

start_peer() { # start_peer JDK-HOME; sets peer, peer_stdin
	rm -f "$work/peer.stdin"
	mkfifo "$work/peer.stdin"
	"$1/bin/java" -XX:+UseSerialGC -Xmx32m -cp "$requests_classes" Peer <"$work/peer.stdin" >"$work/peer.out" &
	peer=$!
	pids+=("$peer")
	exec {peer_stdin}>"$work/peer.stdin"
	wait_until 20 grep -qs '^port' "$work/peer.out"
	server_flags+=("-Dpeer=$(sed -n 's/^port //p' "$work/peer.out")")
}

start_load() { # start_load PATH SECONDS; sets load
	"${before_others[@]}" "$standstill" load "http://127.0.0.1:$port$1" -r "$rate" -d "$2" -c 16 --pacing sleep --quiet -o "$work/run.sched" >"$work/load.out" 2>&1 </dev/null &
	load=$!
	pids+=("$load")
}

# Ends before its time: with SIGINT it writes down what it has.
stop_load() {
	kill -INT "$load" 2>/dev/null || true
	wait "$load" || true
	forget "$load"
}

judge() { # judge NAME INJECTION SERVER
	local text status=0 wide=()

	"$standstill" report "$work/run.still" --schedule "$work/run.sched" --csv >"$work/run.csv" || status=$?
	if [[ $status -ne 0 ]]; then
		fail "$1" "the report ended with $status"
		return
	fi
	[[ $3 == jdk-pool || $(injection_field "$2" 5) == process ]] || wide=(-v wide=1)
	text=$(awk -f "$root/tests/live/awk/csv.awk" -f "$root/tests/truth/judge.awk" -v causes="$(injection_field "$2" 3)" \
		-v min_ms="$(injection_field "$2" 4)" "${wide[@]}" "$work/times" "$work/run.csv" 2>&1) || status=$?
	if [[ $status -eq 0 ]]; then
		pass "$1" "$text"
	else
		fail "$1" "$text"
		if [[ -n ${KEEP:-} ]]; then
			mkdir -p "$work/$2-$3"
			cp "$work"/run.still "$work"/run.sched "$work"/times "$work"/run.csv "$work/$2-$3/"
		fi
	fi
}

one() { # one INJECTION SERVER JDK-HOME TIMES
	local name missing

	name="truth: $1, $2, JDK $(jdk_release "$3")"
	missing=$(server_missing "$2" "$(jdk_release "$3")")
	if [[ $1 == quota && -z ${cgroup:-} ]] && ! make_group; then missing=$cgroup cgroup=''; fi
	if [[ -n $missing ]]; then
		skip "$name" "$missing"
		return
	fi
	: >"$work/times"
	server_flags=()
	[[ $1 != downstream ]] || start_peer "$3"
	[[ $1 != gc ]] || server_flags+=(-Dlive=100)
	# Ahead of what else the machine does: that is a cause, too, but not the one that is judged.
	before_others=()
	[[ $1 == neighbour || $1 == quota ]] || before_others=(chrt --rr 1)
	server_prefix=("${before_others[@]}")
	start_server "$2" "$3"
	start_load "$(injection_field "$1" 2)" 100
	sleep 3 # past what is compiled in the first seconds
	start_record "$work/run.still" -p "$server" --client "$load"
	sleep 1
	inject "$1" "$4"
	sleep 1
	stop_load
	stop_record
	stop_server
	if [[ $1 == downstream ]]; then
		exec {peer_stdin}>&-
		end_process "$peer"
		forget "$peer"
	fi
	judge "$name" "$1" "$2"
}

check() {
	local home

	home=$(jdk_home 17)
	[[ -n $home ]] || home=$(jdk_first)
	one stop jdk-pool "$home" 3
	one lock jdk-pool "$home" 3
}

verify() {
	local home server_name injection

	while read -r home <&3; do
		for server_name in jdk-pool netty jdk-virtual; do
			for injection in $(injections); do
				one "$injection" "$server_name" "$home" 10
			done
		done
	done 3< <(jdk_homes)
}

main() {
	if [[ $(id -u) -ne 0 ]]; then
		skip "ground truth" "only root may attach probes"
		finish
		return
	fi
	case ${1:-check} in
	check) check ;;
	verify) verify ;;
	one) one "$2" "$3" "$(jdk_home "$4")" "${5:-10}" ;;
	esac
	finish
}

main "$@"
