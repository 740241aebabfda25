#!/bin/sh
# SPDX-License-Identifier: MIT
# The benchmark of batches runs, with a tenth of the pieces; memory does not grow with them.
exec timeout 120 bench/batch --quick
