/* SPDX-License-Identifier: MIT */
/* Links between memory nodes: as text, measured, and as predictions for tasks. */
#include "../data/bed.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xylem/component.h>
#include "core/perf/store.h"
#include "core/perf/bus.h"
#include "folder.h"

static const char *const names[] = { "ram0", "cuda0", "cuda1" };

static void prints_what_it_reads_and_completes_it(void **state)
{
	static const char text[] = "xylem bus 1\nhost here\nnodes ram0 cuda0 cuda1\n"
				   "# from to latency in us, bandwidth in MB/s\n"
				   "link ram0 cuda0 10 6000\nlink ram0 cuda1 11 3000\nlink cuda0 ram0 12 6000\nend\n";
	struct xy__buffer out = { 0 };
	struct xy__bus bus;
	char error[128] = "";
	double us;

	(void)state;
	assert_int_equal(xy__bus_init(&bus, 3), 0);
	assert_int_equal(xy__bus_read(&bus, names, text, error, sizeof error), 0);
	xy__bus_print(&bus, names, "here", &out);
	assert_string_equal(out.at, text);
	assert_true(xy__bus_time(&bus, 0, 1, 6000000, &us) && fabs(us - 1010) < 1e-6);
	assert_true(xy__bus_time(&bus, 2, 2, 6000000, &us) && us == 0);
	assert_false(xy__bus_time(&bus, 1, 2, 1, &us));
	assert_false(xy__bus_time(&bus, 1, 3, 1, &us));
	xy__bus_complete(&bus);
	assert_true(xy__bus_time(&bus, 1, 2, 6000000, &us) && fabs(us - 23 - 3000) < 1e-6);
	assert_false(xy__bus_time(&bus, 2, 1, 1, &us));
	xy__buffer_fini(&out);
	xy__bus_fini(&bus);
}

static void tells_what_is_wrong_with_a_text(void **state)
{
	static const struct {
		const char *text;
		int status;
		const char *error;
	} cases[] = {
		{ "", -EINVAL, "line 1:" },
		{ "xylem model 1\n", -EINVAL, "line 1:" },
		{ "xylem bus 1\nhost a\n", -EINVAL, "line 2:" },
		{ "xylem bus 1\nnodes ram0 cuda0\nend\n", -ESTALE, "line 2:" },
		{ "xylem bus 1\nnodes ram0 cuda0 cuda1 cuda2\nend\n", -ESTALE, "line 2:" },
		{ "xylem bus 1\nlink ram0 ram0 1 1\nend\n", -EINVAL, "line 2:" },
		{ "xylem bus 1\nlink ram0 cuda0 nan 1\nend\n", -EINVAL, "line 2:" },
		{ "xylem bus 1\nlink ram0 cuda0 1\nend\n", -EINVAL, "line 2:" },
	};

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(cases); i++) {
		struct xy__bus bus;
		char error[128] = "";

		assert_int_equal(xy__bus_init(&bus, 3), 0);
		assert_int_equal(xy__bus_read(&bus, names, cases[i].text, error, sizeof error), cases[i].status);
		assert_int_equal(strncmp(error, cases[i].error, strlen(cases[i].error)), 0);
		xy__bus_fini(&bus);
	}
}

static char *data(const char *name)
{
	char path[1024], *text;

	snprintf(path, sizeof path, "%s/%s", PERF_DATA, name);
	assert_int_equal(xy__store_read(path, &text, NULL), 0);
	return text;
}

static void reads_the_matrices_of_starpu(void **state)
{
	char *bandwidth = data("mirage.bandwidth"), *latency = data("mirage.latency"), error[128] = "";
	struct xy__bus bus;

	(void)state;
	assert_int_equal(xy__bus_read_starpu(&bus, bandwidth, latency, error, sizeof error), 0);
	assert_int_equal(bus.nnodes, 7);
	assert_true(fabs(xy__bus_link(&bus, 0, 1)->mb_per_s - 6030.996807) < 1e-6);
	assert_true(fabs(xy__bus_link(&bus, 0, 1)->latency_us - 9.836008) < 1e-6);
	assert_true(fabs(xy__bus_link(&bus, 3, 2)->mb_per_s - 5296.294945) < 1e-6);
	xy__bus_fini(&bus);
	bandwidth[strlen(bandwidth) / 20] = '\0';
	assert_int_equal(xy__bus_read_starpu(&bus, bandwidth, latency, error, sizeof error), -EINVAL);
	assert_int_equal(xy__bus_read_starpu(&bus, "", "", error, sizeof error), -EINVAL);
	free(bandwidth);
	free(latency);
}

/* --- with devices --- */

static struct helper *begin(enum xy_calibrate calibrate)
{
	return bed_start(1, &(struct xy_config){ .models = folder, .host = "here", .calibrate = calibrate }, false);
}

static void measures_once_and_remembers(void **state)
{
	struct helper *h = begin(XY_CALIBRATE_YES);
	unsigned node = bed_node(h, XY_CUDA, 0), other = bed_node(h, XY_CUDA, 1);
	struct xy_prediction in = xy_bus_time_us(h->rt, 0, node, 1 << 20), again;

	(void)state;
	assert_int_equal(in.kind, XY_PREDICTION_VALUE);
	assert_true(in.us > 0 && in.us < 1e6);
	assert_int_equal(xy_bus_time_us(h->rt, node, 0, 1 << 20).kind, XY_PREDICTION_VALUE);
	assert_int_equal(xy_bus_time_us(h->rt, node, other, 1 << 20).kind, XY_PREDICTION_VALUE);
	assert_int_equal(xy_bus_time_us(h->rt, 0, 99, 1).kind, XY_PREDICTION_UNKNOWN);
	assert_int_equal(bed_stop(h, 0), 0);
	h = begin(XY_CALIBRATE_NO);
	again = xy_bus_time_us(h->rt, 0, node, 1 << 20);
	assert_int_equal(again.kind, XY_PREDICTION_VALUE);
	assert_true(fabs(again.us - in.us) < 1e-6 * in.us);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void predicts_only_what_has_to_move(void **state)
{
	struct helper *h = begin(XY_CALIBRATE_YES);
	unsigned worker = bed_worker(h, XY_CUDA, 0), node = bed_node(h, XY_CUDA, 0);
	uint32_t memory[1000] = { 0 };
	struct xy_handle *x = bed_vector(h, memory, 1000), *y = bed_vector(h, NULL, 1000);
	struct xy_task *task = HELPER_CREATE(h, .codelet = &bed_copy, .handles = { x, y });
	struct xy_prediction p = xy_task_transfer(task, worker);

	(void)state;
	assert_int_equal(p.kind, XY_PREDICTION_VALUE);
	assert_true(p.us == xy_bus_time_us(h->rt, 0, node, sizeof memory).us); /* y is written only */
	assert_true(xy_task_transfer(task, 0).us == 0);
	assert_int_equal(xy_task_transfer(task, 999).kind, XY_PREDICTION_NONE);
	assert_int_equal(xy_fetch(x, node), 0);
	p = xy_task_transfer(task, worker);
	assert_true(p.kind == XY_PREDICTION_VALUE && p.us == 0);
	xy_task_release(task);
	bed_unregister(h, &x);
	bed_unregister(h, &y);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void is_unknown_without_a_place_for_models(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	unsigned node = bed_node(h, XY_CUDA, 0);

	(void)state;
	assert_int_equal(xy_bus_time_us(h->rt, 0, node, 1).kind, XY_PREDICTION_UNKNOWN);
	assert_int_equal(xy_bus_time_us(h->rt, 0, 0, 1).kind, XY_PREDICTION_VALUE);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void write_text(const char *name, const char *text)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void sets_a_corrupt_file_aside_and_measures(void **state)
{
	struct helper *h;
	char path[512];

	(void)state;
	write_text("bus.here", "xylem bus 1\nhost here\nlink\n");
	h = begin(XY_CALIBRATE_YES);
	assert_int_equal(xy_bus_time_us(h->rt, 0, bed_node(h, XY_CUDA, 0), 1).kind, XY_PREDICTION_VALUE);
	snprintf(path, sizeof path, "%s/bus.here.bad", folder);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void takes_the_figures_of_starpu(void **state)
{
	char *bandwidth = data("mirage.bandwidth"), *latency = data("mirage.latency");
	struct helper *h;

	(void)state;
	write_text("here.bandwidth", bandwidth);
	write_text("here.latency", latency);
	h = begin(XY_CALIBRATE_YES);
	assert_true(fabs(xy_bus_time_us(h->rt, 0, 1, 6030996807).us - 1e6 - 9.836008) < 1e-3);
	assert_int_equal(bed_stop(h, 0), 0);
	free(bandwidth);
	free(latency);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_what_it_reads_and_completes_it),
		cmocka_unit_test(tells_what_is_wrong_with_a_text),
		cmocka_unit_test(reads_the_matrices_of_starpu),
		IN_A_FOLDER(measures_once_and_remembers),
		IN_A_FOLDER(predicts_only_what_has_to_move),
		IN_A_FOLDER(is_unknown_without_a_place_for_models),
		IN_A_FOLDER(sets_a_corrupt_file_aside_and_measures),
		IN_A_FOLDER(takes_the_figures_of_starpu),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
