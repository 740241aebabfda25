# Lists, heaps, queues and other parts that know nothing of tasks.
libxylem_all_la_SOURCES +=
libxylem_all_la_SOURCES += src/core/util/futex.c src/core/util/futex.h src/core/util/log.h
