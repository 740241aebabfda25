#!/bin/sh
# SPDX-License-Identifier: MIT
# GPU libraries of the computer stay out of the tests: what `make check` sets lets drivers find a library without
# devices first.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
XYLEM_DRIVERS=$PWD/src/drivers/.libs
XYLEM_OPENCL_DEVICES=none
export XYLEM_DRIVERS XYLEM_OPENCL_DEVICES
unset XYLEM_CUDA_DEVICES XYLEM_HIP_DEVICES
case $LD_LIBRARY_PATH in
*/tests/double/none*) ;;
*)
	echo "not run by make check"
	exit 77
	;;
esac

# Libraries of the computer: each leaves a file when it is loaded.
cat >"$work/real.c" <<END
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void real_begin(void) { close(open("$work/loaded", O_CREAT | O_WRONLY, 0666)); }
END
mkdir "$work/real"
${CC:-cc} -shared -fPIC "$work/real.c" -o "$work/real/real.so" || exit 99
for name in libcudart.so.13 libcudart.so.12 libcudart.so libamdhip64.so.7 libamdhip64.so.6 libamdhip64.so.5 libamdhip64.so; do
	ln -s real.so "$work/real/$name"
	grep -q "\"$name\"" "${srcdir:-.}/src/drivers/cuda.c" "${srcdir:-.}/src/drivers/hip.c" || exit 99
done
status=0

LD_LIBRARY_PATH=$work/real ./xylem machine >"$work/out" 2>&1
[ -e "$work/loaded" ] || {
	echo "FAILED: drivers do not load the libraries of the computer, so that the rest shows nothing"
	status=1
}
rm -f "$work/loaded"
LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$work/real ./xylem machine >"$work/out" 2>&1
[ ! -e "$work/loaded" ] || {
	echo "FAILED: a library of the computer was loaded"
	status=1
}
[ "$(grep -c 'no devices: .*tests use no device of this computer' "$work/out")" = 2 ] || {
	echo "FAILED: the drivers do not accept the library without devices"
	cat "$work/out"
	status=1
}
exit $status
