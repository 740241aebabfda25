/* SPDX-License-Identifier: MIT */
/*
 * From submission to the tree. A worker that makes a task ready pushes it into the tree at once. An application thread
 * puts it into the inbox, and a worker that looks for a task first moves the inbox into the tree; only if a worker
 * sleeps and none is looking does the application do that itself. So a burst of submissions costs neither locks nor
 * wake-ups, and no task waits while a worker sleeps.
 */
#include "core/data/prefetch.h"
#include "core/runtime/agent.h"
#include "core/runtime/deps.h"
#include "core/runtime/division.h"
#include "core/runtime/inbox.h"
#include "core/runtime/runtime.h"

enum { BATCH = 32, MOST = 256 }; /* tasks moved under one lock, and in one go */

/* No worker of its context can run the task: it waits for one to come. */
static void inbox_hold(struct xy_runtime *rt, struct xy_task *task)
{
	xy__lock_take(&rt->inbox_lock);
	task->next = rt->unserved;
	rt->unserved = task;
	atomic_fetch_add_explicit(&rt->nunserved, 1, memory_order_relaxed);
	xy__lock_drop(&rt->inbox_lock);
}

/* Pushes a task into the tree of its context. What a worker of another one offers is not for itself. */
static bool inbox_route(struct xy_runtime *rt, struct xy_task *task, struct xy__agent *agent)
{
	struct xy_context *context = xy__inbox_context(rt, task);
	struct xy_agent *by = &agent->base;
	unsigned archs = by->archs;
	bool taken, itself;

	if (!context->root || !xy__task_can_run_alive_below(task, context->root)) {
		if (!xy__deps_give_up(task, agent))
			inbox_hold(rt, task);
		return true;
	}
	if (by->worker < 0 || rt->workers[by->worker].context == context)
		return xy_push(context->root, task, by);
	by->archs = 0;
	itself = xy_agent_offer_to_others(by);
	taken = xy_push(context->root, task, by);
	by->archs = archs;
	if (itself)
		xy_agent_offer_to_itself(by);
	return taken;
}

/* A tree that keeps its rules refuses nothing at the root but what can't run any more; a task refused by one that
 * doesn't is kept. */
void xy__inbox_push(struct xy_runtime *rt, struct xy_task *task, struct xy__agent *agent)
{
	bool routed = __builtin_expect(rt->routed, 0);

	if ((routed ? inbox_route(rt, task, agent) : xy_push(rt->main.root, task, &agent->base)) ||
	    xy__deps_give_up(task, agent))
		return;
	xy__lock_take(&rt->inbox_lock);
	if (!rt->stranded)
		xy__log(&rt->settings.log, "the root component '%s' refused task '%s'; it will be tried again",
			xy__inbox_context(rt, task)->root->ops->name, xy_task_name(task));
	task->next = rt->stranded;
	rt->stranded = task;
	atomic_fetch_or_explicit(&rt->inbox_state, XY__INBOX_STRANDED, memory_order_relaxed);
	xy__lock_drop(&rt->inbox_lock);
}

void xy__inbox_take_back(struct xy__tree_engine *engine, struct xy_task *task, struct xy_agent *by)
{
	struct xy_runtime *rt = xy__runtime_of(engine);

	if (task->flags & XY__TASK_WANTED)
		xy__task_unwant(task);
	if (xy__task_part(task))
		xy__division_return(task, (struct xy__agent *)by);
	xy__inbox_push(rt, task, (struct xy__agent *)by);
}

/* Tries the refused ones again, in the order in which they were refused. */
static void inbox_retry(struct xy_runtime *rt, struct xy__agent *agent)
{
	struct xy__endings endings = { NULL, NULL };
	struct xy_task *task, *first = NULL;
	bool defers = !agent->endings;

	xy__lock_take(&rt->inbox_lock);
	task = rt->stranded;
	rt->stranded = NULL;
	atomic_fetch_and_explicit(&rt->inbox_state, (unsigned char)~XY__INBOX_STRANDED, memory_order_relaxed);
	xy__lock_drop(&rt->inbox_lock);
	while (task) {
		struct xy_task *next = task->next;

		task->next = first;
		first = task;
		task = next;
	}
	if (defers)
		agent->endings = &endings;
	while (first) {
		struct xy_task *next = first->next;

		xy__inbox_push(rt, first, agent);
		first = next;
	}
	if (defers)
		agent->endings = NULL;
	xy__deps_end_list(&endings, agent);
}

bool xy__inbox_urgent_anywhere(struct xy_runtime *rt)
{
	for (unsigned i = 0; i < rt->ncontexts; i++)
		if (xy__inbox_urgent(rt->contexts[i]))
			return true;
	return false;
}

/*
 * Gives a batch to the tree. Tasks that end meanwhile do so afterwards: a callback must not see the runtime with tasks
 * in its hands.
 */
static void inbox_push_all(struct xy_runtime *rt, struct xy_task **tasks, unsigned n, struct xy__agent *agent)
{
	unsigned taken = rt->routed ? 0 : (unsigned)xy_push_many(rt->main.root, tasks, n, &agent->base);
	struct xy__endings endings = { NULL, NULL };
	bool defers = taken < n && !agent->endings;

	if (defers)
		agent->endings = &endings;
	for (unsigned i = taken; i < n; i++)
		xy__inbox_push(rt, tasks[i], agent);
	if (defers)
		agent->endings = NULL;
	xy__deps_end_list(&endings, agent);
}

/* Moves some tasks. False: there are none, or another thread has the lock. */
static inline bool inbox_move(struct xy_runtime *rt, struct xy__agent *agent, unsigned *moved)
{
	struct xy_task *tasks[BATCH];
	size_t head;
	unsigned n = 0;

	if (!xy__ring_has(&rt->inbox) || !xy__lock_try(&rt->inbox_lock))
		return false;
	head = xy__ring_head(&rt->inbox);
	while (n < BATCH && (tasks[n] = xy__ring_look(&rt->inbox, head + n))) {
		/* Another core has just written it: fetch the batch at once, not one by one. */
		__builtin_prefetch(tasks[n], 1);
		__builtin_prefetch((char *)tasks[n] + 64, 1);
		n++;
	}
	xy__ring_took(&rt->inbox, head + n);
	xy__lock_drop(&rt->inbox_lock);
	inbox_push_all(rt, tasks, n, agent);
	*moved += n;
	/* pairs with the fence in xy__inbox_put: a thread that failed to get the lock has put before */
	xy__fence();
	return true;
}

/* Moves everything, and waits for a thread that does: the most urgent task may be what it moves. */
static void inbox_move_all(struct xy_runtime *rt, struct xy__agent *agent)
{
	bool outermost = !agent->moves; /* a task that can't run any more ends, and its callback may submit others */
	bool defers = !agent->endings;  /* which is called without the lock: it may be halted */
	struct xy__endings endings = { NULL, NULL };
	unsigned moved = 0;

	if (defers)
		agent->endings = &endings;
	if (outermost) {
		xy__lock_take(&rt->order_lock);
		agent->moves = true;
		atomic_fetch_or(&rt->inbox_state, XY__INBOX_MOVING);
	}
	while (inbox_move(rt, agent, &moved))
		;
	if (outermost) {
		atomic_fetch_and(&rt->inbox_state, (unsigned char)~XY__INBOX_MOVING);
		agent->moves = false;
		xy__lock_drop(&rt->order_lock);
	}
	if (defers)
		agent->endings = NULL;
	xy__deps_end_list(&endings, agent);
}

void xy__inbox_drain(struct xy_runtime *rt, struct xy__agent *agent)
{
	unsigned state = atomic_load_explicit(&rt->inbox_state, memory_order_relaxed), moved = 0;

	if (__builtin_expect(state, 0)) {
		if (state & XY__INBOX_STRANDED)
			inbox_retry(rt, agent);
		if (state & XY__INBOX_ORDERED) {
			inbox_move_all(rt, agent);
			return;
		}
	}
	/* Tasks left here are left to a searcher, or to workers that are all awake. */
	while ((moved < MOST || xy__inbox_urgent_anywhere(rt)) && inbox_move(rt, agent, &moved))
		;
}
