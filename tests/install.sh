#!/bin/sh
# SPDX-License-Identifier: MIT
# `make install` puts everything in place with one version everywhere; the manual has every command and
# variable; installed pages link to and name only installed files; `make uninstall` leaves nothing behind.
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
# A component built with these flags takes part in the checks of a debug library.
sed -n 's/^Cflags: //p' "$(installed xylem.pc)" | grep -qe "$(sed -n 's/^XY_DEBUG_FLAGS = //p' Makefile)" ||
	fail "xylem.pc lacks the flag of the debug build"
readelf -d "$library" | grep -q 'SONAME.*\[libxylem\.so\.0\]' || fail "the soname is not libxylem.so.0"
readelf -d "$(installed libxylem-farm.so.0)" | grep -q 'SONAME.*\[libxylem-farm\.so\.0\]' ||
	fail "the soname is not libxylem-farm.so.0"
[ "$(sed -n 's/^Version: //p' "$(installed xylem-farm.pc)")" = "$version" ] || fail "xylem-farm.pc has another version"
installed xylem_farm.py >"$work/python"
for header in "${srcdir:-.}"/include/xylem.h "${srcdir:-.}"/include/xylem/*.h; do
	cmp -s "$header" "$(installed "$(basename "$header")" | grep "/include/${header##*/include/}\$")" ||
		fail "$header is not installed"
done

LD_LIBRARY_PATH=${library%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
[ "$("$tool" --version)" = "xylem $version" ] || fail "xylem.pc says $version, but xylem --version $("$tool" --version)"
commands=$("$tool" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
variables=$("$tool" env | sed -n 's/^\([A-Z][A-Z0-9_]*\) .*/\1/p')
[ -n "$commands" ] && [ -n "$variables" ] || fail "xylem --help and xylem env list nothing"
for word in $commands $variables; do
	grep -q "^\.BR\{0,1\} $word\( \|\$\)" "$manual" || fail "$word is not in the manual"
done

# Pages: every link, and every example and graph that they name. Paths of src, tests and bench, and the
# scripts that test examples, are those of the source tree.
doc=$(dirname "$(installed CONTRIBUTING.md)")
(cd "$doc" && find . -name '*.md') >"$work/pages"
[ -s "$work/pages" ] || fail "no page is installed"
while read -r page; do
	folder=$doc/$(dirname "$page")
	for link in $(grep -oE '\]\([^)#]+' "$doc/$page" | sed 's/^](//' | grep -v '^https\{0,1\}:'); do
		[ -e "$folder/$link" ] || fail "$page links to $link, which is not installed"
	done
	# shellcheck disable=SC2016
	for path in $(grep -oE '`(doc/)?(examples|graphs)/[A-Za-z0-9_./-]*`' "$doc/$page" | tr -d '`' | grep -v '/test-'); do
		find "$work/root" -path "*/share/*/$path" | grep -q . || fail "$page names $path, which is not installed"
	done
done <"$work/pages"

# A program written for StarPU, with the command that doc/coming-from-starpu.md names; StarPU itself is not shadowed.
pc=$(dirname "$(installed starpu-1.4.pc)")
[ -z "$(find "$work/root" -name 'starpu*.pc' -path '*/lib/pkgconfig/*')" ] || fail "a real StarPU is shadowed"
for minor in 2 3 4; do
	flags=$(PKG_CONFIG_PATH=$pc pkg-config --define-variable=prefix="${pc%/lib/xylem/starpu/pkgconfig}" --cflags --libs \
		starpu-1.$minor) || fail "pkg-config does not know starpu-1.$minor"
	# Flags and compilers are lists of words.
	# shellcheck disable=SC2086
	for cc in "${CC:-cc} vector_scal.c" "g++ -std=c++14 cxx.cpp" "clang++ -std=c++14 cxx.cpp"; do
		command -v "${cc%% *}" >/dev/null && [ -z "$XY_SANITIZER_FLAGS" ] || continue
		${cc% *} -Wall -Wextra -Werror "${srcdir:-.}/compat/starpu/tests/${cc##* }" $flags -o "$work/program" ||
			fail "with $cc and starpu-1.$minor"
		timeout 120 "$work/program" >"$work/log" 2>&1 || fail "a program for StarPU with $cc: $(cat "$work/log")"
	done
done
"$tool" env --starpu | grep -q 'dmdas .*tree-dmdas' || fail "xylem env --starpu does not list dmdas"

made uninstall
left=$(find "$work/root" -type f -o -type l)
[ -z "$left" ] || fail "left behind by make uninstall: $left"
exit $status
