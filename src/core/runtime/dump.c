/* SPDX-License-Identifier: MIT */
/*
 * What the runtime is doing, for a person who wonders why nothing happens. Only reads; while tasks
 * move it shows a mixture of moments, but never touches memory that is gone.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/data/memory.h"
#include "core/lockfree/successors.h"
#include "core/runtime/runtime.h"
#include "core/runtime/team.h"

enum { MOST_LINES = 40, MOST_NAMES = 6, MOST_EDGES = 10000 };

struct dump {
	struct xy_runtime *rt;
	FILE *out;
	struct xy_task *task;     /* whose predecessors are looked for */
	unsigned shown, passed;
};

static void dump_each_task(struct dump *dump, void (*visit)(void *, struct xy_task *))
{
	struct xy_runtime *rt = dump->rt;

	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		xy__pool_each(&rt->applications[i].pool, visit, dump);
	for (unsigned i = 0; i < rt->nworkers; i++)
		xy__pool_each(&rt->workers[i].agent.pool, visit, dump);
}

static const char *dump_state(struct xy_task *task)
{
	static const char *const names[] = {
		"ended", "not submitted", "waiting", "ready", "running", "held by the application", "ended"
	};

	return names[atomic_load(&task->state)];
}

/* The name of the handle that an acquire holds; false when it holds none any more. Handles are found in the
 * runtime's list, which keeps them while it is locked, and not through the task. */
static bool dump_held(struct xy_runtime *rt, const struct xy_task *acquire, char *name, size_t size)
{
	bool found = false;

	xy__lock_take(&rt->handles_lock);
	for (struct xy_handle *h = rt->handles; h && !found; h = h->next) {
		xy__lock_take(&h->lock);
		for (const struct xy_task *task = h->held; task && !found; task = task->next)
			found = task == acquire;
		xy__lock_drop(&h->lock);
		if (found)
			snprintf(name, size, "%s", xy_handle_name(h));
	}
	xy__lock_drop(&rt->handles_lock);
	return found;
}

static void dump_predecessor(struct dump *dump, struct xy_task *task)
{
	char name[128];

	if (++dump->shown > MOST_NAMES)
		return;
	if (dump->shown > 1)
		fputc(',', dump->out);
	if (atomic_load(&task->state) == XY__TASK_HELD && dump_held(dump->rt, task, name, sizeof name))
		fprintf(dump->out, " '%s', held by the application", name);
	else
		fprintf(dump->out, " '%s' (number %llu, %s)", xy_task_name(task), xy_task_number(task),
			dump_state(task));
}

/* Prints the task if dump->task is among its successors. */
static void dump_if_predecessor(void *arg, struct xy_task *task)
{
	struct dump *dump = arg;
	struct xy__edge *edge = xy__head_edge(atomic_load(&task->successors));

	for (unsigned i = 0; i < MOST_EDGES && edge; i++) {
		uintptr_t target = atomic_load_explicit(&edge->target, memory_order_relaxed);

		if (!(target & XY__EDGE_WAITER) && (target & ~(uintptr_t)XY__EDGE_BITS) == (uintptr_t)dump->task) {
			dump_predecessor(dump, task);
			return;
		}
		edge = atomic_load_explicit(&edge->next, memory_order_relaxed);
	}
}

static void dump_waiting(void *arg, struct xy_task *task)
{
	struct dump *dump = arg;
	struct dump inner = { .rt = dump->rt, .out = dump->out, .task = task };

	if (atomic_load(&task->state) != XY__TASK_WAITING)
		return;
	if (dump->shown++ >= MOST_LINES)
		return;
	fprintf(dump->out, "  '%s' (number %llu) waits for", xy_task_name(task), xy_task_number(task));
	dump_each_task(&inner, dump_if_predecessor);
	fprintf(dump->out, "%s\n", inner.shown > MOST_NAMES ? " and others"
						: inner.shown ? "" : " its turn on data that commutes");
}

static void dump_ready(void *arg, const struct xy_task *task)
{
	struct dump *dump = arg;

	if (dump->shown++ < MOST_NAMES)
		fprintf(dump->out, " '%s' (number %llu)", xy_task_name(task), xy_task_number(task));
}

static void dump_queues(struct dump *dump)
{
	struct xy_tree *tree = dump->rt->tree;

	fprintf(dump->out, "queues:\n");
	for (unsigned i = 0; i < tree->ncomponents; i++) {
		struct xy_component *c = tree->components[i];
		size_t peak = 0, depth = c->ops->depth ? c->ops->depth(c, &peak) : 0;

		if (!depth)
			continue;
		dump->shown = 0;
		fprintf(dump->out, "  %s#%u holds %zu:", c->ops->name, c->id, depth);
		if (c->ops->each_task)
			c->ops->each_task(c, dump_ready, dump);
		fprintf(dump->out, "%s\n", dump->shown > MOST_NAMES ? " and others" : "");
	}
	if (xy__inbox_has(dump->rt))
		fprintf(dump->out, "  the inbox is not empty\n");
}

static void dump_workers(struct dump *dump)
{
	static const char *const states[] = { "awake", "looking for a task", "asleep" };
	struct xy_runtime *rt = dump->rt;

	fprintf(dump->out, "workers:\n");
	for (unsigned i = 0; i < rt->nworkers; i++) {
		struct xy__worker *worker = &rt->workers[i];
		struct xy_task *task = atomic_load(&worker->running);

		fprintf(dump->out, "  %s: %s", xy_machine_worker(rt->machine, i)->name,
			task ? "running" : states[atomic_load(&worker->state)]);
		if (task)
			fprintf(dump->out, " '%s' (number %llu)", xy_task_name(task), xy_task_number(task));
		fprintf(dump->out, ", %llu tasks ended, slept %llu times\n",
			(unsigned long long)atomic_load(&worker->agent.ended),
			(unsigned long long)atomic_load(&worker->sleeps));
	}
}

static size_t dump_memory(struct xy_runtime *rt)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		bytes += xy__pool_bytes(&rt->applications[i].pool);
	for (unsigned i = 0; i < rt->nworkers; i++)
		bytes += xy__pool_bytes(&rt->workers[i].agent.pool);
	return bytes;
}

int xy_dump(struct xy_runtime *rt, int fd)
{
	struct dump dump = { .rt = rt };
	int copy, error;

	if (!rt) {
		xy__log(NULL, "xy_dump: no runtime");
		return -EINVAL;
	}
	copy = dup(fd);
	if (copy < 0) {
		error = -errno;
		xy__log(&rt->settings.log, "xy_dump: file descriptor %d: %s", fd, strerror(-error));
		return error;
	}
	dump.out = fdopen(copy, "w");
	if (!dump.out) {
		close(copy);
		return -ENOMEM;
	}
	fprintf(dump.out, "xylem: %llu tasks submitted and not ended, memory for tasks %zu KiB; policy %s\n",
		(unsigned long long)xy__runtime_live(rt), dump_memory(rt) >> 10,
		xy__settings_policy(&rt->settings, rt->machine));
	xy_tree_print(rt->tree, dump.out, XY_TREE_DRAWING, XY_PRINT_COUNTERS);
	dump_queues(&dump);
	fprintf(dump.out, "waiting tasks:\n");
	dump.shown = 0;
	dump_each_task(&dump, dump_waiting);
	if (dump.shown > MOST_LINES)
		fprintf(dump.out, "  and %u others\n", dump.shown - MOST_LINES);
	dump_workers(&dump);
	xy__team_dump(rt, dump.out);
	xy__memory_dump(rt, dump.out);
	error = ferror(dump.out) ? -EIO : 0;
	return fclose(dump.out) ? -EIO : error;
}
