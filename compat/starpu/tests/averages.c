/* SPDX-License-Identifier: MIT */
/* Expected times and energies of a task for one worker, and their averages over those of a context. */
#include "check.h"

static void nothing(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
}

static double by_worker(struct starpu_task *task, unsigned worker, unsigned nimpl)
{
	(void)task;
	(void)nimpl;
	return worker ? 30 : 10;
}

static double two_joules(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
	(void)task;
	(void)arch;
	(void)nimpl;
	return 2;
}

static struct starpu_perfmodel length = { .type = STARPU_PER_WORKER, .worker_cost_function = by_worker },
			       energy = { .type = STARPU_PER_ARCH, .arch_cost_function = two_joules };
static struct starpu_codelet modelled = { .cpu_funcs = { nothing }, .model = &length, .energy_model = &energy },
			     unknown = { .cpu_funcs = { nothing } };

int main(void)
{
	struct starpu_task *task = starpu_task_create();
	struct starpu_conf conf;
	int second = 1;
	unsigned ctx;

	starpu_conf_init(&conf);
	conf.ncpus = 2;
	OK(starpu_init(&conf));
	ctx = starpu_sched_ctx_create(&second, 1, "second", 0);
	task->cl = &modelled;
	CHECK(starpu_task_worker_expected_length(task, 0, 0, 0) == 10);
	CHECK(starpu_task_worker_expected_length(task, 1, 0, 0) == 30);
	CHECK(starpu_task_expected_length_average(task, 0) == 15); /* four tasks in 30, on two workers */
	CHECK(starpu_task_expected_length_average(task, ctx) == 30);
	CHECK(starpu_task_expected_energy_average(task, 0) == 2);
	task->cl = &unknown;
	CHECK(starpu_task_expected_length_average(task, 0) == 0);
	starpu_task_destroy(task);
	starpu_sched_ctx_delete(ctx);
	starpu_shutdown();
	return 0;
}
