#!/bin/sh
# SPDX-License-Identifier: MIT
# Build folders: what ./quickstart and ./check do to those that exist. Runs build-aux/setup.sh on a small package.
command -v autoconf >/dev/null || exit 77
source=$(cd "${srcdir:-.}" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# expect TEXT COMMAND...: the command must succeed.
expect() {
	text=$1
	shift
	"$@" >"$work/log" 2>&1 && return
	echo "not so: $text"
	cat "$work/log"
	failed=1
}

prefix() {
	sed -n 's/^prefix = //p' "$1/Makefile"
}

mkdir -p "$work/package/build-aux" && cd "$work/package" || exit 1
cp "$source/build-aux/setup.sh" "$source/build-aux/install-sh" build-aux/ 2>/dev/null ||
	cp "$source/build-aux/setup.sh" build-aux/
cat >configure.ac <<'END'
AC_INIT([small], [1])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
printf 'prefix = @prefix@\nall: Makefile\n\t@echo made\nMakefile: config.status\n\t./config.status\nconfig.status:\n\texit 1\n' \
	>Makefile.in
autoconf || exit 1
for file in build-config.h.in build-aux/ltmain.sh build-aux/tap-driver.sh; do echo text >"$file"; done
. build-aux/setup.sh

expect "a new folder is configured" configure_folder build
expect "it can be used" make -C build
expect "the same options change nothing" configure_folder build
sleep 1
touch build/packages.installed
expect "a package that was installed leaves the folder usable" make -C build
expect "the folder is configured again for it" configure_folder build
expect "and is usable" make -C build
expect "once" test -z "$(find build/packages.installed -newer build/configured)"
expect "other options configure it again" configure_folder build --prefix=/opt/other
expect "with their value" test "$(prefix build)" = /opt/other

rm -rf build
mkdir build && (cd build && ../configure --prefix=/opt/mine) >"$work/log" 2>&1
expect "a folder configured by hand is taken" configure_folder build
expect "and keeps its prefix" test "$(prefix build)" = /opt/mine
touch build/packages.installed
expect "also after a package was installed" configure_folder build
expect "and its prefix then" test "$(prefix build)" = /opt/mine
configure_folder build --enable-werror >"$work/log" 2>&1 && {
	echo "a folder configured by hand is taken where options are needed"
	failed=1
}
expect "refused, it keeps its prefix" test "$(prefix build)" = /opt/mine
expect "and is usable" make -C build
exit $failed
