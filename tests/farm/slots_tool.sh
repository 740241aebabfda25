#!/bin/sh
# SPDX-License-Identifier: MIT
# xylem slots: real repetitions with their environment, affinity, logs and claims; what fails, what is skipped,
# signals, what the tool leaves behind. There is no GPU in most test machines: ids are only handed on, and
# nvidia-smi is a script that answers as the real one does. Needs ./xylem of the build folder.
top=$PWD
tool=$top/xylem
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
failures=0
unset CUDA_VISIBLE_DEVICES SLURM_STEP_GPUS SLURM_JOB_GPUS CUDA_MPS_PIPE_DIRECTORY OMP_NUM_THREADS NO_COLOR
cpus=$(nproc)

fail() {
	echo "FAILED: $*"
	sed 's/^/  out: /' out
	sed 's/^/  err: /' err
	failures=$((failures + 1))
}

# run STATUS [VARIABLE=VALUE...] ARGUMENT...: what it says is in out and err.
run() {
	expected=$1
	shift
	what="slots $*"
	(
		while case $1 in [A-Z]*=*) true ;; *) false ;; esac; do
			export "${1?}"
			shift
		done
		exec timeout 60 "$tool" slots "$@"
	) >out 2>err
	status=$?
	[ $status = "$expected" ] || fail "$what: exit status $status, not $expected"
}
out() { grep -qF -- "$1" out || fail "$what: does not print: $1"; }
err() { grep -qF -- "$1" err || fail "$what: does not say: $1"; }
no_err() { [ ! -s err ] || fail "$what: says something"; }
has() { grep -qxF -- "$2" "$1" || { fail "$what: $1 has no line $2"; cat "$1"; }; }
# until COMMAND...: at most a minute.
until_true() {
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || return 1
		sleep 0.1
	done
}

# --- arguments ---
run 0 --help; out 'usage: xylem slots [OPTION...] -- COMMAND'
run 2; err 'needs -- and a command'
run 2 --; err 'needs -- and a command'
run 2 true; err 'takes no argument, but got "true"'
run 2 --gpus-per-reps 1 -- true; err 'did you mean "--gpus-per-rep"'
for reps in '' 0 -1 x 3-1 1,,2 1, 1-x 99999999; do run 2 --reps "$reps" -- true; err 'slots: '; done
run 2 --reps 1,1 -- true; err '1 is there twice'
run 2 --grace x -- true; err 'not a number of seconds'
run 2 --gpu-memory 10 -- true; err '"10" is not a size such as 512M or 10G'
run 2 --gpu-memory-stop -- true; err '--gpu-memory-stop needs --gpu-memory'
run 2 --folder '' -- true; err 'the name is empty'

# --- defects of others: each is a message with the numbers ---
run 2 --gpus-per-rep 0.5 -- true; err '0.5 GPUs for a repetition, but this job has no GPU'; err 'GPUs come from CUDA_VISIBLE_DEVICES'
for share in 0 -1 x '' 1/0 0/1; do run 2 --gpus 1 --gpus-per-rep "$share" -- true; err '--gpus-per-rep: "'; done
run 2 --gpus 4 --gpus-per-rep 1.5 -- true; err '1.5 GPUs for a repetition: from 1 on it must be a whole number'
run 2 --gpus 2 --gpus-per-rep 4 -- true; err '4 GPUs for a repetition, but this job has only 2: that makes 0 slots'
run 2 --gpus 2 --gpus-per-rep 0.5 --parallel 2 --cpus-per-rep 0 -- true
err '2 repetitions in parallel are asked for, but there are 4 slots'
run 2 CUDA_VISIBLE_DEVICES=3 --gpus gpu:4 --gpus-per-rep 1 -- true; err '4 GPUs are asked for, but the job has 1 ("3")'
run 2 CUDA_VISIBLE_DEVICES=0,0 --gpus-per-rep 1 -- true; err 'twice'
run 2 --gpus gpu:x4:y:- --gpus-per-rep 1 -- true; err 'is no number of GPUs'
run 2 --gpus 200 --gpus-per-rep 0.1 -- true; err "2000 slots, but this job may use only $cpus processor"
err '--cpus-per-rep 0 lets all'
run 2 --cpus-per-rep $((cpus + 1)) -- true; err 'that makes 0 slots'
run 0 --dry-run --gpus 4 --gpus-per-rep 0.75 --cpus-per-rep 0; out '4 slots'; err '1 repetition of 0.75 GPU leave 25 % of each GPU unused'
run 0 --dry-run --gpus 'gpu:4(S:0)' --gpus-per-rep 1 --cpus-per-rep 0; out '4 slots'; no_err
run 0 --dry-run --gpus gpu --gpus-per-rep 1/3 --cpus-per-rep 0; out '3 slots'; no_err
run 0 --dry-run --gpus 3 --gpus-per-rep 2 --cpus-per-rep 0; out '1 slot'; err '1 of 3 GPUs stay idle'

# --- the environment of a repetition ---
# shellcheck disable=SC2016
show='echo "rep=$XYLEM_REP/$XYLEM_REPS slot=$XYLEM_SLOT/$XYLEM_SLOTS gpu=$CUDA_VISIBLE_DEVICES"; echo "$XYLEM_REP_FOLDER"
	echo "threads=$OMP_NUM_THREADS,$MKL_NUM_THREADS,$OPENBLAS_NUM_THREADS,$NUMEXPR_NUM_THREADS"
	echo "cpus=$XYLEM_SLOT_CPUS"; sed -n "s/^Cpus_allowed_list:[[:space:]]*/allowed=/p" /proc/self/status
	echo "$1"; echo error >&2; sleep 0.3; echo result >"$XYLEM_REP_FOLDER/result"'
run 0 CUDA_VISIBLE_DEVICES=5,GPU-12-ab OMP_NUM_THREADS=77 --gpus-per-rep 0.5 --cpus-per-rep 0 -- sh -c "$show" sh 'a{rep} {slot}{x'
no_err; out '4 slots'; out '4 repetitions: 4 done, 0 skipped, 0 failed, 0 unfinished, 0 not started'
for rep in 0 1 2 3; do
	has reps/rep_0$rep.log "$work/reps/rep_0$rep"
	has reps/rep_0$rep.log error
	has reps/rep_0$rep.log threads=77,,,
	has reps/rep_0$rep/result result
	[ ! -e reps/rep_0$rep.unfinished ] || fail "rep_0$rep.unfinished is left"
done
for slot in 0 1; do grep -hx "rep=[0-3]/4 slot=$slot/4 gpu=5" reps/*.log >/dev/null || fail "no slot $slot on GPU 5"; done
for slot in 2 3; do grep -hx "rep=[0-3]/4 slot=$slot/4 gpu=GPU-12-ab" reps/*.log >/dev/null || fail "no slot $slot on the other GPU"; done
grep -qx 'a2 [0-3]{x' reps/rep_02.log || fail "the braces of the command are not replaced"
# Two repetitions spread over the GPUs.
run 0 SLURM_JOB_GPUS=1,3 --gpus-per-rep 0.5 --cpus-per-rep 0 --reps 2 --folder spread -- sh -c "$show" sh x
[ "$(sed -n 's/.*gpu=//p' spread/*.log | sort | tr '\n' ' ')" = '1 3 ' ] || fail "two repetitions do not spread"
run 0 --gpus 4 --gpus-per-rep 2 --cpus-per-rep 0 --folder pairs -- sh -c "$show" sh x
[ "$(sed -n 's/.*gpu=//p' pairs/*.log | sort | tr '\n' ' ')" = '0,1 2,3 ' ] || fail "groups of two GPUs"
run 0 CUDA_VISIBLE_DEVICES=7,2 --cpus-per-rep "$cpus" --folder whole -- sh -c "$show" sh x
has whole/rep_00.log 'rep=0/1 slot=0/1 gpu=7,2'

# --- processors: as many slots as there are, each bound to its own ---
run 0 --cpus-per-rep 1 --folder bound -- sh -c "$show" sh x
out "$cpus slot"
sed -n 's/^allowed=//p' bound/*.log | sort >allowed
[ "$(sort -u allowed | wc -l)" = "$cpus" ] || fail "not each slot has a processor of its own: $(cat allowed)"
sed -n 's/^cpus=//p' bound/*.log | sort | cmp -s - allowed || fail "XYLEM_SLOT_CPUS is not the affinity"
has bound/rep_00.log threads=1,1,1,1
run 0 --parallel 1 --folder one -- sh -c "$show" sh x
has one/rep_00.log "threads=$cpus,$cpus,$cpus,$cpus"

run 2 --scheduler kluter -- true; err 'none of mp, horeka, kluster and cpu_distribute; did you mean "kluster"'
run 2 --scheduler cpu_distribute -- true; err 'needs --cpus-per-rep'
run 0 --scheduler kluster --cpus-per-rep 1 --folder kluster -- sh -c "$show" sh x
has kluster/rep_00.log threads=1,1,1,1
all=$(sed -n "s/^Cpus_allowed_list:[[:space:]]*/allowed=/p" /proc/self/status)
has kluster/rep_00.log "$all"

# --- the runtime inside a slot sees its own processors only, and nothing is said about the variables ---
run 0 XYLEM_DRIVERS="$work/none" --cpus-per-rep 1 --reps 1 --folder machine -- "$tool" machine
grep -qE '^place +this computer, 1 core that' machine/rep_00.log || fail "a runtime in a slot: $(cat machine/rep_00.log)"
pu=$(sed -n 's/^slot 0 .*processors //p' out)
grep -qE "^cpu0 +cpu +0 +$pu +1" machine/rep_00.log || fail "its worker is not on processor $pu: $(cat machine/rep_00.log)"
! grep -q 'is not a variable' machine/rep_00.log || fail "a runtime in a slot wonders about variables"

# On the test double of the CUDA run-time library, the driver sees the GPU of the slot only.
if [ -e "$top/tests/double/.libs/libcudart.so.13" ] && [ -e "$top/src/drivers/.libs/cuda.so" ]; then
	run 0 LD_LIBRARY_PATH="$top/tests/double/.libs:$LD_LIBRARY_PATH" XYLEM_DRIVERS="$top/src/drivers/.libs" \
		CUDART_DOUBLE_DEVICES=4 CUDA_VISIBLE_DEVICES=1,3 --gpus-per-rep 1 --cpus-per-rep 0 --folder cuda -- "$tool" machine
	for rep in 0 1; do
		grep -q '^workers .*, cuda 1$' cuda/rep_0$rep.log || fail "a runtime in a slot has not one GPU: $(cat cuda/rep_0$rep.log)"
	done
else
	echo "not in this build: the test double of the CUDA run-time library"
fi

# A thread of a library takes the signal for the end of a repetition: that is noticed all the same.
cat >thread.c <<'END'
#include <pthread.h>
#include <unistd.h>
static void *thread_main(void *arg) { for (;;) pause(); return arg; }
__attribute__((constructor)) static void thread_begin(void) { pthread_t t; pthread_create(&t, 0, thread_main, 0); }
END
if ${CC:-cc} -shared -fPIC -pthread thread.c -o thread.so 2>/dev/null; then
	run 0 LD_PRELOAD="$work/thread.so" ASAN_OPTIONS="verify_asan_link_order=0:$ASAN_OPTIONS" --reps 3 --folder thread \
		-- env -u LD_PRELOAD sleep 0.1
	out '3 repetitions: 3 done'
fi
# The tool needs no thread: plug-ins of hwloc for OpenCL and the like, which start some, are not asked. (The leak
# sanitizer does not like those that are.)
if [ -z "$XY_SANITIZER_FLAGS" ]; then
	plugins=$HWLOC_PLUGINS_PATH
	unset HWLOC_PLUGINS_PATH
	# shellcheck disable=SC2016
	run 0 --reps 1 --folder alone -- sh -c 'sed -n "s/^Threads:[[:space:]]*/threads=/p" /proc/$PPID/status'
	has alone/rep_00.log threads=1
	[ -z "$plugins" ] || export HWLOC_PLUGINS_PATH="$plugins"
fi

# --- results are kept, failures are run again ---
run 0 --gpus 2 --gpus-per-rep 0.5 --cpus-per-rep 0 -- false
out '4 repetitions: 0 done, 4 skipped, 0 failed, 0 unfinished, 0 not started'; out 'rep 3: skipped, its folder holds results'
# shellcheck disable=SC2016
run 1 --reps 3 --folder some -- sh -c 'echo x >"$XYLEM_REP_FOLDER/x"; [ "$XYLEM_REP" != 1 ] || exit 7'
out '3 repetitions: 2 done, 0 skipped, 1 failed, 0 unfinished, 0 not started'; out 'failed: 1'; err 'rep 1: failed after'; err 'exit status 7'
grep -q 'exit status 7' some/rep_01.unfinished || fail "no reason in the file of a failed repetition"
# shellcheck disable=SC2016
run 0 --reps 3 --folder some -- sh -c 'echo again; [ "$XYLEM_REP" = 1 ]'
out '3 repetitions: 1 done, 2 skipped, 0 failed, 0 unfinished, 0 not started'
run 0 --reps 3 --folder some -- false; out '0 done, 3 skipped'
run 1 --reps 3 --folder some --overwrite -- false; out 'failed: 0 1 2'
run 75 --reps 7-8 --folder some -- sh -c 'exit 75'; out '0 failed, 2 unfinished'; out 'unfinished: 7 8'; err 'rep 8: not finished after'
# shellcheck disable=SC2016
run 1 --reps 5-6 --folder some -- sh -c 'kill -SEGV $$'; err 'ended by signal 11'; out 'failed: 5 6'
run 1 --reps 3 --folder gone -- ./no-such-command; err 'no-such-command: No such file'; out '1 failed, 0 unfinished, 2 not started'
: >file
run 1 --reps 1 --folder file/x -- true; err 'file/x/rep_00: Not a directory'

# --- one repetition is never run twice at once, also when the tool is gone ---
"$tool" slots --reps 1 --folder twice -- sleep 30 >first 2>&1 &
first=$!
until_true grep -q running twice/rep_00.unfinished || fail "the first does not start"
run 1 --reps 1 --folder twice -- true; err 'another process is running it'
kill $first
wait $first
[ $? = 75 ] || fail "a tool that was stopped ends well"
grep -q 'signal 15' first || fail "the report does not tell of the signal: $(cat first)"

# --- signals ---
cat >trap.sh <<'END'
trap 'echo usr1' USR1
trap 'echo term; exit 3' TERM
echo ready
while :; do sleep 0.1; done
END
"$tool" slots --gpus 2 --gpus-per-rep 1 --cpus-per-rep 0 --reps 4 --folder signals -- sh trap.sh >first 2>&1 &
first=$!
until_true grep -q ready signals/rep_00.log && until_true grep -q ready signals/rep_01.log
kill -USR1 $first
until_true grep -q usr1 signals/rep_01.log || fail "SIGUSR1 is not passed on"
kill -TERM $first
wait $first
[ $? = 75 ] || fail "stopped repetitions are done or failed"
grep -qx term signals/rep_00.log || fail "SIGTERM does not arrive"
grep -q '0 failed, 2 unfinished, 2 not started' first || fail "the report after SIGTERM: $(cat first)"
# A repetition that ignores SIGTERM, and one that leaves others behind.
"$tool" slots --reps 1 --grace 0.5 --folder stubborn -- sh -c 'trap "" TERM; echo ready; while :; do sleep 0.1; done' >first 2>&1 &
first=$!
until_true grep -q ready stubborn/rep_00.log
kill $first
wait $first
grep -q 'ended by signal 9' first || fail "no SIGKILL after the grace period: $(cat first)"
# shellcheck disable=SC2016
run 0 --reps 1 --folder left -- sh -c 'sleep 77 & echo $! >>"$XYLEM_REP_FOLDER/pids"; setsid sleep 77 & echo $! >>"$XYLEM_REP_FOLDER/pids"
	sleep 0.2'
gone() { while read -r pid; do ! kill -0 "$pid" 2>/dev/null || return 1; done <"$1"; }
until_true gone left/rep_00/pids || fail "a repetition leaves processes behind"
# Killed: the keeper ends what runs, and the repetition counts as unfinished.
# shellcheck disable=SC2016
"$tool" slots --reps 1 --grace 1 --folder killed -- sh -c 'echo $$ >"$XYLEM_REP_FOLDER/pids"; sleep 77 & echo $! >>"$XYLEM_REP_FOLDER/pids"; wait' \
	>first 2>&1 &
first=$!
until_true test -s killed/rep_00/pids
sleep 0.3
kill -9 $first
until_true gone killed/rep_00/pids || fail "repetitions live on after SIGKILL to the tool"
until_true flock -n killed/rep_00.unfinished true
run 0 --reps 1 --folder killed -- true; out '1 done'

# --- GPU memory: nvidia-smi is a script here ---
mkdir bin
cat >bin/nvidia-smi <<'END'
#!/bin/sh
case $1 in
--query-gpu=*) printf '0, GPU-aa, 00000000:3B:00.0\n1, GPU-bb, 00000000:86:00.0\n' ;;
*) [ ! -s ../pid ] || echo "$(cat ../pid), 2048" ;;
esac
END
sed -i "s|\.\./pid|$work/pid|g" bin/nvidia-smi
chmod +x bin/nvidia-smi
run 0 --gpus 1 --gpus-per-rep 1 --gpu-memory 1G --folder none -- true; err 'nvidia-smi does not answer, so GPU memory is not watched'
# shellcheck disable=SC2016
hog='sh -c "echo \$\$ >'"$work"'/pid; until grep -q takes '"$work"'/err; do sleep 0.1; done"; true'
run 0 PATH="$work/bin:$PATH" --gpus 1 --gpus-per-rep 1 --gpu-memory 1G --folder warn -- sh -c "$hog"
err 'rep 0: it takes 2048 MiB of GPU memory, more than 1024 MiB'
rm pid
# shellcheck disable=SC2016
run 1 PATH="$work/bin:$PATH" --gpus 1 --gpus-per-rep 1 --gpu-memory 1G --gpu-memory-stop --folder stop -- sh -c "$hog"
err 'it takes 2048 MiB'; out '1 failed'
rm pid

# --- MPS ---
# shellcheck disable=SC2016
mps='echo "$CUDA_MPS_ACTIVE_THREAD_PERCENTAGE $CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"'
run 0 PATH="$work/bin:$PATH" CUDA_MPS_PIPE_DIRECTORY="$work" --gpus 1 --gpus-per-rep 0.5 --cpus-per-rep 0 --mps --gpu-memory 10G --folder mps \
	-- sh -c "$mps"
no_err; has mps/rep_01.log '50 0=10240M'
run 0 CUDA_MPS_PIPE_DIRECTORY="$work/nowhere" --gpus 1 --gpus-per-rep 0.5 --cpus-per-rep 0 --mps --dry-run; err 'no MPS server runs here'
run 0 --gpus 1 --gpus-per-rep 1 --mps --dry-run; err '--mps does nothing'
[ $failures = 0 ]
