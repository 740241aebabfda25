# The driver bench/run and one program per runtime in bench/peers; `make bench` builds and runs them:
#   make bench                          everything
#   make bench BENCH="chain wake"       some benches (bench/run --help lists them)
#   make bench ROUNDS=3 QUICK=1         fewer rounds, smaller graphs
#   make bench BENCHFLAGS="--csv FILE"  further options of bench/run
# A peer that configure did not find is left out, and bench/run says so.

bench_shared = bench/peers/graphs.c bench/peers/graphs.h bench/peers/main.c bench/peers/measure.c \
	bench/peers/measure.h bench/peers/peer.h
bench_programs = bench/run bench/peers/xylem bench/peers/data bench/peers/doubles
if HAVE_OPENCL
bench_programs += bench/peers/devices-xylem bench/peers/moves-xylem
TESTS += bench/moves.sh
endif
bench_openmp =
EXTRA_PROGRAMS += bench/peers/starpu bench/peers/tbb bench/peers/taskflow
EXTRA_PROGRAMS += bench/peers/devices-starpu bench/peers/moves-starpu

# The driver and our own programs are built by `make check` too, for a run with a few tasks.
check_PROGRAMS += $(bench_programs)
TESTS += bench/smoke.sh
EXTRA_DIST += bench/starpu/graphs.c bench/starpu/native.c bench/starpu/run.sh
EXTRA_DIST += bench/README.md bench/smoke.sh bench/moves.sh bench/peers/openmp.c

bench_run_SOURCES = bench/driver.h bench/hops.c bench/instructions.c bench/process.c bench/run.c \
	bench/series.c bench/sheets.c bench/subjects.c bench/tables.c bench/verdicts.c
bench_run_LDADD = -lm

# -no-install: a program, not a script that calls one, so that callgrind sees it.
bench_peers_xylem_SOURCES = bench/peers/xylem.c $(bench_shared)
bench_peers_xylem_LDADD = libxylem.la -lm
bench_peers_xylem_LDFLAGS = $(AM_LDFLAGS) -no-install

# With devices of the test double of libcudart, where the driver finds them.
bench_peers_data_SOURCES = bench/peers/data.c bench/peers/measure.c bench/peers/measure.h bench/peers/peer.h
bench_peers_data_CPPFLAGS = $(AM_CPPFLAGS) $(bench_drivers)
bench_peers_data_LDADD = libxylem.la $(double_libs)
bench_peers_data_LDFLAGS = $(AM_LDFLAGS) -no-install
bench_peers_doubles_SOURCES = bench/peers/doubles.c bench/peers/measure.c bench/peers/measure.h
bench_peers_doubles_CPPFLAGS = $(AM_CPPFLAGS) $(bench_drivers)
bench_peers_doubles_LDADD = libxylem.la $(double_libs)
bench_peers_doubles_LDFLAGS = $(AM_LDFLAGS) -no-install
bench_drivers = -DBENCH_DRIVERS='"$(abs_builddir)/src/drivers/.libs"'

# On OpenCL devices.
bench_devices = bench/peers/devices.c bench/peers/devices.h bench/peers/measure.c bench/peers/measure.h \
	bench/peers/peer.h
bench_peers_devices_xylem_SOURCES = bench/peers/devices_xylem.c $(bench_devices)
bench_peers_devices_xylem_CPPFLAGS = $(AM_CPPFLAGS) $(bench_drivers)
bench_peers_devices_xylem_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS)
bench_peers_devices_xylem_LDADD = libxylem.la $(OPENCL_LIBS)
bench_peers_devices_xylem_LDFLAGS = $(AM_LDFLAGS) -no-install

bench_peers_devices_starpu_SOURCES = bench/peers/devices_starpu.c $(bench_devices)
bench_peers_devices_starpu_CFLAGS = $(AM_CFLAGS) $(STARPU_CFLAGS) $(OPENCL_CFLAGS)
bench_peers_devices_starpu_LDADD = $(STARPU_LIBS) $(OPENCL_LIBS)

# The same, with little memory, for bench/moves.sh.
bench_moves = bench/peers/moves.c bench/peers/moves.h bench/peers/peer.h
bench_peers_moves_xylem_SOURCES = bench/peers/moves_xylem.c $(bench_moves)
bench_peers_moves_xylem_CPPFLAGS = $(AM_CPPFLAGS) $(bench_drivers)
bench_peers_moves_xylem_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS)
bench_peers_moves_xylem_LDADD = libxylem.la $(OPENCL_LIBS)
bench_peers_moves_xylem_LDFLAGS = $(AM_LDFLAGS) -no-install
bench_peers_moves_starpu_SOURCES = bench/peers/moves_starpu.c $(bench_moves)
bench_peers_moves_starpu_CFLAGS = $(AM_CFLAGS) $(STARPU_CFLAGS) $(OPENCL_CFLAGS)
bench_peers_moves_starpu_LDADD = $(STARPU_LIBS) $(OPENCL_LIBS)

bench_peers_starpu_SOURCES = bench/peers/starpu.c $(bench_shared)
bench_peers_starpu_CFLAGS = $(AM_CFLAGS) $(STARPU_CFLAGS)
bench_peers_starpu_LDADD = $(STARPU_LIBS) -lm

bench_peers_tbb_SOURCES = bench/peers/tbb.cpp $(bench_shared)
bench_peers_tbb_CXXFLAGS = $(AM_CXXFLAGS) $(TBB_CFLAGS)
bench_peers_tbb_LDADD = $(TBB_LIBS) -lm

bench_peers_taskflow_SOURCES = bench/peers/taskflow.cpp $(bench_shared)
bench_peers_taskflow_CXXFLAGS = $(AM_CXXFLAGS) $(TASKFLOW_CFLAGS)
bench_peers_taskflow_LDADD = -lm

if HAVE_STARPU
bench_starpu = bench/peers/starpu
endif
if HAVE_OPENCL
if HAVE_STARPU
bench_starpu_opencl = bench/peers/devices-starpu bench/peers/moves-starpu
endif
endif
if HAVE_TBB
bench_tbb = bench/peers/tbb
endif
if HAVE_TASKFLOW
bench_taskflow = bench/peers/taskflow
endif
if HAVE_OPENMP
bench_openmp += bench/peers/openmp-gcc
endif
if HAVE_CLANG_OPENMP
bench_openmp += bench/peers/openmp-clang
endif
bench_peers = $(bench_starpu) $(bench_tbb) $(bench_taskflow) $(bench_openmp) $(bench_starpu_opencl)
CLEANFILES += bench/peers/starpu bench/peers/tbb bench/peers/taskflow bench/peers/openmp-gcc bench/peers/openmp-clang
CLEANFILES += bench/peers/devices-starpu bench/peers/moves-starpu

# One source by two compilers, whatever CC is, with the flags of the others.
bench_openmp_files = $(top_srcdir)/bench/peers/openmp.c $(top_srcdir)/bench/peers/graphs.c \
	$(top_srcdir)/bench/peers/main.c $(top_srcdir)/bench/peers/measure.c
bench_openmp_flags = -D_GNU_SOURCE -std=gnu11 -O2 -Wall -Wextra $(XY_WERROR_FLAGS) -fopenmp
bench_openmp_needs = $(bench_openmp_files) $(top_srcdir)/bench/peers/graphs.h \
	$(top_srcdir)/bench/peers/measure.h $(top_srcdir)/bench/peers/peer.h

bench/peers/openmp-gcc: $(bench_openmp_needs)
	$(AM_V_at)$(MKDIR_P) bench/peers
	$(AM_V_CCLD)$(BENCH_GCC) $(bench_openmp_flags) $(bench_openmp_files) -o $@ -lm

bench/peers/openmp-clang: $(bench_openmp_needs)
	$(AM_V_at)$(MKDIR_P) bench/peers
	$(AM_V_CCLD)$(BENCH_CLANG) $(bench_openmp_flags) $(bench_openmp_files) -o $@ -lm

.PHONY: bench
bench: $(bench_programs) $(bench_peers)
	@case '$(XY_SANITIZER_FLAGS)$(XY_DEBUG_FLAGS) $(CFLAGS) ' in \
	*-fsanitize*|*-DXY_DEBUG*|*-O0*) echo "This build checks itself or is not optimised: its times say nothing.";; \
	esac
	@rounds='$(ROUNDS)'; quick='$(QUICK)'; \
	bench/run $${rounds:+--rounds "$$rounds"} $${quick:+--quick} $(BENCHFLAGS) $(BENCH)

# How fast schedules of pipelines are found: bench/pipeline (--quick, --all).
if HAVE_YAML
check_PROGRAMS += bench/pipeline
TESTS += bench/pipeline.sh
endif
bench_pipeline_LDADD = libpipeline.la libxylem-all.la
EXTRA_DIST += bench/pipeline.sh

# What dividing a batch costs: bench/batch (--quick).
check_PROGRAMS += bench/batch
TESTS += bench/batch.sh
bench_batch_CPPFLAGS = $(AM_CPPFLAGS) -DBENCH_MACHINES='"$(abs_top_srcdir)/machines"'
bench_batch_LDADD = libxylem.la
EXTRA_DIST += bench/batch.sh

# How fast the simulator is: bench/sim (--quick).
check_PROGRAMS += bench/sim
TESTS += bench/sim.sh
bench_sim_CPPFLAGS = $(AM_CPPFLAGS) -DBENCH_MACHINES='"$(abs_top_srcdir)/machines"'
bench_sim_LDADD = libgraph.la libxylem-all.la -lm
EXTRA_DIST += bench/sim.sh bench/defaults.sh

# What many workers would wait for: bench/serial (--quick). Counts instructions of the optimised library.
if STEPS
check_PROGRAMS += bench/serial
TESTS += bench/serial.sh
endif
bench_serial_SOURCES = bench/serial.c bench/serial.h bench/serial_steps.c
bench_serial_LDADD = libxylem.la
bench_serial_LDFLAGS = $(AM_LDFLAGS) -no-install
EXTRA_DIST += bench/serial.sh

# How good schedules of tree-cambium are: bench/quality (--quick).
check_PROGRAMS += bench/quality
TESTS += bench/quality.sh
bench_quality_SOURCES = bench/quality.c bench/quality.h bench/quality_cases.c
bench_quality_CPPFLAGS = $(AM_CPPFLAGS) -DBENCH_MACHINES='"$(abs_top_srcdir)/machines"'
bench_quality_LDADD = -lm
EXTRA_DIST += bench/quality.sh

# How long a round of a farm's manager takes: bench/farm (--quick).
if HAVE_FARM
check_PROGRAMS += bench/farm
TESTS += bench/farm.sh
endif
bench_farm_LDADD = libfarm.la libgraph.la libxylem-all.la
EXTRA_DIST += bench/farm.sh

# How much of the disk's speed a factorization gets that does not fit into RAM: bench/outofcore (--quick).
check_PROGRAMS += bench/outofcore
TESTS += bench/outofcore.sh
bench_outofcore_SOURCES = bench/outofcore.c examples/cholesky.h examples/cholesky_own.c
bench_outofcore_LDADD = libxylem.la -lm
EXTRA_DIST += bench/outofcore.sh
