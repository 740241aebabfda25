/* SPDX-License-Identifier: MIT */
/*
 * The place of a task in the order of submission, in the common case: a few accesses that read or write, each to
 * another handle, and nothing special about any of these. deps_register.c has the general case and the rules.
 *
 * The handles are locked in any order, but never waited for: a thread that finds one locked lets go of all. So
 * nothing has to be sorted, and a handle that occurs twice is found as one that is locked.
 */
#include "core/data/handle.h"
#include "core/runtime/agent.h"
#include "core/runtime/deps.h"

/* One registration in progress. */
struct plain {
	struct xy_task *task;
	unsigned nedges;
	struct xy_task *before[XY__TASK_EDGES]; /* the predecessors so far */
};

static void plain_unlock(const uintptr_t *accesses, unsigned n)
{
	while (n-- > 0)
		xy__lock_drop(&xy__access_handle(accesses[n])->lock);
}

/* Whether a handle, which is locked, is accessed as usual: the last writer, and the readers since, are all that
 * counts. Adds the most edges that the access needs. */
static inline bool plain_fits(struct xy_handle *h, unsigned mode, unsigned *edges)
{
	unsigned readers = h->readers.count;

	/* relaxed: as each of them is read; the lock is held */
	if (atomic_load_explicit(&h->order, memory_order_relaxed) != XY__ORDER_PLAIN || h->failed)
		return false;
	if (mode == XY_R) {
		*edges += 1;
		return readers < h->readers.capacity;
	}
	*edges += mode == XY_W && readers ? readers : readers + 1;
	return mode <= XY_RW;
}

static inline bool plain_lock(const uintptr_t *accesses, unsigned n)
{
	unsigned edges = 0, i = 0;

	for (; i < n && xy__lock_try(&xy__access_handle(accesses[i])->lock); i++)
		if (!plain_fits(xy__access_handle(accesses[i]), xy__access_mode(accesses[i]), &edges)) {
			i++;
			edges = UINT16_MAX;
			break;
		}
	if (__builtin_expect(i == n && edges <= XY__TASK_EDGES, 1))
		return true;
	plain_unlock(accesses, i);
	return false;
}

/* Waits for an earlier task, unless it has ended or is known. */
static inline void plain_wait(struct plain *p, const struct xy__use *before, unsigned edge_flags)
{
	struct xy_task *task = before->task;
	struct xy__edge *edge;

	for (unsigned i = 0; i < p->nedges; i++)
		if (p->before[i] == task)
			return;
	if (xy__task_is_another(task, before->generation))
		return;
	edge = p->nedges ? &p->task->edges[p->nedges - 1] : &p->task->first_edge;
	atomic_store_explicit(&edge->target, (uintptr_t)p->task | edge_flags, memory_order_relaxed);
	if (xy__successors_add(&task->successors, edge, before->generation))
		p->before[p->nedges++] = task;
}

static inline void plain_read(struct plain *p, struct xy_handle *h, unsigned mode, uint32_t generation)
{
	if (h->writer.task)
		plain_wait(p, &h->writer, 0);
	if (mode == XY_R)
		xy__tasks_add(&h->readers, p->task, generation, 0);
}

static inline void plain_write(struct plain *p, struct xy_handle *h, unsigned mode, uint32_t generation)
{
	unsigned readers = h->readers.count;

	for (unsigned i = 0; i < readers; i++)
		plain_wait(p, &h->readers.items[i], XY__EDGE_ORDER);
	if (mode == XY_W && !readers && h->writer.task)
		plain_wait(p, &h->writer, XY__EDGE_ORDER);
	h->readers.count = 0;
	h->writer.task = p->task;
	h->writer.generation = generation;
}

/* What is read comes first: an edge that failure follows also keeps the order. */
bool xy__deps_register_plainly(struct xy_task *task, int *count)
{
	uint32_t generation = xy__task_generation(task);
	const uintptr_t *accesses = task->accesses;
	unsigned n = task->naccesses, writes = 0;
	struct plain p;

	if (n > XY__TASK_ACCESSES || !plain_lock(accesses, n))
		return false;
	p.task = task;
	p.nedges = 0;
	for (unsigned i = 0; i < n; i++) {
		if (accesses[i] & XY_R)
			plain_read(&p, xy__access_handle(accesses[i]), xy__access_mode(accesses[i]), generation);
		if (accesses[i] & XY_W)
			writes |= 1u << i;
	}
	for (; writes; writes &= writes - 1) {
		uintptr_t access = accesses[__builtin_ctz(writes)];

		plain_write(&p, xy__access_handle(access), xy__access_mode(access), generation);
	}
	plain_unlock(accesses, n);
	task->nedges = (uint16_t)p.nedges;
	*count = (int)p.nedges;
	return true;
}
