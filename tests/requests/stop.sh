#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# SIGSTOP for 200 ms under 1,000 requests a second: those that arrived in the stop and how long each lay in the socket, by the recording and
# by a capture, within 50 us. The server's own timer, which begins when its handler is called, misses them; its figures are shown beside.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

limit_ns=50000
rate=1000

judge_stop() { # judge_stop NAME FROM_NS TO_NS
	local arrivals=$work/arrivals waits=$work/waits most

	"$standstill" dump "$work/stop.still" | "$out/requests/judge" "$work/stop.pcap" - "$2" "$3" | tee "$work/judged"
	grep '^arrivals' "$work/judged" >"$arrivals"
	grep '^waits' "$work/judged" >"$waits"
	# open loop: 200 ms at 1,000/s; when exactly the stop began and ended is the sender's business
	expect_range "$1: arrived in the stop, by the capture" "$(figure captured "$arrivals")" 190 210
	expect "$1: of those the recording has" "$(figure paired "$arrivals")" "$(figure captured "$arrivals")"
	expect "$1: waits known" "$(figure paired "$waits")" "$(figure captured "$arrivals")"
	expect_range "$1: the longest wait by the capture, ns" "$(figure longest "$waits")" 180000000 300000000
	most=$(figure min "$waits")
	expect_range "$1: largest difference of a wait, ns" "${most#-}" 0 "$limit_ns"
}

main() {
	local home client on off

	home=$(jdk_first)
	start_server nio "$home"
	client_run load "$port" 2000 4 "$work/warm" >/dev/null
	start_capture "$work/stop.pcap" "tcp port $port"
	start_record "$work/stop.still" -p "$server"
	undos+=("kill -CONT $server 2>/dev/null")
	CLIENT_BUSY=open CLIENT_RATE=$rate client_run load "$port" $((rate * 3)) 8 "$work/client" >"$work/said" &
	client=$!
	sleep 0.5
	"$out/live/inject" stop "$server" "$server" 1 200 500 >"$work/times"
	wait "$client"
	stop_record
	stop_capture
	stop_server
	read -r _ on off _ <"$work/times"
	judge_stop "SIGSTOP 200 ms, JDK $(jdk_release "$home")" "$on" "$off"
	printf 'the server says: %s\n' "$(grep '^timer' "$server_out")"
	printf 'the client says: %s\n' "$(jq -c '{response, service}' "$work/client.json" 2>/dev/null | head -c 400)"
	expect_range "the server's own timer does not show the stop: p99, ns" "$(server_timer request p99_ns)" 0 50000000
	finish
}

main
