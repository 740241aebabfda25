#!/bin/sh
# SPDX-License-Identifier: MIT
# The farm of samplers on this computer: all 20 pairs in C, a few in Python; a job and the manager are killed in the
# middle, and the points are the same as without. Needs ./xylem of the build folder, with farms.
top=$PWD
src=$(cd "${srcdir:-.}" && pwd) || exit 99
tool=$top/xylem
"$tool" farm --help | grep -q 'farm run' || { echo "farms are not in this build"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
failures=0
unset NO_COLOR
PYTHONPATH=$src/src/python
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

fail() {
	echo "FAILED: $*"
	cat out
	failures=$((failures + 1))
}
until_true() {
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || return 1
		sleep 0.1
	done
}

# farm FOLDER COMMAND SED: the example with another command and other edits.
farm() {
	mkdir -p "$1"
	sed "s|command: ./sampler.*|command: $2|; s/^interval: 1 .*/interval: 0.2/; s/^save_interval: 5/save_interval: 0.2/; $3" \
		"$src/examples/farm/farm.yml" >"$1/farm.yml"
}
run() { timeout 100 "$tool" farm run "$1/farm.yml" >out 2>&1; }

# --- as it is ---
farm whole "$top/examples/farm/sampler" 's/simultaneous_jobs: 2/simultaneous_jobs: 4/'
run whole || fail "the farm ends with $?"
grep -q 'all 20 pieces are done' out || fail "not all is done"
[ "$(find whole/sampler.farm/data -name points | wc -l)" = 20 ] || fail "not 20 files of points"
"$tool" farm status whole/farm.yml >out 2>&1 || fail "the status"
grep -q '20 of 20 done' out || fail "the status does not say so"

# --- a job is killed, then the manager, in the middle of a slow piece ---
few='s/width: .*/width: [0.05]/; s/centre: .*/centre: [-0.25, 0.25]/'
farm part "$top/examples/farm/sampler 15" "$few"
timeout 100 "$tool" farm run part/farm.yml >out 2>&1 &
manager=$!
data=part/sampler.farm/data/peak__width0.05_centre-0.25
saved() { [ "$(wc -l <"$data/points")" -ge "$1" ]; }
until_true saved 20 || fail "nothing is saved"
# The sampler itself: the process that has the folder of the piece in its environment and no children.
victim=$(grep -lz "XYLEM_FARM_DATA=$work/$data" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n' | tail -n 1)
[ -n "$victim" ] && kill -9 "$victim" || fail "no sampler to kill"
until_true saved 60 || fail "it does not go on after its end"
# The manager alone: its jobs go on.
pkill -9 -P $manager 2>/dev/null
wait $manager 2>/dev/null
run part || fail "the second manager ends with $?"
grep -q 'all 2 pieces are done' out || fail "not all is done after the second manager"
for name in peak__width0.05_centre-0.25 peak__width0.05_centre0.25; do
	cmp -s whole/sampler.farm/data/$name/points part/sampler.farm/data/$name/points || fail "$name has other points"
done
"$tool" farm history part/farm.yml peak__width0.05_centre-0.25 >out 2>&1
grep -q 'failed' out || fail "the history does not tell of the job that was killed"

# --- in Python, given pieces and claimed ones ---
if command -v python3 >/dev/null; then
	farm python "python3 $src/examples/farm/sampler.py" "$few"
	run python || fail "in Python the farm ends with $?"
	grep -q 'all 2 pieces are done' out || fail "in Python not all is done"
	farm itself "python3 $src/examples/farm/sampler.py" "$few; s/    goal:/    claims: itself\n    goal:/"
	run itself || fail "claiming itself, the farm ends with $?"
	grep -q 'all 2 pieces are done' out || fail "claiming itself, not all is done"
	cmp -s python/sampler.farm/data/peak__width0.05_centre0.25/points itself/sampler.farm/data/peak__width0.05_centre0.25/points ||
		fail "claiming itself gives other points"
else
	echo "no python3: the sampler in Python is not tested"
fi
[ $failures = 0 ]
