# Lower bounds of makespans; linked into the tool and the tests. GLPK solves the one with all paths.
noinst_LTLIBRARIES += libbound.la
libbound_la_SOURCES = src/bound/area.c src/bound/bound.c src/bound/bound.h src/bound/graph.c src/bound/parts.h
if HAVE_GLPK
libbound_la_SOURCES += src/bound/lp.h src/bound/lp_glpk.c src/bound/lp_program.c src/bound/lp_whole.c
else
libbound_la_SOURCES += src/bound/lp_none.c
endif
libbound_la_LIBADD = $(GLPK_LIBS) -lm
