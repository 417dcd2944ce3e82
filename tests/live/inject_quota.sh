#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# A CPU quota of 20 ms in 100 ms. A busy thread's throttled time adds up to what the kernel's cpu.stat says; none of it is a pause. With
# Serial, whose collections run in one thread under the same quota, a pause's own throttled share is shown as such.
#
# The quota is set after the recording began and taken away before it ends, so no throttled time is cut off at an edge. The JVM
# is kept on one CPU: cpu.stat adds up over CPUs, and a thread is throttled on one at a time.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/injected.sh"
source "$(dirname "$0")/cgroup.sh"

set_quota() { # set_quota ON|OFF
	if [[ -e $cgroup/cpu.max ]]; then
		[[ $1 == ON ]] && echo "20000 100000" >"$cgroup/cpu.max" || echo "max 100000" >"$cgroup/cpu.max"
	else
		echo 100000 >"$cgroup/cpu.cfs_period_us"
		[[ $1 == ON ]] && echo 20000 >"$cgroup/cpu.cfs_quota_us" || echo -1 >"$cgroup/cpu.cfs_quota_us"
	fi
}

throttled_ns() {
	awk '$1 == "throttled_time" { print $2 } $1 == "throttled_usec" { print $2 * 1000 }' "$cgroup/cpu.stat"
}

make_group() { # version 1, or a version 2 that has the cpu controller
	cgroup_make cpu && return
	cgroup_make '' || return
	[[ -e $cgroup/cpu.max ]] && return
	cgroup="no cgroup hierarchy has the cpu controller"
	return 1
}

# under_quota FILE SECONDS: record the JVM while the quota holds; sets truth_ns, what the kernel throttled meanwhile.
under_quota() {
	local before

	printf '%s\n' "$jvm" >"$cgroup/cgroup.procs"
	taskset -acp 0 "$jvm" >/dev/null
	before=$(throttled_ns)
	start_record "$1" -p "$jvm"
	set_quota ON
	sleep "$2"
	set_quota OFF
	sleep 0.3
	truth_ns=$(($(throttled_ns) - before))
	stop_record
}

busy() {
	local file

	file=$work/busy-$(jdk_release "$1").still
	start_jvm "$1" Serial 64m Busy 60 1
	under_quota "$file" 4
	spans_of "$file" busy-0 >"$file.spans"
	judge "CPU quota 20/100 ms, a busy thread, JDK $(jdk_release "$1")" awk -f "$live/awk/csv.awk" -f "$live/awk/quota.awk" \
		-v truth_ns="$truth_ns" "$file.spans"
	judge "CPU quota, JDK $(jdk_release "$1"), pauses" no_false_pauses "$file"
	stop_jvm
}

serial() {
	local file

	file=$work/serial-$(jdk_release "$1").still
	start_jvm "$1" Serial 64m Allocate 60 2 4000
	under_quota "$file" 5
	judge "Serial under the quota, JDK $(jdk_release "$1"), pauses" no_false_pauses "$file" # writes the table of pauses
	spans_of "$file" "VM Thread" >"$file.spans"
	judge "Serial under the quota, JDK $(jdk_release "$1"), the pauses' throttled share" awk -f "$live/awk/csv.awk" \
		-f "$live/awk/throttled_pauses.awk" "$file.pauses" "$file.spans"
	stop_jvm
}

main() {
	local home

	if ! make_group; then
		skip "CPU quota" "$cgroup"
		finish
		return
	fi
	while read -r home <&3; do
		busy "$home"
		serial "$home"
	done 3< <(jdk_homes)
	finish
}

main
