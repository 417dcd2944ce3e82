#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Golden recordings: what the commands print of records that are written down as text. A case is a directory under
# tests/golden/ with
#
#   records.txt    the records (user/recording/text.h), turned into a recording by mkrecording
#   schedule.csv   a schedule (docs/schedule.md); either of the two may be missing
#   args           a command a line: what stands behind `standstill`; FILE is the recording, SCHEDULE the schedule
#   expected.txt   what they print, one after the other, with their exit codes
#
#   tests/golden.sh OUT check [CASE...]    compare
#   tests/golden.sh OUT accept [CASE...]   write what is printed now; the diff is to be reviewed
set -uo pipefail
out=$(realpath "$1")
cd "$(dirname "$0")/golden" || exit
action=$2
shift 2
mkdir -p "$out/golden"
passed=0
failed=0

# No width of a terminal, no locale, no time zone, and no path that differs between machines.
run_case() { # run_case CASE RECORDING
	local line words

	while read -r line; do
		[[ -n $line && $line != \#* ]] || continue
		printf '$ standstill %s\n' "$line"
		line=${line//FILE/$2}
		read -ra words <<<"${line//SCHEDULE/${2%.still}.sched}"
		env -i "$out/standstill" "${words[@]}" 2>&1
		printf '[exit %d]\n\n' $?
	done <"$1/args"
}

judge() { # judge CASE ACTUAL
	if [[ $action == accept ]]; then
		cp "$2" "$1/expected.txt"
		passed=$((passed + 1))
	elif diff -u "$1/expected.txt" "$2"; then
		passed=$((passed + 1))
		printf 'PASS golden: %s\n' "$1"
	else
		failed=$((failed + 1))
		printf 'FAIL golden: %s\n' "$1"
	fi
}

[[ $# -gt 0 ]] || set -- */
for name in "$@"; do
	name=${name%/}
	recording=$out/golden/$name.still
	[[ ! -f $name/schedule.csv ]] || cp "$name/schedule.csv" "$out/golden/$name.sched"
	if [[ -f $name/records.txt ]] && ! "$out/mkrecording" "$name/records.txt" "$recording"; then
		failed=$((failed + 1))
		printf 'FAIL golden: %s/records.txt is no recording\n' "$name"
		continue
	fi
	(cd "$out/golden" && run_case "$OLDPWD/$name" "$name.still") >"$out/golden/$name.txt"
	judge "$name" "$out/golden/$name.txt"
done
printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
