/* SPDX-License-Identifier: MIT */
/*
 * What the program of one runtime gives to main.c, and the bodies of the tasks, which are the same for
 * every runtime. A graph is submitted and waited for by one call; what it computed is compared with a
 * serial model afterwards, so that a run that lost, repeated or reordered tasks counts as failed.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct peer_options {
	unsigned workers;
	const char *sched; /* NULL: the runtime's default */
	size_t inflight;   /* tasks that must be able to wait at once, 0: whatever is usual */
	bool owned;        /* the runtime allocates the data; only where takes_owned is set */
	bool guest;        /* a thread that waits runs tasks; only where takes_guest is set */
};

/* Returned by a function for something that the runtime can't do with so many workers. */
#define PEER_CANNOT 77

/*
 * One runtime. Functions return 0 or another value on failure; a NULL one is something that the
 * runtime can't do. Between share and unshare the tasks use `n` cells, each a datum of its own that
 * the runtime knows, if it knows about data at all.
 */
struct peer {
	const char *name;
	bool takes_sched, takes_owned, takes_guest;
	int (*start)(const struct peer_options *options);
	int (*stop)(void);
	int (*share)(uint64_t *cells, size_t n);
	int (*unshare)(void);

	/* n tasks without data, the i-th runs body_count(i). */
	int (*independent)(size_t n);
	/* Those tasks, submitted by the shorter call. */
	int (*inserted)(size_t n);
	/* Independent tasks, each predicted and measured by a performance model. */
	int (*modelled)(size_t n);
	/* Independent tasks, submitted by tasks in batches of PEER_BATCH, so that with one worker a single
	 * thread pays for everything. */
	int (*nested)(size_t n);
	/* n tasks that read and write cell 0 one after the other, the i-th runs body_chain(i). */
	int (*chain)(size_t n);
	/* side * side tasks by rows, each reads the cell to its left and above and updates its own. */
	int (*wavefront)(size_t side);
	/* steps * width tasks; cells are two rows, step t reads row t % 2 and writes the other. */
	int (*stencil)(size_t width, size_t steps);
	/* count times: a task that updates cell 0, width tasks that read it; the next one joins them. */
	int (*fans)(size_t count, size_t width);
	/* A task that updates cell 0 and stays in body_gate until bench_gate_open, and n tasks with four
	 * accesses behind it: the i-th reads cell 0 and both neighbours of ring_cell(i) and updates that
	 * cell. Calls bench_all_wait() when all n are submitted, then bench_gate_open(). */
	int (*gated)(size_t n);
	/* n times: lets the runtime idle for bench_wake_pause(), then submits one task and stores the time
	 * from just before the submission to the task's body. */
	int (*wake)(size_t n, double *latency_ns);
	/* Frees what the last graph left behind; not timed. NULL: nothing to do. */
	void (*reset)(void);
};

#define PEER_BATCH 1000

/* Cells 1 to PEER_RING form a ring; the i-th task of `gated` owns one of them. */
#define PEER_RING 64

static inline size_t ring_cell(size_t i)
{
	return 1 + i % PEER_RING;
}

extern const struct peer bench_peer;

/* --- counting --- */

/* Tasks run by one thread and the sum of what they saw. */
struct bench_tally {
	uint64_t tasks, sum;
	char pad[112];
};

extern __thread struct bench_tally *bench_mine; /* NULL until the thread has run a task */
struct bench_tally *bench_tally_claim(void);

static inline void bench_count(uint64_t value)
{
	struct bench_tally *mine = bench_mine;

	if (!mine)
		mine = bench_tally_claim();
	mine->tasks++;
	mine->sum += value;
}

/* --- time --- */

double bench_now_ns(void);
void bench_wake_pause(void);
void bench_wake_watch(void); /* a short sleep: a submitter that spins would keep a core from the task */

extern uint64_t bench_spins; /* how long the body of a stencil task is; constant during a graph */

/* A chain of `spins` dependent multiplications that the compiler can't shorten. */
static inline void bench_spin(uint64_t spins)
{
	uint64_t x = spins;

	for (uint64_t i = 0; i < spins; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
}

/* --- memory --- */

void bench_all_wait(void); /* notes how much memory the waiting tasks take */
void bench_gate_open(void);
void body_gate(uint64_t *cell); /* returns once the gate is open */

/* --- bodies: order matters in each of them, so that the result tells about the order --- */

static inline void body_count(size_t i)
{
	bench_count(i);
}

static inline void body_chain(uint64_t *cell, size_t i)
{
	*cell = *cell * 3 + i;
}

/* left and above are NULL at the borders. */
static inline void body_wavefront(uint64_t *own, const uint64_t *left, const uint64_t *above)
{
	*own = *own * 3 + (left ? *left : 1) + 5 * (above ? *above : 1);
}

static inline void body_stencil(uint64_t *next, const uint64_t *left, const uint64_t *middle, const uint64_t *right)
{
	bench_spin(bench_spins);
	*next = (left ? *left : 1) + 3 * *middle + 5 * (right ? *right : 1);
}

static inline void body_fan(const uint64_t *cell)
{
	bench_count(*cell);
}

static inline void body_ring(uint64_t *own, const uint64_t *gate, const uint64_t *left, const uint64_t *right)
{
	*own = *own * 3 + *gate + 5 * *left + 7 * *right;
}

#ifdef __cplusplus
}
#endif
#endif
