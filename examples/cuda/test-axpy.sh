#!/bin/sh
# SPDX-License-Identifier: MIT
# The result is right on CPUs, on two CUDA devices and on all of them, and the devices take part. What nvcc
# compiled runs on the test double of libcudart, with the same kernel compiled as C.
axpy=examples/cuda/axpy
[ -x $axpy ] || {
	echo "built without nvcc"
	exit 77
}
XYLEM_DRIVERS=$PWD/src/drivers/.libs
XYLEM_OPENCL_DEVICES=none
LD_LIBRARY_PATH=$PWD/tests/double/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
CUDART_DOUBLE_KERNELS=$PWD/tests/double/.libs/axpy_bodies.so
export XYLEM_DRIVERS XYLEM_OPENCL_DEVICES LD_LIBRARY_PATH CUDART_DOUBLE_KERNELS
status=0

# right WHAT [ARGUMENT]: ends well, with a right result.
right() {
	what=$1
	shift
	out=$(timeout 60 $axpy "$@" 2>&1) || {
		echo "FAILED: $what ends with $?"
		status=1
	}
	echo "$out" | grep -qx '0 of 80000 elements are wrong' || {
		echo "FAILED: $what prints"
		echo "$out"
		status=1
	}
}

# ran KIND LEAST: at least so many tasks ran on workers of the kind.
ran() {
	n=$(echo "$out" | sed -n "s/^$1[0-9]*: \([0-9]*\) tasks$/\1/p" | awk '{ n += $1 } END { print n + 0 }')
	[ "$n" -ge "$2" ] || {
		echo "FAILED: $what: $n tasks on $1 workers"
		echo "$out"
		status=1
	}
}

for SCHED in tree-eager tree-eager-prefetching tree-random; do
	export SCHED
	right "on CPUs, $SCHED" cpu
	ran cpu 96
	right "on CUDA devices, $SCHED" cuda
	ran cuda 96
	right "everywhere, $SCHED"
	XYLEM_CUDA_LIMIT=100K right "on small CUDA devices, $SCHED" cuda
	ran cuda 96
done
unset SCHED
CUDART_DOUBLE_GBPS=1 CUDART_DOUBLE_LAUNCH_US=300 right "on slow CUDA devices" cuda
XYLEM_CUDA_WORKERS=2 right "with two workers for each device" cuda
CUDART_DOUBLE_PEERS=0 right "without copies between devices" cuda
CUDA_VISIBLE_DEVICES=1 right "on the second CUDA device" cuda
XYLEM_CUDA_DEVICES=0 right "on the first CUDA device" cuda
CUDART_DOUBLE_DEVICES=0 right "without CUDA devices"
CUDART_DOUBLE_FAIL=operation:1:700 right "with a device that is lost at once"
exit $status
