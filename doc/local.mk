# Pages, the manual, and the programs that the pages quote.
dist_man1_MANS += doc/xylem.1
dist_doc_DATA = README.md CONTRIBUTING.md COPYING
docpagesdir = $(docdir)/doc
dist_docpages_DATA = \
	doc/README.md \
	doc/coming-from-starpu.md \
	doc/components.md \
	doc/data.md \
	doc/machine.md \
	doc/sleeping.md \
	doc/tasks.md \
	doc/tour.md \
	doc/tree.md
docdecisionsdir = $(docdir)/doc/decisions
dist_docdecisions_DATA = \
	doc/decisions/0001-tree-of-components.md \
	doc/decisions/0002-inbox.md \
	doc/decisions/0003-generations-tell-ended-tasks.md \
	doc/decisions/0004-waiting-without-a-global-counter.md \
	doc/decisions/0005-default-policy.md \
	doc/decisions/0006-failure-follows-data.md

check_PROGRAMS += doc/examples/tasks doc/examples/data
doc_examples_tasks_LDADD = libxylem.la
doc_examples_data_LDADD = libxylem.la
doc_scripts = doc/check.sh doc/examples/test-pages.sh
TESTS += $(doc_scripts)
EXTRA_DIST += $(doc_scripts)
