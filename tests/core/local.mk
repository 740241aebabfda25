# Tests with a running runtime; the others of this folder are listed in tests/local.mk.
runtime_tests = tests/core/data/acquire
runtime_tests += tests/core/data/commute
runtime_tests += tests/core/data/disk
runtime_tests += tests/core/data/filters
runtime_tests += tests/core/data/handle
runtime_tests += tests/core/data/interface
runtime_tests += tests/core/data/order
runtime_tests += tests/core/data/pack
runtime_tests += tests/core/data/partition
runtime_tests += tests/core/data/loose
runtime_tests += tests/core/data/redux
runtime_tests += tests/core/data/redux_failure
runtime_tests += tests/core/data/shapes
runtime_tests += tests/core/runtime/batch
runtime_tests += tests/core/runtime/built_tree
runtime_tests += tests/core/runtime/children
runtime_tests += tests/core/runtime/context
runtime_tests += tests/core/runtime/dump
runtime_tests += tests/core/runtime/guard
runtime_tests += tests/core/runtime/halt
runtime_tests += tests/core/runtime/rest
runtime_tests += tests/core/runtime/failure
runtime_tests += tests/core/task/pool
runtime_tests += tests/core/runtime/hooks
runtime_tests += tests/core/runtime/runtime
runtime_tests += tests/core/runtime/each_worker
runtime_tests += tests/core/runtime/division
runtime_tests += tests/core/runtime/group
runtime_tests += tests/core/runtime/insert
runtime_tests += tests/core/runtime/submit
runtime_tests += tests/core/runtime/task_callback
runtime_tests += tests/core/runtime/task_order
runtime_tests += tests/core/runtime/task_wait
runtime_tests += tests/core/runtime/team
runtime_tests += tests/core/runtime/urgent
if HAVE_CC_OPENMP
if !SANITIZER
# What OpenMP's own threads do is none of a sanitizer's business.
runtime_tests += tests/core/runtime/team_openmp
endif
endif
unit_tests += $(runtime_tests)
# The thread sanitizer does not follow threads that a child of a program with threads starts.
one_thread_tests += tests/core/runtime/fork

if HAVE_CMOCKA
check_LTLIBRARIES += libhelper.la
endif
libhelper_la_CPPFLAGS = $(AM_CPPFLAGS) -DHELPER_DRIVERS='"$(abs_builddir)/src/drivers/.libs"'
libhelper_la_SOURCES = tests/helper.c tests/helper.h
helper_libs = libhelper.la $(LDADD)
tests_core_data_acquire_LDADD = $(helper_libs)
tests_core_data_commute_LDADD = $(helper_libs)
tests_core_data_disk_LDADD = $(helper_libs)
tests_core_data_disk_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pwrite,--wrap=pread \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=aligned_alloc
tests_core_data_filters_LDADD = $(helper_libs)
tests_core_data_handle_LDADD = $(helper_libs)
tests_core_data_interface_LDADD = $(helper_libs)
tests_core_data_order_LDADD = $(helper_libs)
tests_core_data_pack_LDADD = $(helper_libs)
tests_core_data_partition_LDADD = $(helper_libs)
tests_core_data_redux_SOURCES = tests/core/data/redux.c tests/core/data/amount.c tests/core/data/amount.h
tests_core_data_redux_LDADD = $(helper_libs)
tests_core_data_redux_failure_SOURCES = tests/core/data/redux_failure.c tests/core/data/amount.c \
	tests/core/data/amount.h
tests_core_data_redux_failure_LDADD = $(helper_libs)
tests_core_data_shapes_LDADD = $(helper_libs)
tests_core_runtime_built_tree_LDADD = $(helper_libs)
tests_core_runtime_children_LDADD = $(helper_libs)
tests_core_runtime_children_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_MACHINES='"$(abs_top_srcdir)/machines"'
tests_core_runtime_hooks_LDADD = $(helper_libs) -lm
tests_core_runtime_context_CPPFLAGS = $(AM_CPPFLAGS) -DHOARDS='"$(abs_builddir)/tests/plugins/.libs/hoards.so"'
tests_core_runtime_context_LDADD = $(helper_libs)
tests_core_runtime_dump_LDADD = $(helper_libs)
tests_core_runtime_guard_CPPFLAGS = $(AM_CPPFLAGS) -DPLUGINS='"$(abs_builddir)/tests/plugins/.libs/hoards.so:$(example_plugins)/rate.so:$(example_plugins)/limit.so"'
tests_core_runtime_guard_LDADD = $(helper_libs)
tests_core_runtime_halt_LDADD = $(helper_libs)
tests_core_runtime_failure_LDADD = $(helper_libs)
tests_core_runtime_rest_LDADD = $(helper_libs)
tests_core_runtime_fork_LDADD = $(helper_libs)
tests_core_task_pool_LDADD = $(helper_libs)
tests_core_runtime_runtime_LDADD = $(helper_libs)
tests_core_runtime_each_worker_LDADD = $(helper_libs)
tests_core_runtime_each_worker_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_MACHINES='"$(abs_top_srcdir)/machines"'
tests_core_runtime_batch_LDADD = $(helper_libs)
unit_tests += tests/core/runtime/batch_memory
tests_core_runtime_batch_memory_LDADD = $(helper_libs)
tests_core_runtime_batch_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=realloc
tests_core_runtime_division_LDADD = $(helper_libs)
tests_core_runtime_group_LDADD = $(helper_libs)
tests_core_runtime_group_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_MACHINES='"$(abs_top_srcdir)/machines"'
tests_core_runtime_urgent_LDADD = $(helper_libs)
tests_core_runtime_insert_LDADD = $(helper_libs)
tests_core_runtime_submit_LDADD = $(helper_libs)
tests_core_runtime_task_callback_LDADD = $(helper_libs)
tests_core_runtime_task_order_LDADD = $(helper_libs)
tests_core_runtime_task_wait_LDADD = $(helper_libs)
# Libraries look for these names in the program.
tests_core_runtime_team_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
tests_core_runtime_team_LDADD = $(helper_libs)
tests_core_runtime_team_openmp_CFLAGS = $(AM_CFLAGS) -fopenmp
tests_core_runtime_team_openmp_LDADD = $(helper_libs)

# Data on devices: the test double of libcudart, and PoCL where OpenCL is.
if HAVE_CMOCKA
check_LTLIBRARIES += libbed.la
endif
libbed_la_SOURCES = tests/core/data/bed.c tests/core/data/bed.h tests/core/data/bed_opencl.h
if HAVE_OPENCL
libbed_la_SOURCES += tests/core/data/bed_opencl.c
libbed_la_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS)
libbed_la_LIBADD = $(OPENCL_LIBS)
else
libbed_la_SOURCES += tests/core/data/bed_no_opencl.c
endif
EXTRA_DIST += tests/core/data/bed_opencl.c tests/core/data/bed_no_opencl.c
bed_libs = libbed.la $(double_libs) $(helper_libs)
unit_tests += tests/core/data/devices
tests_core_data_devices_LDADD = $(bed_libs)
unit_tests += tests/core/data/acquire_on
tests_core_data_acquire_on_LDADD = $(bed_libs)
unit_tests += tests/core/data/place tests/core/data/home
tests_core_data_place_LDADD = $(bed_libs)
tests_core_data_home_LDADD = $(bed_libs)
unit_tests += tests/core/data/layout
tests_core_data_layout_LDADD = $(bed_libs)
unit_tests += tests/core/data/disk_devices
tests_core_data_disk_devices_LDADD = $(bed_libs)
unit_tests += tests/core/data/prefetch
tests_core_data_prefetch_LDADD = $(bed_libs)
unit_tests += tests/core/data/plans
tests_core_data_plans_LDADD = $(bed_libs)
unit_tests += tests/core/data/constant
tests_core_data_constant_LDADD = $(bed_libs)
unit_tests += tests/core/data/lend
tests_core_data_lend_LDADD = $(bed_libs)
unit_tests += tests/core/data/plans_devices
tests_core_data_plans_devices_LDADD = $(bed_libs)
unit_tests += tests/core/data/plans_random
tests_core_data_plans_random_LDADD = $(bed_libs)
unit_tests += tests/core/data/hazards
tests_core_data_hazards_LDADD = $(bed_libs)
unit_tests += tests/core/data/redux_devices
tests_core_data_redux_devices_LDADD = $(bed_libs)
unit_tests += tests/core/data/leave
tests_core_data_leave_LDADD = $(bed_libs)
tests_core_data_leave_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_MACHINES='"$(abs_top_srcdir)/machines"'
unit_tests += tests/core/runtime/batch_devices
tests_core_runtime_batch_devices_LDADD = $(bed_libs)
unit_tests += tests/core/data/misuse
tests_core_data_misuse_LDADD = $(bed_libs)
one_thread_tests += tests/core/machine/platform
tests_core_machine_platform_LDADD = $(helper_libs)
tests_core_machine_platform_CPPFLAGS = $(AM_CPPFLAGS) -DPERF_DATA='"$(abs_top_srcdir)/tests/core/perf/starpu"' \
	-DMACHINES='"$(abs_top_srcdir)/machines"'
fuzz_tests += tests/fuzz/platform.fuzz
tests_fuzz_platform_fuzz_LDADD = $(fuzz_libs)
fuzz_corpora += tests/fuzz/platform.corpus
one_thread_scripts += tests/tools/machine.sh
unit_tests += tests/core/runtime/record
tests_core_runtime_record_LDADD = libgraph.la $(helper_libs)
tests_core_runtime_record_CPPFLAGS = $(AM_CPPFLAGS) -DMACHINES='"$(abs_top_srcdir)/machines"'
