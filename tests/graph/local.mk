# Graphs, their files and static schedules.
unit_tests += tests/graph/graph
tests_graph_graph_LDADD = libgraph.la $(LDADD)
