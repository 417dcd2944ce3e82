#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Who woke whom: LockSupport.park and a contended monitor, each with one thread that can be the waker and says when.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/injected.sh"

wakers_one() { # wakers_one JDK-HOME CLASS THREAD SCRIPT NAME
	local file name

	file=$work/$2-$(jdk_release "$1").still
	name="$5, JDK $(jdk_release "$1")"
	start_jvm "$1" Serial 64m "$2" 60 20
	start_record "$file" -p "$jvm"
	sleep 2
	stop_record
	stop_jvm
	spans_of "$file" "$3" >"$file.spans"
	judge "$name" awk -f "$live/awk/csv.awk" -f "$live/awk/$4" -v from_ns="$from_ns" -v to_ns="$to_ns" \
		"$jvm_out" "$file.spans"
	judge "$name, pauses" no_false_pauses "$file"
}

main() {
	local home

	while read -r home <&3; do
		wakers_one "$home" Park park-sleeper park.awk "park and its waker"
		wakers_one "$home" Monitor monitor-waiter monitor.awk "a contended monitor and its waker"
	done 3< <(jdk_homes)
	finish
}

main
