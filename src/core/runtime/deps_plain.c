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

static inline void plain_unlock(struct xy_handle *const *handles, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		xy__lock_drop(&handles[i]->lock);
}

/*
 * The most edges that a read or write needs of a handle, which is locked, if that is accessed as usual: the last
 * writer, and the readers since, are all that counts. More than a task has otherwise.
 */
static inline __attribute__((always_inline)) unsigned plain_edges(const struct xy_handle *h, unsigned mode)
{
	unsigned readers = h->readers.count;

	/* relaxed: as each of them is read; the lock is held */
	if (atomic_load_explicit(&((struct xy_handle *)h)->order, memory_order_relaxed) != XY__ORDER_PLAIN)
		return UINT16_MAX;
	if (mode == XY_R)
		return readers < h->readers.capacity ? 1 : UINT16_MAX;
	return mode == XY_W && readers ? readers : readers + 1;
}

/* Gives the task the handles of a description, locked, if all are free and have no surprise. Returns their number,
 * or 0. */
static inline __attribute__((always_inline)) unsigned plain_take(struct xy_task *task, const struct xy_task_desc *desc,
								 const struct xy_runtime *rt)
{
	const enum xy_mode *modes = desc->codelet->modes;
	unsigned edges = 0, n = 0;
	struct xy_handle *h;

	for (; n < XY_NHANDLES && (h = desc->handles[n]); n++) {
		unsigned mode = modes[n];

		if (__builtin_expect(!xy__handle_serves(h, rt) || mode - XY_R > XY_RW - XY_R || !xy__lock_try(&h->lock),
				     0)) {
			edges = UINT16_MAX;
			break;
		}
		edges += plain_edges(h, mode);
		task->accesses[n] = xy__access(h, mode);
	}
	if (__builtin_expect(edges <= XY__TASK_EDGES && (n == XY_NHANDLES || !modes[n]), 1))
		return n;
	plain_unlock(desc->handles, n);
	return 0;
}

/*
 * Makes the task wait for an earlier one, unless that has ended or is known: then the newest edge in its list is one of
 * this task. If another submitter adds to the list at the same time, a second edge does no harm. Returns the number of
 * edges.
 */
static inline __attribute__((always_inline)) unsigned plain_wait(struct xy_task *task, unsigned nedges,
								 const struct xy__use *use, unsigned edge_flags)
{
	struct xy_task *before = use->task;
	/* acquire: as in xy__successors_add */
	uint64_t head = atomic_load_explicit(&before->successors, memory_order_acquire);
	uint32_t generation = use->generation;
	struct xy__edge *edge;

	if ((head & XY__HEAD_EDGE) - (uintptr_t)task < sizeof *task)
		return nedges;
	/* After the head was read: as the use was noted, the memory has had its generation or a later one. */
	if (xy__task_is_another(before, generation))
		return nedges;
	edge = __builtin_expect(nedges != 0, 1) ? &task->edges[nedges - 1] : &task->first_edge;
	atomic_store_explicit(&edge->target, (uintptr_t)task | edge_flags, memory_order_relaxed);
	return nedges + xy__successors_add_to(&before->successors, head, edge, generation);
}

static inline __attribute__((always_inline)) unsigned plain_write(struct xy_handle *h, unsigned mode,
								  const struct xy__use *use, unsigned nedges)
{
	const struct xy__use *reader = h->readers.items, *end = reader + h->readers.count;

	if (mode == XY_W && reader == end && h->writer.task)
		nedges = plain_wait(use->task, nedges, &h->writer, XY__EDGE_ORDER);
	for (; reader < end; reader++)
		nedges = plain_wait(use->task, nedges, reader, XY__EDGE_ORDER);
	h->readers.count = 0;
	h->writer = *use;
	return nedges;
}

/* Registers the task's n accesses with these handles, which are locked, and unlocks them. What is read comes first: an
 * edge that failure follows also keeps the order. */
static inline __attribute__((always_inline)) int plain_register(struct xy_task *task, struct xy_handle *const *handles,
								unsigned n)
{
	const struct xy__use use = { .task = task, .generation = xy__task_generation(task) };
	unsigned nedges = 0, written = 0;

	for (unsigned i = 0; i < n; i++) {
		const uintptr_t access = task->accesses[i];
		struct xy_handle *h = handles[i];

		if ((access & XY_R) && h->writer.task)
			nedges = plain_wait(task, nedges, &h->writer, 0);
		if (__builtin_expect(access & XY_W, 0))
			written = i + 1;
		else
			h->readers.items[h->readers.count++] = use;
	}
	for (unsigned i = 0; i < written; i++) {
		const uintptr_t access = task->accesses[i];

		if (access & XY_W)
			nedges = plain_write(handles[i], xy__access_mode(access), &use, nedges);
	}
	plain_unlock(handles, n);
	task->nedges = (uint16_t)nedges;
	return (int)nedges;
}

bool xy__deps_take_plainly(struct xy_task *task, const struct xy_task_desc *desc, const struct xy_runtime *rt,
			   int *count)
{
	const unsigned n = plain_take(task, desc, rt);

	if (!n)
		return false;
	task->naccesses = (uint16_t)n;
	*count = plain_register(task, desc->handles, n);
	return true;
}

bool xy__deps_register_plainly(struct xy_task *task, int *count)
{
	struct xy_handle *handles[XY__TASK_ACCESSES];
	unsigned edges = 0, n = 0;

	for (; n < task->naccesses; n++) {
		unsigned mode = xy__access_mode(task->accesses[n]);

		handles[n] = xy__access_handle(task->accesses[n]);
		if (mode > XY_RW || !xy__lock_try(&handles[n]->lock)) {
			edges = UINT16_MAX;
			break;
		}
		edges += plain_edges(handles[n], mode);
	}
	if (edges > XY__TASK_EDGES) {
		plain_unlock(handles, n);
		return false;
	}
	*count = plain_register(task, handles, n);
	return true;
}
