#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The sections of the benchmark; sourced by run, which sets out, files, turns and libjvm.

: "${out:?}" "${files:?}" "${turns:?}" "${libjvm:?}" "${load=}" "${recorder=}" "${result=}"

# row WHAT VALUE UNIT [AIM]: AIM is like "<=8", in the same unit; a miss is printed as such
row() {
	local mark=
	if [[ -n ${4:-} ]]; then
		mark=$(awk -v value="$2" -v aim="$4" 'BEGIN {
			less = aim ~ /^</
			sub(/^[<>]=?/, "", aim)
			print (less ? value + 0 <= aim + 0 : value + 0 >= aim + 0) ? "ok" : "MISS"
		}')
	fi
	printf '%-66s %12s  %-10s %s\n' "$1" "$2 $3" "${4:-}" "$mark"
}

calculate() { # calculate FORMAT EXPRESSION
	awk "BEGIN { printf \"$1\", $2 }"
}

median() { # of the numbers on standard input, one a line
	sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# field NAME FILE KIND: the last value of a field in the records of a kind
field() {
	"$out/standstill" dump "$2" | awk -v kind="$3" -v name="$1=" '
		$2 == kind { for (i = 4; i <= NF; i++) if (index($i, name) == 1) value = substr($i, length(name) + 1) }
		END { print value + 0 }'
}

count_records() { # count_records FILE KIND...
	"$out/standstill" dump "$1" | awk -v kinds=" ${*:2} " 'index(kinds, " " $2 " ") { n++ } END { print n + 0 }'
}

# CPU time in ns of a process of one thread, by the scheduler.
cpu_of() {
	cut -d ' ' -f 1 "/proc/$1/schedstat"
}

peak_kb_of() {
	awk '$1 == "VmHWM:" { print $2 }' "/proc/$1/status"
}

# One turn of the load, not recorded; sets result.
bare_turn() {
	load_run
}

# One turn of the load, recorded into $1; sets result, recorder_cpu_ns, recorder_wall_ns, recorder_kb.
recorded_turn() {
	local before
	record_start "$1"
	sleep 0.3 # past what attaching itself costs
	before=$(cpu_of "$recorder")
	load_run
	recorder_cpu_ns=$(($(cpu_of "$recorder") - before))
	recorder_wall_ns=$(value wall_ns "$result")
	recorder_kb=$(peak_kb_of "$recorder")
	record_stop
}

ns_per_switch() {
	calculate '%.1f' "$(value cpu_ns "$result") / $(value switches "$result")"
}

# differences: of a file of pairs "bare recorded", a line each
differences() {
	awk '{ print $2 - $1 }' "$1"
}

column() { # column N FILE
	awk -v n="$1" '{ print $n }' "$2"
}

# As fast as two threads can: the difference in CPU time a switch, and what each program's body takes by the kernel.
# Each recorded turn is compared with the bare one just before it, so that what else the machine does weighs on both.
bench_event() {
	local i bare
	truncate -s 0 "$files/pairs"
	load_start --libjvm "$libjvm" --rounds 100000
	load_run # warm
	for ((i = 0; i < 3 * turns; i++)); do
		bare_turn
		bare=$(ns_per_switch)
		recorded_turn "$files/event.still"
		printf '%s %s\n' "$bare" "$(ns_per_switch)" >>"$files/pairs"
	done
	load_stop
	row "a switch and its wake-up, two threads on one CPU, bare" "$(column 1 "$files/pairs" | median)" ns
	row "the same, recorded" "$(column 2 "$files/pairs" | median)" ns
	row "  recording adds to each, median of $((3 * turns)) pairs" "$(differences "$files/pairs" | median)" ns
	row "  records lost meanwhile" "$(lost_in "$files/event.still")" "" "<=0"
	program_costs "$files/event.still"
	rm -f "$files/event.still"
}

lost_in() {
	"$out/standstill" dump "$1" | awk '
		$2 == "lost" { for (i = 4; i <= NF; i++) if ($i ~ /^nr=/) lost += substr($i, 4) }
		END { print lost + 0 }'
}

program_costs() {
	local name ns
	"$out/standstill" dump "$1" | awk '
		$2 == "probe" {
			name = ns = ""
			for (i = 4; i <= NF; i++) {
				if ($i ~ /^name=/) { name = substr($i, 6); gsub(/"/, "", name) }
				if ($i ~ /^ns_per_run=/) ns = substr($i, 12)
			}
			if (ns) last[name] = ns
		}
		END { for (name in last) print name, last[name] }' | sort | while read -r name ns; do
		row "  body of $name, by the kernel's BPF statistics" "$ns" ns
	done
}

share_of_core() { # of the load's last turn, in percent
	calculate '%.3f' "100 * $(value cpu_ns "$result") / $(value wall_ns "$result")"
}

# At a given rate: CPU time of the two threads and of the recorder, as shares of one core.
bench_share() {
	local rate i bare seconds=3
	for rate in 10000 50000; do
		truncate -s 0 "$files/pairs" "$files/recorder"
		load_start --libjvm "$libjvm" --rate $rate --seconds $seconds
		for ((i = 0; i < turns + 2; i++)); do
			bare_turn
			bare=$(share_of_core)
			recorded_turn "$files/share.still"
			printf '%s %s\n' "$bare" "$(share_of_core)" >>"$files/pairs"
			calculate '%.3f\n' "100 * $recorder_cpu_ns / $recorder_wall_ns" >>"$files/recorder"
		done
		load_stop
		row "$rate switches a second: the threads themselves, bare, of a core" "$(column 1 "$files/pairs" | median)" %
		row "  the same, recorded" "$(column 2 "$files/pairs" | median)" %
		row "  the recorder, of a core" "$(median <"$files/recorder")" %
		row "  recording in all, of a core, median of $((turns + 2)) pairs" \
			"$(calculate '%.2f' "$(differences "$files/pairs" | median) + $(median <"$files/recorder")")" %
		row "  the recorder's memory at most" "$(calculate '%.1f' "$recorder_kb / 1024")" MiB
		row "  records lost" "$(lost_in "$files/share.still")" "" "<=0"
	done
}

disk_rows() { # disk_rows WHAT FILE
	local bytes intervals
	bytes=$(stat -c %s "$2")
	intervals=$(count_records "$2" offcpu)
	[[ $intervals -gt 0 ]] || die "no interval was recorded in $2"
	row "bytes on disk for an off-CPU interval, $1" "$(calculate '%.2f' "$bytes / $intervals")" B "<=8"
	row "  for a kernel event (two switches and a wake-up make an interval)" \
		"$(calculate '%.2f' "$bytes / $intervals / 3")" B "<=4"
}

# Of everything in the file, by the number of intervals: what is not an interval counts as their cost. With sockets, each of their
# records is an event of the kernel's, too.
bench_disk() {
	local bytes sched sockets

	if [[ -e $files/share.still ]]; then
		disk_rows "two threads that wake each other" "$files/share.still"
		rm -f "$files/share.still"
	fi
	java_record "$files/java.still" 6 --no-sockets
	disk_rows "a Java server under load, $(($(count_records "$files/java.still" offcpu) / 6))/s" "$files/java.still"
	java_record "$files/java.still" 6
	bytes=$(stat -c %s "$files/java.still")
	sched=$(($(count_records "$files/java.still" offcpu) * 3))
	sockets=$(count_records "$files/java.still" arrive read write ack retransmit conn_open conn_listen conn_close conn_refused)
	row "the same server with its sockets, for an event of either kind" \
		"$(calculate '%.2f' "$bytes / ($sched + $sockets)")" B "<=4"
}

# Record the demo's server under its load for $2 seconds into $1.
java_record() { # java_record FILE SECONDS [OPTION...]: of record
	local server port='' loader
	javac -d "$files" tools/demo/Server.java
	rm -f "$files/input" "$files/port"
	mkfifo "$files/input"
	java -Xmx192m -cp "$files" Server 2 <"$files/input" >"$files/port" 2>"$files/server.log" &
	server=$!
	started+=("$server")
	exec 4>"$files/input"
	for _ in $(seq 300); do
		read -r port <"$files/port" && break
		sleep 0.1
	done
	[[ -n $port ]] || die "the server did not start within 30 s: $(tail -n 3 "$files/server.log")"
	"$out/standstill" load "http://127.0.0.1:$port/" -r 1500 -d $(($2 + 2)) -q -o "$files/java.sched" >"$files/load.log" 2>&1 4>&- &
	loader=$!
	started+=("$loader")
	sleep 1.5
	"$out/standstill" record -q -p "$server" -d "$2" -o "$1" "${@:3}" 4>&- 2>"$files/record.err" ||
		die "standstill record failed: $(tail -n 3 "$files/record.err")"
	wait "$loader" || true
	exec 4>&- # the server ends with its input
	wait "$server" || true
}

# From the exec of `standstill record` to the moment from which everything is recorded.
bench_attach() {
	local i began attached
	truncate -s 0 "$files/attach"
	load_start --libjvm "$libjvm" --rate 100 --seconds 1
	for ((i = 0; i < 10; i++)); do
		"$out/stamp" "$files/stamp" "$out/standstill" record -q -p "$load" -d 0.1 -o "$files/attach.still" \
			2>"$files/record.err" || die "standstill record failed: $(tail -n 3 "$files/record.err")"
		began=$(<"$files/stamp")
		attached=$("$out/standstill" dump "$files/attach.still" |
			sed -n 's/.* key="standstill.start_ns" value="\([0-9]*\)".*/\1/p' | head -n 1)
		calculate '%.1f\n' "($attached - $began) / 1e6" >>"$files/attach"
	done
	load_stop
	row "from exec until attached, median of 10" "$(median <"$files/attach")" ms "<100"
	row "  the longest of them" "$(sort -g "$files/attach" | tail -n 1)" ms
	rm -f "$files/attach.still"
}
