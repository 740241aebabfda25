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

# The CUDA driver, on the test double of libcudart: with or without a GPU here.
cuda_tests = tests/drivers/cuda tests/drivers/cuda_faults tests/drivers/cuda_launch
unit_tests += $(cuda_tests)
if HAVE_CMOCKA
check_LTLIBRARIES += libcudabed.la
endif
libcudabed_la_SOURCES = tests/drivers/cuda_bed.c tests/drivers/cuda_bed.h
libcudabed_la_CFLAGS = $(AM_CFLAGS) -DCUDA_PLUGIN='"$(abs_top_builddir)/src/drivers/.libs/cuda.so"'
cuda_libs = libcudabed.la $(double_libs) libhelper.la $(LDADD)
tests_drivers_cuda_LDADD = $(cuda_libs)
tests_drivers_cuda_faults_LDADD = $(cuda_libs)
tests_drivers_cuda_launch_LDADD = $(cuda_libs)
script_tests += tests/drivers/cuda_abi.sh
