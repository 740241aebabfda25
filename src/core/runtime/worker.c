/* SPDX-License-Identifier: MIT */
/* The life of a worker: take a task, run it, notify its successors. */
#include <errno.h>

#include "core/data/fetch.h"
#include "core/data/handle.h"
#include "core/data/redux.h"
#include "core/data/transfer.h"
#include "core/runtime/agent.h"
#include "core/runtime/children.h"
#include "core/runtime/deps.h"
#include "core/runtime/division.h"
#include "core/runtime/halt.h"
#include "core/runtime/inbox.h"
#include "core/runtime/notes.h"
#include "core/runtime/search.h"
#include "core/runtime/team.h"
#include "core/runtime/wait.h"
#include "core/runtime/worker.h"
#include "core/runtime/worker_slots.h"
#include "core/util/arch.h"

enum { STACK_BUFFERS = 16, PROGRESS_EVERY = 64 };

/* The implementation that a component chose may be one that this worker must not use. */
static void worker_choose(const struct xy__worker *worker, struct xy_task *task)
{
	if (!task->constrained || xy_task_can_run_with(task, worker->id, task->implementation))
		return;
	for (unsigned i = 0; i < XY_NIMPLEMENTATIONS; i++)
		if (xy_task_can_run_with(task, worker->id, i)) {
			task->implementation = (uint8_t)i;
			return;
		}
}

static inline int worker_buffers(struct xy__worker *worker, struct xy_task *task, void **buffers)
{
	const uintptr_t *accesses = xy__task_accesses(task);
	const unsigned n = task->naccesses, id = worker->id;

	for (unsigned i = 0; i < n; i++) {
		buffers[i] = xy__handle_buffer(accesses[i], id);
		if (!buffers[i]) {
			int error = accesses[i] & XY_REDUX ? xy__redux_buffer(worker, task, i, buffers) : -ENOMEM;

			if (error)
				return error;
		}
	}
	return 0;
}

inline int xy__worker_call(struct xy__worker *worker, xy_function *function, struct xy_call *call)
{
	int status;

	xy__halt_leave(&worker->agent, (uintptr_t)call->task);
	status = function(call);
	xy__halt_enter(&worker->agent, 0);
	return status;
}

/* What it submits are its children. */
static int worker_invoke_nested(struct xy__worker *worker, struct xy_call *call, xy_function *function)
{
	struct xy_task *outer = worker->agent.parent;
	int status;

	worker->agent.parent = call->task;
	status = xy__worker_call(worker, function, call);
	worker->agent.parent = outer;
	return xy__children_leave(call->task, status);
}

/* Whether the clock was read just before: since then, no hook was called, and nothing but addresses looked up. */
static inline bool worker_has_started(const struct xy__worker *worker, const struct xy_task *task)
{
	const struct xy_runtime *rt = worker->agent.runtime;

	return worker->special && xy__runtime_is_timed(rt) && !rt->notes_runs && !(task->flags & XY__TASK_REDUX);
}

/* The time is for the task's model, unless several threads take part, or it is nested and did other things, too. */
static __attribute__((noinline)) int worker_invoke_specially(struct xy__worker *worker, struct xy_task *task,
							     struct xy_call *call, xy_function *function)
{
	double begin, end;
	int status;

	if (task->flags & XY__TASK_NESTED)
		return worker_invoke_nested(worker, call, function);
	begin = worker_has_started(worker, task) ? worker->started_s : xy__now();
	status = worker->member ? xy__team_call(worker, function, call) : xy__worker_call(worker, function, call);
	end = xy__now();
	worker->ended_s = end;
	if (begin < worker->opened_s)
		begin = worker->opened_s;
	if (!status && call->nranks == 1)
		xy__perf_measure(task->pool->perf, xy__task_codelet(task)->model, task, worker->id,
				 task->implementation, (end - begin) * 1e6);
	return status;
}

/* A member of teams may call as the leader of one. */
static inline int worker_invoke(struct xy__worker *worker, struct xy_task *task, struct xy_call *call, bool member)
{
	xy_function *function = xy__arch_functions(xy__task_codelet(task), worker->arch)[task->implementation];

	if (__builtin_expect(task->flags & (XY__TASK_MEASURED | XY__TASK_NESTED), 0))
		return worker_invoke_specially(worker, task, call, function);
	return member ? xy__team_call(worker, function, call) : xy__worker_call(worker, function, call);
}

static int worker_call_fetched(struct xy__worker *worker, struct xy_task *task, struct xy_call *call, void **buffers);

static inline __attribute__((always_inline)) int worker_call(struct xy__worker *worker, struct xy_task *task,
							     bool member)
{
	void *few[STACK_BUFFERS], **buffers = task->naccesses > STACK_BUFFERS ? task->extra->buffers : few;
	struct xy_call call = {
		.runtime = worker->agent.runtime,
		.task = task,
		.arg = task->arg,
		.worker = worker->id,
		.implementation = task->implementation,
		.nbuffers = task->naccesses,
		.buffers = buffers,
		.nranks = 1,
	};
	int error;

	if (worker->agent.runtime->memory.nnodes > 1)
		return worker_call_fetched(worker, task, &call, buffers);
	error = task->naccesses ? worker_buffers(worker, task, buffers) : 0;
	if (error)
		return error;
	return worker_invoke(worker, task, &call, member);
}

xy_function *xy__worker_choose(const struct xy__worker *worker, struct xy_task *task)
{
	worker_choose(worker, task);
	return xy__arch_functions(xy__task_codelet(task), worker->arch)[task->implementation];
}

void xy__worker_explain(struct xy__worker *worker, const struct xy_task *task, int status, const char *reason)
{
	struct xy_runtime *rt = worker->agent.runtime;

	xy__log(&rt->settings.log, "task '%s' (number %llu) failed on %s: %s", xy_task_name(task), xy_task_number(task),
		xy_machine_worker(rt->machine, worker->id)->name, reason);
	if (!task->extra || !task->extra->retries)
		xy__wait_fail(rt, task, status, reason);
}

/* With several memory nodes, the data has to come to RAM first. */
static __attribute__((noinline)) int worker_call_fetched(struct xy__worker *worker, struct xy_task *task,
							 struct xy_call *call, void **buffers)
{
	struct xy__fetch fetch;
	int status;

	/* relaxed: for the dump only */
	atomic_store_explicit(&worker->agent.doing, (uintptr_t)task | XY__DOING_INSIDE, memory_order_relaxed);
	xy__fetch_init(&fetch, task, worker, buffers);
	status = xy__fetch_wait(&fetch, &worker->agent);
	if (xy__transfers_underway(&worker->agent.runtime->memory))
		worker->agent.runtime->engine->entrust(worker->agent.runtime);
	if (status)
		xy__worker_explain(worker, task, status, fetch.reason);
	else if (task->flags & XY__TASK_REDUX)
		status = xy__redux_initialise_all(worker, task, buffers);
	if (worker->special)
		worker->started_s = xy__now();
	if (!status)
		status = worker_invoke(worker, task, call, worker->member);
	xy__fetch_end(&fetch, status, &worker->agent);
	atomic_store_explicit(&worker->agent.doing, 0, memory_order_relaxed);
	return status;
}

static void worker_set(_Atomic double *field, double value)
{
	atomic_store_explicit(field, value, memory_order_relaxed);
}

static inline void worker_occupy(struct xy__worker *worker, double us, double now_s)
{
	double backlog = atomic_load_explicit(&worker->backlog_us, memory_order_relaxed);

	if (!worker->agent.runtime->accounts)
		return;
	if (us < 0 || !(backlog > 0))
		worker_set(&worker->since_us, now_s * 1e6);
	backlog += us;
	worker_set(&worker->backlog_us, backlog > 0 ? backlog : 0);
}

void xy__worker_occupy(struct xy__worker *worker, double us)
{
	worker_occupy(worker, us, xy_now(worker->agent.runtime));
}

void xy__worker_account(struct xy__worker *worker, const struct xy_task *task, bool done)
{
	xy__worker_occupy(worker, done ? -(double)task->expected_us : (double)task->expected_us);
}

/* The two fields may be of different moments, which is a matter of one task. */
double xy__worker_free_us(struct xy__tree_engine *engine, unsigned id)
{
	struct xy__worker *worker = &xy__runtime_of(engine)->workers[id];
	double backlog = atomic_load_explicit(&worker->backlog_us, memory_order_relaxed);

	return backlog > 0 ? atomic_load_explicit(&worker->since_us, memory_order_relaxed) + backlog : 0;
}

static int worker_call_in_team(struct xy__worker *worker, struct xy_task *task)
{
	int status = worker_call(worker, task, true);

	xy__team_end(worker);
	return status;
}

/* The time at which a call has ended: just read, if the codelet was measured and is all that the call consisted of. */
static inline double worker_end(const struct xy__worker *worker, const struct xy_task *task)
{
	if (worker->ended_s > 0 && (task->flags & (XY__TASK_MEASURED | XY__TASK_NESTED)) == XY__TASK_MEASURED &&
	    !worker->member && worker->agent.runtime->memory.nnodes == 1)
		return worker->ended_s;
	return xy__now();
}

static int worker_call_timed(struct xy__worker *worker, struct xy_task *task)
{
	double away = worker->away_s;
	struct xy__run run;
	uint64_t ns;
	int status;

	run.begin_s = xy__now();
	worker_occupy(worker, (double)task->expected_us, run.begin_s);
	xy__notes_started(worker, task, &run);
	worker->started_s = run.begin_s;
	worker->ended_s = 0;
	worker->away_s = 0;
	status = worker->member ? worker_call_in_team(worker, task) : worker_call(worker, task, false);
	run.start_s = worker->started_s < worker->opened_s ? worker->opened_s : worker->started_s;
	run.end_s = worker_end(worker, task);
	ns = (uint64_t)((run.end_s - run.begin_s - worker->away_s) * 1e9);
	worker->away_s = away;
	atomic_store_explicit(&worker->busy_ns, atomic_load_explicit(&worker->busy_ns, memory_order_relaxed) + ns,
			      memory_order_relaxed);
	worker_occupy(worker, -(double)task->expected_us, run.end_s);
	xy__notes_ended(worker, task, status, &run);
	return status;
}

/* Whatever is not simply called. */
static __attribute__((noinline)) int worker_call_special(struct xy__worker *worker, struct xy_task *task)
{
	if (xy__runtime_is_timed(worker->agent.runtime))
		return worker_call_timed(worker, task);
	return worker_call_in_team(worker, task);
}

/* Whether a failed task is retried; decrements its retries. */
static bool worker_retry(struct xy_task *task, struct xy__worker *worker)
{
	if (!task->extra || !task->extra->retries)
		return false;
	task->extra->retries--;
	task->implementation = 0;
	if (xy__task_part(task))
		xy__division_return(task, &worker->agent);
	return true;
}

/* The first successor will be looked at as soon as the task has ended, and the submitter's core has it.
 * Its edge is in it, next to the fields that are needed first. */
static inline void worker_foresee(struct xy_task *task)
{
	struct xy__edge *edge = xy__head_edge(atomic_load_explicit(&task->successors, memory_order_relaxed));

	__builtin_prefetch(edge, 1);
	__builtin_prefetch((void *)((uintptr_t)edge - 64), 1);
}

static inline __attribute__((always_inline)) void worker_finish(struct xy__worker *worker, struct xy_task *task,
								int status)
{
	if (!status)
		xy__deps_end_well(task, &worker->agent);
	else if (worker_retry(task, worker))
		xy__inbox_put(worker->agent.runtime, task, &worker->agent);
	else
		xy__deps_end(task, status, &worker->agent);
}

void xy__worker_finish(struct xy__worker *worker, struct xy_task *task, int status)
{
	worker_finish(worker, task, status);
}

/* Inline in the loop of a worker, although there is another caller. */
static inline __attribute__((always_inline)) void worker_execute(struct xy__worker *worker, struct xy_task *task)
{
	int status;

	worker_foresee(task);
	if (task->constrained)
		worker_choose(worker, task);
	xy_agent_offer_to_others(&worker->agent.base); /* for the codelet's submissions */
	status = worker->special ? worker_call_special(worker, task) : worker_call(worker, task, false);
	xy_agent_offer_to_itself(&worker->agent.base); /* for tasks released by its end */
	worker_finish(worker, task, status);
}

void xy__worker_do(struct xy__worker *worker, struct xy_task *task)
{
	if (!worker->member || xy__team_leads(worker))
		worker_execute(worker, task);
}

void xy__worker_run(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy_task *task;
	unsigned n = 0;

	if (worker->arch != XY_CPU) {
		xy__slots_run(worker);
		return;
	}
	while ((task = xy__search_quickly(worker)) || (task = xy__search_next(worker))) {
		if (worker->member && !xy__team_leads(worker))
			continue;
		worker_execute(worker, task);
		if (++n % PROGRESS_EVERY == 0)
			xy__wait_progress(rt);
	}
}
