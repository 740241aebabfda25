/* SPDX-License-Identifier: MIT */
/*
 * Waiting for the runtime: until no task is left, until there is room for more, with a time limit.
 * Counts are kept per agent and summed by whoever waits; workers tell waiters to look when they
 * run out of tasks, and now and then while tasks end.
 */
#include "core/runtime/runtime.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { ROOM_YIELDS = 64 };   /* about what going to sleep and waking up take */

uint64_t xy__runtime_live(struct xy_runtime *rt)
{
	uint64_t ended = 0, submitted = 0;
	unsigned nworkers = rt->nworkers;

	if (rt->sim) {
		submitted = (uint64_t)xy__sim_live(rt);
		nworkers = 0;
	}

	/* Ended before submitted: what ended was submitted before, so equal sums mean that there was a
	 * moment without tasks. acquire: pairs with the release in xy__agent_add. */
	for (unsigned i = 0; i < nworkers; i++)
		ended += atomic_load_explicit(&rt->workers[i].agent.ended, memory_order_acquire);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		ended += atomic_load_explicit(&rt->applications[i].ended, memory_order_acquire);
	for (unsigned i = 0; i < nworkers; i++)
		submitted += atomic_load_explicit(&rt->workers[i].agent.submitted, memory_order_acquire);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		submitted += atomic_load_explicit(&rt->applications[i].submitted, memory_order_acquire);
	return submitted - ended;
}

static uint64_t runtime_sleeps(struct xy_runtime *rt)
{
	uint64_t sleeps = 0;

	for (unsigned i = 0; i < rt->nworkers; i++)
		sleeps += atomic_load(&rt->workers[i].sleeps);
	return sleeps;
}

double xy_now(const struct xy_runtime *rt)
{
	return rt && rt->sim ? xy__sim_now_us(rt) * 1e-6 : xy__now();
}

bool xy_is_simulated(const struct xy_runtime *rt)
{
	return rt && rt->sim;
}

/* All workers rest before and after the look at their states, and none fell asleep anew: so none got up in
 * between, and at that moment none had been woken. The count of sleepers can't tell that: workers are in it
 * before their last look, in which they may find a task, and after they have been woken. */
bool xy__runtime_at_rest(struct xy_runtime *rt)
{
	uint64_t sleeps;

	if (rt->sim)
		return xy__sim_at_rest(rt);
	sleeps = runtime_sleeps(rt);
	if (atomic_load(&rt->resting) != rt->nworkers || xy__ring_has(&rt->inbox) ||
	    xy__transfers_underway(&rt->memory))
		return false;
	for (unsigned i = 0; i < rt->nworkers; i++)
		if (atomic_load(&rt->workers[i].state) != XY__ASLEEP)
			return false;
	return atomic_load(&rt->resting) == rt->nworkers && runtime_sleeps(rt) == sleeps;
}

void xy__runtime_news(struct xy_runtime *rt)
{
	xy__fence(); /* what is new was stored before; pairs with the fence in wait_until */
	if (!atomic_load_explicit(&rt->waiters, memory_order_relaxed))
		return;
	atomic_fetch_add(&rt->news, 1);
	xy__futex_wake(&rt->news, INT32_MAX);
}

struct condition {
	struct xy_runtime *rt;
	bool (*holds)(struct xy_runtime *rt);
};

static bool condition_holds(void *arg)
{
	const struct condition *condition = arg;

	return condition->holds(condition->rt);
}

/* Waits until the condition holds; false when the time is over. The worker that runs out of tasks, and
 * one that has ended many, brings news. */
static bool wait_until(struct xy_runtime *rt, bool (*holds)(struct xy_runtime *), double seconds)
{
	double end;
	bool done;

	if (rt->sim)
		return xy__sim_until(rt, condition_holds, &(struct condition){ rt, holds }, seconds);
	end = seconds < 0 ? 0 : xy__now() + seconds;
	atomic_fetch_add(&rt->waiters, 1);
	for (;;) {
		int news = atomic_load(&rt->news);
		double left = -1;

		xy__fence(); /* pairs with the fence in xy__runtime_news */
		done = holds(rt);
		if (done)
			break;
		if (seconds >= 0 && (left = end - xy__now()) <= 0)
			break;
		xy__futex_wait(&rt->news, news, left);
	}
	atomic_fetch_sub(&rt->waiters, 1);
	return done;
}

static bool no_task_left(struct xy_runtime *rt)
{
	return xy__runtime_live(rt) == 0;
}

static bool room_again(struct xy_runtime *rt)
{
	return xy__runtime_live(rt) <= rt->settings.window / 2 || xy__runtime_at_rest(rt);
}

static bool no_task_moves(struct xy_runtime *rt)
{
	return xy__runtime_live(rt) == 0 || xy__runtime_at_rest(rt);
}

void xy__runtime_room(struct xy_runtime *rt)
{
	if (xy__runtime_live(rt) < rt->settings.window)
		return;
	/* A wake-up costs more than the time in which small tasks make room: let the workers have the core,
	 * and look again, before sleeping. */
	for (unsigned i = 0; i < ROOM_YIELDS && !rt->sim; i++) {
		sched_yield();
		if (xy__runtime_live(rt) < rt->settings.window - rt->settings.window / 4)
			return;
	}
	atomic_fetch_add(&rt->room_waiters, 1);
	wait_until(rt, room_again, -1);
	atomic_fetch_sub(&rt->room_waiters, 1);
}

void xy__runtime_progress(struct xy_runtime *rt)
{
	/* A waiter that is not seen here is told by the next worker that comes by or runs out of tasks. */
	if (atomic_load_explicit(&rt->room_waiters, memory_order_relaxed) &&
	    xy__runtime_live(rt) <= rt->settings.window / 2)
		xy__runtime_news(rt);
}

void xy__runtime_settle(struct xy_runtime *rt)
{
	wait_until(rt, no_task_moves, -1);
}

void xy__runtime_fail(struct xy_runtime *rt, const struct xy_task *task, int status, const char *reason)
{
	xy__lock_take(&rt->error_lock);
	if (!rt->error) {
		rt->error = status;
		snprintf(rt->error_text, sizeof rt->error_text, "task '%s' (number %llu) %s: %s (%d)",
			 xy_task_name(task), xy_task_number(task),
			 status == -ECANCELED ? "was cancelled" : "failed",
			 reason ? reason : status < 0 ? strerror(-status) : "error of its own", status);
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
	if (xy__inside(rt)) {
		xy__log(&rt->settings.log, "xy_wait: a codelet or callback can't wait for its own runtime");
		return -EDEADLK;
	}
	if (!wait_until(rt, no_task_left, seconds > 0 ? seconds : 0))
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
