/* SPDX-License-Identifier: MIT */
/*
 * Dependencies. A task counts the predecessors that have not ended; each of them has it in its list of
 * successors. The counter is biased while the task is being submitted, so that it reaches 0 once.
 * Ends follow from ends (a cancelled task ends without running) in a loop, never by recursion.
 */
#include "core/deps.h"

#include <errno.h>
#include <stdlib.h>

#include "core/data/handle.h"


enum { FEW_ACCESSES = 16, SEEN = 8 };

/* --- building --- */

static struct xy__edge *deps_edge(struct xy_task *task, struct xy__agent *agent)
{
	if (task->nedges < XY__TASK_EDGES)
		return &task->edges[task->nedges++];
	if (!task->edge_room && !xy__pool_add_edges(&agent->pool, task))
		return NULL;
	return &task->more_edges->edges[--task->edge_room];
}

/* A predecessor has failed: a task is cancelled, the application is told why. */
static void deps_follow(struct xy_task *task, int status, uintptr_t kind)
{
	if (!status || (kind & XY__EDGE_ORDER))
		return;
	atomic_store_explicit(&task->status, kind & XY__EDGE_ACQUIRE ? status : -ECANCELED, memory_order_relaxed);
}

int xy__deps_after(struct xy_task *task, struct xy_task *before, unsigned kind, struct xy__agent *agent)
{
	struct xy__edge *edge;

	if (before == task)
		return 0;
	edge = deps_edge(task, agent);
	if (!edge)
		return -ENOMEM;
	if (task->flags & XY__TASK_ACQUIRE)
		kind |= XY__EDGE_ACQUIRE;
	atomic_store_explicit(&edge->target, (uintptr_t)task | kind, memory_order_relaxed);
	if (xy__successors_add(&before->successors, edge))
		return 1;
	deps_follow(task, atomic_load_explicit(&before->status, memory_order_relaxed), kind);
	return 0;
}

/* One registration under way: the accesses in the order of the handles' addresses, the same handle
 * only once, and the last predecessors, as neighbours often share them. */
struct registration {
	struct xy_task *task;
	struct xy__agent *agent;
	uint64_t mark;               /* not 0: tasks that carry it wait for this one already */
	int count;                   /* predecessors that have not ended */
	struct xy__access *accesses;
	unsigned naccesses, nseen;
	uintptr_t seen[SEEN];
};

static void registration_wait(struct registration *r, struct xy_task *before, unsigned kind)
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

static bool tasks_marked(const struct xy__tasks *list, uint64_t mark)
{
	unsigned bits;

	for (unsigned i = 0; i < list->count; i++)
		if (xy__tasks_at(list, i, &bits)->arrival == mark)
			return true;
	return false;
}

static bool joins(const struct xy_handle *h, unsigned mode)
{
	return (mode & XY_COMMUTE) && h->commuting && !h->readers.count;
}

/* Whom an access waits for. Reading what a failed task should have written fails as well; writing
 * over it, or after those who read it, is only a matter of order. */
static void registration_access(struct registration *r, struct xy_handle *h, unsigned mode)
{
	if (joins(h, mode)) {
		registration_wait_all(r, &h->before, 0);
		return;
	}
	if (mode != XY_W || !h->readers.count)
		registration_wait_all(r, &h->writers, mode == XY_W ? XY__EDGE_ORDER : 0);
	if (mode & XY_W)
		registration_wait_all(r, &h->readers, XY__EDGE_ORDER);
}

static bool access_reserve(struct xy_handle *h, unsigned mode, struct xy__agent *agent)
{
	if (!(mode & XY_W))
		return xy__tasks_reserve(&h->readers, 1, false, agent);
	if (joins(h, mode))
		return xy__tasks_reserve(&h->writers, 1, true, agent);
	if (mode & XY_COMMUTE)
		return xy__tasks_reserve(&h->before, h->writers.count + h->readers.count, true, agent);
	return true;
}

/* Opens a commuting group: what was before it is what each of its members waits for. */
static void access_open_group(struct xy_handle *h, struct xy__agent *agent)
{
	unsigned bits;

	xy__tasks_clear(&h->before, agent);
	for (unsigned i = 0; i < h->writers.count; i++)
		xy__tasks_add(&h->before, xy__tasks_at(&h->writers, i, &bits), 0);
	for (unsigned i = 0; i < h->readers.count; i++)
		xy__tasks_add(&h->before, xy__tasks_at(&h->readers, i, &bits), XY__EDGE_ORDER);
	h->writers.count = h->readers.count = 0; /* the references moved */
	h->commuting = true;
}

/* From now on others may have to wait for this task. */
static void access_enter(struct xy_handle *h, unsigned mode, struct xy_task *task, struct xy__agent *agent)
{
	/* Nobody else changes it before the submission ends, unless the task has run before. */
	if (task->flags & XY__TASK_KEPT)
		atomic_fetch_add_explicit(&task->references, 1, memory_order_relaxed);
	else
		atomic_store_explicit(&task->references,
				      atomic_load_explicit(&task->references, memory_order_relaxed) + 1,
				      memory_order_relaxed);
	if (!(mode & XY_W)) {
		xy__tasks_add(&h->readers, task, 0);
		return;
	}
	if (mode & XY_COMMUTE) {
		if (!joins(h, mode))
			access_open_group(h, agent);
	} else {
		xy__tasks_clear(&h->before, agent);
		xy__tasks_clear(&h->writers, agent);
		xy__tasks_clear(&h->readers, agent);
		h->commuting = false;
	}
	xy__tasks_add(&h->writers, task, 0);
}

/* Sorted by handle, one entry for each handle with the union of its modes. */
static unsigned sort_accesses(struct xy__access *sorted, const struct xy__access *accesses, unsigned n)
{
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++) {
		struct xy__access a = accesses[i];
		unsigned at = count;

		if (a.mode & XY__MODE_UNORDERED)
			continue;
		while (at > 0 && sorted[at - 1].handle > a.handle)
			at--;
		if (at > 0 && sorted[at - 1].handle == a.handle) {
			/* Commuting only if every access of the handle does. */
			unsigned commute = sorted[at - 1].mode & a.mode & XY_COMMUTE;

			sorted[at - 1].mode = ((sorted[at - 1].mode | a.mode) & XY_RW) | commute;
			continue;
		}
		for (unsigned j = count; j > at; j--)
			sorted[j] = sorted[j - 1];
		sorted[at] = a;
		count++;
	}
	return count;
}

/* Everything that can fail comes first: what has been hung on a predecessor can't be taken back. */
static int registration_prepare(struct registration *r)
{
	unsigned edges = 0;

	for (unsigned i = 0; i < r->naccesses; i++) {
		struct xy_handle *h = r->accesses[i].handle;

		if (!access_reserve(h, r->accesses[i].mode, r->agent))
			return -ENOMEM;
		edges += h->writers.count + h->readers.count + h->before.count;
		if (r->mark && (tasks_marked(&h->writers, r->mark) || tasks_marked(&h->readers, r->mark) ||
				tasks_marked(&h->before, r->mark)))
			return -ELOOP;
	}
	if (edges > (unsigned)XY__TASK_EDGES - r->task->nedges + r->task->edge_room &&
	    !xy__pool_reserve_edges(&r->agent->pool, edges))
		return -ENOMEM;
	return 0;
}

/* Accesses that give no dependency are only counted. */
static void note_unordered(struct xy_task *task)
{
	struct xy__access *accesses = xy__task_accesses(task);

	task->flags &= (uint8_t)~XY__TASK_UNORDERED;
	for (unsigned i = 0; i < task->naccesses; i++) {
		accesses[i].mode &= ~(unsigned)XY__MODE_UNORDERED;
		if (!(accesses[i].mode & XY_SCRATCH) &&
		    atomic_load_explicit(&accesses[i].handle->sequential, memory_order_relaxed))
			continue;
		accesses[i].mode |= XY__MODE_UNORDERED;
		task->flags |= XY__TASK_UNORDERED;
		atomic_fetch_add_explicit(&accesses[i].handle->unordered, 1, memory_order_relaxed);
	}
}

static void drop_unordered(struct xy_task *task)
{
	struct xy__access *accesses = xy__task_accesses(task);

	for (unsigned i = 0; i < task->naccesses; i++)
		if (accesses[i].mode & XY__MODE_UNORDERED)
			xy__handle_unused(accesses[i].handle);
}

static int register_locked(struct registration *r)
{
	int error = registration_prepare(r);

	if (error)
		return error;
	xy__task_open(r->task);
	for (unsigned i = 0; i < r->naccesses; i++)
		registration_access(r, r->accesses[i].handle, r->accesses[i].mode);
	for (unsigned i = 0; i < r->naccesses; i++)
		access_enter(r->accesses[i].handle, r->accesses[i].mode, r->task, r->agent);
	return 0;
}

int xy__deps_register(struct xy_task *task, uint64_t mark, int *count, struct xy__agent *agent)
{
	struct xy__access few[FEW_ACCESSES], *sorted = few;
	struct registration r = { .task = task, .agent = agent, .mark = mark };
	int error;

	if (task->naccesses > FEW_ACCESSES) {
		sorted = malloc(task->naccesses * sizeof *sorted);
		if (!sorted)
			return -ENOMEM;
	}
	note_unordered(task);
	r.accesses = sorted;
	r.naccesses = sort_accesses(sorted, xy__task_accesses(task), task->naccesses);
	for (unsigned i = 0; i < r.naccesses; i++)
		xy__lock_take(&sorted[i].handle->lock);
	error = register_locked(&r);
	for (unsigned i = r.naccesses; i-- > 0;)
		xy__lock_drop(&sorted[i].handle->lock);
	if (sorted != few)
		free(sorted);
	if (error && (task->flags & XY__TASK_UNORDERED))
		drop_unordered(task);
	*count = r.count;
	return error;
}

/* --- ending --- */

static void endings_add(struct xy__endings *endings, struct xy_task *task)
{
	task->next = NULL;
	if (endings->first)
		endings->last->next = task;
	else
		endings->first = task;
	endings->last = task;
}

/* The application has got its data. Inside a callback it is told later, so that callbacks don't nest. */
static void deps_acquired(struct xy_task *task, struct xy__endings *endings, struct xy__agent *agent)
{
	if (agent->endings)
		endings_add(endings, task);
	else
		xy__acquire_ready(task, 0, endings, agent);
}

/* All predecessors have ended. */
static void deps_ready(struct xy_task *task, struct xy__endings *endings, struct xy__agent *agent)
{
	int status = atomic_load_explicit(&task->status, memory_order_relaxed);

	if (status || !(xy__task_codelet(task) || (task->flags & XY__TASK_ACQUIRE))) {
		endings_add(endings, task);
		return;
	}
	if ((task->flags & XY__TASK_COMMUTES) && !xy__commute_take(task))
		return;
	if (task->flags & XY__TASK_ACQUIRE)
		deps_acquired(task, endings, agent);
	else
		xy__inbox_put(agent->runtime, task, agent);
}

static void deps_tell_successors(struct xy__edge *edge, int status, struct xy__endings *endings,
				 struct xy__agent *agent)
{
	while (edge) {
		struct xy__edge *next = atomic_load_explicit(&edge->next, memory_order_relaxed);
		uintptr_t target = atomic_load_explicit(&edge->target, memory_order_relaxed);
		struct xy_task *successor = (struct xy_task *)(target & ~(uintptr_t)XY__EDGE_BITS);

		if (target & XY__EDGE_WAITER) {
			struct xy__waiter *waiter = (struct xy__waiter *)successor;

			atomic_store(&waiter->done, 1);
			xy__futex_wake(&waiter->done, 1);
			xy__waiter_unref(waiter, agent);
		} else {
			deps_follow(successor, status, target);
			/* acq_rel: what each predecessor did happens before the successor runs */
			if (atomic_fetch_sub_explicit(&successor->missing, 1, memory_order_acq_rel) == 1)
				deps_ready(successor, endings, agent);
		}
		edge = next;
	}
}

/* Tasks that waited for a commuting handle which was given back. */
static void deps_try_commuters(struct xy_task *task, struct xy__endings *endings, struct xy__agent *agent)
{
	while (task) {
		struct xy_task *next = task->next;

		if (xy__commute_take(task)) {
			if (task->flags & XY__TASK_ACQUIRE)
				deps_acquired(task, endings, agent);
			else
				xy__inbox_put(agent->runtime, task, agent);
		}
		task = next;
	}
}

static void deps_end_one(struct xy_task *task, int status, struct xy__endings *endings, struct xy__agent *agent)
{
	struct xy_task *again = NULL;
	struct xy__edge *edge;
	bool counted = !(task->flags & XY__TASK_UNCOUNTED);

	if (status) {
		atomic_store_explicit(&task->status, status, memory_order_relaxed);
		if (counted)
			xy__runtime_fail(agent->runtime, task, status);
	}
	if (task->callback)
		xy__call_back(agent, endings, task->callback, task->callback_arg, status);
	if (task->flags & XY__TASK_TAKEN)
		again = xy__commute_drop(task);
	if (task->flags & XY__TASK_UNORDERED)
		drop_unordered(task);
	xy__task_set_state(task, XY__TASK_ENDED);
	/* From here on a task that the user keeps may be submitted again: only its references are touched. */
	edge = xy__successors_close(&task->successors);
	if (edge)
		deps_tell_successors(edge, status, endings, agent);
	if (again)
		deps_try_commuters(again, endings, agent);
	if (counted)
		xy__agent_add(&agent->ended);
	xy__task_unref(task, agent);
}

static void deps_end_all(struct xy__endings *endings, struct xy__agent *agent)
{
	while (endings->first) {
		struct xy_task *task = endings->first;
		int status = atomic_load_explicit(&task->status, memory_order_relaxed);

		endings->first = task->next;
		if ((task->flags & XY__TASK_ACQUIRE) && atomic_load(&task->state) != XY__TASK_HELD) {
			xy__acquire_ready(task, status, endings, agent);
			if (!status)
				continue;
		}
		deps_end_one(task, status, endings, agent);
	}
}

void xy__deps_tell(struct xy__edge *edges, struct xy__agent *agent)
{
	struct xy__endings endings;

	endings.first = NULL;
	deps_tell_successors(edges, 0, &endings, agent);
	if (endings.first) {
		deps_end_all(&endings, agent);
		xy__runtime_news(agent->runtime);
	}
}

void xy__deps_release(struct xy_task *task, struct xy__agent *agent)
{
	if (agent->endings)
		endings_add(agent->endings, task);
	else
		xy__deps_end(task, 0, agent);
}

void xy__deps_end(struct xy_task *task, int status, struct xy__agent *agent)
{
	struct xy__endings endings;

	endings.first = NULL;
	deps_end_one(task, status, &endings, agent);
	if (endings.first) {
		deps_end_all(&endings, agent);
		xy__runtime_news(agent->runtime);
	}
}

void xy__deps_submitted(struct xy_task *task, int count, struct xy__agent *agent)
{
	struct xy__endings endings = { NULL, NULL };

	/* acq_rel: pairs with the decrement in deps_tell_successors */
	if (count && atomic_fetch_add_explicit(&task->missing, count - XY__SUBMITTING,
					       memory_order_acq_rel) != XY__SUBMITTING - count)
		return;
	deps_ready(task, agent->endings ? agent->endings : &endings, agent);
	if (endings.first) {
		deps_end_all(&endings, agent);
		xy__runtime_news(agent->runtime);
	}
}

void xy__waiter_unref(struct xy__waiter *waiter, struct xy__agent *agent)
{
	if (atomic_fetch_sub(&waiter->references, 1) == 1)
		xy__pool_give_block(&agent->pool, (struct xy__edge_block *)waiter);
}

void xy__task_free(struct xy_task *task, struct xy__agent *agent)
{
	free(task->extra->workers);
	free(task->extra->argument);
	free(task->extra->accesses);
	free(task->extra->buffers);
	free(task->extra);
	task->extra = NULL;
	xy__pool_give(&agent->pool, task);
}
