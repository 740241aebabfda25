# Real time (threads) and virtual time (sim).
libxylem_all_la_SOURCES +=
