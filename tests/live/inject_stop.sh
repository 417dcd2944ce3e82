#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# SIGSTOP for 200 ms, sent from outside: a busy thread of the JVM is "stopped" for that long, and nothing of it is a pause.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/injected.sh"

stop_one() { # stop_one JDK-HOME SOURCE
	local release file name

	release=$(jdk_release "$1")
	file=$work/stop-$release-$2.still
	name="SIGSTOP 200 ms, JDK $release, $2"
	start_jvm "$1" Serial 64m Busy 60 1
	start_record "$file" -p "$jvm" --pause-source="$2"
	undos+=("kill -CONT $jvm 2>/dev/null")
	"$out/live/inject" stop "$jvm" "$(thread_called "$jvm" busy-0)" 5 200 150 >"$file.times"
	sleep 0.2
	stop_record
	spans_of "$file" busy-0 >"$file.spans"
	judge "$name" injected "$file.times" "$file.spans" stopped
	judge "$name, pauses" no_false_pauses "$file"
	stop_jvm
}

main() {
	local home why

	while read -r home <&3; do
		stop_one "$home" usdt
		if why=$(why_no_futex_source); then
			skip "SIGSTOP 200 ms, JDK $(jdk_release "$home"), futex" "$why"
		else
			stop_one "$home" futex
		fi
	done 3< <(jdk_homes)
	finish
}

main
