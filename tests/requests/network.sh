#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Two network namespaces, a pair of devices between them, 5 ms of delay on the client's: a recording of the server in its namespace sees what
# was sent, at the positions the client counts, and does not say how long the network took, which it cannot know.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

requests=100
connections=4

network_missing() {
	command -v tc >/dev/null || printf 'there is no tc; tools/setup requests installs it'
	ip netns list >/dev/null 2>&1 || printf 'there is no ip netns; tools/setup requests installs it'
}

# Sets server_net and client_net, with 10.77.0.1 and 10.77.0.2.
make_networks() {
	server_net=standstill-s$$ client_net=standstill-c$$
	ip netns add "$server_net" || return
	undos+=("ip netns del $server_net")
	ip netns add "$client_net" || return
	undos+=("ip netns del $client_net")
	ip -n "$server_net" link add name veth-s type veth peer name veth-c netns "$client_net" || return
	ip -n "$server_net" addr add 10.77.0.1/24 dev veth-s
	ip -n "$client_net" addr add 10.77.0.2/24 dev veth-c
	ip -n "$server_net" link set veth-s up
	ip -n "$client_net" link set veth-c up
}

# netem may be missing from a kernel; the rest is tested all the same.
add_delay() {
	if ip netns exec "$client_net" tc qdisc add dev veth-c root netem delay 5ms 2>"$work/tc"; then
		pass 'a delay of 5 ms on the way to the server'
	else
		skip 'a delay on the network' "this kernel has no netem: $(tail -n 1 "$work/tc")"
	fi
}

judge() {
	local counted_in counted_out

	expect_whole 'through a network' "$requests"
	counted_in=$(awk '/^connection/ { n += $3 } END { print n }' "$client_out")
	counted_out=$(awk '/^connection/ { n += $4 } END { print n }' "$client_out")
	expect 'bytes sent, by the positions' "$(rows_are 'map(.in_to - .in_from) | add')" "$counted_in"
	expect 'bytes answered, by the positions' "$(rows_are 'map(.out_to - .out_from) | add')" "$counted_out"
	expect 'connections' "$(rows_are 'map(.conn) | unique | length')" "$connections"
	expect 'requests that begin where none ended' \
		"$(rows_are '(map([.conn, .in_to]) + (map(.conn) | unique | map([., 0]))) as $ends | map(select([.conn, .in_from] as $at | $ends | index([$at]) | not)) | length')" 0
	expect 'the peer' "$(rows_are 'map(.peer | split(":")[0]) | unique | join(" ")')" 10.77.0.2
	expect 'times on the network that it claims to know' "$(rows_are 'map(select(.sent_ns or .received_ns)) | length')" 0
	expect 'both ends' "$(said_of .both_ends)" 0
}

main() {
	local missing

	missing=$(network_missing)
	if [[ -z $missing ]] && ! make_networks 2>"$work/ip"; then
		missing="network namespaces cannot be made here: $(tail -n 1 "$work/ip")"
	fi
	if [[ -n $missing ]]; then
		skip 'through a network' "$missing"
		finish
		return
	fi
	add_delay
	server_prefix=(ip netns exec "$server_net")
	start_server nio "$(jdk_first)" 10.77.0.1
	start_record "$work/network.still" -p "$server"
	start_client 10.77.0.1 "$port" "$connections" ip netns exec "$client_net"
	client_asks "$requests" /
	stop_client
	sleep 0.2 # the last close
	stop_record
	stop_server
	rows_of "$work/network.still"
	judge
	finish
}

main
