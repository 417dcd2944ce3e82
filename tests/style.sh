#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The habits a program can check: format, length of files and functions, licence lines, scripts that shellcheck
# has nothing to say about. One line a failure, and a summary "N passed, N failed, N skipped".
#
#   tests/style.sh                 all
#   tests/style.sh format scripts  only these
set -uo pipefail
cd "$(dirname "$0")/.." || exit

max_file_lines=400
max_function_lines=60
passed=0
failed=0
skipped=0
complaints=$(mktemp)
trap 'rm -f "$complaints"' EXIT

result() { # result 0|1 TEXT
	if [[ $1 -eq 0 ]]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAIL %s\n' "$2"
	fi
}

c_files() { # vmlinux/ keeps the kernel's own layout
	find user bpf tests tools -name '*.[ch]' | sort
}

script_files() {
	find .ci tools tests -type f ! -name '*.java' | sort | while read -r file; do
		head -n 1 "$file" | grep -q '^#!.*bash' && printf '%s\n' "$file"
	done
}

check_format() {
	local file

	if ! command -v clang-format >/dev/null; then
		printf 'SKIP format: there is no clang-format; tools/setup test installs it\n'
		skipped=$((skipped + 1))
		return
	fi
	# All at once is much faster; one by one only tells which.
	if c_files | xargs clang-format --dry-run -Werror 2>/dev/null; then
		passed=$((passed + $(c_files | wc -l)))
		return
	fi
	while read -r file; do
		clang-format --dry-run -Werror "$file" 2>/dev/null
		result $? "format: clang-format -i $file would change it"
	done < <(c_files)
}

# judge [-v NAME=VALUE] AWK: run it over the files named on stdin, with what they begin and end with in begin_file() and
# end_file(), which calls verdict(COMPLAINT), "" for none.
judge() {
	local program='
		function verdict(complaint) { print name "\t" complaint }
		FNR == 1 { if (name != "") end_file(); name = FILENAME; begin_file() }
		END { end_file() }
	'
	local name complaint

	while IFS=$'\t' read -r name complaint; do
		[[ -z $complaint ]]
		result $? "$name: $complaint"
	done < <(xargs awk "${@:1:$#-1}" "$program ${*: -1}")
}

# A function begins at a '{' in the first column and ends at a '}' there.
check_length() {
	judge -v max=$max_file_lines '
		function begin_file() { lines = 0 }
		function end_file() { verdict(lines > max ? "has " lines " lines, at most " max " are allowed" : "") }
		{ lines++ }
	' < <(c_files; script_files)
	judge -v max=$max_function_lines '
		function begin_file() { from = 0; found = "" }
		function end_file() { verdict(found == "" ? "" : "more than " max " lines in the function of line" found) }
		/^\{/ { from = FNR }
		/^\}/ && from { if (FNR - from - 1 > max) found = found " " from; from = 0 }
	' < <(c_files)
}

check_licence() {
	judge '
		function begin_file() { named = 0 }
		function end_file() { verdict(named ? "" : "its first lines do not name its licence") }
		FNR <= 3 && /SPDX-License-Identifier: BSD-2-Clause/ { named = 1 }
	' < <(c_files; script_files)
}

check_scripts() {
	local file

	if ! command -v shellcheck >/dev/null; then
		printf 'SKIP scripts: there is no shellcheck; tools/setup test installs it\n'
		skipped=$((skipped + 1))
		return
	fi
	# SC2016: awk programs stand in single quotes; SC2034: what a sourced file sets is used by who sources it
	script_files | xargs --max-procs="$(nproc)" -n 4 shellcheck --external-sources --source-path=SCRIPTDIR \
		--exclude=SC2016,SC2034 --format=gcc >"$complaints" 2>&1 || [[ -s $complaints ]]
	result $? "scripts: shellcheck failed and did not say why"
	cat "$complaints"
	while read -r file; do
		! grep -q "^$file:" "$complaints"
		result $? "scripts: shellcheck complains of $file"
	done < <(script_files)
}

[[ $# -gt 0 ]] || set -- format length licence scripts
for what in "$@"; do
	declare -F "check_$what" >/dev/null || {
		printf 'style.sh: there is no check %s\n' "$what" >&2
		exit 2
	}
	"check_$what"
done
printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
[[ $failed -eq 0 && $passed -gt 0 ]]
