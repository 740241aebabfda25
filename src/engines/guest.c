/* SPDX-License-Identifier: MIT */
/*
 * Threads of the application that work while they wait: see guest.h.
 */
#include "engines/guest.h"

#include "core/runtime/agent.h"
#include "core/runtime/children.h"
#include "core/runtime/runtime.h"
#include "core/runtime/search.h"
#include "core/runtime/wait.h"
#include "engines/threads.h"

/* --- the worker's own thread --- */

void xy__guest_offer(struct xy__worker *worker)
{
	atomic_store(&worker->tenant, XY__TENANT_NONE);
}

bool xy__guest_end(struct xy__worker *worker)
{
	int tenant = XY__TENANT_NONE;

	if (atomic_compare_exchange_strong(&worker->tenant, &tenant, XY__TENANT_OWN))
		return true;
	while (tenant != XY__TENANT_NONE) {
		if (tenant == XY__TENANT_GUEST)
			atomic_compare_exchange_strong(&worker->tenant, &tenant, XY__TENANT_AWAITED);
		else
			xy__futex_wait(&worker->tenant, XY__TENANT_AWAITED, -1);
		tenant = atomic_load(&worker->tenant);
	}
	return false;
}

/* --- the guest --- */

/* Whether its tasks can run in any thread: nothing is pinned to it, and none of them waits inside. */
static bool guest_is_welcome(struct xy__worker *worker)
{
	return worker->arch == XY_CPU && !worker->member && !atomic_load(&worker->choosy) &&
	       !atomic_load(&worker->waits);
}

static void guest_give_back(struct xy__worker *worker)
{
	if (atomic_exchange(&worker->tenant, XY__TENANT_NONE) == XY__TENANT_AWAITED)
		xy__futex_wake(&worker->tenant, 1);
}

/* Takes the place of a worker that rests, and looks for tasks from then on; NULL if there is none. */
static struct xy__worker *guest_enter(struct xy_runtime *rt)
{
	for (unsigned i = 0; i < rt->nworkers; i++) {
		struct xy__worker *worker = &rt->workers[i];
		int tenant = XY__TENANT_NONE, asleep = XY__ASLEEP;

		if (atomic_load(&worker->tenant) != XY__TENANT_NONE ||
		    !atomic_compare_exchange_strong(&worker->tenant, &tenant, XY__TENANT_GUEST))
			continue;
		if (!guest_is_welcome(worker)) {
			guest_give_back(worker);
			continue;
		}
		atomic_fetch_sub(&rt->resting, 1);
		if (atomic_compare_exchange_strong(&worker->state, &asleep, XY__LOOKING)) {
			atomic_fetch_add(&worker->context->searchers, 1);
			atomic_fetch_sub(&worker->context->sleepers, 1);
		}
		worker->agent.outer = xy__agent_current;
		xy__agent_current = &worker->agent;
		return worker;
	}
	return NULL;
}

/* The worker's own thread goes on: asleep, as it was announced, or looking. */
static void guest_leave(struct xy__worker *worker, bool asleep)
{
	xy__agent_current = worker->agent.outer;
	worker->agent.outer = NULL;
	atomic_fetch_add(&worker->sleeps, 1); /* before it rests: see threads_at_rest */
	atomic_fetch_add(&worker->agent.runtime->resting, 1);
	guest_give_back(worker);
	if (!asleep)
		xy__futex_wake(&worker->state, 1);
}

/* Whether the worker has to go to another context, or to end: that is for its own thread. */
static bool guest_is_called_off(const struct xy_runtime *rt)
{
	return atomic_load(&((struct xy_runtime *)rt)->halted) || atomic_load(&((struct xy_runtime *)rt)->stopping);
}

/* Runs the task and those after it. Before and afterwards, the worker looks for tasks. False: it must not go on. */
static bool guest_work(struct xy__worker *worker, struct xy_task *task, unsigned *most)
{
	struct xy_runtime *rt = worker->agent.runtime;
	bool goes_on = true;

	xy__search_found(worker);
	while (task && goes_on) {
		if (task->flags & XY__TASK_NESTED) { /* it may wait inside, in the worker's own thread */
			xy__children_set_aside(worker, task);
			goes_on = false;
		} else {
			xy__worker_do(worker, task);
			goes_on = --*most && !guest_is_called_off(rt);
		}
		task = goes_on ? xy__search_try(worker) : NULL;
	}
	atomic_fetch_add(&worker->context->searchers, 1);
	atomic_store(&worker->state, XY__LOOKING);
	xy_agent_offer_to_itself(&worker->agent.base);
	return goes_on;
}

bool xy__guest_run(struct xy_runtime *rt, unsigned most)
{
	struct xy__worker *worker = atomic_load(&rt->resting) ? guest_enter(rt) : NULL;
	struct xy_task *task;
	bool asleep = false, any = false, goes_on;

	if (!worker)
		return false;
	xy_agent_offer_to_itself(&worker->agent.base);
	do {
		goes_on = !guest_is_called_off(rt);
		task = goes_on ? xy__search_try(worker) : NULL;
		if (goes_on && !task)
			asleep = xy__threads_announce(worker, &task);
		if (task) {
			any = true;
			goes_on = guest_work(worker, task, &most);
		}
	} while (goes_on && !asleep);
	guest_leave(worker, asleep);
	if (any)
		xy__wait_news(rt);
	return any;
}
