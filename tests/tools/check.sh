#!/bin/sh
# SPDX-License-Identifier: MIT
# `xylem check --run`: the library's components keep their rules under many interleavings, each known mistake is found
# with the rule that it breaks, and a seed says what happens.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
mutants=$(find tests/plugins -name mutants.so | head -n 1)
examples=$(find examples/component -name '*.so' | tr '\n' ':')
[ -n "$mutants" ] && [ -n "$examples" ] || exit 99
unset XYLEM_PLUGINS SCHED
# Runs that can't be ended keep their memory.
ASAN_OPTIONS=detect_leaks=0:$ASAN_OPTIONS
export ASAN_OPTIONS
status=0

fail() {
	echo "FAILED: $*"
	cat "$work/out"
	status=1
}

check() {
	./xylem check "$@" >"$work/out" 2>&1
}

# keeps EXPRESSION [OPTION...]: no rule is broken.
keeps() {
	check --run --seeds "${TEST_SEEDS:-40}" "$@" || fail "$*"
	grep -q 'no rule is broken' "$work/out" || fail "$* says nothing"
}

for policy in $(./xylem policies | sed -n 's/^\(tree-[a-z0-9-]*\).*/\1/p'); do
	keeps "$policy"
done
keeps 'fifo | random | each worker { fifo(ntasks=1) }'
keeps 'fifo | userchoice { fifo | eager | each worker { }, prio(ntasks=2) | eager | each worker { stage } }' \
	--machine cpu:2
keeps 'fifo | divide(items=3) | eager { each team { }, each worker { } }'
keeps 'pipeline { each team { fifo(ntasks=1) }, each worker { } }'
keeps 'lifo | eager | each worker { lifo | best-implementation }' --plugins "$examples"
keeps 'prio | soonest | each worker { prio(ntasks=2) }' --plugins "$examples"
keeps 'fifo | limit | eager | each worker { fifo(ntasks=2) }' --plugins "$examples"
keeps 'fifo | rate | eager | each worker { }' --plugins "$examples"
keeps 'edf | eager | each worker { }' --plugins "$examples"
keeps 'fifo | bandit | each worker { fifo(ntasks=2) }' --plugins "$examples"
keeps 'fifo | random | each worker { buffer }' --plugins "$examples"
keeps 'mutant-none | eager | each worker { mutant-none(ntasks=1) }' --plugins "$mutants"

# breaks RULE EXPRESSION: some of the first seeds find it, and the command that is printed finds it again.
breaks() {
	check --run --plugins "$mutants" "$2"
	[ $? = 1 ] || fail "'$2' breaks no rule"
	grep -q "^xylem: seed [0-9]*: mutant-.*$mutants breaks the rule \"$1\"" "$work/out" ||
		fail "'$2' does not break \"$1\""
	grep '^xylem: seed' "$work/out" >"$work/first"
	command=$(sed -n 's/^again: xylem/.\/xylem/p' "$work/out")
	eval "$command" >"$work/out" 2>&1
	grep '^xylem: seed' "$work/out" | cmp -s - "$work/first" || fail "'$command' does not give: $(cat "$work/first")"
}

breaks 'offer what you store' 'mutant-silent | eager | each worker { }'
breaks 'offer what you store' 'mutant-early | eager | each worker { }'
breaks 'offer what you store' 'mutant-popped | eager | each worker { fifo(ntasks=1) }'
breaks 'drop your lock' 'fifo | eager | each worker { mutant-kept-lock(ntasks=1) }'
breaks 'take a lock once' 'mutant-relocked | eager | each worker { }'
breaks 'locks nest downwards' 'fifo | random | each worker { mutant-lock-up(ntasks=1) }'
breaks 'locks nest downwards' 'fifo | random | each worker { mutant-hook-lock-up }'
breaks 'give a task once' 'mutant-twice | eager | each worker { }'
breaks 'give a task to a worker that can run it' 'mutant-any-worker | eager | each worker { }'
breaks 'store a task or refuse it' 'mutant-refused | eager | each worker { }'
breaks 'lose no task' 'fifo | random | each worker { mutant-lost(ntasks=1) }'
breaks 'push to your children' 'fifo | random | each worker { mutant-upwards(ntasks=1) }'
breaks 'do not block' 'fifo | eager | each worker { mutant-waits }'

# What it takes down with it is only a child.
check --run --plugins "$mutants" 'mutant-crashes | eager | each worker { }'
[ $? = 1 ] || fail "a crash is not found"
grep -q '^xylem: seed [0-9]*: the run crashed (Aborted), after .* mutant-crashes#0' "$work/out" ||
	fail "a crash is not named"

# So is a function that waits without a step.
check --run --plugins "$mutants" 'mutant-sleeps | eager | each worker { }'
[ $? = 1 ] || fail "a pull that sleeps is not found"
grep -q '^xylem: seed [0-9]*: the rule "do not block" is broken: a step waited for 1.*, after pull of mutant-sleeps#0' \
	"$work/out" || fail "a pull that sleeps is not named"

# A replay says what happened.
check --run --plugins "$mutants" 'mutant-twice | eager | each worker { }'
grep -q '^the last steps, with [0-9]* tasks* on cpu:[23]' "$work/out" || fail "no history"
grep -q '^ *[0-9]*  cpu[0-9] *pull mutant-twice#0' "$work/out" || fail "no pull in the history"
check --run --seed 5 tree-eager || fail "one seed"
grep -q '^1 seed, [0-9]* steps: no rule' "$work/out" || fail "one seed runs once"
grep steps "$work/out" >"$work/first"
check --run --seed 5 tree-eager
grep steps "$work/out" | cmp -s - "$work/first" || fail "a seed gives another run"

# refused STATUS PATTERN ARGUMENT...
refused() {
	expected=$1
	pattern=$2
	shift 2
	check "$@"
	[ $? = "$expected" ] || fail "$* does not end with $expected"
	grep -q "$pattern" "$work/out" || fail "$* does not say '$pattern'"
}

refused 1 'did you mean' --run 'fifi | eager | each worker { }'
refused 2 'needs --run' --seeds 3 tree-eager
refused 2 'takes a number' --run --seeds many tree-eager
refused 3 'nothing.so' --run --plugins ./nothing.so tree-eager
exit $status
