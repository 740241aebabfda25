# Lock-free structures, headers only.
libxylem_all_la_SOURCES += src/core/lockfree/ring.h
libxylem_all_la_SOURCES += src/core/lockfree/stack.h
libxylem_all_la_SOURCES += src/core/lockfree/successors.h
