# Farms: each scheduler with real jobs, and units.
if HAVE_FARM
script_tests += tests/farm/crash.sh tests/farm/local.sh tests/farm/pbs.sh tests/farm/slurm.sh tests/farm/tool.sh
check_PROGRAMS += tests/farm/crash
one_thread_tests += tests/farm/lock tests/farm/read tests/farm/round
tests_farm_lock_LDADD = $(farm_libs)
tests_farm_read_LDADD = $(farm_libs)
tests_farm_crash_LDADD = $(farm_libs)
tests_farm_round_LDADD = $(farm_libs) $(SQLITE_LIBS)
tests_farm_round_CFLAGS = $(AM_CFLAGS) $(SQLITE_CFLAGS)
endif
farm_libs = libfarm.la libgraph.la $(LDADD)
EXTRA_DIST += tests/farm/cluster.sh tests/farm/scenarios.sh
if HAVE_FARM
fuzz_tests += tests/fuzz/farm_quote.fuzz tests/fuzz/farm_read.fuzz
endif
tests_fuzz_farm_quote_fuzz_SOURCES = tests/fuzz/farm_quote.c
tests_fuzz_farm_quote_fuzz_LDADD = libfarm.la libgraph.la $(fuzz_libs)
tests_fuzz_farm_read_fuzz_SOURCES = tests/fuzz/farm_read.c
tests_fuzz_farm_read_fuzz_LDADD = libfarm.la libgraph.la $(fuzz_libs)
fuzz_corpora += tests/fuzz/farm_quote.corpus tests/fuzz/farm_read.corpus


# Slots: the division, and the tool that runs repetitions in them.
one_thread_tests += tests/farm/slots tests/farm/slots_cpus
tests_farm_slots_LDADD = libslots.la $(LDADD) -lm
tests_farm_slots_cpus_LDADD = libslots.la $(LDADD)
one_thread_scripts += tests/farm/slots_tool.sh
EXTRA_DIST += tests/farm/two-sockets.xml

# Files of CW2.
if HAVE_FARM
one_thread_tests += tests/farm/cw2
endif
tests_farm_cw2_LDADD = libfarm.la libslots.la libgraph.la $(LDADD) -lm
one_thread_scripts += tests/farm/cw2_tool.sh tests/farm/slots_slurm.sh
