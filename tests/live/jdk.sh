#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The JDKs of this machine that the live tests use: one of each feature release from 13 on in /usr/lib/jvm and JAVA_HOME, and every one
# listed in STANDSTILL_JDKS (separated by colons). Run by itself it prints a table; sourced, it gives its functions.
#
#   tests/live/jdk.sh             print what is used
#   tests/live/jdk.sh --javac     print the path of a compiler for the test programs (17 or later)

jdk_release() { # jdk_release HOME: 17, 25, ...
	local version

	version=$(sed -n 's/^JAVA_VERSION="\(.*\)"$/\1/p' "$1/release" 2>/dev/null)
	printf '%s\n' "${version%%.*}"
}

jdk_candidates() { # homes, the most wanted first
	tr ':' '\n' <<<"${STANDSTILL_JDKS:-}"
	printf '%s\n' /usr/lib/jvm/* "${JAVA_HOME:-}"
}

# Homes in use, one a line.
jdk_homes() {
	local home release seen=' ' listed=":${STANDSTILL_JDKS:-}:"

	while read -r home; do
		[[ -n $home && -x $home/bin/java && ! -L $home ]] || continue
		release=$(jdk_release "$home")
		[[ $release =~ ^[0-9]+$ && $release -ge 13 ]] || continue
		[[ $seen != *" $release "* || $listed == *":$home:"* ]] || continue
		[[ $seen != *" $home "* ]] || continue
		seen+="$release $home "
		printf '%s\n' "$home"
	done < <(jdk_candidates)
}

jdk_first() { # any one
	local home

	read -r home < <(jdk_homes)
	printf '%s\n' "$home"
}

jdk_home() { # jdk_home RELEASE: its home, or nothing
	local home

	while read -r home; do
		if [[ $(jdk_release "$home") == "$1" ]]; then
			printf '%s\n' "$home"
			return
		fi
	done < <(jdk_homes)
}

jdk_has() { # jdk_has HOME COLLECTOR
	"$1/bin/java" "-XX:+Use$2GC" -Xmx64m -version >/dev/null 2>&1
}

jdk_javac() {
	local home

	while read -r home; do
		if [[ -x $home/bin/javac && $(jdk_release "$home") -ge 17 ]]; then
			printf '%s\n' "$home/bin/javac"
			return
		fi
	done < <(jdk_homes)
	return 1
}

jdk_table() {
	local home collector collectors

	while read -r home; do
		collectors=''
		for collector in Serial Parallel G1 Z Shenandoah; do
			if jdk_has "$home" "$collector"; then collectors+=" $collector"; fi
		done
		printf 'JDK %-3s %s:%s\n' "$(jdk_release "$home")" "$home" "$collectors"
	done < <(jdk_homes)
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
	set -euo pipefail
	if [[ ${1:-} == --javac ]]; then
		jdk_javac
	else
		jdk_table
	fi
fi
