#!/bin/sh
# SPDX-License-Identifier: MIT
# The product is right on CPUs.
product=examples/opencl/product
[ -x $product ] || {
	echo "built without OpenCL"
	exit 77
}
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
		echo "FAILED: $product $* with SCHED=$SCHED:"
		echo "$out"
		status=1
		return
	}
	[ $cpu = some ] || [ "$(tasks cpu)" = $cpu ] || wrong="$cpu tasks on CPUs"
	[ $opencl = some ] || [ "$(tasks opencl)" = $opencl ] || wrong="$opencl tasks on devices"
	[ -z "$wrong" ] || {
		echo "FAILED: $product $* with SCHED=$SCHED should have had $wrong:"
		echo "$out"
		status=1
	}
	wrong=
}

export SCHED
for SCHED in tree-eager tree-eager-prefetching tree-random tree-ws; do
	right 64 0
	right 64 0 cpu
done
exit $status
