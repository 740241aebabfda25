#!/bin/sh
# SPDX-License-Identifier: MIT
# Dependencies point down only: a file includes, and an object calls, its own layer and those before it in this list.
# A header declares what the files of its name define. The tool, the examples and the benches include nothing of the
# library but what is installed; the tool also has the settings, the files of models, buses and machines and the utilities,
# from whose sources it is built.
source=${srcdir:-.}

# The layers from the bottom; a layer is one folder of src or several.
layers='
util       core/util/
pipeline   pipeline/
graph      graph/
farm       farm/
job        job/
bound      bound/
perf       core/perf/
machine    core/machine/
task       core/task/|core/lockfree/
model      core/model/
tree       core/tree/
components components/
policies   policies/
runtime    core/runtime/|core/data/
engines    engines/|drivers/
'

# Prints "FILE INCLUDED" for each quoted include.
includes() {
	(cd "$source" && find src -name '*.[ch]' -not -path 'src/tools/*' -exec grep -H '^#include "' {} +) |
		sed -n '/"build-config\.h"$/d; s|^src/\([^:]*\):#include "\(.*\)"$|\1 \2|p'
}

# The objects of the library, below the folder of the build.
objects() {
	(cd "$source" && find src -name '*.c') | sed 's|\([^/]*\)\.c$|.libs/libxylem_all_la-\1.o|' |
		while read -r object; do
			[ ! -e "$object" ] || echo "$object"
		done
}

# Prints "FILE KIND SYMBOL" for each symbol of the library's objects; kind U: another one defines it.
symbols() {
	objects | xargs ${NM:-nm} -A -g |
		sed -n 's|^src/\(.*\)\.libs/libxylem_all_la-\([^:]*\)\.o:.* \([A-Z]\) \(xy_.*\)|\1\2.c \3 \4|p'
}

# Prints "FILE OTHER SYMBOL" where an object needs what that of another file defines.
calls() {
	symbols >"$table"
	[ -s "$table" ] || echo "no object of the library was found in $(pwd)" >>"$found"
	awk 'NR == FNR { if ($2 != "U") home[$3] = $1; next }
		$2 == "U" && $3 in home { print $1, home[$3], $3 }' "$table" "$table"
}

# Prints "HEADER SYMBOL" for each function that a header of the library declares.
declarations() {
	(cd "$source" && find src -name '*.h' -not -path 'src/tools/*' -exec awk '
		/^[a-z]/ && !/^(static|typedef|extern)/ && match($0, /xy__[a-z0-9_]+\(/) {
			print FILENAME, substr($0, RSTART, RLENGTH - 1)
		}' {} +) | sed 's|^src/||'
}

# A header NAME.h, or NAME_parts.h, declares what NAME.c and NAME_*.c define: of lines "HEADER SYMBOL", the others.
strangers() {
	awk 'NR == FNR { if ($2 != "U") home[$3] = $1; next }
		{
			name = $1
			sub(/^.*\//, "", name)
			sub(/(_parts)?\.h$/, "", name)
			file = home[$2]
			sub(/^.*\//, "", file)
			checked += file != ""
			if (file != "" && file != name ".c" && index(file, name "_") != 1)
				print "src/" $1 " declares " $2 " of " home[$2]
		}
		END {
			if (!checked)
				print "no header declares anything"
		}' "$table" -
}

# upwards VERB: of lines "FROM TO [WHAT]", those that point up, in words.
upwards() {
	LAYERS="$layers" awk -v verb="$1" '
	BEGIN {
		n = split(ENVIRON["LAYERS"], lines, "\n")
		for (i = 1; i <= n; i++)
			if (split(lines[i], words, " ") == 2) {
				name[++count] = words[1]
				pattern[count] = "^(" words[2] ")"
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
			print "src/" $1 " " verb " " $3 " of " $2 ": in no layer, see tests/layers.sh"
		else if (to > from)
			print "src/" $1 " (" name[from] ") " verb " " $3 " of " $2 " (" name[to] ")"
		checked++
	}
	END {
		if (!checked)
			print "nothing that a file " verb " was found"
	}'
}

found=$(mktemp) || exit 99
table=$(mktemp) || exit 99
trap 'rm -f "$found" "$table"' EXIT
includes | awk '{ print $0, "it" }' | upwards includes >>"$found"
calls | upwards calls >>"$found"
declarations | strangers >>"$found"
(cd "$source" && find src/tools examples bench \( -name '*.[ch]' -o -name '*.cpp' \) -exec \
	grep -HnE '^#include "(core|components|policies|engines|drivers)/' {} +) |
	grep -vE '^src/tools/[^:]*:[0-9]+:#include "core/(machine/config\.h|machine/platform\.h|util/|perf/(bus|file|store)\.h)' >>"$found"
cat "$found"
[ ! -s "$found" ]
