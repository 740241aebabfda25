#!/bin/sh
# SPDX-License-Identifier: MIT
# A matrix three times larger than the limit on RAM is factorized, with the result of a run in RAM, and no more RAM is
# used. Says nothing about speed.
output=$(bench/outofcore --quick) || {
	echo "$output"
	exit 1
}
echo "$output"
echo "$output" | awk '
	$1 == "limit_mb" { limit = $2 }
	$1 == "most_ram_mb" { most = $2 }
	$1 == "written_mb" { written = $2 }
	END { exit !(most > 0 && most <= limit + 0.05 && written > 0) }'
