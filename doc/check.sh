#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages say what is there: C code comes from files that are compiled, links lead somewhere, files,
# functions, variables, policies and expressions exist.
src=${srcdir:-.}
here=$PWD
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$src" || exit 99
pages=$(ls README.md CONTRIBUTING.md doc/*.md doc/decisions/*.md) || exit 99
: >"$work/faults"

fault() {
	echo "$*" >>"$work/faults"
}

# What the build folder has to say.
if [ -x "$here/xylem" ]; then
	xylem=$here/xylem
	XYLEM_PLUGINS=$(find "$here/examples/component" -name '*.so' | tr '\n' ':')
	export XYLEM_PLUGINS
	"$xylem" env >"$work/variables" || fault "xylem env fails"
	XYLEM_PLUGINS='' "$xylem" policies | sed -n 's/^\(tree-[a-z0-9-]*\).*/\1/p' >"$work/policies"
	XYLEM_PLUGINS='' "$xylem" components | sed 's/ .*//' >"$work/components"
else
	fault "there is no xylem in $here"
fi

# told FILE... < NAMES: each of them is in each of the files.
told() {
	while read -r name; do
		for file in "$@"; do
			grep -qE -- "(^|[^A-Za-z0-9_-])$name($|[^A-Za-z0-9_-])" "$file" || fault "$file: says nothing about $name"
		done
	done
}
sed -n 's/^\([A-Z][A-Z0-9_]*\)[ =].*/\1/p' "$work/variables" >"$work/names"
for list in names policies components; do
	[ -s "$work/$list" ] || fault "xylem lists no $list"
done
told doc/environment.md doc/xylem.1 <"$work/names"
told doc/policies.md <"$work/policies"
told doc/tree.md <"$work/components"

# Blocks of C, each with the line above that says where it is from: "PLACE FROM" in blocks, the text in block.N
for page in $pages; do
	awk -v page="$page" -v work="$work" '
		/^```c$/ { n++; print page ":" NR, above ? above : "-" >>(work "/blocks"); inside = 1; next }
		/^```/ && inside { inside = 0; above = ""; close(file); next }
		inside { file = work "/block." page_id n; print >file; next }
		{ above = "" }
		/^<!-- .* -->$/ { above = $0; gsub(/^<!-- | -->$/, "", above) }
	' page_id="$(echo "$page" | tr -c 'a-zA-Z0-9\n' _)" "$page"
done
[ -s "$work/blocks" ] || fault "no page has any C code"
page_before=
while read -r place from; do
	page=${place%:*}
	[ "$page" = "$page_before" ] || n=0
	page_before=$page
	n=$((n + 1))
	block=$work/block.$(echo "$page" | tr -c 'a-zA-Z0-9\n' _)$n
	file=${from#part of }
	if [ "$from" = - ] || [ ! -f "$file" ]; then
		fault "$place: C code without <!-- FILE --> or <!-- part of FILE --> above it"
	elif [ "$from" = "$file" ]; then
		cmp -s "$block" "$file" || fault "$place: is not the same as $file"
	else
		awk 'NR == FNR { want[++n] = $0; next } { line[++m] = $0 }
			END {
				for (i = 0; i + n <= m; i++) {
					for (j = 1; j <= n && line[i + j] == want[j]; j++)
						;
					if (j > n)
						exit 0
				}
				exit 1
			}' "$block" "$file" || fault "$place: is not a part of $file"
	fi
	grep -qF -- "${file%.c}" examples/local.mk doc/local.mk || fault "$place: $file is not built"
done <"$work/blocks"

# defines FILE NAME: the file has the body of that function.
defines() {
	awk -v name="$2" '
		$0 ~ "^[a-z].*[^a-zA-Z0-9_]" name "\\(" { open = 1 }
		open && /;$/ { open = 0 }
		open && /^\{/ { found = 1; exit }
		END { exit !found }' "$1"
}

# "`function` (`src/file`)", "`function` in `src/file`", and lines of a drawing: "function  folder/file".
pairs() {
	# shellcheck disable=SC2016
	tr '\n' ' ' <"$1" | grep -oE '`[a-z][a-z0-9_]*` (\(|in )`src/[a-z0-9_/]*\.[ch]`' | sed 's/[`(]//g; s/ in / /'
	sed -n '/^    /p' "$1" | grep -oE '[a-z][a-z0-9_]* +(core|components|engines|drivers)/[a-z0-9_/]*\.[ch]' | sed 's| \{1,\}| src/|'
}
[ "$(pairs doc/tour.md | wc -l)" -ge 30 ] || fault "doc/tour.md pairs too few functions with their files: see pairs in doc/check.sh"

# a schedule as some of them name it
echo '- stage: [1, 2]' >"$work/schedule.yml"
for page in $pages; do
	folder=$(dirname "$page")
	grep -oE '\]\([^)]*\)' "$page" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^https\{0,1\}:' |
		while read -r link; do
			[ -e "$folder/$link" ] || fault "$page: no $link to link to"
		done
	# shellcheck disable=SC2016
	grep -oE '`(src|include|tests|examples|doc|bench|build-aux)/[A-Za-z0-9_./-]*`' "$page" | tr -d '`' |
		while read -r path; do
			[ -e "$path" ] || fault "$page: there is no $path"
		done
	pairs "$page" | while read -r name path; do
		[ ! -e "$path" ] || defines "$path" "$name" || fault "$page: $name is not a function of $path"
	done
	case $page in
	CONTRIBUTING.md | doc/coming-from-starpu.md) ;; # examples of names, names of others
	*)
		# shellcheck disable=SC2016
		grep -oE '`[a-z][a-z0-9]*(_[a-z0-9]+)+`' "$page" | tr -d '`' | sort -u | while read -r name; do
			grep -rqw -- "$name" src include compat examples machines || fault "$page: nothing is called $name"
		done
		# shellcheck disable=SC2016
		grep -oE '`[a-z0-9_]+\.[ch]`' "$page" | tr -d '`' | sort -u | while read -r name; do
			find src include compat examples doc -name "$name" | grep -q . || fault "$page: there is no $name"
		done
		;;
	esac
	grep -oE '\bxy_[a-z_]*[a-z]' "$page" | sort -u | while read -r name; do
		grep -rqwF -- "$name" include src compat || fault "$page: nothing is called $name"
	done
	grep -oE '\bXYLEM_[A-Z0-9_]*[A-Z0-9]' "$page" | sort -u | while read -r name; do
		grep -qw -- "$name" "$work/variables" src/farm/environment.h || fault "$page: there is no variable $name"
	done
	grep -oE "SCHED='[^']*'|SCHED=tree-[a-z-]+|\`tree-[a-z-]+\`|\`modular-[a-z-]+\`" "$page" |
		grep -vE "modular-(heft|dmda)" | sed "s/^SCHED=//; s/['\`]//g" | sort -u |
		while read -r expression; do
			(cd "$work" && "$xylem" check "$expression") >"$work/out" 2>&1 || {
				fault "$page: $expression"
				fault "$(cat "$work/out")"
			}
		done
done
cat "$work/faults"
[ ! -s "$work/faults" ]
