# One file per policy; all.c is the table.
libxylem_all_la_SOURCES += src/policies/all.c src/policies/all.h
libxylem_all_la_SOURCES += src/policies/tree_eager.c
libxylem_all_la_SOURCES += src/policies/tree_eager_prefetching.c
libxylem_all_la_SOURCES += src/policies/tree_eager_prio.c
libxylem_all_la_SOURCES += src/policies/tree_parallel_random.c
libxylem_all_la_SOURCES += src/policies/tree_parallel_random_prio.c
libxylem_all_la_SOURCES += src/policies/tree_prio.c
libxylem_all_la_SOURCES += src/policies/tree_prio_prefetching.c
libxylem_all_la_SOURCES += src/policies/tree_random.c
libxylem_all_la_SOURCES += src/policies/tree_random_prefetching.c
libxylem_all_la_SOURCES += src/policies/tree_random_prio.c
libxylem_all_la_SOURCES += src/policies/tree_random_prio_prefetching.c
libxylem_all_la_SOURCES += src/policies/tree_ws.c
