/* SPDX-License-Identifier: MIT */
/* What the tests of queues share: a queue, tasks on a machine without threads, and a component that receives them. */
#ifndef TESTS_CORE_TASK_QUEUE_BED_H
#define TESTS_CORE_TASK_QUEUE_BED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/task/pool.h"
#include "core/task/queue.h"
#include "core/task/task.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA, NTASKS = 200 };

static inline int nothing(struct xy_call *call)
{
	(void)call;
	return 0;
}

static const struct xy_codelet codelet = {
	.cpu = { nothing }, .cuda = { nothing }, .opencl = { nothing }, .hip = { nothing }
};
static struct xy_machine *machine; /* cpu0 cpu1 cuda0 */
static struct xy__pool pool;
static struct xy_task tasks[NTASKS];
static struct xy__task_extra extras[NTASKS];
static unsigned pins[NTASKS];
static unsigned ntasks;
static struct xy_queue queue;
static struct xy_agent cpu0 = { .worker = 0, .archs = XY_ON_CPU };
static struct xy_agent cpu1 = { .worker = 1, .archs = XY_ON_CPU };
static struct xy_agent cuda0 = { .worker = 2, .archs = XY_ON_CUDA };

static inline int machine_setup(void **state)
{
	(void)state;
	return xy_machine_create(&machine, "cpu:2 cuda:1", NULL, 0);
}

static inline int machine_teardown(void **state)
{
	(void)state;
	xy_machine_destroy(machine);
	return 0;
}

static inline int queue_setup(void **state)
{
	(void)state;
	memset(tasks, 0, sizeof tasks);
	memset(extras, 0, sizeof extras);
	memset(&queue, 0, sizeof queue);
	pool.machine = machine;
	ntasks = 0;
	return 0;
}

static inline struct xy_task *make(unsigned archs, int priority)
{
	struct xy_task *task = &tasks[ntasks++];

	task->pool = &pool;
	task->codelet = (uintptr_t)&codelet;
	task->archs = (uint8_t)archs;
	task->priority = priority;
	return task;
}

static inline struct xy_task *make_pinned(unsigned worker, int priority)
{
	struct xy_task *task = make(XY_ON_ALL, priority);
	struct xy__task_extra *extra = &extras[task - tasks];

	pins[task - tasks] = worker;
	extra->workers = &pins[task - tasks];
	extra->nworkers = 1;
	task->extra = extra;
	task->constrained = true;
	return task;
}

/* What a task misses in these tests: the number that is its argument on worker 0, more elsewhere. */
size_t __wrap_xy_task_missing_bytes(const struct xy_task *task, unsigned worker);

size_t __wrap_xy_task_missing_bytes(const struct xy_task *task, unsigned worker)
{
	return (uintptr_t)task->arg + worker * ((uintptr_t)task->arg % 3);
}

static inline struct xy_task *make_missing(unsigned archs, int priority, uintptr_t bytes)
{
	struct xy_task *task = make(archs, priority);

	task->arg = (void *)bytes;
	return task;
}

static inline struct xy_task *insert(struct xy_task *task)
{
	xy_queue_insert(&queue, task);
	return task;
}

/* --- a receiver --- */

static unsigned taken_archs; /* what the receiver takes */
static unsigned ngiven;
static struct xy_task *given[NTASKS];
static size_t count_meanwhile;

static inline bool receiver_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	(void)self, (void)by;
	count_meanwhile = xy_queue_count(&queue);
	given[ngiven++] = task;
	if (!(task->archs & taken_archs))
		return false;
	/* the receiver may do what it wants with a task that is its own */
	task->next = task->prev = task->child = task;
	task->arrival = 12345;
	return true;
}

static const struct xy_component_ops receiver_ops = { .name = "receiver", .push = receiver_push };
static struct xy_shard receiver_shard;
static struct xy_component receiver = {
	.ops = &receiver_ops, .verbs = &receiver_ops, .level = 1, .shards = &receiver_shard
};

static inline int receiver_setup(void **state)
{
	ngiven = 0;
	return queue_setup(state);
}

static inline void visit_next(void *arg, const struct xy_task *task)
{
	(void)arg;
	given[ngiven++] = (struct xy_task *)task;
}

#endif
