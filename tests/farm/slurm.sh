#!/bin/sh
# SPDX-License-Identifier: MIT
# Farms on a real SLURM on loopback: all scenarios, and what only a cluster can do.
. "${srcdir:-.}/tests/farm/cluster.sh"
missing=$(cluster_missing)
. "${srcdir:-.}/tests/farm/scenarios.sh"
"$xylem" farm --help | grep -q 'Not in this build' && exit 77
cluster_begin 2
scenarios slurm ""

# One array for equal resources; a partition that is not there; options that come late.
rm -rf farm
cat >farm.yml <<'F'
name: arrays
scheduler: slurm
interval: 1
folder: farm
jobs:
  - {name: "p{x}", command: ./program.sh fine, grid: {x: [1, 2, 3, 4, 5]}}
  - {name: late, command: ./program.sh fine, late_resources: [echo, --comment=late, --nice=5]}
F
farm run farm.yml || fault "arrays: $(cat "$work/out")"
ids=$("$xylem" farm status farm.yml --json | grep -o '"job":"[0-9]*_' | sort -u | wc -l)
[ "$ids" = 2 ] || fault "six pieces of two sets took $ids arrays"
[ "$(ls farm/scripts | wc -l)" = 2 ] || fault "not one script for each set"
rm -rf farm
sed -i 's/^interval: 1/&\npartition: nowhere/' farm.yml
timeout 100 "$xylem" farm run farm.yml --once >"$work/out" 2>&1
expect "slurm refused a submission (try 1 of 10, again in 1 s): sbatch: error:"
expect "nvalid partition"
piece_is p1 waiting 0 0

# A round asks the queue once and submits each set once, whatever the number of pieces.
rm -rf farm
cat >farm.yml <<'F'
name: calls
scheduler: slurm
interval: 1
folder: farm
jobs:
  - {name: "p{x}", command: ./program.sh fine, grid: {x: [1, 2, 3, 4, 5, 6, 7, 8, 9]}}
  - {name: large, command: ./program.sh fine, cores: 2}
F
mkdir bin
for name in squeue sbatch scancel scontrol sacct; do
	printf '#!/bin/sh\necho %s >>%s/calls\nexec %s "$@"\n' $name "$work" "$(command -v $name)" >bin/$name
	chmod +x bin/$name
done
PATH=$work/bin:$PATH timeout 100 "$xylem" farm run farm.yml --once >"$work/out" 2>&1 || fault "one round: $(cat "$work/out")"
[ "$(sort calls | tr '\n' ' ')" = "sbatch sbatch squeue " ] || fault "a round calls $(sort calls | tr '\n' ' ')"
farm run farm.yml || fault "calls: $(cat "$work/out")"

# A set that SLURM refuses does not keep another one back.
rm -rf farm
cat >farm.yml <<'F'
name: refused
scheduler: slurm
interval: 1
folder: farm
jobs:
  - {name: refused, command: ./program.sh fine, partition: nowhere}
  - {name: taken, command: ./program.sh fine}
F
timeout 200 "$xylem" farm run farm.yml >first.out 2>&1 &
manager=$!
until_true piece_became taken done
kill $manager
wait $manager
piece_is refused waiting 0 0

# A job that the cluster's operator ends is run again.
rm -rf farm
cat >farm.yml <<'F'
name: operator
scheduler: slurm
interval: 1
folder: farm
jobs: [{name: victim, command: ./program.sh until}]
F
rm -f go
timeout 200 "$xylem" farm run farm.yml >first.out 2>&1 &
manager=$!
until_true piece_became victim running
scancel -u root
until_true test -e farm/data/victim/asked
: >go
wait $manager || fault "$(cat first.out)"
piece_is victim done 2 0
[ $faults = 0 ]
