#!/bin/sh
# SPDX-License-Identifier: MIT
# Xylem's program of the benches runs each graph with a few tasks, and its results are right; the
# driver finds its number. Says nothing about speed.
status=0

# expect KEY ARGUMENT...: the program exits with 0 and prints a line that begins with KEY.
expect() {
	key=$1
	shift
	if ! output=$(bench/peers/xylem "$@") || ! echo "$output" | grep -qE "^$key -?[0-9]"; then
		echo "failed: bench/peers/xylem $*: $output"
		status=1
	fi
}

for workers in 1 2; do
	for graph in "independent 1000" "nested 3000" "chain 300" "wavefront 12" "stencil 5 20" \
		"stencil 1 4" "fans 10 7"; do
		# shellcheck disable=SC2086
		expect ns_per_task $graph --workers $workers --repeat 2
	done
	expect bytes_per_task memory 200 --workers $workers
	expect wake_ns wake 3 --workers $workers
	expect first_start_stop_ns start-stop 2 --workers $workers
done
expect ns_per_task independent 500 --sched 'fifo | stage | eager | each worker { best-implementation }'

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
