# One file per policy. A line for each: libxylem_all_la_SOURCES += FILES
