# Pages, the manual, and the programs that the pages quote, all installed.
dist_man1_MANS += doc/xylem.1
dist_doc_DATA = README.md CONTRIBUTING.md COPYING
docpagesdir = $(docdir)/doc
dist_docpages_DATA = \
	doc/README.md \
	doc/changing.md \
	doc/coming-from-starpu.md \
	doc/components.md \
	doc/data.md \
	doc/machine.md \
	doc/sleeping.md \
	doc/tasks.md \
	doc/tour.md \
	doc/tree.md
docdecisionsdir = $(docdir)/doc/decisions
dist_docdecisions_DATA = \
	doc/decisions/0001-tree-of-components.md \
	doc/decisions/0002-inbox.md \
	doc/decisions/0003-generations-tell-ended-tasks.md \
	doc/decisions/0004-waiting-without-a-global-counter.md \
	doc/decisions/0005-default-policy.md \
	doc/decisions/0006-failure-follows-data.md
dist_docpages_DATA += doc/devices.md doc/drivers.md doc/memory.md
dist_docpages_DATA += doc/partition.md doc/cambium.md doc/outofcore.md
dist_docdecisions_DATA += doc/decisions/0007-parallel-tasks.md doc/decisions/0008-reduction.md \
	doc/decisions/0011-children-live-in-their-parent.md
dist_docdecisions_DATA += doc/decisions/0012-bind-late-and-look-ahead.md
dist_docdecisions_DATA += doc/decisions/0013-virtual-time.md
dist_docdecisions_DATA += doc/decisions/0014-bounds-from-multipliers.md
dist_docdecisions_DATA += doc/decisions/0015-rules-are-checked-around-the-verbs.md
dist_docdecisions_DATA += doc/decisions/0016-default-with-devices.md
dist_docdecisions_DATA += doc/decisions/0017-divisible-tasks.md
dist_docdecisions_DATA += doc/decisions/0018-change-trees-while-halted.md
dist_docdecisions_DATA += doc/decisions/0019-rehearse-with-the-simulator.md
dist_docdecisions_DATA += doc/decisions/0020-disks-are-one-node.md
dist_docdecisions_DATA += doc/decisions/0021-successors-are-launched-behind.md
dist_docdecisions_DATA += doc/decisions/0022-layouts-are-converted-in-ram.md
dist_docdecisions_DATA += doc/decisions/0023-threads-that-wait-may-help.md
dist_docdecisions_DATA += doc/decisions/0009-copies-and-transfers.md doc/decisions/0010-lost-devices.md

dist_docpages_DATA += doc/environment.md doc/perf.md doc/policies.md
check_PROGRAMS += doc/examples/perf
doc_examples_perf_LDADD = libxylem.la

check_PROGRAMS += doc/examples/outofcore
doc_examples_outofcore_LDADD = libxylem.la
check_PROGRAMS += doc/examples/batch
doc_examples_batch_LDADD = libxylem.la -lm
check_PROGRAMS += doc/examples/tasks doc/examples/data doc/examples/memory doc/examples/changing
doc_examples_changing_LDADD = libxylem.la
doc_examples_tasks_LDADD = libxylem.la
doc_examples_data_LDADD = libxylem.la
doc_examples_memory_LDADD = libxylem.la

# On devices: with OpenCL where it is, and with CUDA where nvcc is.
if HAVE_OPENCL
check_PROGRAMS += doc/examples/devices
endif
if HAVE_CUDA
doc_examples_devices_cuda = doc/examples/devices_cuda.c examples/cuda/axpy_cuda.cu
doc_examples_devices_libs = $(CUDA_LDFLAGS) $(CUDA_LIBS) -lstdc++
else
doc_examples_devices_cuda = doc/examples/devices_nocuda.c
endif
doc_examples_devices_SOURCES = doc/examples/devices.c doc/examples/devices.h $(doc_examples_devices_cuda)
doc_examples_devices_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS)
doc_examples_devices_LDADD = libxylem.la $(OPENCL_LIBS) $(doc_examples_devices_libs)
EXTRA_DIST += doc/examples/devices_cuda.c doc/examples/devices_nocuda.c

check_PROGRAMS += doc/examples/partition
doc_examples_partition_LDADD = libxylem.la

# A driver, and a program for it.
check_LTLIBRARIES += doc/examples/driver/opencl.la
doc_examples_driver_opencl_la_SOURCES = doc/examples/driver.c doc/examples/driver.h
doc_examples_driver_opencl_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
check_PROGRAMS += doc/examples/driver_use
doc_examples_driver_use_SOURCES = doc/examples/driver_use.c doc/examples/driver.h
doc_examples_driver_use_LDADD = libxylem.la

one_thread_scripts += doc/check.sh
TESTS += doc/examples/test-pages.sh
EXTRA_DIST += doc/examples/test-pages.sh

# The scheduler of pipelines: its manual where it is built, its page, and the files of the page.
if HAVE_YAML
man1_MANS = doc/sched-pipeline.1
TESTS += doc/examples/test-pipeline.sh
endif
EXTRA_DIST += doc/sched-pipeline.1 doc/examples/test-pipeline.sh
dist_docpages_DATA += doc/pipeline.md
docpipelinedir = $(docdir)/doc/examples/pipeline
dist_docpipeline_DATA = doc/examples/pipeline/models.yml doc/examples/pipeline/device_types.yml \
	doc/examples/pipeline/devices.yml doc/examples/pipeline/published.yml

dist_docpages_DATA += doc/graphs.md
dist_docpages_DATA += doc/sim.md
dist_docpages_DATA += doc/batch.md doc/slots.md
dist_docpages_DATA += doc/machines.md doc/record.md
docexamplesdir = $(docdir)/doc/examples
dist_docexamples_DATA = doc/examples/box.xym doc/examples/batch.c doc/examples/changing.c doc/examples/data.c doc/examples/devices.c doc/examples/devices.h \
	doc/examples/devices_cuda.c doc/examples/devices_nocuda.c doc/examples/driver.c doc/examples/driver.h \
	doc/examples/driver_use.c doc/examples/memory.c doc/examples/outofcore.c doc/examples/partition.c \
	doc/examples/perf.c doc/examples/tasks.c

# Pages elsewhere that the pages link to.
docbenchdir = $(docdir)/bench
dist_docbench_DATA = bench/README.md
docdoubledir = $(docdir)/tests/double
dist_docdouble_DATA = tests/double/README.md
dist_docpages_DATA += doc/farm.md doc/farm-jobs.md
