#!/bin/sh
# SPDX-License-Identifier: MIT
# The bench of schedules runs one case of each class, and all policies run all of them. Says nothing about quality.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
out=$(bench/quality --quick --count 1 --folder "$folder" ./xylem 2>&1) || exit 1
echo "$out"
case $out in
*failed*|*nan*|*inf*) exit 1 ;;
esac
echo "$out" | grep -q '^all  *9 '
