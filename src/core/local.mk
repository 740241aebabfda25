# The life of a task: a line for each unit, with its private headers so that `make dist` packs them.
libxylem_all_la_SOURCES += src/core/component.c
libxylem_all_la_SOURCES += src/core/config.h
libxylem_all_la_SOURCES += src/core/machine.h
libxylem_all_la_SOURCES += src/core/pool.h
libxylem_all_la_SOURCES += src/core/task.h src/core/task_query.c
libxylem_all_la_SOURCES += src/core/tree.h
libxylem_all_la_SOURCES += src/core/version.c
