#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Pages that must be read from the disk: a mapped file is dropped from the page cache, a thread touches it here and there. Its waits
# are page faults, and no pause. Where a cgroup can keep the JVM to 40 reads a second each read that misses the cache waits some 25 ms;
# else the disk may be so fast that the thread hardly ever leaves its CPU, and only the number of faults is checked.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/injected.sh"
source "$(dirname "$0")/cgroup.sh"

slow_reads() { # slow_reads FILE: of the JVM, from the disk that holds FILE
	if ! cgroup_make blkio || [[ ! -e $cgroup/blkio.throttle.read_iops_device ]]; then
		skip "cold page faults of known length" "no cgroup here can slow reads down: $cgroup"
		return 1
	fi
	printf '%s\n' "$jvm" >"$cgroup/cgroup.procs"
	stat --format='%Hd:%Ld 40' "$1" >"$cgroup/blkio.throttle.read_iops_device" 2>/dev/null
}

main() {
	local file=$work/faults.still cold=$work/cold home slow=0

	case $(stat --file-system --format=%T "$work") in
	tmpfs | ramfs | overlayfs)
		skip "cold page faults" "$work is on a file system that has no pages to read from a disk"
		finish
		return
		;;
	esac
	home=$(jdk_first)
	head --bytes=128M /dev/urandom >"$cold"
	sync "$cold"
	start_jvm "$home" Serial 64m ColdRead 6 "$cold"
	! slow_reads "$cold" || slow=1
	start_record "$file" -p "$jvm"
	dd if="$cold" iflag=nocache count=0 status=none # POSIX_FADV_DONTNEED for all of it
	sleep 3
	stop_record
	stop_jvm
	spans_of "$file" cold-reader >"$file.spans"
	judge "cold page faults" awk -f "$live/awk/csv.awk" -f "$live/awk/faults.awk" -v slow="$slow" \
		-v from_ns="$from_ns" -v to_ns="$to_ns" "$jvm_out" "$file.spans"
	judge "cold page faults, pauses" no_false_pauses "$file"
	finish
}

main
