# Published task graphs, in our own format.
graphsdir = $(pkgdatadir)/graphs
dist_graphs_DATA = graphs/arabnejad.xyg
dist_graphs_DATA += graphs/topcuoglu.xyg
