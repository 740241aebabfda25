#!/bin/sh
# SPDX-License-Identifier: MIT
# A pipeline on the tree does in a simulation what sched-pipeline predicts, within 5 %, and runs on real workers.
top=$PWD
src=$(cd "${srcdir:-.}" && pwd) || exit 99
[ -x ./sched-pipeline ] || {
	echo "SKIP: no sched-pipeline, as there is no libyaml"
	exit 77
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
XYLEM_MODELS=none
XYLEM_MACHINES=$src/machines
export XYLEM_MODELS XYLEM_MACHINES
unset SCHED XYLEM_SIM XYLEM_NCPU
status=0

fail() {
	echo "FAILED: $*"
	status=1
}

# schedule: from the example's files to schedule.yml
schedule() {
	"$top/examples/pipeline" --write . && "$top/sched-pipeline" -m made-up -b 1 --cost >schedule.yml || fail "schedule"
}

# period: of the example in ms
period() {
	"$top/examples/pipeline" | sed -n 's/^a microbatch each \([0-9.e+-]*\) ms.*/\1/p'
}

cat >two-speeds.xym <<'EOF'
machine two-speeds
topology core:6
ram 16G
class fast cpu
class slow cpu speed 0.4
workers 2 fast
workers 4 slow
EOF
for XYLEM_SIM in two-speeds.xym cpu:2 cpu:5 cpu:48; do
	export XYLEM_SIM
	schedule
	predicted=$(sed -n 's/^# bottleneck: \([0-9.e+-]*\) s.*/\1/p' schedule.yml)
	for below in '' 'fifo(ntasks=2) |'; do
		SCHED="pipeline(file=schedule.yml) | each worker { $below best-implementation }"
		measured=$(SCHED=$SCHED period)
		echo "$XYLEM_SIM: predicted $predicted s, measured $measured ms"
		awk -v p="$predicted" -v m="$measured" 'BEGIN {
			r = p > 0 ? m / 1e3 / p : 0
			exit !(r >= 0.95 && r <= 1.05)
		}' || fail "$XYLEM_SIM with $SCHED"
	done
done
unset XYLEM_SIM

# The commands of doc/pipeline.md print what the page says.
awk -v work="$work" '
	/^## / { inside = $0 == "## On the tree" }
	/^###/ { inside = 0 }
	inside && /^    \$ / { print substr($0, 7) >(work "/commands") }
	inside && /^    [^$]/ { print substr($0, 5) >(work "/said") }' "$src/doc/pipeline.md"
mkdir page && ln -s "$top/examples" page/examples && ln -s "$top/xylem" page/xylem
(cd page && PATH=.:$PATH sh ../commands) >got || fail "the commands of the page"
cmp said got || {
	fail "the page says something else than"
	cat got
}

# On real workers it takes longer than that, how much depends on the computer.
XYLEM_NCPU=3
export XYLEM_NCPU
schedule
measured=$(SCHED='pipeline(file=schedule.yml) | each worker { best-implementation }' period)
predicted=$(sed -n 's/^# bottleneck: \([0-9.e+-]*\) s.*/\1/p' schedule.yml)
echo "3 workers: predicted $predicted s, measured $measured ms"
awk -v p="$predicted" -v m="$measured" 'BEGIN { exit !(p > 0 && m / 1e3 >= 0.95 * p) }' || fail "three workers"
exit $status
