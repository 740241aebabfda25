# Pages and the manual.
EXTRA_DIST += doc/machine.md
