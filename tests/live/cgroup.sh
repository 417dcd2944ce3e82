#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Groups of their own for the tests, removed at the end; sourced after lib.sh.

cgroup_mount() { # cgroup_mount CONTROLLER: where version 1 has it; '' for version 2
	if [[ -n $1 ]]; then
		awk -v want="$1" '$3 == "cgroup" && ("," $4 ",") ~ ("," want ",") { print $2; exit }' /proc/mounts
	else
		awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts
	fi
}

# A process must leave before its group can be removed; the JVMs have ended by then, undos come after.
cgroup_remove() { # cgroup_remove DIRECTORY
	wait_until 5 rmdir "$1" 2>/dev/null
}

# cgroup_make CONTROLLER: sets cgroup to a new group's directory, or to the reason why there is none.
cgroup_make() {
	local mount

	mount=$(cgroup_mount "$1")
	cgroup="no cgroup hierarchy with ${1:-version 2} is mounted"
	[[ -n $mount ]] || return 1
	cgroup=$mount/standstill-test-$$
	if ! mkdir "$cgroup" 2>/dev/null; then
		cgroup="cannot make a group in $mount"
		return 1
	fi
	undos+=("cgroup_remove '$cgroup'")
}
