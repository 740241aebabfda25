/* SPDX-License-Identifier: MIT */
/*
 * Runs the threads of a stopped process one at a time, instruction by instruction, and notes what they share: the words
 * of locks and the cache lines of atomic read-modify-writes. Only for x86-64 and for processes forked by the caller,
 * whose code is then at the same addresses.
 */
#ifndef BENCH_SERIAL_H
#define BENCH_SERIAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { STEPS_THREADS = 32, STEPS_HELD = 8, STEPS_SPOTS = 1 << 16 };

/* A line or the word of a lock, with who used it and how often. */
struct steps_spot {
	uintptr_t key; /* 0: unused */
	uint32_t threads;
	uint64_t count; /* of read-modify-writes, or of instructions under the lock */
};

struct steps {
	struct steps_spot lines[STEPS_SPOTS], locks[STEPS_SPOTS];
	uint64_t instructions;
	struct {
		uintptr_t word;
		uint64_t since; /* instructions so far */
	} held[STEPS_HELD];     /* by the thread that runs now */
	unsigned nheld;
};

/* Stops a thread of a child. 0 or -errno. */
int steps_seize(pid_t thread);

/* Runs it until it is about to execute the instruction at `place` again, and adds to what was noted; `number` is below
 * STEPS_THREADS. 0, -ETIME if it waits for something, or another -errno. */
int steps_run(struct steps *steps, pid_t thread, unsigned number, uintptr_t place);

/* Over the spots that at least two threads used: the sum, and the largest. */
uint64_t steps_shared(const struct steps_spot *spots, uint64_t *largest);

#endif
