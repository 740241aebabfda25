/* SPDX-License-Identifier: MIT */
/*
 * The place of a task in the order of submission. The handles of a task are locked together, in the order of their
 * addresses, so that tasks of several submitters have one order everywhere. Everything that can fail comes before the
 * task is added to its first predecessor.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "core/data/handle.h"
#include "core/data/redux.h"
#include "core/runtime/agent.h"
#include "core/runtime/deps.h"
#include "core/runtime/cycles.h"

enum { FEW_ACCESSES = 16, SEEN = 8 };

/* One registration in progress, and its last predecessors, as accesses often share them. */
struct registration {
	struct xy_task *task;
	struct xy__agent *agent;
	int count;           /* predecessors that have not ended */
	uint32_t generation; /* of the task */
	bool barred;         /* some handle must not be used in its mode at present */
	unsigned nseen;
	uintptr_t seen[SEEN];
};

/* --- predecessors --- */

static inline void registration_wait(struct registration *r, const struct xy__use *before, unsigned edge_flags)
{
	uintptr_t key = (uintptr_t)before->task | edge_flags;

	for (unsigned i = 0; i < r->nseen; i++)
		if (r->seen[i] == key || r->seen[i] == (uintptr_t)before->task)
			return;
	if (xy__deps_after_use(r->task, before->task, before->generation, edge_flags, r->agent) <= 0)
		return;
	r->count++;
	if (r->nseen < SEEN)
		r->seen[r->nseen++] = key;
}

static inline void registration_wait_all(struct registration *r, const struct xy__tasks *list, unsigned edge_flags)
{
	for (unsigned i = 0; i < list->count; i++)
		registration_wait(r, &list->items[i], edge_flags | list->items[i].edge_flags);
}

/* --- plain accesses: the last writer, and the readers since --- */

static inline void plain_read(struct registration *r, struct xy_handle *h)
{
	if (h->writer.task)
		registration_wait(r, &h->writer, 0);
	xy__tasks_add(&h->readers, r->task, r->generation, 0);
}

/*
 * Reading what a failed task should have written fails as well; overwriting it, or writing after its readers, is only
 * a matter of order.
 */
static inline void plain_write(struct registration *r, struct xy_handle *h, unsigned mode)
{
	if (h->writer.task) {
		if (mode != XY_W)
			registration_wait(r, &h->writer, 0);
		else if (!h->readers.count)
			registration_wait(r, &h->writer, XY__EDGE_ORDER);
	}
	if (h->readers.count) {
		registration_wait_all(r, &h->readers, XY__EDGE_ORDER);
		h->readers.count = 0;
	}
	h->writer.task = r->task;
	h->writer.generation = r->generation;
}

/* --- accesses around groups that commute or reduce --- */

static bool joins(const struct xy_handle *h, unsigned mode)
{
	return h->reducing ? mode & XY_REDUX : (mode & XY_COMMUTE) && h->commuting && !h->readers.count;
}

static void tasks_move(struct xy__tasks *to, struct xy__tasks *from, unsigned edge_flags)
{
	for (unsigned i = 0; i < from->count; i++)
		xy__tasks_add(to, from->items[i].task, from->items[i].generation, edge_flags);
	from->count = 0;
}

/* Opens a group: what was before it is what each of its members waits for. */
static void group_open(struct xy_handle *h, unsigned mode)
{
	h->before.count = 0;
	if (h->writer.task)
		xy__tasks_add(&h->before, h->writer.task, h->writer.generation, 0);
	tasks_move(&h->before, &h->group, 0);
	tasks_move(&h->before, &h->readers, XY__EDGE_ORDER);
	h->writer.task = NULL;
	h->before_failed = h->failed;
	h->failed = 0;
	h->commuting = true;
	h->reducing = mode & XY_REDUX;
	if (h->reducing)
		atomic_fetch_add(&h->redux->groups, 1);
}

static void group_wait(struct registration *r, struct xy_handle *h, unsigned mode)
{
	unsigned edge_flags = mode == XY_W ? XY__EDGE_ORDER : 0;

	if (joins(h, mode)) {
		registration_wait_all(r, &h->before, 0);
		xy__deps_follow(r->task, h->before_failed, xy__edge_acquire(r->task));
		return;
	}
	if (mode != XY_W || !h->readers.count) {
		registration_wait_all(r, &h->group, edge_flags);
		if (h->writer.task)
			registration_wait(r, &h->writer, edge_flags);
	}
	if (mode & XY_W)
		registration_wait_all(r, &h->readers, XY__EDGE_ORDER);
}

static void group_access(struct registration *r, struct xy_handle *h, unsigned mode)
{
	group_wait(r, h, mode);
	if (!(mode & XY_W)) {
		xy__tasks_add(&h->readers, r->task, r->generation, 0);
	} else if (mode & (XY_COMMUTE | XY_REDUX)) {
		if (!joins(h, mode))
			group_open(h, mode);
		xy__tasks_add(&h->group, r->task, r->generation, 0);
	} else {
		h->before.count = h->group.count = h->readers.count = 0;
		h->writer = (struct xy__use){ r->task, r->generation, 0 };
		h->commuting = false;
	}
}

static bool group_reserve(struct xy_handle *h, unsigned mode)
{
	if (!(mode & XY_W))
		return xy__tasks_reserve(&h->readers, 1, h->few_readers);
	if (!(mode & (XY_COMMUTE | XY_REDUX)))
		return true;
	/* A new group needs room for all that was before it, and any group for one more member. */
	return xy__tasks_reserve(&h->group, 1, h->few_group) &&
	       (joins(h, mode) || xy__tasks_reserve(&h->before, h->group.count + h->readers.count + 1, h->few_before));
}

/* A group that reduces ends here. A task of the runtime's own comes next in the order: it waits for the members, and
 * its end is when the handle has what they wrote. False without memory. */
static bool group_close(struct registration *r, struct xy_handle *h, unsigned mode)
{
	struct registration closing = { .agent = r->agent };

	if (!xy__pool_reserve_edges(&r->agent->pool, h->group.count))
		return false;
	closing.task = xy__redux_closing(h, r->task, mode, r->agent);
	if (!closing.task)
		return false;
	xy__deps_follow(closing.task, h->failed, XY__EDGE_ACQUIRE);
	registration_wait_all(&closing, &h->group, 0);
	xy__redux_enqueue(closing.task, closing.count, r->agent);
	h->writer = (struct xy__use){ closing.task, xy__task_generation(closing.task), 0 };
	h->group.count = h->before.count = 0;
	h->failed = 0;
	h->commuting = h->reducing = false;
	return true;
}

/* The most edges that an access to a group needs, or after one; UINT_MAX without memory. */
static unsigned group_prepare(struct registration *r, struct xy_handle *h, unsigned mode)
{
	if ((h->reducing && !joins(h, mode) && !group_close(r, h, mode)) || !group_reserve(h, mode))
		return UINT_MAX;
	return h->group.count + h->before.count + h->readers.count + 1;
}

/* --- failures --- */

static bool tasks_have(const struct xy__tasks *list, const struct xy_task *task)
{
	for (unsigned i = 0; i < list->count; i++)
		if (list->items[i].task == task && list->items[i].generation == xy__task_generation(task) &&
		    !list->items[i].edge_flags)
			return true;
	return false;
}

/* Its list of successors is still open: later registrations see the mark, and earlier ones are in the list. */
void xy__deps_spoil(struct xy_task *task, int status)
{
	const uintptr_t *accesses = xy__task_accesses(task);

	for (unsigned i = 0; i < task->naccesses; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);

		if (!(accesses[i] & XY_W) || (accesses[i] & XY__MODE_UNORDERED))
			continue;
		xy__lock_take(&h->lock);
		if ((h->writer.task == task && h->writer.generation == xy__task_generation(task)) ||
		    tasks_have(&h->group, task))
			h->failed = status;
		else if (tasks_have(&h->before, task))
			h->before_failed = status;
		xy__lock_drop(&h->lock);
	}
}

/* --- all accesses of a task --- */

static inline bool is_plain(const struct xy_handle *h, unsigned mode)
{
	return !h->commuting && !(mode & (XY_COMMUTE | XY_REDUX));
}

/* The most edges that an access needs, or UINT_MAX without memory for its lists. */
static inline unsigned access_prepare(struct registration *r, struct xy_handle *h, unsigned mode)
{
	if (!is_plain(h, mode))
		return group_prepare(r, h, mode);
	if (mode & XY_W)
		return h->readers.count + 1;
	if (h->readers.count == h->readers.capacity && !xy__tasks_reserve(&h->readers, 1, h->few_readers))
		return UINT_MAX;
	return 1;
}

static bool use_marked(const struct xy__use *use, uint32_t mark)
{
	return use->task && !xy__use_has_ended(use) && xy__cycles_is_marked(use->task, mark);
}

static bool tasks_marked(const struct xy__tasks *list, uint32_t mark)
{
	for (unsigned i = 0; i < list->count; i++)
		if (use_marked(&list->items[i], mark))
			return true;
	return false;
}

static bool handle_marked(const struct xy_handle *h, uint32_t mark)
{
	return use_marked(&h->writer, mark) || tasks_marked(&h->readers, mark) || tasks_marked(&h->group, mark) ||
	       tasks_marked(&h->before, mark);
}

/*
 * Checks whether a predecessor of the task waits for it. All its handles are locked, so every task in their lists has
 * already been added to its predecessors.
 */
static int registration_find_cycle(struct registration *r, const uintptr_t *accesses, unsigned n)
{
	struct xy_runtime *rt = r->agent->runtime;
	int error = xy__cycles_mark(rt, r->task);

	for (unsigned i = 0; i < n && !error; i++)
		if (handle_marked(xy__access_handle(accesses[i]), rt->cycles_mark))
			error = -ELOOP;
	return error;
}

/* An access without order has no lock: it may be refused a little late. */
static bool bars_unordered(struct xy_task *task)
{
	const uintptr_t *accesses = xy__task_accesses(task);

	if (task->flags & XY__TASK_COMBINES)
		return false;
	for (unsigned i = 0; i < task->naccesses; i++)
		if (xy__handle_bars(xy__access_handle(accesses[i]), xy__access_mode(accesses[i]) & ~XY__MODE_UNORDERED))
			return true;
	return false;
}

/* Checks for refusals. Nothing has been changed by then: not even a reducing group was ended. */
static int registration_check(struct registration *r, const uintptr_t *accesses, unsigned n)
{
	unsigned flags = r->task->flags;

	if (r->barred && !(flags & XY__TASK_DATA))
		return -EBUSY;
	if ((flags & XY__TASK_UNORDERED) && bars_unordered(r->task))
		return -EBUSY;
	if ((flags & XY__TASK_KEPT) && xy__cycles_has_successors(r->task))
		return registration_find_cycle(r, accesses, n);
	return 0;
}

/* Everything that needs memory. */
static int registration_prepare(struct registration *r, const uintptr_t *accesses, unsigned n)
{
	unsigned edges = 0;

	for (unsigned i = 0; i < n; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);
		unsigned most = access_prepare(r, h, xy__access_mode(accesses[i]));

		if (most == UINT_MAX)
			return -ENOMEM;
		edges += most;
	}
	if (r->task->nedges + edges > XY__TASK_EDGES && !xy__pool_reserve_edges(&r->agent->pool, edges))
		return -ENOMEM;
	return 0;
}

static int registration_run(struct registration *r, const uintptr_t *accesses, unsigned n)
{
	int error = registration_check(r, accesses, n);

	if (!error)
		error = registration_prepare(r, accesses, n);
	if (error)
		return error;
	xy__task_reopen(r->task);
	r->generation = xy__task_generation(r->task);
	for (unsigned i = 0; i < n; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);
		unsigned mode = xy__access_mode(accesses[i]);

		if (h->failed && !joins(h, mode)) {
			xy__deps_follow(r->task, h->failed,
					(mode == XY_W ? XY__EDGE_ORDER : 0) | xy__edge_acquire(r->task));
			if (mode == XY_W)
				h->failed = 0;
		}
		if (!is_plain(h, mode))
			group_access(r, h, mode);
		else if (mode & XY_W)
			plain_write(r, h, mode);
		else
			plain_read(r, h);
	}
	return 0;
}

/* An access that gives no dependency is only counted. */
static void note_unordered(struct xy_task *task, uintptr_t *access)
{
	*access |= XY__MODE_UNORDERED;
	task->flags |= XY__TASK_UNORDERED;
	atomic_fetch_add_explicit(&xy__access_handle(*access)->unordered, 1, memory_order_relaxed);
}

/* Clears the state of a previous submission. */
static void forget_unordered(struct xy_task *task)
{
	uintptr_t *accesses = xy__task_accesses(task);

	task->flags &= (uint16_t)~XY__TASK_UNORDERED;
	if (task->extra && task->extra->unordered)
		return; /* the description said so */
	for (unsigned i = 0; i < task->naccesses; i++)
		accesses[i] &= ~(uintptr_t)XY__MODE_UNORDERED;
}

/* Adds an access to the sorted ones before it; a duplicate handle gets the union of the modes. Returns their number. */
static inline unsigned sort_in(uintptr_t *sorted, unsigned count, uintptr_t a)
{
	unsigned at = count;

	while (at > 0 && (sorted[at - 1] | XY__MODE_BITS) > (a | XY__MODE_BITS))
		at--;
	if (at > 0 && xy__access_handle(sorted[at - 1]) == xy__access_handle(a)) {
		/* Commuting only if every access of the handle does. */
		sorted[at - 1] = ((sorted[at - 1] | a) & ~(uintptr_t)XY_COMMUTE) | (sorted[at - 1] & a & XY_COMMUTE);
		return count;
	}
	for (unsigned j = count; j > at; j--)
		sorted[j] = sorted[j - 1];
	sorted[at] = a;
	return count + 1;
}

/* The accesses that give dependencies, sorted by handle, each handle once. Returns their number. */
static inline unsigned sort_accesses(uintptr_t *sorted, struct xy_task *task)
{
	uintptr_t *accesses = xy__task_accesses(task);
	unsigned count = 0;

	if (task->flags & XY__TASK_UNORDERED)
		forget_unordered(task);
	for (unsigned i = 0; i < task->naccesses; i++) {
		const struct xy_handle *h = xy__access_handle(accesses[i]);

		if (!(accesses[i] & (XY_SCRATCH | XY__MODE_UNORDERED)) &&
		    (atomic_load_explicit(&h->sequential, memory_order_relaxed) || (accesses[i] & XY_REDUX)))
			count = sort_in(sorted, count, accesses[i]);
		else
			note_unordered(task, &accesses[i]);
	}
	return count;
}

/* Restores the task's own order: nothing may depend on addresses, so that runs are reproducible. */
static void unsort(uintptr_t *sorted, unsigned n, struct xy_task *task)
{
	const uintptr_t *accesses = xy__task_accesses(task);
	unsigned done = 0;

	for (unsigned i = 0; i < task->naccesses && done < n; i++)
		for (unsigned j = done; j < n; j++)
			if (xy__access_handle(sorted[j]) == xy__access_handle(accesses[i])) {
				uintptr_t a = sorted[j];

				sorted[j] = sorted[done];
				sorted[done++] = a;
				break;
			}
}

void xy__deps_drop_unordered(struct xy_task *task)
{
	const uintptr_t *accesses = xy__task_accesses(task);

	for (unsigned i = 0; i < task->naccesses; i++)
		if (accesses[i] & XY__MODE_UNORDERED)
			xy__handle_unused(xy__access_handle(accesses[i]));
}

int xy__deps_register(struct xy_task *task, int *count, struct xy__agent *agent)
{
	uintptr_t few[FEW_ACCESSES], *sorted = few;
	struct registration r;
	unsigned n;
	int error;

	if (task->naccesses > FEW_ACCESSES) {
		sorted = malloc(task->naccesses * sizeof *sorted);
		if (!sorted)
			return -ENOMEM;
	}
	r.task = task;
	r.agent = agent;
	r.count = 0;
	r.nseen = 0;
	r.barred = false;
	n = sort_accesses(sorted, task);
	for (unsigned i = 0; i < n; i++) {
		xy__lock_take(&xy__access_handle(sorted[i])->lock);
		r.barred |= xy__handle_bars(xy__access_handle(sorted[i]), xy__access_mode(sorted[i]));
	}
	if (n > 1 && agent->runtime->repeatable)
		unsort(sorted, n, task);
	error = registration_run(&r, sorted, n);
	for (unsigned i = n; i-- > 0;)
		xy__lock_drop(&xy__access_handle(sorted[i])->lock);
	if (sorted != few)
		free(sorted);
	/* For the others the caller does it, when it holds no lock any more. */
	if (agent->closings && !(task->flags & (XY__TASK_KEPT | XY__TASK_DATA)))
		xy__redux_submit(agent);
	if (error && (task->flags & XY__TASK_UNORDERED))
		xy__deps_drop_unordered(task);
	*count = r.count;
	return error;
}
