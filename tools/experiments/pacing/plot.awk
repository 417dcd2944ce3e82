# SPDX-License-Identifier: BSD-2-Clause
# results.csv in, SVG out: four panels (server by arrivals), p99 in ms on a logarithmic scale against the rate that was asked for. Solid:
# from the intended send; dashed: from the actual one.
BEGIN {
	FS = ","
	width = 470; height = 300; left = 60; top = 60; gap_x = 60; gap_y = 70
	colour["sleep"] = "#2166ac"; colour["spin"] = "#1b7837"; colour["blocking"] = "#b2182b"
	lowest = 0.05; highest = 5000
	title["all"] = "one selector for all"; title["each"] = "a selector a thread"
}
NR > 1 {
	key = $1 SUBSEP $2 SUBSEP $3
	n = ++count[key]
	rate[key, n] = $4; response[key, n] = $7; service[key, n] = $9
	if ($4 > most) most = $4
}
function x_of(value) { return value / most * width }
function y_of(value) {
	if (value < lowest) value = lowest
	if (value > highest) value = highest
	return height - log(value / lowest) / log(highest / lowest) * height
}
function line(key, values, dash,    i, points) {
	for (i = 1; i <= count[key]; i++)
		points = points sprintf("%.1f,%.1f ", x_of(rate[key, i]), y_of(values[key, i]))
	return sprintf("<polyline fill=\"none\" stroke-width=\"1.8\" stroke=\"%s\"%s points=\"%s\"/>\n", colour[client], dash, points)
}
function panel(server, arrivals, column, row,    tick, step, key) {
	printf "<g transform=\"translate(%d,%d)\">\n", left + column * (width + gap_x), top + row * (height + gap_y)
	printf "<text x=\"0\" y=\"-10\" font-weight=\"bold\">%s, %s arrivals</text>\n", title[server], arrivals
	printf "<rect width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>\n", width, height
	for (tick = 0.1; tick <= highest; tick *= 10) {
		printf "<line x1=\"0\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>", width, y_of(tick), y_of(tick)
		printf "<text x=\"-6\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", y_of(tick) + 4, tick
	}
	for (step = 0; step <= most; step += 2000)
		printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", x_of(step), height + 16, step
	for (client in colour) {
		key = server SUBSEP arrivals SUBSEP client
		printf "%s", line(key, response, "")
		printf "%s", line(key, service, " stroke-dasharray=\"5 4\"")
	}
	print "</g>"
}
END {
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n",
		left + 2 * width + gap_x + 20, top + 2 * height + gap_y + 40
	print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
	print "<text x=\"60\" y=\"22\">p99, ms, against requests/s asked for; solid: from the intended send, dashed: from the actual send</text>"
	at = 660
	for (client in colour) {
		printf "<text x=\"%d\" y=\"22\" fill=\"%s\" font-weight=\"bold\">%s</text>\n", at, colour[client], client
		at += 90
	}
	panel("all", "constant", 0, 0); panel("all", "poisson", 1, 0)
	panel("each", "constant", 0, 1); panel("each", "poisson", 1, 1)
	print "</svg>"
}
