#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The clients: how each is run, and how many requests it says were answered. Sourced, it gives its functions; by itself it prints the table:
#
#   tests/requests/clients.sh
#
# client_run NAME PORT REQUESTS CONNECTIONS FILE runs one against http://127.0.0.1:PORT/ and prints
#
#   sent=N done=N failed=N connections=N
#
# sent: what it began, "-" where it does not say; done: answered and counted; connections: how many it keeps open at once. What it said is in
# FILE. Two clients forget what is on the way at their end, when they close their connections; client_most says how many requests the
# server may have seen at most:
# - wrk, which is given a time (REQUESTS / 10000 s, at least 1): one more a connection than it counts;
# - autocannon with pipelining: each connection is closed as soon as the last request was sent and any answer has come. It counts what it sent.

client_npm=${O:-build}/requests/npm # where autocannon goes
client_root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# name | command | package | what it is given
client_table='
load       | standstill |               | open loop, 4 connections
hey        | hey        | hey           | closed loop
h2load     | h2load     | nghttp2-client| closed loop, HTTP/1.1
ab         | ab         | apache2-utils | closed loop, HTTP/1.0, a connection a request
ab-k       | ab         | apache2-utils | closed loop, HTTP/1.0, keep-alive
wrk        | wrk        | wrk           | closed loop, by time
autocannon | autocannon | npm registry  | closed loop
pipelining | autocannon | npm registry  | 4 requests at once on a connection
'

client_names() { awk -F'|' 'NF > 1 { gsub(/ /, "", $1); print $1 }' <<<"$client_table"; }

client_field() { # client_field NAME COLUMN
	awk -F'|' -v name="$1" -v column="$2" '
		{ at = $1; gsub(/ /, "", at) }
		at == name { gsub(/^ +| +$/, "", $column); print $column }
	' <<<"$client_table"
}

# client_missing NAME: why it cannot be run, or nothing. Installs autocannon, which Debian has not, as its lock file says.
client_missing() {
	case $(client_field "$1" 2) in
	standstill) ;;
	autocannon) install_autocannon || printf 'autocannon could not be had from the npm registry' ;;
	*) command -v "$(client_field "$1" 2)" >/dev/null || printf 'there is no %s; tools/setup requests installs it' "$(client_field "$1" 2)" ;;
	esac
}

install_autocannon() {
	[[ -x $client_npm/node_modules/.bin/autocannon ]] && return
	command -v npm >/dev/null || return
	mkdir -p "$client_npm"
	cp "$client_root/npm/package.json" "$client_root/npm/package-lock.json" "$client_npm/"
	(cd "$client_npm" && timeout 60 npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) >"$client_npm/log" 2>&1
}

client_version() {
	case $1 in
	load) "${standstill:-standstill}" --version 2>/dev/null | head -n 1 ;;
	autocannon | pipelining) jq -r '.version | "autocannon " + .' "$client_npm/node_modules/autocannon/package.json" 2>/dev/null ;;
	*) dpkg-query --show --showformat='${Package} ${Version}\n' "$(client_field "$1" 3)" 2>/dev/null ;;
	esac
}

# first_number PATTERN FILE: the first number of the first line that has it; 0 where there is none.
first_number() {
	awk -v pattern="$1" '$0 ~ pattern { for (i = 1; i <= NF; i++) if ($i + 0 == $i || $i ~ /^[0-9]+,?$/) { print $i + 0; found = 1; exit } } END { if (!found) print 0 }' "$2"
}

said() { printf 'sent=%s done=%s failed=%s connections=%s\n' "$@"; } # SENT DONE FAILED CONNECTIONS

run_load() { # PORT REQUESTS CONNECTIONS FILE
	local rate=${CLIENT_RATE:-2000}

	"$standstill" load "http://127.0.0.1:$1/" -r "$rate" -d "$(($2 * 1000 / rate))ms" --connections "$3" --when-busy "${CLIENT_BUSY:-queue}" --max-connections 500 --quiet -o "$4.sched" >"$4" 2>&1 ||
		return
	"$standstill" schedule "$4.sched" --json >"$4.json" 2>>"$4"
	jq -r --arg n "$3" '"sent=\(.requests) done=\(.answered) failed=\(.unanswered) connections=\($n)"' "$4.json"
}

run_hey() {
	hey -n "$2" -c "$3" "http://127.0.0.1:$1/" >"$4" 2>&1 || return
	awk -v connections="$3" '
		/^Status code distribution/ { part = "answers" }
		/^Error distribution/ { part = "errors" }
		part == "answers" && $1 == "[200]" { good += $2 }
		part == "answers" && $1 ~ /^\[[0-9]+\]$/ && $1 != "[200]" { bad += $2 }
		part == "errors" && match($1, /^\[[0-9]+\]$/) { bad += substr($1, 2, length($1) - 2) }
		END { printf "sent=- done=%d failed=%d connections=%d\n", good, bad, connections }
	' "$4"
}

run_h2load() { # "requests: 100 total, 100 started, 100 done, 100 succeeded, 0 failed, 0 errored, 0 timeout"
	h2load --h1 -n "$2" -c "$3" "http://127.0.0.1:$1/" >"$4" 2>&1 || return
	awk -v connections="$3" '/^requests:/ {
		printf "sent=%d done=%d failed=%d connections=%d\n", $4, $8, $10, connections
	}' "$4" | sed 's/,//g'
}

run_any_ab() { # [-k] PORT REQUESTS CONNECTIONS FILE
	local keep=()

	if [[ $1 == -k ]]; then
		keep=(-k)
		shift
	fi
	ab -q "${keep[@]}" -n "$2" -c "$3" "http://127.0.0.1:$1/" >"$4" 2>&1 || return
	said - $(($(first_number '^Complete requests:' "$4") - $(first_number '^Failed requests:' "$4"))) "$(first_number '^Failed requests:' "$4")" "$3"
}

run_wrk() {
	local seconds=$(($2 / 10000))

	wrk -t 1 -c "$3" -d "$((seconds > 0 ? seconds : 1))s" -s "$client_root/wrk.lua" "http://127.0.0.1:$1/" >"$4" 2>&1 || return
	awk -v connections="$3" '/^counted/ { printf "sent=- done=%d failed=%d connections=%d\n", $2, $3, connections }' "$4"
}

run_any_autocannon() { # PIPELINING PORT REQUESTS CONNECTIONS FILE
	"$client_npm/node_modules/.bin/autocannon" --json --no-progress -p "$1" -a "$3" -c "$4" "http://127.0.0.1:$2/" >"$5" 2>"$5.err" || return
	jq -r '"sent=\(.requests.sent) done=\(."2xx") failed=\(.non2xx + .errors + .timeouts) connections=\(.connections)"' "$5"
}

client_run() { # client_run NAME PORT REQUESTS CONNECTIONS FILE
	local name=$1

	shift
	case $name in
	ab) run_any_ab "$@" ;;
	ab-k) run_any_ab -k "$@" ;;
	autocannon) run_any_autocannon 1 "$@" ;;
	pipelining) run_any_autocannon 4 "$@" ;;
	*) "run_$name" "$@" ;;
	esac
}

client_most() { # client_most NAME SAID
	local counted connections

	counted=$(grep -oE 'done=[0-9]+' "$2")
	connections=$(grep -oE 'connections=[0-9]+' "$2")
	case $1 in
	wrk) printf '%d\n' $((${counted#*=} + ${connections#*=})) ;;
	pipelining) grep -oE 'sent=[0-9]+' "$2" | sed 's/.*=//' ;;
	*) printf '%d\n' "${counted#*=}" ;;
	esac
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
	set -euo pipefail
	while read -r name; do
		missing=$(client_missing "$name")
		printf '%-11s %-30s %-45s %s\n' "$name" "$(client_version "$name")" "$(client_field "$name" 4)" "${missing:+not here: $missing}"
	done < <(client_names)
fi
