/* SPDX-License-Identifier: MIT */
/* Contexts as sets of workers, predefined policies, bundles, predictions,
 * profiling. */
#include <starpu.h>

static unsigned on[2];

static void here(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&on[starpu_worker_get_id()], 1);
}

static double cost(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned implementation)
{
	STARPU_ASSERT(task->cl && arch->ndevices == 1 && arch->devices[0].type == STARPU_CPU_WORKER);
	(void)implementation;
	return 123;
}

static struct starpu_perfmodel model = { .type = STARPU_PER_ARCH, .arch_cost_function = cost, .symbol = "cost" };
static struct starpu_codelet cl = { .cpu_funcs = { here }, .name = "here" };
static struct starpu_codelet predicted = { .cpu_funcs = { here }, .model = &model };

static void contexts(void)
{
	int worker = 1, *list;
	unsigned id = starpu_sched_ctx_create(&worker, 1, "one", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
	struct starpu_worker_collection *workers;
	struct starpu_sched_ctx_iterator it;

	STARPU_ASSERT(id && id < STARPU_NMAX_SCHED_CTXS && starpu_sched_ctx_get_nworkers(id) == 1);
	STARPU_ASSERT(starpu_sched_ctx_contains_worker(1, id) && !starpu_sched_ctx_contains_worker(0, id));
	starpu_sched_ctx_set_policy_data(id, &worker);
	STARPU_ASSERT(starpu_sched_ctx_get_policy_data(id) == &worker);
	for (int i = 0; i < 20; i++)
		STARPU_ASSERT(starpu_task_insert(&cl, STARPU_SCHED_CTX, id, 0) == 0);
	starpu_sched_ctx_set_context(&id);
	STARPU_ASSERT(starpu_sched_ctx_get_context() == id);
	for (int i = 0; i < 20; i++)
		STARPU_ASSERT(starpu_task_insert(&cl, 0) == 0);
	STARPU_ASSERT(starpu_task_wait_for_all_in_ctx(id) == 0);
	STARPU_ASSERT(on[0] == 0 && on[1] == 40);
	STARPU_ASSERT(starpu_sched_ctx_get_workers_list(id, &list) == 1 && list[0] == 1);
	free(list);
	workers = starpu_sched_ctx_get_worker_collection(id);
	workers->init_iterator(workers, &it);
	STARPU_ASSERT(workers->has_next(workers, &it) && workers->get_next(workers, &it) == 1);
	starpu_sched_ctx_display_workers(id, stderr);
	starpu_sched_ctx_delete(id);
	STARPU_ASSERT(starpu_sched_ctx_get_context() == STARPU_NMAX_SCHED_CTXS);
}

static void policies(void)
{
	struct starpu_sched_policy **policy = starpu_sched_get_predefined_policies();
	struct starpu_conf conf;
	unsigned n = 0;

	STARPU_ASSERT(!strcmp(starpu_sched_get_sched_policy()->policy_name, "eager"));
	starpu_shutdown();
	for (; *policy; policy++, n++) {
		starpu_conf_init(&conf);
		conf.ncpus = 2;
		conf.sched_policy = *policy;
		if (starpu_init(&conf))
			continue; /* a policy for parallel tasks may need more workers */
		STARPU_ASSERT(starpu_task_insert(&cl, 0) == 0);
		STARPU_ASSERT(starpu_task_wait_for_all() == 0);
		starpu_shutdown();
	}
	STARPU_ASSERT(n > 10);
}

static void bundles(void)
{
	struct starpu_task *task = starpu_task_create();
	starpu_task_bundle_t bundle;

	task->cl = &cl;
	starpu_task_bundle_create(&bundle);
	STARPU_ASSERT(starpu_task_bundle_insert(bundle, task) == 0);
	STARPU_ASSERT(starpu_task_bundle_remove(bundle, task) == 0);
	STARPU_ASSERT(starpu_task_bundle_insert(bundle, task) == 0);
	starpu_task_bundle_close(bundle);
	STARPU_ASSERT(starpu_task_submit(task) == 0);
	STARPU_ASSERT(starpu_task_wait_for_all() == 0);
}

static void predictions(void)
{
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(0, STARPU_NMAX_SCHED_CTXS);
	struct starpu_task *task = starpu_task_create();
	struct starpu_profiling_worker_info info;
	struct starpu_profiling_task_info *times;

	task->cl = &predicted;
	STARPU_ASSERT(arch && starpu_task_expected_length(task, arch, 0) == 123);
	STARPU_ASSERT(starpu_task_expected_energy(task, arch, 0) == 0);
	STARPU_ASSERT(starpu_task_data_footprint(task) == 0);
	starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
	task->detach = 0;
	task->destroy = 0;
	STARPU_ASSERT(starpu_task_submit(task) == 0);
	STARPU_ASSERT(starpu_task_wait(task) == 0);
	times = task->profiling_info;
	STARPU_ASSERT(times && times->workerid >= 0);
	STARPU_ASSERT(starpu_timing_timespec_delay_us(&times->start_time, &times->end_time) >= 0);
	starpu_task_destroy(task);
	STARPU_ASSERT(starpu_profiling_worker_get_info(0, &info) == 0 && info.executed_tasks >= 0);
	STARPU_ASSERT(starpu_timing_timespec_to_us(&info.total_time) > 0);
}

int main(void)
{
	struct starpu_conf conf;

	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.sched_policy_name = "eager";
	conf.precedence_over_environment_variables = 1;
	STARPU_ASSERT(starpu_init(&conf) == 0);
	contexts();
	bundles();
	predictions();
	policies();
	return 0;
}
