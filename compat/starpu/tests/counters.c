/* SPDX-License-Identifier: MIT */
/* Performance counters of the program, of workers and of a codelet, and their names. */
#include "check.h"
#include <starpu_perf_monitoring.h>

#define NTASKS 50

static const enum starpu_perf_counter_scope global = starpu_perf_counter_scope_global,
					    per_worker = starpu_perf_counter_scope_per_worker,
					    per_codelet = starpu_perf_counter_scope_per_codelet;
static int g_total, g_peak, w_executed, w_time, c_total, c_executed;
static int64_t submitted, peak, executed[STARPU_NMAXWORKERS], of_codelet;
static double busy_us;

static void on_program(struct starpu_perf_counter_listener *listener, struct starpu_perf_counter_sample *sample,
		       void *context)
{
	CHECK(listener && context == &submitted);
	submitted = starpu_perf_counter_sample_get_int64_value(sample, g_total);
	peak = starpu_perf_counter_sample_get_int64_value(sample, g_peak);
	CHECK(starpu_perf_counter_sample_get_int32_value(sample, g_total) == (int32_t)submitted);
}

static void on_worker(struct starpu_perf_counter_listener *listener, struct starpu_perf_counter_sample *sample,
		      void *context)
{
	(void)listener;
	(void)context;
	executed[starpu_worker_get_id_check()] = starpu_perf_counter_sample_get_int64_value(sample, w_executed);
	busy_us = starpu_perf_counter_sample_get_double_value(sample, w_time);
	CHECK(starpu_perf_counter_sample_get_float_value(sample, w_time) <= (float)busy_us * 1.001f);
}

static void on_codelet(struct starpu_perf_counter_listener *listener, struct starpu_perf_counter_sample *sample,
		       void *context)
{
	(void)listener;
	(void)context;
	of_codelet = starpu_perf_counter_sample_get_int64_value(sample, c_executed);
	CHECK(of_codelet <= starpu_perf_counter_sample_get_int64_value(sample, c_total));
}

static void names(void)
{
	CHECK(starpu_perf_counter_scope_name_to_id("per_worker") == (int)per_worker);
	CHECK(starpu_perf_counter_scope_name_to_id("per_planet") == -1);
	CHECK(!strcmp(starpu_perf_counter_scope_id_to_name(global), "global"));
	CHECK(!starpu_perf_counter_scope_id_to_name(starpu_perf_counter_scope_undefined));
	CHECK(starpu_perf_counter_type_name_to_id("int64") == starpu_perf_counter_type_int64);
	CHECK(!strcmp(starpu_perf_counter_type_id_to_name(starpu_perf_counter_type_double), "double"));
	CHECK(starpu_perf_counter_type_name_to_id("float") == starpu_perf_counter_type_float);
	CHECK(starpu_perf_counter_type_name_to_id("int32") == starpu_perf_counter_type_int32);
	CHECK(!starpu_perf_counter_type_id_to_name(starpu_perf_counter_type_undefined));
	for (int i = 0; i < starpu_perf_counter_nb(global); i++) {
		int id = starpu_perf_counter_nth_to_id(global, i);

		CHECK(starpu_perf_counter_name_to_id(global, starpu_perf_counter_id_to_name(id)) == id);
		CHECK(starpu_perf_counter_get_type_id(id) > 0 && starpu_perf_counter_get_help_string(id));
	}
	CHECK(starpu_perf_counter_nth_to_id(global, starpu_perf_counter_nb(global)) == -1);
	CHECK(starpu_perf_counter_name_to_id(per_worker, "starpu.task.g_total_submitted") == -1);
	starpu_perf_counter_list_avail(global);
	starpu_perf_counter_list_all_avail();
}

static void work(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	starpu_usleep(10);
}

static struct starpu_codelet counted = { .cpu_funcs = { work } }, other = { .cpu_funcs = { work } };

static void run(void)
{
	for (int i = 0; i < NTASKS; i++) {
		OK(starpu_task_insert(&counted, 0));
		OK(starpu_task_insert(&other, 0));
	}
	OK(starpu_task_wait_for_all());
}

/* Codelets that a listener is taken from make room for others. */
static void take_turns(struct starpu_perf_counter_listener *listener)
{
	static struct starpu_codelet many[100];

	for (int i = 0; i < 100; i++) {
		many[i].cpu_funcs[0] = work;
		of_codelet = 0;
		starpu_perf_counter_set_per_codelet_listener(&many[i], listener);
		OK(starpu_task_insert(&many[i], STARPU_TASK_SYNCHRONOUS, 1, 0));
		CHECK(of_codelet == 1);
		starpu_perf_counter_unset_per_codelet_listener(&many[i]);
	}
}

int main(void)
{
	struct starpu_perf_counter_set *sets[3];
	struct starpu_perf_counter_listener *listeners[3];
	struct starpu_conf conf;
	int64_t sum = 0;

	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.start_perf_counter_collection = 1;
	OK(starpu_init(&conf));
	names();
	g_total = starpu_perf_counter_name_to_id(global, "starpu.task.g_total_submitted");
	g_peak = starpu_perf_counter_name_to_id(global, "starpu.task.g_peak_submitted");
	w_executed = starpu_perf_counter_name_to_id(per_worker, "starpu.task.w_total_executed");
	w_time = starpu_perf_counter_name_to_id(per_worker, "starpu.task.w_cumul_execution_time");
	c_total = starpu_perf_counter_name_to_id(per_codelet, "starpu.task.c_total_submitted");
	c_executed = starpu_perf_counter_name_to_id(per_codelet, "starpu.task.c_total_executed");
	sets[0] = starpu_perf_counter_set_alloc(global);
	starpu_perf_counter_set_enable_id(sets[0], g_total);
	starpu_perf_counter_set_enable_id(sets[0], g_peak);
	sets[1] = starpu_perf_counter_set_alloc(per_worker);
	starpu_perf_counter_set_enable_id(sets[1], w_executed);
	starpu_perf_counter_set_enable_id(sets[1], w_time);
	sets[2] = starpu_perf_counter_set_alloc(per_codelet);
	starpu_perf_counter_set_enable_id(sets[2], c_total);
	starpu_perf_counter_set_enable_id(sets[2], c_executed);
	listeners[0] = starpu_perf_counter_listener_init(sets[0], on_program, &submitted);
	listeners[1] = starpu_perf_counter_listener_init(sets[1], on_worker, NULL);
	listeners[2] = starpu_perf_counter_listener_init(sets[2], on_codelet, NULL);
	starpu_perf_counter_set_global_listener(listeners[0]);
	starpu_perf_counter_set_all_per_worker_listeners(listeners[1]);
	starpu_perf_counter_set_per_codelet_listener(&counted, listeners[2]);
	run();
	for (unsigned i = 0; i < starpu_worker_get_count(); i++)
		sum += executed[i];
	CHECK(submitted == 2 * NTASKS && peak > 0 && sum == 2 * NTASKS && of_codelet == NTASKS && busy_us > 0);
	starpu_perf_counter_collection_stop();
	run();
	CHECK(submitted == 2 * NTASKS);
	starpu_perf_counter_collection_start();
	starpu_perf_counter_unset_global_listener();
	starpu_perf_counter_unset_all_per_worker_listeners();
	starpu_perf_counter_unset_per_codelet_listener(&counted);
	starpu_perf_counter_set_per_worker_listener(0, listeners[1]);
	starpu_perf_counter_unset_per_worker_listener(0);
	run();
	CHECK(submitted == 2 * NTASKS && of_codelet == NTASKS);
	take_turns(listeners[2]);
	for (int i = 0; i < 3; i++) {
		starpu_perf_counter_listener_exit(listeners[i]);
		starpu_perf_counter_set_disable_id(
			sets[i], starpu_perf_counter_nth_to_id((enum starpu_perf_counter_scope)(i + 1), 0));
		starpu_perf_counter_set_free(sets[i]);
	}
	starpu_shutdown();
	return 0;
}
