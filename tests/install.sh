#!/bin/sh
# SPDX-License-Identifier: MIT
# `make install` puts everything in place and says the same version everywhere; the manual knows
# every command and variable; `make uninstall` leaves nothing behind.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS
status=0

fail() {
	echo "FAILED: $*" >&2
	status=1
}

# made TARGET: make it, into the work folder.
made() {
	${MAKE:-make} -s "$1" DESTDIR="$work/root" >"$work/log" 2>&1 || {
		cat "$work/log"
		exit 1
	}
}

# installed NAME: the path of the one file of this name.
installed() {
	find "$work/root" -name "$1" | grep . || fail "$1 is not installed"
}

made install
library=$(installed libxylem.so.0)
tool=$(installed xylem | grep '/bin/')
manual=$(installed xylem.1)
version=$(sed -n 's/^Version: //p' "$(installed xylem.pc)")
readelf -d "$library" | grep -q 'SONAME.*\[libxylem\.so\.0\]' || fail "the soname is not libxylem.so.0"
for header in "${srcdir:-.}"/include/xylem.h "${srcdir:-.}"/include/xylem/*.h; do
	cmp -s "$header" "$(installed "$(basename "$header")")" || fail "$header is not installed"
done

LD_LIBRARY_PATH=${library%/*}
export LD_LIBRARY_PATH
[ "$("$tool" --version)" = "xylem $version" ] || fail "xylem.pc says $version, but xylem --version $("$tool" --version)"
commands=$("$tool" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
variables=$("$tool" env | sed -n 's/^\([A-Z][A-Z0-9_]*\) .*/\1/p')
[ -n "$commands" ] && [ -n "$variables" ] || fail "xylem --help and xylem env list nothing"
for word in $commands $variables; do
	grep -q "^\.BR\{0,1\} $word\( \|\$\)" "$manual" || fail "$word is not in the manual"
done

made uninstall
left=$(find "$work/root" -type f -o -type l)
[ -z "$left" ] || fail "left behind by make uninstall: $left"
exit $status
