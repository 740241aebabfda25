/* SPDX-License-Identifier: MIT */
/*
 * The engine in real time: a thread for each worker, bound to its core. A worker that finds nothing keeps looking for
 * a short while, announces sleep, looks once more, and sleeps. A thread that stores a task looks for sleepers
 * afterwards. Both have a fence in between, so one of them sees the other. doc/sleeping.md explains it, tests/models
 * and tests/relacy check it.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "components/worker.h"
#include "core/data/memory.h"
#include "core/data/prefetch.h"
#include "core/data/transfer.h"
#include "core/machine/machine.h"
#include "core/runtime/agent.h"
#include "core/runtime/children.h"
#include "core/runtime/deps.h"
#include "core/runtime/engine.h"
#include "core/runtime/fork.h"
#include "core/runtime/halt.h"
#include "core/runtime/inbox.h"
#include "core/runtime/notes.h"
#include "core/runtime/runtime.h"
#include "core/runtime/search.h"
#include "core/runtime/team_threads.h"
#include "core/runtime/bus_measure.h"
#include "core/runtime/wait.h"
#include "core/runtime/watchdog.h"
#include "core/runtime/worker.h"
#include "engines/engines.h"
#include "engines/guest.h"
#include "engines/rehearsal.h"
#include "engines/threads.h"
#include "engines/timer.h"

enum { LOOK_SPINS = 64, LOOK_YIELDS = 40, MOST_SHARDS = 64 };
enum { PAUSE_SPINS = 64, PAUSE_YIELDS = 256, PAUSE_NS = 20000 };

#define BRIEF_S 100e-6
#define LOOK_AGAIN_S 0.005 /* how long a transfer that a worker began may have to wait for a look */

static enum xy__wake threads_wake(struct xy__tree_engine *engine, unsigned id)
{
	struct xy_runtime *rt = xy__runtime_of(engine);
	struct xy__worker *worker = &rt->workers[id];
	int state = atomic_load(&worker->state);

	if (state != XY__ASLEEP)
		return state == XY__LOOKING ? XY__WAKE_LOOKING : XY__WAKE_BUSY;
	if (!atomic_compare_exchange_strong(&worker->state, &state, XY__LOOKING))
		return state == XY__LOOKING ? XY__WAKE_LOOKING : XY__WAKE_BUSY;
	/* On behalf of the sleeper, so that the next offer sees a searcher. */
	atomic_fetch_add(&worker->context->searchers, 1);
	atomic_fetch_sub(&worker->context->sleepers, 1);
	xy__futex_wake(&worker->state, 1);
	return XY__WAKE_WOKEN;
}

/* Looks for a while; the worker counts as a searcher. */
static struct xy_task *threads_look(struct xy__worker *worker)
{
	struct xy_task *task;

	for (unsigned i = 0; i < LOOK_SPINS + LOOK_YIELDS && !xy__children_have_ended(worker); i++) {
		task = xy__search_take(worker);
		if (task)
			return task;
		xy__transfers_poll(worker->agent.runtime, &worker->agent);
		if (i < LOOK_SPINS)
			xy__pause();
		else
			sched_yield();
	}
	return NULL;
}

/* How long a worker may sleep without another look: briefly while there are transfers to poll. */
static double threads_patience(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;

	if (xy__transfers_underway(&rt->memory))
		return BRIEF_S;
	/* What was set aside may be needed by a task that is submitted meanwhile. */
	return atomic_load(&worker->waits) && atomic_load(&rt->naside) ? LOOK_AGAIN_S : -1;
}

/* The worker looks, unless it was woken, and so does already. */
static void threads_get_up(struct xy__worker *worker)
{
	int asleep = XY__ASLEEP;

	if (!atomic_compare_exchange_strong(&worker->state, &asleep, XY__LOOKING))
		return;
	atomic_fetch_add(&worker->context->searchers, 1);
	atomic_fetch_sub(&worker->context->sleepers, 1);
}

/* Until it is woken, or has to look again. */
static void threads_rest(struct xy__worker *worker)
{
	double patience;

	xy__guest_offer(worker);
	do {
		patience = threads_patience(worker);
		if (atomic_load(&worker->state) == XY__ASLEEP)
			xy__futex_wait(&worker->state, XY__ASLEEP, patience);
	} while ((patience < 0 && atomic_load(&worker->state) == XY__ASLEEP) || !xy__guest_end(worker));
	threads_get_up(worker);
}

bool xy__threads_announce(struct xy__worker *worker, struct xy_task **task)
{
	struct xy_runtime *rt = worker->agent.runtime;

	xy__pool_flush(&worker->agent.pool);
	atomic_fetch_add(&worker->context->sleepers, 1);
	atomic_fetch_sub(&worker->context->searchers, 1);
	atomic_store(&worker->state, XY__ASLEEP);
	xy__fence(); /* pairs with the fence of the thread that stores a task */
	*task = xy__search_take(worker);
	if (!*task && !atomic_load(&rt->stopping) && !atomic_load(&rt->halted) && !xy__children_have_ended(worker))
		return true;
	threads_get_up(worker);
	return false;
}

/* Sleeps until woken, unless there is a task after all. Afterwards the worker looks again. */
static struct xy_task *threads_sleep(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy_task *task;

	if (!xy__threads_announce(worker, &task))
		return task;
	atomic_fetch_add(&worker->sleeps, 1); /* before it rests: see threads_at_rest */
	atomic_fetch_add(&rt->resting, 1);
	xy__wait_news(rt);
	threads_rest(worker);
	atomic_fetch_sub(&rt->resting, 1);
	return NULL;
}

/* The runtime may be halted; the worker does not look then, as it may come to another context. */
static void threads_pass(struct xy__worker *worker)
{
	if (!atomic_load(&worker->agent.runtime->halted))
		return;
	atomic_store(&worker->state, XY__AWAKE);
	atomic_fetch_sub(&worker->context->searchers, 1);
	xy__halt_pass(&worker->agent);
	atomic_fetch_add(&worker->context->searchers, 1);
	atomic_store(&worker->state, XY__LOOKING);
}

static struct xy_task *threads_idle(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy_task *task;

	atomic_fetch_add(&worker->context->searchers, 1);
	atomic_store(&worker->state, XY__LOOKING);
	xy_agent_offer_to_itself(&worker->agent.base);
	xy__wait_news(rt);
	do {
		threads_pass(worker);
		task = threads_look(worker);
		if (!task && !xy__children_have_ended(worker))
			task = threads_sleep(worker);
		/* Inside a task that waits, it is for that to say whether to look again. */
	} while (!task && !atomic_load(&rt->stopping) && !atomic_load_explicit(&worker->waits, memory_order_relaxed));
	xy__search_found(worker);
	return task;
}

/* A worker that is awake polls. */
static void threads_call(struct xy_runtime *rt, unsigned worker)
{
	threads_wake(&rt->main.engine, worker);
}

static void threads_entrust(struct xy_runtime *rt)
{
	for (unsigned i = 0; i < rt->nworkers; i++)
		if (atomic_load(&rt->workers[i].context->sleepers) &&
		    threads_wake(&rt->main.engine, i) != XY__WAKE_BUSY)
			return;
}

/* Transfers are polled. */
static void threads_arrived(struct xy_runtime *rt)
{
	(void)rt;
}

/* --- threads of the application --- */

static double threads_now(const struct xy_runtime *rt)
{
	(void)rt;
	return xy__now();
}

static void threads_pause(struct xy_runtime *rt, unsigned *rounds)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	unsigned n = (*rounds)++;

	(void)rt;
	if (n < PAUSE_SPINS)
		xy__pause();
	else if (n < PAUSE_YIELDS)
		sched_yield();
	else
		nanosleep(&pause, NULL);
}

/* Sleeps until the word changes, or looks after transfers if there are some. */
static void threads_help(struct xy_runtime *rt, _Atomic int *word, int value, unsigned *rounds)
{
	struct xy__agent *agent;
	bool any;

	if (!xy__transfers_underway(&rt->memory)) {
		xy__futex_wait(word, value, LOOK_AGAIN_S);
		*rounds = 0;
		return;
	}
	agent = xy__agent_enter(rt);
	any = xy__transfers_poll(rt, agent);
	xy__agent_leave(agent);
	if (any)
		*rounds = 0;
	else
		threads_pause(rt, rounds);
}

static bool threads_wait(struct xy_runtime *rt, const struct xy__condition *condition, double seconds)
{
	double end = seconds < 0 ? 0 : xy__now() + seconds, left = -1;
	unsigned rounds = 0;

	for (;;) {
		int value = atomic_load(condition->word);

		xy__fence(); /* pairs with the fence in xy__wait_news */
		if (condition->holds(condition->arg))
			return true;
		if (seconds >= 0 && (left = end - xy__now()) <= 0)
			return false;
		if (condition->runs && xy__guest_run(rt, condition->runs))
			continue;
		if (condition->helps && rt->memory.nnodes > 1)
			threads_help(rt, condition->word, value, &rounds);
		else
			xy__futex_wait(condition->word, value, left);
	}
}

/* The worker that is bound to the calling thread's processor; -1: none, or workers are not bound. */
static int threads_neighbour(struct xy__tree_engine *engine)
{
	const struct xy_runtime *rt = xy__runtime_of(engine);
	int pu = rt->settings.bind ? sched_getcpu() : -1;

	for (unsigned i = 0; pu >= 0 && i < rt->nworkers; i++)
		if (rt->workers[i].arch == XY_CPU && xy_machine_worker(rt->machine, i)->pu == pu)
			return (int)i;
	return -1;
}

/*
 * The calling thread is about to wait while a worker that was woken has not got up yet: its processor may be in deep
 * sleep, and this one is awake. So the worker that is bound to this one looks, too, and the first of the two takes the
 * task. A worker that rests although it is no sleeper any more has been woken.
 */
static void threads_lend(struct xy_runtime *rt)
{
	struct xy__agent *agent;
	int neighbour;

	if (atomic_load(&rt->resting) <= atomic_load(&rt->main.sleepers) || !atomic_load(&rt->main.sleepers))
		return;
	neighbour = threads_neighbour(&rt->main.engine);
	if (neighbour < 0 || atomic_load(&rt->workers[neighbour].state) != XY__ASLEEP)
		return;
	agent = xy__agent_enter(rt); /* only agents wake: no worker changes its context meanwhile */
	threads_wake(&rt->main.engine, (unsigned)neighbour);
	xy__agent_leave(agent);
}

static bool threads_wait_until(struct xy_runtime *rt, const struct xy__condition *condition, double seconds)
{
	bool done;

	if (!condition->runs)
		threads_lend(rt);
	if (seconds >= 0 || condition->holds(condition->arg))
		return threads_wait(rt, condition, seconds);
	atomic_fetch_add(&rt->waiting, 1);
	done = threads_wait(rt, condition, seconds);
	atomic_fetch_add(&rt->waits_ended, 1);
	atomic_fetch_sub(&rt->waiting, 1);
	return done;
}

static uint64_t threads_live(struct xy_runtime *rt)
{
	return xy__agent_live(rt, rt->nworkers);
}

static uint64_t threads_sleeps(struct xy_runtime *rt)
{
	uint64_t sleeps = 0;

	for (unsigned i = 0; i < rt->nworkers; i++)
		sleeps += atomic_load(&rt->workers[i].sleeps);
	return sleeps;
}

/* The lock keeps the trees. */
static bool threads_ticks_may_move(struct xy_runtime *rt)
{
	bool may = false;

	if (!atomic_load(&rt->ticks))
		return false;
	xy__lock_take(&rt->change_lock);
	for (unsigned k = 0; k < rt->ncontexts && !may; k++)
		may = rt->contexts[k]->tree && xy__ticks_may_move(rt->contexts[k]->tree);
	xy__lock_drop(&rt->change_lock);
	return may;
}

/* All workers rest before and after the look at their states, and none fell asleep anew: so none got up in
 * between, and at that moment none had been woken. The count of sleepers can't tell that: workers are in it
 * before their last look, in which they may find a task, and after they have been woken. */
static bool threads_at_rest(struct xy_runtime *rt)
{
	uint64_t sleeps;

	if (threads_ticks_may_move(rt))
		return false;
	sleeps = threads_sleeps(rt);
	if (atomic_load(&rt->resting) != rt->nworkers || xy__ring_has(&rt->inbox) ||
	    xy__transfers_underway(&rt->memory))
		return false;
	for (unsigned i = 0; i < rt->nworkers; i++)
		if (atomic_load(&rt->workers[i].state) != XY__ASLEEP)
			return false;
	return atomic_load(&rt->resting) == rt->nworkers && threads_sleeps(rt) == sleeps;
}

/* --- starting and stopping --- */

static bool threads_serves(const struct xy__settings *settings)
{
	return !*settings->sim;
}

/* Whether device workers want cores of their own, and there are none. */
static bool threads_crowd(const struct xy_runtime *rt, unsigned nworkers)
{
	const struct xy_worker_info *last = xy_machine_worker(rt->machine, nworkers - 1);

	return rt->settings.device_cores && rt->settings.bind && last->arch != XY_CPU && last->pu < 0 &&
	       nworkers > xy_machine_ncores(rt->machine);
}

static int threads_open(struct xy_runtime *rt)
{
	unsigned nworkers, ncpus = 0;
	int error;

	xy__watchdog_prepare();
	error = xy__drivers_machine(&rt->drivers, &rt->settings, &rt->machine);
	if (error)
		return error;
	nworkers = xy_machine_nworkers(rt->machine);
	for (unsigned i = 0; i < nworkers; i++)
		ncpus += xy_machine_worker(rt->machine, i)->arch == XY_CPU;
	if (!xy_machine_is_here(rt->machine)) {
		xy__log(&rt->settings.log, "the machine '%s' is not this computer: its trees can be shown, but not run",
			rt->settings.machine);
		return -ENODEV;
	}
	if (ncpus > xy_machine_ncores(rt->machine))
		xy__log(&rt->settings.log, "%u workers share %u cores: expect them to slow each other down", ncpus,
			xy_machine_ncores(rt->machine));
	else if (threads_crowd(rt, nworkers))
		xy__log(&rt->settings.log,
			"%u workers of CPUs and devices share %u cores: tasks on devices may start late. Fewer CPU "
			"workers (XYLEM_NCPU) leave cores to devices",
			nworkers, xy_machine_ncores(rt->machine));
	xy__fork_guard(rt);
	rt->nshards = nworkers + 1 < MOST_SHARDS ? nworkers + 1 : MOST_SHARDS;
	return xy__timer_create(rt);
}

/* The machine and the drivers are the runtime's. */
static void threads_close(struct xy_runtime *rt)
{
	xy__fork_unguard(rt);
	xy__timer_destroy(rt);
}

static void *threads_main(void *arg)
{
	struct xy__worker *worker = arg;
	struct xy_runtime *rt = worker->agent.runtime;
	char name[16];
	int error;

	snprintf(name, sizeof name, "xylem-%.9s", xy_machine_worker(rt->machine, worker->id)->name);
	pthread_setname_np(pthread_self(), name);
	error = rt->settings.bind ? xy__machine_bind(rt->machine, worker->id) : 0;
	if (error)
		xy__log(&rt->settings.log, "worker %u can't be bound to its core (error %d) and runs unbound",
			worker->id, error);
	if (worker->arch == XY_CPU)
		xy__team_threads_of_one();
	xy__agent_become(&worker->agent);
	xy__worker_run(worker);
	return NULL;
}

static int threads_start(struct xy_runtime *rt)
{
	sigset_t all, old;
	int error = 0;

	/* Signals are for the application's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (; rt->nthreads < rt->nworkers && !error; rt->nthreads += !error)
		error = pthread_create(&rt->workers[rt->nthreads].thread, NULL, threads_main,
				       &rt->workers[rt->nthreads]);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!error) {
		error = xy__timer_start(rt);
		return error ? error : xy__watchdog_start(rt);
	}
	xy__log(&rt->settings.log, "the thread of worker %s can't be created: %s",
		xy_machine_worker(rt->machine, rt->nthreads)->name, strerror(error));
	return -error;
}

static void threads_stop(struct xy_runtime *rt)
{
	xy__watchdog_stop(rt);
	xy__timer_stop(rt);
	xy__notes_stop(rt);
	for (unsigned i = 0; i < rt->nthreads; i++)
		threads_wake(&rt->main.engine, i);
	for (unsigned i = 0; i < rt->nthreads; i++)
		pthread_join(rt->workers[i].thread, NULL);
	rt->nthreads = 0;
}

const struct xy__engine_ops xy__threads_engine = {
	.name = "threads",
	.serves = threads_serves,
	.open = threads_open,
	.place = xy__memory_place,
	.bus = xy__bus_measure,
	.start = threads_start,
	.stop = threads_stop,
	.close = threads_close,
	.halt = xy__halt,
	.resume = xy__resume,
	.now = threads_now,
	.ticks = xy__timer_ticks,
	.wait_until = threads_wait_until,
	.pause = threads_pause,
	.drain = xy__inbox_drain,
	.live = threads_live,
	.at_rest = threads_at_rest,
	.idle = threads_idle,
	.wake = threads_wake,
	.neighbour = threads_neighbour,
	.rehearse = xy__rehearse,
	.alarm = xy__timer_alarm,
	.call = threads_call,
	.entrust = threads_entrust,
	.arrived = threads_arrived,
};
