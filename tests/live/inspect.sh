#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What is made of a JVM that nobody prepared, however it was started, against what its own JDK, its own tools and the kernel say.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/jdk.sh"
source "$(dirname "$0")/rights.sh"
source "$(dirname "$0")/home.sh"

facts=$work/facts

fact() { # fact KEY: of the last inspection
	sed -n "s/^$1=//p" "$facts"
}

has_vm_thread() { # has_vm_thread PID
	grep -qsx 'VM Thread' "/proc/$1"/task/*/comm
}

# start_plain HOME [FLAG...]: a JVM that makes pauses; sets jvm.
start_plain() {
	"$1/bin/java" "${@:2}" -Xmx64m -cp "$classes" SystemGc 60 >"$work/jvm.out" 2>&1 &
	jvm=$!
	pids+=("$jvm")
	wait_until 10 has_vm_thread "$jvm" || return 1
	sleep 0.7
}

inspect() { # inspect PID
	"$out/live/inspect" "$1" >"$facts" 2>&1 || true
}

problem='' # the first of the test at hand

expect() { # expect KEY VALUE
	if [[ -z $problem && $(fact "$1") != "$2" ]]; then
		problem="$1 is '$(fact "$1")', not '$2'"
	fi
}

conclude() { # conclude NAME
	if [[ -z $problem ]]; then
		pass "$1" "$(fact took_us) us"
	else
		fail "$1" "$problem"
	fi
	problem=''
}

property() { # property HOME NAME: a system property of that JDK
	"$1/bin/java" -Xmx32m -XshowSettings:properties -version 2>&1 | sed -n "s/^ *$2 = //p"
}

counter() { # counter HOME NAME: by the JVM itself, which stops nothing for it
	"$1/bin/jcmd" "$jvm" PerfCounter.print | sed -n "s/^$2=\"\{0,1\}\([^\"]*\)\"\{0,1\}$/\1/p"
}

expect_between() { # expect_between BEFORE AFTER: safepoints of the last inspection, which was made between those counts
	local ours

	ours=$(fact counters.safepoints)
	if [[ -z $1 || -z $ours || $ours -lt $1 || $ours -gt $2 || $ours -eq 0 ]]; then
		problem=${problem:-"safepoints are '$ours', between '$1' and '$2'"}
	fi
	expect counters.valid 0x3f
	# While a collection goes on its cause is the cause, and the last one is none; afterwards the reverse.
	if [[ $(printf '%s\n' "$(fact counters.cause)" "$(fact counters.last_cause)" | sort | tr '\n' '/') != 'No GC/System.gc()/' ]]; then
		problem=${problem:-"causes are '$(fact counters.cause)' and '$(fact counters.last_cause)'"}
	fi
}

# What the JVM counts between two of its own answers.
expect_counters() { # expect_counters HOME
	local before

	before=$(counter "$1" sun.rt.safepoints)
	inspect "$jvm"
	expect_between "$before" "$(counter "$1" sun.rt.safepoints)"
}

expect_identity() { # expect_identity HOME COLLECTOR
	expect jvm.version "$(property "$1" java.vm.version)"
	expect jvm.feature "$(jdk_release "$1")"
	expect jvm.vendor "$(property "$1" java.vm.vendor)"
	expect jvm.collector "$2"
	expect jvm.vm_thread "$(grep -lx 'VM Thread' "/proc/$jvm"/task/*/comm | cut -d / -f 5)"
	expect jvm.monotonic_offset_ns 0
}

# name of the collector in facts and flags
collectors() {
	printf '%s\n' 'Serial Serial' 'Parallel Parallel' 'G1 G1' 'Z ZGC' 'Shenandoah Shenandoah'
}

test_collectors() { # test_collectors HOME: with its counters, and without any
	local flag name release

	release=$(jdk_release "$1")
	while read -r flag name <&4; do
		jdk_has "$1" "$flag" || continue
		start_plain "$1" "-XX:+Use${flag}GC"
		expect_counters "$1"
		expect_identity "$1" "$name"
		expect jvm.version_source hsperfdata
		expect jvm.collector_source hsperfdata
		expect jvm.command "SystemGc 60"
		conclude "inspect $name $release"
		stop_jvm
		[[ -n ${LIVE_FULL-} || $flag == G1 ]] || continue # without counters, the rest only for make verify
		start_plain "$1" "-XX:+Use${flag}GC" -XX:-UsePerfData
		inspect "$jvm"
		expect_identity "$1" "$name"
		expect jvm.version_source vmstructs
		expect jvm.hsperfdata none
		expect counters 'No data available'
		expect jvm.command "SystemGc 60"
		conclude "inspect $name $release without counters"
		stop_jvm
	done 4< <(collectors)
}

test_private_counters() { # test_private_counters HOME: in memory, in no file; the truth is the log, a line for each that has ended
	local log before

	log=$work/safepoints-$(jdk_release "$1")
	start_plain "$1" -XX:+UseSerialGC -XX:+PerfDisableSharedMem "-Xlog:safepoint=info:file=$log:none:filecount=0"
	before=$(grep -c '^Safepoint' "$log")
	inspect "$jvm"
	expect_between "$before" $(($(grep -c '^Safepoint' "$log") + 1))
	expect jvm.hsperfdata 'in memory only'
	if ! grep -qF "Safepoint \"$(fact jvm.operation)\"" "$log"; then
		problem=${problem:-"the operation is '$(fact jvm.operation)', which the log does not have"}
	fi
	conclude "inspect $(jdk_release "$1") with its counters in memory only"
	stop_jvm
}

test_library() { # test_library HOME: probes and symbols, by another reader of the file; then without both, then without the file
	local copy locations

	copy=$work/jdk-$(jdk_release "$1")
	locations=$(readelf -n "$1/lib/server/libjvm.so" 2>/dev/null | grep -A 1 'Provider: hs_private$' | grep -c 'Name: safepoint__begin$' || true)
	start_plain "$1"
	inspect "$jvm"
	expect jvm.safepoint_begin_locations "$locations"
	if readelf -SW "$1/lib/server/libjvm.so" 2>/dev/null | grep -q ' \.symtab '; then
		expect jvm.symbols yes
		expect jvm.barrier yes
	else
		expect jvm.symbols no
	fi
	conclude "inspect $(jdk_release "$1"): probes and symbols as readelf has them"
	stop_jvm
	if ! command -v strip >/dev/null; then
		skip "inspect $(jdk_release "$1") stripped" "there is no strip (binutils)"
		return
	fi
	strip_jdk "$1" "$copy"
	start_plain "$copy"
	expect_counters "$copy"
	expect_identity "$copy" "$(fact jvm.collector)"
	expect jvm.symbols no
	expect jvm.usdt_locations 0
	expect jvm.operations_named 0
	conclude "inspect $(jdk_release "$1") stripped"
	rm "$copy/lib/server/libjvm.so"
	expect_counters "$copy"
	expect jvm.libjvm_file "/proc/$jvm/map_files/$(fact jvm.libjvm_file | sed 's/.*map_files.//')"
	conclude "inspect $(jdk_release "$1") after libjvm.so was deleted"
	stop_jvm
	rm -rf "$copy"
}

# Only ps --ppid or the kernel know the JVM behind an unshare that forks.
child_of() { # child_of PID
	{ tr -d ' ' <"/proc/$1/task/$1/children"; } 2>/dev/null || true
}

has_child() { # has_child PID
	[[ -n $(child_of "$1") ]] && has_vm_thread "$(child_of "$1")"
}

test_namespaces() { # test_namespaces HOME: as in a container, its clock started elsewhere
	local outer why

	if why=$(why_no_namespaces -T --monotonic 5 --pid --fork --mount-proc); then
		skip "inspect $(jdk_release "$1") in namespaces" "$why"
		return
	fi
	unshare -T --monotonic 100000 --pid --fork --kill-child --mount-proc "$1/bin/java" -XX:+UseSerialGC -Xmx64m \
		-cp "$classes" SystemGc 60 >"$work/jvm.out" 2>&1 &
	outer=$!
	pids+=("$outer")
	wait_until 10 has_child "$outer"
	sleep 0.7
	jvm=$(child_of "$outer")
	inspect "$jvm"
	expect jvm.pid_in_namespace 1
	expect jvm.monotonic_offset_ns 100000000000000
	expect jvm.version_source hsperfdata
	expect jvm.collector Serial
	expect counters.valid 0x3f
	conclude "inspect $(jdk_release "$1") in namespaces of its own"
	kill -KILL "$jvm" 2>/dev/null || true
	wait "$outer" 2>/dev/null || true
	forget "$outer"
}

# The dynamic linker maps a library of that name that is none of a JVM, then one that is no library.
test_others() {
	LD_PRELOAD=$work/libjvm.so sleep 30 &
	pids+=($!)
	sleep 0.2
	inspect $!
	expect error 'Operation not supported'
	conclude "inspect: a libjvm.so of no HotSpot"
	inspect $$
	expect error 'Exec format error'
	conclude "inspect: no JVM"
	inspect 4194305
	expect error 'No such process'
	conclude "inspect: no process"
}

test_permission() { # test_permission HOME
	if ! command -v setpriv >/dev/null; then
		skip "inspect: no permission" "there is no setpriv (util-linux)"
		return
	fi
	start_plain "$1"
	cp "$out/live/inspect" "$work/inspect"
	chmod 755 "$work" "$work/inspect"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$work/inspect" "$jvm" >"$facts" 2>&1 || true
	expect error 'Permission denied'
	conclude "inspect: no permission"
	stop_jvm
}

main() {
	local home

	cp -L "$(ldd "$out/live/inspect" | awk '/libelf/ { print $3; exit }')" "$work/libjvm.so"
	while read -r home <&3; do
		test_collectors "$home"
		test_private_counters "$home"
		test_library "$home"
		test_namespaces "$home"
	done 3< <(jdk_homes)
	test_others
	test_permission "$(jdk_first)"
	finish
}

main
