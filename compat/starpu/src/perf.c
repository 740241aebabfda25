/* SPDX-License-Identifier: MIT */
/*
 * Performance models: the program's struct is translated once for each start of
 * the runtime; its functions are called with the task behind the one of
 * Xylem's. Profiling of tasks is in run.c.
 */
#include "model.h"

struct starpu_perfmodel starpu_perfmodel_nop = { .type = STARPU_PERFMODEL_INVALID, .symbol = "nop" };

/* A model of Xylem's does not get itself in its functions: those of a codelet's two models differ. */
struct model {
	struct xy_model xy;
	struct starpu_perfmodel *starpu;
	bool energy;
	struct model *next;
};

static pthread_mutex_t models_lock = PTHREAD_MUTEX_INITIALIZER;
static struct model *models; /* with models_lock, until the runtime stops */
/* While the thread adds a measurement to a model that need not be the task's. */
static _Thread_local struct starpu_perfmodel *fed;

static struct starpu_task *task_of(const struct xy_task *task)
{
	const struct xs_job *job = xy_task_argument(task);

	return job->task;
}

static struct starpu_perfmodel *model_of(const struct starpu_task *task, bool energy)
{
	return fed ? fed : energy ? task->cl->energy_model : task->cl->model;
}

static double cost(const struct xy_task *xy, unsigned worker, unsigned implementation, bool energy)
{
	struct starpu_task *task = task_of(xy);
	struct starpu_perfmodel *model = model_of(task, energy);
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype((int)worker, task->sched_ctx);
	const struct starpu_perfmodel_per_arch *table;

	if (model->type == STARPU_PER_WORKER)
		return model->worker_cost_function(task, worker, implementation);
	if (model->type == STARPU_COMMON && model->cost_function)
		return model->cost_function(task, implementation) / starpu_worker_get_relative_speedup(arch);
	if (model->arch_cost_function)
		return model->arch_cost_function(task, arch, implementation);
	table = xs_table_of_worker(model, worker, implementation);
	if (table && table->cost_function)
		return table->cost_function(task, arch, implementation);
	return model->cost_function ? model->cost_function(task, implementation) : 0;
}

#define MODEL_FUNCTIONS(kind, energy) \
	static double kind##_cost(const struct xy_task *xy, unsigned worker, unsigned implementation) \
	{ \
		return cost(xy, worker, implementation, energy); \
	} \
	static uint32_t kind##_footprint(const struct xy_task *xy) \
	{ \
		return model_of(task_of(xy), energy)->footprint(task_of(xy)); \
	} \
	static double kind##_size(const struct xy_task *xy) \
	{ \
		return (double)model_of(task_of(xy), energy)->size_base(task_of(xy), 0); \
	} \
	static void kind##_terms(const struct xy_task *xy, double *values) \
	{ \
		model_of(task_of(xy), energy)->parameters(task_of(xy), values); \
	}
MODEL_FUNCTIONS(length, false)
MODEL_FUNCTIONS(energy, true)

static bool model_translate(struct xy_model *xy, const struct starpu_perfmodel *model, bool energy)
{
	*xy = (struct xy_model){ .name = model->symbol };
	switch (model->type) {
	case STARPU_PER_WORKER:
	case STARPU_PER_ARCH:
	case STARPU_COMMON:
		xy->kind = XY_MODEL_WORKER;
		xy->per_worker = energy ? energy_cost : length_cost;
		return model->worker_cost_function || model->arch_cost_function || model->cost_function || model->state;
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
		if (model->parameters)
			xy->terms = energy ? energy_terms : length_terms;
		xy->nterms = model->nparameters;
		break;
	default:
		return false;
	}
	if (model->footprint)
		xy->footprint = energy ? energy_footprint : length_footprint;
	if (model->size_base)
		xy->size = energy ? energy_size : length_size;
	return model->symbol != NULL;
}

const struct xy_model *xs_model(struct starpu_perfmodel *starpu, bool energy)
{
	struct model *model;

	if (!starpu)
		return NULL;
	pthread_mutex_lock(&models_lock);
	for (model = models; model && (model->starpu != starpu || model->energy != energy); model = model->next)
		;
	if (!model) {
		model = calloc(1, sizeof *model);
		if (model && model_translate(&model->xy, starpu, energy)) {
			model->starpu = starpu;
			model->energy = energy;
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

/* --- measurements of the program's own --- */

/* A worker of an architecture, of the device if there is one; -1 without one. */
static int worker_of(const struct starpu_perfmodel_arch *arch)
{
	int worker = -1;

	if (!arch || !arch->ndevices)
		return -1;
	if (arch->devices[0].type != STARPU_CPU_WORKER)
		worker = starpu_worker_get_by_devid(arch->devices[0].type, arch->devices[0].devid);
	return worker >= 0 ? worker : starpu_worker_get_by_type(arch->devices[0].type, 0);
}

static int nothing(struct xy_call *call)
{
	(void)call;
	return 0;
}

void starpu_perfmodel_update_history(struct starpu_perfmodel *model, struct starpu_task *task,
				     struct starpu_perfmodel_arch *arch, unsigned cpuid, unsigned nimpl,
				     double measured)
{
	static const struct xy_codelet codelet = {
		.name = "measured", .cpu = { nothing }, .cuda = { nothing }, .opencl = { nothing }, .hip = { nothing }
	};
	unsigned n = task->cl ? STARPU_TASK_GET_NBUFFERS(task) : 0;
	struct xy_access accesses[n + 1];
	struct xy_task_desc desc = { .codelet = &codelet, .accesses = accesses, .arg = xs_job(task) };
	const struct xy_model *xy_model = xs_model(model, false);
	struct xy_task *xy;
	int worker = worker_of(arch), error = worker < 0 || !xy_model ? -EINVAL : 0;

	(void)cpuid;
	for (unsigned i = 0; i < n; i++)
		accesses[i] = (struct xy_access){ STARPU_TASK_GET_HANDLE(task, i)->xy,
						  xs_mode(STARPU_TASK_GET_MODE(task, i)) };
	accesses[n] = (struct xy_access){ NULL, (enum xy_mode)0 };
	if (!error)
		error = xy_task_create(xs_global.rt, &desc, &xy);
	if (!error) {
		fed = model;
		error = xy_task_measured(xy, xy_model, (unsigned)worker, nimpl, measured);
		fed = NULL;
		xy_task_release(xy);
	}
	if (error)
		xs_fail(error, "starpu_perfmodel_update_history: model '%s' takes no such measurement",
			model->symbol ? model->symbol : "");
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
	struct starpu_perfmodel_device device;

	(void)sched_ctx_id;
	if (workerid < 0 || (unsigned)workerid >= xs_global.nworkers || workerid >= STARPU_NMAXWORKERS)
		return NULL;
	device = (struct starpu_perfmodel_device){
		starpu_worker_get_type(workerid),
		starpu_worker_get_type(workerid) == STARPU_CPU_WORKER ? 0 : starpu_worker_get_devid(workerid), 1
	};
	/* Written once while the workers stay what they are, as others read it without the lock. */
	pthread_mutex_lock(&lock);
	if (!archs[workerid].devices || devices[workerid].type != device.type ||
	    devices[workerid].devid != device.devid) {
		devices[workerid] = device;
		archs[workerid] = (struct starpu_perfmodel_arch){ 1, &devices[workerid] };
	}
	pthread_mutex_unlock(&lock);
	return &archs[workerid];
}

/* A task of Xylem's to ask about: the one that a policy has, or one that is never submitted and that the caller
 * releases (*own). NULL: nothing to ask. */
struct xy_task *xs_probe(struct starpu_task *task, bool *own)
{
	unsigned n = task->cl ? STARPU_TASK_GET_NBUFFERS(task) : 0;
	struct xs_job *job = xs_job(task);
	struct xy_access accesses[n + 1];
	struct xy_task_desc desc = { .accesses = accesses, .arg = job };
	struct xy_task *xy;
	int error;

	*own = false;
	if (!job || job->kept)
		return job ? job->kept : NULL;
	desc.codelet = xs_codelet(task->cl, task->where, &error);
	if (error || !desc.codelet || !xs_global.rt)
		return NULL;
	for (unsigned i = 0; i < n; i++)
		accesses[i] = (struct xy_access){ STARPU_TASK_GET_HANDLE(task, i)->xy,
						  xs_mode(STARPU_TASK_GET_MODE(task, i)) };
	accesses[n] = (struct xy_access){ NULL, (enum xy_mode)0 };
	*own = !xy_task_create(xs_global.rt, &desc, &xy);
	return *own ? xy : NULL;
}

/* NAN: it needs measurements; 0: it has no model. */
static double predict(struct starpu_task *task, const struct starpu_perfmodel_arch *arch, unsigned nimpl,
		      struct xy_prediction (*query)(const struct xy_task *, unsigned, unsigned))
{
	struct xy_prediction prediction;
	int worker = worker_of(arch);
	bool own;
	struct xy_task *xy = worker < 0 ? NULL : xs_probe(task, &own);

	if (!xy)
		return 0;
	prediction = query(xy, (unsigned)worker, nimpl);
	if (own)
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
