# One file per kind of device. A line for each: libxylem_all_la_SOURCES += FILES
