#!/bin/sh
# SPDX-License-Identifier: MIT
# A manager is killed before and after every transaction that it makes and started again: no piece is lost, none runs in
# two jobs at once, and none that was done runs again.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
build=$PWD
cd "$work" || exit 99
cat >program.sh <<'P'
#!/bin/sh
mkdir "$XYLEM_FARM_DATA/alone" 2>/dev/null || echo "$XYLEM_FARM_PIECE" >>twice
echo "$XYLEM_FARM_PIECE" >>runs
sleep 0.1
rmdir "$XYLEM_FARM_DATA/alone"
[ "$1" = fine ] || [ -e "$XYLEM_FARM_DATA/ran" ] || { touch "$XYLEM_FARM_DATA/ran"; exit 3; }
P
chmod +x program.sh
cat >farm.yml <<'F'
name: crash
scheduler: local
max_simultaneous_jobs: 2
jobs:
  - {name: one, command: ./program.sh fine}
  - {name: two, command: ./program.sh fails}
  - {name: three, command: ./program.sh fine, depends_on: one}
F
faults=0
point=1
while :; do
	rm -rf crash.farm runs twice
	timeout 60 "$build/tests/farm/crash" farm.yml "$build/xylem" $point 2>first.out
	first=$?
	timeout 60 "$build/tests/farm/crash" farm.yml "$build/xylem" 0 2>second.out || {
		echo "point $point: the second manager failed: $(cat second.out)"
		faults=$((faults + 1))
	}
	sort runs >sorted
	printf 'one\nthree\ntwo\ntwo\n' | cmp -s - sorted || {
		echo "point $point: these ran: $(tr '\n' ' ' <sorted)"
		faults=$((faults + 1))
	}
	[ ! -e twice ] || {
		echo "point $point: ran twice at once: $(cat twice)"
		faults=$((faults + 1))
	}
	[ "$(ls crash.farm/done | wc -l)" = 3 ] || {
		echo "point $point: not everything is done"
		faults=$((faults + 1))
	}
	[ $first != 0 ] || break
	point=$((point + 1))
	[ $point -lt 200 ] || break
done
echo "killed at $((point - 1)) points"
[ $point -gt 20 ] && [ $faults = 0 ]
