#!/bin/sh
# SPDX-License-Identifier: MIT
# Candidates for the default policy of machines with devices, on shipped machines and graphs in virtual time: the bound
# of the linear program in percent of the makespan, with transfers and without. Run it from the top folder, with the
# tool: bench/defaults.sh build/xylem. Deterministic.
tool=${1:-build/xylem}
policies=${2:-tree-eager,tree-ws,tree-dmdas,tree-cambium}
XYLEM_MACHINES=$(cd "$(dirname "$0")/../machines" && pwd)
export XYLEM_MACHINES

table()
{
	echo "$1"
	for machine in mirage idgraf attila node-64-4; do
		for graph in cholesky:8 cholesky:16 lu:16 qr:12 random:kernels=cholesky stencil:40x20 independent:400; do
			# shellcheck disable=SC2086
			"$tool" sim --machine "$machine" --graph "$graph" --policy "$policies" $2 2>/dev/null |
				awk -v what="$machine, $graph" '
					$1 == "policy" { table = 1; next }
					table && NF > 3 { line = line sprintf("%10s", $4); sum = 1 }
					END { if (sum) printf "%-34s%s\n", what, line }'
		done
	done | awk -v names="$policies" '
		BEGIN { n = split(names, name, ","); printf "%-34s", ""; for (i = 1; i <= n; i++) printf "%10.10s", substr(name[i], 6); print "" }
		{ print; rows++; for (i = 1; i <= n; i++) { log_sum[i] += log($(NF - n + i)); if (rows == 1 || $(NF - n + i) < least[i]) least[i] = $(NF - n + i) } }
		END { printf "%-34s", "geometric mean"; for (i = 1; i <= n; i++) printf "%10.1f", exp(log_sum[i] / rows); print ""
		      printf "%-34s", "least"; for (i = 1; i <= n; i++) printf "%10.1f", least[i]; print "" }'
}

table "with transfers" ""
echo
table "without transfers" --no-transfers
