#!/bin/sh
# SPDX-License-Identifier: MIT
# Farms with PBS's commands: all scenarios on the wrappers of Debian's slurm-wlm-torque around a real SLURM. The test
# tests/farm/round.c reads output in the form that PBS Pro and Torque print.
. "${srcdir:-.}/tests/farm/cluster.sh"
missing=$(cluster_missing)
for program in qsub qstat qdel; do
	command -v $program >/dev/null || missing="$missing there is no $program"
done
. "${srcdir:-.}/tests/farm/scenarios.sh"
"$xylem" farm --help | grep -q 'Not in this build' && exit 77
cluster_begin 2
scenarios pbs ""
[ $faults = 0 ]
