#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs that the pages quote do what the pages say, under several policies.
status=0
for SCHED in '' tree-eager tree-prio-prefetching tree-random-prio-prefetching tree-eager-prio; do
	export SCHED
	for page in tasks data; do
		doc/examples/$page || {
			echo "FAILED: doc/examples/$page under SCHED='$SCHED'"
			status=1
		}
	done
done
exit $status
