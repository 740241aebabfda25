#!/bin/sh
# SPDX-License-Identifier: MIT
# Repetitions in slots on a real SLURM on loopback: a file of CW2 asks for two GPUs, and each repetition has one of those
# that SLURM gave to its job. The GPUs are null devices: only their ids matter.
. "${srcdir:-.}/tests/farm/cluster.sh"
tool=$PWD/xylem
missing=$(cluster_missing)
[ "$(nproc)" -ge 2 ] || missing="$missing needs two processors"
"$tool" farm --help | grep -q 'farm run' || missing="$missing farms are not in this build"
[ -z "$missing" ] || {
	echo "skipped: $missing"
	exit 77
}
work=$(mktemp -d) || exit 99
cluster=$(mktemp -d) || exit 99
trap 'cluster_stop "$cluster"; rm -rf "$work" "$cluster"' EXIT
trap 'exit 99' INT TERM HUP
cd "$work" || exit 99
unset CUDA_VISIBLE_DEVICES SLURM_STEP_GPUS SLURM_JOB_GPUS
cluster_start "$cluster" 1 4 || {
	echo "skipped: SLURM with GPUs does not start here:"
	cat "$cluster"/log/*
	exit 77
}
cat >config.yml <<'END'
---
name: SLURM
partition: test
job-name: shares
num_parallel_jobs: 2
ntasks: 1
cpus-per-task: 2
time: 5
gpus_per_rep: 1
scheduler: horeka
sbatch_args:
  gres: "gpu:2"
---
name: DEFAULT
path: results
repetitions: 4
reps_per_job: 2
reps_in_parallel: 2
---
name: exp
params: {a: 1}
END
# Round by round: a manager that stays looks each minute.
rounds=0
# shellcheck disable=SC2016
until timeout 60 "$tool" farm run --once --cw2 config.yml -- sh -c \
	'echo "$SLURM_JOB_GPUS $CUDA_VISIBLE_DEVICES $XYLEM_SLOTS $OMP_NUM_THREADS" >"$1/gpu"; sleep 1' sh '{folder}' >out 2>&1 &&
	"$tool" farm status --cw2 config.yml | grep -q '2 of 2 done'; do
	rounds=$((rounds + 1))
	[ $rounds -lt 150 ] || {
		echo "FAILED: the farm does not end"
		cat out shares.farm/logs/* results/exp/log/*.log
		exit 1
	}
	sleep 1
done
cat results/exp/log/rep_0?/gpu >found
threads=$(($(nproc) / 2))
awk -v threads=$threads '
	{ n = split($1, ids, ","); inside = 0; for (i = 1; i <= n; i++) inside += ids[i] == $2; jobs[$1]++; seen[$2]++ }
	n != 2 || !inside || $3 != 2 || $4 != threads { print "wrong: " $0; bad = 1 }
	END { for (id in seen) different++; for (job in jobs) if (jobs[job] % 2) bad = 1; exit bad || NR != 4 || different < 2 }' found || {
	echo "FAILED: GPUs of the job, of the repetition, slots and threads are"
	cat found
	exit 1
}
