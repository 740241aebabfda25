#!/bin/sh
# SPDX-License-Identifier: MIT
# The shared library exports xy_ names and nothing else; xy__ names stay inside.
library=.libs/libxylem.so
if [ ! -e "$library" ]; then
	echo "no shared library in this build"
	exit 77
fi
exported=$(${NM:-nm} -D --defined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }') || exit 1
if ! echo "$exported" | grep -qx xy_version; then
	echo "xy_version is not exported"
	exit 1
fi
if leaked=$(echo "$exported" | grep -v '^xy_[^_]'); then
	echo "exported, but not public:"
	echo "$leaked"
	exit 1
fi
echo "$(echo "$exported" | wc -l) names exported, all public"
