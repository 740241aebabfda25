# Pages and the manual.
EXTRA_DIST += doc/machine.md
dist_man1_MANS += doc/xylem.1
