# Performance models.
unit_tests += tests/core/perf/stats tests/core/perf/file tests/core/perf/model
tests_core_perf_stats_LDADD = $(helper_libs)
tests_core_perf_model_LDADD = $(helper_libs)
tests_core_perf_file_LDADD = $(helper_libs)
tests_core_perf_file_CPPFLAGS = $(AM_CPPFLAGS) -DPERF_DATA='"$(abs_top_srcdir)/tests/core/perf/starpu"'
EXTRA_DIST += tests/core/perf/starpu tests/core/perf/folder.h
unit_tests += tests/core/perf/bus
script_tests += tests/tools/model.sh
fuzz_tests += tests/fuzz/model.fuzz
tests_fuzz_model_fuzz_LDADD = $(fuzz_libs)
fuzz_corpora += tests/fuzz/model.corpus
tests_core_perf_bus_LDADD = $(bed_libs)
tests_core_perf_bus_CPPFLAGS = $(AM_CPPFLAGS) -DPERF_DATA='"$(abs_top_srcdir)/tests/core/perf/starpu"'
