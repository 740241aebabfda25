# The test double of libcudart, as tests/double/.libs/libcudart.so.13. A test that watches it links
# $(double_libs): the driver then finds it as the libcudart that the process has already. For programs
# and scripts: LD_LIBRARY_PATH=tests/double/.libs
check_LTLIBRARIES += tests/double/libcudart.la
double_libs = tests/double/libcudart.la
double_sources = tests/double/dialect.h \
	tests/double/capture.c tests/double/copy.c tests/double/device.c tests/double/event.c tests/double/faults.c \
	tests/double/kernel.c tests/double/memory.c tests/double/pool.c tests/double/state.c tests/double/stream.c \
	tests/double/cudart_double.h tests/double/internal.h tests/double/more_api.h \
	src/drivers/gpu_api.h src/drivers/gpu_types.h
tests_double_libcudart_la_SOURCES = $(double_sources) tests/double/handle.c tests/double/libraries.h
tests_double_libcudart_la_CFLAGS = $(AM_CFLAGS)
tests_double_libcudart_la_LDFLAGS = $(AM_LDFLAGS) -rpath /nowhere -version-info 13:0:0 \
	-Wl,--version-script=$(top_srcdir)/tests/double/cudart.map
tests_double_libcudart_la_DEPENDENCIES = tests/double/cudart.map
EXTRA_DIST += tests/double/cudart.map tests/double/README.md tests/double/cublas.map tests/double/cusolver.map \
	tests/double/cusparse.map

# The doubles of the libraries beside it, with the numbers that they have in CUDA 13.
library_doubles = tests/double/libcublas.la tests/double/libcusolver.la tests/double/libcusparse.la
check_LTLIBRARIES += $(library_doubles)
tests_double_libcublas_la_SOURCES = tests/double/cublas.c tests/double/libraries.h
tests_double_libcublas_la_LDFLAGS = $(AM_LDFLAGS) -rpath /nowhere -version-info 13:0:0 \
	-Wl,--version-script=$(top_srcdir)/tests/double/cublas.map
tests_double_libcublas_la_LIBADD = $(double_libs)
tests_double_libcusolver_la_SOURCES = tests/double/cusolver.c tests/double/libraries.h
tests_double_libcusolver_la_LDFLAGS = $(AM_LDFLAGS) -rpath /nowhere -version-info 12:0:0 \
	-Wl,--version-script=$(top_srcdir)/tests/double/cusolver.map
tests_double_libcusolver_la_LIBADD = $(double_libs) -lm
tests_double_libcusparse_la_SOURCES = tests/double/cusparse.c tests/double/libraries.h
tests_double_libcusparse_la_LDFLAGS = $(AM_LDFLAGS) -rpath /nowhere -version-info 12:0:0 \
	-Wl,--version-script=$(top_srcdir)/tests/double/cusparse.map
tests_double_libcusparse_la_LIBADD = $(double_libs)

unit_tests += tests/double/semantics
tests_double_semantics_LDADD = $(double_libs) $(helper_libs)

# The same sources as libamdhip64, by other names.
check_LTLIBRARIES += tests/double/hip/libamdhip64.la
hip_double_libs = tests/double/hip/libamdhip64.la
hip_double_flags = $(AM_CFLAGS) -include $(top_srcdir)/tests/double/hip.h
tests_double_hip_libamdhip64_la_SOURCES = $(double_sources) tests/double/hip.h
tests_double_hip_libamdhip64_la_CFLAGS = $(hip_double_flags)
tests_double_hip_libamdhip64_la_LDFLAGS = $(AM_LDFLAGS) -rpath /nowhere -version-info 6:0:0 \
	-Wl,--version-script=$(top_srcdir)/tests/double/hip.map
tests_double_hip_libamdhip64_la_DEPENDENCIES = tests/double/hip.map
EXTRA_DIST += tests/double/hip.map

unit_tests += tests/double/hip_semantics
tests_double_hip_semantics_SOURCES = tests/double/semantics.c
tests_double_hip_semantics_CFLAGS = $(hip_double_flags)
tests_double_hip_semantics_LDADD = $(hip_double_libs) $(helper_libs)

# Bodies of the kernels of the examples.
check_LTLIBRARIES += tests/double/axpy_bodies.la
tests_double_axpy_bodies_la_SOURCES = tests/double/axpy_bodies.c tests/double/kernel.h
tests_double_axpy_bodies_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
tests_double_axpy_bodies_la_LIBADD = $(double_libs)

# The GPU libraries that tests find unless they ask for a double: AM_TESTS_ENVIRONMENT names the folder of these links.
check_LTLIBRARIES += tests/double/none.la
tests_double_none_la_SOURCES = tests/double/none.c
tests_double_none_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
check_DATA += tests/double/none/libcudart.so
CLEANFILES += tests/double/none.la
tests/double/none/libcudart.so: tests/double/none.la
	$(AM_V_GEN)$(MKDIR_P) $(@D) && for name in libamdhip64.so.7 libamdhip64.so.6 libamdhip64.so.5 libamdhip64.so \
		libcudart.so.13 libcudart.so.12 libcudart.so; do \
		$(LN_S) -f ../.libs/none.so $(@D)/$$name || exit 1; done
script_tests += tests/double/none.sh
