# Policies in simulations.
one_thread_tests += tests/sim/policies
tests_sim_policies_LDADD = libgraph.la $(helper_libs) -lm
tests_sim_policies_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=xy_task_length
tests_sim_policies_CPPFLAGS = $(AM_CPPFLAGS) -DMACHINES='"$(abs_top_srcdir)/machines"'

one_thread_tests += tests/sim/batch
tests_sim_batch_LDADD = $(helper_libs) -lm
tests_sim_batch_CPPFLAGS = $(AM_CPPFLAGS) -DMACHINES='"$(abs_top_srcdir)/machines"'
