# One program for each component. All of them use the recording components and the bed around them.
component_tests = tests/components/all
component_tests += tests/components/best_implementation
component_tests += tests/components/cambium
component_tests += tests/components/cambium_choose
component_tests += tests/components/cambium_course
component_tests += tests/components/cambium_data
component_tests += tests/components/cambium_near
component_tests += tests/components/cambium_price
component_tests += tests/components/cambium_store
component_tests += tests/components/cambium_view
component_tests += tests/components/divide
component_tests += tests/components/eager
component_tests += tests/components/eager_prio
component_tests += tests/components/fifo
component_tests += tests/components/prefetch
component_tests += tests/components/parallel_worker
component_tests += tests/components/give_back
component_tests += tests/components/heft
component_tests += tests/components/heteroprio
component_tests += tests/components/balance
component_tests += tests/components/balance_measure
component_tests += tests/components/hybrid
component_tests += tests/components/mct
component_tests += tests/components/perfmodel_select
component_tests += tests/components/eager_calibration
component_tests += tests/components/prio
component_tests += tests/components/random
component_tests += tests/components/share
component_tests += tests/components/stage
component_tests += tests/components/throughput
component_tests += tests/components/userchoice
component_tests += tests/components/pipeline
component_tests += tests/components/work_stealing
component_tests += tests/components/worker
one_thread_tests += $(component_tests)

if HAVE_CMOCKA
check_LTLIBRARIES += librecording.la
endif
librecording_la_SOURCES = tests/components/recording.c tests/components/recording.h
recording_libs = librecording.la $(LDADD)
tests_components_best_implementation_LDADD = $(recording_libs)
tests_components_cambium_LDADD = $(recording_libs)
tests_components_cambium_data_LDADD = $(recording_libs)
tests_components_cambium_data_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=xy_task_transfer -Wl,--wrap=xy__predict_result_us
cambium_bed = tests/components/cambium_bed.c tests/components/cambium_bed.h
tests_components_cambium_choose_SOURCES = tests/components/cambium_choose.c $(cambium_bed)
tests_components_cambium_choose_LDADD = $(recording_libs) -lm
tests_components_cambium_course_SOURCES = tests/components/cambium_course.c $(cambium_bed)
tests_components_cambium_course_LDADD = $(recording_libs) -lm
tests_components_cambium_near_SOURCES = tests/components/cambium_near.c $(cambium_bed)
tests_components_cambium_near_LDADD = $(recording_libs) -lm
tests_components_cambium_near_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=xy_task_transfer -Wl,--wrap=xy__predict_result_us
tests_components_cambium_store_SOURCES = tests/components/cambium_store.c $(cambium_bed)
tests_components_cambium_store_LDADD = $(recording_libs) -lm
tests_components_cambium_price_SOURCES = tests/components/cambium_price.c $(cambium_bed)
tests_components_cambium_price_LDADD = $(recording_libs) -lm
tests_components_cambium_view_SOURCES = tests/components/cambium_view.c $(cambium_bed)
tests_components_cambium_view_LDADD = $(recording_libs) -lm
tests_components_divide_LDADD = $(recording_libs)
tests_components_eager_LDADD = $(recording_libs)
tests_components_eager_prio_LDADD = $(recording_libs)
tests_components_fifo_LDADD = $(recording_libs)
tests_components_prefetch_LDADD = $(recording_libs)
tests_components_prefetch_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=xy_task_missing_bytes -Wl,--wrap=xy__task_is_elsewhere
tests_components_parallel_worker_LDADD = $(recording_libs)
tests_components_give_back_LDADD = $(recording_libs)
tests_components_heft_LDADD = $(recording_libs)
tests_components_share_LDADD = $(recording_libs)
tests_components_balance_LDADD = $(recording_libs)
tests_components_balance_measure_LDADD = $(recording_libs)
tests_components_throughput_LDADD = $(recording_libs)
tests_components_hybrid_LDADD = $(recording_libs)
tests_components_heteroprio_LDADD = $(recording_libs)
tests_components_heteroprio_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=xy_task_transfer -Wl,--wrap=xy_task_missing_bytes
tests_components_mct_LDADD = $(recording_libs)
tests_components_mct_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=xy_task_transfer -Wl,--wrap=xy_task_energy
tests_components_perfmodel_select_LDADD = $(recording_libs)
tests_components_eager_calibration_LDADD = $(recording_libs)
tests_components_prio_LDADD = $(recording_libs)
tests_components_random_LDADD = $(recording_libs)
tests_components_stage_LDADD = $(recording_libs)
tests_components_userchoice_LDADD = $(recording_libs)
tests_components_pipeline_LDADD = $(recording_libs)
tests_components_work_stealing_LDADD = $(recording_libs)
tests_components_worker_LDADD = $(recording_libs)
component_tests += tests/components/in_order
tests_components_in_order_LDADD = $(recording_libs)
component_tests += tests/components/examples
tests_components_examples_LDADD = $(recording_libs)
example_plugins = $(abs_builddir)/examples/component/.libs
tests_components_examples_CPPFLAGS = $(AM_CPPFLAGS) -DPLUGINS='"$(example_plugins)/bandit.so:$(example_plugins)/buffer.so:$(example_plugins)/edf.so:$(example_plugins)/limit.so:$(example_plugins)/rate.so"'
