#!/bin/sh
# SPDX-License-Identifier: MIT
# The bench of pipelines runs on small problems; both of its programs find the same. Says nothing about speed.
bench/pipeline --quick
