#!/bin/sh
# SPDX-License-Identifier: MIT
# The expressions of doc/tree.md are right or wrong as it says, and the wrong ones for the reason that
# stands below them.
tool=./xylem
page=${srcdir:-.}/doc/tree.md
plugin=$(find examples/component -name lifo.so | head -n 1)
[ -x $tool ] && [ -n "$plugin" ] || exit 99
said=$(mktemp) || exit 99
trap 'rm -f "$said"' EXIT
failures=0
count=0

fail() {
	echo "FAILED: $*"
	cat "$said"
	failures=$((failures + 1))
}

# check EXPRESSION: as the page says, on three workers.
check() {
	XYLEM_PLUGINS=$plugin $tool check --machine "cpu:2 cuda:1" "$1" >"$said" 2>&1
}

last=
while read -r word rest; do
	case $word in
	right)
		check "$rest" || fail "is not right: $rest" ;;
	wrong)
		check "$rest" && fail "is not wrong: $rest"
		last=$rest ;;
	says)
		grep -qF "xylem: $rest" "$said" || fail "is wrong for another reason: $last" ;;
	esac
	count=$((count + 1))
done <<END
$(sed -n 's/^    \(right\|wrong\|says\)  */\1 /p' "$page")
END
[ $count -gt 30 ] || fail "only $count lines were found in $page"
[ $failures = 0 ]
