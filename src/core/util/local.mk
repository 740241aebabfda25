# No knowledge of tasks.
libxylem_all_la_SOURCES += src/core/util/arch.c src/core/util/arch.h
libxylem_all_la_SOURCES += src/core/util/bits.h
libxylem_all_la_SOURCES += src/core/util/buffer.c src/core/util/buffer.h
libxylem_all_la_SOURCES += src/core/util/futex.c src/core/util/futex.h
libxylem_all_la_SOURCES += src/core/util/log.c src/core/util/log.h
libxylem_all_la_SOURCES += src/core/util/message.c src/core/util/message.h
libxylem_all_la_SOURCES += src/core/util/nearest.c src/core/util/nearest.h
libxylem_all_la_SOURCES += src/core/util/text.c src/core/util/text.h
