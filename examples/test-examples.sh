#!/bin/sh
# SPDX-License-Identifier: MIT
# The small examples print what their texts promise, under several policies.
status=0

# shows PROGRAM EXPECTED: its output is this, and it ends well.
shows() {
	got=$("$1" 2>&1) || {
		echo "FAILED: $1 ends with $? under SCHED='$SCHED'"
		status=1
	}
	[ "$got" = "$2" ] || {
		printf 'FAILED: %s under SCHED=%s prints\n%s\ninstead of\n%s\n' "$1" "$SCHED" "$got" "$2"
		status=1
	}
}

for SCHED in '' tree-eager tree-eager-prefetching tree-random tree-parallel-random 'prio | eager | each worker { }'; do
	export SCHED
	shows examples/hello '2.5 5 7.5 10'
	shows examples/complex '-5+10i
2+6i
packed: -5 2 10 6'
	shows examples/dot 'the dot product is 4095936000'
	shows examples/spmd '751.9 113.9 -751.9'
	shows examples/graph 'the sum is 4950
after the second round it is 9900'
	shows examples/errors "a task that fails once and may run twice more:
  read: done
  increment: done
  wait: 0
a task that keeps failing, and one that needs its result:
  read: Input/output error
  increment: Operation canceled
  wait: -5, task 'read' (number 3) failed: Input/output error (-5)
a task that writes the data anew makes it good again:
  set: done
  increment: done
  wait: 0
x = 2"
done
unset SCHED

# built LINE: the tree that is built by calls is that of the policy, and prints this too.
built() {
	got=$(examples/hand_built_tree 2>&1) || status=1
	for line in 'the same as tree-eager-prefetching' "$1"; do
		printf '%s\n' "$got" | grep -qxF "$line" || {
			printf 'FAILED: hand_built_tree does not say "%s" but\n%s\n' "$line" "$got"
			status=1
		}
	done
}
built '1000 of 1000 tasks were run'
XYLEM_SIM=cpu:4 built '1000 tasks of 100 us took 25000 us of virtual time'
# a SCHED of the user replaces the program's tree
SCHED=tree-ws examples/hand_built_tree 2>&1 | grep -qx 'NOT the same as tree-eager-prefetching' || status=1
exit $status
