/* SPDX-License-Identifier: MIT */
/* Models of a running runtime: what tasks are predicted and measured to take. */
#include "../../helper.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xylem/component.h>
#include "core/runtime/runtime.h"
#include "folder.h"

static int nap(struct xy_call *call)
{
	double until = xy__now() + *(double *)call->arg * 1e-6;

	while (xy__now() < until)
		;
	return 0;
}

static const struct xy_model history = { .name = "nap", .kind = XY_MODEL_HISTORY };
static const struct xy_codelet nap_codelet = {
	.name = "nap", .cpu = { nap, nap }, .model = &history, .modes = { XY_R }
};
static const struct xy_codelet bare_codelet = { .name = "bare", .cpu = { nap }, .modes = { XY_R } };

static struct helper *begin(enum xy_calibrate calibrate)
{
	return helper_start_with(
		&(struct xy_config){ .ncpu = 1, .models = folder, .host = "here", .calibrate = calibrate });
}

static void run(struct helper *h, const struct xy_codelet *codelet, struct xy_handle *handle, double us, int n)
{
	while (n--)
		HELPER_SUBMIT(h, .codelet = codelet, .handles = { handle }, .arg = &us, .arg_size = sizeof us);
	assert_int_equal(helper_wait(h), 0);
}

static struct xy_prediction predict(struct helper *h, const struct xy_codelet *codelet, struct xy_handle *handle,
				    unsigned implementation)
{
	struct xy_task *task = HELPER_CREATE(h, .codelet = codelet, .handles = { handle });
	struct xy_prediction p = xy_task_length(task, 0, implementation);

	xy_task_release(task);
	return p;
}

static struct xy_handle *vector(struct helper *h, size_t n)
{
	struct xy_handle *handle;

	assert_int_equal(xy_register(h->rt, &handle, &xy_vector_interface, &(struct xy_vector){ .n = n, .elem = 4 }),
			 0);
	return handle;
}

static void learns_how_long_tasks_take(void **state)
{
	struct helper *h = begin(XY_CALIBRATE_DEFAULT);
	struct xy_handle *small = vector(h, 100), *large = vector(h, 200);
	struct xy_prediction p;

	(void)state;
	assert_int_equal(predict(h, &bare_codelet, small, 0).kind, XY_PREDICTION_NONE);
	p = predict(h, &nap_codelet, small, 0);
	assert_int_equal(p.kind, XY_PREDICTION_UNKNOWN);
	run(h, &nap_codelet, small, 300, 9);
	p = predict(h, &nap_codelet, small, 0);
	assert_int_equal(p.kind, XY_PREDICTION_UNKNOWN);
	assert_true(p.samples <= 9);
	run(h, &nap_codelet, small, 300, 51);
	p = predict(h, &nap_codelet, small, 0);
	assert_int_equal(p.kind, XY_PREDICTION_VALUE);
	assert_true(p.us >= 299 && p.us < 3000);
	assert_true(p.samples >= 10 && p.samples <= 50);
	assert_int_equal(predict(h, &nap_codelet, large, 0).kind, XY_PREDICTION_UNKNOWN);
	/* best-implementation has tried the other one */
	assert_int_equal(predict(h, &nap_codelet, small, 1).kind, XY_PREDICTION_VALUE);
	assert_int_equal(xy_unregister(&small) | xy_unregister(&large), 0);
	helper_forget(h); /* on a busy machine it may have drifted */
	assert_int_equal(helper_stop(h), 0);
}

static void remembers_it_in_the_next_run(void **state)
{
	struct helper *h = begin(XY_CALIBRATE_YES);
	struct xy_handle *handle = vector(h, 100);
	struct xy_prediction first, second;

	(void)state;
	run(h, &nap_codelet, handle, 200, 40);
	first = predict(h, &nap_codelet, handle, 0);
	assert_int_equal(xy_unregister(&handle), 0);
	helper_forget(h);
	assert_int_equal(helper_stop(h), 0);

	h = begin(XY_CALIBRATE_NO);
	handle = vector(h, 100);
	second = predict(h, &nap_codelet, handle, 0);
	assert_int_equal(second.kind, XY_PREDICTION_VALUE);
	assert_true(fabs(second.us - first.us) < 1e-3 * first.us);
	assert_int_equal(second.samples, first.samples);
	run(h, &nap_codelet, handle, 200, 5); /* nothing is measured */
	assert_int_equal(predict(h, &nap_codelet, handle, 0).samples, first.samples);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);

	h = begin(XY_CALIBRATE_ANEW);
	handle = vector(h, 100);
	assert_int_equal(predict(h, &nap_codelet, handle, 0).kind, XY_PREDICTION_UNKNOWN);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void few_samples_have_to_do_without_calibration(void **state)
{
	struct helper *h = begin(XY_CALIBRATE_YES);
	struct xy_handle *handle = vector(h, 100);

	(void)state;
	run(h, &nap_codelet, handle, 50, 2);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
	h = begin(XY_CALIBRATE_NO);
	handle = vector(h, 100);
	assert_int_equal(predict(h, &nap_codelet, handle, 0).kind, XY_PREDICTION_VALUE);
	assert_int_equal(predict(h, &nap_codelet, handle, 0).samples, 2);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* Measurements as a worker would make them. */
static void measure(struct helper *h, const struct xy_codelet *codelet, struct xy_handle *handle, double us, int n)
{
	struct xy_task *task = HELPER_CREATE(h, .codelet = codelet, .handles = { handle });

	while (n--)
		xy__perf_measure(&h->rt->perf, codelet->model, task, 0, 0, us * (1 + 0.001 * (n % 5)));
	xy_task_release(task);
}

static void an_outlier_does_not_move_a_model_and_a_drift_is_reported_once(void **state)
{
	struct helper *h = begin(XY_CALIBRATE_YES);
	struct xy_handle *handle = vector(h, 100);
	struct xy_prediction before, after;

	(void)state;
	measure(h, &nap_codelet, handle, 190, 100);
	before = predict(h, &nap_codelet, handle, 0);
	measure(h, &nap_codelet, handle, 80000, 1);
	after = predict(h, &nap_codelet, handle, 0);
	assert_true(before.us == after.us && before.spread == after.spread && before.samples == after.samples);
	assert_int_equal(helper_lines(h), 0);
	measure(h, &nap_codelet, handle, 400, 50);
	assert_true(fabs(predict(h, &nap_codelet, handle, 0).us - 400) < 4);
	helper_one_line(h, "model 'nap': on cpu");
	measure(h, &nap_codelet, handle, 1000, 50);
	assert_int_equal(helper_lines(h), 0);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void shapes_make_the_footprint(void **state)
{
	struct helper *h = begin(XY_CALIBRATE_YES);
	struct xy_handle *a = vector(h, 100), *b = vector(h, 100), *c;
	static float memory[64];

	(void)state;
	assert_int_equal(a->footprint, b->footprint);
	assert_int_equal(xy_register(h->rt, &c, &xy_matrix_interface,
				     &(struct xy_matrix){ .ptr = memory, .nx = 4, .ny = 2, .ld = 8, .elem = 4 }),
			 0);
	xy_unregister(&b);
	assert_int_equal(xy_register(h->rt, &b, &xy_matrix_interface,
				     &(struct xy_matrix){ .ptr = memory, .nx = 4, .ny = 2, .ld = 4, .elem = 4 }),
			 0);
	assert_int_equal(b->footprint, c->footprint);
	xy_unregister(&b);
	assert_int_equal(xy_register(h->rt, &b, &xy_matrix_interface,
				     &(struct xy_matrix){ .ptr = memory, .nx = 2, .ny = 4, .ld = 4, .elem = 4 }),
			 0);
	assert_int_not_equal(b->footprint, c->footprint);
	assert_int_equal(xy_unregister(&a) | xy_unregister(&b) | xy_unregister(&c), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- regressions --- */

static double size_of(const struct xy_task *task)
{
	return (double)xy_handle_size(xy_task_handle(task, 0));
}

static void terms_of(const struct xy_task *task, double *terms)
{
	double n = (double)xy_handle_size(xy_task_handle(task, 0)) / 4;

	terms[0] = n;
	terms[1] = n * n;
}

static const struct xy_model linear = { .name = "linear", .kind = XY_MODEL_LINEAR, .size = size_of };
static const struct xy_model nonlinear = { .name = "nonlinear", .kind = XY_MODEL_NONLINEAR };
static const struct xy_model multiple = {
	.name = "multiple", .kind = XY_MODEL_MULTIPLE, .terms = terms_of, .nterms = 2
};
static const struct xy_codelet linear_codelet = { .cpu = { nap }, .model = &linear, .modes = { XY_R } };
static const struct xy_codelet nonlinear_codelet = { .cpu = { nap }, .model = &nonlinear, .modes = { XY_R } };
static const struct xy_codelet multiple_codelet = { .cpu = { nap }, .model = &multiple, .modes = { XY_R } };

static double linear_us(double n)
{
	return 0.5 * pow(4 * n, 1.5);
}

static double nonlinear_us(double n)
{
	return 0.5 * pow(4 * n, 1.5) + 2000;
}

static double multiple_us(double n)
{
	return 30 + 2 * n + 0.01 * n * n;
}

static void check_between(struct helper *h, const struct xy_codelet *codelet, double (*us)(double))
{
	struct xy_handle *handle = vector(h, 300);
	struct xy_prediction p = predict(h, codelet, handle, 0);

	assert_int_equal(p.kind, XY_PREDICTION_VALUE);
	assert_true(fabs(p.us - us(300)) < 0.02 * us(300));
	assert_true(p.spread < 0.02 * p.us);
	assert_int_equal(xy_unregister(&handle), 0);
}

static void predicts_sizes_that_were_never_measured(void **state)
{
	struct helper *h = begin(XY_CALIBRATE_YES);

	(void)state;
	for (unsigned n = 50; n < 1000; n *= 2) {
		struct xy_handle *handle = vector(h, n);

		measure(h, &linear_codelet, handle, linear_us(n), 20);
		measure(h, &nonlinear_codelet, handle, nonlinear_us(n), 20);
		measure(h, &multiple_codelet, handle, multiple_us(n), 20);
		assert_int_equal(xy_unregister(&handle), 0);
	}
	check_between(h, &linear_codelet, linear_us);
	check_between(h, &nonlinear_codelet, nonlinear_us);
	check_between(h, &multiple_codelet, multiple_us);
	for (unsigned n = 10; n <= 10000; n *= 1000) { /* far from all that was measured */
		struct xy_handle *handle = vector(h, n);

		assert_int_equal(predict(h, &linear_codelet, handle, 0).kind, XY_PREDICTION_UNKNOWN);
		assert_int_equal(xy_unregister(&handle), 0);
	}
	assert_int_equal(helper_stop(h), 0);
	h = begin(XY_CALIBRATE_YES); /* the curves come from what was stored */
	check_between(h, &linear_codelet, linear_us);
	check_between(h, &nonlinear_codelet, nonlinear_us);
	check_between(h, &multiple_codelet, multiple_us);
	assert_int_equal(helper_stop(h), 0);
}

/* --- what users say --- */

static double said_arch(const struct xy_task *task, enum xy_arch arch, unsigned implementation)
{
	return arch == XY_CPU ? *(double *)xy_task_argument(task) + implementation : -1;
}

static double said_worker(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	(void)task;
	return worker == 1 ? 7 + implementation : NAN;
}

static void asks_the_functions_of_a_model(void **state)
{
	static const struct xy_model per_arch = { .kind = XY_MODEL_ARCH, .per_arch = said_arch };
	static const struct xy_model per_worker = { .kind = XY_MODEL_WORKER, .per_worker = said_worker };
	static const struct xy_model nameless = { .kind = XY_MODEL_HISTORY };
	const struct xy_codelet a = { .cpu = { nap }, .model = &per_arch, .energy_model = &per_worker };
	const struct xy_codelet b = { .cpu = { nap }, .model = &per_worker };
	const struct xy_codelet c = { .cpu = { nap }, .model = &nameless };
	struct helper *h = helper_start(NULL, 2);
	double us = 42;
	struct xy_task *ta = HELPER_CREATE(h, .codelet = &a, .arg = &us), *tb = HELPER_CREATE(h, .codelet = &b);
	struct xy_task *tc = HELPER_CREATE(h, .codelet = &c);

	(void)state;
	assert_true(xy_task_length(ta, 0, 1).us == 43);
	assert_int_equal(xy_task_length(ta, 0, 1).samples, 0);
	assert_int_equal(xy_task_length(ta, 5, 1).kind, XY_PREDICTION_NONE);
	assert_true(xy_task_energy(ta, 1, 1).joules == 8);
	assert_int_equal(xy_task_energy(tb, 1, 1).kind, XY_PREDICTION_NONE);
	assert_int_equal(xy_task_length(tb, 0, 0).kind, XY_PREDICTION_UNKNOWN);
	assert_int_equal(xy_task_length(tb, 1, 0).kind, XY_PREDICTION_VALUE);
	assert_int_equal(xy_task_length(tc, 0, 0).kind, XY_PREDICTION_NONE);
	xy_task_release(ta);
	xy_task_release(tb);
	xy_task_release(tc);
	assert_int_equal(helper_stop(h), 0);
}

static int burns(struct xy_call *call)
{
	return xy_call_energy(call, 5) | (xy_call_energy(call, -1) != -EINVAL);
}

static void learns_the_energy_that_codelets_tell(void **state)
{
	static const struct xy_model energy = { .name = "burns.energy", .kind = XY_MODEL_HISTORY };
	const struct xy_codelet codelet = { .cpu = { burns }, .energy_model = &energy };
	struct helper *h = begin(XY_CALIBRATE_YES);
	struct xy_task *task = HELPER_CREATE(h, .codelet = &codelet);

	(void)state;
	assert_int_equal(xy_task_energy(task, 0, 0).kind, XY_PREDICTION_UNKNOWN);
	for (int i = 0; i < 10; i++)
		HELPER_SUBMIT(h, .codelet = &codelet);
	assert_int_equal(helper_wait(h), 0);
	assert_true(xy_task_energy(task, 0, 0).joules == 5);
	assert_int_equal(xy_task_length(task, 0, 0).kind, XY_PREDICTION_NONE);
	xy_task_release(task);
	assert_int_equal(helper_stop(h), 0);
}

static void learns_what_the_program_measured(void **state)
{
	static const struct xy_model other = { .name = "other", .kind = XY_MODEL_HISTORY };
	struct helper *h = begin(XY_CALIBRATE_YES);
	struct xy_handle *handle = vector(h, 100);
	struct xy_task *task = HELPER_CREATE(h, .codelet = &nap_codelet, .handles = { handle });

	(void)state;
	for (int i = 0; i < 10; i++) {
		assert_int_equal(xy_task_length(task, 0, 1).kind, XY_PREDICTION_UNKNOWN);
		assert_int_equal(xy_task_measured(task, &history, 0, 1, 70), 0);
		assert_int_equal(xy_task_measured(task, &other, 0, 1, 30), 0);
	}
	assert_true(xy_task_length(task, 0, 1).us == 70);
	assert_int_equal(xy_task_length(task, 0, 0).kind, XY_PREDICTION_UNKNOWN);
	assert_int_equal(xy_task_measured(task, &history, 0, 1, -1), -EINVAL);
	assert_int_equal(xy_task_measured(task, &history, 0, 1, NAN), -EINVAL);
	assert_int_equal(xy_task_measured(task, &history, 5, 1, 1), -EINVAL);
	assert_int_equal(xy_task_measured(task, &history, 0, XY_NIMPLEMENTATIONS, 1), -EINVAL);
	assert_int_equal(xy_task_measured(task, NULL, 0, 1, 1), -EINVAL);
	assert_int_equal(xy_task_measured(NULL, &history, 0, 1, 1), -EINVAL);
	xy_task_release(task);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- files --- */

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

static void uses_models_of_starpu_by_size(void **state)
{
	struct helper *h;
	struct xy_handle *handle;

	(void)state;
	write_text("nap.here", "45\n1\n1\n0\n0\n1\n1\n1\n0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n"
			       "50d9324f 400 0 150 3 15000 2250900 100\n");
	h = begin(XY_CALIBRATE_YES);
	handle = vector(h, 100);
	assert_true(predict(h, &nap_codelet, handle, 0).us == 150);
	assert_int_equal(xy_unregister(&handle), 0);
	handle = vector(h, 101);
	assert_int_equal(predict(h, &nap_codelet, handle, 0).kind, XY_PREDICTION_UNKNOWN);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void goes_on_without_a_corrupt_file(void **state)
{
	struct helper *h;
	struct xy_handle *handle;

	(void)state;
	write_text("nap.here.model", "xylem model 1\nkind history\nrow cpu 0\n");
	h = begin(XY_CALIBRATE_YES);
	handle = vector(h, 100);
	assert_int_equal(predict(h, &nap_codelet, handle, 0).kind, XY_PREDICTION_UNKNOWN);
	helper_one_line(h, "line 3");
	measure(h, &nap_codelet, handle, 100, 20);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
	h = begin(XY_CALIBRATE_YES);
	handle = vector(h, 100);
	assert_int_equal(predict(h, &nap_codelet, handle, 0).samples, 20);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void two_runtimes_add_up_what_they_measured(void **state)
{
	struct helper *a = begin(XY_CALIBRATE_YES), *b = begin(XY_CALIBRATE_YES);
	struct xy_handle *ha = vector(a, 100), *hb = vector(b, 100);
	struct xy_prediction p;

	(void)state;
	measure(a, &nap_codelet, ha, 100, 15);
	measure(b, &nap_codelet, hb, 110, 25);
	assert_int_equal(xy_unregister(&ha) | xy_unregister(&hb), 0);
	assert_int_equal(helper_stop(a), 0);
	assert_int_equal(helper_stop(b), 0);
	a = begin(XY_CALIBRATE_YES);
	ha = vector(a, 100);
	p = predict(a, &nap_codelet, ha, 0);
	assert_int_equal(p.samples, 40);
	assert_true(p.us > 101 && p.us < 110);
	assert_int_equal(xy_unregister(&ha), 0);
	assert_int_equal(helper_stop(a), 0);
}

static void two_kinds_of_one_name_are_told_apart(void **state)
{
	static const struct xy_model other = { .name = "nap", .kind = XY_MODEL_LINEAR };
	static const struct xy_codelet other_codelet = { .cpu = { nap }, .model = &other, .modes = { XY_R } };
	struct helper *h = begin(XY_CALIBRATE_YES);
	struct xy_handle *handle = vector(h, 100);

	(void)state;
	measure(h, &nap_codelet, handle, 100, 20);
	assert_int_equal(predict(h, &other_codelet, handle, 0).kind, XY_PREDICTION_UNKNOWN);
	helper_one_line(h, "two of this name");
	assert_int_equal(predict(h, &other_codelet, handle, 0).kind, XY_PREDICTION_UNKNOWN);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void says_once_that_nothing_can_be_stored(void **state)
{
	static const struct xy_model other = { .name = "other", .kind = XY_MODEL_HISTORY };
	static const struct xy_codelet other_codelet = { .cpu = { nap }, .model = &other, .modes = { XY_R } };
	struct helper *h = begin(XY_CALIBRATE_YES);
	struct xy_handle *handle = vector(h, 100);
	FILE *in_the_way;

	(void)state;
	measure(h, &nap_codelet, handle, 100, 20);
	measure(h, &other_codelet, handle, 100, 20);
	assert_int_equal(rmdir(folder), 0);
	in_the_way = fopen(folder, "w");
	assert_non_null(in_the_way);
	fclose(in_the_way);
	assert_true(xy__perf_save(&h->rt->perf) < 0);
	helper_one_line(h, folder);
	assert_int_equal(unlink(folder), 0);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_FOLDER(learns_how_long_tasks_take),
		IN_A_FOLDER(remembers_it_in_the_next_run),
		IN_A_FOLDER(few_samples_have_to_do_without_calibration),
		IN_A_FOLDER(an_outlier_does_not_move_a_model_and_a_drift_is_reported_once),
		IN_A_FOLDER(shapes_make_the_footprint),
		IN_A_FOLDER(predicts_sizes_that_were_never_measured),
		cmocka_unit_test(asks_the_functions_of_a_model),
		IN_A_FOLDER(learns_the_energy_that_codelets_tell),
		IN_A_FOLDER(learns_what_the_program_measured),
		IN_A_FOLDER(uses_models_of_starpu_by_size),
		IN_A_FOLDER(goes_on_without_a_corrupt_file),
		IN_A_FOLDER(two_runtimes_add_up_what_they_measured),
		IN_A_FOLDER(two_kinds_of_one_name_are_told_apart),
		IN_A_FOLDER(says_once_that_nothing_can_be_stored),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
