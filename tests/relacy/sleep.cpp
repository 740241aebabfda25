// SPDX-License-Identifier: MIT
// Sleeping and waking with the memory orders of the code: the lock of src/core/util/futex.c as it is, and
// a worker's search for a task as in src/engines/threads.c, src/core/runtime/inbox.c and src/core/tree/component.c.
// tests/models/sleep.pml looks at all interleavings of more, but takes it that there is one order of all steps.
// mutant: xy__lock_drop release
// mutant: xy__lock_try acquire
// mutant: xy__lock_wait acquire
// mutant: no_wake
// mutant: announce seq_cst
// mutant: offer seq_cst
// mutant: put seq_cst
// mutant: drain seq_cst
// mutant: found seq_cst
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "stdatomic.h"

// --- the system: Relacy's futex, which may also return for no reason ---

static void relacy_futex(_Atomic(int) *word, int operation, int value)
{
	if (operation == FUTEX_WAKE_PRIVATE && relacy_fault_is("no_wake"))
		return;
	rl::rl_futex(word, operation == FUTEX_WAKE_PRIVATE ? rl::RL_FUTEX_WAKE : rl::RL_FUTEX_WAIT, value, 0, 0, 0, $);
}

#define syscall(number, word, operation, value, ...) relacy_futex(word, operation, value)
#define LOCK_SPINS 2
#include "core/util/futex.c"

struct ring_item {
	relacy_plain<int> number;
};

#define XY__ITEM ring_item
#define XY__RING_ALIGN
#include "core/lockfree/ring.h"

// --- the lock ---

struct lock_check : rl::test_suite<lock_check, 3> {
	_Atomic(int) lock;
	relacy_plain<int> count;

	void before()
	{
		atomic_store_explicit(&lock, 0, memory_order_relaxed);
		count = 0;
	}

	void thread(unsigned self)
	{
		for (int i = 0; i < 2; i++) {
			if (self > 0 || !xy__lock_try(&lock))
				xy__lock_take(&lock);
			count = count + 1;
			xy__lock_drop(&lock);
		}
	}

	void after()
	{
		RL_ASSERT(count == 6 && atomic_load(&lock) == 0);
	}
};

// --- two workers and a thread that submits two tasks, which meet ---

enum { WORKERS = 2, TASKS = 2, SLOTS = 4 };
enum worker_state { AWAKE, LOOKING, ASLEEP };

struct agent {
	int worker;   // -1: none
	bool for_others;
};

struct sleep_check : rl::test_suite<sleep_check, WORKERS + 1> {
	xy__ring inbox;
	xy__ring_slot slots[SLOTS];
	_Atomic(int) inbox_lock;

	_Atomic(int) queue_lock, queue_count;
	relacy_plain<ring_item *> queue[TASKS];
	relacy_plain<int> queue_front;

	_Atomic(int) sleepers, searchers, state[WORKERS];
	_Atomic(int) present;
	ring_item tasks[TASKS];

	void before()
	{
		xy__ring_init(&inbox, slots, SLOTS);
		atomic_store(&inbox_lock, 0);
		atomic_store(&queue_lock, 0);
		atomic_store(&queue_count, 0);
		queue_front = 0;
		atomic_store(&sleepers, 0);
		atomic_store(&searchers, 0);
		for (int i = 0; i < WORKERS; i++)
			atomic_store(&state[i], AWAKE);
		atomic_store(&present, 0);
	}

	// --- waking ---

	bool any_worker_looks()
	{
		return atomic_load_explicit(&searchers, memory_order_relaxed) > 0;
	}

	bool wake(int id)
	{
		int seen = atomic_load(&state[id]);

		if (seen != ASLEEP)
			return seen == LOOKING;
		if (!atomic_compare_exchange_strong(&state[id], &seen, LOOKING))
			return seen == LOOKING;
		atomic_fetch_add(&searchers, 1);
		atomic_fetch_sub(&sleepers, 1);
		xy__futex_wake(&state[id], 1);
		return true;
	}

	void offer(agent *by)
	{
		atomic_thread_fence(memory_order_seq_cst);
		if (atomic_load_explicit(&sleepers, memory_order_relaxed) == 0)
			return;
		if (by->worker >= 0 && !by->for_others) {
			by->for_others = true;
			return;
		}
		if (any_worker_looks())
			return;
		for (int i = 0; i < WORKERS; i++)
			if (wake(i))
				return;
	}

	// --- the queue and the inbox ---

	void store(ring_item *task, agent *by)
	{
		xy__lock_take(&queue_lock);
		int count = atomic_load_explicit(&queue_count, memory_order_relaxed);

		queue[(queue_front + count) % TASKS] = task;
		atomic_store_explicit(&queue_count, count + 1, memory_order_relaxed);
		xy__lock_drop(&queue_lock);
		offer(by);
	}

	ring_item *pull()
	{
		ring_item *task = 0;

		if (!atomic_load_explicit(&queue_count, memory_order_relaxed))
			return 0;
		xy__lock_take(&queue_lock);
		int count = atomic_load_explicit(&queue_count, memory_order_relaxed);

		if (count) {
			task = queue[queue_front];
			queue_front = (queue_front + 1) % TASKS;
			atomic_store_explicit(&queue_count, count - 1, memory_order_relaxed);
		}
		xy__lock_drop(&queue_lock);
		return task;
	}

	void drain(agent *by)
	{
		while (xy__ring_has(&inbox) && xy__lock_try(&inbox_lock)) {
			ring_item *hand[TASKS];
			int n = 0;

			while (n < TASKS && (hand[n] = xy__ring_take(&inbox)))
				n++;
			xy__lock_drop(&inbox_lock);
			for (int i = 0; i < n; i++)
				store(hand[i], by);
			atomic_thread_fence(memory_order_seq_cst);
		}
	}

	void put(ring_item *task, agent *by)
	{
		RL_ASSERT(xy__ring_put(&inbox, task));
		atomic_thread_fence(memory_order_seq_cst);
		if (atomic_load_explicit(&sleepers, memory_order_relaxed) && !any_worker_looks())
			drain(by);
	}

	// --- a worker ---

	ring_item *take(agent *by)
	{
		drain(by);
		return pull();
	}

	void announce(int id)
	{
		atomic_fetch_add(&sleepers, 1);
		atomic_fetch_sub(&searchers, 1);
		atomic_store(&state[id], ASLEEP);
		atomic_thread_fence(memory_order_seq_cst);
	}

	ring_item *sleep(agent *by)
	{
		int asleep = ASLEEP;
		ring_item *task;

		announce(by->worker);
		task = take(by);
		if (task) {
			if (atomic_compare_exchange_strong(&state[by->worker], &asleep, LOOKING)) {
				atomic_fetch_add(&searchers, 1);
				atomic_fetch_sub(&sleepers, 1);
			}
			return task;
		}
		while (atomic_load(&state[by->worker]) == ASLEEP)
			xy__futex_wait(&state[by->worker], ASLEEP, -1);
		return 0;
	}

	void found(agent *by)
	{
		by->for_others = true;
		atomic_store(&state[by->worker], AWAKE);
		atomic_fetch_sub(&searchers, 1);
		atomic_thread_fence(memory_order_seq_cst);
		if (!atomic_load_explicit(&sleepers, memory_order_relaxed))
			return;
		drain(by);
		if (atomic_load_explicit(&queue_count, memory_order_relaxed))
			offer(by);
	}

	ring_item *next(agent *by)
	{
		ring_item *task = take(by);

		if (task)
			return task;
		atomic_fetch_add(&searchers, 1);
		atomic_store(&state[by->worker], LOOKING);
		by->for_others = false;
		do {
			task = take(by);
			if (!task)
				task = sleep(by);
		} while (!task);
		found(by);
		return task;
	}

	// The first of the two waits for the other: a deadlock if that one is left behind.
	void work(int id)
	{
		agent self = { id, false };
		ring_item *task = next(&self);

		RL_ASSERT(task == &tasks[task->number]);
		if (atomic_fetch_add(&present, 1) + 1 == TASKS)
			xy__futex_wake(&present, TASKS);
		while (atomic_load(&present) < TASKS)
			xy__futex_wait(&present, 1, -1);
	}

	void submit()
	{
		agent self = { -1, false };

		for (int i = 0; i < TASKS; i++) {
			tasks[i].number = i;
			put(&tasks[i], &self);
		}
	}

	void thread(unsigned self)
	{
		if (self < WORKERS)
			work((int)self);
		else
			submit();
	}
};

int main(int argc, char **argv)
{
	bool fault = relacy_read_fault(argc, argv);

	return !(relacy_holds<lock_check>(fault ? 1000 : 20000) && relacy_holds<sleep_check>(fault ? 100000 : 25000));
}
