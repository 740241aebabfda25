#!/bin/sh
# SPDX-License-Identifier: MIT
# Each header compiles alone: public ones as strict C11 with nothing but the include folder, private
# ones as the library is compiled. Public ones are C++17 as well.
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
	*/mpi.h) true ;; # tests/mpi/ranks.sh compiles it, with the compiler of MPI
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
# Public headers are C++17, too, for every C++ compiler at hand.
compilers=
for cxx in "$CXX" g++ clang++; do
	command -v "${cxx##* }" >/dev/null && compilers="$compilers ${cxx##* }"
done
for cxx in $(printf '%s\n' $compilers | sort -u); do
	for header in $(cd "$src/include" && find . -name '*.h'); do
		missing "$header" || alone "${header#./}" "$cxx" -x c++ -std=c++17 -pedantic
	done
done
[ -n "$compilers" ] || echo "no C++ compiler: C++ is not checked"
# A term of xy_insert is checked by the compiler.
# shellcheck disable=SC2086
if printf '%s\n' '#include <xylem.h>' \
	'int f(struct xy_runtime *r, struct xy_codelet *c, struct xy_handle *h) { return xy_insert(r, c, h); }' |
	${CC:-cc} -std=c11 -I"$src/include" -fsyntax-only -x c - 2>"$work/out"; then
	echo "xy_insert takes a handle for a term"
	status=1
fi
# modes COUNT: a program with a codelet that declares so many modes.
modes() {
	printf '#include <xylem.h>\nstruct xy_codelet c = { .modes = { '
	for _ in $(seq "$1"); do
		printf 'XY_R, '
	done
	printf '} };\n'
}
# A codelet with more modes than a task has handles is refused where it is declared.
# shellcheck disable=SC2086
if ! modes 8 | ${CC:-cc} -std=c11 -Werror -I"$src/include" -fsyntax-only -x c -; then
	echo "a codelet can't declare eight modes"
	status=1
fi
for compiler in "${CC:-cc} -std=c11 -Werror -x c" "${CC:-cc} -std=c11 -pedantic-errors -x c" $compilers; do
	case $compiler in
	*' '*) ;;
	*) compiler="$compiler -std=c++20 -x c++" ;;
	esac
	# shellcheck disable=SC2086
	if modes 9 | $compiler -I"$src/include" -fsyntax-only - 2>"$work/out"; then
		echo "$compiler takes a codelet with nine modes"
		status=1
	elif ! grep -qE 'excess elements|too many initializers' "$work/out"; then
		echo "$compiler refuses a codelet with nine modes for another reason:"
		cat "$work/out"
		status=1
	fi
done
exit $status
