# One file per policy.
libxylem_all_la_SOURCES +=
