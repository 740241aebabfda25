#!/bin/sh
# SPDX-License-Identifier: MIT
# The main job in small: right results under several policies and with both makes of kernels, each task
# seen by the tree, failures that come out as such, options that are checked, a report that stands alone.
cholesky=examples/cholesky
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0
export XYLEM_MODELS="$work/models"

fail() {
	echo "FAILED: $*"
	cat "$work/out" "$work/err"
	status=1
}

# run EXPECTED ARGUMENT...: the exit status is as expected.
run() {
	expected=$1
	shift
	echo "SCHED='$SCHED' cholesky $*"
	"$cholesky" "$@" >"$work/out" 2>"$work/err"
	got=$?
	[ $got = "$expected" ] || fail "exit status $got instead of $expected: SCHED='$SCHED' cholesky $*"
}

# said PATTERN FILE: the last run wrote that.
said() {
	grep -q -- "$1" "$work/$2" || fail "no '$1' on $2"
}

kernels=own
if $cholesky --size 1 --kernels blas >"$work/out" 2>"$work/err"; then
	kernels="own blas"
else
	echo "no BLAS: only own kernels"
fi
for SCHED in '' tree-eager tree-eager-prefetching tree-prio-prefetching tree-random-prio tree-ws modular-eager \
	'prio | eager | each worker { prio(ntasks=1) | best-implementation }'; do
	export SCHED
	for make in $kernels; do
		# 300 rows: the last tile is smaller; 5 tiles in a row are 35 tasks.
		run 0 --size 300 --tile 64 --seed 3 --kernels "$make" --no-compare
		said ': correct$' out
		said ': 35 tasks$' out
		said 'pushed 35 ' out
	done
done
unset SCHED
for XYLEM_NCPU in 1 8; do
	export XYLEM_NCPU
	run 0 --size 200 --tile 20 --kernels own
	said ': correct$' out
done
unset XYLEM_NCPU
run 0 --size 7 --tile 100 --kernels own --no-check
! grep -q residual "$work/out" || fail "a residual in spite of --no-check"

run 1 --size 200 --tile 50 --kernels own --indefinite
said "task 'potrf'.*failed" err
SCHED=tree-eagr run 2
said 'did you mean "tree-eager"' err
run 2 --size 0
run 2 --size 10x
run 2 --size -3
run 2 --size 4000 --tile 1
run 2 --size 200000
run 2 --kernels mkl
run 2 --tile
run 2 --unknown
run 2 surplus
run 2 --report "$work/no/such/folder"
run 0 --help
said '^usage:' out

SCHED='fifo | eager | each worker { }' run 0 --size 100 --tile 10 --kernels own --report "$work/report.html"
for part in '</html>' '<svg' 'correct' 'fifo | eager | each worker { }' 'cpu0' 'prefers-color-scheme: dark'; do
	grep -qF -- "$part" "$work/report.html" || fail "the report has no $part"
done
# a bar for each of the 220 tasks
[ "$(grep -c '<rect class="kernel.*ms long' "$work/report.html")" = 220 ] || fail "the chart does not have all tasks"
grep -nE '<script|<link|<img|url\(|@import|https?:' "$work/report.html" && fail "the report loads something"
SCHED='fifo|eager|each worker{fifo(ntasks=3)}' XYLEM_HINT='<b>&"' run 0 --size 9 --tile 3 --kernels own \
	--report "$work/report.html"
grep -qF '&lt;b&gt;&amp;&quot;' "$work/report.html" || fail "the report does not escape"

# What was measured is enough to simulate a computer with other workers; nothing is computed then.
export SCHED=
run 0 --size 400 --tile 20 --kernels own --no-compare
XYLEM_SIM=cpu:7 run 0 --size 400 --tile 20 --kernels own
said 'on 7 workers' out
said 'simulated: nothing was computed' out
cp "$work/out" "$work/before"
XYLEM_SIM=cpu:7 run 0 --size 400 --tile 20 --kernels own
cmp -s "$work/out" "$work/before" || fail "a simulation is not the same twice"
XYLEM_SIM=cpu:7 run 1 --size 400 --tile 21 --kernels own
said 'duration is not known\|nothing says how long' err
exit $status
