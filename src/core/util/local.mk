# Lists, heaps, queues and other parts that know nothing of tasks.
libxylem_all_la_SOURCES +=
