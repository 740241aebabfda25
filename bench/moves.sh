#!/bin/sh
# SPDX-License-Identifier: MIT
# MiB moved by patterns of reuse on two OpenCL devices with little memory: in Xylem and, if there is one, in StarPU; with
# the default policy and with the one of some that moves least, medians of the rounds. Run it in the build folder:
# ../bench/moves.sh ROUNDS. Without a number every pattern runs once in Xylem, whose results have to be right.
rounds=$1
patterns='stencil cyclic random dirty chains rank1 temporaries partitions'
own=' tree-eager tree-ws tree-dmdar'
theirs=' eager lws dmda dmdar'
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/models" "$folder/starpu"
BENCH_MODELS=$folder/models STARPU_HOME=$folder/starpu
export BENCH_MODELS STARPU_HOME

# one RUNTIME PATTERN POLICY: a number, or nothing.
one() {
	timeout 300 "bench/peers/moves-$1" "$2" "$3" 2>"$folder/err" | awk '$1 == "mib" { print $2 }'
}

if [ -z "$rounds" ]; then
	for pattern in $patterns; do
		mib=$(one xylem "$pattern" "")
		if [ -z "$mib" ]; then
			cat "$folder/err"
			grep -q 'not possible here' "$folder/err" && exit 77
			exit 1
		fi
		echo "$pattern $mib"
	done
	exit 0
fi

# median RUNTIME PATTERN POLICY
median() {
	i=0
	while [ "$i" -lt "$rounds" ]; do
		one "$@"
		i=$((i + 1))
	done | sort -n | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)]; else print "-" }'
}

# all RUNTIME PATTERN POLICIES: the median of the default, the least, and whose that is.
all() {
	# The first round calibrates the models.
	for policy in "" $3; do
		one "$1" "$2" "$policy" >/dev/null
	done
	for policy in default $3; do
		[ "$policy" = default ] && name='' || name=$policy
		echo "$policy $(median "$1" "$2" "$name")"
	done | awk '
		$1 == "default" { printf "%s ", $2; }
		$2 != "-" && (!name || $2 + 0 < least) { least = $2 + 0; name = $1 }
		END { print name ? least : "-", name ? name : "-" }'
}

printf '%-12s %8s %8s %-12s %8s %8s %-8s %s\n' MiB Xylem least "" StarPU least "" 'least / least'
for pattern in $patterns; do
	ours=$(all xylem "$pattern" "$own")
	other='- - -'
	[ -x bench/peers/moves-starpu ] && other=$(all starpu "$pattern" "$theirs")
	echo "$pattern $ours $other" | awk '{
		printf "%-12s %8.1f %8.1f %-12s", $1, $2, $3, $4
		if ($6 == "-") print " -"; else printf " %8.1f %8.1f %-8s %.2f\n", $5, $6, $7, $3 / $6 }'
done
