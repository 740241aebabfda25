/* SPDX-License-Identifier: MIT */
/*
 * Running parallel tasks. Invariant: a round starts when all members have joined, and the leader ends it before it
 * joins again. So when a round starts, no member is in the previous one.
 */
#include "components/worker.h"
#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
#include "core/runtime/halt.h"
#include "core/runtime/team.h"
#include "core/runtime/team_threads.h"
#include "core/runtime/worker.h"

#include <errno.h>
#include <limits.h>

enum { WAIT_SPINS = 64, WAIT_YIELDS = 40 };

/* Whether a word has reached a value; words only grow, and may wrap. */
static bool team_reached(_Atomic int *word, unsigned value)
{
	/* acquire: pairs with the release of the thread that raised it */
	return (int)((unsigned)atomic_load_explicit(word, memory_order_acquire) - value) >= 0;
}

static void team_raise(_Atomic int *word, unsigned value, int wake)
{
	/* release: pairs with the acquire in team_reached */
	atomic_store_explicit(word, (int)value, memory_order_release);
	if (wake)
		xy__futex_wake(word, wake);
}

/* Whether the tree was replaced while the worker waited for others to come. */
static bool team_is_aborted(const struct xy__team_place *place)
{
	/* acquire: pairs with the release in team_abort, after which `rounds` is constant */
	return atomic_load_explicit(&place->team->round->aborted, memory_order_acquire) &&
	       place->round == place->team->rounds;
}

/* Looks for a short while, then sleeps; until the word has the value, or the place is given up. */
static void team_wait(_Atomic int *word, unsigned value, const struct xy__team_place *place)
{
	for (unsigned i = 0; i < WAIT_SPINS + WAIT_YIELDS && !team_reached(word, value); i++) {
		if (i < WAIT_SPINS)
			xy__pause();
		else
			sched_yield();
	}
	while (!team_reached(word, value) && !team_is_aborted(place)) {
		int now = atomic_load_explicit(word, memory_order_relaxed);

		if ((int)((unsigned)now - value) < 0)
			xy__futex_wait(word, now, -1);
	}
}

/* --- leaving --- */

static void member_leave(struct xy__member *m)
{
	m->place.team = NULL;
	/* release: pairs with the acquire in xy__team_is_of */
	atomic_store_explicit(&m->joined, NULL, memory_order_release);
}

/* Members that have come let go: those that sleep are woken until they have; those with slots are called to look. */
static void team_abort(struct xy_runtime *rt, struct xy__team *team)
{
	struct xy__team_round *round = team->round;
	unsigned sleep = 0, rounds = 0;

	/* release: pairs with the acquire in team_is_aborted */
	atomic_store_explicit(&round->aborted, true, memory_order_release);
	for (unsigned i = 0; i < team->base.nmembers; i++) {
		if (team->arrived[i] && rt->workers[team->base.members[i]].slots)
			rt->engine->call(rt, team->base.members[i]);
		else
			sleep += team->arrived[i];
	}
	while (atomic_load(&round->let_go) < sleep) {
		xy__futex_wake(&round->told, INT_MAX);
		xy__futex_wake(&round->begun, INT_MAX);
		rt->engine->pause(rt, &rounds);
	}
}

void xy__team_abort(struct xy_runtime *rt, struct xy_tree *tree)
{
	for (unsigned i = 0; i < tree->root->nteams; i++)
		if (xy__team_of(tree->root->teams[i])->ticket)
			team_abort(rt, xy__team_of(tree->root->teams[i]));
}

bool xy__team_is_of(struct xy__worker *worker, const struct xy_tree *tree)
{
	/* acquire: pairs with the release in member_leave */
	struct xy__team *team = worker->membership
					? atomic_load_explicit(&worker->membership->joined, memory_order_acquire)
					: NULL;

	return team && team->base.tree == tree;
}

/* --- taking --- */

static struct xy_task *team_join(struct xy__worker *worker)
{
	struct xy__member *m = worker->member;

	if (!xy__team_join(m->teams, m->nteams, &m->place, &worker->agent.base))
		return NULL;
	m->own_first = true;
	atomic_store_explicit(&m->joined, m->place.team, memory_order_relaxed);
	if (m->place.last) /* it has left the tree */
		xy__task_set_state(m->place.task, XY__TASK_RUNNING);
	return m->place.task;
}

/* A task pushed to this worker meanwhile is not the one it is about to look for: its leaf has been asked. */
static struct xy_task *team_fetch(struct xy__worker *worker)
{
	struct xy__member *m = worker->member;
	bool itself = xy_agent_offer_to_others(&worker->agent.base), found = false;

	for (unsigned i = 0; i < m->nteams && !found; i++)
		found = xy__team_fetch(m->teams[i], &worker->agent.base);
	if (itself)
		xy_agent_offer_to_itself(&worker->agent.base);
	return team_join(worker);
}

struct xy_task *xy__team_take(struct xy__worker *worker)
{
	struct xy__member *m = worker->member;
	struct xy_task *task = m->own_first ? NULL : team_join(worker);

	if (task)
		return task;
	m->own_first = false;
	task = xy__worker_pull(worker->leaf, &worker->agent.base);
	if (task) {
		xy__task_set_state(task, XY__TASK_RUNNING);
		xy__agent_count(&worker->leaf->shards[worker->agent.base.shard].pulled, &worker->agent);
		return task;
	}
	task = team_join(worker);
	return task ? task : team_fetch(worker);
}

/* --- helping --- */

static void member_busy(struct xy__worker *worker, double begin)
{
	uint64_t ns = (uint64_t)((xy_now(worker->agent.runtime) - begin) * 1e9);

	atomic_store_explicit(&worker->busy_ns, atomic_load_explicit(&worker->busy_ns, memory_order_relaxed) + ns,
			      memory_order_relaxed);
}

/* A rank has returned: waiting for it at the barrier would never end. */
static void rank_left(struct xy__team_round *round)
{
	unsigned all = round->all_returned; /* once it has been counted the round may be over */

	atomic_fetch_or(&round->barrier, 1);
	xy__futex_wake(&round->barrier, INT_MAX);
	/* release: pairs with the acquire of the leader, which sees everything the rank did */
	if ((unsigned)atomic_fetch_add_explicit(&round->returned, 1, memory_order_release) + 1 == all)
		xy__futex_wake(&round->returned, 1);
}

static void member_run_rank(struct xy__worker *worker)
{
	struct xy__team_place *place = &worker->member->place;
	struct xy__team_round *round = place->team->round;
	struct xy_call call = *round->call;
	bool profile = worker->agent.runtime->settings.profile;
	double begin = profile ? xy__now() : 0;

	call.worker = worker->id;
	call.rank = place->rank;
	xy_agent_offer_to_others(&worker->agent.base); /* for the codelet's submissions */
	round->statuses[place->rank] = xy__worker_call(worker, round->function, &call);
	if (profile)
		member_busy(worker, begin);
	rank_left(round);
}

/* Waits outside the runtime, as others may be in a codelet for long. False if the tree was replaced before all came. */
static bool member_wait(struct xy__worker *worker, _Atomic int *word, unsigned value)
{
	const struct xy__team_place *place = &worker->member->place;
	bool aborted;

	xy__halt_leave(&worker->agent, XY__DOING_WAITS);
	team_wait(word, value, place);
	aborted = team_is_aborted(place);
	if (aborted)
		atomic_fetch_add(&place->team->round->let_go, 1);
	xy__halt_enter(&worker->agent, 0);
	return !aborted;
}

static void member_help(struct xy__worker *worker)
{
	struct xy__team_place *place = &worker->member->place;
	struct xy__team_round *round = place->team->round;
	bool profile = worker->agent.runtime->settings.profile;

	if (!member_wait(worker, &round->told, 2 * place->round + 1))
		return;
	if (!team_reached(&round->told, 2 * place->round + 2))
		member_run_rank(worker);
	else if (profile && round->begin > 0)
		member_busy(worker, round->begin);
}

/* The implementation that a component chose may be one that some member must not use. */
static void team_choose(const struct xy__team *team, struct xy_task *task)
{
	unsigned i = 0;

	while (i < team->base.nmembers && xy_task_can_run_with(task, team->base.members[i], task->implementation))
		i++;
	if (i < team->base.nmembers)
		task->implementation = (uint8_t)xy__task_team_implementation(task, &team->base);
}

bool xy__team_leads(struct xy__worker *worker)
{
	struct xy__team_place *place = &worker->member->place;
	struct xy__team *team = place->team;

	if (!team)
		return true;
	if (place->last)
		team_raise(&team->round->begun, place->round + 1, place->rank ? 1 : 0);
	if (place->rank) {
		member_help(worker);
		member_leave(worker->member);
		return false;
	}
	if (!member_wait(worker, &team->round->begun, place->round + 1)) {
		member_leave(worker->member);
		return false;
	}
	team->round->begin = 0;
	if (place->task->constrained)
		team_choose(team, place->task);
	return true;
}

/* --- leading --- */

static int team_spmd(struct xy__worker *worker, xy_function *function, struct xy_call *call)
{
	struct xy__team_place *place = &worker->member->place;
	struct xy__team_round *round = place->team->round;
	int status = 0;

	round->call = call;
	round->function = function;
	round->all_returned = (unsigned)atomic_load_explicit(&round->returned, memory_order_relaxed) + call->nranks;
	atomic_store_explicit(&round->waiting, 0, memory_order_relaxed);
	atomic_fetch_and_explicit(&round->barrier, ~1, memory_order_relaxed);
	team_raise(&round->told, 2 * place->round + 1, INT_MAX);
	round->statuses[0] = xy__worker_call(worker, function, call);
	rank_left(round);
	member_wait(worker, &round->returned, round->all_returned);
	for (unsigned i = 0; i < call->nranks && !status; i++)
		status = round->statuses[i];
	return status;
}

static int team_fork_join(struct xy__worker *worker, xy_function *function, struct xy_call *call)
{
	struct xy__team *team = worker->member->place.team;
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy__team_threads_before before = xy__team_threads_of_team(team);
	int status;

	if (rt->settings.profile)
		team->round->begin = xy__now();
	status = xy__worker_call(worker, function, call);
	xy__team_threads_put_back(team, &before);
	return status;
}

int xy__team_call(struct xy__worker *worker, xy_function *function, struct xy_call *call)
{
	struct xy__team *team = worker->member->place.team;

	if (!team)
		return xy__worker_call(worker, function, call);
	call->nranks = team->base.nmembers;
	if (xy__task_codelet(call->task)->parallel == XY_SPMD)
		return team_spmd(worker, function, call);
	return team_fork_join(worker, function, call);
}

void xy__team_end(struct xy__worker *worker)
{
	struct xy__team_place *place = worker->member ? &worker->member->place : NULL;

	if (!place || !place->team)
		return;
	team_raise(&place->team->round->told, 2 * place->round + 2, INT_MAX);
	member_leave(worker->member);
}

/* --- without threads --- */

bool xy__team_is_joined(const struct xy__worker *worker)
{
	return worker->member && worker->member->place.team;
}

bool xy__team_is_led_by(const struct xy__worker *worker)
{
	return xy__team_is_joined(worker) && !worker->member->place.rank;
}

bool xy__team_is_complete(const struct xy__worker *worker)
{
	const struct xy__team_place *place = &worker->member->place;

	return place->team->rounds != place->round;
}

struct xy_task *xy__team_begin(struct xy__worker *worker)
{
	struct xy__team_place *place = &worker->member->place;

	place->team->round->launched = false;
	if (place->task->constrained)
		team_choose(place->team, place->task);
	return place->task;
}

unsigned xy__team_launch(struct xy__worker *worker)
{
	struct xy__team *team = xy__team_is_joined(worker) ? worker->member->place.team : NULL;

	if (!team)
		return 1;
	team->round->begin = xy_now(worker->agent.runtime);
	team->round->launched = true;
	return team->base.nmembers;
}

bool xy__team_let_go(struct xy__worker *worker)
{
	if (!team_is_aborted(&worker->member->place))
		return false;
	member_leave(worker->member);
	return true;
}

bool xy__team_has_left(struct xy__worker *worker)
{
	struct xy__team_place *place = &worker->member->place;

	if (!team_reached(&place->team->round->told, 2 * place->round + 2))
		return false;
	member_leave(worker->member);
	return true;
}

void xy__team_tell(struct xy__worker *worker)
{
	struct xy__team_place *place = &worker->member->place;
	struct xy__team_round *round = place->team->round;
	const struct xy_component *team = &place->team->base;
	struct xy_runtime *rt = worker->agent.runtime;

	if (place->rank) {
		if (place->last)
			rt->engine->call(rt, team->members[0]);
		return;
	}
	/* relaxed: one thread */
	atomic_store_explicit(&round->told, (int)(2 * place->round + 2), memory_order_relaxed);
	for (unsigned i = 1; i < team->nmembers; i++) {
		if (rt->settings.profile && round->launched)
			member_busy(&rt->workers[team->members[i]], round->begin);
		rt->engine->call(rt, team->members[i]);
	}
	member_leave(worker->member);
}

/* --- the barrier --- */

static int barrier_wait(struct xy__team_round *round, unsigned nranks)
{
	/* acquire: pairs with the release of the last one to come, and of a rank that has returned */
	int now = atomic_load_explicit(&round->barrier, memory_order_acquire);
	unsigned passed = (unsigned)now / 2;

	if (now & 1)
		return -ECANCELED;
	if (atomic_fetch_add_explicit(&round->waiting, 1, memory_order_acq_rel) + 1 == nranks) {
		atomic_store_explicit(&round->waiting, 0, memory_order_relaxed);
		atomic_fetch_add_explicit(&round->barrier, 2, memory_order_release);
		xy__futex_wake(&round->barrier, INT_MAX);
		return 0;
	}
	for (unsigned i = 0;; i++) {
		now = atomic_load_explicit(&round->barrier, memory_order_acquire);
		if ((unsigned)now / 2 != passed)
			return 0;
		if (now & 1)
			return -ECANCELED;
		if (i < WAIT_SPINS)
			xy__pause();
		else if (i < WAIT_SPINS + WAIT_YIELDS)
			sched_yield();
		else
			xy__futex_wait(&round->barrier, now, -1);
	}
}

int xy_call_barrier(struct xy_call *call)
{
	struct xy_runtime *rt = call ? call->runtime : NULL;
	const struct xy_codelet *codelet = rt ? xy__task_codelet(call->task) : NULL;

	if (!codelet || codelet->parallel != XY_SPMD) {
		xy__log(rt ? &rt->settings.log : NULL, "xy_call_barrier: %s",
			rt ? "only ranks of an SPMD codelet have a barrier" : "no call");
		return -EINVAL;
	}
	if (call->nranks == 1)
		return 0;
	return barrier_wait(rt->workers[call->worker].member->place.team->round, call->nranks);
}
