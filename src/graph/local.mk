# Task graphs: builders, readers, static schedulers. Linked into the tool, tests and benches; not into libxylem.
noinst_LTLIBRARIES += libgraph.la
libgraph_la_SOURCES = \
	src/graph/dot.c \
	src/graph/dot.h \
	src/graph/draft.c \
	src/graph/edges.c \
	src/graph/graph.c \
	src/graph/graph.h \
	src/graph/json.c \
	src/graph/json.h \
	src/graph/make.c \
	src/graph/make.h \
	src/graph/make_dense.c \
	src/graph/make_random.c \
	src/graph/make_regular.c \
	src/graph/names.c \
	src/graph/rank.c \
	src/graph/read.c \
	src/graph/read.h \
	src/graph/read_dot.c \
	src/graph/read_own.c \
	src/graph/read_stg.c \
	src/graph/read_wfcommons.c \
	src/graph/refuse.c \
	src/graph/static.c \
	src/graph/static.h \
	src/graph/static_check.c \
	src/graph/static_cpop.c \
	src/graph/static_heft.c \
	src/graph/static_peft.c \
	src/graph/submit.c \
	src/graph/write.c \
	src/graph/write_wfcommons.c
libgraph_la_LIBADD = -lm
