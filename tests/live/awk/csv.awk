# SPDX-License-Identifier: BSD-2-Clause
# CSV by columns' names: csv_header($0) on the first line, csv_row($0) on each other, then csv["name"]. Quoted fields may hold commas.
# All times here are below 2^53 ns, 104 days of uptime, so awk's numbers hold them exactly; print them with %.0f.

function csv_split(line, fields,    n, field) {
	n = 0
	while (1) {
		if (substr(line, 1, 1) == "\"" && match(line, /^"([^"]|"")*"/)) {
			field = substr(line, 2, RLENGTH - 2)
			gsub(/""/, "\"", field)
		} else {
			match(line, /^[^,]*/)
			field = substr(line, 1, RLENGTH)
		}
		fields[++n] = field
		line = substr(line, RLENGTH + 1)
		if (substr(line, 1, 1) != ",")
			return n
		line = substr(line, 2)
	}
}

function csv_header(line) {
	csv_nr = csv_split(line, csv_names)
}

function csv_need(name,    i) {
	for (i = 1; i <= csv_nr; i++)
		if (csv_names[i] == name)
			return
	printf "the table has no column %s\n", name
	csv_broken = 1
	exit 2
}

function csv_row(line,    fields, i) {
	csv_split(line, fields)
	for (i = 1; i <= csv_nr; i++)
		csv[csv_names[i]] = fields[i] ~ /^[0-9]+$/ ? fields[i] + 0 : fields[i] # else awk compares as text
}

function overlap(from, to, other_from, other_to,    begin, end) {
	begin = from > other_from ? from : other_from
	end = to < other_to ? to : other_to
	return end > begin ? end - begin : 0
}

function abs(x) {
	return x < 0 ? -x : x
}
