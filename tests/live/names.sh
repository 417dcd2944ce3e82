#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Names of Java threads, read hundreds of times while the heap moves. The truth is what each thread says of itself, and for the JVM's own
# Java threads a thread dump taken afterwards. No name may be wrong, ever; and every thread must have been named.
#
#   tests/live/names.sh [SECONDS]    for each JDK and collector; NAMES_SECONDS or 1 s by default
#   LIVE_FULL=1 tests/live/names.sh  with other layouts of objects and a stripped JVM too
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/jdk.sh"
source "$(dirname "$0")/rights.sh"
source "$(dirname "$0")/home.sh"

seconds=${1:-${NAMES_SECONDS:-1}}

# 17 prints nid=0x1f, 25 nid=31. Names are in the JVM's own UTF-8, which jcmd cannot print beyond the BMP: left out.
dump_names() { # dump_names HOME: "tid TAB name"
	LC_ALL=C.UTF-8 "$1/bin/jcmd" -J-Dfile.encoding=UTF-8 -J-Dsun.stdout.encoding=UTF-8 -J-Dstdout.encoding=UTF-8 \
		"$jvm" Thread.print |
		sed -nE 's/^"(.*)" .*os_prio=.* nid=(0x[0-9a-f]+|[0-9]+) .*$/\2\t\1/p' |
		while IFS=$'\t' read -r nid name; do
			[[ $name == *\?* ]] || printf '%d\t%s\n' "$nid" "$name"
		done
}

# Of the pairs in $3: how many are wrong by $1 (or by $2 for threads not in there), and how many threads of $1 that stay have none.
judge() { # judge OWN DUMP READ: "WRONG MISSING FIRST-WRONG"
	awk -F '\t' '
		FILENAME == ARGV[1] { own[$1] = $2; truth[$1] = $2; next }
		FILENAME == ARGV[2] { if (!($1 in truth)) truth[$1] = $2; next }
		{ seen[$1] = 1 }
		($1 in truth) && $2 != truth[$1] { if (!wrong++) first = "thread " $1 " is " truth[$1] ", read as " $2 }
		END { for (tid in own) missing += !(tid in seen) && own[tid] !~ /passes by/; printf "%d %d %s\n", wrong, missing, first }
	' "$1" "$2" "$3"
}

cell() { # cell HOME COLLECTOR [FLAG...]
	local name wrong missing first truth=$work/truth

	name="names $2 $(jdk_release "$1")${3:+ ${*:3}}"
	if ! jdk_has "$1" "$2"; then
		skip "$name" "this JDK was built without that collector"
		return
	fi
	rm -f "$truth" "$truth.ready"
	jvm_user_flags=("${@:3}")
	start_jvm "$1" "$2" 256m Names "$truth"
	if ! wait_until 20 test -e "$truth.ready" || ! "$out/live/names" "$jvm" "$seconds" >"$work/read" 2>"$work/figures"; then
		fail "$name" "$(cat "$work/figures" "$jvm_out" 2>/dev/null | head -n 1)"
		stop_jvm
		return
	fi
	dump_names "$1" >"$work/dump"
	stop_jvm
	read -r wrong missing first < <(judge "$truth" "$work/dump" "$work/read")
	if [[ $wrong -ne 0 ]]; then
		fail "$name" "$wrong wrong: $first"
	elif [[ $missing -ne 0 ]]; then
		fail "$name" "$missing threads were never named, $(cat "$work/figures")"
	elif [[ $(wc -l <"$work/dump") -lt 30 ]]; then
		fail "$name" "the thread dump has $(wc -l <"$work/dump") names"
	else
		pass "$name" "$(cat "$work/figures")"
	fi
}

# Without .symtab the offsets of fields come from the classes themselves.
stripped() { # stripped HOME
	local copy

	copy=$work/jdk-$(jdk_release "$1")
	if ! command -v strip >/dev/null; then
		skip "names stripped $(jdk_release "$1")" "there is no strip (binutils)"
		return
	fi
	strip_jdk "$1" "$copy"
	printf -- '-- stripped\n'
	cell "$copy" G1
	rm -rf "$copy"
}

# Thread ids of a namespace as we see them: "THEIRS TAB OURS".
thread_ids() { # thread_ids PID
	awk '/^NSpid:/ { print $NF "\t" $2 }' "/proc/$1"/task/*/status 2>/dev/null
}

in_namespace() { # in_namespace HOME: the JVM has its own ids for its threads
	local outer name why truth=$work/truth wrong missing first

	name="names in a pid namespace $(jdk_release "$1")"
	if why=$(why_no_namespaces --pid --fork --mount-proc); then
		skip "$name" "$why"
		return
	fi
	rm -f "$truth" "$truth.ready"
	unshare --pid --fork --kill-child --mount-proc "$1/bin/java" -XX:+UseSerialGC -Xmx256m -cp "$classes" Names "$truth" \
		>"$work/namespace.out" 2>&1 &
	outer=$!
	pids+=("$outer")
	if ! wait_until 20 test -e "$truth.ready"; then
		fail "$name" "the JVM did not come up: $(head -n 1 "$work/namespace.out")"
		return
	fi
	jvm=$(tr -d ' ' <"/proc/$outer/task/$outer/children")
	"$out/live/names" "$jvm" "$seconds" >"$work/read" 2>"$work/figures" || true
	join -t $'\t' -o 1.2,2.2 <(thread_ids "$jvm" | sort) <(sort "$truth") | grep -v 'passes by' >"$work/translated"
	kill -KILL "$jvm" 2>/dev/null || true
	wait "$outer" 2>/dev/null || true
	forget "$outer"
	: >"$work/dump"
	read -r wrong missing first < <(judge "$work/translated" "$work/dump" "$work/read")
	if [[ $wrong -ne 0 || $missing -ne 0 || $(wc -l <"$work/translated") -lt 41 ]]; then
		fail "$name" "$wrong wrong, $missing missing of $(wc -l <"$work/translated"): $first"
	else
		pass "$name" "$(cat "$work/figures")"
	fi
}

layouts() { # layouts HOME: other ways to lay out an object
	cell "$1" Serial -XX:-UseCompressedOops
	cell "$1" G1 -XX:-UseCompressedClassPointers
	if "$1/bin/java" -XX:+UseCompactObjectHeaders -version >/dev/null 2>&1; then
		cell "$1" Parallel -XX:+UseCompactObjectHeaders
		cell "$1" Shenandoah -XX:+UseCompactObjectHeaders
	fi
	stripped "$1"
}

main() {
	local home collector

	while read -r home <&3; do
		for collector in Serial Parallel G1 Z Shenandoah; do
			cell "$home" "$collector"
		done
		in_namespace "$home"
		[[ -z ${LIVE_FULL-} ]] || layouts "$home"
	done 3< <(jdk_homes)
	finish
}

main
