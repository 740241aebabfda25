#!/bin/sh
# SPDX-License-Identifier: MIT
# The plug-ins of examples/component serve as components like any other: alone, with their options, in the
# middle of a tree; and a tree in which one can't work is refused with a reason.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
XYLEM_PLUGINS=$(find examples/component -name lifo.so | head -n 1)
[ -n "$XYLEM_PLUGINS" ] || exit 99
export XYLEM_PLUGINS
status=0

for SCHED in \
	'lifo | eager | each worker { best-implementation }' \
	'lifo(oldest_every=3) | eager | each worker { }' \
	'fifo | eager | each worker { lifo | best-implementation }' \
	'lifo | eager | each worker { fifo(ntasks=2) }'; do
	export SCHED
	[ "$(examples/hello)" = '2.5 5 7.5 10' ] || {
		echo "FAILED: hello under $SCHED"
		status=1
	}
	examples/cholesky --size 200 --tile 20 --kernels own --no-compare >"$work/out" 2>&1 || {
		echo "FAILED: cholesky under $SCHED"
		cat "$work/out"
		status=1
	}
done

# refuses SCHED PATTERN
refuses() {
	if SCHED=$1 examples/hello >"$work/out" 2>&1; then
		echo "FAILED: '$1' is not refused"
		status=1
	fi
	grep -q "$2" "$work/out" || {
		echo "FAILED: '$1' is refused without '$2'"
		cat "$work/out"
		status=1
	}
}

refuses 'lifo | random | each worker { fifo(ntasks=2) }' 'lifo.*holds its tasks until they are pulled'
refuses 'lifo(oldest_every=0) | eager | each worker { }' 'oldest_every'
refuses 'lifo(oldest=2) | eager | each worker { }' 'oldest_every'
XYLEM_PLUGINS=./nothing.so refuses 'lifo | eager | each worker { }' 'nothing.so'

# soonest sees what it has decided before: both workers get tasks, and in virtual time it is far better than eager
XYLEM_PLUGINS=$(find examples/component -name soonest.so | head -n 1)
SCHED=tree-soonest examples/cholesky --size 400 --tile 20 --kernels own --no-compare >"$work/out" 2>&1 || {
	echo "FAILED: cholesky under tree-soonest"
	cat "$work/out"
	status=1
}
./xylem sim --machine mirage --graph cholesky:8 --policy tree-eager,tree-soonest >"$work/out" 2>&1
awk '/^tree-/ { percent[$1] = $4 } END { exit !(percent["tree-soonest"] > 1.3 * percent["tree-eager"]) }' "$work/out" || {
	echo "FAILED: tree-soonest is not clearly nearer to the bound than tree-eager"
	cat "$work/out"
	status=1
}

# a name without a slash is a file in the folder where the program is started
top=$PWD
(cd "$(dirname "$XYLEM_PLUGINS")" &&
	XYLEM_PLUGINS=soonest.so SCHED='prio | soonest | each worker { fifo }' "$top/examples/hello") >"$work/out" 2>&1 || {
	echo "FAILED: soonest.so is not found where it is"
	cat "$work/out"
	status=1
}
exit $status
