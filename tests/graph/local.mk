# Graphs, their files and static schedules.
unit_tests += tests/graph/graph
tests_graph_graph_LDADD = libgraph.la $(LDADD)
unit_tests += tests/graph/static
tests_graph_static_LDADD = libgraph.la $(LDADD) -lm
tests_graph_static_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_GRAPHS='"$(abs_top_srcdir)/graphs"'
