#!/bin/sh
# SPDX-License-Identifier: MIT
# The example of batches: the sums agree under all policies, on CPUs and on OpenCL devices; in simulation all devices
# together reach at least 95 % of their single throughputs.
status=0
machines=$(cd "${srcdir:-.}/machines" && pwd) || exit 99
XYLEM_MODELS=none XYLEM_NCPU=2
export XYLEM_MODELS XYLEM_NCPU
unset SCHED XYLEM_BATCH_DEVICES

fail() {
	echo "FAILED: $*"
	status=1
}

# agrees POINTS: its output, with what is set.
agrees() {
	got=$(examples/batch "$1" 2>batch.$$) || fail "it ends with $? under SCHED='$SCHED': $(cat batch.$$)"
	[ "$got" = 'the sums agree' ] || fail "under SCHED='$SCHED' it prints $got"
}

agrees 20000
grep -q '^tree-batch-hybrid .* of the best device alone' batch.$$ || fail "no comparison: $(cat batch.$$)"
for SCHED in tree-batch-hybrid tree-batch-simple tree-batch-mpi static-hybrid tree-batch-auto tree-eager; do
	export SCHED
	agrees 20000
done
unset SCHED

# Where OpenCL is: two devices of PoCL beside the CPUs.
if [ -e src/drivers/.libs/opencl.so ]; then
	(
		XYLEM_DRIVERS=$PWD/src/drivers/.libs POCL_DEVICES='pthread pthread' POCL_CACHE_DIR=$PWD/tests/pocl-cache
		XYLEM_OPENCL_DEVICES=0,1
		export XYLEM_DRIVERS POCL_DEVICES POCL_CACHE_DIR XYLEM_OPENCL_DEVICES
		agrees 20000
		grep -q '^opencl:1 ' batch.$$ || fail "the second device did nothing: $(cat batch.$$)"
		# Two ranks share the devices; one is killed with pieces on them, and the other ends.
		XYLEM_BATCH_SHARE=test$$
		export XYLEM_BATCH_SHARE
		for SCHED in tree-batch-auto tree-batch-hybrid; do
			export SCHED
			examples/batch 1000000000 >/dev/null 2>&1 &
			victim=$!
			sleep 1
			kill -STOP $victim
			examples/batch 200000 >batch.other.$$ 2>&1 &
			other=$!
			sleep 1
			kill -KILL $victim
			wait $other || fail "the rank that lives ended with $?: $(cat batch.other.$$)"
			wait $victim
		done
		rm -f "/dev/shm/xylem-batch-$(id -u)-test$$" # if the victim was alone in the end
		exit $status
	) || status=1
fi

unset XYLEM_NCPU
got=$(XYLEM_SIM=mirage XYLEM_MACHINES=$machines examples/batch 2>batch.$$) || fail "in simulation it ends with $?"
percent=$(printf '%s\n' "$got" | sed -n 's/^tree-batch-auto reaches \([0-9]*\) % of the devices alone$/\1/p')
[ "${percent:-0}" -ge 95 ] || fail "in simulation: $got, $(cat batch.$$)"
rm -f batch.$$ batch.other.$$
exit $status
