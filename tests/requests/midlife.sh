#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Attached in the middle of its life: a client opens connections and sends, we attach, then it sends N more: N seen, whole, at the positions
# the client counts. With --client both ends of the connections are recorded, and each request has both.
#
#   tests/requests/midlife.sh [SERVER]
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

connections=3
before=45 # requests, a connection 15
after=201

# Each connection's requests begin and end where the client says: the last ends with its last byte; one begins where the one before ended.
judge_positions() { # judge_positions NAME
	local port sent received wrong=''

	while read -r _ port sent received; do
		wrong+=$(rows_are "
			map(select(.peer | endswith(\":$port\"))) | sort_by(.in_from) |
			if length != $after / $connections then \"$port: \(length) requests \"
			elif .[0].in_from != $sent / ($before + $after) * $before then \"$port: from \(.[0].in_from) \"
			elif .[-1].in_to != $sent or .[-1].out_to != $received then \"$port: to \(.[-1].in_to), \(.[-1].out_to) \"
			elif any(range(1; length) as \$i | .[\$i].in_from != .[\$i - 1].in_to or .[\$i].out_from != .[\$i - 1].out_to; .) then
				\"$port: a gap \"
			else empty end")
	done < <(grep '^connection' "$client_out")
	expect "$1: positions that are not the client's" "$wrong" ''
}

run() { # run SERVER JDK-HOME [--client]
	local name options=()

	name="$1, JDK $(jdk_release "$2")${3:+, $3}"
	start_server "$1" "$2"
	start_client 127.0.0.1 "$port" "$connections"
	client_asks "$before" /
	[[ -z ${3:-} ]] || options=(--client "$client")
	start_record "$work/midlife.still" -p "$server" "${options[@]}"
	client_asks "$after" /
	stop_record
	stop_client
	stop_server
	rows_of "$work/midlife.still"
	expect_whole "$name" "$after"
	expect "$name: accepted before" "$(said_of .connections_before)" "$connections"
	expect "$name: both ends seen" "$(said_of .both_ends)" "$([[ -z ${3:-} ]] && echo 0 || echo "$after")"
	judge_positions "$name"
}

main() {
	local home

	home=$(jdk_first)
	run "${1:-nio}" "$home"
	run "${1:-nio}" "$home" --client
	run jdk-pool "$home" --client
	finish
}

main "$@"
