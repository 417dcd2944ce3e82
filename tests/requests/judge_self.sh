#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The judge against captures and records written down by hand: one that is right, then spoilt in each way, which it must see.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

judge=$out/requests/judge
mkpcap=$out/requests/mkpcap
# 127.0.0.1 and ::1 as the kernel's 64-bit halves of bytes in network order
v4=$((0x0100007fffff0000))
v6=$((0x0100000000000000))

# A server at :80 (connection 1) is sent 10, 20 and 30 bytes and answers each with 5; realtime is monotonic + 1000 s.
records() {
	cat <<-END
		1000000000 clock 0 monotonic_before_ns=1000000000 realtime_ns=1001000000050 monotonic_after_ns=1000000100
		1000000500 conn_open 0 conn=1 tgid=9 family=2 role=1 local_low=$v4 local_port=80 remote_low=$v4 remote_port=4000 first_in=5001 first_out=7001 netns=1
		1000002000 arrive 0 conn=1 tgid=9 in_bytes=10
		1000003000 read 11 conn=1 tgid=9 in_bytes=10 bytes=10
		1000004500 write 11 conn=1 tgid=9 in_bytes=10 out_bytes=5 bytes=5 took_ns=1000 flags=0x40
		1000005000 arrive 0 conn=1 tgid=9 in_bytes=30 out_bytes=5
		1000006000 read 11 conn=1 tgid=9 in_bytes=30 out_bytes=5 bytes=20
		1000007500 write 11 conn=1 tgid=9 in_bytes=30 out_bytes=10 bytes=5 took_ns=1000 flags=0x40
		1000008000 arrive 0 conn=1 tgid=9 in_bytes=60 out_bytes=10
		1000009000 read 11 conn=1 tgid=9 in_bytes=60 out_bytes=10 bytes=30
		1000010500 write 11 conn=1 tgid=9 in_bytes=60 out_bytes=15 bytes=5 took_ns=1000 flags=0x40
		1100000000 clock 0 monotonic_before_ns=1100000000 realtime_ns=1001100000050 monotonic_after_ns=1100000100
	END
}

capture() {
	cat <<-END
		1001000000400 127.0.0.1 4000 127.0.0.1 80 S 5000 0
		1001000000450 127.0.0.1 80 127.0.0.1 4000 S 7000 0
		1001000001900 127.0.0.1 4000 127.0.0.1 80 - 5001 10
		1001000004000 127.0.0.1 80 127.0.0.1 4000 - 7001 5
		1001000004900 127.0.0.1 4000 127.0.0.1 80 - 5011 20
		1001000007000 127.0.0.1 80 127.0.0.1 4000 - 7006 5
		1001000007900 127.0.0.1 4000 127.0.0.1 80 - 5031 30
		1001000010000 127.0.0.1 80 127.0.0.1 4000 - 7011 5
		1001000020000 127.0.0.1 4000 127.0.0.1 80 F 5061 0
	END
}

# case_of NAME LINE KEY=N...: of the records and the capture, changed by the sed scripts $records_by and $capture_by, the judge's LINE says so
case_of() {
	local name=$1 line=$2 got wanted missing=''

	shift 2
	records | sed -E "${records_by:-}" >"$work/records"
	capture | sed -E "${capture_by:-}" | "$mkpcap" >"$work/capture"
	got=$("$judge" "$work/capture" - "${between[@]}" <"$work/records" | grep "^$line " || true)
	for wanted in "$@"; do
		[[ " $got " == *" $wanted "* ]] || missing+=" $wanted"
	done
	if [[ -n $missing ]]; then
		fail "$name" "no$missing in: $got"
	else
		pass "$name" "$*"
	fi
}

refused() { # refused NAME WHY: the judge ends with 2 and says so
	local status=0

	"$judge" "$work/capture" - <"$work/records" >/dev/null 2>"$work/why" || status=$?
	if [[ $status -eq 2 && $(<"$work/why") == *"$2"* ]]; then
		pass "$1" "$(<"$work/why")"
	else
		fail "$1" "exit code $status, $(<"$work/why")"
	fi
}

between=()

main() {
	local records_by='' capture_by=''

	case_of 'all is right: arrivals' arrivals paired=3 p50=100 max=100 min=100 recorded_only=0 captured_only=0 coalesced=0 before=0
	case_of 'all is right: writes begin before the wire' writes paired=3 p50=-500 max=-500 recorded_only=0
	case_of 'all is right: nothing is held' held paired=0 recorded=0
	case_of 'all is right: waits' waits paired=3 max=-100 longest=1100
	case_of 'all is right: connections' connections recorded=1 base_seen=2 base_wrong=0 strange=0 lost=0 unknown=0 sent_again=0
	case_of 'all is right: clocks' clocks readings=2 error_ns=50 step_ns=0

	records_by='s/(1000005000 .*in_bytes)=30/\1=31/' case_of 'a wrong position' arrivals paired=2 recorded_only=1 coalesced=1
	records_by='/arrive.*in_bytes=30/d' case_of 'an arrival that is missing, but later bytes came' arrivals paired=2 coalesced=1 captured_only=0
	records_by='/arrive.*in_bytes=60/d' case_of 'the last arrival is missing' arrivals paired=2 captured_only=1
	records_by='/arrive.*in_bytes=60/d; /1100000000/d' capture_by='s/1001000007900/1001200000000/' \
		case_of 'what comes after the end is not missing' arrivals paired=2 captured_only=0 after=1
	records_by='s/^1000005000/1000035000/' case_of 'an arrival 30 us late' arrivals paired=3 max=30100 p50=100
	records_by='s/^1000005000/1000004000/' case_of 'an arrival stamped early' arrivals paired=3 min=-900
	records_by='s/first_in=5001/first_in=5002/' case_of 'a wrong first byte' connections base_seen=2 base_wrong=1
	records_by='s/first_in=5001/first_in=5002/' case_of 'a wrong first byte: no position fits' arrivals paired=0 recorded_only=3
	records_by='s/(conn_open .*)/\1 in_bytes=10/' case_of 'opened before we looked' arrivals paired=2 before=1
	records_by='s/remote_port=4000/remote_port=4001/' case_of 'another connection' connections strange=6
	records_by='s/conn=1 tgid=9 in/conn=2 tgid=9 in/' case_of 'never opened' connections unknown=9
	records_by='$a1100000200 lost 0 from_ns=1000000000 nr=7 cause=1' case_of 'losses are told' connections lost=7
	records_by='s/^1000002000/1000001000/; s/realtime_ns=1001100000050/realtime_ns=1001100100050/' case_of 'the clock drifts' clocks step_ns=100000
	records_by='s/took_ns=1000/took_ns=100/' case_of 'a write that begins after the wire has it' writes paired=3 p50=400 max=400
	records_by='s/out_bytes=15 bytes=5/out_bytes=15 bytes=5 unsent=5/' case_of 'a held write' held paired=1 recorded=1 max=500
	capture_by='s/(127.0.0.1 80 - 5011) 20/\1 15/' case_of 'a byte the network never carried' arrivals paired=1 recorded_only=2
	capture_by='/ 5011 /p' case_of 'a segment sent again is no arrival' connections sent_again=1
	capture_by='/ 5011 /p' case_of 'a segment sent again changes no time' arrivals paired=3 max=100
	capture_by='s/ 5011 20/ 5031 30/; t; s/ 5031 30/ 5011 20/' case_of 'a gap: all of it arrives when it is filled' arrivals paired=2 recorded_only=1
	capture_by='/ (S|F) /d' case_of 'a capture that begins late' arrivals paired=3 max=100
	capture_by='s/127.0.0.1/::1/g' records_by="s/local_low=$v4/local_low=$v6/; s/remote_low=$v4/remote_low=$v6/; s/family=2/family=10/" \
		case_of 'IPv6' arrivals paired=3 recorded_only=0
	records_by='s/first_in=5001/first_in=4294967291/' capture_by='s/ 5000 0/ 4294967290 0/; s/ 5001 / 4294967291 /; s/ 5011 / 5 /; s/ 5031 / 25 /' \
		case_of 'sequence numbers that wrap' arrivals paired=3 recorded_only=0 captured_only=0
	between=(1000004000 1000006000)
	case_of 'only a stretch of time' arrivals paired=1 captured=1
	case_of 'only a stretch of time: waits' waits paired=1 longest=1100
	between=()

	records >"$work/records"
	capture | "$mkpcap" | head -c 300 >"$work/capture"
	refused 'a capture that is cut off' 'Bad message'
	printf 'nothing like a capture, but long enough' >"$work/capture"
	refused 'no capture' 'no capture with nanoseconds'
	capture | "$mkpcap" >"$work/capture"
	records | grep -v clock >"$work/records"
	refused 'a recording without a clock' 'no clock record'
	echo '5 nonsense 0' >"$work/records"
	refused 'no record' 'line 1'
	finish
}

main
