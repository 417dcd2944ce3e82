# SPDX-License-Identifier: BSD-2-Clause
# First file: what Park printed. Second: the spans of park-sleeper. Every park between -v from_ns and to_ns must end in a
# parked span whose waker is park-waker, woken between the waker's two stamps around its unpark.

FNR == NR {
	if ($1 == "park" && $2 > from_ns && $3 < to_ns) {
		park_from[++nr] = $2
		park_to[nr] = $3
	}
	if ($1 == "unpark") {
		unpark_from[++nr_unparks] = $2
		unpark_to[nr_unparks] = $3
	}
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
	while (at < nr && park_to[at + 1] < csv["from_ns"])
		at++
	if (at < nr && overlap(csv["from_ns"], csv["to_ns"], park_from[at + 1], park_to[at + 1])) {
		woken[at + 1] = csv["to_ns"]
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
		wrong += waker[i] != "park-waker"
		while (u < nr_unparks && unpark_to[u + 1] < woken[i])
			u++
		early += unpark_from[u + 1] == "" || woken[i] < unpark_from[u + 1]
	}
	printf "%d parks, %d without a parked span, %d with another waker, %d woken at another time than the unpark\n", nr, missing, wrong, early
	exit !(nr > 10 && !missing && !wrong && !early)
}
