# One file per kind of device.
libxylem_all_la_SOURCES +=
