#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The servers under test: what each needs and how it is started. Sourced, it gives its functions; by itself:
#
#   tests/requests/servers.sh                  print the table: versions, and what is missing
#   tests/requests/servers.sh --compile DIR    compile those whose libraries are there
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/../live/jdk.sh"

requests_java=$(dirname "${BASH_SOURCE[0]}")/java

# name | class | from JDK | jars in /usr/share/java | flags
server_table='
jdk-pool    | JdkServer    | 17 |                                                                   | -Dsun.net.httpserver.nodelay=true
jdk-virtual | JdkServer    | 21 |                                                                   | -Dexecutor=virtual -Dsun.net.httpserver.nodelay=true
jdk-held    | JdkServer    | 17 |                                                                   |
nio         | NioServer    | 17 |                                                                   |
jetty9      | JettyServer  | 17 | jetty9-server jetty9-util jetty9-io jetty9-http servlet-api        | -Dorg.eclipse.jetty.util.log.announce=false
tomcat10    | TomcatServer | 17 | tomcat10-catalina tomcat10-coyote tomcat10-util tomcat10-util-scan tomcat10-juli tomcat10-servlet-api tomcat10-annotations-api tomcat10-jni tomcat10-jaspic-api tomcat10-api | -Djava.util.logging.config.file=/dev/null
netty       | NettyServer  | 17 | netty-all netty-codec-http netty-codec netty-handler netty-resolver netty-transport netty-buffer netty-common |
'

# server_field NAME COLUMN
server_field() {
	awk -F'|' -v name="$1" -v column="$2" '
		{ at = $1; gsub(/ /, "", at) }
		at == name { gsub(/^ +| +$/, "", $column); print $column }
	' <<<"$server_table"
}

server_names() { # all but the one that is meant to stall
	awk -F'|' 'NF > 1 { gsub(/ /, "", $1); if ($1 != "jdk-held") print $1 }' <<<"$server_table"
}

# server_jars NAME: its class path; fails, and says what, when a jar is not there.
server_jars() {
	local jar path=''

	for jar in $(server_field "$1" 4); do
		if [[ ! -r /usr/share/java/$jar.jar ]]; then
			printf '/usr/share/java/%s.jar is not there; tools/setup requests installs it\n' "$jar"
			return 1
		fi
		path+=:/usr/share/java/$jar.jar
	done
	printf '%s\n' "${path#:}"
}

# server_missing NAME JDK-RELEASE: why it cannot be run, or nothing.
server_missing() {
	local from

	from=$(server_field "$1" 3)
	if [[ $2 -lt $from ]]; then
		printf 'it needs JDK %s' "$from"
	elif ! server_jars "$1" >/dev/null; then
		server_jars "$1" || true
	fi
}

# The file of the JDBC driver, or nothing.
server_jdbc() {
	[[ ! -r /usr/share/java/postgresql.jar ]] || printf '/usr/share/java/postgresql.jar\n'
}

server_version() { # server_version NAME: the package it is from
	local jar package

	read -r jar _ <<<"$(server_field "$1" 4)"
	package=$(dpkg-query --search "/usr/share/java/${jar:-none}.jar" 2>/dev/null) || true
	if [[ -n $package ]]; then
		dpkg-query --show --showformat='${Package} ${Version}\n' "${package%%:*}"
	else
		printf 'of the JDK\n'
	fi
}

compile_servers() { # compile_servers DIR
	local class name classpath common

	mkdir -p "$1"
	common=("$requests_java"/{Work,Timer,Life,Database,Peer,StampedSockets,Http,Client}.java)
	"$(jdk_javac)" --release 17 -Xlint:all -Werror -d "$1" "${common[@]}"
	while read -r class; do
		name=$(awk -F'|' -v class="$class" '$2 ~ class { gsub(/ /, "", $1); print $1; exit }' <<<"$server_table")
		if ! classpath=$(server_jars "$name"); then
			printf 'not compiled: %s, for %s\n' "$class" "$classpath"
			continue
		fi
		# the libraries' own annotations are not all packaged
		"$(jdk_javac)" --release 17 -Xlint:all,-classfile,-path -d "$1" -cp "$1:$classpath" "$requests_java/$class.java"
	done < <(awk -F'|' 'NF > 1 { gsub(/ /, "", $2); print $2 }' <<<"$server_table" | sort -u)
}

print_servers() {
	local name home release missing

	while read -r name; do
		printf '%-12s %-40s' "$name" "$(server_version "$name")"
		while read -r home; do
			release=$(jdk_release "$home")
			missing=$(server_missing "$name" "$release")
			printf ' JDK %s: %s;' "$release" "${missing:-yes}"
		done < <(jdk_homes)
		printf '\n'
	done < <(server_names)
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
	set -euo pipefail
	if [[ ${1:-} == --compile ]]; then
		compile_servers "$2"
	else
		print_servers
	fi
fi
