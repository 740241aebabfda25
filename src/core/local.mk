# The life of a task. List private headers here too, so that `make dist` packs them.
libxylem_all_la_SOURCES += src/core/version.c
