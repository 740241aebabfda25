#!/bin/sh
# SPDX-License-Identifier: MIT
# What `make install` puts down is enough to build a program and a plug-in with one plain command each.
command -v pkg-config >/dev/null || exit 77
src=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
env -u MAKEFLAGS -u MFLAGS "${MAKE:-make}" -s install DESTDIR="$work/root" >"$work/log" 2>&1 || {
	cat "$work/log"
	exit 1
}
config=$(find "$work/root" -name xylem.pc)
[ -n "$config" ] || {
	echo "FAILED: no xylem.pc is installed"
	exit 1
}
PKG_CONFIG_PATH=$(dirname "$config")
PKG_CONFIG_SYSROOT_DIR=$work/root
PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS \
	LD_LIBRARY_PATH
cp "$src/examples/hello.c" "$src/examples/component/lifo.c" "$work" && cd "$work" || exit 99
set -ex
# shellcheck disable=SC2046,SC2086
${CC:-cc} $XY_SANITIZER_FLAGS hello.c -o hello $(pkg-config --cflags --libs xylem)
# shellcheck disable=SC2046,SC2086
${CC:-cc} $XY_SANITIZER_FLAGS -shared -fPIC lifo.c -o lifo.so $(pkg-config --cflags --libs xylem)
[ "$(./hello)" = '2.5 5 7.5 10' ]
[ "$(XYLEM_PLUGINS=./lifo.so SCHED='lifo | eager | each worker { best-implementation }' ./hello)" = '2.5 5 7.5 10' ]
