#!/bin/sh
# SPDX-License-Identifier: MIT
# Each name that the headers declare has a row in names.tsv, and a row that says done names a test that uses it. The
# library includes no private header of Xylem.
cd "${srcdir:-.}/compat/starpu" || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0
tab=$(printf '\t')

# Identifiers of StarPU's in the headers, apart from comments.
cat include/*.h include/parts/*.h | sed 's|/\*[^*]*\*/||g; /^[ \t]*\/\*/d; /^ \*/d' |
	grep -oE '(^|[^A-Za-z0-9_])(_?starpu_|STARPU_)[A-Za-z0-9_]+' | grep -oE '_?(starpu|STARPU)_[A-Za-z0-9_]+' |
	grep -vE '^starpu_[a-z_]*$' >"$work/capitals"
cat include/*.h include/parts/*.h | sed 's|/\*[^*]*\*/||g; /^[ \t]*\/\*/d; /^ \*/d; /#include/d' |
	grep -oE '(^|[^A-Za-z0-9_])_?starpu_[a-z0-9_]+' | grep -oE '_?starpu_[a-z0-9_]+' >"$work/small"
sort -u "$work/capitals" "$work/small" >"$work/declared"
cut -f1 names.tsv | sort >"$work/rows"
if [ -n "$(uniq -d "$work/rows")" ]; then
	echo "rows twice: $(uniq -d "$work/rows" | tr '\n' ' ')"
	status=1
fi
missing=$(comm -23 "$work/declared" "$work/rows" | tr '\n' ' ')
if [ -n "$missing" ]; then
	echo "declared, without a row: $missing"
	status=1
fi
while IFS="$tab" read -r name tier state test; do
	case $state in
	done)
		if [ ! -f "tests/$test" ] || ! grep -qw -e "$name" "tests/$test"; then
			echo "$name is done, but tests/$test does not use it"
			status=1
		fi
		;;
	partial | refused)
		[ -n "$test" ] || {
			echo "$name is $state without a reason"
			status=1
		}
		;;
	*)
		echo "$name: state '$state'"
		status=1
		;;
	esac
	case $tier in
	[0-5]) ;;
	*)
		echo "$name: tier '$tier'"
		status=1
		;;
	esac
done <names.tsv
if grep -nE '#include "(core|components|policies|engines|drivers|\.\.)/' src/*; then
	echo "a private header is included"
	status=1
fi
if grep -n getenv src/*.c | grep -v '^src/environment.c:' | grep -vE 'xs_getenv'; then
	echo "only environment.c reads the environment"
	status=1
fi
exit $status
