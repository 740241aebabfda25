# A model's layers over devices, as a pipeline; linked into sched-pipeline and into the tool. Needs libyaml.
pipeline_sources = \
	src/pipeline/command.c \
	src/pipeline/cost.c \
	src/pipeline/document.c \
	src/pipeline/document.h \
	src/pipeline/draw.c \
	src/pipeline/explain.c \
	src/pipeline/latency.c \
	src/pipeline/latency.h \
	src/pipeline/latency_price.c \
	src/pipeline/options.c \
	src/pipeline/options.h \
	src/pipeline/order.c \
	src/pipeline/pipeline.h \
	src/pipeline/plain.c \
	src/pipeline/print.c \
	src/pipeline/read.c \
	src/pipeline/read.h \
	src/pipeline/read_devices.c \
	src/pipeline/read_model.c \
	src/pipeline/read_types.c \
	src/pipeline/search.c \
	src/pipeline/search_states.c \
	src/pipeline/search_states.h \
	src/pipeline/source.c \
	src/pipeline/table.c

if HAVE_YAML
noinst_LTLIBRARIES += libpipeline.la
bin_PROGRAMS += sched-pipeline
endif
libpipeline_la_SOURCES = $(pipeline_sources)
libpipeline_la_CFLAGS = $(AM_CFLAGS) $(YAML_CFLAGS)
libpipeline_la_LIBADD = $(YAML_LIBS)

sched_pipeline_SOURCES = src/tools/sched_pipeline.c src/core/util/message.c src/core/util/nearest.c \
	src/core/util/text.c
sched_pipeline_CFLAGS = $(AM_CFLAGS)
sched_pipeline_LDADD = libpipeline.la
