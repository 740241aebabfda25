#!/bin/sh
# SPDX-License-Identifier: MIT
# The product is right on CPUs, on two OpenCL devices and on all of them, and the devices take part.
product=examples/opencl/product
[ -x $product ] || {
	echo "built without OpenCL"
	exit 77
}
XYLEM_DRIVERS=$PWD/src/drivers/.libs
POCL_DEVICES='pthread pthread'
POCL_CACHE_DIR=$PWD/tests/pocl-cache
export XYLEM_DRIVERS POCL_DEVICES POCL_CACHE_DIR
status=0

# tasks KIND: how many tasks the workers of this kind had.
tasks() {
	echo "$out" | sed -n "s/^$1[0-9]*: \([0-9]*\) tasks\$/\1/p" | awk '{ n += $1 } END { print n + 0 }'
}

# right TASKS_ON_CPUS TASKS_ON_DEVICES ARGUMENT...: what it prints; "some" is any number.
right() {
	cpu=$1 opencl=$2
	shift 2
	out=$($product "$@" 2>&1) || {
		echo "FAILED: $product $* with XYLEM_OPENCL_DEVICES=$XYLEM_OPENCL_DEVICES SCHED=$SCHED:"
		echo "$out"
		status=1
		return
	}
	[ "$cpu" = some ] || [ "$(tasks cpu)" = "$cpu" ] || wrong="$cpu tasks on CPUs"
	[ "$opencl" = some ] || [ "$(tasks opencl)" = "$opencl" ] || wrong="$opencl tasks on devices"
	[ -z "$wrong" ] || {
		echo "FAILED: $product $* with SCHED=$SCHED should have had $wrong:"
		echo "$out"
		status=1
	}
	wrong=
}

export XYLEM_OPENCL_DEVICES SCHED
for SCHED in tree-eager tree-eager-prefetching tree-random tree-ws; do
	XYLEM_OPENCL_DEVICES=none
	right 64 0
	right 64 0 cpu
	[ -e /etc/OpenCL/vendors/pocl.icd ] || continue
	XYLEM_OPENCL_DEVICES=cpu
	right some some
	right 64 0 cpu
	right 0 64 opencl
done
[ -e /etc/OpenCL/vendors/pocl.icd ] || {
	echo "PoCL is not installed: only tried without devices"
	[ $status = 0 ] && exit 77
}
exit $status
