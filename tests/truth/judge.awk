# SPDX-License-Identifier: BSD-2-Clause
# First file: "begin end" of each injection. Second: `report --csv`. The added time of a request is its response minus the median of those
# that no injection touched; a cause's added time is its sum minus its share of that median. Touched are the requests that overlap
# [begin, drain), where the drain is over at the first instant since the injection's end with none under way.
#
#   -v causes=pause,backlog_pause   what the injection may cost
#   -v min_ms=N                     added time an injection must at least make, or it did nothing
#   -v wide=1                       an event loop or virtual threads: what is unknown may be so
#
# Exit code 0: 95 % of it is in @causes, below 2 % in any other, below 2 % unknown.

function unknown_cause(name) { return name == "unknown" || name == "lost" || name == "no_thread" }

function percent(ns) { return added > 0 ? 100 * ns / added : 0 }

# The k-th smallest of values[1..nr], which it moves about.
function kth(values, nr, k,    low, high, i, j, pivot, t) {
	low = 1
	high = nr
	while (low < high) {
		pivot = values[int((low + high) / 2)]
		i = low
		j = high
		while (i <= j) {
			while (values[i] < pivot) i++
			while (values[j] > pivot) j--
			if (i <= j) {
				t = values[i]; values[i] = values[j]; values[j] = t
				i++; j--
			}
		}
		if (k <= j)
			high = j
		else if (k >= i)
			low = i
		else
			break
	}
	return values[k]
}

function median_of_untouched(    i, values) {
	for (i = 1; i <= nr_requests; i++)
		if (!touched[i])
			values[++nr_untouched] = response[i]
	return nr_untouched ? kth(values, nr_untouched, int((nr_untouched + 1) / 2)) : 0
}

# The first instant from end_ns on with nobody under way; requests come about in order.
function drain_end(end_ns,    i, until) {
	until = end_ns
	for (i = 1; i <= nr_requests; i++)
		if (from[i] < until && to[i] > until)
			until = to[i]
	return until
}

function touch(    j, i, until) { # sets touched
	for (j = 1; j <= nr_injections; j++) {
		until = drain_end(end_at[j])
		for (i = 1; i <= nr_requests; i++)
			if (from[i] < until && to[i] > begin_at[j])
				touched[i] = 1
	}
}

function add_up(    i, c) {
	for (i = 1; i <= nr_requests; i++) {
		nr_touched += touched[i]
		all[touched[i] + 0] += response[i]
		for (c = first_cause; c <= csv_columns; c++)
			sum[touched[i] + 0, c] += part[i, c]
	}
}

FNR == NR {
	begin_at[++nr_injections] = $1
	end_at[nr_injections] = $2
	next
}

FNR == 1 {
	csv_header($0)
	csv_need("intended_ns"); csv_need("response_ns"); csv_need("unknown")
	csv_columns = csv_split($0, names)
	for (c = 1; c <= csv_columns; c++)
		csv_at[names[c]] = c
	for (first_cause = 1; names[first_cause] != "unknown"; first_cause++)
		continue
	next
}

{
	csv_split($0, row)
	if (row[csv_at["intended_ns"]] == "")
		next
	nr_requests++
	from[nr_requests] = row[csv_at["intended_ns"]] + 0
	response[nr_requests] = row[csv_at["response_ns"]] + 0
	to[nr_requests] = from[nr_requests] + response[nr_requests]
	total = 0
	for (c = first_cause; c <= csv_columns; c++)
		total += part[nr_requests, c] = row[c] + 0
	nr_wrong += total != response[nr_requests]
}

END {
	if (csv_broken)
		exit 2
	n = split(causes, list, ",")
	for (i = 1; i <= n; i++)
		is_expected[list[i]] = 1
	touch()
	base = median_of_untouched()
	add_up()
	added = all[1] - nr_touched * base
	for (c = first_cause; c <= csv_columns; c++) {
		ns = sum[1, c] - nr_touched * (all[0] ? base * sum[0, c] / all[0] : 0)
		if (is_expected[names[c]])
			found += ns
		else if (unknown_cause(names[c]))
			unknown += ns
		else if (ns > most) {
			most = ns
			most_name = names[c]
		}
		if (percent(ns) >= 0.2 || percent(ns) <= -0.2)
			text = text sprintf(" %s %.1f", names[c], percent(ns))
	}
	printf "%d injections, %d of %d requests touched, %.0f ms added, median %.2f ms; expected %.1f %%, unknown %.1f %%, most of others %.1f %%%s;%s", \
		nr_injections, nr_touched, nr_requests, added / 1e6, base / 1e6, percent(found), percent(unknown), percent(most), \
		most_name ? " " most_name : "", text
	if (nr_wrong)
		printf "; %d requests whose causes do not add up", nr_wrong
	printf "\n"
	right = nr_injections && nr_untouched > nr_touched / 10 && !nr_wrong && added >= min_ms * 1e6 * nr_injections && percent(most) < 2
	if (wide)
		right = right && percent(found) + percent(unknown) >= 95
	else
		right = right && percent(found) >= 95 && percent(unknown) < 2
	exit !right
}
