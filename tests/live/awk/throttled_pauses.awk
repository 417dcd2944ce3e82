# SPDX-License-Identifier: BSD-2-Clause
# First file: pauses of a JVM whose collections run in its VM Thread alone (Serial). Second: the VM Thread's spans. What
# the pauses say they were throttled must be what the VM Thread was throttled in them, and must not be nothing.

FNR == 1 {
	csv_header($0)
	next
}

FNR == NR {
	csv_row($0)
	if (csv["cut"] != 0 || csv["sync_ns"] == "" || csv["release_ns"] == "")
		next
	nr++
	from[nr] = csv["sync_ns"]
	to[nr] = csv["release_ns"]
	said[nr] = csv["op_throttled_ns"]
	sum += said[nr]
	touched += said[nr] > 0
	next
}

{
	csv_row($0)
	if (csv["reason"] != "throttled")
		next
	all += csv["to_ns"] - csv["from_ns"]
	for (i = 1; i <= nr; i++)
		inside += overlap(csv["from_ns"], csv["to_ns"], from[i], to[i])
}

END {
	printf "%d pauses, %d of them throttled, %.3f ms together; the VM Thread was throttled %.3f ms in them", nr, touched, sum / 1e6, inside / 1e6
	printf ", %.3f ms in all\n", all / 1e6
	exit !(touched > 0 && abs(sum - inside) <= inside / 100)
}
