# Tests, one list for each kind; a new test is one line (two for a fuzz target):
#   unit_tests    cmocka programs: tests/core/x is built from tests/core/x.c and sees xy__ names
#   script_tests  shell scripts, run in the build folder: exit 0 passed, 77 skipped, else failed
#   one_thread_tests, one_thread_scripts
#                 the same two, where one thread works: not under the thread sanitizer
#   source_tests  the same, for scripts that only read the sources
#   spin_tests    Promela models (build-aux/run-spin says what a model can ask for)
#   relacy_tests  C++ files around a lock-free header (build-aux/run-relacy)
#   fuzz_tests    tests/fuzz/x.fuzz is built from tests/fuzz/x.c; seeds are in tests/fuzz/x.corpus:
#                 fuzz_tests += tests/fuzz/x.fuzz
#                 tests_fuzz_x_fuzz_LDADD = $(fuzz_libs)
# Helpers that several unit tests share: tests_core_x_SOURCES = tests/core/x.c tests/helper.c
# TEST_TIMEOUT=seconds is the limit for one program; SIGUSR1 asks it for its state when it is over.

unit_tests =
script_tests =
one_thread_tests =
one_thread_scripts =
source_tests =
spin_tests =
relacy_tests =
check_DATA =
spin_tests += tests/models/guest.pml tests/models/sleep.pml tests/models/stop.pml tests/models/team.pml
relacy_tests += tests/relacy/lockfree.cpp tests/relacy/sleep.cpp
fuzz_tests =
fuzz_corpora =
fuzz_tests += tests/fuzz/tree_parse.fuzz
tests_fuzz_tree_parse_fuzz_LDADD = $(fuzz_libs)
fuzz_corpora += tests/fuzz/tree_parse.corpus

one_thread_tests += tests/core/runtime/version tests/core/runtime/streams
unit_tests += tests/core/machine/config
unit_tests += tests/core/machine/machine
unit_tests += tests/core/machine/drivers
tests_core_machine_drivers_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_DRIVERS='"$(abs_builddir)/tests/plugins/drivers"'
tests_core_machine_drivers_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=access,--wrap=dlopen
unit_tests += tests/core/task/queue
tests_core_task_queue_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=xy_task_missing_bytes
unit_tests += tests/core/task/queue_random
tests_core_task_queue_random_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=xy_task_missing_bytes
one_thread_tests += tests/core/tree/component
tests_core_tree_component_LDADD = librecording.la $(LDADD)
one_thread_tests += tests/core/tree/hooks
tests_core_tree_hooks_LDADD = librecording.la $(LDADD) -lm
one_thread_tests += tests/core/tree/offer
tests_core_tree_offer_LDADD = librecording.la $(LDADD)
one_thread_tests += tests/core/tree/audit
tests_core_tree_audit_LDADD = librecording.la $(LDADD)
one_thread_tests += tests/core/tree/option
one_thread_tests += tests/core/tree/registry
one_thread_tests += tests/core/machine/topology
tests_core_machine_topology_LDADD = $(LDADD) $(HWLOC_LIBS)
one_thread_tests += tests/core/tree/tree
one_thread_tests += tests/core/tree/tree_memory
tests_core_tree_tree_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc \
	-Wl,--wrap=aligned_alloc,--wrap=strndup,--wrap=free
one_thread_tests += tests/core/tree/tree_parse
one_thread_tests += tests/core/tree/tree_print
one_thread_tests += tests/core/tree/tree_property
tests_core_tree_tree_property_LDADD = librecording.la $(LDADD)
tests_core_tree_tree_property_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=xy__rules_check_flow
one_thread_tests += tests/core/tree/tree_seal
one_thread_tests += tests/core/tree/tree_teams
unit_tests += tests/core/util/log
unit_tests += tests/core/util/arch
unit_tests += tests/core/util/text
unit_tests += tests/engines/threads
script_tests += tests/cpp.sh
EXTRA_DIST += tests/plugins/lifo.cpp tests/plugins/shapes.cpp examples/hello_cpp.cpp
one_thread_scripts += tests/exports.sh tests/headers.sh tests/install.sh
script_tests += tests/tools/xylem.sh tests/tools/batch.sh
one_thread_scripts += tests/tools/check.sh
one_thread_scripts += tests/tools/model-export.sh
one_thread_scripts += tests/tools/sim.sh
one_thread_scripts += tests/tools/sim_batch.sh
one_thread_scripts += tests/tools/cambium.sh
one_thread_scripts += tests/tree_page.sh
one_thread_scripts += tests/mpi/ranks.sh
EXTRA_DIST += tests/mpi/ranks.c
source_tests += tests/format.sh tests/layers.sh tests/setup.sh tests/style.sh
include tests/bound/local.mk
include tests/components/local.mk
include tests/core/local.mk
include tests/core/perf/local.mk
include tests/double/local.mk
include tests/drivers/local.mk
include tests/farm/local.mk
include tests/pipeline/local.mk
include tests/engines/local.mk
include tests/graph/local.mk
include tests/job/local.mk
include tests/sim/local.mk
include tests/stress/local.mk
fuzz_tests += tests/fuzz/machine.fuzz
tests_fuzz_machine_fuzz_LDADD = $(fuzz_libs)
fuzz_corpora += tests/fuzz/machine.corpus

# Plug-ins that tests load from the build folder.
check_LTLIBRARIES += tests/plugins/built.la tests/plugins/good.la tests/plugins/hoards.la tests/plugins/keeps_lock.la
check_LTLIBRARIES += tests/plugins/mutants.la tests/plugins/no_plugin.la
check_LTLIBRARIES += tests/plugins/other_abi.la tests/plugins/taken_name.la
plugin_flags = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
tests_plugins_built_la_LDFLAGS = $(plugin_flags)
tests_plugins_built_la_LIBADD = libxylem.la
tests_plugins_good_la_LDFLAGS = $(plugin_flags)
tests_plugins_hoards_la_LDFLAGS = $(plugin_flags)
tests_plugins_keeps_lock_la_LDFLAGS = $(plugin_flags)
tests_plugins_keeps_lock_la_LIBADD = libxylem.la
tests_plugins_mutants_la_LDFLAGS = $(plugin_flags)
tests_plugins_mutants_la_LIBADD = libxylem.la
tests_plugins_no_plugin_la_LDFLAGS = $(plugin_flags)
tests_plugins_other_abi_la_LDFLAGS = $(plugin_flags)
tests_plugins_taken_name_la_LDFLAGS = $(plugin_flags)
include tests/plugins/drivers/local.mk
EXTRA_DIST += tests/core/task/queue_bed.h
EXTRA_DIST += tests/core/tree/tree_fixture.h

if HAVE_LIBFUZZER
fuzz_libs = libxylem-all.la $(XY_FUZZER_MAIN)
fuzzer = yes
else
check_LTLIBRARIES += libfuzz-replay.la
libfuzz_replay_la_SOURCES = tests/fuzz/replay.c
fuzz_libs = libfuzz-replay.la libxylem-all.la
fuzzer = no
endif

if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
if !THREAD_SANITIZER
check_PROGRAMS += $(one_thread_tests)
TESTS += $(one_thread_tests)
endif
endif
TESTS += $(script_tests)
if !THREAD_SANITIZER
check_PROGRAMS += $(fuzz_tests)
TESTS += $(one_thread_scripts) $(fuzz_tests)
endif
if !SANITIZER
# These hold none of our objects: once, in the plain build, is enough.
TESTS += $(source_tests) $(spin_tests) $(relacy_tests)
endif
EXTRA_DIST += tests/relacy/stdatomic.h tests/suppressions
# Run by hand: tests/mutate/README.md.
EXTRA_DIST += tests/mutate/mutate.py tests/mutate/README.md
EXTRA_DIST += $(script_tests) $(one_thread_scripts) $(source_tests) $(spin_tests) $(relacy_tests) $(fuzz_corpora) tests/fuzz/replay.c tests/fuzz/fuzz.h

# A locale with a decimal comma, for tests of what must not depend on it (they skip without). It is
# made from the sources in Debian's package locales.
check_DATA += tests/locale/de_DE.UTF-8
tests/locale/de_DE.UTF-8:
	$(AM_V_GEN)rm -rf $@ && $(MKDIR_P) tests/locale && \
	{ localedef -i de_DE -f UTF-8 ./$@ >/dev/null 2>&1 || $(MKDIR_P) $@; }
clean-local:
	rm -rf tests/locale tests/pocl-cache tests/double/none

TEST_EXTENSIONS = .sh .pml .cpp .fuzz
# x and x.sh would share x.log, and only one of them would run.
check-local:
	@twice=`for test in $(TESTS); do echo "$$test"; done | sed 's/\.\(sh\|pml\|cpp\|fuzz\)$$//' | sort | uniq -d`; \
	test -z "$$twice" || { echo "Several tests have one log, so that not all of them run:" $$twice >&2; exit 1; }
tap_driver = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(tap_driver)
LOG_COMPILER = $(SHELL) $(top_srcdir)/build-aux/tap-run
SH_LOG_COMPILER = timeout 300 $(SHELL)
PML_LOG_DRIVER = $(tap_driver)
PML_LOG_COMPILER = $(SHELL) $(top_srcdir)/build-aux/run-spin
CPP_LOG_DRIVER = $(tap_driver)
CPP_LOG_COMPILER = $(SHELL) $(top_srcdir)/build-aux/run-relacy
FUZZ_LOG_DRIVER = $(tap_driver)
FUZZ_LOG_COMPILER = $(SHELL) $(top_srcdir)/build-aux/run-fuzz
# HWLOC_PLUGINS_PATH: hwloc's plug-ins load libraries that leak.
# use_sigaltstack: LLVM, which PoCL compiles kernels with, has signal stacks of its own in threads that end.
AM_TESTS_ENVIRONMENT = \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	LD_LIBRARY_PATH="$(abs_builddir)/tests/double/none$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}"; export LD_LIBRARY_PATH; \
	LOCPATH='$(abs_builddir)/tests/locale'; export LOCPATH; \
	ASAN_OPTIONS="use_sigaltstack=0:$$ASAN_OPTIONS"; export ASAN_OPTIONS; \
	HWLOC_PLUGINS_PATH='$(abs_builddir)/tests'; export HWLOC_PLUGINS_PATH; \
	LSAN_OPTIONS='suppressions=$(abs_top_srcdir)/tests/suppressions:print_suppressions=0'; export LSAN_OPTIONS; \
	CC='$(CC)'; export CC; \
	CXX='$(CXX)'; export CXX; \
	NM='$(NM)'; export NM; \
	MAKE='$(MAKE)'; export MAKE; \
	SPIN='$(SPIN)'; export SPIN; \
	VALGRIND='$(VALGRIND)'; export VALGRIND; \
	RELACY_CXX='$(RELACY_CXX)'; export RELACY_CXX; \
	RELACY_CPPFLAGS='-I$(top_srcdir)/include -I$(top_srcdir)/src'; export RELACY_CPPFLAGS; \
	HWLOC_CFLAGS="$(HWLOC_CFLAGS)"; export HWLOC_CFLAGS; \
	CUDA_CPPFLAGS='$(CUDA_CPPFLAGS)'; export CUDA_CPPFLAGS; \
	XY_SANITIZER_FLAGS="$(XY_SANITIZER_FLAGS)"; export XY_SANITIZER_FLAGS; \
	XYLEM_MODELS=none; export XYLEM_MODELS; \
	XYLEM_DRIVERS='$(abs_builddir)/src/drivers/.libs'; export XYLEM_DRIVERS; \
	FUZZER='$(fuzzer)'; export FUZZER;
