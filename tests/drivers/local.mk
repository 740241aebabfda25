# Tests of the drivers of devices, each driver by itself.

# The OpenCL driver, for real, on PoCL.
opencl_tests = tests/drivers/opencl tests/drivers/opencl_program tests/drivers/opencl_faults
if HAVE_OPENCL
unit_tests += $(opencl_tests)
if HAVE_CMOCKA
check_LTLIBRARIES += libopenclbed.la
endif
endif
libopenclbed_la_SOURCES = tests/drivers/opencl_bed.c tests/drivers/opencl_bed.h
libopenclbed_la_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS) \
	-DOPENCL_PLUGIN='"$(abs_top_builddir)/src/drivers/.libs/opencl.so"'
opencl_libs = libopenclbed.la libhelper.la $(LDADD) $(OPENCL_LIBS)
tests_drivers_opencl_LDADD = $(opencl_libs)
tests_drivers_opencl_program_LDADD = $(opencl_libs)
tests_drivers_opencl_faults_LDADD = $(opencl_libs)
# Its own clEnqueue... functions come before those of the library, also for the plug-in.
tests_drivers_opencl_faults_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
