#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The cgroup freezer of version 1 and 2, whichever is mounted: a busy thread is "frozen" for as long as it lasts, no pause. A write to
# that of version 1 may come back only after a tick of the scheduler or two, so that the truth is known to some 10 ms: longer there.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/injected.sh"
source "$(dirname "$0")/cgroup.sh"

freeze_one() { # freeze_one NAME CGROUP FILE ON OFF TIMES MS
	local file=$work/$3.still

	start_jvm "$(jdk_first)" Serial 64m Busy 60 1
	printf '%s\n' "$jvm" >"$2/cgroup.procs"
	undos+=("printf '%s\n' '$5' >'$2/$3' 2>/dev/null")
	start_record "$file" -p "$jvm"
	"$out/live/inject" write "$2/$3" "$4" "$5" "$6" "$7" 150 >"$file.times"
	sleep 0.2
	stop_record
	spans_of "$file" busy-0 >"$file.spans"
	judge "$1 $7 ms" injected "$file.times" "$file.spans" frozen
	judge "$1, pauses" no_false_pauses "$file"
	stop_jvm
}

main() {
	if cgroup_make freezer; then
		freeze_one "cgroup v1 freezer" "$cgroup" freezer.state FROZEN THAWED 6 2000
	else
		skip "cgroup v1 freezer" "$cgroup"
	fi
	if cgroup_make ''; then
		freeze_one "cgroup v2 freezer" "$cgroup" cgroup.freeze 1 0 5 200
	else
		skip "cgroup v2 freezer" "$cgroup"
	fi
	finish
}

main
