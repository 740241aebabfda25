/* SPDX-License-Identifier: MIT */
/*
 * Waiting for the runtime: until no task is left, until there is room for more, with a timeout. Each agent counts, and
 * the waiting thread adds up; workers notify waiters when they run out of tasks, and now and then while tasks end.
 */
#include "core/data/transfer.h"
#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
#include "core/runtime/fork.h"
#include "core/runtime/rest.h"
#include "core/runtime/runtime.h"
#include "core/runtime/wait.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { ROOM_YIELDS = 64 }; /* about what going to sleep and waking up take */

double xy_now(const struct xy_runtime *rt)
{
	return rt ? rt->engine->now(rt) : xy__now();
}

bool xy_is_simulated(const struct xy_runtime *rt)
{
	return rt && rt->engine->is_simulated;
}

void xy__wait_news(struct xy_runtime *rt)
{
	xy__fence(); /* the news was stored before; pairs with the fence in threads_wait_until */
	if (!atomic_load_explicit(&rt->waiters, memory_order_relaxed))
		return;
	atomic_fetch_add(&rt->news, 1);
	xy__futex_wake(&rt->news, INT32_MAX);
}

/* How many tasks a thread may run before it looks whether it still has to wait. None on machines with several memory
 * nodes, where a worker looks after transfers, and where tasks want certain workers. */
static unsigned wait_runs(const struct xy_runtime *rt, unsigned most)
{
	if (!rt->settings.help || rt->memory.nnodes > 1 || atomic_load(&((struct xy_runtime *)rt)->workers_differ))
		return 0;
	return most;
}

/* Waits until the condition holds; false when the time is over. The worker that runs out of tasks, and
 * one that has ended many, brings news. */
static bool wait_until(struct xy_runtime *rt, bool (*holds)(void *rt), double seconds, unsigned runs)
{
	const struct xy__condition condition = { .holds = holds, .arg = rt, .word = &rt->news, .runs = runs };
	bool done;

	atomic_fetch_add(&rt->waiters, 1);
	done = rt->engine->wait_until(rt, &condition, seconds);
	atomic_fetch_sub(&rt->waiters, 1);
	return done;
}

static bool no_task_left(void *arg)
{
	struct xy_runtime *rt = arg;

	if (rt->engine->live(rt) == 0)
		return true;
	if (atomic_load(&rt->audits) && rt->engine->at_rest(rt))
		xy__rest_is_final(rt);
	return false;
}

static bool room_again(void *arg)
{
	struct xy_runtime *rt = arg;

	return rt->engine->live(rt) <= rt->settings.window / 2 || rt->engine->at_rest(rt);
}

static bool no_task_moves(void *arg)
{
	struct xy_runtime *rt = arg;

	if (rt->engine->live(rt) == 0)
		return true;
	return rt->engine->at_rest(rt) && xy__rest_is_final(rt);
}

void xy__wait_room(struct xy_runtime *rt)
{
	if (rt->engine->live(rt) < rt->settings.window)
		return;
	/* A wake-up costs more than the time in which small tasks make room: let the workers have the core,
	 * and look again, before sleeping. */
	for (unsigned i = 0; i < ROOM_YIELDS; i++) {
		sched_yield();
		if (rt->engine->live(rt) < rt->settings.window - rt->settings.window / 4)
			return;
	}
	atomic_fetch_add(&rt->room_waiters, 1);
	wait_until(rt, room_again, -1, wait_runs(rt, rt->settings.window / 2));
	atomic_fetch_sub(&rt->room_waiters, 1);
}

void xy__wait_progress(struct xy_runtime *rt)
{
	/* A waiter missed here is notified by the next worker that passes or runs out of tasks. */
	if (atomic_load_explicit(&rt->room_waiters, memory_order_relaxed) &&
	    rt->engine->live(rt) <= rt->settings.window / 2)
		xy__wait_news(rt);
}

void xy__wait_settle(struct xy_runtime *rt)
{
	wait_until(rt, no_task_moves, -1, 0);
}

void xy__wait_fail(struct xy_runtime *rt, const struct xy_task *task, int status, const char *reason)
{
	xy__lock_take(&rt->error_lock);
	if (!rt->error) {
		rt->error = status;
		snprintf(rt->error_text, sizeof rt->error_text, "task '%s' (number %llu) %s: %s (%d)",
			 xy_task_name(task), xy_task_number(task), status == -ECANCELED ? "was cancelled" : "failed",
			 reason       ? reason
			 : status < 0 ? strerror(-status)
				      : "error of its own",
			 status);
	}
	xy__lock_drop(&rt->error_lock);
}

void xy__wait_broken(struct xy_runtime *rt, const char *line)
{
	xy__lock_take(&rt->error_lock);
	if (!rt->error) {
		rt->error = -EPROTO;
		snprintf(rt->error_text, sizeof rt->error_text, "%s", line);
	}
	xy__lock_drop(&rt->error_lock);
}

int xy_wait_for(struct xy_runtime *rt, double seconds)
{
	int error;

	if (!rt) {
		xy__log(NULL, "xy_wait: no runtime (stopped, or never started)");
		return -EINVAL;
	}
	if (xy__fork_is_child(rt))
		return xy__fork_refuse(rt, "xy_wait");
	if (xy__agent_inside(rt)) {
		xy__log(&rt->settings.log, "xy_wait: a codelet or callback can't wait for its own runtime");
		return -EDEADLK;
	}
	if (!wait_until(rt, no_task_left, seconds > 0 ? seconds : 0,
			seconds < XY__FOREVER_S ? 0 : wait_runs(rt, UINT_MAX)))
		return -ETIMEDOUT;
	xy__lock_take(&rt->error_lock);
	error = rt->error;
	memcpy(rt->last_error, error ? rt->error_text : "", error ? sizeof rt->last_error : 1);
	rt->error = 0;
	xy__lock_drop(&rt->error_lock);
	return error;
}

int xy_wait(struct xy_runtime *rt)
{
	return xy_wait_for(rt, XY__FOREVER_S);
}

const char *xy_error(const struct xy_runtime *rt)
{
	return rt ? rt->last_error : "";
}
