#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Requests seen at the socket of a real server = requests its client counts; none unmatched, no record lost.
#
#   tests/requests/matrix.sh check|verify      CELLS: a regular expression on "SERVER JDK CLIENT"; REQUESTS (2000) a cell
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

connections=4
requests=${REQUESTS:-2000}

# seen_of FILE: "seen=N whole=N cut=N unmatched=N", as the command says it
seen_of() {
	"$standstill" requests "$1" >"$work/requests" 2>"$work/requests.err" || return
	sed -nE 's/^requests: ([0-9]+) seen = ([0-9]+) whole \+ ([0-9]+) cut .* \+ ([0-9]+) unmatched.*/seen=\1 whole=\2 cut=\3 unmatched=\4/p' "$work/requests"
}

# The client counts those it had answered; of what is on the way at its end, each server may have seen all or nothing.
judge_cell() { # judge_cell NAME CLIENT
	local seen counted most whole

	seen=$(figure seen "$work/seen") whole=$(figure whole "$work/seen")
	counted=$(figure 'done' "$work/said")
	most=$(client_most "$2" "$work/said")
	if [[ -z $seen || -z $counted || $counted -eq 0 || $(figure failed "$work/said") != 0 ]]; then
		fail "$1" "the client says: $(<"$work/said"); standstill: $(<"$work/seen")$(head -n 1 "$work/requests.err")"
	elif ((seen < counted || seen > most || whole < counted)) || [[ $(figure unmatched "$work/seen") != 0 ]]; then
		fail "$1" "the client says: $(<"$work/said"), at most $most; standstill: $(<"$work/seen")"
	elif ! grep -q '^lost: nothing' "$work/requests"; then
		fail "$1" "$(grep '^lost:' "$work/requests")"
	else
		pass "$1" "$(<"$work/said"); $(<"$work/seen")"
	fi
}

why_not() { # why_not SERVER JDK-RELEASE CLIENT
	local missing

	missing=$(server_missing "$1" "$2")
	missing=${missing:-$(client_missing "$3")}
	if [[ -z $missing && $3 == pipelining ]] && ! "$standstill" record --help | grep -q -e --http; then
		missing='this standstill has no record --http, which tells pipelined requests apart'
	fi
	printf '%s' "$missing"
}

cell() { # cell SERVER JDK-HOME CLIENT
	local name missing options=()

	name="$1 $(jdk_release "$2") $3"
	[[ $name =~ ${CELLS:-.} ]] || return 0
	missing=$(why_not "$1" "$(jdk_release "$2")" "$3")
	if [[ -n $missing ]]; then
		skip "$name" "$missing"
		return
	fi
	[[ $3 != pipelining ]] || options=(--http)
	start_server "$1" "$2"
	start_record "$work/cell.still" -p "$server" "${options[@]}"
	client_run "$3" "$port" "$requests" "$connections" "$work/client" >"$work/said" || true
	sleep 0.2 # the last close
	stop_record
	stop_server
	seen_of "$work/cell.still" >"$work/seen" || true
	judge_cell "$name" "$3"
}

# Pairwise: every server, every client and every JDK is there, and each server meets three clients.
check_cells() { # check_cells HOME
	local home=$1 release name clients i=$2

	mapfile -t clients < <(client_names)
	release=$(jdk_release "$home")
	while read -r name <&4; do
		cell "$name" "$home" "${clients[i % ${#clients[@]}]}"
		i=$((i + 3))
	done 4< <(server_names)
}

verify_cells() { # verify_cells HOME
	local name client

	while read -r name <&4; do
		while read -r client <&5; do
			cell "$name" "$1" "$client"
		done 5< <(client_names)
	done 4< <(server_names)
}

main() {
	local home offset=0

	while read -r home <&3; do
		if [[ ${1:-check} == verify ]]; then
			verify_cells "$home"
		else
			check_cells "$home" "$offset"
			check_cells "$home" $((offset + 1))
		fi
		offset=$((offset + 2))
	done 3< <(jdk_homes)
	finish
}

main "$@"
