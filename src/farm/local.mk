# Farms of jobs on a cluster; linked into the tool. Needs libyaml and SQLite.
farm_sources = \
	src/farm/cw2.c \
	src/farm/cw2.h \
	src/farm/cw2_slurm.c \
	src/farm/cw2_sweep.c \
	src/farm/claim.c \
	src/farm/claim.h \
	src/farm/cluster.c \
	src/farm/cluster.h \
	src/farm/environment.h \
	src/farm/farm.c \
	src/farm/farm.h \
	src/farm/files.c \
	src/farm/files.h \
	src/farm/job.c \
	src/farm/job.h \
	src/farm/local.c \
	src/farm/local.h \
	src/farm/lock.c \
	src/farm/lock.h \
	src/farm/manager.c \
	src/farm/manager.h \
	src/farm/node.c \
	src/farm/node.h \
	src/farm/observe.c \
	src/farm/observe.h \
	src/farm/page.c \
	src/farm/pbs.c \
	src/farm/process.c \
	src/farm/process.h \
	src/farm/progress.c \
	src/farm/progress.h \
	src/farm/quote.c \
	src/farm/quote.h \
	src/farm/read.c \
	src/farm/read.h \
	src/farm/read_entry.c \
	src/farm/read_resources.c \
	src/farm/read_values.c \
	src/farm/request.c \
	src/farm/request.h \
	src/farm/round.c \
	src/farm/round.h \
	src/farm/round_orders.c \
	src/farm/script.c \
	src/farm/script.h \
	src/farm/slurm.c \
	src/farm/state.c \
	src/farm/state.h \
	src/farm/state_load.c \
	src/farm/status.c \
	src/farm/status.h \
	src/farm/supervise.c \
	src/farm/sweep.c \
	src/farm/sweep.h

if HAVE_FARM
noinst_LTLIBRARIES += libfarm.la
endif
libfarm_la_SOURCES = $(farm_sources)
libfarm_la_CPPFLAGS = $(AM_CPPFLAGS) $(python_folder)
libfarm_la_CFLAGS = $(AM_CFLAGS) $(YAML_CFLAGS) $(SQLITE_CFLAGS)
libfarm_la_LIBADD = $(YAML_LIBS) $(SQLITE_LIBS) -lm

# Slots: shares of the GPUs and processors of one allocation. Linked into the tool and the tests.
noinst_LTLIBRARIES += libslots.la
libslots_la_SOURCES = \
	src/farm/slots.c \
	src/farm/slots.h \
	src/farm/slots_cpus.c \
	src/farm/slots_cpus.h \
	src/farm/slots_gpus.c \
	src/farm/slots_gpus.h \
	src/farm/slots_smi.c \
	src/farm/slots_smi.h
libslots_la_LIBADD = $(HWLOC_LIBS)
