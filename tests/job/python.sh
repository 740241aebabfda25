#!/bin/sh
# SPDX-License-Identifier: MIT
# The module for Python inside jobs.
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
src=${srcdir:-.}
PYTHONPATH=$src/src/python PYTHONDONTWRITEBYTECODE=1 exec timeout 120 python3 "$src/tests/job/python.py"
