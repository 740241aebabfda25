#!/bin/sh
# SPDX-License-Identifier: MIT
# Rules of the sources that a search can check: licence and purpose at the top, the environment read
# in one place, a library that neither prints to stdout nor ends the program, flags that differ, lines that fit.
cd "${srcdir:-.}" || exit 99
found=$(mktemp) || exit 99
trap 'rm -f "$found"' EXIT

# forbid WHAT: notes the places on stdin, if any.
forbid() {
	places=$(cat)
	[ -z "$places" ] || printf '%s:\n%s\n' "$1" "$places" >>"$found"
}

folders=
for folder in include src compat examples bench tests; do
	[ ! -d $folder ] || folders="$folders $folder"
done
# shellcheck disable=SC2086
files=$(find $folders -name '*.[ch]')
[ -n "$files" ] || exit 99

# library PATTERN: where the library has it, apart from lines of comment.
library() {
	find src -name '*.[ch]' -not -path 'src/tools/*' -exec grep -nE "$1" /dev/null {} + |
		grep -vE ':[0-9]+:[[:space:]]*(/?\*|//)'
}

for file in $files; do
	[ "$(sed -n 1p "$file")" = '/* SPDX-License-Identifier: MIT */' ] || echo "$file"
done | forbid "the first line is not the licence"
for file in $files; do
	sed -n 2p "$file" | grep -q '^/\*' || echo "$file"
done | forbid "the second line does not begin a comment that says what the file is for"
for file in $files; do
	expand "$file" | awk -v file="$file" 'length > 120 { print file ":" NR }'
done | forbid "longer than 120 columns (100 is the aim)"
# shellcheck disable=SC2086
grep -nE '[[:space:]]$' $files | forbid "white space at the end of a line"
# shellcheck disable=SC2086
grep -nE '(^|[^[:alnum:]])(TODO|FIXME|XXX)([^[:alnum:]]|$)' $files | forbid "unfinished"
# shellcheck disable=SC2086
grep -nE 'typedef (struct|union|enum)' $files | grep -vE '^compat/starpu/(include|tests/cuda)/' | # names of StarPU and CUDA
	forbid "a typedef hides what it is"
# shellcheck disable=SC2086
awk '/^enum [a-z_]*_flags \{/ { inside = 1; split("", seen) }
     inside {
	     line = $0
	     while (match(line, /[A-Z_]+ = [0-9]+/)) {
		     split(substr(line, RSTART, RLENGTH), part, " = ")
		     line = substr(line, RSTART + RLENGTH)
		     for (bit = 1; bit < part[2]; bit *= 2)
			     ;
		     if (bit != part[2] || part[2] in seen)
			     print FILENAME ":" FNR ": " part[1] " = " part[2]
		     seen[part[2]] = 1
	     }
     }
     /}/ { inside = 0 }' $files | forbid "a flag is not a bit of its own"
library '(^|[^_[:alnum:]])(secure_)?getenv *\(' | grep -vE '^src/(core/machine/config|job/environment)\.c:' |
	forbid "only src/core/machine/config.c and, in the library for jobs, src/job/environment.c read the environment"
library '(^|[^_[:alnum:]])(abort|_?exit|_Exit|quick_exit) *\(' | forbid "the library ends the program"
library '(^|[^_[:alnum:]])(printf|vprintf|puts|putchar) *\(|stdout' | forbid "the library prints to stdout"
cat "$found"
[ ! -s "$found" ]
