#!/bin/sh
# SPDX-License-Identifier: MIT
# xylem sim and xylem bound: what they print, that it is the same each time, and what they refuse. Needs ./xylem of
# the build folder.
tool=./xylem
here=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0
unset SCHED XYLEM_SIM XYLEM_PLUGINS NO_COLOR
XYLEM_MACHINES=$(cd "$here" && pwd)/machines
export XYLEM_MACHINES

# expect STATUS TEXT COMMAND...: the exit status, and a text in the output.
expect() {
	status=$1
	text=$2
	shift 2
	timeout 100 "$@" >"$work/out" 2>&1
	found=$?
	if [ $found -ne "$status" ] || { [ "$text" ] && ! grep -qF -- "$text" "$work/out"; }; then
		echo "FAILED: $* gives $found instead of $status, or not \"$text\":"
		cat "$work/out"
		failures=$((failures + 1))
	fi
}

# simulate POLICIES ARGUMENT...: into $work/out, without the last column, which is this computer's time.
simulate() {
	policies=$1
	shift
	timeout 100 $tool sim --machine mirage --graph cholesky:8 --policy "$policies" "$@" 2>&1 |
		sed 's/ *[0-9.]*$//' >"$work/out"
}

# shellcheck disable=SC2086
sim="$tool sim --machine mirage --graph cholesky:8"

# The bound is the one of the linear program, and nobody beats it.
if $tool bound cholesky:8 --machine mirage | grep -q 'not available'; then
	expect 0 'mixed 98.660' $sim --policy tree-eager
else
	expect 0 'lp 118.169' $sim --policy tree-eager
	expect 0 'lp 612.583' $tool bound cholesky:16 --machine mirage
	expect 0 'lp 1981.590' $tool bound cholesky:24 --machine mirage
fi
expect 0 'area 93.359, path 98.516, mixed 98.660' $sim --policy tree-eager --bound area
expect 0 '120 tasks, on mirage: 9 cpu, 3 cuda' $tool bound cholesky:8 --machine mirage

# Policies, expressions with commas in them, and static schedules.
expect 0 'ready) | best' $sim \
	--policy 'tree-eager, fifo | eager | each worker { fifo(ntasks=2, ready) | best-implementation },heft'
expect 0 'peft' $sim --policy heft,cpop,peft
expect 0 'peft       1044.449' $tool sim --machine idgraf --graph cholesky:24 --no-transfers --policy heft,peft --bound area
expect 0 'noise 10 %' $sim --policy tree-ws --noise 0.1 --repeat 3 --seed 7
expect 0 'median of 2 runs, with seeds from 9' $sim --policy tree-ws --repeat 2 --seed 9
expect 0 'the first 64 of 10000 workers' sh -c \
	"$tool sim --machine huge --graph independent:200 --policy tree-ws --gantt $work/huge.svg && cat $work/huge.svg"

# Without transfers nothing is moved and nobody waits for data.
simulate tree-eager --no-transfers
mv "$work/out" "$work/first"
expect 0 ' 0.0     0.0        0.0' cat "$work/first"

# The same twice, with another seed not.
for policy in tree-eager tree-ws tree-dmdas tree-heft tree-random heft; do
	simulate $policy --noise 0.2 --seed 5
	mv "$work/out" "$work/first"
	simulate $policy --noise 0.2 --seed 5
	cmp -s "$work/first" "$work/out" || {
		echo "FAILED: $policy differs from one time to the other"
		diff "$work/first" "$work/out"
		failures=$((failures + 1))
	}
	simulate $policy --noise 0.2 --seed 6
	! cmp -s "$work/first" "$work/out" || {
		echo "FAILED: $policy does not listen to its seed"
		failures=$((failures + 1))
	}
done

# A chart.
expect 0 '' $sim --policy tree-dmdas,tree-eager --gantt "$work/chart.svg"
expect 0 '</svg>' cat "$work/chart.svg"
expect 0 '>cuda2</text>' cat "$work/chart.svg"
expect 0 "stroke='#c00'" cat "$work/chart.svg"
if command -v xmllint >/dev/null; then
	expect 0 '' xmllint --noout "$work/chart.svg"
fi
expect 3 'No such file' $sim --policy tree-eager --gantt "$work/nowhere/chart.svg"

# JSON.
if command -v python3 >/dev/null; then
	$sim --policy 'tree-eager,no-such,heft' --repeat 2 --json >"$work/json" 2>/dev/null
	expect 0 'fine' python3 -c '
import json, sys
j = json.load(open(sys.argv[1]))
rows = j["policies"]
assert [r["policy"] for r in rows] == ["tree-eager", "no-such", "heft"], rows
assert [r["failed"] for r in rows] == [False, True, False], rows
for row in rows[0], rows[2]:
    assert row["makespan_us"] >= j["bounds_us"]["mixed"] > 0
    assert len(row["makespans_us"]) == 2
    assert sum(row["idle_percent"].values()) <= 100.001
print("fine")' "$work/json"
	# On several machines and graphs nobody is faster than the bound, and everybody ends.
	for machine in laptop mirage node-64-8; do
		for graph in cholesky:6 lu:5 qr:4 random:layers=8:width=9 stencil:6x8 forkjoin:8x4; do
			expect 0 '' $tool sim --machine $machine --graph $graph --limit 1 --json --no-transfers \
				--policy tree-eager,tree-ws,tree-dmdas,tree-heft,heft,peft
			mv "$work/out" "$work/json"
			expect 0 'fine' python3 -c '
import json, sys
j = json.load(open(sys.argv[1]))
bounds = [v for v in j["bounds_us"].values() if v is not None]
for row in j["policies"]:
    assert not row["failed"] and row["makespan_us"] >= max(bounds), (j["machine"], j["graph"], row)
print("fine")' "$work/json"
		done
	done
	# Idle fast workers go first: 33 % of the bound if the worker that ends a task takes the next, 64 % so.
	$tool sim --machine mirage --graph cholesky:16 --policy tree-eager --bound mixed --json >"$work/json"
	expect 0 'fine' python3 -c '
import json, sys
row = json.load(open(sys.argv[1]))["policies"][0]
assert row["percent"] > 50, row
print("fine")' "$work/json"
	expect 0 '"recorded_us": null' $tool bound cholesky:4 --machine mirage --json
	$tool bound cholesky:4 --machine mirage --json >"$work/json"
	expect 0 '' python3 -m json.tool "$work/json"
fi

# A recorded run, of two tasks one behind the other on one of two workers: 3 ms, of which 2 are needed.
cat >"$work/run.xyg" <<END
xygraph 1
kernel "a"
data d0 8
task t0 "a" us=1000 rw=d0 worker=0 ready=0 start=500 end=1500
task t1 "a" us=1000 rw=d0 worker=0 ready=1500 start=2000 end=3000
END
expect 0 'the recorded run took 3000.000 us: 66.7 % of the bound' \
	$tool bound "$work/run.xyg" --machine cpu:2 --bound path
expect 0 'path 2000.000' $tool sim --graph "$work/run.xyg" --machine cpu:2 --policy tree-eager

# Why workers are idle. Two tasks in a chain on two workers: one of them has nothing to do, which is half of the time.
# Two that one worker does a hundred times as fast: the other could help for half of it, but better doesn't.
expect 0 ' 50.0   50.0    0.0     0.0 ' $tool sim --graph "$work/run.xyg" --machine cpu:2 --policy tree-eager
cat >"$work/costs.xyg" <<END
xygraph 1
processors 2
kernel "a"
task t0 "a" costs=1000,100000
task t1 "a" costs=1000,100000
END
expect 0 ' 50.0   25.0    0.0    25.0 ' $tool sim --graph "$work/costs.xyg" --machine cpu:2 --policy heft

# Data without bytes on a machine with devices.
sed 's/^data d0 8/data d0 0/' "$work/run.xyg" >"$work/empty.xyg"
expect 0 'tree-dmda' $tool sim --machine mirage --graph "$work/empty.xyg" --policy tree-dmda

# The tasks that a reduction adds are in the table and in the chart.
cat >"$work/redux.xyg" <<END
xygraph 1
kernel k us=10
data sum 100K
data x 1K
task first k w=sum
task a k redux=sum
task b k redux=sum
task c k r=sum commute=x
task d k commute=x
END
expect 0 'peft' $tool sim --machine cpu:2 --graph "$work/redux.xyg" --policy tree-eager,heft,cpop,peft \
	--gantt "$work/redux.svg"
expect 0 '<title>reduction' cat "$work/redux.svg"
if grep -q failed "$work/out"; then
	echo "FAILED: a policy on a graph with reductions"
	failures=$((failures + 1))
fi

# Durations keep their digits; those that no number of microseconds can be are refused; so is what is no text.
printf 'xygraph 1\nkernel "k"\ntask t0 "k" us=123456789.123\n' >"$work/digits.xyg"
expect 0 '"makespan_us": 123456789.12' $tool sim --machine cpu:2 --graph "$work/digits.xyg" --policy tree-eager --json
sed 's/us=.*/us=1e39/' "$work/digits.xyg" >"$work/endless.xyg"
expect 1 ':3: expected microseconds, at most 1e30, instead of' \
	$tool sim --machine cpu:2 --graph "$work/endless.xyg" --policy tree-eager
expect 1 'instead of a zero byte' $tool sim --machine cpu:2 --graph /dev/zero --policy tree-eager

# Several graphs and machines.
expect 0 '' $tool sim --machine 'laptop, cpu:4 cuda:2*15' --graph random:layers=4,chain:5 --policy tree-eager,heft --csv \
	--plot "$work/plot.svg"
[ "$(wc -l <"$work/out")" = 9 ] || {
	echo "FAILED: CSV of four cases and two policies:"
	cat "$work/out"
	failures=$((failures + 1))
}
expect 0 'chain:5, 5 tasks, on @laptop: 8 cpu, 1 cuda' $tool sim --machine @laptop --graph chain:5 --policy tree-eager
expect 0 '8 runs; box' cat "$work/plot.svg"
expect 0 'chain:5 on cpu:4 cuda:2*15' cat "$work/plot.svg"
expect 0 '"workers": 6' $tool sim --machine 'laptop,cpu:4 cuda:2*15' --graph chain:5 --policy tree-eager --json
if command -v python3 >/dev/null; then
	$tool sim --machine 'laptop,cpu:4' --graph chain:5 --policy tree-eager --json >"$work/json"
	expect 0 '' python3 -m json.tool "$work/json"
fi
expect 2 'takes one machine and one graph' $tool sim --machine laptop --graph chain:5,chain:6 --policy tree-eager \
	--schedule "$work/run.csv"
expect 2 '--json and --csv exclude each other' $sim --policy tree-eager --json --csv

# What static schedulers planned: the published makespans. What they became, task by task.
expect 0 'planned: heft 80.000 us, cpop 86.000 us, peft 85.000 us' \
	$tool sim --machine apart-3 --graph "$here/graphs/topcuoglu.xyg" --policy heft,cpop,peft
expect 0 'planned: heft 133.000 us, cpop 167.000 us, peft 122.000 us' \
	$tool sim --machine apart-3 --graph "$here/graphs/arabnejad.xyg" --policy heft,cpop,peft
expect 0 '' $tool sim --machine cpu:2 --graph "$work/run.xyg" --policy tree-eager --schedule "$work/run.csv"
printf '%s\n' 'policy,task,name,kernel,worker,ready_us,fetch_us,start_us,end_us,data,from,to,bytes' \
	'tree-eager,0,,a,cpu0,0,0,0,1000,,,,' 'tree-eager,1,,a,cpu0,1000,1000,1000,2000,,,,' >"$work/first"
expect 0 '' diff "$work/first" "$work/run.csv"

# Static schedulers know what fits: a task too large for the device goes to a core, though that is slower.
cat >"$work/small.xym" <<END
machine small
class core cpu
class gpu cuda speed 10
workers 2 core
devices 1 gpu memory 16M
link in 10us 10GB/s
route ram0 <-> cuda0 via in
END
cat >"$work/large.xyg" <<END
xygraph 1
kernel work us=100
data d0 10M
data d1 10M
data d2 1K
task t0 work rw=d0,d1
task t1 work rw=d2
END
for policy in heft cpop peft tree-heft tree-dmdas tree-cambium; do
	expect 0 '' $tool sim --machine "$work/small.xym" --graph "$work/large.xyg" --policy $policy \
		--schedule "$work/run.csv"
	expect 0 "$policy,0,,work,cpu" cat "$work/run.csv"
done

# Factorizations run on a machine that knows no kernel.
expect 0 'lp' \
	$tool sim --machine 'cpu:4 cuda:2*15' --graph cholesky:4,lu:4,qr:4,random:kernels=qr --policy heft,tree-dmdas
expect 0 '"path": 29491.' $tool bound qr:1 --machine cpu:2 --json
expect 1 'gives a duration of spotrf' $tool sim --machine laptop --graph cholesky:3:tile=7 --policy heft

# Transfers of a schedule: a replay finds all content where a task needs it, transfers of one device and direction
# never overlap, and their bytes are those that the run has moved. Arguments: policy.
replay() {
	expect 0 '' $tool sim --machine mirage --graph "$work/dense.xyg" --policy "$1" --csv --limit 0 \
		--schedule "$work/dense.csv"
	bytes=$(awk -F, -v policy="$1" '$7 == policy { print $19 }' "$work/out")
	awk -F, 'FNR == 1 { next }
		$2 != "" { print $9, 1, "end", $2, $5; print $8, 3, "start", $2, $5 }
		$2 == "" { print $9, 0, "arrive", FNR, $10, $11, $12; print $8, 2, "leave", FNR, $10, $11, $12 }' \
		"$work/dense.csv" | sort -k1,1g -k2,2n >"$work/order"
	awk -F, 'FNR > 1 { sum += $13 } END { printf "moved %d\n", sum }' "$work/dense.csv" >"$work/moved"
	awk 'function fail(text) { print "wrong: " $0 ": " text }
		FNR == NR && $1 == "task" {
			for (i = 4; i <= NF; i++)
				if (split($i, side, "=") == 2 && side[1] ~ /^(r|w|rw)$/) {
					n = split(side[2], names, ",")
					for (k = 1; k <= n; k++)
						uses[substr($2, 2)] = uses[substr($2, 2)] " " side[1] substr(names[k], 2)
				}
		}
		FNR == NR { next }
		$3 == "leave" {
			way = ($6 == "ram0" ? "in " $7 : $7 == "ram0" ? "out " $6 : "peer " $7)
			if (busy[way]++)
				fail("overlaps another one")
			if (!((($5, $6) in at) && at[$5, $6] == version[$5] + 0 || $6 == "ram0" && !version[$5]))
				fail("leaves where the content is not")
			of[$4] = version[$5] + 0
		}
		$3 == "arrive" {
			way = ($6 == "ram0" ? "in " $7 : $7 == "ram0" ? "out " $6 : "peer " $7)
			busy[way]--
			at[$5, $7] = of[$4]
		}
		$3 == "start" || $3 == "end" {
			node = $5 ~ /^cpu/ ? "ram0" : $5
			n = split(uses[$4], list, " ")
			for (k = 1; k <= n; k++) {
				mode = list[k]; sub(/[0-9]*$/, "", mode)
				datum = substr(list[k], length(mode) + 1)
				here = ((datum, node) in at) && at[datum, node] == version[datum] + 0
				if ($3 == "start" && mode ~ /r/ && !here && !(node == "ram0" && !version[datum]))
					fail("datum " datum " is not there")
				if ($3 == "end" && mode ~ /w/)
					at[datum, node] = ++version[datum]
			}
			tasks += $3 == "end"
		}
		END { print tasks " tasks" }' "$work/dense.xyg" "$work/order" >"$work/replayed"
	expect 0 "moved $bytes" cat "$work/moved"
	expect 0 '' diff "$work/replayed" "$work/dense.count"
}
$tool graph cholesky:8 -o "$work/dense.xyg"
echo "$(grep -c '^task' "$work/dense.xyg") tasks" >"$work/dense.count"
for policy in tree-dmdas tree-eager tree-cambium; do
	replay $policy
done

# A task that does nothing, and a datum without content, have times too.
cat >"$work/empty.xyg" <<END
xygraph 1
kernel work us=1000
data d0 0
task t0 work rw=d0
task t1 - rw=d0
task t2 work rw=d0
END
expect 0 '' $tool sim --machine cuda:2 --graph "$work/empty.xyg" --policy 'random | each worker { fifo }' --seed 1 \
	--schedule "$work/run.csv"
expect 0 'task 1 and 3 moves, of which 2 at the end of task 0' awk -F, '
	$2 == "0" { end = $9 }
	$2 == "1" && $6 == end && $7 == end && $8 == end && $9 == end { found = "task 1" }
	$10 == "0" { moves++; late += $6 == end && $8 == end && $9 == end }
	END { print found " and " moves " moves, of which " late " at the end of task 0" }' "$work/run.csv"

# A recorded simulation, and graphs as files.
expect 0 '' env XYLEM_RECORD="$work/recorded.xyg" $tool sim --machine cpu:2 --graph "$work/run.xyg" --policy tree-eager
expect 0 'the recorded run took 2000.000 us: 100.0 %' $tool bound "$work/recorded.xyg" --machine cpu:2
expect 2 'XYLEM_RECORD takes one machine, one graph and one policy' \
	env XYLEM_RECORD="$work/recorded.xyg" $tool sim --machine cpu:2 --graph chain:5 --policy tree-eager,tree-ws
for graph in random:layers=5:width=4 stencil:4x4 cholesky:3; do
	expect 0 '' $tool graph $graph -o "$work/own.xyg"
	expect 0 '' $tool graph "$work/own.xyg" --out "$work/again.xyg"
	expect 0 '' cmp "$work/own.xyg" "$work/again.xyg"
	expect 0 'digraph' $tool graph $graph --dot
	expect 0 '' $tool graph $graph --json -o "$work/own.json"
	$tool graph "$work/own.xyg" --dot | grep -c -e '->' >"$work/first"
	$tool graph "$work/own.json" --dot | grep -c -e '->' >"$work/out"
	cmp -s "$work/first" "$work/out" || {
		echo "FAILED: $graph has other edges as JSON"
		failures=$((failures + 1))
	}
done
expect 2 '--dot and --json exclude each other' $tool graph chain:3 --dot --json
expect 2 'unknown option -x' $tool graph chain:3 -x
expect 3 'No such file' $tool graph chain:3 -o "$work/nowhere/g.xyg"
expect 1 'cholesky' $tool graph cholesky

# What is wrong.
expect 2 'needs --machine, --graph and --policy' $tool sim --machine mirage
expect 2 '--noise takes a number from 0 to 10, not "much"' $sim --policy tree-eager --noise much
expect 2 '--repeat takes a whole number from 1' $sim --policy tree-eager --repeat 0
expect 2 '--seed takes a whole number' $sim --policy tree-eager --seed -3
expect 2 '--bound takes lp, area, path or mixed, not "aera"' $sim --policy tree-eager --bound aera
expect 2 '--priorities takes app, none or rank, not "some"' $sim --policy tree-eager --priorities some
expect 2 '--policy names no policy' $sim --policy ,
expect 2 'unknown option --polcy; did you mean "--policy"?' $sim --polcy tree-eager
expect 2 'bound: needs --machine' $tool bound cholesky:8
expect 2 'bound: needs a graph' $tool bound --machine mirage
expect 1 'tree-eger' $sim --policy tree-eger
expect 1 'no machine "mirrage"' $tool sim --machine mirrage --graph cholesky:8 --policy tree-eager
expect 1 'cholesky' $tool sim --machine mirage --graph cholesky --policy tree-eager
expect 1 'gives a duration of spotrf with 40000 bytes on mirage' $tool bound cholesky:2:tile=100 --machine mirage
expect 0 'cholesky:TILES' $tool sim --help
expect 0 'XYLEM_RECORD' $tool bound --help

# A policy that stalls is replaced, and that is said: the run ends, and fails.
hoards=$(find tests/plugins -name hoards.so | head -n 1)
if [ "$hoards" ]; then
	expect 1 'policy hoards | eager | each worker { } is replaced by tree-eager' env XYLEM_PLUGINS="$hoards" \
		$tool sim --machine cpu:2 --graph independent:10 --policy 'hoards | eager | each worker { }'
	expect 1 'hoards#0 holds 10 ready tasks' env XYLEM_PLUGINS="$hoards" \
		$tool sim --machine cpu:2 --graph independent:10 --policy 'hoards | eager | each worker { }'
fi

[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
