# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# What every scheduler must do, with real jobs; local.sh, slurm.sh and pbs.sh source this in the build folder.
#   scenarios SCHEDULER
xylem=$PWD/xylem
faults=0

fault() {
	echo "FAULT: $*"
	faults=$((faults + 1))
}

# expect TEXT: the output in $work/out has it.
expect() {
	grep -qF -- "$1" "$work/out" || {
		fault "no \"$1\" in:"
		cat "$work/out"
	}
}

# farm ARGUMENT...: what the command prints goes to $work/out; returns its status.
farm() {
	timeout 240 "$xylem" farm "$@" >"$work/out" 2>&1
}

# piece_is NAME STATE STARTS FAILS: - is any number.
piece_is() {
	"$xylem" farm status farm.yml --json | python3 -c '
import json, sys
name, state, starts, fails = sys.argv[1:]
piece = [p for p in json.load(sys.stdin)["pieces"] if p["name"] == name][0]
found = piece["state"], str(piece["starts"]), str(piece["fails"])
print(*found)
sys.exit(any(a not in ("-", b) for a, b in zip((state, starts, fails), found)))' "$@" >"$work/piece" || fault "$1 is not $2 with $3 starts and $4 fails but $(cat "$work/piece")"
}

# until_true COMMAND...: waits for it, at least a minute.
until_true() {
	tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || {
			fault "this did not come true in a minute: $*"
			return
		}
		sleep 0.2
	done
}

# piece_became NAME STATE
piece_became() {
	"$xylem" farm status farm.yml --json | python3 -c '
import json, sys
sys.exit(not [p for p in json.load(sys.stdin)["pieces"] if p["name"] == sys.argv[1] and p["state"] == sys.argv[2]])' \
		"$1" "$2"
}

# manager_is: the process that the lock of the farm names.
manager_is() {
	sed -n 's/.*"pid":\([0-9]*\).*/\1/p' farm/lock | grep .
}

# A program for a piece: what its argument says; it also notes if it runs twice at once. With "until" it ends when there
# is a file go.
write_program() {
	cat >program.sh <<'P'
#!/bin/sh
# program.sh WHAT: a piece of work. Notes each run, and whether two overlap.
mkdir "$XYLEM_FARM_DATA/alone" 2>/dev/null || echo "$XYLEM_FARM_PIECE" >>twice
echo "$XYLEM_FARM_PIECE" >>runs
first=no
[ -e "$XYLEM_FARM_DATA/ran" ] || first=yes
touch "$XYLEM_FARM_DATA/ran"
end() {
	rmdir "$XYLEM_FARM_DATA/alone"
	exit "$1"
}
trap 'touch "$XYLEM_FARM_DATA/asked"; end 75' TERM
case $1-$first in
	die-yes) rmdir "$XYLEM_FARM_DATA/alone"; kill -9 $$ ;;
	fail-yes) end 3 ;;
	always-*) end 4 ;;
	again-yes) end 75 ;;
	kill-yes) echo "srun: error: a node is lost"; sleep 300 & wait $!; end 5 ;;
	until-*) until [ -e go ]; do sleep 0.1 & wait $!; done ;;
	forever-*) sleep 300 & wait $! ;;
	params-*) [ "$XYLEM_FARM_PARAMS" = "{\"a\":1,\"b\":\"it's \\\"b\\\"\"}" ] || end 6 ;;
esac
end 0
P
	chmod +x program.sh
}

write_farm() {
	cat >farm.yml <<F
name: all kinds
folder: farm
scheduler: $1
interval: 1
max_fails_per_job: 2
max_simultaneous_jobs: 4
$2
jobs:
  - {name: "it's a \"piece\" \$HOME", command: [./program.sh, fine]}
  - {name: fails once, command: ./program.sh fail}
  - {name: dies once, command: ./program.sh die}
  - {name: asks again, command: ./program.sh again}
  - {name: is killed, command: ./program.sh kill}
  - {name: fails always, command: ./program.sh always}
  - {name: no command, command: "./missing.sh", extra_script: "true"}
  - {name: params, command: ./program.sh params, params: {a: 1, b: "it's \"b\""}}
  - {name: first, command: ./program.sh until}
  - {name: "second-{x}", command: "./program.sh fine {x}", depends_on: first, grid: {x: [1, 2, 3]}}
  - name: before start
    command: ./program.sh fine
    extra_script: |
      [ -e was_here ] || { touch was_here; exit 9; }
F
}

# Everything in one farm: what succeeds, what fails, and why.
scenario_all_kinds() {
	write_farm "$1" "$2"
	: >go
	farm run farm.yml
	status=$?
	[ $status = 1 ] || {
		fault "run ended with $status"
		cat "$work/out"
	}
	expect "2 pieces were given up"
	piece_is "it's a \"piece\" \$HOME" done 1 0
	piece_is "fails once" done 2 1
	piece_is "dies once" done 2 1
	piece_is "asks again" done 2 0
	piece_is "is killed" done 2 1
	piece_is "fails always" "given up" 3 3
	piece_is "no command" "given up" 1 1
	piece_is "params" done 1 0
	piece_is "second-3" done 1 0
	piece_is "before start" done 1 1
	[ ! -e twice ] || fault "ran twice at once: $(cat twice)"
	[ "$(grep -c 'fails always' runs)" = 3 ] || fault "fails always ran $(grep -c 'fails always' runs) times"
	[ -n "$(ls farm/old_logs)" ] || fault "no log was moved to old_logs"
	farm history farm.yml "is killed"
	expect 'kill_on_error "srun: error:" is in its log'
	farm history farm.yml "dies once"
	expect "signal 9"
	farm history farm.yml "before start"
	expect "before its start"
	farm history farm.yml "no command"
	expect "./missing.sh: No such file"
	farm log farm.yml "fails always" || fault "no log of fails always"
	farm retry farm.yml "fails always"
	piece_is "fails always" waiting 3 0
	farm cancel farm.yml "fails always"
	piece_is "fails always" "given up" 3 0
	rm -rf farm runs was_here
}

# A manager that stops leaves jobs running; another goes on; a second one is refused.
scenario_managers() {
	rm -f runs go
	cat >farm.yml <<F
name: managers
scheduler: $1
interval: 1
folder: farm
$2
jobs:
  - {name: "long-{x}", command: ./program.sh until, grid: {x: [1, 2]}}
F
	timeout 200 "$xylem" farm run farm.yml >first.out 2>&1 &
	manager=$!
	until_true piece_became long-1 running
	until_true piece_became long-2 running
	farm run farm.yml && fault "two managers"
	expect "manages this farm"
	# The process that the kernel knows, not the shell's: timeout forwards the signal.
	kill -INT $manager
	wait $manager || fault "Ctrl-C: $(cat first.out)"
	grep -q 'the jobs go on' first.out || fault "no word about jobs that go on"
	timeout 200 "$xylem" farm run farm.yml >first.out 2>&1 &
	manager=$!
	until_true manager_is
	kill -KILL "$(manager_is)"
	wait $manager
	: >go
	farm run farm.yml || fault "the third manager: $(cat "$work/out")"
	expect "taking over"
	piece_is long-1 done 1 0
	piece_is long-2 done 1 0
	[ "$(wc -l <runs)" = 2 ] || fault "two pieces ran $(wc -l <runs) times"
	farm cleanup farm.yml || fault "cleanup"
	[ -z "$(ls farm/logs)" ] || fault "logs are left"
	farm cleanup farm.yml --all || fault "cleanup --all"
	[ ! -e farm ] || fault "the folder is left"
}

# cancel while a manager runs: the job gets SIGTERM, and the manager ends.
scenario_cancel() {
	cat >farm.yml <<F
name: cancel
scheduler: $1
interval: 1
folder: farm
$2
jobs: [{name: endless, command: ./program.sh forever}]
F
	timeout 200 "$xylem" farm run farm.yml >first.out 2>&1 &
	manager=$!
	until_true piece_became endless running
	farm cancel farm.yml endless || fault "cancel: $(cat "$work/out")"
	wait $manager
	piece_is endless "given up" 1 0
	[ -e farm/data/endless/asked ] || fault "the job got no SIGTERM"
	farm retry farm.yml
	piece_is endless waiting 1 0
	rm -rf farm
}

# scenarios SCHEDULER MORE-KEYS: runs all in an empty folder.
scenarios() {
	cd "$work" || exit 99
	write_program
	scenario_all_kinds "$1" "$2"
	scenario_managers "$1" "$2"
	scenario_cancel "$1" "$2"
}
