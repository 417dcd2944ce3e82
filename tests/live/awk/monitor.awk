# SPDX-License-Identifier: BSD-2-Clause
# First file: what Monitor printed. Second: the spans of monitor-waiter. Every wait for the monitor between -v from_ns and to_ns
# must end in a parked span whose waker is monitor-holder, woken after the holder's last stamp inside.
#
# HotSpot also looks again by itself: a waiter whose timer fired just before the holder let go, and who had to wait for a CPU, finds the
# monitor free and is woken by nobody. Such a wait is counted, and must be rare.

FNR == NR {
	if ($1 == "wait" && $2 > from_ns && $3 < to_ns && $3 - $2 > 1000000) {
		wait_from[++nr] = $2
		wait_to[nr] = $3
	}
	if ($1 == "hold")
		hold_to[++nr_holds] = $3
	next
}

FNR == 1 {
	csv_header($0)
	csv_need("from_ns"); csv_need("to_ns"); csv_need("reason"); csv_need("waker_name")
	next
}

{
	csv_row($0)
	if (csv["reason"] != "parked")
		next
	while (at < nr && wait_to[at + 1] < csv["from_ns"])
		at++
	if (at < nr && overlap(csv["from_ns"], csv["to_ns"], wait_from[at + 1], wait_to[at + 1])) {
		woken[at + 1] = csv["to_ns"] # the last one counts: before it the JVM looks again now and then by itself
		waker[at + 1] = csv["waker_name"]
	}
}

END {
	if (csv_broken)
		exit 2
	for (i = 1; i <= nr; i++) {
		if (!woken[i]) {
			missing++
			continue
		}
		while (h < nr_holds && hold_to[h + 1] < wait_from[i])
			h++
		before = hold_to[h + 1] == "" || woken[i] < hold_to[h + 1]
		if (before && waker[i] == "") {
			alone++
			continue
		}
		wrong += waker[i] != "monitor-holder"
		early += before
	}
	printf "%d waits, %d without a parked span, %d with another waker, %d woken before the holder let go, %d looked again by themselves\n", nr, missing, wrong, early, alone
	exit !(nr > 10 && alone * 10 <= nr && !missing && !wrong && !early)
}
