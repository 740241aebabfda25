#!/bin/sh
# SPDX-License-Identifier: MIT
# xylem batch tune measures a program, draws, and writes settings with which the program then runs.
tool=./xylem
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
XYLEM_NCPU=2
TMPDIR=$work
export XYLEM_NCPU TMPDIR
unset SCHED XYLEM_BATCH_DEVICES XYLEM_BATCH_SIZES XYLEM_BATCH_CAPACITIES XYLEM_BATCH_PRIORITIES XYLEM_BATCH_SHARE
status=0

fail() {
	echo "FAILED: $*"
	status=1
}

$tool batch tune --svg "$work/curve.svg" --out "$work/settings" --runs 2 -- examples/batch 100000 \
	>"$work/out" 2>"$work/err" || fail "xylem batch tune ends with $?: $(cat "$work/err")"
grep -q '^model on cpu, 2 workers$' "$work/out" || fail "no table: $(cat "$work/out")"
grep -qE '^ +1 +[0-9.e+]+ +[0-9.e+]+ +[0-9]+' "$work/out" || fail "no row for one item: $(cat "$work/out")"
[ "$(grep -c '  best$' "$work/out")" = 1 ] || fail "not one best size: $(cat "$work/out")"
grep -q 'the sums agree' "$work/err" || fail "the program's output is not on stderr"
grep -q 'the sums agree' "$work/out" && fail "the program's output is on stdout"
best=$(sed -n 's/^ *\([0-9]*\) .*  best$/\1/p' "$work/out")
grep -qx "XYLEM_BATCH_DEVICES=cpu" "$work/out" || fail "other devices: $(cat "$work/out")"
grep -qx "XYLEM_BATCH_SIZES=$best" "$work/out" || fail "not the best size $best: $(cat "$work/out")"
grep -qx "XYLEM_BATCH_CAPACITIES=$((2 * best))" "$work/out" || fail "not two pieces: $(cat "$work/out")"
grep -qx "XYLEM_BATCH_PRIORITIES=1" "$work/out" || fail "other priorities: $(cat "$work/out")"
grep -q '^<svg .*' "$work/curve.svg" && grep -q 'model cpu</text>' "$work/curve.svg" || fail "no picture"
ls "$work" | grep -q xylem-tune && fail "the folder of measurements is left"

# The settings are for a shell.
got=$(. "$work/settings" && [ "$SCHED" = tree-batch-hybrid ] && examples/batch 20000 2>/dev/null)
[ "$got" = 'the sums agree' ] || fail "with the settings: $got, $(cat "$work/settings")"

# wrong STATUS TEXT ARGUMENT...: what it says, and how it ends.
wrong() {
	expected=$1 text=$2
	shift 2
	$tool batch "$@" >"$work/out" 2>"$work/err"
	got=$?
	[ $got = "$expected" ] || fail "xylem batch $* ends with $got, not $expected"
	grep -qF -- "$text" "$work/err" || fail "xylem batch $* says $(cat "$work/err")"
}
wrong 2 'usage: xylem batch tune'
wrong 2 'usage: xylem batch tune' tone examples/batch
wrong 2 'the program is missing' tune
wrong 2 'the program is missing' tune --runs 1
wrong 2 'unknown option "--png"' tune --png x examples/batch
wrong 2 '--svg needs a value' tune --svg
wrong 2 '--runs takes a number from 1 to 100, not "0"' tune --runs 0 examples/batch
wrong 1 'false ended with exit status 1: nothing is tuned' tune false
wrong 1 './no-such-program: No such file or directory' tune ./no-such-program
wrong 1 'was ended by signal 9' tune sh -c 'kill -9 $$'
wrong 1 'has measured no batch' tune examples/hello
wrong 3 "$work/no/folder.svg: No such file or directory" tune --runs 1 --svg "$work/no/folder.svg" examples/batch 1000
$tool batch --help | grep -q '^  --svg FILE' || fail "no help"
$tool batch tune --help | grep -q '^  --svg FILE' || fail "no help behind tune"
exit $status
