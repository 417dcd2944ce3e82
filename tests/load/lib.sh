#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What the load tests share; sourced, with $out set. Every process started here is ended by its pid.
# Sets: standstill, work (a directory for this run); after start_server: server (its pid), port.
# shellcheck disable=SC2034 # what is set here is for who sources it
set -uo pipefail

standstill=${out:?}/standstill
work=$(mktemp -d "$out/load.XXXXXX")
passed=0
failed=0
skipped=0
pids=()
server_prefix=() # words before the server's

pass() { # pass NAME [FIGURES]
	passed=$((passed + 1))
	printf 'PASS %s%s\n' "$1" "${2:+: $2}"
}

fail() { # fail NAME WHY
	failed=$((failed + 1))
	printf 'FAIL %s: %s\n' "$1" "$2"
}

expect() { # expect NAME GOT WANTED
	if [[ $2 == "$3" ]]; then
		pass "$1" "$2"
	else
		fail "$1" "$2, not $3"
	fi
}

expect_range() { # expect_range NAME GOT MIN MAX
	if [[ $2 =~ ^[0-9]+$ && $2 -ge $3 && $2 -le $4 ]]; then
		pass "$1" "$2"
	else
		fail "$1" "$2, not from $3 to $4"
	fi
}

end_process() { # end_process PID: ask, then insist
	local i

	kill -CONT "$1" 2>/dev/null
	kill -TERM "$1" 2>/dev/null || return 0
	for ((i = 0; i < 100; i++)); do
		kill -0 "$1" 2>/dev/null || break
		sleep 0.02
	done
	kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	return 0
}

tidy() {
	local pid

	for pid in "${pids[@]}"; do
		end_process "$pid"
	done
	[[ $failed -gt 0 ]] || rm -rf "$work"
}
trap tidy EXIT

start_server() { # start_server [OPTION...]
	local i

	rm -f "$work/port"
	"${server_prefix[@]}" "$out/load-server" --port-file "$work/port" --seconds 300 "$@" &
	server=$!
	pids+=("$server")
	for ((i = 0; i < 250; i++)); do
		[[ -s $work/port ]] && break
		sleep 0.02
	done
	port=$(cat "$work/port")
}

json() { # json FILE FILTER: a figure of the schedule FILE
	"$standstill" schedule "$1" --json 2>/dev/null | jq -r "$2"
}

finish() { # the summary; the status of the whole script
	printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
	[[ $failed -eq 0 && $passed -gt 0 ]]
}
