#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The stall of 40 ms: JDK 17's HttpServer without nodelay writes head and body apart, Nagle's algorithm keeps the body until the head is
# acknowledged, and the client delays that. It is shown as held, not as service; the same server with nodelay has none of it.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

requests=50
stall='(. > 30e6 and . < 60e6)' # the kernel delays an ACK by 40 ms and a tick, from the head; what lies between head and body is no hold

run() { # run SERVER JDK-HOME
	start_server "$1" "$2"
	start_client 127.0.0.1 "$port" 1
	client_asks 20 / # past the segments that are acknowledged at once
	start_capture "$work/$1.pcap" "tcp port $port"
	start_record "$work/$1.still" -p "$server"
	client_asks "$requests" /
	stop_record
	stop_capture
	stop_client
	stop_server
	rows_of "$work/$1.still"
	expect_whole "$1" "$requests"
}

# How long each was held against the capture: from the end of the write to the segment that has its last byte.
judge_held() { # judge_held NAME
	local line=$work/judged.held shortest longest

	"$standstill" dump "$work/$1.still" | "$out/requests/judge" "$work/$1.pcap" - | grep '^held' | tee "$line"
	shortest=$(rows_are 'map(.held_ns | select(. > 0)) | min') longest=$(rows_are 'map(.held_ns) | max')
	expect "$1: held, by the capture" "$(figure paired "$line")" "$(rows_are 'map(select(.held_ns > 0)) | length')"
	expect_range "$1: the shortest, less that of the capture, ns" "$((shortest + $(figure max "$line")))" -50000 50000
	expect_range "$1: the longest, less that of the capture, ns" "$((longest + $(figure min "$line")))" -50000 50000
}

main() {
	local home

	home=$(jdk_home 17)
	if [[ -z $home ]]; then
		skip 'the stall of 40 ms' 'there is no JDK 17, whose HttpServer has it'
		finish
		return
	fi
	run jdk-held "$home"
	# the first after a while without data may be acknowledged at once; the rest of the tenth is for a thread that lost its CPU between head and body
	expect_range 'jdk-held: held for 40 ms' "$(rows_are "map(select(.held_ns | $stall)) | length")" $((requests * 9 / 10)) "$requests"
	expect_range 'jdk-held: service and write, p90 in ns' "$(rows_are 'map(.service_ns + .write_ns) | sort | .[length * 9 / 10 | floor]')" 1 10000000
	printf 'jdk-held: service and write at most: %s ns\n' "$(rows_are 'map(.service_ns + .write_ns) | max')"
	judge_held jdk-held
	run jdk-pool "$home"
	expect_range 'jdk-pool: held at all' "$(rows_are 'map(select(.held_ns > 0)) | length')" 0 0
	finish
}

main
