#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Arrival times against a capture of the same run: every arrival paired by position, 20 us at p99.
#
#   tests/requests/capture.sh [RATE [SECONDS]]
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

limit_ns=20000

judge_run() { # judge_run NAME REQUESTS
	local line=$work/judged

	expect "$1: positions begin at the SYN's, wrong" "$(figure base_wrong "$line")" 0
	expect "$1: records lost" "$(figure lost "$line")" 0
	grep '^arrivals' "$line" >"$work/arrivals"
	expect "$1: arrivals at requests' ends" "$(figure captured "$work/arrivals")" "$2"
	expect "$1: that the capture does not have" "$(figure recorded_only "$work/arrivals")" 0
	expect "$1: that the recording does not have" "$(figure captured_only "$work/arrivals")" 0
	expect "$1: that have no time of their own" "$(figure coalesced "$work/arrivals")" 0
	expect_range "$1: p99 in ns" "$(figure p99 "$work/arrivals")" -1000 "$limit_ns"
	expect_range "$1: clock error in ns" "$(figure error_ns "$line")" 0 1000
}

run() { # run SERVER JDK-HOME RATE SECONDS
	local name sent

	name="$1, JDK $(jdk_release "$2"), $3/s"
	start_server "$1" "$2"
	start_capture "$work/run.pcap" "tcp port $port"
	start_record "$work/run.still" -p "$server"
	CLIENT_RATE=$3 client_run load "$port" $(($3 * $4)) 4 "$work/client" >"$work/said"
	stop_record
	stop_capture
	stop_server
	sent=$(figure 'done' "$work/said")
	"$standstill" dump "$work/run.still" | "$out/requests/judge" "$work/run.pcap" - | tee "$work/judged"
	judge_run "$name" "$sent"
}

main() {
	run nio "$(jdk_first)" "${1:-1000}" "${2:-3}"
	finish
}

main "$@"
