#!/bin/sh
# SPDX-License-Identifier: MIT
# Xylem's programs of the benches run each graph with a few tasks, and its results are right; the
# driver finds its number. Says nothing about speed.
status=0
# Programs that are linked with the double of libcudart find it before what other tests find.
LD_LIBRARY_PATH=$PWD/tests/double/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# expect_of PROGRAM KEY ARGUMENT...: it exits with 0 and prints a line that begins with KEY; or it can't run here.
expect_of() {
	program=$1
	key=$2
	shift 2
	output=$(bench/peers/"$program" "$@" 2>&1)
	case $? in
	0) echo "$output" | grep -qE "^$key +-?[0-9]" && return ;;
	77) return ;;
	esac
	echo "failed: bench/peers/$program $*: $output"
	status=1
}

expect() {
	expect_of xylem "$@"
}

for workers in 1 2; do
	for graph in "independent 1000" "inserted 1000" "modelled 300" "nested 3000" "chain 300" "wavefront 12" "stencil 5 20" \
		"stencil 1 4" "stencil 5 20 --owned" "fans 10 7"; do
		# shellcheck disable=SC2086
		expect ns_per_task $graph --workers $workers --repeat 2
	done
	expect bytes_per_task memory 200 --workers $workers
	expect wake_ns wake 3 --workers $workers
	expect first_start_stop_ns start-stop 2 --workers $workers
done
expect ns_per_task independent 500 --sched 'fifo | stage | eager | each worker { best-implementation }'

for devices in 0 1 2; do
	expect_of data cpu_ns_per_access fetch 300 --devices $devices --repeat 2
done
for sched in tree-eager tree-eager-prefetching; do
	expect_of data us_per_task overlap 3 --sched $sched --repeat 1
done
expect_of doubles 'tree-[a-z]*' --tiles 3 --repeat 1
expect_of doubles 'tree-ws' --tiles 2 --repeat 1 --no-models tree-ws
if [ -x bench/peers/devices-xylem ]; then
	POCL_CACHE_DIR=$PWD/tests/pocl-cache
	export POCL_CACHE_DIR
	expect_of devices-xylem kib_per_task product 2 16 --repeat 1 --sched tree-ws
	expect_of devices-xylem us_per_task chain 6 16 --repeat 1
	expect_of devices-xylem runtime_out bandwidth --repeat 1
fi

if bench/peers/xylem independent 10 --sched no-such-policy >/dev/null 2>&1; then
	echo "a policy that does not exist is not an error"
	status=1
fi
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
ln -s "$PWD/bench/peers/xylem" "$folder/xylem"
if ! bench/run --quick --rounds 1 --peers "$folder" --csv "$folder/values" start-stop >"$folder/table" 2>&1 ||
	! grep -q '^Xylem default  *[0-9]' "$folder/table" || ! grep -q ',Xylem default,.*,[0-9]' "$folder/values"; then
	cat "$folder/table"
	status=1
fi
exit $status
