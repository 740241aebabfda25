/* SPDX-License-Identifier: MIT */
/*
 * Prints what the runtime is doing, to find out why nothing happens. Only reads; while tasks move it shows a mixture
 * of moments, but never touches freed memory. It waits for no lock longer than PATIENCE_S: what is behind a stuck one
 * is left out, with a line that says who holds it. Each part is written before the next is asked for.
 */
#include "core/runtime/dump.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/data/memory.h"
#include "core/lockfree/successors.h"
#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
#include "core/runtime/halt.h"
#include "core/runtime/inbox.h"
#include "core/runtime/probe.h"
#include "core/runtime/runtime.h"
#include "core/runtime/stuck.h"
#include "core/runtime/team.h"
#include "core/runtime/worker.h"
#include "core/tree/audit.h"
#include "core/tree/lock.h"

#define PATIENCE_S 0.5

enum { MOST_LINES = 40, MOST_NAMES = 6, MOST_EDGES = 10000 };

struct dump {
	struct xy_runtime *rt;
	FILE *out;
	struct xy_task *task; /* the task whose predecessors are searched */
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
	static const char *const names[] = { "ended",   "not submitted",           "waiting", "ready",
					     "running", "held by the application", "ended" };

	return names[atomic_load(&task->state)];
}

/* The name of the handle that an acquire holds; false when it holds none any more. Handles are found in the
 * runtime's list, which keeps them while it is locked, and not through the task. */
static bool dump_held(struct xy_runtime *rt, const struct xy_task *acquire, char *name, size_t size)
{
	bool found = false;

	if (!xy__lock_take_for(&rt->handles_lock, PATIENCE_S))
		return false;
	for (struct xy_handle *h = rt->handles; h && !found; h = h->next) {
		if (!xy__lock_take_for(&h->lock, PATIENCE_S))
			continue;
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
	fprintf(dump->out, "%s\n",
		inner.shown > MOST_NAMES ? " and others"
		: inner.shown            ? ""
					 : " its turn on data that commutes");
}

static void dump_ready(void *arg, const struct xy_task *task)
{
	struct dump *dump = arg;

	if (dump->shown++ < MOST_NAMES)
		fprintf(dump->out, " '%s' (number %llu)", xy_task_name(task), xy_task_number(task));
}

/* Waits for the lock for which others sleep: not every component takes it to say what it holds. */
static void dump_await(struct xy_component *c)
{
	struct xy_agent nobody = { .worker = -1 };
	struct xy_lock *lock = atomic_load(&c->awaited);

	if (!lock)
		return;
	xy_lock_take(lock, c, &nobody);
	xy_lock_drop(lock, c, &nobody);
}

/* The tasks that one component holds. */
static void dump_ask_queue(struct xy_runtime *rt, void *subject, FILE *out)
{
	struct dump dump = { .rt = rt, .out = out };
	struct xy_component *c = subject;
	size_t peak = 0, depth;

	dump_await(c);
	depth = c->ops->depth ? c->ops->depth(c, &peak) : 0;
	if (!depth)
		return;
	fprintf(out, "  %s#%u holds %zu:", c->ops->name, c->id, depth);
	if (c->ops->each_task)
		c->ops->each_task(c, dump_ready, &dump);
	fprintf(out, "%s\n", dump.shown > MOST_NAMES ? " and others" : "");
}

/* The holder of the lock that a component's callers sleep for, as far as the lock tells. */
static void dump_holder(struct dump *dump, struct xy_component *c)
{
	const char *verb;
	int worker = xy__stuck_holder(c, &verb);

	fprintf(dump->out, "  %s#%u does not answer", c->ops->name, c->id);
	if (worker >= 0 && (unsigned)worker < dump->rt->nworkers)
		fprintf(dump->out, ": its lock is held by worker %s",
			xy_machine_worker(dump->rt->machine, (unsigned)worker)->name);
	else if (worker == -1)
		fprintf(dump->out, ": its lock is held by a thread of the application");
	if (worker != XY__LOCK_NOBODY)
		fprintf(dump->out, ", for at least %.1f s", xy__now() - atomic_load(&c->awaited_s));
	fprintf(dump->out, "%s%s\n", verb ? ", in " : "", verb ? verb : "");
}

static void dump_queues(struct dump *dump, const struct xy_tree *tree)
{
	fprintf(dump->out, "queues:\n");
	for (unsigned i = 0; i < tree->ncomponents; i++) {
		struct xy_component *c = tree->components[i];
		bool asked = c->ops->depth || atomic_load(&c->awaited);
		int error = asked ? xy__probe(dump->rt, dump_ask_queue, c, PATIENCE_S, dump->out) : 0;

		if (error == -ETIMEDOUT)
			dump_holder(dump, c);
		else if (error)
			fprintf(dump->out, "  %s#%u can't be asked: %s\n", c->ops->name, c->id, strerror(-error));
		fflush(dump->out);
	}
}

static void dump_ask_tree(struct xy_runtime *rt, void *subject, FILE *out)
{
	(void)rt;
	xy_tree_print(subject, out, XY_TREE_DRAWING, XY_PRINT_COUNTERS);
}

static void dump_ask_teams(struct xy_runtime *rt, void *subject, FILE *out)
{
	xy__team_dump(rt, subject, out);
}

/* The tree of a context, with its name and its policy if there are several. */
static void dump_context(struct dump *dump, const struct xy_context *context)
{
	struct xy_runtime *rt = dump->rt;

	if (context != &rt->main)
		fprintf(dump->out, "context '%s', policy %s\n", context->name, xy__runtime_policy(context));
	if (!context->tree) {
		fprintf(dump->out, "no workers\n");
		return;
	}
	if (xy__probe(rt, dump_ask_tree, context->tree, PATIENCE_S, dump->out))
		xy_tree_print(context->tree, dump->out, XY_TREE_DRAWING, 0);
	dump_queues(dump, context->tree);
	if (context->root->nteams && xy__probe(rt, dump_ask_teams, context->root, PATIENCE_S, dump->out))
		fprintf(dump->out, "teams: no answer\n");
}

static void dump_contexts(struct dump *dump)
{
	struct xy_runtime *rt = dump->rt;

	if (!xy__lock_take_for(&rt->change_lock, PATIENCE_S)) {
		fprintf(dump->out, "the trees are being exchanged\n");
		return;
	}
	fprintf(dump->out, "policy %s\n", xy__runtime_policy(&rt->main));
	for (unsigned k = 0; k < rt->ncontexts; k++)
		dump_context(dump, rt->contexts[k]);
	xy__lock_drop(&rt->change_lock);
	if (xy__inbox_has(rt))
		fprintf(dump->out, "the inbox is not empty\n");
	if (atomic_load(&rt->nunserved))
		fprintf(dump->out, "%llu ready tasks wait for workers that are not present\n",
			(unsigned long long)atomic_load(&rt->nunserved));
	if (atomic_load(&rt->naside))
		fprintf(dump->out, "%u nested tasks wait for a worker that is inside none\n", atomic_load(&rt->naside));
}

static void dump_workers(struct dump *dump)
{
	static const char *const states[] = { "awake", "looking for a task", "asleep" };
	struct xy_runtime *rt = dump->rt;

	fprintf(dump->out, "workers:\n");
	for (unsigned i = 0; i < rt->nworkers; i++) {
		struct xy__worker *worker = &rt->workers[i];
		uintptr_t doing = atomic_load(&worker->agent.doing) & ~XY__DOING_INSIDE;
		struct xy_task *task = doing > XY__DOING_WAITS ? (struct xy_task *)doing : NULL;
		struct xy_task *waits = atomic_load(&worker->waits);

		fprintf(dump->out, "  %s: %s", xy_machine_worker(rt->machine, i)->name,
			task                          ? "running"
			: doing == XY__DOING_CALLBACK ? "in a callback"
						      : states[atomic_load(&worker->state)]);
		if (task)
			fprintf(dump->out, " '%s' (number %llu)", xy_task_name(task), xy_task_number(task));
		if (waits && waits != task)
			fprintf(dump->out, " inside '%s' (number %llu)", xy_task_name(waits), xy_task_number(waits));
		if (waits)
			fprintf(dump->out, ", which waits for its children");
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

/* Everything, part by part. */
static int dump_write(struct xy_runtime *rt, FILE *out)
{
	struct dump dump = { .rt = rt, .out = out };

	fprintf(out, "xylem: %llu tasks submitted and not ended, memory for tasks %zu KiB\n",
		(unsigned long long)rt->engine->live(rt), dump_memory(rt) >> 10);
	fflush(out);
	dump_contexts(&dump);
	fprintf(out, "waiting tasks:\n");
	dump.shown = 0;
	dump_each_task(&dump, dump_waiting);
	if (dump.shown > MOST_LINES)
		fprintf(out, "  and %u others\n", dump.shown - MOST_LINES);
	dump_workers(&dump);
	fflush(out);
	xy__memory_dump(rt, out);
	return ferror(out) ? -EIO : 0;
}

int xy_dump(struct xy_runtime *rt, int fd)
{
	int copy, error;
	FILE *out;

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
	out = fdopen(copy, "w");
	if (!out) {
		close(copy);
		return -ENOMEM;
	}
	error = dump_write(rt, out);
	return fclose(out) ? -EIO : error;
}

/* A line that is not complete yet. */
struct dump_line {
	const struct xy__log *log;
	size_t length;
	char text[1024];
};

static ssize_t dump_log_write(void *cookie, const char *text, size_t size)
{
	struct dump_line *line = cookie;

	for (size_t i = 0; i < size; i++) {
		if (text[i] != '\n' && line->length < sizeof line->text - 1) {
			line->text[line->length++] = text[i];
		} else if (text[i] == '\n') {
			line->text[line->length] = '\0';
			xy__log(line->log, "%s", line->text);
			line->length = 0;
		}
	}
	return (ssize_t)size;
}

void xy__dump_log(struct xy_runtime *rt)
{
	struct dump_line line = { .log = &rt->settings.log };
	FILE *out;

	if (!line.log->function) {
		xy_dump(rt, STDERR_FILENO);
		return;
	}
	out = fopencookie(&line, "w", (cookie_io_functions_t){ .write = dump_log_write });
	if (!out)
		return;
	dump_write(rt, out);
	fclose(out);
}
