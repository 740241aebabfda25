# Tests, one list for each kind:
#   unit_tests    cmocka programs; tests/core/x is built from tests/core/x.c and sees xy__ names
#   script_tests  shell scripts: exit 0 passed, 77 skipped, else failed
#   spin_tests    Promela models, checked by spin for safety and invalid end states
#   relacy_tests  C++ files around a lock-free header, checked by Relacy
#   fuzz_tests    fuzz targets, tests/fuzz/x.fuzz from tests/fuzz/x.c (two lines, see below)
unit_tests = tests/core/version
script_tests = tests/exports.sh
spin_tests =
relacy_tests =
fuzz_tests =

if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif
TESTS += $(script_tests)
dist_check_SCRIPTS = $(script_tests)

# Programs speak TAP; each has a time limit, and SIGUSR1 asks it for its state when that is over.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_COMPILER = $(SHELL) $(top_srcdir)/build-aux/tap-run
AM_TESTS_ENVIRONMENT = \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	NM='$(NM)'; export NM;
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL)
