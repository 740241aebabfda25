/* SPDX-License-Identifier: MIT */
/* Performance models: functions for each device, measured ones, files of StarPU's and of Xylem's, energy, profiling. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <starpu.h>
#include <starpu_perfmodel.h>
#include <starpu_profiling.h>
#include <starpu_scheduler.h>

static void nothing(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
}

static double first_cost(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
	(void)task;
	assert(arch->ndevices == 1 && arch->devices[0].type == STARPU_CPU_WORKER && nimpl == 0);
	return 12.0;
}

static double second_cost(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
	(void)task;
	(void)arch;
	assert(nimpl == 1);
	return 7.0;
}

static double joules(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
	(void)task;
	(void)arch;
	(void)nimpl;
	return 3.0;
}

static double common(struct starpu_task *task, unsigned nimpl)
{
	(void)task;
	(void)nimpl;
	return 9.0;
}

static double on_worker(struct starpu_task *task, unsigned worker, unsigned nimpl)
{
	(void)task;
	(void)nimpl;
	return 20.0 + worker;
}

static size_t three(struct starpu_task *task, unsigned nimpl)
{
	(void)task;
	(void)nimpl;
	return 3;
}

static uint32_t own_footprint(struct starpu_task *task)
{
	return starpu_hash_crc32c_be(42, starpu_task_data_footprint(task));
}

static struct starpu_perfmodel per_arch = { .type = STARPU_PER_ARCH, .symbol = "per_arch" };
static struct starpu_perfmodel energy = { .type = STARPU_PER_ARCH, .arch_cost_function = joules, .symbol = "energy" };
static struct starpu_perfmodel shared = { .type = STARPU_COMMON, .cost_function = common, .symbol = "common" };
static struct starpu_perfmodel worker = { .type = STARPU_PER_WORKER,
					  .worker_cost_function = on_worker,
					  .symbol = "worker" };
static struct starpu_perfmodel history = { .type = STARPU_HISTORY_BASED,
					   .symbol = "history",
					   .footprint = own_footprint };
static struct starpu_perfmodel regression = { .type = STARPU_REGRESSION_BASED,
					      .symbol = "regression",
					      .size_base = three };
static struct starpu_perfmodel fed = { .type = STARPU_NL_REGRESSION_BASED, .symbol = "fed" };
static struct starpu_codelet cl = {
	.cpu_funcs = { nothing, nothing }, .nbuffers = 1, .modes = { STARPU_W }, .energy_model = &energy
};

static char folder[64];

static void functions(starpu_data_handle_t handle)
{
	struct starpu_task *task = starpu_task_create();
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(0, 0);

	starpu_perfmodel_init(&per_arch);
	assert(!starpu_perfmodel_set_per_devices_cost_function(&per_arch, 0, first_cost, STARPU_CPU_WORKER, 0, 1, -1));
	assert(!starpu_perfmodel_set_per_devices_cost_function(&per_arch, 1, second_cost, STARPU_CPU_WORKER, 0, 1, -1));
	assert(starpu_perfmodel_get_model_per_devices(&per_arch, 0, STARPU_CPU_WORKER, 0, 1, -1)->cost_function ==
	       first_cost);
	assert(starpu_perfmodel_get_model_per_arch(&per_arch, arch, 1)->cost_function == second_cost);
	task->cl = &cl;
	task->handles[0] = handle;
	cl.model = &per_arch;
	assert(starpu_task_expected_length(task, arch, 0) == 12.0);
	assert(starpu_task_expected_length(task, arch, 1) == 7.0);
	assert(starpu_task_expected_energy(task, arch, 0) == 3.0);
	cl.model = &shared;
	assert(starpu_task_expected_length(task, arch, 0) == 9.0 / starpu_worker_get_relative_speedup(arch));
	cl.model = &worker;
	assert(starpu_task_expected_length(task, arch, 0) == 20.0);
	cl.model = NULL;
	assert(starpu_task_expected_length(task, arch, 0) == 0.0);
	assert(starpu_task_expected_data_transfer_time(STARPU_MAIN_RAM, task) == 0.0);
	assert(starpu_task_expected_data_transfer_time_for(task, 0) == 0.0);
	assert(starpu_data_expected_transfer_time(handle, STARPU_MAIN_RAM, STARPU_R) == 0.0);
	assert(starpu_task_expected_conversion_time(task, arch, 0) == 0.0);
	assert(starpu_task_footprint(&history, task, arch, 0) == own_footprint(task));
	assert(starpu_task_footprint(NULL, task, arch, 0) == starpu_task_data_footprint(task));
	assert(starpu_perfmodel_get_narch_combs() >= 1);
	assert(starpu_perfmodel_arch_comb_fetch(starpu_perfmodel_arch_comb_get(1, arch->devices))->ndevices == 1);
	starpu_task_destroy(task);
}

static void measured(starpu_data_handle_t handle)
{
	struct starpu_task *task = starpu_task_create();
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(0, 0);
	struct starpu_perfmodel *models[] = { &history, &regression };

	for (int m = 0; m < 2; m++) {
		cl.model = models[m];
		for (int i = 0; i < 60; i++)
			assert(!starpu_task_insert(&cl, STARPU_W, handle, 0));
		starpu_task_wait_for_all();
	}
	task->cl = &cl;
	task->handles[0] = handle;
	cl.model = &fed;
	assert(isnan(starpu_task_expected_length(task, arch, 0)));
	for (int i = 0; i < 20; i++)
		starpu_perfmodel_update_history(&fed, task, arch, 0, 0, 250.0);
	assert(starpu_task_expected_length(task, arch, 0) == 250.0);
	cl.model = NULL;
	starpu_task_destroy(task);
}

static unsigned samples(struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch)
{
	struct starpu_perfmodel_per_arch *table = starpu_perfmodel_get_model_per_arch(model, arch, 0);
	unsigned n = 0;

	for (struct starpu_perfmodel_history_list *row = table->list; row; row = row->next)
		n += row->entry->nsample;
	return n;
}

static void write_starpu_file(void)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof path, "%s/codelets/45/old.here", folder);
	out = fopen(path, "w");
	assert(out);
	fprintf(out, "# version\n45\n# combinations\n1\n# devices\n1\n0\n0\n1\n# implementations\n1\n# entries\n2\n"
		     "0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n"
		     "d46431bb 400 0 150 3 15000 2250900 100\n50d9324f 800 0 300 3 3000 900900 10\n");
	fclose(out);
}

static void files(void)
{
	struct starpu_perfmodel loaded = { .type = STARPU_HISTORY_BASED };
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(0, 0);
	char path[512], expected[512], text[4096] = "";
	FILE *out = fmemopen(text, sizeof text - 1, "w");
	uint32_t footprint = 0xd46431bb;

	assert(starpu_perfmodel_load_symbol("never_measured", &loaded) == 1);
	starpu_perfmodel_get_model_path("never_measured", path, sizeof path);
	assert(!path[0]);
	assert(!starpu_perfmodel_load_symbol("fed", &loaded) && samples(&loaded, arch) == 20);
	assert(!starpu_perfmodel_unload_model(&loaded));
	write_starpu_file();
	starpu_perfmodel_get_model_path("old", path, sizeof path);
	snprintf(expected, sizeof expected, "%s/codelets/45/old.here", folder);
	assert(!strcmp(path, expected));
	assert(!starpu_perfmodel_load_file(path, &loaded) && samples(&loaded, arch) == 110);
	assert(starpu_perfmodel_history_based_expected_perf(&loaded, arch, footprint) == 150);
	assert(isnan(starpu_perfmodel_history_based_expected_perf(&loaded, arch, 1)));
	starpu_perfmodel_print(&loaded, arch, 0, NULL, NULL, out);
	assert(!starpu_perfmodel_print_all(&loaded, NULL, NULL, &footprint, out));
	starpu_perfmodel_print_estimations(&loaded, footprint, out);
	starpu_perfmodel_list_combs(out, &loaded);
	starpu_perfmodel_dump_xml(out, &loaded);
	assert(!starpu_perfmodel_list(out));
	starpu_perfmodel_directory(out);
	fclose(out);
	assert(strstr(text, "d46431bb") && strstr(text, "old.here") && strstr(text, "cpu0_impl0"));
	starpu_perfmodel_unload_model(&loaded);
}

/* --- profiling --- */

static void profiling(starpu_data_handle_t handle)
{
	struct starpu_profiling_worker_info info;
	struct starpu_profiling_task_info *its;
	struct starpu_task *task = starpu_task_create();
	double delay;
	int executed = 0;

	assert(starpu_profiling_status_get() == STARPU_PROFILING_DISABLE);
	starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
	task->cl = &cl;
	task->handles[0] = handle;
	task->destroy = 0;
	task->detach = 0;
	assert(!starpu_task_submit(task));
	assert(!starpu_task_wait(task));
	its = task->profiling_info;
	delay = starpu_timing_timespec_delay_us(&its->submit_time, &its->start_time);
	assert(delay >= 0 && starpu_timing_timespec_delay_us(&its->start_time, &its->end_time) >= 0);
	assert(starpu_timing_timespec_to_us(&its->end_time) > 0 && its->workerid >= 0);
	starpu_task_destroy(task);
	for (int i = 0; i < 2; i++) {
		assert(!starpu_profiling_worker_get_info(i, &info));
		assert(starpu_timing_timespec_to_us(&info.total_time) > 0);
		executed += info.executed_tasks;
	}
	assert(executed > 0);
	starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
}

int main(void)
{
	struct starpu_conf conf;
	starpu_data_handle_t handle;
	char command[128];

	snprintf(folder, sizeof folder, "/tmp/xylem-models-XXXXXX");
	assert(_starpu_mkdtemp(folder));
	unsetenv("XYLEM_MODELS");
	unsetenv("XYLEM_HOST");
	setenv("STARPU_PERF_MODEL_DIR", folder, 1);
	setenv("STARPU_HOSTNAME", "here", 1);
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.ncuda = conf.nopencl = 0;
	conf.sched_policy_name = "eager";
	conf.calibrate = 1;
	assert(!starpu_init(&conf));
	starpu_vector_data_register(&handle, -1, 0, 100, sizeof(int));
	functions(handle);
	measured(handle);
	profiling(handle);
	starpu_data_unregister(handle);
	starpu_shutdown();
	assert(!starpu_init(&conf));
	files();
	starpu_shutdown();
	starpu_perfmodel_deinit(&per_arch);
	snprintf(command, sizeof command, "rm -r '%s'", folder);
	return system(command);
}
