#!/bin/sh
# SPDX-License-Identifier: MIT
# xylem machine on machine files: shipped ones, that of the page, and wrong ones. Needs ./xylem of the build folder.
tool=./xylem
src=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0
unset XYLEM_MACHINE XYLEM_SIM NO_COLOR
XYLEM_MACHINES=$src/machines
export XYLEM_MACHINES

# expect STATUS TEXT COMMAND...: the exit status, and a text in the output.
expect() {
	status=$1
	text=$2
	shift 2
	"$@" >"$work/out" 2>&1
	found=$?
	if [ $found -ne "$status" ] || { [ "$text" ] && ! grep -qF -- "$text" "$work/out"; }; then
		echo "FAILED: $* gives $found instead of $status, or not \"$text\":"
		cat "$work/out"
		failures=$((failures + 1))
	fi
}

for file in "$src"/machines/*.xym; do
	name=$(basename "$file" .xym)
	expect 0 'valid: ' $tool machine "$name" --check
	expect 0 "machine  $name" $tool machine "$name"
	expect 0 'valid: ' $tool machine --check "$file"
done
expect 0 'mirage           9 cpu, 3 cuda' $tool machine --list
expect 0 'm2070            cuda    3        31.1' $tool machine mirage
expect 0 'cuda1     5.25 GiB    cuda1            Tesla M2070' $tool machine mirage
expect 0 'cuda1     cuda2     17.18       5296.21     gpu1-out gpu2-in' $tool machine mirage
expect 0 'plx0-down        10.96       5985.15     14' $tool machine idgraf
expect 0 'sgemm                        11059200      87780.2      2820.76' $tool machine @mirage
expect 0 '2450 routes' $tool machine huge

# The page and its file say the same, and what the page says of it is so.
sed -n '/^```$/,/^```$/p' "$src/doc/machines.md" | sed -n '2,/^```$/p' | sed '$d' >"$work/page"
sed 1,2d "$src/doc/examples/box.xym" >"$work/box"
expect 0 '' cmp "$work/page" "$work/box"
expect 0 'valid: 6 workers, 3 memory nodes, 3 links, 2 kernels' $tool machine "$src/doc/examples/box.xym" --check
expect 0 'ram0      cuda1     8           6000        down' $tool machine "$src/doc/examples/box.xym"
expect 0 'sgemm                         2764800        11500            -' $tool machine "$src/doc/examples/box.xym"

# As a machine of other commands.
expect 0 'no rule is broken' $tool check tree-ws --machine @idgraf
expect 0 'workers  12, cpu 4, cuda 8' $tool machine --machine @idgraf
expect 0 'workers  9, cpu 8, cuda 1' env XYLEM_MACHINE=@laptop $tool machine
expect 1 'no machine "mirrage"; did you mean "mirage"' $tool show tree-ws --machine @mirrage

# From StarPU's measurements.
mkdir -p "$work/sampling/bus" "$work/sampling/codelets/45"
cp "$src/tests/core/perf/starpu/chol_model_gemm.mirage" "$work/sampling/codelets/45/chol_model_gemm.host"
printf '# Current configuration\n4 # Number of CPUs\n2 # Number of CUDA devices\n2 # Number of OpenCL devices\n' \
	>"$work/sampling/bus/host.config"
printf '# to 0\tto 1\tto 2\tto 3\n0\t6000\t5000\tnan\n6500\t0\t3000\tnan\n5500\t5600\t0\tnan\nnan\tnan\tnan\tnan\n' \
	>"$work/sampling/bus/host.bandwidth"
printf '# to 0\tto 1\tto 2\tto 3\n0\t9.5\t9\tnan\n10\t0\t24\tnan\n11\t25\t0\tnan\nnan\tnan\tnan\tnan\n' \
	>"$work/sampling/bus/host.latency"
$tool machine import --starpu "$work/sampling" host >"$work/host.xym" || failures=$((failures + 1))
expect 0 'valid: 4 workers, 3 memory nodes, 4 links, 1 kernel' $tool machine --check "$work/host.xym"
expect 0 'ram0      cuda0     9.5         6000        in0' $tool machine "$work/host.xym"
expect 0 'cuda0     cuda1     24          3000        out0 in1' $tool machine "$work/host.xym"
expect 0 'cuda1     cuda0     25          5500        out1 in0' $tool machine "$work/host.xym"
expect 1 'other.config: No such file' $tool machine import --starpu "$work/sampling" other
expect 1 'nowhere: No such file' $tool machine import --starpu "$work/nowhere" host
expect 2 'an import is' $tool machine import host
expect 2 'an import is' $tool machine import --starpu "$work/sampling"
# A newer one: many cores, two NUMA nodes, and two devices with a link of their own.
printf '# Current configuration\n128 # Number of CPUs\n2 # Number of NUMA nodes\n2 # Number of CUDA devices\n' \
	>"$work/sampling/bus/host.config"
printf '0 # Number of HIP devices\n2 # Number of OpenCL devices\n0 # Number of MIC devices\n' \
	>>"$work/sampling/bus/host.config"
printf '0 9000 6000 5000\n9000 0 5900 4900\n6500 6400 0 48000\n5500 5400 5000 0\n' >"$work/sampling/bus/host.bandwidth"
printf '0 1 9.5 9\n1 0 10 10\n10 11 0 4\n11 12 25 0\n' >"$work/sampling/bus/host.latency"
$tool machine import --starpu "$work/sampling" host >"$work/host.xym" || failures=$((failures + 1))
expect 0 'valid: 128 workers, 3 memory nodes, 5 links, 1 kernel' $tool machine --check "$work/host.xym"
expect 0 'ram0      cuda0     9.5         6000        in0' $tool machine "$work/host.xym"
expect 0 'cuda0     cuda1     4           48000       peer0-1' $tool machine "$work/host.xym"
expect 0 'cuda1     cuda0     25          5000        out1 in0' $tool machine "$work/host.xym"
printf 'nothing\n' >"$work/sampling/bus/host.config"
expect 1 'does not say how many CPUs' $tool machine import --starpu "$work/sampling" host

# What is wrong.
cat >"$work/wrong.xym" <<'END'
machine m
class c cpu
worker 1 c
link x 3 1GB/s
kernel k 100 d 1us
END
expect 1 'wrong.xym, line 3: no kind of line "worker"; did you mean "workers"?' \
	$tool machine --check "$work/wrong.xym"
expect 1 'wrong.xym, line 4: "3" is not the latency of a link' $tool machine --check "$work/wrong.xym"
expect 1 'line 4' $tool machine "$work/wrong.xym"
expect 1 'no machine "attilla"; did you mean "attila"?' $tool machine attilla
expect 1 'none.xym: No such file or directory' $tool machine "$work/none.xym"
expect 2 'either --machine TEXT' $tool machine mirage --machine cpu:2
expect 2 'either --machine TEXT' $tool machine --check
expect 2 'either --machine TEXT' $tool machine --list mirage
yes 'what is this' | head -n 20 | cat - >"$work/long.xym"
expect 1 'and more: see xylem machine --check' $tool machine "$work/long.xym"
expect 1 'long.xym, line 20: no kind of line "what"' $tool machine --check "$work/long.xym"
[ $failures -eq 0 ]
