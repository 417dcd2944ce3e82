#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Every test of requests at the socket, one after the other: they measure, and would spoil each other's times.
#
#   tests/requests/all.sh check|verify
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

suite=${1:-check}

run_script() { # run_script NAME [ARGUMENT...]: add its results to ours
	local line

	printf -- '-- %s\n' "$*"
	"$root/tests/requests/$1" "${@:2}" 2>&1 | tee "$work/script" | grep -vE '^[0-9]+ passed,' || true
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$work/script" | tail -n 1 || true)
	if [[ -z $line ]]; then
		fail "$1" "it did not come to its end"
		return
	fi
	# shellcheck disable=SC2086 # the line is words
	set -- $line
	passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
}

main() {
	run_script judge_self.sh
	if [[ $(id -u) -ne 0 ]]; then
		skip "requests" "only root may attach probes"
		finish
		return
	fi
	"$root/tests/requests/servers.sh"
	"$root/tests/requests/clients.sh"
	[[ $suite == check ]] || run_script servers_self.sh
	run_script capture.sh
	run_script stop.sh
	run_script matrix.sh "$suite"
	finish
}

main
