# Measured times: files, statistics, fits. No knowledge of tasks.
libxylem_all_la_SOURCES += src/core/perf/bus.c src/core/perf/bus.h
libxylem_all_la_SOURCES += src/core/perf/file.c src/core/perf/file.h
libxylem_all_la_SOURCES += src/core/perf/fit.c src/core/perf/fit.h
libxylem_all_la_SOURCES += src/core/perf/lines.c src/core/perf/lines.h
libxylem_all_la_SOURCES += src/core/perf/map.c src/core/perf/map.h
libxylem_all_la_SOURCES += src/core/perf/starpu.c src/core/perf/starpu.h
libxylem_all_la_SOURCES += src/core/perf/stats.c src/core/perf/stats.h
libxylem_all_la_SOURCES += src/core/perf/store.c src/core/perf/store.h
