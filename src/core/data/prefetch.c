/* SPDX-License-Identifier: MIT */
/*
 * Data that is moved before a task asks for it: because a queue that is bound to a node got a task, or because
 * the application says so. What the application asks for has its place in the order of tasks, as an acquire has.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/acquire.h"
#include "core/data/departed.h"
#include "core/data/handle.h"
#include "core/data/partition.h"
#include "core/data/prefetch.h"
#include "core/data/transfer.h"
#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
#include "core/runtime/runtime.h"
#include "core/runtime/worker.h"

/* --- tasks in queues --- */

/* Brings what can be brought without taking anything from others. */
static void prefetch_access(struct xy_handle *h, unsigned mode, unsigned node, struct xy__agent *agent)
{
	struct xy__copy *copy;

	xy__lock_take(&h->lock);
	copy = xy__copy_on(h, node);
	if (copy) {
		atomic_fetch_add_explicit(&copy->wanted, 1, memory_order_relaxed);
		if ((mode & XY_R) && !copy->incoming && !(atomic_load(&h->valid) & xy__bit(node)) &&
		    !xy__copy_allocate(copy, XY__EFFORT_IDLE, agent))
			xy__transfer_hint(copy, agent); /* the task tries again what fails now */
	}
	xy__transfers_go(h);
}

void xy__task_prefetch(struct xy__tree_engine *engine, struct xy_task *task, unsigned worker, struct xy_agent *by)
{
	struct xy__agent *agent = (struct xy__agent *)by;
	const uintptr_t *accesses = xy__task_accesses(task);
	unsigned node = agent->runtime->workers[worker].node;

	(void)engine;
	if (task->flags & XY__TASK_WANTED) {
		if (task->wanted_on == node)
			return;
		xy__task_unwant(task);
	}
	task->flags |= XY__TASK_WANTED;
	task->wanted_on = (uint8_t)node;
	for (unsigned i = 0; i < task->naccesses; i++) {
		unsigned to = node;

		if (!(accesses[i] & (XY_SCRATCH | XY_REDUX)) && xy__task_brings(task, i, &to))
			prefetch_access(xy__access_handle(accesses[i]), xy__access_mode(accesses[i]), to, agent);
	}
}

void xy__task_unwant(struct xy_task *task)
{
	const uintptr_t *accesses = xy__task_accesses(task);

	task->flags &= (uint16_t)~XY__TASK_WANTED;
	for (unsigned i = 0; i < task->naccesses; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);
		unsigned node = task->wanted_on;
		bool wanted = !(accesses[i] & (XY_SCRATCH | XY_REDUX)) && xy__task_brings(task, i, &node);
		struct xy__copy *copy = wanted ? h->copies->on[node] : NULL;

		if (copy && atomic_load_explicit(&copy->wanted, memory_order_relaxed))
			atomic_fetch_sub_explicit(&copy->wanted, 1, memory_order_relaxed);
	}
}

/* --- the application --- */

static int prefetch_check(struct xy_handle *h, unsigned node, const char *who)
{
	if (!xy__handle_is_here(h, who))
		return -EINVAL;
	if (node < xy_machine_nnodes(h->runtime->machine))
		return 0;
	xy__log(&h->runtime->settings.log, "%s: no such memory node for '%s'", who, xy_handle_name(h));
	return -EINVAL;
}

/* Something to do on a node when its turn has come. */
struct errand {
	struct xy__await await;
	struct xy_handle *handle;
	unsigned node;
	bool sent; /* its data is on the way, or came back */
	/* 0: done, -EAGAIN: the await is in the handle's list. The handle is locked. */
	int (*step)(struct errand *errand, struct xy__agent *agent);
};

static void errand_end(struct errand *errand)
{
	xy__acquire_order_end(errand->handle);
	free(errand);
}

static void errand_go_on(struct xy__await *await, struct xy__agent *agent)
{
	struct errand *errand = (struct errand *)await;
	struct xy_handle *h = errand->handle;
	int status;

	xy__lock_take(&h->lock);
	status = errand->step(errand, agent);
	if (status == -EAGAIN) {
		await->begun = true;
		await->next = h->copies->awaits;
		h->copies->awaits = await;
	}
	xy__transfers_go(h);
	if (status != -EAGAIN)
		errand_end(errand);
}

static void errand_turn(void *arg, int status)
{
	struct errand *errand = arg;
	struct xy__agent *agent;

	if (status) { /* nothing is held then */
		free(errand);
		return;
	}
	agent = xy__agent_enter(errand->handle->runtime);
	errand_go_on(&errand->await, agent);
	xy__agent_leave(agent);
}

static int errand_submit(struct xy_handle *h, unsigned node, enum xy_mode mode,
			 int (*step)(struct errand *errand, struct xy__agent *agent))
{
	struct errand *errand;
	int error;

	if (xy__handle_bars(h, mode))
		return xy__partition_refuse(h, mode, "the hint is refused");
	if (!h->copies)
		return 0;
	errand = malloc(sizeof *errand);
	if (!errand)
		return -ENOMEM;
	*errand = (struct errand){ .await.told = errand_go_on, .handle = h, .node = node, .step = step };
	error = xy__acquire_order(h, mode, errand_turn, errand);
	if (error)
		free(errand);
	return error;
}

/* Brings the content, if there is room; holds the data in place until it has come. */
static int errand_bring(struct errand *errand, struct xy__agent *agent)
{
	struct xy__copy *copy = xy__copy_on(errand->handle, errand->node);

	if (!copy || (errand->await.begun && copy->error) ||
	    (atomic_load(&errand->handle->valid) & xy__bit(errand->node)))
		return 0;
	if (xy__copy_allocate(copy, XY__EFFORT_IDLE, agent) || xy__transfer_hint(copy, agent))
		return 0;
	/* Another thread may have fetched it meanwhile. */
	return copy->incoming || errand->handle->copies->transfers ? -EAGAIN : 0;
}

static int errand_evict(struct errand *errand, struct xy__agent *agent)
{
	struct xy_handle *h = errand->handle;
	struct xy__copy *copy = h->copies->on[errand->node];
	uint64_t valid = atomic_load(&h->valid) & ~atomic_load(&h->runtime->memory.lost);

	/* Content of a lost device stays there, so that its next user gets the error. */
	if (!copy || !copy->allocated || copy->home || xy__node_is_lost(&h->runtime->memory, errand->node))
		return 0;
	if (copy->pins || h->copies->ram.incoming || atomic_load(&h->copies->ram.readers))
		return h->copies->transfers ? -EAGAIN : 0;
	if (valid == xy__bit(errand->node)) {
		if (errand->sent || xy__transfer_evict(copy, agent))
			return 0;
		errand->sent = true;
		return -EAGAIN;
	}
	xy__copy_release(copy);
	return 0;
}

static int errand_invalidate(struct errand *errand, struct xy__agent *agent)
{
	struct xy_handle *h = errand->handle;

	(void)agent;
	xy__transfers_spoil(h);
	if (h->copies->transfers)
		return -EAGAIN;
	atomic_store(&h->valid, 0);
	return 0;
}

/* Saves what only a device has in RAM, and what is in RAM on disk. */
static int errand_save(struct errand *errand, struct xy__agent *agent)
{
	struct xy_handle *h = errand->handle;
	bool deeper = !h->copies->ram.home && (atomic_load(&h->valid) & xy__bit(XY__RAM));
	struct xy__copy *to = xy__copy_on(h, deeper ? h->runtime->memory.disk : XY__RAM);

	if (!to || (atomic_load(&h->valid) & xy__bit(to->node)) || (errand->await.begun && to->error))
		return 0;
	if (xy__copy_allocate(to, XY__EFFORT_IDLE, agent) || xy__transfer_hint(to, agent))
		return 0;
	return h->copies->transfers ? -EAGAIN : 0;
}

int xy_prefetch(struct xy_handle *h, unsigned node)
{
	int error = prefetch_check(h, node, "xy_prefetch");

	return error ? error : errand_submit(h, node, XY_R, errand_bring);
}

/* Brings the content whatever it takes. The application holds the handle. */
static int fetch_now(struct xy_handle *h, unsigned mode, unsigned node, struct xy__agent *agent)
{
	struct xy__copy *copy;
	int error = 0;

	(void)mode;
	xy__lock_take(&h->lock);
	copy = xy__copy_on(h, node);
	if (!(atomic_load(&h->valid) & xy__bit(node))) {
		error = copy ? xy__copy_allocate(copy, XY__EFFORT_ALL, agent) : -ENOMEM;
		if (!error && !copy->incoming && copy->error)
			error = copy->error;
		else if (!error)
			error = xy__transfer_begin(copy, agent);
		error = error ? error : -EAGAIN;
	}
	xy__transfers_go(h);
	return error;
}

void xy__fetch_forget_error(struct xy_handle *h, unsigned node)
{
	xy__lock_take(&h->lock);
	if (xy__copy_on(h, node) && !h->copies->on[node]->incoming)
		h->copies->on[node]->error = 0;
	xy__lock_drop(&h->lock);
}

/* Whether no room can have been made since `changes` was read. */
static bool node_is_quiet(struct xy__node *node, unsigned changes)
{
	bool quiet;

	xy__lock_take(&node->lock);
	quiet = xy__node_rests(node, 0) && atomic_load(&node->changes) == changes;
	xy__lock_drop(&node->lock);
	return quiet;
}

int xy__fetch_patiently(struct xy_handle *h, unsigned mode, unsigned id,
			int (*step)(struct xy_handle *h, unsigned mode, unsigned node, struct xy__agent *agent))
{
	struct xy_runtime *rt = h->runtime;
	struct xy__node *node = &rt->memory.nodes[id];
	unsigned rounds = 0, changes, moves;
	int error;

	do {
		struct xy__agent *agent = xy__agent_enter(rt);
		bool any;

		moves = atomic_load(&h->underway);
		changes = atomic_load(&node->changes);
		error = step(h, mode, id, agent);
		any = error == -EAGAIN && xy__transfers_poll(rt, agent);
		xy__agent_leave(agent);
		if (error == -EAGAIN && !any)
			rt->engine->pause(rt, &rounds);
	} while (error == -EAGAIN && (moves || !node_is_quiet(node, changes)));
	return error == -EAGAIN ? -ENOMEM : error;
}

int xy_fetch(struct xy_handle *h, unsigned node)
{
	int status = 0, error = prefetch_check(h, node, "xy_fetch");

	if (error)
		return error;
	if (xy__agent_inside(h->runtime)) {
		xy__log(&h->runtime->settings.log, "xy_fetch: a codelet or callback can't wait for '%s'",
			xy_handle_name(h));
		return -EDEADLK;
	}
	error = xy__acquire_order_wait(h, XY_R, &status);
	if (error || status)
		return error ? error : status;
	if (h->copies) {
		xy__fetch_forget_error(h, node);
		error = xy__fetch_patiently(h, XY_R, node, fetch_now);
	}
	if (error) {
		char why[192];

		xy__blame_get(h, error, why, sizeof why);
		xy__log(&h->runtime->settings.log, "xy_fetch: '%s' (%zu bytes) could not be copied to node %u: %s",
			xy_handle_name(h), h->size_bytes, node, why);
	}
	xy__acquire_order_end_mine(h);
	return error;
}

int xy__fetch_back(struct xy_handle *h)
{
	unsigned home = h->copies->home;
	char why[192];
	int error;

	if (!atomic_load(&h->valid))
		return 0;
	xy__fetch_forget_error(h, home);
	error = xy__fetch_patiently(h, XY_R, home, fetch_now);
	if (!error)
		return 0;
	xy__blame_get(h, error, why, sizeof why);
	xy__log(&h->runtime->settings.log, "xy_unregister: '%s' could not be copied back: %s", xy_handle_name(h), why);
	return error;
}

int xy_evict(struct xy_handle *h, unsigned node)
{
	int error = prefetch_check(h, node, "xy_evict");

	if (!error && node == XY__RAM && (!h->copies || h->copies->ram.home)) {
		xy__log(&h->runtime->settings.log, "xy_evict: '%s' can't be evicted from RAM", xy_handle_name(h));
		error = -EINVAL;
	}
	return error ? error : errand_submit(h, node, XY_RW, errand_evict);
}

int xy_invalidate(struct xy_handle *h)
{
	int error = prefetch_check(h, XY__RAM, "xy_invalidate");

	return error ? error : errand_submit(h, XY__RAM, XY_W, errand_invalidate);
}

int xy_advise(struct xy_handle *h, enum xy_advice advice)
{
	int error = prefetch_check(h, XY__RAM, "xy_advise");

	if (!error && (advice < XY_ADVICE_NORMAL || advice > XY_ADVICE_WONT_USE)) {
		xy__log(&h->runtime->settings.log, "xy_advise: no such advice");
		error = -EINVAL;
	}
	if (error || !h->copies)
		return error;
	xy__lock_take(&h->lock);
	h->copies->advice = (uint8_t)advice;
	for (unsigned i = 0; advice == XY_ADVICE_WONT_USE && i < h->runtime->memory.nnodes; i++)
		if (h->copies->on[i])
			xy__copy_make_oldest(h->copies->on[i]);
	xy__lock_drop(&h->lock);
	return advice == XY_ADVICE_WONT_USE ? errand_submit(h, XY__RAM, XY_R, errand_save) : 0;
}

int xy_handle_set_write_through(struct xy_handle *h, uint64_t nodes)
{
	int error = prefetch_check(h, XY__RAM, "xy_handle_set_write_through");
	unsigned n = error ? 0 : xy_machine_nnodes(h->runtime->machine);

	if (!error && n < XY__NNODES && nodes >> n)
		error = prefetch_check(h, n, "xy_handle_set_write_through");
	if (error || !h->copies)
		return error;
	atomic_store(&h->copies->write_through, nodes);
	return 0;
}

uint64_t xy_handle_nodes(const struct xy_handle *h)
{
	return h && !xy__handle_has_left(h) ? atomic_load(&((struct xy_handle *)h)->valid) : 0;
}
