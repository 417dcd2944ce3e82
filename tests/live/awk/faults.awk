# SPDX-License-Identifier: BSD-2-Clause
# First file: what ColdRead printed. Second: the spans of cold-reader. Page faults that waited must be there, inside the touches that
# caused them and nowhere else, and nothing else may have blocked a touch. With -v slow=1 every read waits for long: there must be
# touches over 20 ms, and faults must make up 95 % of nearly each; the rest is the kernel's own work to ask the disk, on the CPU, up to 2 ms.

FNR == NR {
	if ($1 == "touch" && $2 > from_ns && $3 < to_ns) {
		touch_from[++nr] = $2
		touch_to[nr] = $3
	}
	next
}

FNR == 1 {
	csv_header($0)
	csv_need("from_ns"); csv_need("to_ns"); csv_need("reason")
	next
}

{
	csv_row($0)
	if (csv["from_ns"] < touch_from[1] || csv["to_ns"] > touch_to[nr])
		next
	while (at < nr && touch_to[at + 1] < csv["from_ns"])
		at++
	part = at < nr ? overlap(csv["from_ns"], csv["to_ns"], touch_from[at + 1], touch_to[at + 1]) : 0
	if (csv["reason"] == "page fault") {
		nr_faults++
		elsewhere += !part
	}
	if (csv["reason"] == "page fault" || csv["reason"] == "run queue" || csv["in_pause"] != "")
		explained[at + 1] += part
	else if (csv["reason"] != "running")
		others += part > 0
}

# One touch in twenty may also be long for the kernel's work to ask the disk, when that is interrupted. A pause may fall into a touch.
END {
	if (csv_broken)
		exit 2
	for (i = 1; i <= nr; i++) {
		length_ns = touch_to[i] - touch_from[i]
		if (length_ns > 20000000) {
			long++
			unexplained += explained[i] < length_ns * 0.95
		}
	}
	printf "%d touches, %d faults that waited, %d of them outside of a touch, %d other waits in touches", nr, nr_faults, elsewhere, others
	printf "; %d touches over 20 ms, %d of them not by faults\n", long, unexplained
	exit !(nr_faults > 0 && !elsewhere && !others && (!slow || (long > 10 && unexplained * 20 <= long)))
}
