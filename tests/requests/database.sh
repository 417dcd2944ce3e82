#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# A database behind the server, PostgreSQL in a folder of its own: what a request waits for it, by the recording, against the stamps that
# the server takes around its socket calls. Queries of 20 ms within 1 %, short ones within 50 us.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

requests=50

database_missing() {
	compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || printf 'there is no PostgreSQL; tools/setup requests installs it'
	[[ -n $(server_jdbc) ]] || printf 'there is no JDBC driver; tools/setup requests installs it'
}

as_postgres() { setpriv --reuid postgres --regid postgres --init-groups --reset-env "$@"; }

# A cluster of its own, on a port of loopback that is free; sets db_port. Ended with us, by its own pid.
start_database() {
	local bin

	bin=$(compgen -G '/usr/lib/postgresql/*/bin' | tail -n 1)
	db_folder=$(as_postgres mktemp -d /tmp/standstill-postgres.XXXXXX)
	undos+=("rm -rf '$db_folder'")
	db_port=$((20000 + RANDOM % 10000))
	as_postgres "$bin/initdb" --no-sync --auth=trust --pgdata "$db_folder/data" >"$work/initdb" 2>&1 || return
	as_postgres "$bin/postgres" -D "$db_folder/data" -p "$db_port" -k "$db_folder" -c listen_addresses=127.0.0.1 -c fsync=off \
		>"$work/postgres" 2>&1 </dev/null &
	pids+=("$!")
	wait_until 20 grep -qs 'ready to accept connections' "$work/postgres"
}

# exchanges_of FILE: what the socket records say of the connection to the database: BEGIN LENGTH, from its first write to its last read
exchanges_of() {
	"$standstill" dump "$1" | awk -v port="remote_port=$db_port" '
		function value(name, i) { for (i = 4; i <= NF; i++) if (index($i, name "=") == 1) return substr($i, length(name) + 2); return 0 }
		function give() { if (end) printf "%.0f %.0f\n", begin, end - begin; begin = end = 0 }
		$2 == "conn_open" && index($0, port " ") { mine[value("conn")] = 1 }
		($2 == "write" || $2 == "read") && !(value("conn") in mine) { next }
		$2 == "write" { if (end) give(); if (!begin) begin = $1 - value("took_ns") }
		$2 == "read" && begin { end = $1 }
		END { give() }'
}

# causes_of FILE: ARRIVED RESPONSE DOWNSTREAM OTHER a request, OTHER its waits for a CPU and what it ran
causes_of() {
	"$standstill" report "$1" --csv | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			other = $at["run_queue_gc"] + $at["run_queue_own"] + $at["run_queue_others"] + $at["run_queue"] + $at["on_cpu"]
			print $at["arrived_ns"], $at["response_ns"], $at["downstream"], other
		}' | sort -n
}

# One client, one request after the other: the exchange that begins within a request is its own. pair REQUESTS EXCHANGES: both lines on one
pair() {
	awk 'NR == FNR { begin[NR] = $1; length_[NR] = $2; next }
		{ for (k in begin) if (begin[k] >= $1 && begin[k] < $1 + $2) printf "%s %.0f %.0f\n", $0, begin[k], length_[k] }' "$2" "$1"
}

run() { # run MS
	local name="a query of $1 ms"

	client_asks 20 "/db?ms=$1" # past connecting and preparing
	start_record "$work/db$1.still" -p "$server"
	client_asks "$requests" "/db?ms=$1"
	stop_record
	client_asks 1 "/db?ms=0" # the server says of an exchange when the next one begins
	rows_of "$work/db$1.still"
	expect_whole "$name" "$requests"
	expect "$name: calls downstream" "$(said_of .downstream_calls)" "$requests"
	expect "$name: calls to the database" "$(said_of ".downstream[] | select(.name | endswith(\":$db_port\")) | .response_ns.nr")" "$requests"
}

nth() { sort -n | sed -n "$1p"; } # nth N: of numbers, a line each

# The exchange by the records against the server's stamps, which lie outside the calls: never longer, and at the median shorter by LIMIT
# at most. Who runs between a stamp and its call is the machine's business: p90 and the most are printed.
judge_exchanges() { # judge_exchanges NAME PAIRS LIMIT-NS
	awk '{ print $8 - $6 }' "$2" >"$work/shorter"
	expect "$1: requests with one exchange by the stamps and by the records" "$(wc -l <"$2")" "$requests"
	expect_range "$1: stamps less records, the least, ns" "$(nth 1 <"$work/shorter")" 0 "$3"
	expect_range "$1: stamps less records, median, ns" "$(nth $((requests / 2)) <"$work/shorter")" 0 "$3"
	printf '%s: p90 %s ns, at most %s ns\n' "$1" "$(nth $((requests * 9 / 10)) <"$work/shorter")" "$(nth "$requests" <"$work/shorter")"
}

# What the report calls downstream is at most the exchange; with the thread's waits for a CPU, which are not the database's, it covers it.
judge_causes() { # judge_causes NAME PAIRS LIMIT-NS
	expect "$1: more downstream than exchange" "$(awk '$3 > $6 + 20000' "$2" | wc -l)" 0
	expect "$1: less downstream and CPU than exchange, by more than $3 ns" "$(awk -v limit="$3" '$3 + $4 < $6 - limit' "$2" | wc -l)" 0
	printf '%s: downstream %s ns, the exchange %s ns, by the stamps %s ns at the median\n' "$1" "$(awk '{ print $3 }' "$2" | nth $((requests / 2)))" \
		"$(awk '{ print $6 }' "$2" | nth $((requests / 2)))" "$(awk '{ print $8 }' "$2" | nth $((requests / 2)))"
}

judge() { # judge MS LIMIT-NS
	local file=$work/db$1.still

	causes_of "$file" >"$work/causes"
	exchanges_of "$file" >"$work/exchanges"
	awk '/^exchange/ { printf "%.0f %.0f\n", $3, $4 - $3 }' "$server_out" >"$work/stamps"
	pair "$work/causes" "$work/exchanges" >"$work/pairs"
	pair "$work/pairs" "$work/stamps" >"$work/pairs$1"
	judge_exchanges "a query of $1 ms" "$work/pairs$1" "$2"
	judge_causes "a query of $1 ms" "$work/pairs$1" "$2"
}

main() {
	local missing

	missing=$(database_missing)
	if [[ -n $missing ]]; then
		skip 'a database behind the server' "$missing"
		finish
		return
	fi
	start_database
	server_flags=("-Ddb=jdbc:postgresql://127.0.0.1:$db_port/postgres?user=postgres")
	start_server nio "$(jdk_first)"
	start_client 127.0.0.1 "$port" 1
	run 20
	run 0
	stop_client
	stop_server
	judge 20 200000
	judge 0 50000
	finish
}

main
