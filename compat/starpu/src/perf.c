/* SPDX-License-Identifier: MIT */
/*
 * Performance models: the program's struct is translated once for each start of
 * the runtime; its functions are called with the task behind the one of
 * Xylem's. Profiling of tasks is in run.c.
 */
#include "internal.h"

struct starpu_perfmodel starpu_perfmodel_nop = { .type = STARPU_PERFMODEL_INVALID, .symbol = "nop" };

struct model {
	struct xy_model xy;
	struct starpu_perfmodel *starpu;
	struct model *next;
};

static pthread_mutex_t models_lock = PTHREAD_MUTEX_INITIALIZER;
static struct model *models; /* with models_lock, until the runtime stops */

static struct starpu_task *task_of(const struct xy_task *task)
{
	const struct xs_job *job = xy_task_argument(task);

	return job->task;
}

static enum starpu_worker_archtype type_of(enum xy_arch arch)
{
	return arch == XY_CPU      ? STARPU_CPU_WORKER
	       : arch == XY_CUDA   ? STARPU_CUDA_WORKER
	       : arch == XY_OPENCL ? STARPU_OPENCL_WORKER
				   : STARPU_HIP_WORKER;
}

/* The functions of a model of Xylem's do not get the model: that of the task's
 * codelet is the one. */
static double per_arch(const struct xy_task *xy, enum xy_arch arch, unsigned implementation)
{
	struct starpu_task *task = task_of(xy);
	struct starpu_perfmodel *model = task->cl->model;
	struct starpu_perfmodel_device device = { type_of(arch), 0, 1 };
	struct starpu_perfmodel_arch where = { 1, &device };

	if (model->arch_cost_function)
		return model->arch_cost_function(task, &where, implementation);
	return model->cost_function ? model->cost_function(task, implementation) : 0;
}

static double per_worker(const struct xy_task *xy, unsigned worker, unsigned implementation)
{
	struct starpu_task *task = task_of(xy);

	return task->cl->model->worker_cost_function(task, worker, implementation);
}

static uint32_t footprint(const struct xy_task *xy)
{
	struct starpu_task *task = task_of(xy);

	return task->cl->model->footprint(task);
}

static double size(const struct xy_task *xy)
{
	struct starpu_task *task = task_of(xy);

	return (double)task->cl->model->size_base(task, 0);
}

static void terms(const struct xy_task *xy, double *values)
{
	struct starpu_task *task = task_of(xy);

	task->cl->model->parameters(task, values);
}

static bool model_translate(struct xy_model *xy, const struct starpu_perfmodel *model)
{
	*xy = (struct xy_model){ .name = model->symbol };
	switch (model->type) {
	case STARPU_PER_WORKER:
		xy->kind = XY_MODEL_WORKER;
		xy->per_worker = per_worker;
		return model->worker_cost_function != NULL;
	case STARPU_PER_ARCH:
	case STARPU_COMMON:
		xy->kind = XY_MODEL_ARCH;
		xy->per_arch = per_arch;
		return model->arch_cost_function || model->cost_function;
	case STARPU_HISTORY_BASED:
		xy->kind = XY_MODEL_HISTORY;
		break;
	case STARPU_REGRESSION_BASED:
		xy->kind = XY_MODEL_LINEAR;
		break;
	case STARPU_NL_REGRESSION_BASED:
		xy->kind = XY_MODEL_NONLINEAR;
		break;
	case STARPU_MULTIPLE_REGRESSION_BASED:
		xy->kind = model->parameters && model->nparameters <= XY_NTERMS ? XY_MODEL_MULTIPLE : XY_MODEL_HISTORY;
		xy->terms = model->parameters ? terms : NULL;
		xy->nterms = model->nparameters;
		break;
	default:
		return false;
	}
	if (model->footprint)
		xy->footprint = footprint;
	if (model->size_base)
		xy->size = size;
	return model->symbol != NULL;
}

const struct xy_model *xs_model(struct starpu_perfmodel *starpu)
{
	struct model *model;

	if (!starpu)
		return NULL;
	pthread_mutex_lock(&models_lock);
	for (model = models; model && model->starpu != starpu; model = model->next)
		;
	if (!model) {
		model = calloc(1, sizeof *model);
		if (model && model_translate(&model->xy, starpu)) {
			model->starpu = starpu;
			model->next = models;
			models = model;
		} else {
			free(model);
			model = NULL;
		}
	}
	pthread_mutex_unlock(&models_lock);
	return model ? &model->xy : NULL;
}

void xs_models_fini(void)
{
	while (models) {
		struct model *model = models;

		models = model->next;
		free(model);
	}
}

void starpu_perfmodel_init(struct starpu_perfmodel *model)
{
	model->is_init = 1;
}

int starpu_perfmodel_deinit(struct starpu_perfmodel *model)
{
	model->is_init = 0;
	return 0;
}

/* --- profiling --- */

int starpu_profiling_status_set(int status)
{
	return atomic_exchange(&xs_global.profiling, status);
}

int starpu_profiling_status_get(void)
{
	return atomic_load(&xs_global.profiling);
}

/* --- traces: marks of the program are not kept --- */

void starpu_fxt_autostart_profiling(int autostart)
{
	(void)autostart;
}

void starpu_fxt_start_profiling(void)
{
}

void starpu_fxt_stop_profiling(void)
{
}

int starpu_fxt_is_enabled(void)
{
	return 0;
}

void starpu_fxt_trace_user_event(unsigned long code)
{
	(void)code;
}

void starpu_fxt_trace_user_event_string(const char *s)
{
	(void)s;
}

/* --- predictions --- */

struct starpu_perfmodel_arch *starpu_worker_get_perf_archtype(int workerid, unsigned sched_ctx_id)
{
	static struct starpu_perfmodel_device devices[STARPU_NMAXWORKERS];
	static struct starpu_perfmodel_arch archs[STARPU_NMAXWORKERS];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	(void)sched_ctx_id;
	if (workerid < 0 || (unsigned)workerid >= xs_global.nworkers || workerid >= STARPU_NMAXWORKERS)
		return NULL;
	pthread_mutex_lock(&lock);
	devices[workerid] = (struct starpu_perfmodel_device){
		starpu_worker_get_type(workerid),
		starpu_worker_get_type(workerid) == STARPU_CPU_WORKER ? 0 : starpu_worker_get_devid(workerid), 1
	};
	archs[workerid] = (struct starpu_perfmodel_arch){ 1, &devices[workerid] };
	pthread_mutex_unlock(&lock);
	return &archs[workerid];
}

/* The first worker of an architecture, -1 without one. */
static int worker_of(const struct starpu_perfmodel_arch *arch)
{
	return arch && arch->ndevices ? starpu_worker_get_by_type(arch->devices[0].type, 0) : -1;
}

/* Asks Xylem about a task that is never submitted. NAN: it needs measurements;
 * 0: it has no model. */
static double predict(struct starpu_task *task, const struct starpu_perfmodel_arch *arch, unsigned nimpl,
		      struct xy_prediction (*query)(const struct xy_task *, unsigned, unsigned))
{
	unsigned n = task->cl ? STARPU_TASK_GET_NBUFFERS(task) : 0;
	struct xy_access accesses[n + 1];
	struct xy_prediction prediction;
	struct xy_task_desc desc = { .accesses = accesses, .arg = xs_job(task) };
	struct xy_task *xy;
	int worker = worker_of(arch), error;

	desc.codelet = xs_codelet(task->cl, task->where, &error);
	if (worker < 0 || error || !desc.codelet)
		return 0;
	for (unsigned i = 0; i < n; i++)
		accesses[i] = (struct xy_access){ STARPU_TASK_GET_HANDLE(task, i)->xy,
						  xs_mode(STARPU_TASK_GET_MODE(task, i)) };
	accesses[n] = (struct xy_access){ NULL, (enum xy_mode)0 };
	if (xy_task_create(xs_global.rt, &desc, &xy))
		return NAN;
	prediction = query(xy, (unsigned)worker, nimpl);
	xy_task_release(xy);
	return prediction.kind == XY_PREDICTION_VALUE ? prediction.us : prediction.kind == XY_PREDICTION_NONE ? 0 : NAN;
}

double starpu_task_expected_length(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
	return predict(task, arch, nimpl, xy_task_length);
}

double starpu_task_expected_energy(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
	return predict(task, arch, nimpl, xy_task_energy);
}

double starpu_worker_get_relative_speedup(struct starpu_perfmodel_arch *perf_arch)
{
	int worker = worker_of(perf_arch);

	return worker < 0 ? 0 : xy_machine_worker(xs_global.machine, (unsigned)worker)->speed;
}

uint32_t starpu_task_data_footprint(struct starpu_task *task)
{
	unsigned n = task->cl ? STARPU_TASK_GET_NBUFFERS(task) : 0;
	uint32_t crc = 0;

	for (unsigned i = 0; i < n; i++) {
		size_t bytes = starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i));

		crc = starpu_hash_crc32c_be_n(&bytes, sizeof bytes, crc);
	}
	return crc;
}

double starpu_transfer_predict(unsigned src_node, unsigned dst_node, size_t size)
{
	struct xy_prediction prediction = xy_bus_time_us(xs_global.rt, src_node, dst_node, size);

	return prediction.kind == XY_PREDICTION_VALUE ? prediction.us : 0;
}

int starpu_profiling_worker_get_info(int workerid, struct starpu_profiling_worker_info *worker_info)
{
	struct xy_worker_stats stats;
	double now = xs_global.rt ? xy_now(xs_global.rt) : 0;

	if (workerid < 0 || !xs_global.rt || xy_worker_stats(xs_global.rt, (unsigned)workerid, &stats))
		return -EINVAL;
	if (!worker_info)
		return 0;
	memset(worker_info, 0, sizeof *worker_info);
	worker_info->executed_tasks = (int)stats.tasks;
	worker_info->executing_time.tv_sec = (time_t)stats.busy_s;
	worker_info->executing_time.tv_nsec = (long)((stats.busy_s - (double)(time_t)stats.busy_s) * 1e9);
	worker_info->total_time.tv_sec = (time_t)(now - xs_global.start_s);
	worker_info->total_time.tv_nsec = (long)((now - xs_global.start_s - (double)worker_info->total_time.tv_sec) *
						 1e9);
	return 0;
}
