#!/bin/sh
# SPDX-License-Identifier: MIT
# A product and a factorization by cuBLAS and cuSOLVER are right on CPUs, on two CUDA devices and on all of them, and
# the devices take part. What nvcc compiled runs on the test doubles of the libraries.
dense=examples/cuda/dense
[ -x $dense ] || {
	echo "built without nvcc or cuBLAS"
	exit 77
}
XYLEM_DRIVERS=$PWD/src/drivers/.libs
XYLEM_OPENCL_DEVICES=none
LD_LIBRARY_PATH=$PWD/tests/double/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export XYLEM_DRIVERS XYLEM_OPENCL_DEVICES LD_LIBRARY_PATH
status=0

# right LINE KIND LEAST ARGUMENT...: prints the line, and at least so many tasks ran on workers of the kind.
right() {
	line=$1 kind=$2 least=$3
	shift 3
	out=$(timeout 300 $dense "$@" 2>&1) || {
		echo "FAILED: $dense $* ends with $?"
		status=1
	}
	n=$(echo "$out" | sed -n "s/^$kind[0-9]*: \([0-9]*\) tasks$/\1/p" | awk '{ n += $1 } END { print n + 0 }')
	if ! echo "$out" | grep -qx "$line" || [ "$n" -lt "$least" ]; then
		echo "FAILED: $dense $*: $n tasks on $kind workers:"
		echo "$out"
		status=1
	fi
}

for SCHED in tree-eager tree-eager-prefetching; do
	export SCHED
	right 'product: right' cpu 64 gemm cpu 4 16
	right 'product: right' cuda 64 gemm cuda 4 16
	right 'product: right' '[a-z]*' 64 gemm all 4 16
	right 'cholesky: right' cpu 56 cholesky cpu
	right 'cholesky: right' cuda 56 cholesky cuda
	right 'cholesky: right' '[a-z]*' 56 cholesky all
done
XYLEM_CUDA_WORKERS=2 right 'cholesky: right' cuda 56 cholesky cuda
XYLEM_CUDA_LIMIT=640K right 'cholesky: right' cuda 56 cholesky cuda
exit $status
