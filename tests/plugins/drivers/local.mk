# Drivers that tests load: each in a folder of its own, as a driver is called after its kind.
good_driver = $(AM_CPPFLAGS) -DDRIVER_DEFAULT='"2"'
check_LTLIBRARIES += tests/plugins/drivers/good/cuda.la
tests_plugins_drivers_good_cuda_la_SOURCES = tests/plugins/drivers/good.c
tests_plugins_drivers_good_cuda_la_CPPFLAGS = $(good_driver) -DDRIVER_ARCH=XY_CUDA -DDRIVER_NAME='"cuda"'
tests_plugins_drivers_good_cuda_la_LDFLAGS = $(plugin_flags)
check_LTLIBRARIES += tests/plugins/drivers/good/opencl.la
tests_plugins_drivers_good_opencl_la_SOURCES = tests/plugins/drivers/good.c
tests_plugins_drivers_good_opencl_la_CPPFLAGS = $(good_driver) -DDRIVER_ARCH=XY_OPENCL -DDRIVER_NAME='"opencl"'
tests_plugins_drivers_good_opencl_la_LDFLAGS = $(plugin_flags)
check_LTLIBRARIES += tests/plugins/drivers/other_name/cuda.la
tests_plugins_drivers_other_name_cuda_la_SOURCES = tests/plugins/drivers/good.c
tests_plugins_drivers_other_name_cuda_la_CPPFLAGS = $(good_driver) -DDRIVER_ARCH=XY_CUDA -DDRIVER_NAME='"opencl"'
tests_plugins_drivers_other_name_cuda_la_LDFLAGS = $(plugin_flags)
check_LTLIBRARIES += tests/plugins/drivers/other_arch/cuda.la
tests_plugins_drivers_other_arch_cuda_la_SOURCES = tests/plugins/drivers/good.c
tests_plugins_drivers_other_arch_cuda_la_CPPFLAGS = $(good_driver) -DDRIVER_ARCH=XY_CPU -DDRIVER_NAME='"cuda"'
tests_plugins_drivers_other_arch_cuda_la_LDFLAGS = $(plugin_flags)
check_LTLIBRARIES += tests/plugins/drivers/probe_fails/cuda.la
tests_plugins_drivers_probe_fails_cuda_la_SOURCES = tests/plugins/drivers/probe_fails.c tests/plugins/drivers/broken.h
tests_plugins_drivers_probe_fails_cuda_la_LDFLAGS = $(plugin_flags)
check_LTLIBRARIES += tests/plugins/drivers/open_fails/cuda.la
tests_plugins_drivers_open_fails_cuda_la_SOURCES = tests/plugins/drivers/open_fails.c tests/plugins/drivers/broken.h
tests_plugins_drivers_open_fails_cuda_la_LDFLAGS = $(plugin_flags)
check_LTLIBRARIES += tests/plugins/drivers/other_abi/cuda.la
tests_plugins_drivers_other_abi_cuda_la_SOURCES = tests/plugins/drivers/other_abi.c
tests_plugins_drivers_other_abi_cuda_la_LDFLAGS = $(plugin_flags)
check_LTLIBRARIES += tests/plugins/drivers/incomplete/cuda.la
tests_plugins_drivers_incomplete_cuda_la_SOURCES = tests/plugins/drivers/incomplete.c
tests_plugins_drivers_incomplete_cuda_la_LDFLAGS = $(plugin_flags)
check_LTLIBRARIES += tests/plugins/drivers/unloadable/cuda.la
tests_plugins_drivers_unloadable_cuda_la_SOURCES = tests/plugins/drivers/unloadable.c
tests_plugins_drivers_unloadable_cuda_la_LDFLAGS = $(plugin_flags)
check_LTLIBRARIES += tests/plugins/drivers/no_driver/cuda.la
tests_plugins_drivers_no_driver_cuda_la_SOURCES = tests/plugins/no_plugin.c
tests_plugins_drivers_no_driver_cuda_la_LDFLAGS = $(plugin_flags)
check_LTLIBRARIES += tests/plugins/drivers/half/cuda.la
tests_plugins_drivers_half_cuda_la_SOURCES = tests/plugins/drivers/good.c
tests_plugins_drivers_half_cuda_la_CPPFLAGS = $(AM_CPPFLAGS) -DDRIVER_ARCH=XY_CUDA \
	-DDRIVER_NAME='"cuda"' -DDRIVER_DEFAULT='"3 without 1"'
tests_plugins_drivers_half_cuda_la_LDFLAGS = $(plugin_flags)
