/* SPDX-License-Identifier: MIT */
/*
 * The place of a task in the order of submission. The handles of a task are locked together, in the
 * order of their addresses, so that the tasks of several submitters get the same order everywhere. All
 * that can fail comes before the task is hung on the first predecessor.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "core/data/handle.h"
#include "core/deps.h"
#include "core/graph.h"

enum { FEW_ACCESSES = 16, SEEN = 8 };

/* One registration under way, and its last predecessors, as accesses often share them. */
struct registration {
	struct xy_task *task;
	struct xy__agent *agent;
	int count;                   /* predecessors that have not ended */
	int references;              /* that handles have to the task */
	unsigned nseen;
	uintptr_t seen[SEEN];
};

/* --- whom to wait for --- */

static inline void registration_wait(struct registration *r, struct xy_task *before, unsigned kind)
{
	uintptr_t key = (uintptr_t)before | kind;

	for (unsigned i = 0; i < r->nseen; i++)
		if (r->seen[i] == key || r->seen[i] == (uintptr_t)before)
			return;
	if (r->nseen < SEEN)
		r->seen[r->nseen++] = key;
	if (xy__deps_after(r->task, before, kind, r->agent) > 0)
		r->count++;
}

static void registration_wait_all(struct registration *r, const struct xy__tasks *list, unsigned kind)
{
	for (unsigned i = 0; i < list->count; i++) {
		unsigned bits;
		struct xy_task *before = xy__tasks_at(list, i, &bits);

		registration_wait(r, before, kind | bits);
	}
}

/* --- plain accesses: one last writer, and those who read since --- */

static inline void plain_read(struct registration *r, struct xy_handle *h)
{
	if (h->writer)
		registration_wait(r, h->writer, 0);
	h->readers.items[h->readers.count++] = r->task;
	r->references++;
}

/* Reading what a failed task should have written fails as well; writing over it, or after those who
 * read it, is only a matter of order. */
static inline void plain_write(struct registration *r, struct xy_handle *h, unsigned mode)
{
	struct xy_task *writer = h->writer;

	if (writer) {
		if (mode != XY_W)
			registration_wait(r, writer, 0);
		else if (!h->readers.count)
			registration_wait(r, writer, XY__EDGE_ORDER);
	}
	if (h->readers.count) {
		registration_wait_all(r, &h->readers, XY__EDGE_ORDER);
		xy__tasks_clear(&h->readers, r->agent);
	}
	if (writer)
		xy__task_unref(writer, r->agent);
	h->writer = r->task;
	r->references++;
}

/* --- accesses around groups that commute --- */

static bool joins(const struct xy_handle *h, unsigned mode)
{
	return (mode & XY_COMMUTE) && h->commuting && !h->readers.count;
}

/* Opens a group: what was before it is what each of its members waits for. */
static void group_open(struct xy_handle *h, struct xy__agent *agent)
{
	unsigned bits;

	xy__tasks_clear(&h->before, agent);
	if (h->writer)
		xy__tasks_add(&h->before, h->writer, 0);
	for (unsigned i = 0; i < h->group.count; i++)
		xy__tasks_add(&h->before, xy__tasks_at(&h->group, i, &bits), 0);
	for (unsigned i = 0; i < h->readers.count; i++)
		xy__tasks_add(&h->before, xy__tasks_at(&h->readers, i, &bits), XY__EDGE_ORDER);
	h->writer = NULL;
	h->group.count = h->readers.count = 0; /* the references moved */
	h->commuting = true;
}

static void group_close(struct xy_handle *h, struct xy__agent *agent)
{
	xy__tasks_clear(&h->before, agent);
	xy__tasks_clear(&h->group, agent);
	xy__tasks_clear(&h->readers, agent);
	if (h->writer)
		xy__task_unref(h->writer, agent);
	h->commuting = false;
}

static void group_wait(struct registration *r, struct xy_handle *h, unsigned mode)
{
	unsigned kind = mode == XY_W ? XY__EDGE_ORDER : 0;

	if (joins(h, mode)) {
		registration_wait_all(r, &h->before, 0);
		return;
	}
	if (mode != XY_W || !h->readers.count) {
		registration_wait_all(r, &h->group, kind);
		if (h->writer)
			registration_wait(r, h->writer, kind);
	}
	if (mode & XY_W)
		registration_wait_all(r, &h->readers, XY__EDGE_ORDER);
}

static void group_access(struct registration *r, struct xy_handle *h, unsigned mode)
{
	group_wait(r, h, mode);
	r->references++;
	if (!(mode & XY_W)) {
		xy__tasks_add(&h->readers, r->task, 0);
	} else if (mode & XY_COMMUTE) {
		if (!joins(h, mode))
			group_open(h, r->agent);
		xy__tasks_add(&h->group, r->task, 0);
	} else {
		group_close(h, r->agent);
		h->writer = r->task;
	}
}

static bool group_reserve(struct xy_handle *h, unsigned mode, struct xy__agent *agent)
{
	if (!(mode & XY_W))
		return xy__tasks_reserve(&h->readers, 1, false, agent);
	if (!(mode & XY_COMMUTE))
		return true;
	/* A new group needs room for all that was before it, and any group for one more member. */
	return xy__tasks_reserve(&h->group, 1, true, agent) &&
	       (joins(h, mode) ||
		xy__tasks_reserve(&h->before, h->group.count + h->readers.count + 1, true, agent));
}

/* --- all accesses of a task --- */

static inline bool is_plain(const struct xy_handle *h, unsigned mode)
{
	return !h->commuting && !(mode & XY_COMMUTE);
}

/* The most edges that an access needs, or UINT_MAX without memory for its lists. */
static inline unsigned access_prepare(struct xy_handle *h, unsigned mode, struct xy__agent *agent)
{
	if (!is_plain(h, mode))
		return group_reserve(h, mode, agent) ? h->group.count + h->before.count + h->readers.count + 1
						     : UINT_MAX;
	if (mode & XY_W)
		return h->readers.count + 1;
	if (h->readers.count == h->readers.capacity && !xy__tasks_reserve(&h->readers, 1, false, agent))
		return UINT_MAX;
	return 1;
}

static bool tasks_marked(const struct xy__tasks *list, uint32_t mark)
{
	unsigned bits;

	for (unsigned i = 0; i < list->count; i++)
		if (xy__graph_is_marked(xy__tasks_at(list, i, &bits), mark))
			return true;
	return false;
}

static bool handle_marked(const struct xy_handle *h, uint32_t mark)
{
	return (h->writer && xy__graph_is_marked(h->writer, mark)) || tasks_marked(&h->readers, mark) ||
	       tasks_marked(&h->group, mark) || tasks_marked(&h->before, mark);
}

/* Looks whether somebody whom the task would wait for waits for it. All its handles are locked, so that
 * whoever is in their lists hangs on its predecessors already. */
static int registration_find_cycle(struct registration *r, const uintptr_t *accesses, unsigned n)
{
	struct xy_runtime *rt = r->agent->runtime;
	int error = xy__graph_mark(rt, r->task);

	for (unsigned i = 0; i < n && !error; i++)
		if (handle_marked(xy__access_handle(accesses[i]), rt->graph_mark))
			error = -ELOOP;
	return error;
}

/* Everything that can fail. */
static int registration_prepare(struct registration *r, const uintptr_t *accesses, unsigned n)
{
	unsigned edges = 0;

	for (unsigned i = 0; i < n; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);
		unsigned most = access_prepare(h, xy__access_mode(accesses[i]), r->agent);

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
	int error = registration_prepare(r, accesses, n);

	if (!error && (r->task->flags & XY__TASK_KEPT) && xy__graph_has_successors(r->task))
		error = registration_find_cycle(r, accesses, n);
	if (error)
		return error;
	xy__task_open(r->task);
	for (unsigned i = 0; i < n; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);
		unsigned mode = xy__access_mode(accesses[i]);

		if (!is_plain(h, mode))
			group_access(r, h, mode);
		else if (mode & XY_W)
			plain_write(r, h, mode);
		else
			plain_read(r, h);
	}
	/* Nobody else changes it before the submission ends, unless the task has run before. */
	if (r->task->flags & XY__TASK_KEPT)
		atomic_fetch_add_explicit(&r->task->references, r->references, memory_order_relaxed);
	else
		atomic_store_explicit(&r->task->references, 1 + r->references, memory_order_relaxed);
	return 0;
}

/* Sorted by handle, one entry for each handle with the union of its modes. */
static unsigned sort_accesses(uintptr_t *sorted, const uintptr_t *accesses, unsigned n)
{
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++) {
		uintptr_t a = accesses[i];
		unsigned at = count;

		if (a & XY__MODE_UNORDERED)
			continue;
		while (at > 0 && (sorted[at - 1] | XY__MODE_BITS) > (a | XY__MODE_BITS))
			at--;
		if (at > 0 && xy__access_handle(sorted[at - 1]) == xy__access_handle(a)) {
			/* Commuting only if every access of the handle does. */
			sorted[at - 1] = ((sorted[at - 1] | a) & ~(uintptr_t)XY_COMMUTE) |
					 (sorted[at - 1] & a & XY_COMMUTE);
			continue;
		}
		for (unsigned j = count; j > at; j--)
			sorted[j] = sorted[j - 1];
		sorted[at] = a;
		count++;
	}
	return count;
}

/* Accesses that give no dependency are only counted. */
static void note_unordered(struct xy_task *task)
{
	uintptr_t *accesses = xy__task_accesses(task);

	task->flags &= (uint16_t)~XY__TASK_UNORDERED;
	for (unsigned i = 0; i < task->naccesses; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);

		accesses[i] &= ~(uintptr_t)XY__MODE_UNORDERED;
		if (!(accesses[i] & XY_SCRATCH) && atomic_load_explicit(&h->sequential, memory_order_relaxed))
			continue;
		accesses[i] |= XY__MODE_UNORDERED;
		task->flags |= XY__TASK_UNORDERED;
		atomic_fetch_add_explicit(&h->unordered, 1, memory_order_relaxed);
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
	r.count = r.references = 0;
	r.nseen = 0;
	note_unordered(task);
	n = sort_accesses(sorted, xy__task_accesses(task), task->naccesses);
	for (unsigned i = 0; i < n; i++)
		xy__lock_take(&xy__access_handle(sorted[i])->lock);
	error = registration_run(&r, sorted, n);
	for (unsigned i = n; i-- > 0;)
		xy__lock_drop(&xy__access_handle(sorted[i])->lock);
	if (sorted != few)
		free(sorted);
	if (error && (task->flags & XY__TASK_UNORDERED))
		xy__deps_drop_unordered(task);
	*count = r.count;
	return error;
}
