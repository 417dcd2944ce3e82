#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# JDKs of our own making, to change or take away what one is made of; sourced after lib.sh.

# A JDK in DIRECTORY that shares all with HOME but the launcher and libjvm.so, of which it has copies.
copy_jdk() { # copy_jdk HOME DIRECTORY
	local real

	real=$(realpath "$1")
	cp -rs "$real" "$2"
	cp --remove-destination "$real/bin/java" "$2/bin/java"
	cp --remove-destination "$real/lib/libjli.so" "$2/lib/libjli.so"
	cp --remove-destination "$real/lib/server/libjvm.so" "$2/lib/server/libjvm.so"
	cp -L --remove-destination "$real/release" "$2/release"
}

# The same without symbols and probes, as some packagers ship it.
strip_jdk() { # strip_jdk HOME DIRECTORY
	copy_jdk "$1" "$2"
	strip -s -R .note.stapsdt "$2/lib/server/libjvm.so"
}
