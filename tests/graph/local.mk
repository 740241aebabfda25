# Graphs, their files and static schedules.
one_thread_tests += tests/graph/graph
tests_graph_graph_LDADD = libgraph.la $(LDADD)
one_thread_tests += tests/graph/static
tests_graph_static_LDADD = libhelper.la libgraph.la $(LDADD) -lm
tests_graph_static_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_GRAPHS='"$(abs_top_srcdir)/graphs"'
fuzz_tests += tests/fuzz/graph.fuzz
tests_fuzz_graph_fuzz_LDADD = libgraph.la $(fuzz_libs)
fuzz_corpora += tests/fuzz/graph.corpus
fuzz_tests += tests/fuzz/graph_text.fuzz
tests_fuzz_graph_text_fuzz_LDADD = libgraph.la $(fuzz_libs)
fuzz_corpora += tests/fuzz/graph_text.corpus
one_thread_tests += tests/graph/read
tests_graph_read_LDADD = libgraph.la $(LDADD)
tests_graph_read_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_GRAPHS='"$(abs_top_srcdir)/graphs"'
unit_tests += tests/graph/submit
tests_graph_submit_LDADD = libhelper.la libgraph.la $(LDADD) -lm
tests_graph_submit_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_MACHINES='"$(abs_top_srcdir)/machines"'  -DTEST_GRAPHS='"$(abs_top_srcdir)/graphs"'
