#!/bin/sh
# SPDX-License-Identifier: MIT
# The bench of the simulator runs on a small graph, and every task ends once. Says nothing about speed.
bench/sim --quick
