#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What `make install` puts where, and that what it puts there runs from elsewhere: version, help, refusals.
#
#   tests/install.sh O      O: where `make` built
set -uo pipefail
cd "$(dirname "$0")/.." || exit

out=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
installed=$root/opt/standstill/bin/standstill
passed=0
failed=0

expect() { # expect WHAT GOT WANTED
	if [[ $2 == "$3" ]]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAIL %s: "%s", not "%s"\n' "$1" "$2" "$3"
	fi
}

run() { # run ARGUMENT...: sets code, text (what it printed), errors (what it complained of)
	text=$(cd / && "$installed" "$@" 2>"$root/errors" </dev/null)
	code=$?
	errors=$(<"$root/errors")
}

make --no-print-directory O="$out" DESTDIR="$root" PREFIX=/opt/standstill install >"$root/log" 2>&1 || cat "$root/log"
expect "the files installed" "$(find "$root/opt" -type f)" "$installed"
run --version
expect "the exit code of --version" "$code" 0
expect "the version" "$text" "standstill $(sed -n 's/^VERSION := //p' Makefile)"
run help
expect "the exit code of help" "$code" 0
for command in record pauses threads dump; do
	expect "help lists $command" "$(grep -c "^  $command  *[a-z]" <<<"$text")" 1
	run help "$command"
	expect "the exit code of help $command" "$code" 0
	expect "help $command names it" "$(head -n 1 <<<"$text" | grep -c "^Usage: standstill $command")" 1
	run "$command" --help
	expect "the exit code of $command --help" "$code" 0
	run "$command" --no-such-option
	expect "the exit code of $command with an option it has not" "$code" 2
	run help
done
run help exit-codes
expect "the exit code of help exit-codes" "$code" 0
expect "exit codes listed" "$(awk '{ printf "%s ", $1 }' <<<"$text")" "$(seq -s ' ' 0 12) "
run
expect "the exit code without a command" "$code" 2
run nonsense
expect "the exit code of a command there is not" "$code" 2
expect "what is said of it, in lines" "$(wc -l <<<"$errors")" 1
printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
[[ $failed -eq 0 ]]
