/* SPDX-License-Identifier: MIT */
/*
 * The guard. It never judges a tree while a tick is due. While one of its workers runs a task, it judges only tasks
 * that rest in a queue from which an idle worker pulls without a decision in between: any other component may wait for
 * the end of what runs. Tasks are looked at while the runtime is halted.
 */
#include "core/runtime/guard.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
#include "core/runtime/inbox.h"
#include "core/runtime/probe.h"
#include "core/runtime/shown.h"
#include "core/runtime/stuck.h"
#include "core/runtime/worker.h"
#include "core/tree/lock.h"

#define GUARD_POLICY "tree-eager"
#define GUARD_PATIENCE_S 0.5 /* for a component to say what it holds */

enum { GUARD_TEXT = 512 };

/* --- whether a tree has stalled --- */

static uint64_t guard_ended(const struct xy_context *context)
{
	struct xy_runtime *rt = context->runtime;
	uint64_t ended = 0;

	for (unsigned i = 0; i < rt->nworkers; i++)
		ended += context->has[i] ? atomic_load(&rt->workers[i].agent.ended) : 0;
	return ended;
}

/* Notes which of its workers look for a task, or sleep; false if they are not those of the last look, or none. */
static bool guard_note_idle(struct xy_context *context)
{
	struct xy_runtime *rt = context->runtime;
	bool as_before = true, any = false;

	for (unsigned i = 0; i < rt->nworkers; i++) {
		bool idle = context->has[i] && atomic_load(&rt->workers[i].state) != XY__AWAKE &&
			    !atomic_load(&rt->workers[i].waits);

		as_before &= idle == context->idle[i];
		any |= idle;
		context->idle[i] = idle;
	}
	return as_before && any && context->tree;
}

/* Whether callers wait for a component's lock. If it is never dropped, no tree can replace theirs: trying says so. */
static bool guard_has_waiters(const struct xy_context *context)
{
	const char *verb;

	for (unsigned i = 0; context->tree && i < context->tree->ncomponents; i++)
		if (xy__stuck_holder(context->tree->components[i], &verb) != XY__LOCK_NOBODY)
			return true;
	return false;
}

/* Whether it has been so for long. A tick that is due later may change it; the next one after that does not count. */
static bool guard_is_late(struct xy_context *context)
{
	struct xy_runtime *rt = context->runtime;
	uint64_t ended = guard_ended(context);
	double now_s = xy_now(rt), due_s;

	if (!(guard_note_idle(context) || guard_has_waiters(context)) || ended != context->guard_ended ||
	    context->epoch != context->guard_epoch) {
		context->guard_ended = ended;
		context->guard_epoch = context->epoch;
		context->guard_until_s = 0;
		return false;
	}
	if (context->guard_until_s == 0) {
		due_s = xy__ticks_may_move(context->tree) ? xy__ticks_next_us(context->tree) * 1e-6 : 0;
		context->guard_until_s = fmax(now_s, isinf(due_s) ? 0 : due_s) + rt->settings.guard_s;
	}
	return now_s >= context->guard_until_s;
}

/* --- tasks that idle workers could run --- */

/* A ready task, and an idle worker of its context that could run it. */
struct guard_find {
	struct xy_context *context;
	struct xy__shown_list shown;      /* sorted by task; without any if all workers are idle */
	const struct xy_component *hides; /* the component in which tasks rest that are not shown; NULL: anywhere */
	bool found;
	unsigned worker;
	char name[64];
};

/* Whether a component may let tasks wait for the end of others although a worker below it is idle. */
static bool guard_may_wait(const struct xy_component *c)
{
	return c->ops->flags & (XY_DECIDES | XY_PREDICTS | XY_AWAITS | XY_CUTS) ||
	       !(~c->ops->flags & (XY_STORES | XY_MAPS)) || c->ops->started || c->ops->ended;
}

/* Whether pulls of a worker reach a component through others that let them pass. */
static bool guard_feeds(const struct xy_component *c, unsigned worker)
{
	if (c->ops->flags & XY_LEAF)
		return !c->nmembers && c->workers[0] == worker;
	for (unsigned i = 0; i < c->nchildren; i++) {
		const struct xy_component *child = c->children[i];

		if (!guard_may_wait(child) && !(child->ops->flags & XY_REFUSES) && guard_feeds(child, worker))
			return true;
	}
	return false;
}

/* Looks for an idle worker below the holder, NULL: anywhere. */
static void guard_judge(struct guard_find *find, const struct xy_component *holder, const struct xy_task *task)
{
	struct xy_context *context = find->context;

	for (unsigned i = 0; i < context->runtime->nworkers && !find->found; i++)
		if (context->idle[i] && xy_task_can_run(task, i) && (!holder || guard_feeds(holder, i))) {
			find->found = true;
			find->worker = i;
			snprintf(find->name, sizeof find->name, "%s", xy_task_name(task));
		}
}

static int guard_compare(const void *left, const void *right)
{
	const struct xy__shown *a = left, *b = right;

	return a->task < b->task ? -1 : a->task > b->task;
}

/* A task that no component shows. */
static void guard_see(void *arg, struct xy_task *task)
{
	const struct xy__shown key = { .task = task };
	struct guard_find *find = arg;

	if (atomic_load_explicit(&task->state, memory_order_relaxed) == XY__TASK_READY &&
	    xy__inbox_context(find->context->runtime, task) == find->context &&
	    !(find->shown.count && bsearch(&key, find->shown.at, find->shown.count, sizeof key, guard_compare)))
		guard_judge(find, find->hides, task);
}

static void guard_see_all(struct guard_find *find)
{
	struct xy_runtime *rt = find->context->runtime;

	for (unsigned i = 0; i < rt->nworkers && !find->found; i++)
		xy__pool_each(&rt->workers[i].agent.pool, guard_see, find);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS && !find->found; i++)
		xy__pool_each(&rt->applications[i].pool, guard_see, find);
}

/* While others run: what queues hold, and then what those hold that show nothing. */
static int guard_see_queues(struct guard_find *find)
{
	int error = xy__shown_list(find->context->runtime, find->context->tree, &find->shown);
	struct xy__shown_list *shown = &find->shown;

	for (size_t i = 0; i < shown->count && !find->found; i++)
		if (shown->at[i].task && !guard_may_wait(shown->at[i].component))
			guard_judge(find, shown->at[i].component, shown->at[i].task);
	if (shown->count)
		qsort(shown->at, shown->count, sizeof *shown->at, guard_compare);
	for (size_t i = 0; i < shown->count && !shown->at[i].task && !find->found; i++) {
		find->hides = shown->at[i].component;
		if (!guard_may_wait(find->hides))
			guard_see_all(find);
	}
	free(shown->at);
	return error;
}

static bool guard_all_idle(const struct xy_context *context)
{
	for (unsigned i = 0; i < context->runtime->nworkers; i++)
		if (context->has[i] && !context->idle[i])
			return false;
	return true;
}

/* 0, -EAGAIN if there is none, or why the tree can't be looked at, which is logged. */
static int guard_finds(struct guard_find *find)
{
	struct xy_runtime *rt = find->context->runtime;
	struct xy__agent *agent = xy__agent_enter(rt);
	int error = rt->engine->halt(rt, agent), halted = !error;

	if (halted && guard_all_idle(find->context))
		guard_see_all(find);
	else if (halted)
		error = guard_see_queues(find);
	if (halted)
		rt->engine->resume(rt, agent);
	xy__agent_leave(agent);
	return error ? error : find->found ? 0 : -EAGAIN;
}

/* --- which component holds the tasks --- */

static void guard_ask(struct xy_runtime *rt, void *subject, FILE *out)
{
	const struct xy_tree *tree = subject;
	bool any = false;

	(void)rt;
	for (unsigned i = 0; i < tree->ncomponents; i++) {
		struct xy_component *c = tree->components[i];
		size_t peak, depth = c->ops->depth ? c->ops->depth(c, &peak) : 0;

		if (!depth)
			continue;
		fprintf(out, "%s%s#%u holds %zu ready task%s", any ? ", " : "", c->ops->name, c->id, depth,
			depth == 1 ? "" : "s");
		any = true;
	}
}

/* Of components that show nothing: the one that took more than it gave away. */
static void guard_ask_counters(struct xy_runtime *rt, void *subject, FILE *out)
{
	const struct xy_tree *tree = subject;

	(void)rt;
	for (unsigned i = 0; i < tree->ncomponents; i++) {
		struct xy_counters own, below;
		unsigned long long given = 0;

		xy_component_counters(tree->components[i], &own);
		for (unsigned k = 0; k < tree->components[i]->nchildren; k++) {
			xy_component_counters(tree->components[i]->children[k], &below);
			given += below.pushed + below.pulled;
		}
		if (tree->components[i]->nchildren && own.pushed + own.pulled > given) {
			fprintf(out, "%s#%u has taken %llu tasks and given %llu away", tree->components[i]->ops->name,
				tree->components[i]->id, own.pushed + own.pulled, given);
			return;
		}
	}
}

static void guard_name_holders(const struct xy_context *context, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");
	int error;

	*text = '\0';
	if (!out)
		return;
	error = xy__probe(context->runtime, guard_ask, context->tree, GUARD_PATIENCE_S, out);
	if (error)
		fputs(error == -ETIMEDOUT ? "a component does not say what it holds"
					  : "no thread can ask the components what they hold",
		      out);
	else if (!ftell(out))
		xy__probe(context->runtime, guard_ask_counters, context->tree, GUARD_PATIENCE_S, out);
	if (!ftell(out))
		fprintf(out, "no component shows it");
	fclose(out);
	text[size - 1] = '\0';
}

/* --- replacing --- */

/* `since` says what has not happened. 0, -EAGAIN if the tree holds no task for its workers, or why it stays. */
static int guard_replace(struct xy_context *context, const char *since)
{
	struct guard_find find = { .context = context };
	struct xy_runtime *rt = context->runtime;
	char holders[GUARD_TEXT];
	int error;

	if (!context->tree || !strcmp(xy__runtime_policy(context), GUARD_POLICY))
		return -EAGAIN;
	error = guard_finds(&find);
	if (error)
		return error;
	guard_name_holders(context, holders, sizeof holders);
	xy__log(&rt->settings.log,
		"policy %s is replaced by " GUARD_POLICY ": %s although worker %s could run task '%s'; %s",
		xy__runtime_policy(context), since, xy_machine_worker(rt->machine, find.worker)->name, find.name,
		holders);
	return xy__context_replace(context, GUARD_POLICY);
}

void xy__guard_look(struct xy_runtime *rt)
{
	char since[64];

	/* A change has moved tasks just now; and stopping waits for this thread with the lock held. */
	if (rt->engine->live(rt) == 0 || !xy__lock_try(&rt->change_lock))
		return;
	snprintf(since, sizeof since, "nothing has moved for %g s", rt->settings.guard_s);
	for (unsigned k = 0; k < rt->ncontexts; k++)
		if (guard_is_late(rt->contexts[k])) {
			int error = guard_replace(rt->contexts[k], since);

			/* One that can't be replaced is not tried again until it moves. */
			rt->contexts[k]->guard_until_s = error && error != -EAGAIN ? INFINITY : 0;
		}
	xy__lock_drop(&rt->change_lock);
}

bool xy__guard_end_stall(struct xy_runtime *rt)
{
	bool any = false;

	if (!(rt->settings.guard_s > 0) || !xy__lock_try(&rt->change_lock))
		return false;
	for (unsigned k = 0; k < rt->ncontexts; k++) {
		memcpy(rt->contexts[k]->idle, rt->contexts[k]->has, rt->nworkers * sizeof(bool));
		any |= !guard_replace(rt->contexts[k], "nothing can happen any more");
	}
	xy__lock_drop(&rt->change_lock);
	return any;
}
