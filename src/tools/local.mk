# The command line tool, one file per subcommand. It uses the public interface of the library, and
# for the settings the library's own sources, as those names are not exported.
bin_PROGRAMS += xylem
xylem_SOURCES = src/tools/main.c src/tools/tool.h
xylem_SOURCES += src/tools/arguments.c src/tools/output.c src/tools/world.c
xylem_SOURCES += src/tools/check.c src/tools/components.c src/tools/env.c
xylem_SOURCES += src/tools/machine.c src/tools/policies.c src/tools/show.c
if HAVE_YAML
xylem_SOURCES += src/tools/pipeline.c
xylem_pipeline = libpipeline.la
else
xylem_SOURCES += src/tools/pipeline_none.c
xylem_pipeline =
endif
xylem_SOURCES += src/core/config.c src/core/util/log.c src/core/util/message.c
xylem_SOURCES += src/core/util/nearest.c src/core/util/text.c
xylem_CFLAGS = $(AM_CFLAGS)
xylem_LDADD = $(xylem_pipeline) libxylem.la
