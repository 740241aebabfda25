# One file per component; all.c is the table. A line for each: libxylem_all_la_SOURCES += FILES
