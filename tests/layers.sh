#!/bin/sh
# SPDX-License-Identifier: MIT
# Includes point down only: a file includes its own layer and those before it in this list. The tool,
# the examples and the benches include nothing of the library but what is installed; the tool also has
# the settings, the files of models and machines and the utilities, from whose sources it is built.
cd "${srcdir:-.}" || exit 99

# The layers from the bottom; a file belongs to the first pattern that it matches.
layers='
util       core/util/
pipeline   pipeline/
graph      graph/
bound      bound/
machine    core/(machine/|perf/(file|lines|starpu|stats|store)\.)
task       core/(task/|lockfree/|data/handle\.h|perf/|model/)
tree       core/tree/
components components/
policies   policies/
runtime    core/
engines    (engines|drivers)/
'

# Prints "FILE INCLUDED" for each quoted include.
includes() {
	find src -name '*.[ch]' -not -path 'src/tools/*' -exec grep -H '^#include "' {} + |
		sed -n '/"build-config\.h"$/d; s|^src/\([^:]*\):#include "\(.*\)"$|\1 \2|p'
}

found=$(mktemp) || exit 99
trap 'rm -f "$found"' EXIT
includes | LAYERS="$layers" awk '
	BEGIN {
		n = split(ENVIRON["LAYERS"], lines, "\n")
		for (i = 1; i <= n; i++)
			if (split(lines[i], words, " ") == 2) {
				name[++count] = words[1]
				pattern[count] = "^" words[2]
			}
	}
	function layer(file,    i) {
		for (i = 1; i <= count; i++)
			if (file ~ pattern[i])
				return i
		return 0
	}
	{
		from = layer($1)
		to = layer($2)
		if (!from || !to)
			print "src/" $1 " includes " $2 ": in no layer, see tests/layers.sh"
		else if (to > from)
			print "src/" $1 " (" name[from] ") includes " $2 " (" name[to] ")"
		checked++
	}
	END {
		if (!checked)
			print "no include was found"
	}' >"$found"
find src/tools examples bench \( -name '*.[ch]' -o -name '*.cpp' \) -exec \
	grep -HnE '^#include "(core|components|policies|engines|drivers)/' {} + |
	grep -vE '^src/tools/[^:]*:[0-9]+:#include "core/(machine/(config|platform)\.h|util/|perf/(file|store)\.h)' >>"$found"
cat "$found"
[ ! -s "$found" ]
