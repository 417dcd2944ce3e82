#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The smaller judges are judged too: each must accept what is right and refuse what is wrong, on tables written here.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/injected.sh"

first=$work/first second=$work/second

says() { # says NAME ACCEPTS|REFUSES|ABSTAINS SCRIPT [OPTION...]: of the two files
	local -A expected=([ACCEPTS]=0 [REFUSES]=1 [ABSTAINS]=77)
	local name="judge ${3%.awk}: $1" status=0 text

	text=$(awk -f "$live/awk/csv.awk" -f "$live/awk/$3" "${@:4}" "$first" "$second" 2>&1) || status=$?
	if [[ $status -eq ${expected[$2]} ]]; then
		pass "$name" "$text"
	else
		fail "$name" "status $status: $text"
	fi
}

spans() { # spans ROW...: from,to,reason,waker
	printf 'from_ns,to_ns,reason,waker_name\n' >"$second"
	printf '%s\n' "$@" >>"$second"
}

injections() { # 200 ms each
	printf '%s\n' "100000000 100000000 300000000 300000000" "500000000 500000000 700000000 700000000" \
		"900000000 900000000 1100000000 1100000000" >"$first"
	spans 100000000,300000000,stopped, 500000000,699000000,stopped, 900000000,1100000000,stopped,
	says "right lengths" ACCEPTS injected.awk -v reason=stopped
	says "another reason" REFUSES injected.awk -v reason=frozen
	spans 100000000,300000000,stopped, 500000000,690000000,stopped, 900000000,1100000000,stopped,
	says "10 ms short" REFUSES injected.awk -v reason=stopped
	spans 100000000,300000000,stopped, 500000000,510000000,'run queue', 510000000,700000000,stopped, \
		900000000,1100000000,stopped,
	says "10 ms short, waiting for a CPU" ACCEPTS injected.awk -v reason=stopped
	spans 100000000,300000000,stopped, 900000000,1100000000,stopped,
	says "one not found" REFUSES injected.awk -v reason=stopped
	spans 100000000,300000000,stopped, 400000000,410000000,stopped, 500000000,700000000,stopped, \
		900000000,1100000000,stopped,
	says "one invented" REFUSES injected.awk -v reason=stopped
	sed -i '1s/.*/100000000 110000000 300000000 300000000/' "$first"
	spans 110000000,300000000,stopped, 500000000,700000000,stopped, 900000000,1100000000,stopped,
	says "two of known length" ABSTAINS injected.awk -v reason=stopped
	spans 110000000,300000000,stopped, 500000000,690000000,stopped, 900000000,1100000000,stopped,
	says "two of known length, one short" REFUSES injected.awk -v reason=stopped
}

quota() {
	: >"$first"
	spans 1000,80001000,throttled, 90000000,170000000,throttled,
	says "the kernel's sum" ACCEPTS quota.awk -v truth_ns=160000000
	says "twice the kernel's sum" REFUSES quota.awk -v truth_ns=80000000
}

numbers() { seq 1 20; } # of parks and waits, 1 ms apart

wakers() {
	numbers | awk '{ t = $1 * 1000000; print "park", t, t + 500000; print "unpark", t + 400000, t + 410000 }' >"$first"
	mapfile -t rows < <(numbers | awk '{ t = $1 * 1000000; printf "%d,%d,parked,park-waker\n", t + 100, t + 405000 }')
	spans "${rows[@]}"
	says "right wakers" ACCEPTS park.awk -v from_ns=1 -v to_ns=1000000000
	spans "${rows[@]/park-waker/VM Thread}"
	says "another waker" REFUSES park.awk -v from_ns=1 -v to_ns=1000000000
	spans "${rows[@]/405000,/390000,}"
	says "woken before the unpark" REFUSES park.awk -v from_ns=1 -v to_ns=1000000000
	spans "${rows[@]:1}"
	says "a park without its span" REFUSES park.awk -v from_ns=1 -v to_ns=1000000000
}

monitors() {
	numbers | awk '{ t = $1 * 10000000; print "hold", t, t + 5000000; print "wait", t + 100000, t + 5050000 }' >"$first"
	mapfile -t rows < <(numbers | awk '{ t = $1 * 10000000; printf "%d,%d,parked,monitor-holder\n", t + 200000, t + 5020000 }')
	spans "${rows[@]}"
	says "right wakers" ACCEPTS monitor.awk -v from_ns=1 -v to_ns=1000000000
	spans "${rows[@]/monitor-holder/}"
	says "no waker" REFUSES monitor.awk -v from_ns=1 -v to_ns=1000000000
	spans "${rows[0]/5020000,parked,monitor-holder/4990000,parked,}" "${rows[@]:1}"
	says "one of many looked again by itself" ACCEPTS monitor.awk -v from_ns=1 -v to_ns=1000000000
	spans "${rows[@]/5020000,/4990000,}"
	says "woken before the holder let go" REFUSES monitor.awk -v from_ns=1 -v to_ns=1000000000
}

faults() {
	numbers | awk '{ t = $1 * 100000000; print "touch", t, t + 25000000; print "touch", t + 50000000, t + 50010000 }' >"$first"
	mapfile -t rows < <(numbers | awk '{ t = $1 * 100000000; printf "%d,%d,page fault,\n", t + 5000, t + 24990000 }')
	spans "${rows[@]}"
	says "faults in touches" ACCEPTS faults.awk -v from_ns=1 -v to_ns=10000000000 -v slow=1
	spans "${rows[@]/page fault/parked}"
	says "touches blocked by something else" REFUSES faults.awk -v from_ns=1 -v to_ns=10000000000
	spans "${rows[@]:2}"
	says "a long touch without a fault" REFUSES faults.awk -v from_ns=1 -v to_ns=10000000000 -v slow=1
	spans "${rows[@]:0:1}" '130000000,140000000,page fault,' "${rows[@]:1}"
	says "a fault outside" REFUSES faults.awk -v from_ns=1 -v to_ns=10000000000 -v slow=1
}

throttled_pauses() {
	printf '%s\n' cut,sync_ns,release_ns,op_throttled_ns 0,1000000,90000000,80000000 0,100000000,101000000,0 >"$first"
	spans 5000000,85000000,throttled, 110000000,190000000,throttled,
	says "the share of one pause" ACCEPTS throttled_pauses.awk
	sed -i 's/,80000000$/,60000000/' "$first"
	says "too small a share" REFUSES throttled_pauses.awk
	sed -i 's/,60000000$/,0/' "$first"
	says "no share at all" REFUSES throttled_pauses.awk
}

main() {
	injections
	quota
	wakers
	monitors
	faults
	throttled_pauses
	finish
}

main
