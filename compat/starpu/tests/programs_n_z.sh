#!/bin/sh
# SPDX-License-Identifier: MIT
# The other half of programs.sh.
letters=n-z exec "$(dirname "$0")/programs.sh"
