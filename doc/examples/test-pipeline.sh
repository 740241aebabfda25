#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of doc/pipeline.md print what the page says: lines of the page are beginnings of theirs.
tool=$PWD/sched-pipeline
src=$(cd "${srcdir:-.}" && pwd) || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$src/doc/examples/pipeline" || exit 99

# The commands as "sched-pipeline ..." in commands, what the page says of command n in said.n
awk -v work="$work" '
	/^    \$ sched-pipeline/ { n++; print substr($0, 7) >(work "/commands"); inside = 1; next }
	/^    / && inside { print substr($0, 5) >(work "/said." n); next }
	{ inside = 0 }' "$src/doc/pipeline.md"
status=0
n=0
while read -r _ options; do
	n=$((n + 1))
	# shellcheck disable=SC2086
	"$tool" $options >"$work/out" 2>/dev/null || {
		echo "FAILED: sched-pipeline $options"
		status=1
	}
	awk 'NR == FNR { said[++n] = $0; next } FNR <= n && index($0, said[FNR]) != 1 { exit bad = 1 }
		END { exit bad || FNR < n }' "$work/said.$n" "$work/out" || {
		echo "FAILED: sched-pipeline $options: the page says something else than"
		cat "$work/out"
		status=1
	}
done <"$work/commands"
[ $n -ge 4 ] || {
	echo "FAILED: the page has $n commands"
	status=1
}
exit $status
