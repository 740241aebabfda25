#!/bin/sh
# SPDX-License-Identifier: MIT
# The command line tool: what it prints, where, and its exit status. Needs ./xylem of the build folder.
tool=./xylem
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0
unset SCHED XYLEM_MACHINE XYLEM_NCPU XYLEM_BIND XYLEM_WINDOW XYLEM_WATCHDOG XYLEM_SEED XYLEM_PLUGINS \
	XYLEM_HELP XYLEM_PROFILE XYLEM_SIGUSR1 XYLEM_NUMA XYLEM_CUDA_DEVICES XYLEM_OPENCL_DEVICES \
	XYLEM_CUDA_WORKERS XYLEM_CUDA_AHEAD XYLEM_OPENCL_AHEAD XYLEM_CUDA_LIMIT XYLEM_OPENCL_LIMIT \
	XYLEM_LIMIT_RAM XYLEM_DISK XYLEM_PREFETCH XYLEM_MODELS XYLEM_HOST XYLEM_CALIBRATE XYLEM_CALIBRATE_SAMPLES NO_COLOR
# What the computer has must not matter, so there are no drivers unless a test names them.
XYLEM_DRIVERS=$work/none
export XYLEM_DRIVERS
policies='tree-batch-auto tree-batch-hybrid tree-batch-mpi tree-batch-simple tree-cambium tree-dmda tree-dmdap tree-dmdar tree-dmdas tree-eager tree-eager-prefetching
	tree-eager-prio tree-heft tree-heft-caches tree-heft-nodes tree-heft-prio tree-heft2 tree-heteroprio
	tree-heteroprio-heft tree-in-order tree-parallel-heft tree-parallel-random tree-parallel-random-prio tree-pipeline tree-prio
	tree-prio-archs tree-prio-prefetching tree-random tree-random-prefetching
	tree-random-prio tree-random-prio-prefetching tree-ws tree-ws-caches tree-ws-nodes'

fail() {
	echo "FAILED: $*"
	sed 's/^/  out: /' "$work/out"
	sed 's/^/  err: /' "$work/err"
	failures=$((failures + 1))
}

# run STATUS [VARIABLE=VALUE...] ARGUMENT...: runs the tool; what it says is in $work/out and $work/err.
run() {
	expected=$1
	shift
	what="xylem $*"
	(
		while case $1 in [A-Z]*=*) true ;; *) false ;; esac; do
			export "${1?}"
			shift
		done
		exec "$tool" "$@"
	) >"$work/out" 2>"$work/err"
	status=$?
	[ $status = "$expected" ] || fail "$what: exit status $status, not $expected"
}

# The output, or what was said on stderr, has a line with this text (or is empty).
out() { grep -qF -- "$1" "$work/out" || fail "$what: does not print: $1"; }
err() { grep -qF -- "$1" "$work/err" || fail "$what: does not say: $1"; }
no_out() { [ ! -s "$work/out" ] || fail "$what: prints something"; }
no_err() { [ ! -s "$work/err" ] || fail "$what: says something"; }

# --- help ---
run 0 --version; no_err
grep -qx 'xylem [0-9]*\.[0-9]*\.[0-9]*' "$work/out" || fail "--version: no version"
for ask in --help -h help; do
	run 0 $ask; no_err; out 'usage: xylem'; out 'Exit status'
	for command in policies components show check machine env pipeline graph slots; do out "  $command "; done
done
for command in policies components show check machine env pipeline graph slots; do
	run 0 $command --help; no_err; out "usage: xylem $command"; out 'Exit status'
	cp "$work/out" "$work/help"
	run 0 help $command; cmp -s "$work/help" "$work/out" || fail "help $command is another help"
	run 0 $command -h
done

# --- wrong usage ---
run 2; no_out; err 'xylem --help'
run 2 shwo; no_out; err 'unknown command "shwo"; did you mean "show"?'
run 2 help shwo; no_out; err 'did you mean "show"?'
run 2 qqqqqq; err 'unknown command "qqqqqq"'
run 2 show; no_out; err 'needs POLICY|EXPRESSION'; err 'usage: xylem show'
run 2 show tree-eager tree-ws; no_out; err 'takes one POLICY|EXPRESSION'
run 2 policies x; no_out; err 'takes no argument, but got "x"'
run 2 show tree-eager --dto; no_out; err 'unknown option --dto; did you mean "--dot"?'
run 2 show tree-eager -d; no_out; err 'unknown option -d'
run 2 show tree-eager --dot --dot; err '--dot is given twice'
run 2 show tree-eager --dot --json; no_out; err 'mutually exclusive'
run 2 show tree-eager --dot=1; err '--dot takes no value'
run 2 show tree-eager --machine; err '--machine needs TEXT'

# --- policies and components ---
run 0 policies; no_err
sed -n 's/^\(tree-[a-z0-9-]*\).*/\1/p' "$work/out" >"$work/names"
# shellcheck disable=SC2086
printf '%s\n' $policies | cmp -s - "$work/names" || fail "policies: not those that were expected"
[ "$(grep -c '(default)$' "$work/out")" = 1 ] || fail "policies: not one default"
[ "$(grep -c '(default with devices)$' "$work/out")" = 1 ] || fail "policies: not one default with devices"
out '    fifo(ready) | eager | each worker { best-implementation }'
run 0 components; no_err
sed 's/ .*//' "$work/out" >"$work/kinds"
for kind in fifo prio eager eager-prio random work-stealing best-implementation stage userchoice pipeline worker; do
	grep -qx -- "$kind" "$work/kinds" || fail "components: no $kind"
done
while read -r kind; do
	run 0 components "$kind"; no_err; out "$kind: "
	[ "$(wc -l <"$work/out")" -ge 8 ] || fail "components $kind: that is no page"
done <"$work/kinds"
run 0 components fifo; out 'Reservoir'; out 'ntasks'; out 'default: no limit'
run 1 components fifi; no_out; err 'unknown component "fifi"; did you mean "fifo"'

# --- show ---
machine='topology(numa:2 core:2) cuda:1 opencl:1'
for policy in $policies; do
	run 0 show $policy --machine cpu:1; no_err
	[ -s "$work/out" ] || fail "$what: no drawing"
	run 0 show $policy --machine "$machine" --dot; no_err; out '->'
	! command -v dot >/dev/null || dot -Tplain "$work/out" >/dev/null || fail "$what: dot can't read it"
	run 0 show $policy --machine "$machine" --json; no_err
	cp "$work/out" "$work/$policy.json"
	run 0 show $policy --machine "$machine" --expression; no_err
	cp "$work/out" "$work/expression"
	run 0 show "@$work/expression" "--machine=$machine" --expression; no_err
	cmp -s "$work/out" "$work/expression" || fail "$what: another expression for the same tree"
done
! command -v python3 >/dev/null ||
	python3 -c 'import json, sys; [json.load(open(name)) for name in sys.argv[1:]]' "$work"/*.json ||
	fail "show --json: python can't read it"
run 0 show modular-eager --machine cpu:2; no_err
run 0 show --machine cpu:2 -- tree-eager; no_err
run 1 show tree-eagre; no_out; err 'tree-eager'
run 1 show 'fifo | eagr | each worker { }'; no_out; err 'eager'
run 1 show @"$work/missing"; no_out
[ -s "$work/err" ] || fail "$what: says nothing"
run 1 show tree-eager --machine gpu:2; no_out; err 'machine "gpu:2", column 1: expected'

# --- check ---
run 0 check 'fifo | eager | each worker { }'; no_err; out 'no rule is broken'
run 0 check tree-ws --machine 'cpu:3 cuda:1'; no_err; out '4 workers'
run 0 check 'pipeline | each worker { fifo }'; no_err; out 'below pipeline#0 is unlimited'
run 0 check 'pipeline | each worker { fifo(ntasks=2) }'; no_err
! grep -q unlimited "$work/out" || fail 'a limited queue below a pipeline is no matter'
run 1 check 'pipeline(file="a b) | each worker { }'; no_out; err "'\"' is needed after this text"
run 0 show 'tree-eager(ready=false)' --expression; no_err; out 'fifo | eager'
printf -- '- a: [1, 2]\n' >"$work/a b.yml"
run 0 show "tree-pipeline(file=\"$work/a b.yml\")" --expression; no_err; out "pipeline(file=\"$work/a b.yml\") |"
run 0 show "tree-pipeline(file=\"$work/a b.yml\")" --dot; no_err; out "(file='$work/a b.yml')"
run 1 check 'fifo(ntasks=2) | eager'; no_out
[ "$(wc -l <"$work/err")" -ge 2 ] || fail "$what: says only one of the broken rules"
run 1 check ''; no_out
[ -s "$work/err" ] || fail "$what: says nothing"

# --- machine ---
run 0 machine; no_err; out 'this computer'; out 'cpu0'
run 0 machine --machine 'topology(numa:2 core:2 pu:2) cuda:1*7.5'; no_err
cat >"$work/expected" <<'END'
workers  5, cpu 4, cuda 1
memory   3 nodes
place    not this computer: trees can be shown and checked for it, but not run

worker        arch    node   processor  speed
cpu0          cpu     0      -          1
cpu1          cpu     0      -          1
cpu2          cpu     1      -          1
cpu3          cpu     1      -          1
cuda0         cuda    2      -          7.5

node   name      memory      workers          description
0      ram0      -           cpu0-1           memory of the computer
1      ram1      -           cpu2-3           memory of the computer
2      cuda0     -           cuda0            memory of a device

team   size  members
0      2     cpu0-1
1      2     cpu2-3
2      4     cpu0-3

distances: 1 for a shared core or device, plus 1 for each level up to the shared part
              cpu0     cpu1     cpu2     cpu3    cuda0
cpu0             0        2        3        3        3
cpu1             2        0        3        3        3
cpu2             3        3        0        2        3
cpu3             3        3        2        0        3
cuda0            3        3        3        3        0

Drivers were not probed: this machine does not include the devices of this computer.
END
diff "$work/expected" "$work/out" || fail "$what: prints something else"
run 0 machine --machine 'topology(numa:2 core:10) opencl:3'; no_err
out '3         13'; out '2      opencl0   -           opencl0          memory of a device'
run 0 machine --machine cuda:1; out '0      ram0      -           -                memory of the computer'
run 1 machine --machine 'cpu:4 cpx:2'; no_out; err 'column 7'
run 0 XYLEM_NCPU=3 machine; no_err; out 'workers  3, cpu 3'; out 'cpu2'
run 0 XYLEM_NCPU=3 XYLEM_MACHINE='this cuda:1' machine; no_err; out 'workers  4, cpu 3, cuda 1'
run 0 XYLEM_NCPU=3 XYLEM_MACHINE=cpu:2 machine; err 'XYLEM_NCPU'; out 'workers  2, cpu 2'
run 0 XYLEM_MACHINE='cpu:2 cuda:1' machine; out 'cuda0'
run 0 XYLEM_MACHINE='cpu:2 cuda:1' machine --machine cpu:1; out 'workers  1, cpu 1'
run 0 XYLEM_BIND=0 machine; out 'binding  none (XYLEM_BIND=0)'
if command -v taskset >/dev/null && first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/') && [ -n "$first" ]; then
	taskset -c "$first" "$tool" machine >"$work/out" 2>"$work/err" || fail "taskset: exit status"
	what="taskset -c $first xylem machine"; no_err; out 'workers  1, cpu 1'
fi

run 0 machine; no_err; out 'binding  each worker'; out "cuda    not installed: no cuda.so in $work/none"
run 1 XYLEM_NCPU=0 machine; no_out; err 'CPU workers is set to 0'
run 0 machine --machine 'this(numa:2 core:1)'; no_err; out 'memory   2 nodes'; out 'workers  2, cpu 2'
out '1      ram1      -           cpu1'
run 0 XYLEM_NCPU=3 machine --machine 'this(numa:2 core:1)'; no_err; out 'workers  3, cpu 3'; out 'cpu0 cpu2'
run 0 machine --machine cpu:1; no_err; out 'Drivers were not probed'

# --- devices, with drivers that are made for tests ---
drivers=tests/plugins/drivers
good=$drivers/good/.libs
if [ -e $good/cuda.so ]; then
	run 0 XYLEM_DRIVERS=$good XYLEM_NCPU=1 XYLEM_CUDA_WORKERS=2 machine; no_err
	out 'workers  7, cpu 1, cuda 4, opencl 2'; out 'cuda    2 devices'
	out '2      cuda1     2 MiB       cuda2-3          Test Device 1'
	run 0 XYLEM_DRIVERS=$good XYLEM_NCPU=0 XYLEM_OPENCL_DEVICES=1 XYLEM_CUDA_DEVICES=none machine; no_err
	out 'workers  1, opencl 1'; out 'opencl  1 device'; out 'cuda    switched off'
	run 0 XYLEM_DRIVERS=$good XYLEM_NCPU=1 show tree-eager; no_err; out cuda1
	run 0 XYLEM_DRIVERS=$good check tree-ws; no_err
	run 1 XYLEM_DRIVERS=$good XYLEM_CUDA_DEVICES=fast machine; no_out; err '"fast" is no number of devices'
	run 0 XYLEM_DRIVERS=$drivers/unloadable/.libs machine; no_err; out "cuda    can't be loaded: "
	run 0 XYLEM_DRIVERS=$drivers/other_abi/.libs machine; err 'cuda'; out 'cuda    refused: built for driver ABI'
	run 0 XYLEM_DRIVERS=$drivers/probe_fails/.libs machine; err 'continuing without'; out 'cuda    failed: the kernel'
	run 0 XYLEM_DRIVERS=$drivers/half/.libs machine; err 'continuing without'; out 'cuda    2 of 3 devices; device 1'
	run 3 XYLEM_DRIVERS=$drivers/probe_fails/.libs XYLEM_CUDA_DEVICES=0 machine; no_out; err 'kernel module'
fi

# --- CUDA: missing, without devices, broken ---
double=tests/double/.libs
real=src/drivers/.libs
if [ -e $real/cuda.so ]; then
	mkdir "$work/broken"
	for name in libcudart.so.13 libcudart.so.12 libcudart.so.11.0 libcudart.so; do
		echo 'this is no library' >"$work/broken/$name"
	done
	run 0 XYLEM_DRIVERS=$real LD_LIBRARY_PATH="$work/broken:$LD_LIBRARY_PATH" machine
	err 'continuing without'; out "cuda    failed: CUDA can't be loaded: "; out libcudart.so.13
fi
if [ -e $real/cuda.so ] && [ -e $double/libcudart.so.13 ]; then
	with="XYLEM_DRIVERS=$real LD_LIBRARY_PATH=$double:$LD_LIBRARY_PATH"
	# shellcheck disable=SC2086
	{
		run 0 $with machine; no_err; out 'cuda    2 devices'
		run 0 $with CUDA_VISIBLE_DEVICES=1 machine; no_err; out 'cuda    1 device'
		run 0 $with CUDART_DOUBLE_DEVICES=0 machine; no_err; out 'cuda    no devices: CUDA has no device here'
		run 0 $with CUDART_DOUBLE_FAIL=cudaGetDeviceCount:1:999 machine; err 'continuing without'
		out 'cuda    failed: CUDA does not work: '
		run 0 $with CUDART_DOUBLE_FAIL=cudaSetDevice:1:719 machine; err 'continuing without'
		out 'cuda    1 of 2 devices; device ' # either: they are opened side by side
		run 3 $with XYLEM_CUDA_DEVICES=all CUDART_DOUBLE_FAIL=cudaGetDeviceCount:1:999 machine; no_out
		err 'CUDA does not work'
	}
fi

# --- env ---
run 0 XYLEM_DRIVERS= env; out 'XYLEM_CUDA_LIMIT is not set: none'; out 'XYLEM_DRIVERS is not set'
run 1 XYLEM_CUDA_LIMIT=much env; err 'XYLEM_CUDA_LIMIT=much: expected bytes'
run 0 env; no_err; out 'SCHED is not set: tree-'; out 'XYLEM_WINDOW is not set: 2048'
run 0 SCHED=tree-prio XYLEM_WINDOW=5 env; no_err; out 'SCHED=tree-prio'; out 'XYLEM_WINDOW=5'
run 0 "SCHED=fifo |
eager | each worker { }" env; out 'SCHED=fifo | eager | each worker { }'
run 1 XYLEM_BIND=maybe XYLEM_NCPU=-1 env; out 'XYLEM_BIND=maybe'
err 'XYLEM_BIND=maybe: expected 0 or 1'; err 'XYLEM_NCPU=-1: expected a whole number'
run 0 XYLEM_WNDOW=5 env; err 'XYLEM_WNDOW is set but is not a variable of Xylem: did you mean XYLEM_WINDOW?'
run 1 SCHED=tree-eagre env; err 'tree-eager'
run 1 XYLEM_MACHINE=gpu:1 env; err 'machine "gpu:1"'
run 3 XYLEM_PLUGINS=$work/missing.so env; err 'missing.so'
run 2 XYLEM_BIND=maybe machine; no_out; err 'XYLEM_BIND=maybe: expected 0 or 1'
run 3 XYLEM_PLUGINS=$work/missing.so policies; no_out; err 'missing.so'

# --- plug-ins ---
plugins=tests/plugins/.libs
if [ -e $plugins/good.so ]; then
	run 0 XYLEM_PLUGINS=$plugins/good.so policies; no_err; out 'test-policy'
	run 0 XYLEM_PLUGINS=$plugins/good.so components test-pipe; no_err; out 'test-pipe: '
	run 0 XYLEM_PLUGINS=$plugins/built.so policies; no_err; out 'test-built'; out 'built by calls'
	run 0 XYLEM_PLUGINS=$plugins/built.so show --machine cpu:3 test-built; no_err; out 'hidden-pipe  × 3 workers'
	run 1 XYLEM_PLUGINS=$plugins/built.so show --machine cpu:3 --expression test-built; err 'hidden-pipe'
	run 0 XYLEM_PLUGINS=$plugins/built.so sim --machine cpu:3 --graph independent:40 --policy test-built; no_err
	out 'test-built'
	run 0 XYLEM_PLUGINS=$plugins/good.so show test-policy --machine cpu:2; no_err; out 'test-pipe'
	run 3 XYLEM_PLUGINS=$plugins/other_abi.so policies; no_out; err 'ABI'
fi

# --- output that can't be written ---
"$tool" policies >&- 2>"$work/err"; status=$?
: >"$work/out"; what='xylem policies >&-'
[ $status = 3 ] || fail "$what: exit status $status, not 3"
[ -s "$work/err" ] || fail "$what: says nothing"
if [ -w /dev/full ]; then
	for command in policies components 'show tree-eager' 'check tree-eager' machine env --help --version; do
		# shellcheck disable=SC2086
		"$tool" $command >/dev/full 2>"$work/err"; status=$?
		what="xylem $command >/dev/full"
		[ $status = 3 ] || fail "$what: exit status $status, not 3"
		err "can't write the output"
	done
fi
{ "$tool" machine --machine cpu:20000 2>"$work/err"; echo $? >"$work/status"; } | :
what='xylem machine | :'; no_err
[ "$(cat "$work/status")" = 3 ] || fail "$what: exit status $(cat "$work/status"), not 3"

# --- colours on a terminal only ---
escape=$(printf '\033')
for command in policies 'components fifo' 'show tree-ws' machine env --help; do
	# shellcheck disable=SC2086
	run 0 $command
	! grep -q "$escape" "$work/out" || fail "$command: colours in a file"
done
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	TERM=xterm script -qec "$tool policies" /dev/null >"$work/out" 2>"$work/err" </dev/null
	grep -q "$escape" "$work/out" || fail "policies: no colours on a terminal"
	TERM=xterm NO_COLOR=1 script -qec "$tool policies" /dev/null >"$work/out" 2>"$work/err" </dev/null
	! grep -q "$escape" "$work/out" || fail "policies: colours in spite of NO_COLOR"
	TERM=dumb script -qec "$tool policies" /dev/null >"$work/out" 2>"$work/err" </dev/null
	! grep -q "$escape" "$work/out" || fail "policies: colours on a dumb terminal"
fi

# --- the manual page knows every command, option and variable ---
page=${srcdir:-.}/doc/xylem.1
sed 's/\\-/-/g' "$page" >"$work/page"
run 0 XYLEM_DRIVERS= env
for name in policies components show check machine env --machine --dot --json --expression --help \
	--version $(sed -n 's/^\([A-Z][A-Z0-9_]*\) is not set.*/\1/p' "$work/out"); do
	grep -qw -e "$name" "$work/page" || fail "xylem.1: nothing about $name"
done
! command -v groff >/dev/null || groff -man -Tascii -ww "$page" >/dev/null 2>"$work/err"
what=xylem.1; no_err

echo "$failures failures"
[ $failures = 0 ]
