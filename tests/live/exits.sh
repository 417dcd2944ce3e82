#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What ends a recording before its time, and what must be left then; sourced by errors.sh.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/injected.sh"

# user/cmd/cmd.h is the one place where the codes are written: EXIT_NO_TARGET and its kin become variables here.
while IFS='= ' read -r name value; do
	declare -r "$name=$value"
done < <(tr -s '[:space:]' ' ' <"$root/user/cmd/cmd.h" | grep -oE 'EXIT_[A-Z_]+ = [0-9]+')

PATH=$PATH:/usr/sbin:/sbin # bpftool lives there

programs_of() { # programs_of PID: ids of the BPF programs it holds
	sed -n 's/^prog_id:[[:space:]]*//p' "/proc/$1/fdinfo/"* 2>/dev/null | sort -u
}

still_loaded() { # still_loaded ID...: how many of them
	local id nr=0

	for id in "$@"; do
		! bpftool prog show id "$id" >/dev/null 2>&1 || nr=$((nr + 1))
	done
	printf '%d\n' "$nr"
}

no_more_loaded() { [[ $(still_loaded "$@") -eq 0 ]]; }

breakpoints() { "$out/live/textdiff" "$jvm" libjvm.so; }

# The target makes progress: its CPU time grows.
cpu_ticks() { awk '{ sub(/^.*\) /, ""); print $12 + $13 }' "/proc/$jvm/stat"; }

runs_on() {
	local before

	before=$(cpu_ticks)
	sleep 0.5
	[[ $(cpu_ticks) -gt $before ]]
}

# last_record_ns FILE: the time of its last record; the reader's status in reader_status.
last_record_ns() {
	reader_status=0
	"$standstill" dump "$1" >"$work/dump" 2>"$work/dump.err" || reader_status=$?
	last_ns=$(tail -n 1 "$work/dump" | cut -d' ' -f1)
}

recorder_killed() {
	local file=$work/killed.still ids during after killed_ns

	start_record "$file" -p "$jvm" --pause-source=usdt
	sleep 3
	mapfile -t ids < <(programs_of "$recorder")
	during=$(breakpoints)
	killed_ns=$(clock)
	kill -KILL "$recorder"
	wait "$recorder" 2>/dev/null || true
	forget "$recorder"
	after_kill "$file" "$killed_ns" "$during" "${ids[@]}"
}

after_kill() { # after_kill FILE KILLED_NS BREAKPOINTS-BEFORE ID...
	local name="kill -9 of the recorder" after

	if [[ $# -lt 4 || $3 -eq 0 ]]; then
		fail "$name" "no program or no breakpoint was seen while it ran: the test looks in the wrong place"
		return
	fi
	judge "$name: the target runs on" runs_on
	wait_until 5 no_more_loaded "${@:4}" || true # the kernel frees programs a moment later
	if no_more_loaded "${@:4}"; then
		pass "$name: no BPF program stays" "$(($# - 3)) were loaded"
	else
		fail "$name: no BPF program stays" "$(still_loaded "${@:4}") of $(($# - 3)) are still there"
	fi
	after=$(breakpoints)
	if [[ $after -eq 0 ]]; then
		pass "$name: no breakpoint stays in libjvm" "$3 were there"
	else
		fail "$name: no breakpoint stays in libjvm" "$after bytes still differ from the file"
	fi
	reads_to_the_end "$name" "$1" "$2"
}

# What had been given to the recorder up to 2 s before its death is in the file: it writes a block a second.
reads_to_the_end() { # reads_to_the_end NAME FILE KILLED_NS
	last_record_ns "$2"
	if [[ $reader_status -ne $EXIT_OK && $reader_status -ne $EXIT_DAMAGED ]]; then
		fail "$1: the file reads to its last block" "dump ended with $reader_status: $(head -n 1 "$work/dump.err")"
	elif [[ -z $last_ns || $last_ns -lt $(($3 - 2000000000)) ]]; then
		fail "$1: the file reads to its last block" "it ends $((($3 - ${last_ns:-0}) / 1000000)) ms before the recorder did"
	else
		pass "$1: the file reads to its last block" "$((($3 - last_ns) / 1000000)) ms before the end; exit $reader_status"
	fi
}

# ends_with NAME CODE WORDS FILE: the recorder ended by itself, with CODE, said so, and the file reads.
ends_with() {
	if [[ $record_status -ne $2 ]]; then
		fail "$1" "exit $record_status instead of $2: $(tail -n 2 "$record_err" | tr '\n' ' ')"
	elif ! grep -qiE -- "$3" "$record_err"; then
		fail "$1" "it does not say so: $(tail -n 2 "$record_err" | tr '\n' ' ')"
	else
		last_record_ns "$4"
		if [[ $reader_status -eq 0 && -n $last_ns ]]; then
			pass "$1" "$(grep -iE -- "$3" "$record_err" | tail -n 1)"
		else
			fail "$1" "the file does not read: exit $reader_status, $(head -n 1 "$work/dump.err")"
		fi
	fi
}

wait_record() { # wait_record SECONDS: for a recorder that must end by itself
	record_status=0
	if ! wait_until "$1" recorder_ended; then
		end_process "$recorder"
		record_status=timeout
	else
		wait "$recorder" || record_status=$?
	fi
	forget "$recorder"
}

recorder_ended() { ! kill -0 "$recorder" 2>/dev/null; }

target_exits() {
	local file=$work/exit.still

	start_jvm "$1" G1 64m Allocate 3
	start_record "$file" -p "$jvm" -d 60
	wait "$jvm" || true
	forget "$jvm"
	wait_record 10
	ends_with "the JVM exits" "$EXIT_TARGET_EXITED" 'ended|exited' "$file"
}

target_execs() {
	local file=$work/exec.still home

	while read -r home; do
		[[ $(jdk_release "$home") -lt 22 ]] || break
		home=''
	done < <(jdk_homes)
	if [[ -z $home ]]; then
		skip "the JVM becomes another program" "that takes a JDK 22 or later"
		return
	fi
	"$home/bin/java" -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED "$live/java25/Exec.java" 5 >"$work/exec.out" 2>&1 &
	jvm=$!
	pids+=("$jvm")
	sleep 2
	start_record "$file" -p "$jvm" -d 60
	wait_record 20
	ends_with "the JVM becomes another program" "$EXIT_TARGET_EXEC" 'another program' "$file"
	stop_jvm
}

# A file system of 256 KB fills up while threads are recorded.
disk_full() {
	local why holder place

	if why=$(why_no_own_place); then
		skip "disk full" "$why"
		return
	fi
	hold_own_place size=256k
	start_record "$place/x.still" -p "$jvm" -d 60 || true
	dd if=/dev/zero of="$place/filler" bs=4k 2>/dev/null || true
	wait_record 20
	ends_with_full "$place/x.still"
	end_process "$holder"
	forget "$holder"
}

ends_with_full() {
	if [[ $record_status != "$EXIT_NO_OUTPUT" ]]; then
		fail "disk full" "exit $record_status instead of $EXIT_NO_OUTPUT: $(tail -n 2 "$record_err" | tr '\n' ' ')"
		return
	fi
	last_record_ns "$1"
	if [[ -n $last_ns && ($reader_status -eq $EXIT_OK || $reader_status -eq $EXIT_DAMAGED) ]]; then
		pass "disk full" "$(grep '^standstill' "$record_err"); the file reads, exit $reader_status"
	else
		fail "disk full" "the file does not read: exit $reader_status, $(head -n 1 "$work/dump.err")"
	fi
}
