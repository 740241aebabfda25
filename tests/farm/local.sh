#!/bin/sh
# SPDX-License-Identifier: MIT
# Farms on this computer: all scenarios, and limits that the scheduler of a cluster would keep.
command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
. "${srcdir:-.}/tests/farm/scenarios.sh"
"$xylem" farm --help | grep -q 'Not in this build' && exit 77
scenarios local ""

# Limits on time and memory, and a job that ends with processes left behind.
cat >farm.yml <<'F'
name: limits
scheduler: local
interval: 0.3
max_fails_per_job: 0
jobs:
  - {name: slow, command: sleep 100, time_limit: 1, warning: 0}
  - {name: large, command: [python3, -c, "import time; x = bytearray(200000000); time.sleep(100)"], memory: 100M}
  - {name: leaves, command: [sh, -c, "sleep 1234567 & echo $! >left; exit 0"]}
F
farm run farm.yml
piece_is slow "given up" - 1
piece_is large "given up" 1 1
piece_is leaves done 1 0
farm history farm.yml slow
expect "the time limit of 1 s is over"
farm history farm.yml large
expect "memory is 100 MB"
# It was killed; its new parent may take a moment to notice.
ended() {
	! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status"
}
until_true ended "$(cat left)"

# A command says when the goal is reached; words before the command; numbers of threads.
cat >farm.yml <<'F'
name: goals
scheduler: local
interval: 0.3
jobs:
  - name: goal
    command: [sh, -c, 'echo x >>"$XYLEM_FARM_DATA/points"']
    goal: {command: [sh, -c, 'test "$(wc -l <"$XYLEM_FARM_DATA/points")" -ge 3']}
  # On a slow computer the signal may come before the trap: then it is run again.
  - {name: warned, command: [sh, -c, "trap 'echo warned; exit 0' USR1; sleep 100 & wait"], time_limit: 60, warning: 58}
  - {name: words, command: [sh, -c, 'echo "$WORD $OMP_NUM_THREADS"'], mpiexec: "env WORD='a b'", num_threads: 3}
F
farm run farm.yml || fault "goals: $(cat "$work/out")"
piece_is goal done 3 0
farm log farm.yml words
expect "a b 3"
piece_is warned done - -
farm log farm.yml warned
expect "warned"

# Cores are slots: no more jobs than cores at once, each bound to its own.
cat >farm.yml <<'F'
name: slots
scheduler: local
interval: 0.3
jobs:
  - {name: "core-{x}", command: [sh, -c, "taskset -cp $$; sleep 0.3"], grid: {x: [1, 2, 3, 4]}}
F
if command -v taskset >/dev/null; then
	farm run farm.yml || fault "slots: $(cat "$work/out")"
	farm log farm.yml core-1 && expect "affinity list"
	grep -q 'list: [0-9]*$' "$work/out" || fault "not bound to one core: $(cat "$work/out")"
fi
sed -i 's/interval: 0.3/&\ncores: 100000/' farm.yml
rm -rf slots.farm
timeout 100 "$xylem" farm run farm.yml >"$work/out" 2>&1
[ $? = 3 ] || fault "a job that can never run does not end the manager: $(cat "$work/out")"
expect "local can never run this: core-1 wants 100000 core(s)"
expect "this computer has"
[ $faults = 0 ]
