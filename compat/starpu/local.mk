# StarPU's programming interface on the public headers of Xylem: a library, headers and pkg-config files, each in a
# folder of their own, so that a StarPU on the same computer is never shadowed.
lib_LTLIBRARIES += libxylem-starpu.la
libxylem_starpu_la_SOURCES = \
	compat/starpu/src/bitmap.c \
	compat/starpu/src/bound.c \
	compat/starpu/src/bundle.c \
	compat/starpu/src/device.c \
	compat/starpu/src/codelet.c \
	compat/starpu/src/collection.c \
	compat/starpu/src/component.c \
	compat/starpu/src/component.h \
	compat/starpu/src/component_build.c \
	compat/starpu/src/component_map.c \
	compat/starpu/src/component_pass.c \
	compat/starpu/src/component_queue.c \
	compat/starpu/src/component_store.c \
	compat/starpu/src/component_team.c \
	compat/starpu/src/component_tree.c \
	compat/starpu/src/component_worker.c \
	compat/starpu/src/context.c \
	compat/starpu/src/context_query.c \
	compat/starpu/src/copy.c \
	compat/starpu/src/counters.c \
	compat/starpu/src/cuda.c \
	compat/starpu/src/data.c \
	compat/starpu/src/deps.c \
	compat/starpu/src/deps.h \
	compat/starpu/src/disk.c \
	compat/starpu/src/driver.c \
	compat/starpu/src/environment.c \
	compat/starpu/src/expect.c \
	compat/starpu/src/filters.c \
	compat/starpu/src/gate.c \
	compat/starpu/src/helper.c \
	compat/starpu/src/hooks.c \
	compat/starpu/src/init.c \
	compat/starpu/src/insert.c \
	compat/starpu/src/internal.h \
	compat/starpu/src/memory.c \
	compat/starpu/src/model.c \
	compat/starpu/src/model.h \
	compat/starpu/src/model_file.c \
	compat/starpu/src/ndim.c \
	compat/starpu/src/pick.c \
	compat/starpu/src/omp.c \
	compat/starpu/src/omp.h \
	compat/starpu/src/omp_api.c \
	compat/starpu/src/omp_task.c \
	compat/starpu/src/opaque.c \
	compat/starpu/src/partition.c \
	compat/starpu/src/parallel_worker.c \
	compat/starpu/src/perf.c \
	compat/starpu/src/policies.c \
	compat/starpu/src/policy.c \
	compat/starpu/src/policy_text.c \
	compat/starpu/src/profile.c \
	compat/starpu/src/queue.c \
	compat/starpu/src/recursive.c \
	compat/starpu/src/reduction.c \
	compat/starpu/src/residence.c \
	compat/starpu/src/resources.c \
	compat/starpu/src/retry.c \
	compat/starpu/src/run.c \
	compat/starpu/src/shape_ops.c \
	compat/starpu/src/shape_query.c \
	compat/starpu/src/shape_register.c \
	compat/starpu/src/shapes.c \
	compat/starpu/src/shapes.h \
	compat/starpu/src/tag.c \
	compat/starpu/src/tag_table.c \
	compat/starpu/src/task.c \
	compat/starpu/src/team.c \
	compat/starpu/src/transaction.c \
	compat/starpu/src/tree.c \
	compat/starpu/src/worker.c
if HAVE_OPENCL
libxylem_starpu_la_SOURCES += compat/starpu/src/opencl.c
else
libxylem_starpu_la_SOURCES += compat/starpu/src/no_opencl.c
endif
libxylem_starpu_la_CPPFLAGS = -D_GNU_SOURCE -I$(top_srcdir)/compat/starpu/include -I$(top_srcdir)/include
libxylem_starpu_la_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS)
libxylem_starpu_la_LIBADD = libxylem.la $(HWLOC_LIBS) $(OPENCL_LIBS)
libxylem_starpu_la_LDFLAGS = $(AM_LDFLAGS) -no-undefined -version-info 0:0:0 \
	-export-symbols-regex '^_?starpu_|^xy_from_starpu|^xy_starpu_'

starpuincludedir = $(includedir)/xylem/starpu
starpupartsdir = $(starpuincludedir)/parts
starpuinclude_HEADERS = \
	compat/starpu/include/starpu.h \
	compat/starpu/include/starpu_bitmap.h \
	compat/starpu/include/starpu_bound.h \
	compat/starpu/include/starpu_clusters.h \
	compat/starpu/include/starpu_clusters_util.h \
	compat/starpu/include/starpu_config.h \
	compat/starpu/include/starpu_cublas.h \
	compat/starpu/include/starpu_cublas_v2.h \
	compat/starpu/include/starpu_cuda.h \
	compat/starpu/include/starpu_cusolver.h \
	compat/starpu/include/starpu_cusparse.h \
	compat/starpu/include/starpu_data.h \
	compat/starpu/include/starpu_data_filters.h \
	compat/starpu/include/starpu_data_interfaces.h \
	compat/starpu/include/starpu_deprecated_api.h \
	compat/starpu/include/starpu_disk.h \
	compat/starpu/include/starpu_driver.h \
	compat/starpu/include/starpu_expert.h \
	compat/starpu/include/starpu_fxt.h \
	compat/starpu/include/starpu_hash.h \
	compat/starpu/include/starpu_helper.h \
	compat/starpu/include/starpu_heteroprio.h \
	compat/starpu/include/starpu_hip.h \
	compat/starpu/include/starpu_hipblas.h \
	compat/starpu/include/starpu_max_fpga.h \
	compat/starpu/include/starpu_mic.h \
	compat/starpu/include/starpu_mpi_ms.h \
	compat/starpu/include/starpu_mpi_sc.h \
	compat/starpu/include/starpu_opencl.h \
	compat/starpu/include/starpu_openmp.h \
	compat/starpu/include/starpu_parallel_worker.h \
	compat/starpu/include/starpu_perf_monitoring.h \
	compat/starpu/include/starpu_perf_steering.h \
	compat/starpu/include/starpu_perfmodel.h \
	compat/starpu/include/starpu_profiling.h \
	compat/starpu/include/starpu_profiling_tool.h \
	compat/starpu/include/starpu_rand.h \
	compat/starpu/include/starpu_sched_component.h \
	compat/starpu/include/starpu_sched_ctx.h \
	compat/starpu/include/starpu_sched_ctx_hypervisor.h \
	compat/starpu/include/starpu_scheduler.h \
	compat/starpu/include/starpu_scheduler_toolbox.h \
	compat/starpu/include/starpu_simgrid_wrap.h \
	compat/starpu/include/starpu_sink.h \
	compat/starpu/include/starpu_stdlib.h \
	compat/starpu/include/starpu_task.h \
	compat/starpu/include/starpu_task_bundle.h \
	compat/starpu/include/starpu_task_dep.h \
	compat/starpu/include/starpu_task_list.h \
	compat/starpu/include/starpu_task_util.h \
	compat/starpu/include/starpu_tcpip_sc.h \
	compat/starpu/include/starpu_thread.h \
	compat/starpu/include/starpu_thread_util.h \
	compat/starpu/include/starpu_tree.h \
	compat/starpu/include/starpu_util.h \
	compat/starpu/include/starpu_worker.h
starpuparts_HEADERS = \
	compat/starpu/include/parts/component.h \
	compat/starpu/include/parts/counters.h \
	compat/starpu/include/parts/context.h \
	compat/starpu/include/parts/cuda.h \
	compat/starpu/include/parts/data.h \
	compat/starpu/include/parts/deprecated.h \
	compat/starpu/include/parts/disk.h \
	compat/starpu/include/parts/driver.h \
	compat/starpu/include/parts/insert.h \
	compat/starpu/include/parts/interfaces.h \
	compat/starpu/include/parts/omp.h \
	compat/starpu/include/parts/model.h \
	compat/starpu/include/parts/opencl.h \
	compat/starpu/include/parts/parallel_worker.h \
	compat/starpu/include/parts/perf.h \
	compat/starpu/include/parts/sched.h \
	compat/starpu/include/parts/task.h \
	compat/starpu/include/parts/thread.h \
	compat/starpu/include/parts/toolbox.h \
	compat/starpu/include/parts/tools.h \
	compat/starpu/include/parts/util.h \
	compat/starpu/include/parts/worker.h
starpuschedulersdir = $(starpuincludedir)/schedulers
starpuschedulers_HEADERS = \
	compat/starpu/include/schedulers/starpu_heteroprio.h \
	compat/starpu/include/schedulers/starpu_scheduler_toolbox.h
starpupkgconfigdir = $(libdir)/xylem/starpu/pkgconfig
starpupkgconfig_DATA = \
	compat/starpu/starpu-1.2.pc \
	compat/starpu/starpu-1.3.pc \
	compat/starpu/starpu-1.4.pc

script_tests += compat/starpu/tests/programs.sh compat/starpu/tests/programs_n_z.sh compat/starpu/tests/devices.sh
source_tests += compat/starpu/tests/names.sh
EXTRA_DIST += compat/starpu/README.md compat/starpu/names.tsv \
	compat/starpu/tests/cuda/calls.c \
	compat/starpu/tests/cuda/cublas_v2.h \
	compat/starpu/tests/cuda/cuda.h \
	compat/starpu/tests/cuda/cuda_runtime.h \
	compat/starpu/tests/cuda/cuda_runtime_api.h \
	compat/starpu/tests/cuda/cusolverDn.h \
	compat/starpu/tests/cuda/cusparse.h \
	compat/starpu/tests/opencl/kernels.c \
	compat/starpu/tests/opencl/scale.cl \
	compat/starpu/tests/opencl/scale.h \
	compat/starpu/tests/cxx.cpp \
	compat/starpu/tests/late_policy.c \
	compat/starpu/tests/parallel_policy.c \
	compat/starpu/tests/deferring_policy.c \
	compat/starpu/tests/waits.c \
	compat/starpu/tests/task_states.c \
	compat/starpu/tests/component_teams.c \
	compat/starpu/tests/bubbles.c \
	compat/starpu/tests/averages.c \
	compat/starpu/tests/counters.c \
	compat/starpu/tests/variable_size.c \
	compat/starpu/tests/unordered.c \
	compat/starpu/tests/two_contexts.c \
	compat/starpu/tests/trees.c \
	compat/starpu/tests/transactions.c \
	compat/starpu/tests/together.c \
	compat/starpu/tests/threads.c \
	compat/starpu/tests/tag_cycle.c \
	compat/starpu/tests/successors.c \
	compat/starpu/tests/starts.c \
	compat/starpu/tests/sparse.c \
	compat/starpu/tests/small_calls.c \
	compat/starpu/tests/settings.c \
	compat/starpu/tests/scratch.c \
	compat/starpu/tests/retries.c \
	compat/starpu/tests/restarted.c \
	compat/starpu/tests/repeated_graph.c \
	compat/starpu/tests/queries.c \
	compat/starpu/tests/pieces.c \
	compat/starpu/tests/small_macros.c \
	compat/starpu/tests/fields.c \
	compat/starpu/tests/residence.c \
	compat/starpu/tests/regenerated_graph.c \
	compat/starpu/tests/reductions.c \
	compat/starpu/tests/readers.c \
	compat/starpu/tests/profiles.c \
	compat/starpu/tests/policies.c \
	compat/starpu/tests/plans.c \
	compat/starpu/tests/pausing.c \
	compat/starpu/tests/pack.c \
	compat/starpu/tests/out_of_core.c \
	compat/starpu/tests/omp_queries.c \
	compat/starpu/tests/omp_region.c \
	compat/starpu/tests/more_mistakes.c \
	compat/starpu/tests/more_calls.c \
	compat/starpu/tests/more_contexts.c \
	compat/starpu/tests/many_handles.c \
	compat/starpu/tests/limit.c \
	compat/starpu/tests/like_vector.c \
	compat/starpu/tests/late_deps.c \
	compat/starpu/tests/inside.c \
	compat/starpu/tests/insert_kinds.c \
	compat/starpu/tests/implementations.c \
	compat/starpu/tests/heteroprio.c \
	compat/starpu/tests/handles.c \
	compat/starpu/tests/groups.c \
	compat/starpu/tests/forgotten.c \
	compat/starpu/tests/filter_kinds.c \
	compat/starpu/tests/end_deps.c \
	compat/starpu/tests/each_worker.c \
	compat/starpu/tests/driver.c \
	compat/starpu/tests/crossed_deps.c \
	compat/starpu/tests/copies.c \
	compat/starpu/tests/collections.c \
	compat/starpu/tests/check.h \
	compat/starpu/tests/calibration.c \
	compat/starpu/tests/arbiter.c \
	compat/starpu/tests/allocation.c \
	compat/starpu/tests/acquiring.c \
	compat/starpu/tests/content.c \
	compat/starpu/tests/component_calls.c \
	compat/starpu/tests/components.c \
	compat/starpu/tests/components_old.c \
	compat/starpu/tests/context_policy.c \
	compat/starpu/tests/contexts.c \
	compat/starpu/tests/data.c \
	compat/starpu/tests/deps.c \
	compat/starpu/tests/disk.c \
	compat/starpu/tests/drivers.c \
	compat/starpu/tests/filters.c \
	compat/starpu/tests/insert.c \
	compat/starpu/tests/mistakes.c \
	compat/starpu/tests/mixed.c \
	compat/starpu/tests/models.c \
	compat/starpu/tests/policy.c \
	compat/starpu/tests/ndim.c \
	compat/starpu/tests/omp.c \
	compat/starpu/tests/own_interface.c \
	compat/starpu/tests/recursive.c \
	compat/starpu/tests/shapes.c \
	compat/starpu/tests/tags.c \
	compat/starpu/tests/tools.c \
	compat/starpu/tests/vector_scal.c \
	compat/starpu/tests/workers.c
