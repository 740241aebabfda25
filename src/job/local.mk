# The library for programs inside the jobs of a farm. It is one of its own, so that such a program links neither the
# task runtime nor hwloc, libyaml or SQLite.
lib_LTLIBRARIES += libxylem-farm.la
noinst_LTLIBRARIES += libxylem-farm-all.la
libxylem_farm_all_la_SOURCES = \
	src/job/environment.c \
	src/job/goal.c \
	src/job/job.c \
	src/job/job.h \
	src/job/progress.c \
	src/job/signal.c
libxylem_farm_all_la_SOURCES += src/farm/claim.c src/farm/farm.c src/farm/files.c src/farm/quote.c src/farm/script.c
libxylem_farm_all_la_SOURCES += src/graph/json.c src/graph/names.c src/graph/refuse.c
libxylem_farm_all_la_SOURCES += src/core/util/buffer.c src/core/util/futex.c src/core/util/message.c src/core/util/text.c
libxylem_farm_all_la_CPPFLAGS = $(AM_CPPFLAGS) $(python_folder)
libxylem_farm_all_la_CFLAGS = $(AM_CFLAGS)
libxylem_farm_all_la_LIBADD = -lm
libxylem_farm_la_SOURCES =
libxylem_farm_la_LIBADD = libxylem-farm-all.la
libxylem_farm_la_LDFLAGS = $(AM_LDFLAGS) -no-undefined -version-info $(XYLEM_VERSION_INFO) \
	-export-symbols-regex '^xy_farm_' -Wl,-Bsymbolic-functions
if !SANITIZER
libxylem_farm_la_LDFLAGS += -Wl,-z,defs
endif
pkgconfig_DATA += xylem-farm.pc

# The same for Python, one file. Job scripts put its folder into PYTHONPATH.
python_folder = -DXY__PYTHON_FOLDER='"$(pythonmoduledir)"'
src/farm/libfarm_la-script.lo src/farm/libxylem_farm_all_la-script.lo: config.status
pythonmoduledir = $(pkgdatadir)/python
dist_pythonmodule_DATA = src/python/xylem_farm.py
