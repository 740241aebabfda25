# Bounds of makespans, against trying everything and, with GLPK, against the whole linear program.
one_thread_tests += tests/bound/optimum
tests_bound_optimum_LDADD = libbound.la $(LDADD) -lm
if HAVE_GLPK
one_thread_tests += tests/bound/program
endif
tests_bound_program_LDADD = libbound.la $(LDADD) $(GLPK_LIBS) -lm
