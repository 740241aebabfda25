# Simulations under test.
if HAVE_CMOCKA
check_LTLIBRARIES += libsimbed.la
endif
libsimbed_la_CPPFLAGS = $(AM_CPPFLAGS) -DMACHINES='"$(abs_top_srcdir)/machines"'
libsimbed_la_SOURCES = tests/engines/sim_bed.c tests/engines/sim_bed.h
sim_bed_libs = libsimbed.la $(helper_libs) -lm
one_thread_tests += tests/engines/explore
tests_engines_explore_LDADD = $(helper_libs)
one_thread_tests += tests/engines/sim
tests_engines_sim_LDADD = $(sim_bed_libs)
one_thread_tests += tests/engines/sim_change
tests_engines_sim_change_LDADD = $(sim_bed_libs)
one_thread_tests += tests/engines/sim_data
tests_engines_sim_data_LDADD = $(sim_bed_libs)
one_thread_tests += tests/engines/sim_locks
tests_engines_sim_locks_LDADD = $(sim_bed_libs)
one_thread_tests += tests/engines/sim_broadcast
tests_engines_sim_broadcast_LDADD = $(sim_bed_libs)
unit_tests += tests/engines/rehearsal
tests_engines_rehearsal_LDADD = $(sim_bed_libs)
unit_tests += tests/engines/sim_threads
tests_engines_sim_threads_LDADD = $(sim_bed_libs)
one_thread_tests += tests/engines/sim_teams
tests_engines_sim_teams_LDADD = $(sim_bed_libs)
one_thread_tests += tests/engines/sim_random
tests_engines_sim_random_SOURCES = tests/engines/sim_random.c tests/stress/program.c \
	tests/stress/program_pieces.c tests/stress/program.h
tests_engines_sim_random_LDADD = libsimbed.la $(bed_libs) -lm
unit_tests += tests/engines/guest
tests_engines_guest_LDADD = $(helper_libs)
unit_tests += tests/engines/hook_examples
tests_engines_hook_examples_LDADD = $(helper_libs) -lm
tests_engines_hook_examples_CPPFLAGS = $(tests_components_examples_CPPFLAGS) -DMACHINES='"$(abs_top_srcdir)/machines"'
one_thread_tests += tests/components/soonest
tests_components_soonest_LDADD = $(sim_bed_libs)
