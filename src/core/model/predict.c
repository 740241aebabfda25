/* SPDX-License-Identifier: MIT */
/*
 * Predictions that components ask for: how long a task takes on a worker, what it consumes, and how long moving its
 * data takes.
 */
#include "core/model/predict.h"

#include <errno.h>
#include <math.h>

#include "core/model/model.h"
#include "core/perf/bus.h"
#include "core/task/handle.h"
#include "core/task/pool.h"

struct xy_prediction xy_task_length(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	const struct xy_codelet *codelet = xy__task_codelet(task);
	const struct xy_worker_info *info;

	if (task->pool->length && codelet && !(codelet->model && codelet->model->kind <= XY_MODEL_WORKER)) {
		struct xy_prediction said = task->pool->length(task->pool->runtime, task, worker);

		if (said.kind == XY_PREDICTION_VALUE)
			return said;
	}
	if (codelet && codelet->model && task->pool->perf) {
		struct xy_prediction said = xy__perf_predict(task->pool->perf, codelet->model, task, worker,
							     implementation);

		/* Where the engine knows lengths it measures none: what is not known stays so. */
		if (said.kind == XY_PREDICTION_VALUE || !task->pool->length || !(task->length_us > 0))
			return said;
	}
	info = xy_machine_worker(task->pool->machine, worker);
	if (!(task->length_us > 0) || !info)
		return (struct xy_prediction){ .kind = XY_PREDICTION_NONE };
	return (struct xy_prediction){ .kind = XY_PREDICTION_VALUE, .us = xy__task_length_us(task) / info->speed };
}

double xy__predict_known_us(const struct xy_task *task, enum xy_arch arch)
{
	const struct xy_codelet *codelet = xy__task_codelet(task);

	if (!codelet || !codelet->model || task->pool->length || !task->pool->perf)
		return 0;
	return xy__perf_known(task->pool->perf, codelet->model, task, arch, 0);
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

int xy_task_measured(const struct xy_task *task, const struct xy_model *model, unsigned worker, unsigned implementation,
		     double value)
{
	struct xy__perf *perf = task ? task->pool->perf : NULL;

	if (!perf || !xy__model_is_measured(model) || !xy_machine_worker(task->pool->machine, worker) ||
	    implementation >= XY_NIMPLEMENTATIONS || !(value > 0) || !(value < 1e30))
		return -EINVAL;
	if (perf->calibrate)
		xy__perf_measure(perf, model, task, worker, implementation, value);
	return 0;
}

/* The nearest copy of a handle, as seen from a node; false when nothing is known. From disk it comes by RAM. */
static bool predict_nearest(const struct xy__places *places, struct xy_handle *h, unsigned to, double *us)
{
	uint64_t valid = atomic_load_explicit(&h->valid, memory_order_relaxed);
	bool known = false;

	*us = 0;
	if (valid & places->common)
		valid |= 1;
	if (valid >> to & 1)
		return true;
	for (; valid; valid &= valid - 1) {
		double here;

		if (!xy__bus_time(places->bus, (unsigned)__builtin_ctzll(valid), to, h->size_bytes, &here))
			continue;
		*us = known ? fmin(*us, here) : here;
		known = true;
	}
	return known;
}

struct xy_prediction xy_task_transfer(const struct xy_task *task, unsigned worker)
{
	const struct xy__places *places = task->pool->places;
	const uintptr_t *accesses = xy__task_accesses((struct xy_task *)task);
	struct xy_prediction p = { .kind = XY_PREDICTION_VALUE };

	if (!places || worker >= places->nworkers)
		return (struct xy_prediction){ .kind = XY_PREDICTION_NONE };
	for (unsigned i = 0; i < task->naccesses; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);
		unsigned node = places->nodes[worker];
		double us = 0;

		if (!(accesses[i] & XY_R) || !h->copies || !xy__task_brings(task, i, &node))
			continue;
		if (!predict_nearest(places, h, node, &us))
			return (struct xy_prediction){ .kind = XY_PREDICTION_UNKNOWN };
		p.us += us;
	}
	return p;
}

double xy__predict_result_us(const struct xy_task *task, unsigned from, unsigned to)
{
	const struct xy__places *places = task->pool->places;
	const uintptr_t *accesses = xy__task_accesses((struct xy_task *)task);
	double sum = 0, us;

	if (!places || from >= places->nworkers || to >= places->nworkers)
		return 0;
	for (unsigned i = 0; i < task->naccesses; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);

		if (accesses[i] & XY_W && h->copies &&
		    xy__bus_time(places->bus, places->nodes[from], places->nodes[to], h->size_bytes, &us))
			sum += us;
	}
	return sum;
}
