# The life of a task. List private headers here too, so that `make dist` packs them.
libxylem_all_la_SOURCES += src/core/version.c src/core/component.c src/core/task_query.c src/core/pool.h src/core/config.h src/core/machine.h \
	src/core/task.h src/core/tree.h
