#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# SIGSTOP for 200 ms, and a forced collection that takes as long, under 1,000 requests a second: those that arrived meanwhile and how long
# each lay in the socket, by the recording and by a capture, within 50 us at p99. The server's own timer, which begins when its handler is
# called, misses them; its figures are shown beside.
#
# On loopback the capture stamps a segment when it is put into a queue, inside the sender's write, and the arrival is stamped when the soft
# interrupt takes it out, inside the same write as a rule. Whatever takes the CPU meanwhile lies between the two stamps, so the largest
# difference is printed and not judged.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

limit_ns=50000
rate=1000

# begin_load NAME [FLAG...]: a warm server under load, captured and recorded, for 3 s
begin_load() {
	server_flags=("${@:2}")
	start_server nio "$(jdk_first)"
	client_run load "$port" 2000 4 "$work/warm" >/dev/null
	start_capture "$work/$1.pcap" "tcp port $port"
	start_record "$work/$1.still" -p "$server"
	CLIENT_BUSY=open CLIENT_RATE=$rate client_run load "$port" $((rate * 3)) 8 "$work/client" >"$work/said" &
	client=$!
	sleep 1
}

end_load() {
	wait "$client"
	stop_record
	stop_capture
	stop_server
}

judge_stop() { # judge_stop NAME WHAT FROM_NS TO_NS
	local arrivals=$work/arrivals waits=$work/waits least ms=$((($4 - $3) / 1000000))

	"$standstill" dump "$work/$1.still" | "$out/requests/judge" "$work/$1.pcap" - "$3" "$4" | tee "$work/judged"
	grep '^arrivals' "$work/judged" >"$arrivals"
	grep '^waits' "$work/judged" >"$waits"
	# open loop, so many a second; when exactly the stop began and ended is the sender's business
	expect_range "$2: arrived in its $ms ms, by the capture" "$(figure captured "$arrivals")" $((ms * rate / 1000 - 10)) $((ms * rate / 1000 + 10))
	expect "$2: of those the recording has" "$(figure paired "$arrivals")" "$(figure captured "$arrivals")"
	expect "$2: waits known" "$(figure paired "$waits")" "$(figure captured "$arrivals")"
	expect_range "$2: the longest wait by the capture, ns" "$(figure longest "$waits")" $((($4 - $3) - 20000000)) $((($4 - $3) + 100000000))
	least=$(figure p1 "$waits")
	expect_range "$2: difference of a wait, p99 in ns" "${least#-}" 0 "$limit_ns"
	printf '%s: the largest difference %s ns\n' "$2" "$(figure min "$waits")"
	printf 'the server says: %s\n' "$(grep '^timer request' "$server_out")"
	printf 'the client says: %s\n' "$(jq -c '{response, service}' "$work/client.json" 2>/dev/null | head -c 400)"
}

stopped() {
	local on off what='SIGSTOP 200 ms'

	begin_load stop
	undos+=("kill -CONT $server 2>/dev/null")
	"$out/live/inject" stop "$server" "$server" 1 200 0 >"$work/times"
	end_load
	read -r _ on off _ <"$work/times"
	judge_stop stop "$what" "$on" "$off"
	expect_range "$what: the server's own timer does not show it: p99, ns" "$(server_timer request p99_ns)" 0 50000000
}

# The JVM's log of safepoints says when: its stamp is taken just after the end.
collected() {
	local line stamp total what='a forced collection'

	begin_load gc -Xmx700m -XX:+UseSerialGC -Dlive=60 "-Xlog:safepoint=info:file=$work/safepoints:tn:filecount=0"
	curl -fsS "http://127.0.0.1:$port/gc" >/dev/null
	end_load
	line=$(grep -E '"(GenCollectFull|SerialCollect|CollectForMeta|SerialGCCollect|G1CollectFull|GenCollect)[A-Za-z]*"' "$work/safepoints" | tail -n 1)
	stamp=$(sed -nE 's/^\[([0-9]+)ns\].*/\1/p' <<<"$line") total=$(sed -nE 's/.*Total: *([0-9]+) ns.*/\1/p' <<<"$line")
	if [[ -z $stamp || -z $total ]]; then
		fail "$what" "no line of it in the JVM's log: $(tail -n 2 "$work/safepoints")"
		return
	fi
	judge_stop gc "$what" $((stamp - total)) "$stamp"
}

main() {
	stopped
	collected
	finish
}

main
