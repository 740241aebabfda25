# Headers that are installed: the umbrella and its parts.
include_HEADERS += include/xylem.h
xylemincludedir = $(includedir)/xylem
xyleminclude_HEADERS = \
	include/xylem/agent.h \
	include/xylem/atomic.h \
	include/xylem/batch.h \
	include/xylem/check.h \
	include/xylem/component.h \
	include/xylem/context.h \
	include/xylem/cuda.h \
	include/xylem/data.h \
	include/xylem/driver.h \
	include/xylem/farm.h \
	include/xylem/group.h \
	include/xylem/insert.h \
	include/xylem/gpu.h \
	include/xylem/hip.h \
	include/xylem/interface.h \
	include/xylem/lock.h \
	include/xylem/machine.h \
	include/xylem/opencl.h \
	include/xylem/memory.h \
	include/xylem/mpi.h \
	include/xylem/partition.h \
	include/xylem/perf.h \
	include/xylem/queue.h \
	include/xylem/shapes.h \
	include/xylem/task.h \
	include/xylem/tree.h
