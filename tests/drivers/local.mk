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
gpu_bed = tests/drivers/gpu_bed.c tests/drivers/gpu_bed.h
if HAVE_CMOCKA
check_LTLIBRARIES += libcudabed.la
endif
libcudabed_la_SOURCES = $(gpu_bed)
libcudabed_la_CFLAGS = $(AM_CFLAGS) -DGPU_PLUGIN='"$(abs_top_builddir)/src/drivers/.libs/cuda.so"'
cuda_libs = libcudabed.la $(double_libs) libhelper.la $(LDADD)
tests_drivers_cuda_SOURCES = tests/drivers/gpu.c
tests_drivers_cuda_LDADD = $(cuda_libs)
tests_drivers_cuda_faults_SOURCES = tests/drivers/gpu_faults.c
tests_drivers_cuda_faults_LDADD = $(cuda_libs)
tests_drivers_cuda_launch_SOURCES = tests/drivers/gpu_launch.c
tests_drivers_cuda_launch_LDADD = $(cuda_libs)
unit_tests += tests/drivers/cuda_runtime
tests_drivers_cuda_runtime_LDADD = $(bed_libs)
unit_tests += tests/drivers/cuda_transfers
tests_drivers_cuda_transfers_LDADD = $(bed_libs)
unit_tests += tests/drivers/cuda_topology
tests_drivers_cuda_topology_LDADD = $(bed_libs)
unit_tests += tests/drivers/cuda_behind
tests_drivers_cuda_behind_LDADD = $(bed_libs)
unit_tests += tests/drivers/cuda_streams
tests_drivers_cuda_streams_LDADD = $(bed_libs)
unit_tests += tests/drivers/cuda_library
tests_drivers_cuda_library_LDADD = $(library_doubles) $(bed_libs)
script_tests += tests/drivers/cuda_abi.sh

# The HIP driver, on the double of libamdhip64: the same tests, and a runtime with it.
hip_tests = tests/drivers/hip tests/drivers/hip_faults tests/drivers/hip_launch
unit_tests += $(hip_tests) tests/drivers/hip_runtime
if HAVE_CMOCKA
check_LTLIBRARIES += libhipbed.la
endif
libhipbed_la_SOURCES = $(gpu_bed)
libhipbed_la_CFLAGS = $(hip_double_flags) -DGPU_PLUGIN='"$(abs_top_builddir)/src/drivers/.libs/hip.so"'
hip_libs = libhipbed.la $(hip_double_libs) libhelper.la $(LDADD)
tests_drivers_hip_SOURCES = tests/drivers/gpu.c
tests_drivers_hip_CFLAGS = $(hip_double_flags)
tests_drivers_hip_LDADD = $(hip_libs)
tests_drivers_hip_faults_SOURCES = tests/drivers/gpu_faults.c
tests_drivers_hip_faults_CFLAGS = $(hip_double_flags)
tests_drivers_hip_faults_LDADD = $(hip_libs)
tests_drivers_hip_launch_SOURCES = tests/drivers/gpu_launch.c
tests_drivers_hip_launch_CFLAGS = $(hip_double_flags)
tests_drivers_hip_launch_LDADD = $(hip_libs)
tests_drivers_hip_runtime_CFLAGS = $(hip_double_flags) -DDRIVERS='"$(abs_top_builddir)/src/drivers/.libs"'
tests_drivers_hip_runtime_LDADD = $(hip_double_libs) libhelper.la $(LDADD)
script_tests += tests/drivers/hip_abi.sh
