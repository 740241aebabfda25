#!/bin/sh
# SPDX-License-Identifier: MIT
# The sampler, in C and in Python, in a farm's folder that is made by hand as doc/farm-jobs.md says: several jobs share
# the pieces, one is killed and another goes on with what it saved, SIGTERM saves, and interrupted or not the points
# are the same.
top=$PWD
src=$(cd "${srcdir:-.}" && pwd) || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
failures=0
PYTHONPATH=$src/src/python
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

fail() {
	echo "FAILED: $sampler: $*"
	failures=$((failures + 1))
}

# farm FOLDER LOSS WIDTH...: a piece for each width.
farm() {
	folder=$1
	loss=$2
	shift 2
	for part in claims done progress ended logs data; do mkdir -p "$folder/$part"; done
	for width; do
		printf '{"name":"w %s","file":"w%%20%s","set":"s1","argv":["x"],"params":{"width":%s,"centre":-0.25},"depends_on":[],"goal":{"loss":%s}}\n' \
			"$width" "$width" "$width" "$loss"
	done >"$folder/pieces.jsonl"
}

# job FOLDER ID [DELAY]: a job that claims a piece itself.
job() {
	env XYLEM_FARM_FOLDER="$work/$1" XYLEM_FARM_NAME=test XYLEM_FARM_SET=s1 XYLEM_FARM_JOB="$2" \
		XYLEM_FARM_SAVE_INTERVAL=0.2 XYLEM_FARM_LOG_INTERVAL=0.1 timeout 100 $sampler $3
}

# until_true COMMAND...: at most a minute.
until_true() {
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || return 1
		sleep 0.1
	done
}
points() { wc -l <"$1"; }
at_least() { [ "$(points "$1")" -ge "$2" ]; }

check() {
	rm -rf whole part
	# --- one after the other, each takes the next piece; then nothing is left ---
	farm whole 0.02 0.01 0.05
	job whole 1_0 || fail "the first job"
	job whole 1_1 || fail "the second job"
	[ -e 'whole/done/w%200.01' ] && [ -e 'whole/done/w%200.05' ] || fail "not all is done: $(ls whole/done)"
	grep -q '"job":"1_1"' 'whole/claims/w%200.05' || fail "the claim of the second job"
	job whole 1_2 || fail "a job without work"
	[ "$(find whole/claims whole/done -type f | wc -l)" = 4 ] || fail "files are left: $(ls -a whole/claims whole/done)"
	tail -n 1 'whole/progress/w%200.01.jsonl' >last
	grep -qE '^\{"time":[0-9.]+,"job":"1_0","points":[0-9]+,"loss":0\.0[0-9]+,"cpu":[0-9.]+,"memory":[0-9]+,"overhead":[0-9.]+\}$' last ||
		fail "the last line of progress: $(cat last)"
	grep -q "\"points\":$(points 'whole/data/w%200.01/points')," last || fail "it has not all points: $(cat last)"

	# --- killed in the middle, and run again ---
	farm part 0.02 0.01 0.05
	job part 1_0 20 & pid=$!
	until_true at_least 'part/data/w%200.01/points' 20 || fail "nothing is saved"
	# shellcheck disable=SC2046
	kill -9 $(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' 'part/claims/w%200.01')
	wait $pid 2>/dev/null
	[ ! -e 'part/done/w%200.01' ] || fail "it is done although it was killed"
	saved=$(points 'part/data/w%200.01/points')
	# Another job does not touch the claimed piece.
	job part 1_1 || fail "the job beside it"
	[ -e 'part/done/w%200.05' ] && [ ! -e 'part/done/w%200.01' ] || fail "a claimed piece was taken"
	# What the manager does when a job has vanished.
	rm 'part/claims/w%200.01'
	# SIGTERM: it saves, ends with 75, and the job that was requeued goes on with its own claim.
	job part 1_2 20 & pid=$!
	until_true at_least 'part/data/w%200.01/points' $((saved + 20)) || fail "it does not go on with what was saved"
	# shellcheck disable=SC2046
	kill $(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' 'part/claims/w%200.01')
	wait $pid
	[ $? = 75 ] || fail "SIGTERM does not give 75"
	head -n 1 'part/progress/w%200.01.jsonl' | grep -q '"points":1,' || fail "progress does not begin with one point"
	job part 1_2 || fail "the job that was requeued"
	cmp -s 'whole/data/w%200.01/points' 'part/data/w%200.01/points' || fail "interrupted, it has other points"

	# --- as the job script starts it ---
	farm given 0.1 0.01
	mkdir -p 'given/data/w%200.01'
	env XYLEM_FARM_FOLDER="$work/given" XYLEM_FARM_JOB=7 XYLEM_FARM_PIECE='w 0.01' XYLEM_FARM_FILE='w%200.01' \
		XYLEM_FARM_PARAMS='{"width":0.1,"centre":0}' XYLEM_FARM_GOAL='{"points":30}' timeout 100 $sampler || fail "a given piece"
	[ "$(points 'given/data/w%200.01/points')" = 30 ] || fail "the goal of 30 points: $(points 'given/data/w%200.01/points')"
	[ -e 'given/done/w%200.01' ] && [ ! -e 'given/claims/w%200.01' ] || fail "a given piece is claimed again or not done"
	rm -rf given
	# --- outside ---
	env -u XYLEM_FARM_FOLDER $sampler >out 2>&1 && fail "it runs outside of a farm"
	grep -q 'XYLEM_FARM_FOLDER is not set: this is no job of a farm' out || fail "outside: $(cat out)"
}

sampler=$top/examples/farm/sampler
check
if command -v python3 >/dev/null; then
	sampler="python3 $src/examples/farm/sampler.py"
	check
else
	echo "no python3: the sampler in Python is not tested"
fi
[ $failures = 0 ]
