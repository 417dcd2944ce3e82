#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Nothing is recorded here: what each client says it had answered is what each server says it answered. Were it not, counting requests at the
# socket could be held against neither.
#
#   CELLS='nio 25' tests/requests/servers_self.sh [REQUESTS]
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

connections=4

compare() { # compare NAME CLIENT
	local answered done_ most

	answered=$(server_timer request count)
	done_=$(figure 'done' "$work/said")
	most=$(client_most "$2" "$work/said")
	if [[ $(figure failed "$work/said") != 0 || $done_ -eq 0 ]]; then
		fail "$1" "the client says: $(<"$work/said")"
	elif ((answered < done_ || answered > most)); then
		fail "$1" "the server answered $answered; the client says: $(<"$work/said")"
	else
		pass "$1" "answered=$answered $(<"$work/said")"
	fi
}

pair() { # pair SERVER JDK-HOME CLIENT REQUESTS
	local what missing

	what="$1 $(jdk_release "$2") $3"
	[[ $what =~ ${CELLS:-.} ]] || return 0
	missing=$(server_missing "$1" "$(jdk_release "$2")")
	missing=${missing:-$(client_missing "$3")}
	if [[ -n $missing ]]; then
		skip "$what" "$missing"
		return
	fi
	start_server "$1" "$2"
	if ! client_run "$3" "$port" "$4" "$connections" "$work/client" >"$work/said"; then
		fail "$what" "the client failed: $(tail -n 2 "$work/client" | tr '\n' ' ')"
		stop_server
		return
	fi
	stop_server
	compare "$what" "$3"
}

main() {
	local name home client

	while read -r home <&3; do
		while read -r name <&4; do
			while read -r client <&5; do
				pair "$name" "$home" "$client" "${1:-1000}"
			done 5< <(client_names)
		done 4< <(server_names)
	done 3< <(jdk_homes)
	finish
}

main "$@"
