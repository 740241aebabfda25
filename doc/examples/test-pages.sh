#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs that the pages quote do what the pages say, under several policies.
src=${srcdir:-.}
status=0

failed() {
	echo "FAILED: $*"
	status=1
}

for SCHED in '' tree-eager tree-prio-prefetching tree-random-prio-prefetching tree-eager-prio; do
	export SCHED
	for page in tasks data partition perf changing batch; do
		doc/examples/$page || failed "doc/examples/$page under SCHED='$SCHED'"
	done
done
unset SCHED

# What memory prints stands on its page, line for line.
out=$(doc/examples/memory) || failed "doc/examples/memory"
echo "$out" | while read -r line; do
	grep -qF -- "$line" "$src/doc/memory.md" || echo "$line"
done | grep . && failed "doc/memory.md has other lines than these"

out=$(doc/examples/outofcore) || failed "doc/examples/outofcore"
grep -qF -- "$out" "$src/doc/outofcore.md" || failed "doc/outofcore.md has another line than $out"

# line TEXT: the last run of devices printed it.
line() {
	echo "$out" | grep -q -- "$1" || failed "$what does not print '$1' but:
$out"
}

if [ -x doc/examples/devices ]; then
	XYLEM_DRIVERS=$PWD/src/drivers/.libs
	POCL_CACHE_DIR=$PWD/tests/pocl-cache
	# Where there is nvcc the program is linked with CUDA, so that it does not even start without a libcudart.
	LD_LIBRARY_PATH=$PWD/tests/double/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export XYLEM_DRIVERS POCL_CACHE_DIR LD_LIBRARY_PATH
	what='devices on CPUs'
	out=$(XYLEM_OPENCL_DEVICES=none XYLEM_CUDA_DEVICES=none doc/examples/devices) || failed "$what"
	line '^done, 0 of'
	if [ -e /etc/OpenCL/vendors/pocl.icd ]; then
		XYLEM_CUDA_DEVICES=none
		XYLEM_OPENCL_DEVICES=cpu
		export XYLEM_CUDA_DEVICES XYLEM_OPENCL_DEVICES
		what='devices on OpenCL'
		out=$(doc/examples/devices opencl) || failed "$what"
		line '^opencl0 .* 32 tasks'
		line '^opencl0 .*got 1048576 bytes, gave 524288, 0 copies had to go'
		what='devices in little memory'
		out=$(XYLEM_OPENCL_LIMIT=256K doc/examples/devices opencl) || failed "$what"
		line '^opencl0 .*held 262144 bytes at most'
		line '[1-9][0-9]* copies had to go'
		what='devices in too little memory'
		out=$(XYLEM_OPENCL_LIMIT=100K doc/examples/devices opencl 2>&1) && failed "$what ends well"
		line 'needs 131072 bytes on opencl0, which has room for 102400'
		unset XYLEM_CUDA_DEVICES XYLEM_OPENCL_DEVICES
	fi
	if [ -e examples/cuda/axpy ]; then
		what='devices on the test double of libcudart'
		out=$(XYLEM_OPENCL_DEVICES=none CUDART_DOUBLE_DEVICES=1 \
			CUDART_DOUBLE_KERNELS=$PWD/tests/double/.libs/axpy_bodies.so doc/examples/devices cuda) || failed "$what"
		line '^cuda0 .* 32 tasks'
		line '^cuda0 .*got 1048576 bytes, gave 524288, 0 copies had to go'
	fi
fi

# The driver is loaded, and gets along with less memory than all data takes.
for SCHED in tree-eager tree-eager-prefetching; do
	XYLEM_DRIVERS=$PWD/doc/examples/driver/.libs SCHED=$SCHED doc/examples/driver_use ||
		failed "doc/examples/driver_use under SCHED=$SCHED"
done
exit $status
