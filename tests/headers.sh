#!/bin/sh
# SPDX-License-Identifier: MIT
# Each header compiles alone: public ones as strict C11 with nothing but the include folder, private
# ones as the library is compiled. What applications include is C++17 too.
src=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0

# alone HEADER COMPILER FLAG...: the first header of a file, twice.
alone() {
	header=$1
	shift
	printf '#include "%s"\n#include "%s"\n' "$header" "$header" >"$work/alone.c"
	if ! "$@" -Wall -Wextra -Werror -I"$src/include" -fsyntax-only "$work/alone.c" \
		>"$work/out" 2>&1; then
		echo "$header does not compile alone with: $*"
		cat "$work/out"
		status=1
	fi
}

# Is this header of a library that is not installed?
missing() {
	case $1 in
	*opencl*) [ $opencl = no ] ;;
	*) false ;;
	esac
}

# Compilers and flags are lists of words.
# shellcheck disable=SC2086
if echo '#include <CL/cl.h>' | ${CC:-cc} -DCL_TARGET_OPENCL_VERSION=120 -fsyntax-only -x c - 2>/dev/null; then
	opencl=yes
else
	opencl=no
	echo "no CL/cl.h: headers for OpenCL are not checked"
fi
# shellcheck disable=SC2086
for header in $(cd "$src/include" && find . -name '*.h'); do
	missing "$header" || alone "${header#./}" ${CC:-cc} -std=c11 -pedantic
done
# shellcheck disable=SC2086
for header in $(cd "$src/src" && find . -name '*.h'); do
	missing "$header" || alone "${header#./}" ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -I"$src/src" $HWLOC_CFLAGS
done
# shellcheck disable=SC2086
if [ -n "$CXX" ] && command -v "${CXX%% *}" >/dev/null; then
	alone xylem.h $CXX -x c++ -std=c++17
	missing xylem/opencl.h || alone xylem/opencl.h $CXX -x c++ -std=c++17
else
	echo "no C++ compiler: C++ is not checked"
fi
exit $status
