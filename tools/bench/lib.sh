#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What the benchmarks and the soak test share: a load to record, a recorder, and numbers out of both. Sourced; needs
# out (where `make` built), files (a folder for what is made) and an EXIT trap that calls end_started.

: "${out:?}" "${files:?}"
started=()
result= # of load_run
export result

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

end_started() {
	local pid
	for pid in "${started[@]}"; do
		kill -9 "$pid" 2>/dev/null || true
	done
	wait 2>/dev/null || true
}

find_libjvm() {
	local java
	java=$(readlink -f "$(command -v java)") || return 1
	local file=${java%/bin/java}/lib/server/libjvm.so
	[[ -e $file ]] && printf '%s\n' "$file"
}

# value NAME LINE: of "a=1 b=2"
value() {
	local word
	for word in $2; do
		if [[ $word == "$1="* ]]; then
			printf '%s\n' "${word#*=}"
			return
		fi
	done
	die "there is no $1 in: $2"
}

# load_start ARGUMENT...: the generator, waiting for load_run; sets load (its pid)
load_start() {
	coproc LOAD { exec "$out/switches" "$@" 2>"$files/load.err"; }
	# shellcheck disable=SC2153 # coproc sets LOAD_PID
	started+=("$LOAD_PID")
	exec {load_in}>&"${LOAD[1]}" {load_out}<&"${LOAD[0]}"
	read -r -t 20 -u "$load_out" _ load || die "the load did not start: $(cat "$files/load.err")"
}

# One run of the load; sets result, its line.
load_run() {
	printf 'go\n' >&"$load_in"
	read -r -t 180 -u "$load_out" result || die "the load gave no result: $(cat "$files/load.err")"
}

load_stop() {
	kill -9 "$load" 2>/dev/null || true
	wait "$load" 2>/dev/null || true
	exec {load_in}>&- {load_out}<&-
}

# record_start FILE ARGUMENT...: attach to the load and return once attached; sets recorder (its pid)
record_start() {
	local file=$1
	shift
	rm -f "$file" "$files/record.err"
	"$out/standstill" record -p "$load" -o "$file" "$@" 2>"$files/record.err" >/dev/null &
	recorder=$!
	started+=("$recorder")
	for _ in $(seq 100); do
		grep -q attached "$files/record.err" 2>/dev/null && return
		kill -0 "$recorder" 2>/dev/null || die "standstill record ended: $(cat "$files/record.err")"
		sleep 0.05
	done
	die "standstill record did not attach within 5 s"
}

record_stop() {
	kill -INT "$recorder"
	wait "$recorder" || die "standstill record failed with exit code $?: $(tail -n 3 "$files/record.err")"
}
