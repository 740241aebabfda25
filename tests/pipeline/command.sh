#!/bin/sh
# SPDX-License-Identifier: MIT
# sched-pipeline and xylem pipeline: options, output, messages, exit status. Needs both in the build folder.
here=$PWD
tool=$here/sched-pipeline
files=$(cd "${srcdir:-.}/doc/examples/pipeline" && pwd) || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0
large=google/vit-large-patch16-224
cp "$files"/*.yml "$work" && cd "$work" || exit 99

fail() {
	echo "FAILED: $*"
	sed 's/^/  out: /' out
	sed 's/^/  err: /' err
	failures=$((failures + 1))
}

# run STATUS ARGUMENT...: what the tool says is in out and err.
run() {
	expected=$1
	shift
	what="sched-pipeline $*"
	"$tool" "$@" >out 2>err
	status=$?
	[ $status = "$expected" ] || fail "$what: exit status $status, not $expected"
}
out() { grep -qF -- "$1" out || fail "$what: does not print: $1"; }
err() { grep -qF -- "$1" err || fail "$what: does not say: $1"; }
no_out() { [ ! -s out ] || fail "$what: prints something"; }
# is LINE...: the output is exactly this.
is() { printf '%s\n' "$@" | cmp -s - out || fail "$what: prints something else than: $*"; }

# --- the document's example ---
run 0 --compat; cmp -s out published.yml || fail "$what: not the published schedule"
err 'warning: device_types.yml:2: DummyDeviceType: no profile'
run 0 --compat --cost; out '# bottleneck: 1.7454 s'
run 0 --compat --cost -m $large; out '# bottleneck: 5.71957 s'
run 0
is '- mb-0: [1, 5]' '- mb-1: [6, 11]' '- mb-2: [12, 16]' '- mb-3: [17, 21]' '- rcc-0: [22, 28]' \
	'- rcc-1: [29, 35]' '- rcc-2: [36, 41]' '- rcc-3: [42, 48]'
cp out optimum
run 0 --cost; out '# bottleneck: 1.53986 s, computation of stage 1 (mb-0, layers 1-5)'
out '# throughput: 0.649408 microbatches/s, 5.19526 items/s'
grep -v '^#' out | cmp -s - optimum || fail "--cost changes the schedule"
run 0 --cost -m $large; out '# bottleneck: 5.09193 s'
run 0 --all-costs; out 'compute s'
grep -q '^# *8  rcc-3  RCC-VE-C2558 *42-48 *1\.4609 *0 *206\.39 *8192\.00$' out || fail "no row for stage 8"
grep -q '^# *1  mb-0 .*binds$' out || fail "no row says that it binds"
run 0 -d torch.float32 -b 8 -i 2 -o 2 -m google/vit-base-patch16-224 -M models.yml -T device_types.yml -D devices.yml
cmp -s out optimum || fail "$what: not what the defaults give"
run 0 --dtype=torch.float32 --batch-size=8 --buffers-in=2 --buffers-out=2 --model-name=google/vit-base-patch16-224 \
	--models-file=models.yml --dev-types-file=device_types.yml --dev-file=devices.yml
cmp -s out optimum || fail "$what: not what the defaults give"
"$here/xylem" pipeline >out 2>err || fail "xylem pipeline fails"
cmp -s out optimum || fail "xylem pipeline prints another schedule"
"$here/xylem" pipeline --nonsense >out 2>err && fail "xylem pipeline --nonsense ends well"
grep -q '^xylem pipeline: unknown option' err || fail "xylem pipeline does not say its name"

# --- the other wishes ---
run 0 --objective latency; is '- rcc-0: [1, 48]'
run 0 --objective throughput; cmp -s out optimum || fail "$what: another optimum"
run 0 --exclude rcc-1 --exclude mb-3 --cost
grep -qE 'rcc-1|mb-3' out && fail "$what: they are there"
[ "$(grep -c '^-' out)" = 6 ] || fail "$what: not six stages"
run 0 --order rcc-0,mb-0 --cost
[ "$(grep -v '^#' out | sed 's/:.*//' | tr '\n' ' ')" = '- rcc-0 - mb-0 ' ] || fail "$what: another order"
run 0 --order rcc-3,mb-1 --objective latency; is '- rcc-3: [1, 48]'
run 0 --draw drawing.svg; cmp -s out optimum || fail "$what: another schedule"
[ "$(grep -c '<title>layer' drawing.svg)" = 48 ] || fail "$what: not 48 layers"
grep -q 'width="260.00" height="13"' drawing.svg || fail "drawing.svg: no bar is as long as the bottleneck"
for word in mb-0 rcc-3 1.5399 '</svg>'; do grep -qF "$word" drawing.svg || fail "drawing.svg: no $word"; done
if command -v python3 >/dev/null; then
	python3 -c 'import sys, xml.dom.minidom as x; x.parse("drawing.svg")' || fail "drawing.svg is not XML"
fi
grep -qF '>8 stages, ' drawing.svg || fail "drawing.svg: does not count its stages"
run 0 --draw one.svg --objective latency
grep -qF '>1 stage, ' one.svg || fail "one.svg: does not count its stage"
grep -q '<text x="490.00" .*middle.*>1-48<' one.svg || fail "one.svg: the layers' numbers are not upon them"
run 0 --draw -; cmp -s out drawing.svg || fail "$what: another drawing"
run 0 --help; out 'usage: sched-pipeline'; for option in dtype batch-size buffers-in buffers-out model-name models-file \
	dev-types-file dev-file cost all-costs objective order exclude draw compat help; do out "--$option"; done
run 0 -h; out 'usage: sched-pipeline'

# --- two names of a datatype; files that are large in one way ---
sed 's/torch.float32/torch.float16/' device_types.yml >half.yml
run 0 -d torch.half -T half.yml; grep -q '^- ' out || fail "$what: no schedule"
run 0 -d torch.float -T device_types.yml; cmp -s out optimum || fail "$what: not what torch.float32 gives"
awk 'BEGIN { for (i = 0; i < 20000; i++) print "key" i ": 1" }' >many.yml
run_quickly() {
	expected=$1
	shift
	what="sched-pipeline $*"
	timeout 10 "$tool" "$@" >out 2>err
	status=$?
	[ $status = "$expected" ] || fail "$what: exit status $status, not $expected"
}
cat models.yml >>many.yml
run_quickly 0 -M many.yml; cmp -s out optimum || fail "$what: another schedule"
awk 'BEGIN { printf "a: "; for (i = 0; i < 200000; i++) printf "["; print "" }' >deep.yml
run_quickly 1 -M deep.yml; err 'deep.yml:1: lists and maps are nested more than 100 deep'
no_out

# --- many types, few layers ---
# types N DISTINCT HOSTS: so many types, in so many sorts, with a host list each; a model of 4 layers.
types() {
	awk -v n="$1" -v distinct="$2" -v hosts="$3" -v layers="$4" 'BEGIN {
		for (i = 1; i <= layers; i++) { mem = mem ", 10"; out = out ", 1000" }
		printf "m:\n  layers: %d\n  mem_MB: [%s]\n  parameters_in: 1000\n  parameters_out: [%s]\n",
			layers, substr(mem, 3), substr(out, 3) >"few.yml"
		for (t = 0; t < n; t++) {
			time = ""
			for (i = 1; i <= layers; i++) time = time ", " 1 + t % distinct / 64 + i % 3 / 8
			printf "t%02d:\n  bw_Mbps: 1000\n  mem_MB: 25\n  model_profiles:\n    m:\n", t >"few_types.yml"
			printf "    - dtype: torch.float32\n      batch_size: 8\n      time_s: [%s]\n",
				substr(time, 3) >"few_types.yml"
			printf "t%02d: [", t >"few_devices.yml"
			for (h = 0; h < hosts; h++) printf "%sh%d-%d", h ? ", " : "", t, h >"few_devices.yml"
			print "]" >"few_devices.yml"
		}
	}'
}
few="-m m -M few.yml -T few_types.yml -D few_devices.yml"
types 14 14 40 60
# shellcheck disable=SC2086
run_quickly 0 $few --order h0-0; is '[]'
err 'no schedule: the reason is unknown: too many layers, types and hosts'
types 26 26 1 4
# shellcheck disable=SC2086
run_quickly 0 $few --cost; is '- h1-0: [1, 1]' '- h0-0: [2, 2]' '- h2-0: [3, 3]' '- h3-0: [4, 4]' \
	"$(grep '^# b' out)" "$(grep '^# t' out)" "$(grep '^# l' out)"
types 60 2 3 48
# shellcheck disable=SC2086
run_quickly 0 $few; grep -q '^- ' out || fail "$what: no schedule"
types 8 8 6 30
# shellcheck disable=SC2086
run_quickly 0 $few --objective latency; grep -q '^- ' out || fail "$what: no schedule"

# --- sizes: half of the bytes travel in half of the time ---
sed 's/torch.float32/torch.float16/' device_types.yml >types16.yml
run 0 -T types16.yml -d torch.float16 --all-costs; out '0.0923438'
sed 's/torch.float32/torch.int8/' device_types.yml >types8.yml
run 0 -T types8.yml -d torch.int8 --all-costs; out '0.0461719'

# --- nothing fits ---
nothing() { is '[]'; err "$1"; }
run 0 -m DummyModel; nothing 'DummyModel has no layers'
run 0 -b 7; nothing 'no device has a profile'
sed 's/mem_MB: [28][0-9]*$/mem_MB: 20/' device_types.yml >small.yml
run 0 -T small.yml; nothing 'memory: layer 1 needs more than 58.8 MB by itself'
sed 's/mem_MB: [28][0-9]*$/mem_MB: 180/' device_types.yml >small.yml
run 0 -T small.yml; nothing 'memory: google/vit-base-patch16-224 does not fit on 8 devices'
run 0 -T small.yml --order mb-0,mb-1; nothing 'memory'
sed 's/mem_MB: [28][0-9]*$/mem_MB: 400/' device_types.yml >small.yml
run 0 -T small.yml --order mb-0,mb-1; nothing 'order: the hosts of --order do not suffice'
sed 's/bw_Mbps: 1000/bw_Mbps: 0/; s/mem_MB: [28][0-9]*$/mem_MB: 900/' device_types.yml >slow.yml
run 0 -T slow.yml; nothing 'bandwidth'
run 0 -T slow.yml --objective latency; nothing 'bandwidth'
echo 'RCC-VE-C2558: []' >empty.yml
run 0 -D empty.yml; nothing 'devices: no host is left of the types that have a profile'
echo 'RCC-VE-C2558: [a]' >one.yml
run 0 -D one.yml --exclude a; nothing 'devices: no host is left of the types that have a profile'
run 0 -D one.yml; is '- a: [1, 48]'
run 0 -D one.yml --compat; nothing '--compat: there is none with the figures of the wrong devices'

# --- the command line is wrong ---
run 1 --nonsense; no_out; err 'unknown option "--nonsense"'
run 1 -b; err 'needs a value'
run 1 -b 0; err '--batch-size: "0" is not a whole number from 1'
run 1 -b -3; err '"-3"'
run 1 -i 1e99; err '--buffers-in'
run 1 -o 99999999999999999999; err '--buffers-out'
run 1 -d torch.float31; err 'did you mean "torch.float32"'
run 1 --objective speed; err 'neither throughput nor latency'
run 1 --exclude mb-9; err 'devices.yml has no host "mb-9"; did you mean'
run 1 --order mb-0,nobody; err 'no usable host "nobody"'
run 1 --order mb-0,mb-0; err 'twice'
run 1 --order mb-0,; err 'no usable host ""'
run 1 --compat --order mb-0; err '--compat excludes'
run 1 stray; err 'unexpected argument "stray"'
run 1 -m google/vit-bass-patch16-224; no_out; err 'models.yml:1: google/vit-bass-patch16-224: no such model'
run 1 -M nowhere.yml; no_out; err 'nowhere.yml: No such file'
run 1 -M .; no_out; err 'sched-pipeline: .: Is a directory'
run 1 --draw nowhere/x.svg; no_out; err 'nowhere/x.svg'

# --- a file is wrong: which one, where, which key ---
# bad FILE MESSAGE: a model "m" with two layers, one type, one host, with one file replaced by stdin.
good() {
	printf 'm:\n  layers: 2\n  mem_MB: [1, 1]\n  parameters_in: 1\n  parameters_out: [1, 1]\n' >models.yml
	printf 'A:\n  bw_Mbps: 1\n  mem_MB: 9\n  model_profiles:\n    m:\n    - {batch_size: 8, dtype: torch.float32, time_s: [1, 2]}\n' >device_types.yml
	printf 'A: [a]\n' >devices.yml
}
bad() {
	good
	printf '%b' "$1" >"$2"
	run 1 -m m; no_out; err "sched-pipeline: $2:$3"
}
for break in '\n' '\r\n' '\r'; do
	good; printf "m: {layers: 1}${break}${break}\\377: 1\\n" >models.yml; run 1 -m m; err 'sched-pipeline: models.yml:3: '
done
good; run 0 -m m; is '- a: [1, 2]'; [ ! -s err ] || fail "$what: says something"
m='m:\n  layers: 2\n'
bad '' models.yml '1: m: no such model'
bad 'm: [\n}\n' models.yml '2: '
bad 'm: 3\n' models.yml '1: m: must be a map'
bad 'm:\n  layers: -1\n' models.yml '2: m: layers: "-1" is not a whole number'
bad 'm:\n  layers: 2000000\n' models.yml '2: m: layers: "2000000"'
bad 'm:\n  x: 1\n' models.yml '2: m: layers: this key is missing'
bad "${m}  mem_MB: [1]\n" models.yml '3: m: mem_MB: has 1 values for 2 layers'
bad "${m}  mem_MB: [1,\n   -2]\n" models.yml '4: m: mem_MB: "-2" is not a number'
bad "${m}  mem_MB: [1, nan]\n" models.yml '3: m: mem_MB: "nan"'
bad "${m}  mem_MB: [1, 1]\n  parameters_in: 1\n  parameters_out: [1, 2, 3]\n" models.yml '5: m: parameters_out: has 3 values'
bad "${m}  mem_MB: [1, 1]\n  parameters_in: 1\n  parameters_out: []\n" models.yml '5: m: parameters_out: has 0 values'
bad "${m}  mem_MB: [1, 1]\n  parameters_in: 1\n  parameters_out: [1, 1.5]\n" models.yml '5: m: parameters_out: "1.5"'
bad "${m}  layers: 2\n" models.yml '3: layers: duplicate key'
bad "${m}---\nn: 1\n" models.yml '3: a second document'
bad 'A: 1\n' device_types.yml '1: A: must be a map'
bad 'A: {mem_MB: 1}\n' device_types.yml '1: A: bw_Mbps: this key is missing'
bad 'A: {bw_Mbps: 1,\n mem_MB: -1}\n' device_types.yml '2: A: mem_MB: "-1"'
p='A:\n  bw_Mbps: 1\n  mem_MB: 9\n  model_profiles:\n    m:\n    - {batch_size: 8, '
bad "${p}dtype: torch.float32, time_s: [1]}\n" device_types.yml '6: A: time_s: has 1 values for 2 layers'
bad "${p}dtype: torch.float32, time_s: [1, 1e300]}\n" device_types.yml '6: A: time_s: "1e300"'
bad "${p}dtype: float}\n" device_types.yml '6: A: dtype: unknown datatype "float"'
bad '[]' devices.yml '1: devices: must be a map'
bad 'A: a\n' devices.yml '1: A: hosts: must be a list'
bad 'A:\n- a\n- a\n' devices.yml '3: A: a: duplicate host'
bad 'A:\n- {}\n' devices.yml '2: A: hosts: a host must be a name'
for name in '~' "''" '"\\x1b"' '"\\x7f"' '"x\\N"' '"x\\L"' '"x\\P"'; do
	bad "A:\n- $name\n" devices.yml '2: A: hosts: a host must be a name'
	bad "$name: []\n" devices.yml '1: a key must be a name'
done

# --- types: in the order of their names, and those without hosts are as if they were not there ---
good
{ sed 's/^A/B/' device_types.yml; sed 's/^A/a/' device_types.yml; cat device_types.yml; } >all.yml
printf 'a: [1st]\nB: [2nd]\nA: [3rd]\n' >devices.yml
run 0 -m m -T all.yml; is '- 3rd: [1, 1]' '- 2nd: [2, 2]'
good; { sed 's/9$/2/' device_types.yml; sed 's/^A/B/' device_types.yml; } >small.yml
sed -i.old 's/mem_MB: .*/mem_MB: [2, 1]/' models.yml
run 0 -m m -T small.yml; is '[]'; err 'memory: layer 1 needs more than 2.0 MB by itself, and the largest device has 2.0 MB'

# --- what is odd but right ---
good; printf 'm:\n  layers: 2\n  mem_MB: [1, 1]\n  parameters_in: 1\n  parameters_out: [1]\n' >models.yml
run 0 -m m; is '- a: [1, 2]'; err 'warning: models.yml:5: m: parameters_out: has 1 values for 2 layers; they are repeated'
good
printf '%b' "${p}dtype: torch.float32, time_s: [9, 9]}\n" >device_types.yml
echo '    - {batch_size: 8, dtype: torch.float32, time_s: [1, 2]}' >>device_types.yml
run 0 -m m --cost; out '# bottleneck: 3 s'
good; printf 'A: ["12"]\n' >devices.yml; run 0 -m m; is '- "12": [1, 2]'
good; printf 'A: [10.0.0.1]\n' >devices.yml; run 0 -m m; is '- 10.0.0.1: [1, 2]'
good; printf 'A: [a]\nB: [b]\n' >devices.yml; run 0 -m m; is '- a: [1, 2]'; err 'devices.yml:2: B: no usable device type'
if [ -e /dev/full ]; then
	good; "$tool" -m m >/dev/full 2>err && fail "a full disk is no error"
	grep -q "can't write the output" err || fail "a full disk: no message"
fi
[ $failures = 0 ]
