#!/bin/sh
# SPDX-License-Identifier: MIT
# tree-cambium stays ahead of tree-dmdas where it was found to be, and near the best of others on large graphs and with
# noise, which costs it little. Needs ./xylem of the
# build folder.
tool=./xylem
here=${srcdir:-.}
failures=0
unset SCHED XYLEM_SIM XYLEM_PLUGINS XYLEM_WINDOW NO_COLOR
XYLEM_MACHINES=$(cd "$here" && pwd)/machines
export XYLEM_MACHINES

# makespans POLICIES MACHINE GRAPH OPTION...: one for each policy, on one line, in the unit that the tool chose.
makespans() {
	policies=$1
	machine=$2
	graph=$3
	shift 3
	timeout 100 $tool sim --machine "$machine" --graph "$graph" --policy "$policies" --bound area "$@" 2>&1 |
		awk '/^tree-/ { printf "%s ", $2 }'
}

# ahead MACHINE GRAPH OPTION...: its makespan is shorter, or the same to within a thousandth.
ahead() {
	both=$(makespans tree-cambium,tree-dmdas "$@")
	if ! echo "$both" | awk '{ exit !($1 > 0 && $2 > 0 && $1 < 1.001 * $2) }'; then
		echo "FAILED: on $*: tree-cambium and tree-dmdas take '$both'"
		failures=$((failures + 1))
	fi
}

# near PERCENT MACHINE GRAPH OPTION...: its makespan is at most so much longer than the best of three others'.
near() {
	percent=$1
	shift
	all=$(makespans tree-cambium,tree-dmdas,tree-heft,tree-eager "$@")
	if ! echo "$all" | awk -v percent="$percent" '{
		best = $2 < $3 ? $2 : $3
		best = best < $4 ? best : $4
		exit !($1 > 0 && best > 0 && $1 < (1 + percent / 100) * best)
	}'; then
		echo "FAILED: on $*: tree-cambium, tree-dmdas, tree-heft and tree-eager take '$all'"
		failures=$((failures + 1))
	fi
}

# steady MACHINE GRAPH: with 10 % noise the median of five runs is at most 3 % longer.
steady() {
	quiet=$(makespans tree-cambium "$1" "$2" --no-transfers)
	noisy=$(makespans tree-cambium "$1" "$2" --no-transfers --noise 0.1 --repeat 5)
	if ! awk -v quiet="$quiet" -v noisy="$noisy" 'BEGIN { exit !(quiet > 0 && noisy > 0 && noisy < 1.03 * quiet) }'
	then
		echo "FAILED: on $1, $2: '$quiet' ms become '$noisy' ms with noise"
		failures=$((failures + 1))
	fi
}

for size in 8 12 16 24; do
	ahead mirage cholesky:$size --no-transfers
	ahead mirage cholesky:$size
done
ahead idgraf cholesky:24 --no-transfers
ahead mirage lu:16 --no-transfers
ahead mirage qr:12 --no-transfers
ahead node-64-8 cholesky:20 --no-transfers
ahead idgraf cholesky:24
ahead node-64-8 cholesky:24
ahead mirage lu:16
ahead mirage qr:12
ahead idgraf stencil:20x20
ahead mirage forkjoin:20x10
for machine in mirage idgraf laptop; do
	ahead $machine random:seed=1
done
# A few more tasks than a program has in flight; five times as many as in the simulator; and where a branch is best
# without noise only.
near 3 mirage qr:18
near 3 node-64-8 lu:40
near 10 attila random:layers=35:width=57:degree=5:us=3200:bytes=4096K:seed=454 --noise 0.1 --repeat 5
steady mirage cholesky:16
steady mirage lu:16
steady idgraf cholesky:24

exit $((failures > 0))
