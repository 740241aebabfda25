#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs with functions for devices: OpenCL on PoCL, CUDA on the test doubles of its libraries. Codelets are compiled
# as C with STARPU_USE_OPENCL or STARPU_USE_CUDA.
src=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0
ran=0
if [ ! -e .libs/libxylem-starpu.so ]; then
	echo "no shared library in this build"
	exit 77
fi
XYLEM_DRIVERS=$PWD/src/drivers/.libs
LD_LIBRARY_PATH=$PWD/.libs:$PWD/tests/double/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export XYLEM_DRIVERS LD_LIBRARY_PATH

# program SOURCE FLAG...: compiles it to $work/program
program() {
	source=$src/compat/starpu/tests/$1
	shift
	# The compiler is a list of words.
	# shellcheck disable=SC2086
	${CC:-cc} -g -Wall -Wextra -Werror $XY_SANITIZER_FLAGS -I"$src/compat/starpu/include" -I"$src/include" \
		"$source" -o "$work/program" -L.libs -lxylem-starpu -lxylem -lhwloc -pthread "$@" || status=1
}

if [ -e src/drivers/.libs/opencl.so ] && [ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ]; then
	ran=1
	program opencl/kernels.c -DSTARPU_USE_OPENCL=1 -lOpenCL
	STARPU_OPENCL_PROGRAM_DIR=$src/compat/starpu/tests/opencl XYLEM_OPENCL_DEVICES=cpu XYLEM_CUDA_DEVICES=none \
		timeout 120 "$work/program" "$src/compat/starpu/tests/opencl" >"$work/log" 2>&1 || {
		echo "opencl/kernels.c ends with $?:"
		cat "$work/log"
		status=1
	}
	grep -q 'CL_OUT_OF_RESOURCES' "$work/log" || {
		echo "opencl/kernels.c reports no error"
		status=1
	}
fi
if [ -e tests/double/.libs/libcudart.so ] && [ -e tests/double/.libs/libcublas.so ]; then
	ran=1
	double=tests/double/.libs
	program cuda/calls.c -DSTARPU_USE_CUDA=1 -I"$src/compat/starpu/tests/cuda" $double/libcublas.so \
		$double/libcudart.so -Wl,-rpath-link,$double
	XYLEM_OPENCL_DEVICES=none timeout 120 "$work/program" >"$work/log" 2>&1 || {
		echo "cuda/calls.c ends with $?:"
		cat "$work/log"
		status=1
	}
	grep -q 'fails_cuda: ' "$work/log" || {
		echo "cuda/calls.c reports no error"
		status=1
	}
fi
[ $ran = 1 ] || exit 77
exit $status
