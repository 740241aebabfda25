#!/bin/sh
# SPDX-License-Identifier: MIT
# With MPI, each rank of a host takes the device of its number; more devices than ranks is a warning, or an error.
src=${srcdir:-.}
command -v mpicc >/dev/null && command -v mpirun >/dev/null || {
	echo "no mpicc and mpirun"
	exit 77
}
[ -z "$XY_SANITIZER_FLAGS" ] || {
	echo "MPI is not built with sanitizers"
	exit 77
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0

fail() {
	echo "FAILED: $*"
	status=1
}

mpicc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$src/include" "$src/tests/mpi/ranks.c" -o "$work/ranks" -L.libs \
	-lxylem -Wl,-rpath,"$PWD/.libs" || {
	echo "FAILED: mpicc does not compile ranks.c"
	exit 1
}
XYLEM_SIM=mirage XYLEM_MACHINES=$(cd "$src/machines" && pwd) XYLEM_MODELS=none
XYLEM_BATCH_DEVICES=cuda:0,cuda:1
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# One host: no network is needed, and none is looked for.
OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1
export XYLEM_SIM XYLEM_MACHINES XYLEM_MODELS XYLEM_BATCH_DEVICES
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_btl OMPI_MCA_rmaps_base_oversubscribe
unset SCHED XYLEM_BATCH_RANK XYLEM_BATCH_RANKS XYLEM_BATCH_STRICT

# ranks N: their lines, sorted.
ranks() {
	timeout 100 mpirun -n "$1" "$work/ranks" 2>"$work/err" | sort
}

printf 'rank 0: cuda0\nrank 1: cuda1\nrank 2: cuda0\n' >"$work/expected"
ranks 3 | diff "$work/expected" - || fail "three ranks: $(cat "$work/err")"
grep -q 'some are idle' "$work/err" && fail "a warning, although all devices are used"
[ "$(ranks 1)" = 'rank 0: cuda0' ] || fail "one rank: $(cat "$work/err")"
grep -q '2 devices for 1 rank on this host: some are idle' "$work/err" || fail "no warning: $(cat "$work/err")"
XYLEM_BATCH_STRICT=1
export XYLEM_BATCH_STRICT
[ -z "$(ranks 1)" ] || fail "it ran, although a device would be idle"
grep -q 'some would be idle, and strict is set' "$work/err" || fail "no error: $(cat "$work/err")"
exit $status
