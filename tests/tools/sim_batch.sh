#!/bin/sh
# SPDX-License-Identifier: MIT
# xylem sim --batch prints the pieces of a table that was worked out by hand, and the same again.
tool=./xylem
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
machines=$(cd "${srcdir:-.}/machines" && pwd) || exit 99
XYLEM_MACHINES=$machines
export XYLEM_MACHINES
unset SCHED XYLEM_BATCH_DEVICES XYLEM_BATCH_SIZES XYLEM_BATCH_CAPACITIES XYLEM_BATCH_PRIORITIES XYLEM_BATCH_SHARE
status=0

fail() {
	echo "FAILED: $*"
	status=1
}

# The GPU of laptop does 40 items in 40 * 10 us / 50 + 5 us = 13 us, a fast core 5 items in 50 us. At 0 us the GPU gets
# 40 items, the cores 5 and 5; at 13 us the GPU 40 more; at 26 us the last 10, which it does in 7 us.
cat >"$work/expected" <<'END'
piece,device,offset,size
0,cuda:0,0,40
1,cpu,40,5
2,cpu,45,5
3,cuda:0,50,40
4,cuda:0,90,10
END
policy='prio | hybrid(devices=cuda+cpu, batch_sizes=40+5, capacities=40+10) | each node { fifo | eager | each worker { } }'
$tool sim --machine laptop --batch 100:10:5 --policy "$policy" >"$work/first" || fail "xylem sim --batch ends with $?"
cut -d, -f1-4 "$work/first" | diff "$work/expected" - || fail "another table"
grep -q '^4,cuda:0,90,10,cuda0,26.000,33.000$' "$work/first" || fail "other times: $(cat "$work/first")"

# The same by the environment, and again.
XYLEM_BATCH_DEVICES=cuda,cpu XYLEM_BATCH_SIZES=40,5 XYLEM_BATCH_CAPACITIES=40,10 \
	$tool sim --machine laptop --batch 100:10:5 --policy tree-batch-hybrid | cut -d, -f1-4 |
	diff "$work/expected" - || fail "another table by the environment"
$tool sim --machine mirage --batch 1000000 --policy tree-batch-auto --noise 0.1 >"$work/first" || fail "tree-batch-auto"
$tool sim --machine mirage --batch 1000000 --policy tree-batch-auto --noise 0.1 >"$work/second"
cmp "$work/first" "$work/second" || fail "it differs from run to run"

# refuses WHAT SAYS ARGUMENTS...
refuses() {
	what=$1
	shift
	$tool sim --machine laptop "$@" >"$work/out" 2>&1 && fail "not refused: $*"
	grep -qF -- "$what" "$work/out" || fail "does not say '$what': $(cat "$work/out")"
}
refuses '--batch takes ITEMS' --batch 0 --policy tree-batch-auto
refuses '--batch takes ITEMS' --batch ten --policy tree-batch-auto
refuses '--batch needs --machine and --policy' --batch 10
refuses '--graph is for graphs' --batch 10 --policy simple --graph chain:3
refuses '--gantt is for graphs' --batch 10 --policy simple --gantt x.svg
refuses 'is below its batch size' --batch 10 --policy 'prio | hybrid(capacities=5) | each node { fifo | eager | each worker { } }'

# Each refusal by the environment: refuses_with WHAT NAME=VALUE...
refuses_with() {
	says=$1
	shift
	(
		export "$@"
		refuses "$says" --batch 10 --policy "${policy:-tree-batch-hybrid}"
		exit $status
	) || status=1
}
unset policy
refuses_with 'the capacity of "cpu", 99, is below its batch size, 100' XYLEM_BATCH_SIZES=100 XYLEM_BATCH_CAPACITIES=99
refuses_with 'is below its batch size, 100 (set by XYLEM_BATCH_SIZES, XYLEM_BATCH_CAPACITIES)' \
	XYLEM_BATCH_SIZES=100 XYLEM_BATCH_CAPACITIES=99
refuses_with 'the batch size of "cpu" is 0 (set by XYLEM_BATCH_SIZES)' XYLEM_BATCH_SIZES=0
refuses_with 'the device "cuda:0" is listed twice' XYLEM_BATCH_DEVICES=cuda:0,cuda:0
refuses_with '"cpu:1" is a second CPU device' XYLEM_BATCH_DEVICES=cpu,cpu:1
refuses_with 'batch_sizes has 3 values for 2 devices' XYLEM_BATCH_DEVICES=cpu,cuda:0 XYLEM_BATCH_SIZES=1,2,3
refuses_with 'capacities has 3 values for 2 devices' XYLEM_BATCH_DEVICES=cpu,cuda:0 XYLEM_BATCH_CAPACITIES=1,2,3
refuses_with 'priorities has 3 values for 2 devices' XYLEM_BATCH_DEVICES=cpu,cuda:0 XYLEM_BATCH_PRIORITIES=1,2,3
refuses_with 'did you mean "cuda:0"' XYLEM_BATCH_DEVICES=cdua:0
refuses_with 'the machine has no device "cuda:7"' XYLEM_BATCH_DEVICES=cuda:7
refuses_with 'batch_sizes: -5 is negative' XYLEM_BATCH_SIZES=-5
refuses_with 'capacities: -5 is negative' XYLEM_BATCH_CAPACITIES=-5
refuses_with 'priorities: -5 is negative' XYLEM_BATCH_PRIORITIES=-5
refuses_with 'batch_sizes: "nan" is not a number' XYLEM_BATCH_SIZES=nan
refuses_with 'priorities: "high" is not a number' XYLEM_BATCH_PRIORITIES=high
policy=tree-batch-mpi
refuses_with '2 devices for 1 rank on this host: some would be idle' \
	XYLEM_BATCH_DEVICES=cpu,cuda:0 XYLEM_BATCH_RANKS=1 XYLEM_BATCH_STRICT=1
refuses_with 'XYLEM_BATCH_RANK=-1: expected a whole number' XYLEM_BATCH_RANK=-1
policy=tree-batch-simple
refuses_with 'one device is wanted, but 2 are given' XYLEM_BATCH_DEVICES=cpu,cuda:0
policy=tree-batch-auto
refuses_with 'there is no device "cuad"' XYLEM_BATCH_DEVICES=cuad

# The second rank takes the second device.
XYLEM_BATCH_DEVICES=cpu,cuda:0 XYLEM_BATCH_RANKS=2 XYLEM_BATCH_RANK=1 \
	$tool sim --machine laptop --batch 10 --policy tree-batch-mpi >"$work/out" || fail "tree-batch-mpi"
grep -q '^0,cuda:0,0,10,' "$work/out" || fail "rank 1 has another device: $(cat "$work/out")"

XYLEM_BATCH_DEVICES=cuad
export XYLEM_BATCH_DEVICES
refuses 'there is no device "cuad"' --batch 10 --policy static-hybrid
exit $status
