# One file per component; all.c is the table.
libxylem_all_la_SOURCES +=
