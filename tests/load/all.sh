#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The load generator against servers whose truth is known.
#
#   tests/load/all.sh O check|verify [TEST...]
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

out=$1
suite=$2
shift 2
# shellcheck source=lib.sh
source tests/load/lib.sh

# What the judge claims is about tens of microseconds, which strangers on the same CPUs take from anybody: where it is allowed, both
# sides run before them, and the generator's many threads before the server. Not so a generator that spins, which would run into the
# kernel's limit for that.
server_first=()
load_first=()
spin_first=()
if chrt -f 2 true 2>/dev/null; then
	server_first=(chrt -f 1)
	load_first=(chrt -f 2)
	spin_first=(nice -n -19)
	echo -15 2>/dev/null >/proc/self/autogroup # with autogroups, nice alone counts only within this session
fi

# Against a server that stops itself for 200 ms at times it logs. A row gets three tries, and says which one it took.
stop_row() { # stop_row NAME open|blocking ARGUMENT...
	local name=$1 kind=$2 try tries=3 first=("${load_first[@]}")

	[[ $name != spin ]] || first=("${spin_first[@]}")
	shift 2
	for ((try = 1; try <= tries; try++)); do
		server_prefix=("${server_first[@]}")
		start_server --log "$work/$name.log" --stop-every 1000 --stop-for 200 --stops 3
		server_prefix=()
		"${first[@]}" "$standstill" load "http://127.0.0.1:$port/" --rate 1000 --duration 4 --quiet "$@" \
			-o "$work/$name.sched" >"$work/$name.txt" 2>&1
		end_process "$server"
		if "$out/load-judge" "$work/$name.sched" "$work/$name.log" 1000 "$kind" >"$work/$name.judged"; then
			pass "stops, $name" "$(grep -h 'is off by' "$work/$name.judged") (try $try)"
			return
		fi
	done
	fail "stops, $name" "$(grep -h 'DOES NOT\|is off by' "$work/$name.judged" | tr '\n' ' ')"
}

# In a closed loop, most of a stop is seen from the intended times only; the report shows both side by side.
blocking_difference() {
	local response service

	response=$(json "$work/blocking.sched" .response.p90_ns)
	service=$(json "$work/blocking.sched" .service.p90_ns)
	expect_range 'blocking: p90 of the response time shows the stops' "$response" 20000000 300000000
	expect_range 'blocking: p90 of the service time does not' "$service" 1 10000000
	expect 'blocking: it is said not to be open-loop' "$("$standstill" schedule "$work/blocking.sched" | grep -c 'not open-loop for')" 2
}

test_stops() {
	stop_row open open --when-busy open
	stop_row pipeline open --when-busy pipeline
	stop_row queue open --when-busy queue
	stop_row blocking blocking --pacing blocking --threads 8
	blocking_difference
	[[ $suite == verify ]] || return
	stop_row sleep open --pacing sleep
	stop_row spin open --pacing spin
	stop_row two-threads open --threads 2
	stop_row one-connection open --connections 1 --when-busy queue
}

test_rates() {
	local rate

	start_server
	for rate in 100 1000 7777; do
		"$standstill" load "http://127.0.0.1:$port/" -r "$rate" -d 1 -q -o "$work/rate.sched" >/dev/null
		expect "rate $rate: requests" "$(json "$work/rate.sched" .requests)" "$rate"
		expect_range "rate $rate: rate in mHz" "$(json "$work/rate.sched" .rate_millihertz)" $((rate * 999)) $((rate * 1001))
	done
	"$standstill" load "http://127.0.0.1:$port/" -r 200,1s:0,2s:400..600@1s -d 3 -q -o "$work/steps.sched" >/dev/null
	expect 'steps and a ramp: requests' "$(json "$work/steps.sched" .requests)" 700
	"$standstill" load "http://127.0.0.1:$port/" -r 1000 -d 2 -w 1 -q -o "$work/warm.sched" >/dev/null
	expect 'a warm-up is left out' "$(json "$work/warm.sched" '[.warmup_requests, .requests] | join(" ")')" '1000 2000'
	end_process "$server"
}

failures_of() { # failures_of FILE: "class=number" of those that are not 0, then the number answered
	json "$1" '[.failures | to_entries[] | select(.value > 0) | "\(.key)=\(.value)"] + ["answered=\(.answered)"] | join(" ")'
}

misbehaviour() { # misbehaviour WHAT WANTED [ARGUMENT...]: every 10th of 500 answers is not as it should be
	local what=$1 wanted=$2

	shift 2
	start_server --misbehave "$what"
	"$standstill" load "http://127.0.0.1:$port/" -r 500 -d 1 -q -o "$work/bad.sched" "$@" >/dev/null
	end_process "$server"
	expect "a server that answers $what $*" "$(failures_of "$work/bad.sched")" "$wanted"
}

test_failures() {
	misbehaviour good 'answered=500'
	misbehaviour reset 'reset=50 answered=450'
	misbehaviour close 'reset=50 answered=450'
	misbehaviour short 'short=50 answered=450'
	misbehaviour malformed 'malformed=50 answered=450'
	misbehaviour status 'status=50 answered=500'
	misbehaviour last 'answered=500'
	misbehaviour chunked 'answered=500'
	misbehaviour slow 'answered=500'
	misbehaviour silent 'timeout=50 answered=450' --timeout 300ms
	misbehaviour silent 'timeout=50 answered=450' --timeout 300ms --pacing blocking --threads 50
}

# A server that is gone, or says nothing any more, changes nothing about what is planned.
test_server_gone() {
	start_server
	"$standstill" load "http://127.0.0.1:$port/" -r 500 -d 2 -q --timeout 500ms -o "$work/gone.sched" >/dev/null &
	sleep 1
	end_process "$server"
	wait $!
	expect 'the server ends: all are planned' "$(json "$work/gone.sched" .requests)" 1000
	expect_range 'the server ends: refused' "$(json "$work/gone.sched" .failures.refused)" 300 600
	expect 'the server ends: each has its fate' "$(json "$work/gone.sched" '.answered + .unanswered')" 1000

	start_server
	"$standstill" load "http://127.0.0.1:$port/" -r 500 -d 2 -q --timeout 500ms -o "$work/mute.sched" >/dev/null &
	sleep 1
	kill -STOP "$server"
	wait $!
	end_process "$server"
	expect 'the server is stopped: all are planned' "$(json "$work/mute.sched" .requests)" 1000
	expect_range 'the server is stopped: timed out' "$(json "$work/mute.sched" .failures.timeout)" 300 600
	expect 'the server is stopped: each has its fate' "$(json "$work/mute.sched" '.answered + .unanswered')" 1000
	expect 'the server is stopped: intended times go on' "$(json "$work/mute.sched" '.last_intended_ns - .first_intended_ns')" 1998000000
}

# Numbers of the requests in a schedule: how many, how many different, the highest + 1.
numbers_of() {
	"$standstill" schedule "$1" --csv 2>/dev/null |
		awk -F, '/^[0-9]/ { n++; if (!seen[$1]++) d++; if ($1 > max) max = $1 } END { print n + 0, d + 0, max + 1 }'
}

test_killed() {
	local load scribe nr different next

	start_server
	"$standstill" load "http://127.0.0.1:$port/" -r 2000 -d 30 -q -o "$work/killed.sched" >/dev/null 2>&1 &
	load=$!
	sleep 2.3
	kill -KILL "$load"
	wait "$load" 2>/dev/null
	sleep 0.7
	expect 'kill -9 of the sender: the file says so' "$(json "$work/killed.sched" .schedule.end)" killed
	read -r nr different next < <(numbers_of "$work/killed.sched")
	expect_range 'kill -9 of the sender: requests' "$nr" 3000 5000
	expect 'kill -9 of the sender: none is missing, none is there twice' "$nr $different" "$next $next"

	"$standstill" load "http://127.0.0.1:$port/" -r 2000 -d 30 -q -o "$work/both.sched" >/dev/null 2>&1 &
	load=$!
	pids+=("$load")
	sleep 2.3
	scribe=$(pgrep -P "$load")
	kill -KILL "$scribe" "$load"
	wait "$load" 2>/dev/null
	"$standstill" schedule "$work/both.sched" >"$work/both.txt" 2>&1
	expect 'kill -9 of both: it reads' $? 0
	expect 'kill -9 of both: it says that its end is missing' "$(grep -c '^standstill: .* has no end' "$work/both.txt")" 1
	read -r nr different next < <(numbers_of "$work/both.sched")
	expect_range 'kill -9 of both: requests up to the last block' "$nr" 1500 5000
	expect 'kill -9 of both: none is there twice' "$different" "$nr"
	end_process "$server"
}

# Without its writer a run is worth nothing: it ends, and says so.
test_writer_killed() {
	local load code

	start_server
	"$standstill" load "http://127.0.0.1:$port/" -r 1000 -d 30 -q -o "$work/writer.sched" >"$work/writer.txt" 2>&1 &
	load=$!
	pids+=("$load")
	sleep 1.5
	kill -KILL "$(pgrep -P "$load")"
	wait "$load"
	code=$?
	expect 'kill -9 of the writer: exit code' "$code" 1
	expect 'kill -9 of the writer: it is said' "$(grep -c 'process that writes' "$work/writer.txt")" 1
	end_process "$server"
}

test_interrupted() {
	local load

	start_server
	"$standstill" load "http://127.0.0.1:$port/" -r 1000 -d 30 -q -o "$work/int.sched" >/dev/null 2>&1 &
	load=$!
	sleep 1.2
	kill -TERM "$load"
	wait "$load"
	expect 'SIGTERM ends in an orderly way' $? 0
	expect 'SIGTERM: the file says so' "$(json "$work/int.sched" .schedule.end)" interrupted
	expect 'SIGTERM: nothing in flight is cut' "$(json "$work/int.sched" .failures.cut)" 0
	end_process "$server"
}

# The generator itself is stopped for 300 ms: what each planner does about it.
test_planners() {
	local plan load planned

	start_server
	for plan in ideal now tick:50; do
		"$standstill" load "http://127.0.0.1:$port/" -r 1000 -d 2 -q --plan "$plan" -o "$work/plan.sched" >/dev/null 2>&1 &
		load=$!
		sleep 0.8
		kill -STOP "$load"
		sleep 0.3
		kill -CONT "$load"
		wait "$load"
		planned=$(json "$work/plan.sched" .requests)
		expect "$plan: sent and omitted are all" $((planned + $(json "$work/plan.sched" .generator.omitted))) 2000
		case $plan in
		ideal)
			expect 'ideal: nothing is omitted' "$planned" 2000
			expect_range 'ideal: lateness shows the stop' "$(json "$work/plan.sched" .generator.lateness.max_ns)" 250000000 600000000
			;;
		now) expect_range 'now: about the stop is omitted' $((2000 - planned)) 250 400 ;;
		tick*) expect_range 'tick: the stop less a tick is omitted' $((2000 - planned)) 200 350 ;;
		esac
	done
	expect 'the planner is in the schedule' "$(json "$work/plan.sched" .schedule.planner)" tick:50000000
	end_process "$server"
}

test_raw() {
	start_server --frame fixed:64/128
	"$standstill" load "127.0.0.1:$port" --frame fixed:64/128 -r 1000 -d 1 -q -o "$work/raw.sched" >/dev/null
	expect 'fixed frames' "$(failures_of "$work/raw.sched")" 'answered=1000'
	expect 'fixed frames: byte positions' "$("$standstill" schedule "$work/raw.sched" --csv |
		awk -F, '/^[0-9]/ { print $14 - $13, $16 - $15 }' | sort -u)" '64 128'
	end_process "$server"
	start_server --frame prefix:4/32/100
	"$standstill" load "127.0.0.1:$port" --frame prefix:4/32 -r 1000 -d 1 -q --when-busy pipeline -c 1 -o "$work/raw.sched" >/dev/null
	expect 'frames behind their length' "$(failures_of "$work/raw.sched")" 'answered=1000'
	end_process "$server"
}

# More than the server can do: what waits is the queue's, not the generator's, with room on busy connections too.
test_overload() {
	local busy

	for busy in pipeline queue; do
		start_server --frame fixed:16/16 --service-us 100
		"$standstill" load "127.0.0.1:$port" --frame fixed:16/16 -r 20000 -d 1 -q --when-busy "$busy" -c 4 -o "$work/over.sched" >/dev/null
		end_process "$server"
		expect_range "overload, $busy: median wait for a connection" "$(json "$work/over.sched" .generator.conn_wait.p50_ns)" 100000000 9000000000
		expect_range "overload, $busy: median lateness" "$(json "$work/over.sched" .generator.lateness.p50_ns)" 0 10000000
	done
}

exit_code() { # exit_code NAME WANTED PATTERN ARGUMENT...
	local name=$1 wanted=$2 pattern=$3 code

	shift 3
	"$standstill" "$@" >"$work/said.txt" 2>&1
	code=$?
	if [[ $code -eq $wanted ]] && grep -q "$pattern" "$work/said.txt"; then
		pass "$name" "$(head -n 1 "$work/said.txt")"
	else
		fail "$name" "exit code $code, not $wanted, or no '$pattern': $(head -n 1 "$work/said.txt")"
	fi
}

test_errors() {
	local free=1 # nobody listens on tcpmux

	start_server
	exit_code 'no rate' 2 'say --rate' load "http://127.0.0.1:$port/"
	exit_code 'no target' 2 'where to' load -r 1
	exit_code 'https' 2 'https is not spoken' load https://127.0.0.1/ -r 1
	exit_code 'a rate of words' 2 'each part is' load "http://127.0.0.1:$port/" -r fast
	exit_code 'raw without a frame' 2 'say --frame' load "127.0.0.1:$port" -r 1
	exit_code 'nobody listens' 3 'Connection refused' load "http://127.0.0.1:$free/" -r 1 -d 1
	exit_code 'no such host' 3 'cannot find' load http://no.such.host.invalid/ -r 1 -d 1
	exit_code 'no such directory' 8 'cannot create' load "http://127.0.0.1:$port/" -r 1 -o "$work/none/x"
	exit_code 'disk full' 8 'No space left' load "http://127.0.0.1:$port/" -r 1000 -d 3 -o /dev/full
	exit_code 'no schedule' 7 'is no schedule' schedule /dev/null
	exit_code 'no file' 7 'No such file' schedule "$work/none"
	"$standstill" load "http://127.0.0.1:$free/" -r 100 -d 1 -q --even-if-down -o "$work/down.sched" >/dev/null
	expect 'nobody listens, and it begins all the same' "$(failures_of "$work/down.sched")" 'refused=100 answered=0'
	end_process "$server"
}

test_outputs() {
	local p50

	start_server
	"$standstill" load "http://127.0.0.1:$port/" -r 1000 -d 2 -q -o "$work/o.sched" --hdr "$work/o" --hlog "$work/o.hlog" \
		--live >"$work/o.txt" 2>"$work/o.live"
	end_process "$server"
	expect_range 'a live line a second' "$(grep -c 'answers/s' "$work/o.live")" 2 5
	expect 'hlog: two tags, two seconds or three' "$(grep -c '^Tag=response' "$work/o.hlog" | sed s/3/2/)" 2
	p50=$(awk '$2 == "0.500000000000" { print int($1 * 1000); exit }' "$work/o.response")
	expect_range 'the HdrHistogram table and JSON agree on the median, in us' "$p50" \
		$(($(json "$work/o.sched" .response.p50_ns) / 1000 - 1)) $(($(json "$work/o.sched" .response.p50_ns) / 1000 + 1))
	"$standstill" schedule "$work/o.sched" --csv >"$work/o.csv"
	"$standstill" schedule "$work/o.csv" --binary "$work/again.sched"
	"$standstill" schedule "$work/again.sched" --csv >"$work/again.csv"
	grep -v '^#' "$work/o.csv" >"$work/a"
	grep -v '^#' "$work/again.csv" >"$work/b"
	expect 'binary to CSV to binary to CSV: the same' "$(cmp "$work/a" "$work/b" && echo same)" same
}

peak_kb() { # peak_kb PID: peak of resident memory
	awk '/^VmHWM/ { print $2 }' "/proc/$1/status" 2>/dev/null
}

# Many requests in one run: all are in the file, in 16 bytes each or fewer, and memory does not grow with them.
test_many() {
	local nr rate=100000 load sender=0 scribe=0 now

	nr=500000
	[[ $suite == verify ]] && nr=10000000
	start_server --frame fixed:16/16
	"$standstill" load "127.0.0.1:$port" --frame fixed:16/16 -r "$rate" -d $((nr / rate))s -q --when-busy pipeline -c 16 \
		-o "$work/many.sched" >"$work/many.txt" 2>&1 &
	load=$!
	pids+=("$load")
	while kill -0 "$load" 2>/dev/null; do
		now=$(peak_kb "$load")
		[[ ${now:-0} -gt $sender ]] && sender=$now
		now=$(peak_kb "$(pgrep -P "$load" | head -n 1)")
		[[ ${now:-0} -gt $scribe ]] && scribe=$now
		sleep 0.2
	done
	wait "$load"
	end_process "$server"
	expect "$nr requests: all planned" "$(json "$work/many.sched" .requests)" "$nr"
	expect "$nr requests: none missing" "$(json "$work/many.sched" '.answered + .unanswered')" "$nr"
	expect "$nr requests: none lost" "$(json "$work/many.sched" .generator.lost)" 0
	expect_range "$nr requests: hundredths of a byte each" $(($(stat -c %s "$work/many.sched") * 100 / nr)) 1 1600
	expect_range "$nr requests: peak memory of the sender, kB" "$sender" 1 400000
	expect_range "$nr requests: peak memory of the writer, kB" "$scribe" 1 400000
	sed -n '1,20p' "$work/many.txt"
	rm -f "$work/many.sched"
}

[[ $# -gt 0 ]] || set -- stops rates failures server_gone killed writer_killed interrupted planners raw overload errors outputs many
for what in "$@"; do
	declare -F "test_$what" >/dev/null || {
		printf 'all.sh: there is no test %s\n' "$what" >&2
		exit 2
	}
	"test_$what"
done
finish
