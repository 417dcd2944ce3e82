#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The judge is judged first: `agree` must call a table right that is right, and each kind of wrong by its name. The log is written here, in
# the form of JDK 17 or 25; what "standstill found" is derived from it and then spoilt.
# shellcheck source-path=SCRIPTDIR disable=SC2016 # the dollars are awk's
source "$(dirname "$0")/lib.sh"

columns=begin_ns,release_ns,end_ns,reaching_ns,cut,incomplete,missed_before,operation,late_name,release_source
log=$work/log
found=$work/found.csv
spans=$work/spans.csv

# 40 pauses a millisecond apart, 300 us long; stamps 3 to 9 us after the end. make_log WITH_LEAVING
make_log() {
	awk -v leaving="$1" 'BEGIN {
		end = 1000000000
		for (i = 0; i < 40; i++) {
			since = 700000 + i; reaching = 20000 + i * 10; at = 260000; leave = leaving ? 10000 : 0
			total = reaching + at + leave; begin = end + since; end = begin + total
			printf "[%dns] Safepoint \"G1PauseCleanup\", Time since last: %d ns, Reaching safepoint: %d ns, ", end + 3000 + i % 7 * 1000, since, reaching
			if (!leaving) printf "Cleanup: 0 ns, "
			printf "At safepoint: %d ns, ", at
			if (leaving) printf "Leaving safepoint: %d ns, ", leave
			printf "Total: %d ns\n", total
		}
	}' >"$log"
}

# What a perfect standstill would find: the same, its begin 2 us later, its release 5 us before the end. The zero of agree lies 3 us late.
make_found() {
	printf '%s\n' "$columns" >"$found"
	awk -F '[^0-9]+' -v OFS=, 'BEGIN { end = 1000000000 } { # $4: since, $5: reaching; $3 is the 1 of G1
		begin = end + $4; end = begin + $(NF - 1)
		print begin + 2000, end - 5000, end, $5, 0, 0, 0, "G1PauseCleanup", "late-one", "futex"
	}' "$log" >>"$found"
}

judge() { # judge [OPTION...]: the row; status in status
	status=0
	row=$("$out/live/agree" --log "$log" --pauses "$found" --from 1000000000 --to 2000000000 --names "$@" 2>&1) || status=$?
}

expect() { # expect NAME STATUS WORDS: the row must end in WORDS
	if [[ $status -eq $2 && $row == *"$3" ]]; then
		pass "agree: $1"
	else
		fail "agree: $1" "status $status, row: $row"
	fi
}

spoil() { # spoil NAME EXPECTED AWK [OPTION...]: AWK changes or drops one data row
	make_found
	awk -F, -v OFS=, "NR == 1 { print; next } $3" "$found" >"$found.new"
	mv "$found.new" "$found"
	judge "${@:4}"
	expect "$1" 1 "| BROKEN: $2;"
}

# VM Thread off its CPU for the whole of each lateness of the test below.
make_spans() {
	printf 'from_ns,to_ns,reason\n' >"$spans"
	awk -F, 'NR > 1 { printf "%d,%d,run queue\n", $2 + 1000, $3 }' "$found" >>"$spans"
}

main() {
	make_log ''
	make_found
	judge
	expect "what agrees is ok" 0 ok
	make_log yes
	make_found
	judge
	expect "what agrees is ok, with the leave stamp" 0 ok
	spoil "a pause left out" missed 'NR == 7 { next } { print }'
	spoil "a pause too many" invented '{ print } NR == 7 { $1 += 10000; print }'
	spoil "a pause between two" invented '{ print } NR == 7 { $1 = $3 + 300000; $2 = $1 + 1000; print }'
	spoil "another name" "names differ" 'NR == 7 { $8 = "Cleanup" } { print }'
	spoil "no name" "names unknown" 'NR == 7 { $8 = "" } { print }'
	spoil "begins late by 20 us" begin '{ $1 += 20000; print }'
	spoil "a fifth begins late by 200 us" begin 'NR % 5 == 0 { $1 += 200000 } { print }'
	spoil "releases late by 40 us" release '{ $2 += 40000; print }'
	spoil "reaching 30 us off" reaching '{ $4 += 30000; print }'
	spoil "no release" "release not always known" 'NR == 7 { $2 = "" } { print }'
	spoil "a pause cut inside" missed 'NR == 7 { $5 = 1 } { print }'
	spoil "many doubts of its own" incomplete 'NR % 5 == 0 { $6 = 1 } { print }'
	spoil "nobody late" "nobody was late" '{ print }' --offender late-one
	make_found
	awk -F, -v OFS=, 'NR > 1 { $2 = $3 - 90000 } { print }' "$found" >"$found.new" && mv "$found.new" "$found"
	judge
	expect "releases early by 80 us" 1 "| BROKEN: release;"
	make_spans
	judge --spans "$spans"
	expect "the same, while the VM Thread was off its CPU" 0 ok
	printf 'begin_ns\n1\n' >"$found"
	judge
	expect "a table without the columns" 2 "Bad message"
	finish
}

main
