# A task as components see it.
libxylem_all_la_SOURCES += src/core/task/division.c src/core/task/division.h
libxylem_all_la_SOURCES += src/core/task/handle.h
libxylem_all_la_SOURCES += src/core/task/heap.h
libxylem_all_la_SOURCES += src/core/task/lookahead.h
libxylem_all_la_SOURCES += src/core/task/pool.c src/core/task/pool.h
libxylem_all_la_SOURCES += src/core/task/queue.c src/core/task/queue.h src/core/task/queue_look.c src/core/task/queue_parts.h
libxylem_all_la_SOURCES += src/core/task/refusals.h
libxylem_all_la_SOURCES += src/core/task/task.h
libxylem_all_la_SOURCES += src/core/task/task_query.c
