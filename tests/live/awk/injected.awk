# SPDX-License-Identifier: BSD-2-Clause
# First file: times of injections, a line each, as tests/live/inject prints them. Second: the spans of one busy thread.
# -v reason=R: each injection must be there as R, with its length within 1 %; R must be nowhere else.
#
# Where the calls themselves took so long that the truth is not known to 0.5 %, the injection does not count. With fewer than three
# that count nothing is shown, neither way: exit 77.
#
# A thread that waits for a CPU when the injection comes takes it only once it runs: the kernel stops nobody who is not
# running. That wait counts towards the length, and is shown.

FNR == NR {
	on_before[++nr] = $1
	off_after[nr] = $4
	length_ns[nr] = $3 - $1 # from one call to the other
	unsure[nr] = ($2 - $1) + ($4 - $3) > length_ns[nr] / 200
	next
}

FNR == 1 {
	csv_header($0)
	csv_need("from_ns"); csv_need("to_ns"); csv_need("reason")
	next
}

{
	csv_row($0)
	covered = 0
	for (i = 1; i <= nr; i++) {
		part = overlap(csv["from_ns"], csv["to_ns"], on_before[i], off_after[i])
		covered += part
		if (csv["reason"] == reason) {
			found[i] += part > 0 ? csv["to_ns"] - csv["from_ns"] : 0
			nr_spans[i] += part > 0
		} else if (csv["reason"] == "run queue" && !nr_spans[i]) {
			waited[i] += part
		}
	}
	if (csv["reason"] == reason && !covered)
		nr_elsewhere++
}

END {
	if (csv_broken)
		exit 2
	for (i = 1; i <= nr; i++) {
		if (unsure[i])
			continue
		nr_sure++
		error = (found[i] + waited[i] - length_ns[i]) / length_ns[i] * 100
		if (abs(error) > abs(worst))
			worst = error
		if (waited[i] > longest)
			longest = waited[i]
		if (nr_spans[i] != 1)
			why = why sprintf(" %d spans in injection %d;", nr_spans[i], i)
		if (abs(error) > 1)
			why = why sprintf(" injection %d of %.3f ms is %.3f ms;", i, length_ns[i] / 1e6, found[i] / 1e6)
	}
	if (nr_elsewhere)
		why = why sprintf(" %d spans outside of any injection;", nr_elsewhere)
	printf "%d of %d injections of known length, worst error %+.3f %%, waited for a CPU before at most %.3f ms%s\n", nr_sure, nr, worst, longest / 1e6, why
	exit why != "" ? 1 : nr_sure < 3 ? 77 : 0
}
