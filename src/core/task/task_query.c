/* SPDX-License-Identifier: MIT */
/*
 * What components may ask of a task.
 */
#include <errno.h>
#include <math.h>
#include <xylem/component.h>

#include "core/data/handle.h"
#include "core/model/model.h"
#include "core/task/pool.h"
#include "core/task/task.h"

/* The implementations of a codelet for an architecture. */
static xy_function *const *implementations(const struct xy_codelet *codelet, enum xy_arch arch)
{
	switch (arch) {
	case XY_CPU:
		return codelet->cpu;
	case XY_CUDA:
		return codelet->cuda;
	default:
		return codelet->opencl;
	}
}

static bool pinned_elsewhere(const struct xy_task *task, unsigned worker)
{
	const struct xy__task_extra *extra = task->extra;

	if (!extra || !extra->nworkers)
		return false;
	for (unsigned i = 0; i < extra->nworkers; i++)
		if (extra->workers[i] == worker)
			return false;
	return true;
}

int xy_task_priority(const struct xy_task *task)
{
	return task->priority;
}

unsigned xy_task_choice(const struct xy_task *task)
{
	return task->extra ? task->extra->choice : 0;
}

unsigned xy_task_archs(const struct xy_task *task)
{
	return task->archs;
}

/* How many workers had died when this one did; 0 while it lives. */
static unsigned death_of(const struct xy_task *task, unsigned worker)
{
	const struct xy__deaths *deaths = task->pool->deaths;

	if (!deaths || !atomic_load_explicit(&((struct xy__deaths *)deaths)->count, memory_order_relaxed))
		return 0;
	return atomic_load_explicit(&deaths->of[worker], memory_order_relaxed);
}

/* Whether a worker could run it, dead or alive. */
static bool fits_with(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	const struct xy_worker_info *info = xy_machine_worker(task->pool->machine, worker);
	const struct xy_codelet *codelet = xy__task_codelet(task);

	if (!info || !(task->archs & 1u << info->arch) || implementation >= XY_NIMPLEMENTATIONS)
		return false;
	if (!codelet)
		return implementation == 0;
	if (!implementations(codelet, info->arch)[implementation])
		return false;
	if (!task->constrained)
		return true;
	return !pinned_elsewhere(task, worker) &&
	       (!codelet->can_execute || codelet->can_execute(task, worker, implementation));
}

static bool fits(const struct xy_task *task, unsigned worker)
{
	const struct xy_worker_info *info = xy_machine_worker(task->pool->machine, worker);

	if (!info || !(task->archs & 1u << info->arch))
		return false;
	if (!task->constrained)
		return true;
	for (unsigned i = 0; i < XY_NIMPLEMENTATIONS; i++)
		if (fits_with(task, worker, i))
			return true;
	return false;
}

/* Tasks that could come to a worker that is dead are constrained, or become so when it sends them away. */
static bool can_run_alive(const struct xy_task *task, unsigned worker)
{
	return fits(task, worker) && !(task->constrained && death_of(task, worker));
}

/* Nobody alive can run it, and this one, which is dead, has not sent it away yet. */
static bool is_last_resort(const struct xy_task *task, unsigned worker)
{
	unsigned n = xy_machine_nworkers(task->pool->machine);

	if (!xy__task_can_take(task, worker))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (can_run_alive(task, i))
			return false;
	return true;
}

bool xy_task_can_run_with(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	return fits_with(task, worker, implementation) &&
	       (!(task->constrained && death_of(task, worker)) || is_last_resort(task, worker));
}

bool xy_task_can_run(const struct xy_task *task, unsigned worker)
{
	return fits(task, worker) &&
	       (!(task->constrained && death_of(task, worker)) || is_last_resort(task, worker));
}

bool xy__task_can_take(const struct xy_task *task, unsigned worker)
{
	return fits(task, worker) && !(task->flags & XY__TASK_SENT && death_of(task, worker) &&
				       task->sent_at >= death_of(task, worker));
}

unsigned xy__task_team_implementation(const struct xy_task *task, const struct xy_component *team)
{
	unsigned i, j;

	for (i = 0; i < XY_NIMPLEMENTATIONS; i++) {
		for (j = 0; j < team->nmembers && xy_task_can_run_with(task, team->members[j], i); j++)
			;
		if (j == team->nmembers)
			break;
	}
	return i;
}

static bool can_run_in_team(const struct xy_task *task, const struct xy_component *team)
{
	const struct xy_codelet *codelet = xy__task_codelet(task);

	if (!(task->archs & XY_ON_TEAM) || !codelet || (codelet->most_ranks && codelet->most_ranks < team->nmembers))
		return false;
	return xy__task_team_implementation(task, team) < XY_NIMPLEMENTATIONS;
}

static bool can_run_below(const struct xy_task *task, const struct xy_component *c,
			  bool (*can_run)(const struct xy_task *task, unsigned worker))
{
	if (!(task->archs & c->archs))
		return false;
	if (!task->constrained)
		return true;
	for (unsigned i = 0; (c->archs & XY_ON_ALL) && i < c->nworkers; i++)
		if (can_run(task, c->workers[i]))
			return true;
	for (unsigned i = 0; i < c->nteams; i++)
		if (can_run_in_team(task, c->teams[i]))
			return true;
	return false;
}

bool xy_task_can_run_below(const struct xy_task *task, const struct xy_component *c)
{
	return can_run_below(task, c, xy_task_can_run);
}

bool xy__task_can_run_alive_below(const struct xy_task *task, const struct xy_component *c)
{
	return can_run_below(task, c, can_run_alive);
}

struct xy_prediction xy_task_length(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	const struct xy_codelet *codelet = xy__task_codelet(task);
	const struct xy_worker_info *info;

	if (task->pool->sim && codelet && !(codelet->model && codelet->model->kind <= XY_MODEL_WORKER)) {
		struct xy_prediction said = task->pool->sim(task->pool->runtime, task, worker);

		if (said.kind == XY_PREDICTION_VALUE)
			return said;
	}
	if (codelet && codelet->model && task->pool->perf) {
		struct xy_prediction said = xy__perf_predict(task->pool->perf, codelet->model, task, worker,
							     implementation);

		/* A simulation measures nothing: what is not known stays so. */
		if (said.kind == XY_PREDICTION_VALUE || !task->pool->sim || !(task->length_us > 0))
			return said;
	}
	info = xy_machine_worker(task->pool->machine, worker);
	if (!(task->length_us > 0) || !info)
		return (struct xy_prediction){ .kind = XY_PREDICTION_NONE };
	return (struct xy_prediction){ .kind = XY_PREDICTION_VALUE, .us = task->length_us / info->speed };
}

struct xy_prediction xy_task_energy(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	const struct xy_codelet *codelet = xy__task_codelet(task);

	if (!codelet || !codelet->energy_model || !task->pool->perf)
		return (struct xy_prediction){ .kind = XY_PREDICTION_NONE };
	return xy__perf_predict(task->pool->perf, codelet->energy_model, task, worker, implementation);
}

int xy_call_energy(struct xy_call *call, double joules)
{
	const struct xy_codelet *codelet = call ? xy__task_codelet(call->task) : NULL;
	struct xy__perf *perf = call ? call->task->pool->perf : NULL;

	if (!codelet || !perf || !xy__model_is_measured(codelet->energy_model) || !(joules > 0) || !(joules < 1e30))
		return -EINVAL;
	if (perf->calibrate)
		xy__perf_measure(perf, codelet->energy_model, call->task, call->worker, call->implementation, joules);
	return 0;
}

void *xy_task_argument(const struct xy_task *task)
{
	return task->arg;
}

unsigned xy_task_nhandles(const struct xy_task *task)
{
	return task->naccesses;
}

const struct xy_handle *xy_task_handle(const struct xy_task *task, unsigned i)
{
	return i < task->naccesses ? xy__access_handle(xy__task_accesses((struct xy_task *)task)[i]) : NULL;
}

void xy_task_set_implementation(struct xy_task *task, unsigned implementation)
{
	task->implementation = (uint8_t)implementation;
}

void xy_task_set_expected(struct xy_task *task, double us)
{
	task->expected_us = us > 0 && us < INFINITY ? (float)us : 0;
}
