#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What the tests of requests share, on top of the live tests' own; sourced. Servers live until their standard input is closed, which is
# also what happens when a test dies.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/../live/lib.sh"
source "$root/tests/requests/servers.sh"
source "$root/tests/requests/clients.sh"

requests_classes=$out/requests/classes
server_seconds=120 # no server lives longer
server_prefix=()   # words before the server's
server_flags=()    # more flags of the next JVM

# start_server NAME JDK-HOME [ADDRESS]: sets server (its pid), port, server_out.
start_server() {
	local classpath flags=()

	classpath=$(server_jars "$1")
	read -ra flags <<<"$(server_field "$1" 5)"
	server_out=$work/$1.server
	rm -f "$work/stdin" "$server_out" # what the one before said is not taken for this one's
	mkfifo "$work/stdin"
	"${server_prefix[@]}" "$2/bin/java" -Xmx256m "${flags[@]}" "${server_flags[@]}" -cp "$requests_classes:$classpath:$(server_jdbc)" \
		"$(server_field "$1" 2)" "$server_seconds" "${@:3}" <"$work/stdin" >"$server_out" 2>"$server_out.err" &
	server=$!
	pids+=("$server")
	exec {server_stdin}>"$work/stdin"
	if ! wait_until 60 grep -qs '^port [0-9]' "$server_out"; then
		printf 'the server %s did not come up: %s\n' "$1" "$(head -n 3 "$server_out.err")" >&2
		return 1
	fi
	port=$(sed -n 's/^port //p' "$server_out")
}

# stop_server: lets it report; its timer's lines are in server_out then.
stop_server() {
	exec {server_stdin}>&-
	wait_until 10 grep -qs '^done' "$server_out" || printf 'the server did not come to its end\n' >&2
	end_process "$server"
	forget "$server"
}

# server_timer NAME FIELD: a figure of a timer of the server that has ended
server_timer() {
	sed -n "s/^timer $1 .*\b$2=\([0-9]*\).*/\1/p" "$server_out"
}

figure() { # figure KEY FILE...: N of the first KEY=N; nothing where there is none, which is no reason to end without a word
	{ grep -ohE "(^| )$1=[0-9-]+" "${@:2}" || true; } | head -n 1 | sed 's/.*=//'
}

expect() { # expect NAME GOT WANTED
	if [[ $2 == "$3" ]]; then
		pass "$1" "$2"
	else
		fail "$1" "$2, not $3"
	fi
}

expect_range() { # expect_range NAME GOT MIN MAX
	if [[ $2 =~ ^-?[0-9]+$ && $2 -ge $3 && $2 -le $4 ]]; then
		pass "$1" "$2"
	else
		fail "$1" "$2, not from $3 to $4"
	fi
}

# start_client SERVER PORT CONNECTIONS [WORD...]: Client.java, its connections open; WORDs before java. Sets client (its pid), client_out.
start_client() {
	client_out=$work/client.java
	rm -f "$work/orders" "$client_out"
	mkfifo "$work/orders"
	"${@:4}" "$(jdk_first)/bin/java" -Xmx64m -cp "$requests_classes" Client "$1" "$2" "$3" <"$work/orders" >"$client_out" 2>"$client_out.err" &
	client=$!
	pids+=("$client")
	exec {client_stdin}>"$work/orders"
	wait_until 20 grep -qs '^ready' "$client_out" || printf 'the client did not come up: %s\n' "$(head -n 3 "$client_out.err")" >&2
}

client_asks() { # client_asks REQUESTS PATH: and wait until all are answered
	local before

	before=$(grep -c '^done' "$client_out" || true)
	printf '%s %s\n' "$1" "$2" >&"$client_stdin"
	wait_until 30 done_more_than "$before" || printf 'the client was not answered: %s\n' "$(head -n 3 "$client_out.err")" >&2
}

done_more_than() { [[ $(grep -c '^done' "$client_out") -gt $1 ]]; }

# stop_client: what it counted is in client_out then
stop_client() {
	exec {client_stdin}>&-
	wait "$client" || true
	forget "$client"
}

# rows_of FILE: every request of a recording as JSON, one a line, in work/rows; the summary in work/summary
rows_of() {
	"$standstill" requests "$1" --all --json >"$work/all" || return
	jq -c 'select(has("id"))' "$work/all" >"$work/rows"
	jq -c 'select(has("summary")) | .summary' "$work/all" >"$work/summary"
}

said_of() { jq -r "$1" "$work/summary"; } # said_of FILTER
rows_are() { jq -rs "$1" "$work/rows"; }  # rows_are FILTER: of all rows at once

# expect_whole NAME REQUESTS: so many seen, all of them whole, nothing lost, nothing crossed by more than probes can
expect_whole() {
	expect "$1: requests seen" "$(said_of .seen)" "$2"
	expect "$1: of those whole" "$(said_of .states.whole)" "$2"
	expect "$1: records lost" "$(said_of .lost)" 0
	expect "$1: crossed by over 20 us" "$(said_of .crossed_over_20us)" 0
}

# start_capture FILE FILTER [WORD...]: what the network carries, WORDs before tcpdump; by default on loopback. Sets capture (its pid).
start_capture() {
	local file=$1 filter=$2

	shift 2
	rm -f "$file.err"
	"$@" tcpdump -i "${capture_device:-lo}" -s 128 -B 65536 --time-stamp-precision=nano --immediate-mode -w "$file" "$filter" 2>"$file.err" &
	capture=$!
	pids+=("$capture")
	wait_until 10 grep -qs 'listening on' "$file.err"
}

# stop_capture: fails when the kernel dropped some of it
stop_capture() {
	sleep 0.3
	kill -INT "$capture" 2>/dev/null || true
	wait "$capture" 2>/dev/null || true
	forget "$capture"
	if [[ $(sed -n 's/ packets dropped by kernel$//p' "$work"/*.pcap.err | sort -n | tail -n 1) != 0 ]]; then
		printf 'tcpdump lost packets: %s\n' "$(tr '\n' ' ' <"$(ls "$work"/*.pcap.err)")" >&2
		return 1
	fi
}
