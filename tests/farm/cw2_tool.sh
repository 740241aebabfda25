#!/bin/sh
# SPDX-License-Identifier: MIT
# xylem farm run --cw2: a file of CW2 without a SLURM document runs on this computer, repetitions in slots, results
# where CW2 puts them; the same with a farm.yml. Needs ./xylem of the build folder, with farms.
tool=$PWD/xylem
"$tool" farm --help | grep -q 'farm run' || { echo "farms are not in this build"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
failures=0
unset CUDA_VISIBLE_DEVICES SLURM_STEP_GPUS SLURM_JOB_GPUS NO_COLOR

fail() {
	echo "FAILED: $*"
	cat out
	failures=$((failures + 1))
}

# run STATUS ARGUMENT...: xylem farm, at most a minute; what it says is in out.
run() {
	expected=$1
	shift
	timeout 60 "$tool" farm "$@" >out 2>&1
	status=$?
	[ $status = "$expected" ] || fail "farm $*: exit status $status, not $expected"
}
says() { grep -qF -- "$1" out || fail "does not say: $1"; }

cat >config.yml <<'END'
---
name: DEFAULT
path: results
repetitions: 3
reps_per_job: 2
reps_in_parallel: 1
params:
  offset: 10
---
name: sum
grid:
  first: [1, 2]
  second_term: [5]
---
name: plain
repetitions: 1
params: {first: 7, second_term: 7}
END
# shellcheck disable=SC2016
add='echo "$(($1 + $2)) $XYLEM_REP/$XYLEM_REPS" >"$XYLEM_REP_FOLDER/sum"; echo "$XYLEM_FARM_PARAMS" >"$3/params"'
run 1 run --cw2 config.yml; says 'a file of CW2 names no program: xylem farm run --cw2 FILE -- COMMAND'
run 0 run --cw2 config.yml -- sh -c "$add" sh '{first}' '{second_term}' '{folder}'
says 'all 5 pieces are done'
for case in 1:6 2:7; do
	first=${case%:*}
	sum=${case#*:}
	for rep in 00:0/2 01:1/2 02:2/1; do
		file=results/sum/sum__f${first}_st5/log/rep_${rep%:*}/sum
		[ "$(cat "$file" 2>&1)" = "$sum ${rep#*:}" ] || fail "$file: $(cat "$file" 2>&1)"
	done
done
[ "$(cat results/plain/log/rep_00/sum)" = '14 0/1' ] || fail "an experiment without a sweep"
grep -q '"offset":10' results/sum/sum__f1_st5/log/rep_02/params || fail "the parameters: $(cat results/sum/sum__f1_st5/log/rep_02/params)"
grep -q '"cw_config":{' results/sum/sum__f1_st5/log/rep_02/params || fail "no cw_config"
# The other subcommands know the command from the run.
run 0 status --cw2 config.yml; says '5 of 5 done'
run 0 history --cw2 config.yml sum__f1_st5__rep2; says 'done'
# A repetition that failed is run again, those with results are not.
rm -rf config.farm
rm results/sum/sum__f1_st5/log/rep_01/*
run 0 run --cw2 config.yml -- sh -c 'echo again >"$1/sum"' sh '{folder}'
[ "$(cat results/sum/sum__f1_st5/log/rep_01/sum)" = again ] || fail "a repetition without results is not run"
[ "$(cat results/sum/sum__f1_st5/log/rep_00/sum)" = '6 0/2' ] || fail "a repetition with results is run again"

# --- the same words in a farm.yml ---
cat >farm.yml <<'END'
name: reps
scheduler: local
cores: 1
interval: 0.2
jobs:
  - name: twice
    command: [sh, -c, 'echo "$XYLEM_REP" >"$XYLEM_REP_FOLDER/result"']
    repetitions: 3
    reps_per_job: 2
    reps_in_parallel: 1
END
run 0 run farm.yml; says 'all 2 pieces are done'
[ "$(cat reps.farm/data/twice__rep*/rep_0?/result | tr '\n' ' ')" = '0 1 2 ' ] || fail "repetitions of a farm.yml: $(find reps.farm/data)"
[ ! -e reps ] || fail "results are beside the farm's folder"
[ $failures = 0 ]
