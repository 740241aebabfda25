#!/bin/sh
# SPDX-License-Identifier: MIT
# One program written for StarPU, compiled against StarPU and against Xylem, side by side:
#   bench/starpu/run.sh BUILD-FOLDER [--quick]
# Prints the nanoseconds per task of both (medians of rounds that alternate) and their ratio, and how many instructions
# per task StarPU's interface adds to Xylem's own calls, as callgrind counts them. Exit status 1: a target is missed.
here=$(cd "$(dirname "$0")" && pwd) || exit 99
top=$here/../..
build=${1:?usage: run.sh BUILD-FOLDER [--quick]}
tasks=20000 rounds=5 counted=2000
[ "$2" = --quick ] && tasks=2000 rounds=1 counted=500
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0
libs=$(cd "$build/.libs" && pwd) || exit 99
LD_LIBRARY_PATH=$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH STARPU_SILENT=1

# Lists of words on purpose.
# shellcheck disable=SC2086
ours="-I$top/compat/starpu/include -L$libs -lxylem-starpu -lxylem -pthread"
# shellcheck disable=SC2086
${CC:-cc} -O2 "$here/graphs.c" $ours -o "$work/ours" || exit 99
${CC:-cc} -O2 -I"$top/include" "$here/native.c" -L"$libs" -lxylem -pthread -o "$work/native" || exit 99
theirs=$(pkg-config --cflags --libs starpu-1.3 2>/dev/null)
# shellcheck disable=SC2086
if [ -n "$theirs" ]; then
	${CC:-cc} -O2 "$here/graphs.c" $theirs -o "$work/theirs" || exit 99
else
	echo "StarPU is not there (Debian: libstarpu-dev): only Xylem is measured"
fi

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

printf '%-12s %10s %10s %8s\n' "ns per task" Xylem StarPU ratio
for graph in independent chain wavefront cholesky tags; do
	: >"$work/a"
	: >"$work/b"
	round=0
	while [ $round -lt $rounds ]; do
		"$work/ours" $graph $tasks >>"$work/a" || status=1
		[ -z "$theirs" ] || "$work/theirs" $graph $tasks >>"$work/b" 2>/dev/null || status=1
		round=$((round + 1))
	done
	a=$(median <"$work/a") b=$(median <"$work/b")
	printf '%-12s %10s %10s %8s\n' $graph "$a" "${b:--}" "$(awk "BEGIN { print ${b:-0} ? sprintf(\"%.1f\", ${b:-0} / $a) : \"-\" }")"
	[ -z "$b" ] || awk "BEGIN { exit !($b < 8 * $a) }" && [ -n "$b" ] && {
		echo "$graph: the target is a ratio of 8"
		status=1
	}
done

command -v valgrind >/dev/null || exit $status
# instructions PROGRAM GRAPH TASKS: nothing if the program fails, whose count would mean nothing
instructions() {
	if XYLEM_NCPU=1 STARPU_NCPU=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/$1" "$2" "$3" \
		>"$work/log" 2>&1; then
		awk '/Collected/ { print $4 }' "$work/log"
	else
		cat "$work/log" >&2
	fi
}
for graph in independent chain; do
	for program in ours native; do
		one=$(instructions $program $graph $counted) two=$(instructions $program $graph $((2 * counted)))
		[ -n "$one" ] && [ -n "$two" ] || {
			echo "$graph: $program fails"
			exit 1
		}
		eval "$program=$(((two - one) / counted))"
	done
	# shellcheck disable=SC2154
	echo "$graph: $ours instructions per task, $native by Xylem's own call: $((ours - native)) more"
	[ $((ours - native)) -le 250 ] || {
		echo "$graph: the target is at most 250 more"
		status=1
	}
done
exit $status
