# Programs that `make bench` builds and runs; `make` and `make check` don't.
#   bench_programs += bench/chain
#   bench_chain_LDADD = libxylem.la
bench_programs =
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)

.PHONY: bench
bench: $(bench_programs)
	@for program in $(bench_programs); do ./$$program || exit 1; done
