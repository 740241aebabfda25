# Tests that run many tasks in many ways. Each prints its seeds.
stress_tests = tests/stress/children
stress_tests += tests/stress/change
stress_tests += tests/stress/idle
stress_tests += tests/stress/policies
stress_tests += tests/stress/submit
stress_tests += tests/stress/teams
unit_tests += $(stress_tests)
tests_stress_children_LDADD = $(helper_libs)
tests_stress_change_LDADD = $(helper_libs)
tests_stress_idle_LDADD = $(helper_libs)
tests_stress_policies_LDADD = $(helper_libs)
tests_stress_submit_LDADD = $(helper_libs)
unit_tests += tests/stress/mixed
tests_stress_mixed_LDADD = $(bed_libs)
unit_tests += tests/stress/everywhere
tests_stress_everywhere_SOURCES = tests/stress/everywhere.c tests/stress/everywhere_hip.h
tests_stress_everywhere_CPPFLAGS = $(AM_CPPFLAGS) -DDRIVERS='"$(abs_top_builddir)/src/drivers/.libs"'
tests_stress_everywhere_LDADD = libeverywherehip.la $(hip_double_libs) $(bed_libs)
if HAVE_CMOCKA
check_LTLIBRARIES += libeverywherehip.la
endif
libeverywherehip_la_SOURCES = tests/stress/everywhere_hip.c tests/stress/everywhere_hip.h
libeverywherehip_la_CFLAGS = $(hip_double_flags)
unit_tests += tests/stress/coherency
tests_stress_coherency_SOURCES = tests/stress/coherency.c tests/stress/program.c \
	tests/stress/program_pieces.c tests/stress/program.h
tests_stress_coherency_LDADD = $(bed_libs)
unit_tests += tests/stress/change_devices
tests_stress_change_devices_LDADD = $(bed_libs)
unit_tests += tests/stress/faults
tests_stress_faults_LDADD = $(bed_libs)
tests_stress_teams_LDADD = $(helper_libs)
unit_tests += tests/stress/hooks
tests_stress_hooks_LDADD = $(helper_libs)
tests_stress_hooks_CPPFLAGS = $(tests_components_examples_CPPFLAGS)
