#!/bin/sh
# SPDX-License-Identifier: MIT
# `xylem farm` as people meet it first: the example, the table, the page, and messages for what is wrong.
command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
. "${srcdir:-.}/tests/farm/scenarios.sh"
"$xylem" farm --help | grep -q 'Not in this build' && exit 77
cd "$work" || exit 99

# refused STATUS MESSAGE ARGUMENT...
refused() {
	wanted=$1
	message=$2
	shift 2
	farm "$@"
	status=$?
	[ $status = "$wanted" ] || fault "farm $*: status $status instead of $wanted"
	expect "$message"
}

refused 2 'there is no command "rnu"; did you mean "run"?' rnu farm.yml
refused 2 "needs FARM.yml" run
refused 2 "there is no option --wach; did you mean \"--watch\"?" status --wach farm.yml
refused 1 "No such file" run farm.yml
refused 1 ".: Is a directory" run .
printf 'name: a\njobs:\n  - name: "b\n    command: "c"\n' >quote.yml
refused 1 "that begins in line " run quote.yml
farm init || fault "init"
cp out farm.yml
refused 1 "was not run yet" status farm.yml
farm run farm.yml || fault "the example does not run: $(cat out)"
expect "all 7 pieces are done"
farm run farm.yml || fault "a second run fails"
farm status farm.yml --all && expect "point a=3 b=20"
farm status farm.yml --json && python3 -m json.tool <out >/dev/null || fault "--json is no JSON"
farm status farm.yml --html page.html || fault "--html"
python3 - page.html <<'P' || fault "the page is no HTML"
import sys
from html.parser import HTMLParser

class Checker(HTMLParser):
    seen = set()

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)

Checker().feed(open(sys.argv[1]).read())
sys.exit(not {"table", "svg", "path", "style"} <= Checker.seen)
P
timeout 100 "$xylem" farm status farm.yml --watch >watched &
watch=$!
drew_twice() {
	[ "$(grep -c '7 of 7 done' watched)" -ge 2 ]
}
until_true drew_twice
kill $watch
wait $watch
refused 1 'there is no piece "nobody"' log farm.yml nobody
refused 1 'there is no piece "nobody"' cancel farm.yml nobody
farm log farm.yml "point a=1 b=20" && expect "1 + 20 = 21"

refused 1 'there is no piece "prepar"; did you mean "prepare"?' history farm.yml prepar
refused 1 'there is no piece "prepar"; did you mean "prepare"?' cancel farm.yml prepar
farm status farm.yml && expect "nothing is left to do"

# Columns of the table stand below each other, names that differ at their end only stay different, and what a job says
# does not reach the terminal as it is.
cat >says.sh <<'F'
printf '{"time":1,"points":7,"text":"a\\nb\\u001b[31m"}\n' >>"$XYLEM_FARM_PROGRESS"
F
cat >columns.yml <<'F'
name: columns
scheduler: local
interval: 0.3
jobs:
  - {name: "größe {g}", command: sh says.sh, list: {g: [1, "☃"]}}
  - {name: "a-name-that-has-more-characters-than-the-table-gives-it-{x}", command: "true", list: {x: [1, 2]}}
F
farm run columns.yml || fault "columns: $(cat out)"
farm status columns.yml --all
python3 - out <<'P' || fault "the table: $(cat out)"
import sys
text = open(sys.argv[1], encoding="utf-8").read()
lines = text[text.index("PIECE"):].splitlines()
rows = lines[1:]
assert len(rows) == 4, rows
assert {row.index(" done ") for row in rows} == {lines[0].index("STATE") - 1}, rows
assert rows[2].split()[0] != rows[3].split()[0] and "…" in rows[2], rows
assert not [c for c in text if ord(c) < 32 and c != "\n"], rows
assert rows[0].endswith("a b [31m"), rows
P

# Where nothing can be written, what there is can be read all the same.
if unshare -m true 2>/dev/null; then
	mkdir locked && cp farm.yml locked && (cd locked && farm run farm.yml)
	unshare -m sh -c 'mount --bind locked locked && mount -o remount,ro,bind locked && cd locked && "$1" farm status farm.yml &&
		! "$1" farm run farm.yml' sh "$xylem" >out 2>&1 || fault "a read-only farm: $(cat out)"
	expect "7 of 7 done"
	expect "Read-only file system"
fi

# Another farm in the same folder; a command that is nowhere; a folder that can't be made; a scheduler that is missing.
sed 's/^name: .*/&\nfolder: example.farm/' farm.yml >other.yml
refused 3 "belongs to the farm of" run other.yml
printf 'name: none\nscheduler: local\njobs: [{name: a, command: ./nowhere}]\n' >none.yml
refused 1 'none.yml:3: a: the command "./nowhere" was not found' run none.yml
printf 'name: lost\nfolder: /proc/nothing\nscheduler: local\njobs: [{name: a, command: "true"}]\n' >lost.yml
refused 3 "/proc/nothing" run lost.yml
mkdir bin
ln -s /bin/* /usr/bin/* bin/ 2>/dev/null
rm -f bin/squeue bin/sbatch
printf 'name: poor\nscheduler: slurm\njobs: [{name: a, command: "true"}]\n' >poor.yml
PATH=$work/bin "$xylem" farm run poor.yml --once >out 2>&1
expect "squeue was not found"
[ $faults = 0 ]
