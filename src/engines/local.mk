# Real time (threads), virtual time (sim), and chosen interleavings (explore). A line for each: libxylem_all_la_SOURCES += FILES
libxylem_all_la_SOURCES += src/engines/threads.c src/engines/sim.c src/engines/sim_machine.c src/engines/sim.h
libxylem_all_la_SOURCES += src/engines/sim_event.c src/engines/sim_wait.c
libxylem_all_la_SOURCES += src/engines/sim_tick.c src/engines/timer.c src/engines/timer.h
libxylem_all_la_SOURCES += src/engines/explore.c src/engines/explore.h src/engines/explore_check.c
libxylem_all_la_SOURCES += src/engines/explore_fibre.c
libxylem_all_la_SOURCES += src/engines/rehearsal.c src/engines/rehearsal.h src/engines/rehearsal_graph.c
libxylem_all_la_SOURCES += src/engines/engines.h src/engines/start.c
