/* SPDX-License-Identifier: MIT */
/* Tasks that only move data. All transfers start at once and are then waited for one by one. */
#include "core/data/data_task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/fetch.h"
#include "core/data/handover.h"
#include "core/data/partition.h"
#include "core/data/transfer.h"
#include "core/runtime/agent.h"
#include "core/runtime/task_build.h"
#include "core/runtime/deps.h"

_Static_assert(sizeof(struct xy__data_await) <= XY__TASK_ARGUMENT, "it fits");

static void data_task_told(struct xy__await *await, struct xy__agent *agent)
{
	char *argument = (char *)await;

	xy__deps_acquired((struct xy_task *)(argument - offsetof(struct xy_task, argument)), agent);
}

struct xy_task *xy__data_task_create(const char *name, unsigned naccesses, struct xy__agent *agent)
{
	struct xy_task *task = xy__task_blank(agent);
	struct xy__data_await *await;

	if (!task)
		return NULL;
	task->flags = XY__TASK_DATA | XY__TASK_UNCOUNTED;
	xy__task_set_name(task, name);
	if (naccesses > XY__TASK_ACCESSES) {
		uintptr_t *accesses = xy__task_extra(task) ? malloc(naccesses * sizeof *accesses) : NULL;

		if (!accesses) {
			xy__task_unref(task, agent);
			return NULL;
		}
		task->extra->accesses = accesses;
	}
	task->naccesses = (uint16_t)naccesses;
	await = memset(task->argument, 0, sizeof *await);
	await->base.told = data_task_told;
	return task;
}

void xy__data_task_leaves(struct xy_task *task)
{
	((struct xy__data_await *)task->argument)->leaves = true;
}

void xy__data_task_hands(struct xy_task *task, enum xy__handing handing)
{
	((struct xy__data_await *)task->argument)->handing = (uint8_t)handing;
}

int xy__data_task_register(struct xy_task *task, int *count, struct xy__agent *agent)
{
	int error;

	xy__task_set_state(task, XY__TASK_WAITING);
	error = xy__deps_register(task, count, agent);
	if (error)
		xy__task_unref(task, agent);
	return error;
}

/* A later wait for the content reports what failed here. */
static void data_task_begin(struct xy_task *task, struct xy__agent *agent)
{
	const uintptr_t *accesses = xy__task_accesses(task);

	for (unsigned i = 0; i < task->naccesses; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);

		if (!(accesses[i] & XY_R))
			continue;
		xy__lock_take(&h->lock);
		xy__transfer_begin(&h->copies->ram, agent);
		xy__transfers_go(h);
	}
}

/* One access. What a task that has failed would read need not come, but what it would write has to rest. */
static int data_task_step(struct xy_task *task, unsigned i, int status, struct xy__agent *agent)
{
	struct xy__data_await *await = (struct xy__data_await *)task->argument;
	uintptr_t access = xy__task_accesses(task)[i];
	struct xy_handle *h = xy__access_handle(access);
	unsigned mode = xy__access_mode(access) & (status ? XY_W : XY_RW);

	/* Without a copy that is valid, nothing was ever written: that is no error for a handle that leaves. */
	if (await->leaves && !status && h->copies->home && atomic_load(&h->valid))
		return xy__fetch_leave(h, &await->base, agent);
	if (await->leaves && (h->owns_memory || !atomic_load(&h->valid)))
		mode = XY_W;
	return mode ? xy__fetch_home(h, mode, &await->base, agent) : 0;
}

/* The task fails. */
static void data_task_fail(struct xy_task *task, const struct xy_handle *h, int error)
{
	atomic_store_explicit(&task->status, error, memory_order_relaxed);
	if (error != -ENODATA)
		xy__log(&h->runtime->settings.log, "'%s' could not be copied for %s: %s", xy_handle_name(h),
			xy_task_name(task), strerror(-error));
}

/* Between a parent and its children. 0, -EAGAIN, or an error. */
static int data_task_hand(struct xy_task *task, struct xy__agent *agent)
{
	struct xy__data_await *await = (struct xy__data_await *)task->argument;
	uintptr_t parent = xy__task_accesses(task)[task->naccesses - 1];
	struct xy_plan *plan = xy__access_handle(xy__task_accesses(task)[0])->child_of;

	if (await->handing == XY__HANDING_DOWN)
		return xy__handover_begin(plan, xy__access_mode(parent), &await->base, agent);
	return xy__handover_end(plan, await, agent);
}

/* Whether the content is handed over, and not only to be left as it is. */
static bool data_task_hands(struct xy_task *task)
{
	const struct xy__data_await *await = (const struct xy__data_await *)task->argument;
	uintptr_t parent = xy__task_accesses(task)[task->naccesses - 1];

	return await->handing == XY__HANDING_DOWN || (await->handing == XY__HANDING_UP && (parent & XY_W));
}

/* All accesses in RAM. */
static bool data_task_settle(struct xy_task *task, int *status, struct xy__agent *agent)
{
	struct xy__data_await *await = (struct xy__data_await *)task->argument;

	if (!await->begun && !*status && !await->leaves)
		data_task_begin(task, agent);
	await->begun = true;
	while (await->next < task->naccesses) {
		int error = data_task_step(task, await->next, *status, agent);

		if (error == -EAGAIN)
			return false; /* another thread may already continue with it */
		if (!error) {
			await->next++;
		} else {
			*status = error;
			data_task_fail(task, xy__access_handle(xy__task_accesses(task)[await->next]), error);
		}
		await->base.begun = false;
	}
	return true;
}

bool xy__data_task_settle(struct xy_task *task, int *status, struct xy__agent *agent)
{
	struct xy__data_await *await = (struct xy__data_await *)task->argument;
	int error;

	if (agent->runtime->memory.nnodes == 1)
		return true;
	if (!*status && data_task_hands(task)) {
		error = data_task_hand(task, agent);
		if (!error || error == -EAGAIN)
			return !error; /* another thread may already continue with it */
		*status = error;
		data_task_fail(task, xy__access_handle(xy__task_accesses(task)[task->naccesses - 1]), error);
		await->next = 0;
		await->base.begun = false;
	}
	if (!data_task_settle(task, status, agent))
		return false;
	if (await->handing == XY__HANDING_UP)
		xy__handover_part(xy__access_handle(xy__task_accesses(task)[0])->child_of);
	return true;
}
