#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles each program of this folder against the headers in the source and the libraries in the build folder, as a
# user of StarPU would, without a warning, and runs it. Those whose names begin with these letters:
letters=${letters:-a-m}
src=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0
if [ ! -e .libs/libxylem-starpu.so ]; then
	echo "no shared library in this build"
	exit 77
fi
# An installation that another test makes moves the libraries for a moment: copy them first.
mkdir "$work/lib"
tries=0
until cp -P .libs/libxylem.so* .libs/libxylem-starpu.so* "$work/lib" 2>/dev/null && [ -e "$work/lib/libxylem.so.0" ] &&
	[ -e "$work/lib/libxylem-starpu.so.0" ]; do
	tries=$((tries + 1))
	[ $tries -lt 60 ] || exit 99
	sleep 1
done
LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
HOME=$work # models are stored there, or where a program says
unset XYLEM_MODELS
export LD_LIBRARY_PATH HOME

# program SOURCE COMPILER FLAG...
program() {
	source=$1
	shift
	name=$(basename "$source")
	if ! "$@" -g -Wall -Wextra -Werror $XY_SANITIZER_FLAGS -I"$src/compat/starpu/include" -I"$src/include" "$source" -o "$work/$name.out" \
		-L"$work/lib" -lxylem-starpu -lxylem -lhwloc -pthread >"$work/log" 2>&1; then
		echo "$name does not compile with: $*"
		cat "$work/log"
		status=1
	elif ! timeout 120 "$work/$name.out" >"$work/log" 2>&1; then
		echo "$name fails:"
		cat "$work/log"
		status=1
	else
		echo "$name"
	fi
}

# Compilers and flags are lists of words.
# shellcheck disable=SC2086
for source in "$src"/compat/starpu/tests/[$letters]*.c; do
	program "$source" ${CC:-cc}
done
[ "$letters" = a-m ] || exit $status
for cxx in g++ clang++; do
	command -v $cxx >/dev/null || continue
	[ -z "$XY_SANITIZER_FLAGS" ] || continue
	for source in "$src"/compat/starpu/tests/*.cpp; do
		program "$source" $cxx -std=c++14
	done
done
# An unknown policy is an error; StarPU's names are known.
for sched in eager prio ws lws dmda dmdas random heteroprio modular-eager modular-heft; do
	STARPU_SCHED=$sched timeout 120 "$work/deps.c.out" >"$work/log" 2>&1 || {
		echo "STARPU_SCHED=$sched fails:"
		cat "$work/log"
		status=1
	}
done
if STARPU_SCHED=no-such-policy "$work/deps.c.out" >/dev/null 2>&1; then
	echo "an unknown policy is taken"
	status=1
fi
# A variable of StarPU's that has no effect says so, once; one that has says nothing.
STARPU_MIN_PRIO=1 STARPU_LIMIT_CUDA_MEM=100 timeout 120 "$work/deps.c.out" >"$work/log" 2>&1
if [ "$(grep -c 'STARPU_MIN_PRIO has no effect' "$work/log")" != 1 ] || grep -q LIMIT_CUDA_MEM "$work/log"; then
	echo "STARPU_MIN_PRIO and STARPU_LIMIT_CUDA_MEM:"
	cat "$work/log"
	status=1
fi
if STARPU_LIMIT_CUDA_MEM=much timeout 120 "$work/deps.c.out" >/dev/null 2>&1; then
	echo "STARPU_LIMIT_CUDA_MEM=much is taken"
	status=1
fi
exit $status
