#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Rights that not every machine gives to root: a chroot or a container may have no tracefs and no way to mount one. Each is tried, not
# guessed; where one is missing, the reason is printed for a SKIP line. What is mounted here is seen by one process and gone with it.
# Sourced after lib.sh.

# A file system for one command alone: "${in_own_mount[@]}" DIRECTORY TYPE OPTIONS COMMAND..., DIRECTORY below /sys. It is /sys that is
# made private, not /, which in a chroot is no mount point.
# shellcheck disable=SC2016 # the inner shell's words
in_own_mount=(unshare --mount --propagation unchanged bash -c
	'mount --make-rprivate /sys && mount -t "$2" -o "$3" "$2" "$1" && shift 3 && exec "$@"' bash)

own_place=/sys/firmware # a directory that every kernel has, and nobody here looks into

why_no_mount() { # why_no_mount DIRECTORY TYPE: fails, silently, when it can be mounted
	local why

	if why=$("${in_own_mount[@]}" "$1" "$2" rw true 2>&1); then
		return 1
	fi
	printf 'no %s can be mounted here: %s\n' "$2" "${why%%$'\n'*}"
}

why_no_own_place() { why_no_mount "$own_place" tmpfs; }

why_no_futex_source() { # it needs the tracepoints of system calls
	[[ ! -r /sys/kernel/tracing/events/syscalls/sys_exit_futex/id ]] || return 1
	[[ ! -r /sys/kernel/debug/tracing/events/syscalls/sys_exit_futex/id ]] || return 1
	why_no_mount /sys/kernel/tracing tracefs
}

# why_no_namespaces OPTION...: whether `unshare OPTION... COMMAND` can be had
why_no_namespaces() {
	local why

	if why=$(unshare "$@" true 2>&1); then
		return 1
	fi
	printf '%s\n' "${why%%$'\n'*}"
}

is_own_place_ready() { [[ $(stat --file-system --format=%T "/proc/$1/root$own_place" 2>/dev/null) == tmpfs ]]; }

# hold_own_place OPTIONS: a tmpfs that lives as long as the process holder; sets holder and place, its path for everybody.
hold_own_place() {
	"${in_own_mount[@]}" "$own_place" tmpfs "$1" sleep 120 &
	holder=$!
	pids+=("$holder")
	place=/proc/$holder/root$own_place
	wait_until 5 is_own_place_ready "$holder"
}
