#!/bin/sh
# SPDX-License-Identifier: MIT
# Each shared library exports its public names and nothing else; xy__ names stay inside.
status=0

# exports LIBRARY NAME PATTERN: it has this name, and only names that match.
exports() {
	if [ ! -e ".libs/$1" ]; then
		echo "no shared library in this build"
		exit 77
	fi
	exported=$(${NM:-nm} -D --defined-only ".libs/$1" | awk '{ sub(/@.*/, "", $NF); print $NF }') || exit 1
	if ! echo "$exported" | grep -qx "$2"; then
		echo "$1: $2 is not exported"
		status=1
	fi
	if leaked=$(echo "$exported" | grep -v "$3"); then
		echo "$1: exported, but not public:"
		echo "$leaked"
		status=1
	fi
	echo "$1: $(echo "$exported" | wc -l) names exported"
}

exports libxylem.so xy_version '^xy_[^_]'
exports libxylem-starpu.so starpu_init '^_\{0,1\}starpu_\|^xy_from_starpu$\|^xy_starpu_'
exports libxylem-farm.so xy_farm_claim '^xy_farm_'
exit $status
