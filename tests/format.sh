#!/bin/sh
# SPDX-License-Identifier: MIT
# The sources follow .clang-format. Another version of clang-format may see some lines differently, so only the one
# that Debian 12 has is asked.
cd "${srcdir:-.}" || exit 99
format=
for name in clang-format-14 clang-format; do
	if "$name" --version 2>/dev/null | grep -q 'version 14\.'; then
		format=$name
		break
	fi
done
if [ -z "$format" ]; then
	echo "there is no clang-format 14"
	exit 77
fi
files=$(find include src compat examples bench tests doc -name '*.[ch]')
[ -n "$files" ] || exit 99
# shellcheck disable=SC2086
"$format" --dry-run --Werror $files
