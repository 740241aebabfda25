# The command line tool, one file per subcommand. It uses the public interface of the library, and
# for the settings the library's own sources, as those names are not exported.
bin_PROGRAMS += xylem
xylem_SOURCES = src/tools/main.c src/tools/tool.h
xylem_SOURCES += src/tools/arguments.c src/tools/output.c src/tools/world.c
xylem_SOURCES += src/tools/batch.c src/tools/batch.h src/tools/batch_curves.c src/tools/batch_plot.c
xylem_SOURCES += src/tools/check.c src/tools/check_run.c src/tools/check_run.h src/tools/components.c src/tools/env.c
xylem_SOURCES += src/tools/machine.c src/tools/policies.c src/tools/show.c
if HAVE_YAML
xylem_SOURCES += src/tools/pipeline.c
xylem_pipeline = libpipeline.la
else
xylem_SOURCES += src/tools/pipeline_none.c
xylem_pipeline =
endif
if HAVE_FARM
xylem_SOURCES += src/tools/farm.c src/tools/farm.h src/tools/farm_change.c src/tools/farm_example.c
xylem_SOURCES += src/tools/farm_look.c src/tools/farm_run.c
xylem_farm = libfarm.la
else
xylem_SOURCES += src/tools/farm_none.c
xylem_farm =
endif
xylem_SOURCES += src/tools/model.c src/tools/model.h src/tools/model_export.c src/tools/model_plot.c
xylem_SOURCES += src/core/perf/file.c src/core/perf/lines.c src/core/perf/starpu.c src/core/perf/stats.c
xylem_SOURCES += src/core/perf/store.c src/core/util/arch.c src/core/util/buffer.c
xylem_SOURCES += src/core/util/futex.c
xylem_SOURCES += src/core/machine/config.c src/core/machine/variables.c src/core/util/log.c src/core/util/message.c
xylem_SOURCES += src/core/util/nearest.c src/core/util/text.c
xylem_SOURCES += src/tools/machine.h src/tools/machine_file.c src/tools/machine_import.c src/core/perf/bus.c
xylem_SOURCES += src/core/machine/platform.c src/core/machine/platform_kernel.c src/core/machine/platform_models.c
xylem_SOURCES += src/core/machine/platform_nodes.c src/core/machine/platform_read.c src/core/machine/platform_route.c
xylem_SOURCES += src/core/machine/platform_words.c src/core/machine/topology.c src/core/machine/topology_text.c
xylem_CPPFLAGS = $(libxylem_all_la_CPPFLAGS)
xylem_SOURCES += src/tools/bound.c src/tools/graph.c src/tools/sim.c src/tools/sim.h src/tools/sim_batch.c src/tools/sim_case.c src/tools/sim_gantt.c src/tools/sim_idle.c
xylem_SOURCES += src/tools/sim_plot.c src/tools/sim_print.c src/tools/sim_probe.c src/tools/sim_schedule.c src/tools/sim_run.c src/tools/sim_static.c
xylem_SOURCES += src/tools/slots.c src/tools/slots.h src/tools/slots_environment.c src/tools/slots_guard.c
xylem_SOURCES += src/tools/slots_keeper.c src/tools/slots_rep.c src/tools/slots_run.c
xylem_CFLAGS = $(AM_CFLAGS)
xylem_LDADD = $(xylem_pipeline) $(xylem_farm) libslots.la libbound.la libgraph.la libxylem.la -lm
