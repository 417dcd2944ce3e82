# SPDX-License-Identifier: BSD-2-Clause
# The spans of one busy thread: the sum of its throttled time must be the kernel's own figure, -v truth_ns, within 1 %.

FNR == 1 {
	csv_header($0)
	csv_need("from_ns"); csv_need("to_ns"); csv_need("reason")
	next
}

{
	csv_row($0)
	if (csv["reason"] == "throttled") {
		sum += csv["to_ns"] - csv["from_ns"]
		nr++
	}
}

END {
	if (csv_broken)
		exit 2
	error = truth_ns > 0 ? (sum - truth_ns) / truth_ns * 100 : 100
	printf "%d spans, %.3f ms throttled; cpu.stat says %.3f ms: %+.3f %%\n", nr, sum / 1e6, truth_ns / 1e6, error
	exit abs(error) > 1
}
