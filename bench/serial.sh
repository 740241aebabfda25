#!/bin/sh
# SPDX-License-Identifier: MIT
# Under tree-ws no worker waits for another to run what it made ready; tree-eager holds its queue for few instructions.
output=$(timeout 300 bench/serial --quick tree-eager tree-ws)
status=$?
echo "$output"
[ $status -eq 0 ] || exit $status
case $output in
*"NOT REACHED"*) exit 1 ;;
esac
