#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What can go wrong around a recording: each says what it is in one sentence, and ends with the exit code of user/cmd/cmd.h that
# belongs to it. What went wrong before anything was recorded is in refusals(); what ends a recording has functions of its own.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/injected.sh"
source "$(dirname "$0")/exits.sh"

# One sentence: a single line, ours, of a length one reads, that names what it is about. Where the arguments are wrong, argp adds its
# own line on --help.
one_sentence() { # one_sentence FILE WORDS
	sed -i '/^Try `/,$d' "$1"
	[[ $(wc -l <"$1") -eq 1 ]] || return 1
	grep -qE "^standstill[^:]*: .{15,400}$" "$1" || return 1
	grep -qiE -- "$2" "$1"
}

# refuses NAME CODE WORDS COMMAND...: the command must end with CODE and one sentence with WORDS (a regular expression).
refuses() {
	local name=$1 code=$2 words=$3 status=0

	shift 3
	timeout 30 "$@" >"$work/refusal.out" 2>"$work/refusal.err" </dev/null || status=$?
	if [[ $status -ne $code ]]; then
		fail "$name" "exit $status instead of $code: $(head -c 400 "$work/refusal.err" | tr '\n' ' ')"
	elif ! one_sentence "$work/refusal.err" "$words"; then
		fail "$name" "not one clear sentence: $(head -c 600 "$work/refusal.err" | tr '\n' ' ')"
	else
		pass "$name" "$(sed 's/^standstill[^:]*: //' "$work/refusal.err")"
	fi
}

gone_pid() {
	sleep 0 &
	wait $!
	printf '%d\n' $!
}

refuse_targets() {
	local sleeper

	refuses "a PID that is gone" "$EXIT_NO_TARGET" 'no (such )?process|ended|gone|not running' \
		"$standstill" record -p "$(gone_pid)" -d 1 -o "$work/x.still"
	sleep 60 &
	sleeper=$!
	pids+=("$sleeper")
	refuses "a PID that is no JVM" "$EXIT_NOT_A_JVM" 'JVM|Java' \
		"$standstill" record -p "$sleeper" -d 1 -o "$work/x.still"
	refuses "a word that is no PID" "$EXIT_USAGE" 'abc' "$standstill" record -p abc -d 1 -o "$work/x.still"
	refuses "no PID at all" "$EXIT_USAGE" '.' "$standstill" record -d 1 -o "$work/x.still"
	refuses "a length that is none" "$EXIT_USAGE" 'tomorrow' \
		"$standstill" record -p "$jvm" -d tomorrow -o "$work/x.still"
	end_process "$sleeper"
	forget "$sleeper"
}

refuse_rights() {
	local why open=$work/open drop=-bpf,-perfmon,-sys_admin

	chmod 755 "$work"
	mkdir -m 1777 "$open"
	refuses "another user" "$EXIT_NO_PERMISSION" 'CAP_|root|permi' \
		setpriv --reuid 65534 --regid 65534 --clear-groups "$standstill" record -p "$jvm" -d 1 -o "$open/x.still"
	refuses "root without the capabilities" "$EXIT_NO_PERMISSION" 'CAP_(BPF|PERFMON|SYS_ADMIN)' \
		setpriv --bounding-set=$drop --inh-caps=$drop \
		"$standstill" record -p "$jvm" -d 1 -o "$open/x.still"
	if why=$(why_no_own_place); then
		skip "a kernel without BTF" "$why"
		return
	fi
	refuses "a kernel without BTF" "$EXIT_NO_KERNEL" 'BTF' \
		"${in_own_mount[@]}" /sys/kernel/btf tmpfs size=4k "$standstill" record -p "$jvm" -d 1 -o "$open/x.still"
}

refuse_outputs() {
	local why

	refuses "a directory that is not there" "$EXIT_NO_OUTPUT" 'nowhere' \
		"$standstill" record -p "$jvm" -d 1 -o "$work/nowhere/x.still"
	refuses "a directory as the file" "$EXIT_NO_OUTPUT" 'irectory' \
		"$standstill" record -p "$jvm" -d 1 -o "$work"
	if why=$(why_no_own_place); then
		skip "a read-only directory" "$why"
		return
	fi
	refuses "a read-only directory" "$EXIT_NO_OUTPUT" 'read-only|Read-only' \
		"${in_own_mount[@]}" "$own_place" tmpfs ro "$standstill" record -p "$jvm" -d 1 -o "$own_place/x.still"
}

refuse_inputs() { # refuse_inputs RECORDING
	local command

	printf 'no recording at all\n' >"$work/text"
	: >"$work/empty"
	for command in pauses threads dump; do
		refuses "$command of a missing file" "$EXIT_NO_INPUT" 'missing' "$standstill" "$command" "$work/missing"
		refuses "$command of a text file" "$EXIT_NO_INPUT" 'text' "$standstill" "$command" "$work/text"
		refuses "$command of an empty file" "$EXIT_NO_INPUT" 'empty' "$standstill" "$command" "$work/empty"
	done
	refuses "a full standard output" "$EXIT_NO_OUTPUT" 'output' \
		bash -c '"$@" >/dev/full' bash "$standstill" dump "$1"
}

main() {
	local home

	home=$(jdk_first)
	start_jvm "$home" Serial 64m Allocate 300
	refuse_targets
	refuse_rights
	refuse_outputs
	recorder_killed "$home"
	refuse_inputs "$work/killed.still"
	disk_full
	stop_jvm
	target_exits "$home"
	target_execs
	finish
}

main
