/* SPDX-License-Identifier: MIT */
/*
 * How a worker looks for a task: it takes what the tree gives, and offers what it leaves to others. All engines use
 * this; how long a worker looks, and how it sleeps, is for the engine to say.
 */
#include "core/runtime/search.h"

#include "components/worker.h"
#include "core/data/prefetch.h"
#include "core/runtime/agent.h"
#include "core/runtime/children.h"
#include "core/runtime/deps.h"
#include "core/runtime/engine.h"
#include "core/runtime/inbox.h"
#include "core/runtime/notes.h"
#include "core/runtime/runtime.h"
#include "core/runtime/team.h"
#include "core/tree/offer.h"

/* A task that was cancelled ends here. */
static __attribute__((noinline)) bool search_skip(struct xy__worker *worker, struct xy_task *task)
{
	int status = atomic_load_explicit(&task->status, memory_order_relaxed);

	if (!status)
		return false;
	if (task->flags & XY__TASK_WANTED)
		xy__task_unwant(task);
	if (worker->agent.runtime->notes_runs)
		xy__notes_unused(worker, task, status, worker->context->epoch);
	xy__deps_end(task, status, &worker->agent);
	return true;
}

static inline __attribute__((always_inline)) struct xy_task *search_pull(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy_task *task;

	/* A leaf and its worker are one: no dispatcher is between them, so this counts. */
	do {
		task = xy__worker_pull(worker->leaf, &worker->agent.base);
		if (!task)
			return NULL;
		/* At once: a task that is ready counts as one that rests in the tree. */
		xy__task_set_state(task, XY__TASK_RUNNING);
		xy__agent_count(&worker->leaf->shards[worker->agent.base.shard].pulled, &worker->agent);
	} while (__builtin_expect(rt->skips, 0) && search_skip(worker, task));
	return task;
}

/* A worker inside a task that waits for its children sets nested tasks aside, unless that task needs them. All others
 * take those first. */
static __attribute__((noinline)) struct xy_task *search_choose(struct xy__worker *worker)
{
	const struct xy_task *waits = atomic_load_explicit(&worker->waits, memory_order_relaxed);
	struct xy_task *task = waits ? NULL : xy__children_take_aside(worker);

	while (!task) {
		task = worker->member ? xy__team_take(worker) : search_pull(worker);
		if (!task || !waits || !(task->flags & XY__TASK_NESTED) || xy__children_descends(task, waits))
			break;
		xy__children_set_aside(worker, task);
		task = NULL;
	}
	return task;
}

static inline __attribute__((always_inline)) struct xy_task *search_take(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;

	if (xy__inbox_has(rt))
		xy__inbox_drain(rt, &worker->agent);
	/* relaxed: a worker that takes a nested task sees what the submitter stored before */
	if (atomic_load_explicit(&worker->choosy, memory_order_relaxed))
		return search_choose(worker);
	return search_pull(worker);
}

struct xy_task *xy__search_take(struct xy__worker *worker)
{
	return search_take(worker);
}

/*
 * Some offers were kept because this worker was about to take a task. It has one now: the rest is offered to other
 * workers.
 */
void xy__search_offer_rest(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	const struct xy_offer mine = { .archs = worker->agent.base.archs };
	const struct xy_offer anything = { .archs = XY_ON_ALL | XY_ON_TEAM };
	bool differ = atomic_load_explicit(&rt->workers_differ, memory_order_relaxed);

	if (!xy__any_worker_sleeps(&worker->context->engine))
		return;
	if (xy__inbox_has(rt))
		xy__inbox_drain(rt, &worker->agent);
	for (unsigned i = 0; i < worker->nabove; i++) {
		struct xy_component *reservoir = worker->above[i];
		size_t peak;

		if (!reservoir->ops->depth(reservoir, &peak))
			continue;
		if (differ && reservoir->ops->each_task)
			xy__offer_stored(reservoir, &worker->agent.base);
		else if (!xy_can_pull_children(reservoir, &mine, &worker->agent.base))
			xy_can_pull_children(reservoir, &anything, &worker->agent.base);
	}
}

void xy__search_found(struct xy__worker *worker)
{
	xy_agent_offer_to_others(&worker->agent.base);
	atomic_store(&worker->state, XY__AWAKE);
	atomic_fetch_sub(&worker->context->searchers, 1);
	xy__fence(); /* pairs with the fence of a thread that stored a task and saw this searcher */
	xy__search_offer_rest(worker);
}

/*
 * For a CPU, the task it kept an offer for is as good as the one it takes: the workers notified of the one can run the
 * other. A device may keep several offers before it takes a task.
 */
static bool search_takes_as_offered(const struct xy__worker *worker, const struct xy_task *task)
{
	return worker->arch == XY_CPU && !task->constrained && !(task->archs & ~worker->agent.base.offered) &&
	       !worker->agent.runtime->branches;
}

/* It has this task. If it kept an offer of another one, that is for others. */
static inline void search_offer_others(struct xy__worker *worker, const struct xy_task *task)
{
	struct xy_runtime *rt = worker->agent.runtime;

	if (worker->agent.base.for_others && atomic_load_explicit(&rt->workers_differ, memory_order_relaxed) &&
	    !search_takes_as_offered(worker, task))
		xy__search_offer_rest(worker);
}

static struct xy_task *search_try(struct xy__worker *worker)
{
	struct xy_task *task = search_take(worker);

	if (task)
		search_offer_others(worker, task);
	return task;
}

struct xy_task *xy__search_try(struct xy__worker *worker)
{
	return search_try(worker);
}

struct xy_task *xy__search_settle(struct xy__worker *worker, struct xy_task *task)
{
	if (worker->agent.runtime->skips && search_skip(worker, task))
		return NULL;
	search_offer_others(worker, task);
	return task;
}

struct xy_task *xy__search_next(struct xy__worker *worker)
{
	struct xy_task *task = search_try(worker);

	return task ? task : worker->agent.runtime->engine->idle(worker);
}
