#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What the tests of injections share; sourced.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$(dirname "${BASH_SOURCE[0]}")/jdk.sh"
source "$(dirname "${BASH_SOURCE[0]}")/rights.sh"

live=$root/tests/live

# judge NAME COMMAND...: its output is the figures or the reason; status 77 where the truth is not known.
judge() {
	local name=$1 status=0 text

	shift
	text=$("$@" 2>&1) || status=$?
	case $status in
	0) pass "$name" "$text" ;;
	77) skip "$name" "the truth is not known: $text" ;;
	*) fail "$name" "$text" ;;
	esac
}

# spans_of FILE THREAD [OPTION...]
spans_of() {
	"$standstill" threads "$1" --spans --csv --thread "$2" "${@:3}"
}

injected() { # injected TIMES SPANS REASON
	awk -f "$live/awk/csv.awk" -f "$live/awk/injected.awk" -v reason="$3" "$1" "$2"
}

# Pauses found are the JVM's own, all of them and none more. no_false_pauses FILE
no_false_pauses() {
	local status=0 row

	"$standstill" pauses "$1" --csv >"$1.pauses"
	row=$("$out/live/agree" --counts --log "$jvm_log" --pauses "$1.pauses" --from "$from_ns" --to "$to_ns") || status=$?
	awk -F'|' '{ split($2, n, " "); printf "%d pauses logged, %d found, %d missed, %d invented", n[1], n[2], n[3], n[4] }' <<<"$row"
	[[ $status -eq 0 ]] || printf ':%s' "${row##*|}"
	return "$status"
}
