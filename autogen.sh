#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes configure and the files it needs, in a fresh clone.
cd "$(dirname "$0")" && exec autoreconf --force --install
