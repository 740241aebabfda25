# Pages and the manual.
EXTRA_DIST += doc/machine.md
dist_man1_MANS += doc/xylem.1
docdecisionsdir = $(docdir)/doc/decisions
dist_docdecisions_DATA = \
	doc/decisions/0001-tree-of-components.md \
	doc/decisions/0002-inbox.md \
	doc/decisions/0003-references-not-generations.md \
	doc/decisions/0004-waiting-without-a-global-counter.md \
	doc/decisions/0006-failure-follows-data.md
