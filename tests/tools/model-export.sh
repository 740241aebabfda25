#!/bin/sh
# SPDX-License-Identifier: MIT
# xylem model export: from measured models to a schedule, and what it says when something is missing.
top=$PWD
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
mkdir "$work/models" && cd "$work" || exit 99
XYLEM_MODELS=$work/models
export XYLEM_MODELS
status=0

fail() {
	echo "FAILED: $*"
	status=1
}

# model NAME HOST ROW...: a file as a runtime stores it; a row is "arch implementation size median"
model() {
	name=$1 host=$2
	shift 2
	{
		printf 'xylem model 1\nname %s\nhost %s\nkind history\nsaved 1763290000\n' "$name" "$host"
		for row; do
			# shellcheck disable=SC2086
			set -- $row
			printf 'row %s %s %08x %s %s 0.1 %s 0.1 20 0 0 1763290000\n' "$1" "$2" $(($3 + 7)) "$3" "$4" "$4"
		done
		echo end
	} >"models/$name.$host.model"
}

# run STATUS ARGUMENTS: what it prints is in out and err
run() {
	expected=$1
	shift
	"$top/xylem" model export "$@" >out 2>err
	got=$?
	[ $got = "$expected" ] || {
		fail "model export $*: $got instead of $expected"
		cat out err
	}
}

model first fast 'cpu 0 1048576 4000' 'cpu 1 1048576 3000' 'cuda 0 1048576 1000'
model first slow 'cpu 0 1048576 6000'
model block fast 'cpu 0 2097152 2000' 'cuda 0 2097152 500'
model block slow 'cpu 0 2097152 4000' 'cpu 0 4194304 9000'
model last fast 'cpu 0 1048576 1000'
model last slow 'cpu 0 1048576 2000'

run 2 --device-types
run 2 first last
run 2 --device-types first*0
run 2 --device-types first --out 1000
run 2 --device-types first --memory much
run 2 --device-types first --colour red
run 2 --device-types first --batch-size 2.5
run 2 --device-types first --batch-size 0
run 2 --device-types first --out 1.5 --bandwidth 1
run 2 --device-types 'first*1000' 'last*25'
grep -q 'more than 1024 layers' err || fail "too many layers: $(cat err)"
run 0 --help
grep -q 'usage: xylem model .*list' out || fail "--help: $(cat out)"
run 1 --device-types nothing
run 1 --device-types first nothing
[ ! -e models.yml ] && [ ! -e device_types.yml ] || fail "files were left by what failed"
run 3 --device-types first block*4 last
grep -q 'block@2097152 or block@4194304' err || fail "several sizes: $(cat err)"

run 0 --device-types --model-name net --batch-size 2 --out 8000 --bandwidth 1000 first block@2097152*4 last
[ "$(cat out)" = 'fast-cpu
slow-cpu' ] || fail "types: $(cat out)"
cat >expected <<'EOF'
"net":
  layers: 6
  parameters_in: 1000
  mem_MB: [1, 2, 2, 2, 2, 1]
  parameters_out: [1000, 1000, 1000, 1000, 1000, 1000]
EOF
cmp -s expected models.yml || fail "models.yml: $(cat models.yml)"
grep -qF 'time_s: [0.003, 0.002, 0.002, 0.002, 0.002, 0.001]' device_types.yml || fail "fast: $(cat device_types.yml)"
grep -qF 'time_s: [0.006, 0.004, 0.004, 0.004, 0.004, 0.002]' device_types.yml || fail "slow: $(cat device_types.yml)"

# what is large, or no multiple of a parameter, is still a whole number and never less than it is
mkdir large odd
run 0 --device-types --folder large --out 8589934592 --bandwidth 1000 last
grep -qx '  parameters_out: \[2147483648\]' large/models.yml || fail "large: $(cat large/models.yml)"
run 0 --device-types --folder odd --out 1001 --batch-size 8 --bandwidth 1000 last
grep -qx '  parameters_in: 32' odd/models.yml || fail "odd: $(cat odd/models.yml)"
grep -qx '  parameters_out: \[32\]' odd/models.yml || fail "odd: $(cat odd/models.yml)"

# nothing is overwritten
run 3 --device-types first
grep -q -- '--folder' err || fail "overwriting: $(cat err)"
mkdir only
run 0 --device-types --folder only first block@2097152
[ "$(cat out)" = 'fast-cpu
fast-cuda
slow-cpu' ] || fail "types with cuda: $(cat out)"

# and sched-pipeline makes the best of it: two hosts of the fast type, one slow one
[ -x "$top/sched-pipeline" ] || exit $status
printf 'fast-cpu:\n- a\n- b\nslow-cpu:\n- c\n' >devices.yml
"$top/sched-pipeline" -m net -b 2 --cost >schedule.yml || fail "sched-pipeline"
[ "$(sed -n 's/^# bottleneck: \([0-9.]*\) s.*/\1/p' schedule.yml)" = 0.005 ] || fail "schedule: $(cat schedule.yml)"
[ "$(grep -c '^-' schedule.yml)" = 3 ] || fail "schedule: $(cat schedule.yml)"
exit $status
