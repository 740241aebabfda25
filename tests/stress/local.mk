# Tests that run many tasks in many ways. Each prints its seeds.
stress_tests = tests/stress/policies
unit_tests += $(stress_tests)
tests_stress_policies_LDADD = $(helper_libs)
