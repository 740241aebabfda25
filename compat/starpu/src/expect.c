/* SPDX-License-Identifier: MIT */
/*
 * What a policy asks about a task: the time of its transfers, and to start them.
 */
#include "internal.h"

/* Any worker that computes in a memory node, -1 without one. */
static int worker_on(unsigned node)
{
	for (unsigned i = 0; i < xs_global.nworkers; i++)
		if (xy_machine_worker(xs_global.machine, i)->node == node)
			return (int)i;
	return -1;
}

/* --- expected times, in microseconds --- */

double starpu_task_expected_data_transfer_time_for(struct starpu_task *task, unsigned worker)
{
	struct xy_prediction prediction;
	bool own;
	struct xy_task *xy = worker < xs_global.nworkers ? xs_probe(task, &own) : NULL;

	if (!xy)
		return 0;
	prediction = xy_task_transfer(xy, worker);
	if (own)
		xy_task_release(xy);
	return prediction.kind == XY_PREDICTION_VALUE ? prediction.us : 0;
}

double starpu_task_expected_data_transfer_time(unsigned memory_node, struct starpu_task *task)
{
	int worker = worker_on(memory_node);

	return worker < 0 ? 0 : starpu_task_expected_data_transfer_time_for(task, (unsigned)worker);
}

double starpu_task_worker_expected_length(struct starpu_task *task, unsigned workerid, unsigned sched_ctx_id,
					  unsigned nimpl)
{
	const struct starpu_perfmodel *model = task->cl ? task->cl->model : NULL;

	if (model && model->type == STARPU_PER_WORKER && model->worker_cost_function)
		return model->worker_cost_function(task, workerid, nimpl);
	return starpu_task_expected_length(task, starpu_worker_get_perf_archtype((int)workerid, sched_ctx_id), nimpl);
}

double starpu_task_worker_expected_energy(struct starpu_task *task, unsigned workerid, unsigned sched_ctx_id,
					  unsigned nimpl)
{
	return starpu_task_expected_energy(task, starpu_worker_get_perf_archtype((int)workerid, sched_ctx_id), nimpl);
}

/* The harmonic mean over the workers of a context: fast workers run more of such tasks. */
static double average(struct starpu_task *task, unsigned sched_ctx_id,
		      double (*expected)(struct starpu_task *, unsigned, unsigned, unsigned))
{
	int *workers;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(sched_ctx_id, &workers), known = 0;
	double speeds = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned nimpl;
		double value;

		if (!starpu_worker_can_execute_task_first_impl((unsigned)workers[i], task, &nimpl))
			continue;
		value = expected(task, (unsigned)workers[i], sched_ctx_id, nimpl);
		if (value > 0) {
			speeds += 1 / value;
			known++;
		}
	}
	return known ? known / speeds : 0;
}

double starpu_task_expected_length_average(struct starpu_task *task, unsigned sched_ctx_id)
{
	return average(task, sched_ctx_id, starpu_task_worker_expected_length);
}

double starpu_task_expected_energy_average(struct starpu_task *task, unsigned sched_ctx_id)
{
	return average(task, sched_ctx_id, starpu_task_worker_expected_energy);
}

double starpu_data_expected_transfer_time(starpu_data_handle_t handle, unsigned memory_node,
					  enum starpu_data_access_mode mode)
{
	if (!(mode & STARPU_R) || !handle || memory_node == STARPU_MAIN_RAM)
		return 0;
	return starpu_transfer_predict(STARPU_MAIN_RAM, memory_node, starpu_data_get_size(handle));
}

/* No interface of Xylem's is converted before a task. */
double starpu_task_expected_conversion_time(struct starpu_task *task, struct starpu_perfmodel_arch *arch,
					    unsigned nimpl)
{
	(void)task;
	(void)arch;
	(void)nimpl;
	return 0;
}

/* --- prefetching --- */

int starpu_get_prefetch_flag(void)
{
	return xs_global.nnodes > 1;
}

int starpu_prefetch_task_input_for(struct starpu_task *task, unsigned worker)
{
	const struct xy_component *self;
	struct xy_agent *by = xs_policy_agent(&self);
	struct xs_job *job = task->starpu_private;

	if (worker >= xs_global.nworkers)
		return xs_fail(-EINVAL, "there is no worker %u to prefetch for", worker);
	/* Other threads have no part in the order of the tree: there the data comes when a worker takes the task. */
	if (by && job && job->kept && xy_machine_worker(xs_global.machine, worker)->node != STARPU_MAIN_RAM)
		xy_task_prefetch(job->kept, worker, self, by);
	return 0;
}

int starpu_prefetch_task_input_for_prio(struct starpu_task *task, unsigned worker, int prio)
{
	(void)prio;
	return starpu_prefetch_task_input_for(task, worker);
}

int starpu_idle_prefetch_task_input_for(struct starpu_task *task, unsigned worker)
{
	return starpu_prefetch_task_input_for(task, worker);
}

int starpu_idle_prefetch_task_input_for_prio(struct starpu_task *task, unsigned worker, int prio)
{
	(void)prio;
	return starpu_prefetch_task_input_for(task, worker);
}

int starpu_prefetch_task_input_on_node(struct starpu_task *task, unsigned node)
{
	int worker = worker_on(node);

	return worker < 0 ? 0 : starpu_prefetch_task_input_for(task, (unsigned)worker);
}

int starpu_prefetch_task_input_on_node_prio(struct starpu_task *task, unsigned node, int prio)
{
	(void)prio;
	return starpu_prefetch_task_input_on_node(task, node);
}

int starpu_idle_prefetch_task_input_on_node(struct starpu_task *task, unsigned node)
{
	return starpu_prefetch_task_input_on_node(task, node);
}

int starpu_idle_prefetch_task_input_on_node_prio(struct starpu_task *task, unsigned node, int prio)
{
	(void)prio;
	return starpu_prefetch_task_input_on_node(task, node);
}

/* Nothing here knows when a task will become ready: the function is never called. */
void starpu_task_notify_ready_soon_register(starpu_notify_ready_soon_func f, void *data)
{
	(void)f;
	(void)data;
}
