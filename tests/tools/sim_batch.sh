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
refuses 'needs --machine' --batch 10
refuses 'is below its batch size' --batch 10 --policy 'prio | hybrid(capacities=5) | each node { fifo | eager | each worker { } }'
XYLEM_BATCH_DEVICES=cuad
export XYLEM_BATCH_DEVICES
refuses 'there is no device "cuad"' --batch 10 --policy static-hybrid
exit $status
