/* SPDX-License-Identifier: MIT */
/*
 * One program on a CPU and two CUDA devices of the test double, in which each call of the driver in turn fails, or is
 * the end of its device. Only what touched the device fails, with the names of the task and of the data; the others
 * are right; what was valid in RAM stays; nothing hangs and nothing is left.
 */
#include "../core/data/bed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../double/cudart_double.h"

/* Errors of CUDA: one that clears, one that is the end of the device, no memory. */
enum { ORDINARY = 1, STICKY = 719, NO_MEMORY = 2 };

enum { N = 256, CUDA0 = 1, CUDA1 = 2, BOTH = CUDA0 | CUDA1 };

/* --- the program --- */

enum { IN, A, B, C, D, E, F, G, NDATA };

static const char *const data_names[NDATA] = { "in", "a", "b", "c", "d", "e", "f", "g" };

/* Where a task may run. */
enum place { ON_CPU, ON_CUDA0, ON_CUDA1, ANYWHERE };

static const struct job {
	const char *name;
	const struct xy_codelet *codelet;
	int data[3]; /* ended by a negative one, if fewer */
	enum place place;
	unsigned devices; /* that it or its data may have to do with */
} jobs[] = {
	{ "fill-a", &bed_copy, { IN, A, -1 }, ON_CUDA0, CUDA0 },
	{ "fill-b", &bed_copy, { IN, B, -1 }, ON_CUDA1, CUDA1 },
	{ "add-a", &bed_add, { A, -1 }, ON_CUDA0, CUDA0 },
	{ "mix-b", &bed_axpy, { A, B, -1 }, ON_CUDA1, BOTH },
	{ "add-c", &bed_add, { C, -1 }, ON_CPU, 0 },
	{ "mix-c", &bed_axpy, { IN, C, -1 }, ON_CPU, 0 },
	{ "any-d", &bed_add, { D, -1 }, ANYWHERE, BOTH },
	{ "any-e", &bed_axpy, { IN, E, -1 }, ANYWHERE, BOTH },
	{ "any-f", &bed_scratch, { D, F, -1 }, ANYWHERE, BOTH },
	{ "sum-a", &bed_sum, { IN, B, A }, ON_CUDA0, BOTH },
	{ "back-g", &bed_copy, { A, G, -1 }, ON_CPU, BOTH },
	{ "add-d", &bed_add, { D, -1 }, ON_CUDA1, BOTH },
	{ "new-b", &bed_set, { B, -1 }, ON_CUDA1, CUDA1 },
	{ "end-c", &bed_add, { C, -1 }, ON_CPU, 0 },
	{ "end-b", &bed_add, { B, -1 }, ON_CPU, CUDA1 },
};
enum { NJOBS = HELPER_COUNT(jobs) };

/* A run of it. */
struct run {
	struct helper *h;
	unsigned second;      /* index of the first CUDA worker of the second device */
	const char *function; /* that fails: which call of it, and how */
	unsigned nth;
	int error;
	uint32_t memory[NDATA][N], model[NDATA][N];
	struct xy_handle *handles[NDATA];
	bool submitted[NJOBS];
	int status[NJOBS];
	bool failed[NDATA]; /* what was to be written is not there */
	unsigned lost;      /* devices */
	unsigned nfailed;   /* tasks that failed of themselves */
};

static void run_start(struct run *run)
{
	for (unsigned d = 0; d < NDATA; d++) {
		for (unsigned i = 0; i < N; i++)
			run->memory[d][i] = run->model[d][i] = 1000 * d + i;
		run->handles[d] = bed_vector(run->h, run->memory[d], N);
		assert_int_equal(xy_handle_set_name(run->handles[d], data_names[d]), 0);
	}
}

static void run_submit(struct run *run, unsigned i)
{
	const struct job *job = &jobs[i];
	struct bed_arg arg = { i };
	unsigned worker = job->place == ON_CPU ? bed_worker(run->h, XY_CPU, 0)
					       : bed_worker(run->h, XY_CUDA, job->place == ON_CUDA1 ? run->second : 0);
	struct xy_task_desc desc = { .codelet = job->codelet,
				     .name = job->name,
				     .arg = &arg,
				     .arg_size = sizeof arg,
				     .workers = &worker,
				     .nworkers = job->place != ANYWHERE,
				     .callback = helper_status,
				     .callback_arg = &run->status[i] };
	int error;

	for (unsigned j = 0; j < 3 && job->data[j] >= 0; j++)
		desc.handles[j] = run->handles[job->data[j]];
	error = xy_submit(run->h->rt, &desc); /* which may have ended, with a status, by now */
	run->submitted[i] = !error;
	if (!error)
		return;
	assert_int_equal(error, -ENODEV); /* the only worker that it may run on is dead */
	run->status[i] = error;
}

static void run_program(struct run *run)
{
	unsigned node0 = bed_node(run->h, XY_CUDA, 0), node1 = bed_node(run->h, XY_CUDA, run->second);

	run_start(run);
	for (unsigned i = 0; i < NJOBS; i++) {
		run_submit(run, i);
		if (i == 4)
			assert_int_equal(xy_prefetch(run->handles[E], node1), 0);
		if (i == 7)
			assert_int_equal(xy_evict(run->handles[E], node0), 0);
		if (i == 9 && !xy_acquire(run->handles[D], XY_R))
			assert_int_equal(xy_release(run->handles[D]), 0);
	}
	helper_wait(run->h);
	for (unsigned i = 0; i < 2; i++)
		run->lost |= bed_stats(run->h, i ? node1 : node0).lost ? 1u << i : 0;
}

/* --- what must be true whatever failed --- */

static void model_run(struct run *run, const struct job *job, uint32_t k)
{
	uint32_t *x = run->model[job->data[0]];
	uint32_t *y = job->data[1] < 0 ? NULL : run->model[job->data[1]];
	uint32_t *z = !y || job->data[2] < 0 ? NULL : run->model[job->data[2]];

	for (uint32_t i = 0; i < N; i++)
		if (job->codelet == &bed_set)
			x[i] = k + i;
		else if (job->codelet == &bed_add)
			x[i] = 3 * x[i] + k;
		else if (job->codelet == &bed_axpy)
			y[i] = 3 * y[i] + k * x[i];
		else if (job->codelet == &bed_copy)
			y[i] = x[i] + k;
		else if (job->codelet == &bed_scratch)
			y[i] = 3 * y[i] + k;
		else
			z[i] = z[i] + x[i] + k * y[i];
}

/* Ends the test with all that is known. */
static void __attribute__((format(printf, 2, 3), noreturn)) wrong(struct run *run, const char *format, ...)
{
	va_list arguments;
	char text[256];

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	for (unsigned i = 0; i < NJOBS; i++)
		print_error("%s: %d\n", jobs[i].name, run->status[i]);
	for (unsigned i = 0; i < helper_lines(run->h) && i < HELPER_LINES; i++)
		print_error("log: %s\n", run->h->lines[i]);
	fail_msg("call %u of %s, error %d: %s", run->nth, run->function ? run->function : "all", run->error, text);
	abort();
}

/* It failed, and all that it needs was there. */
static void check_culprit(struct run *run, unsigned i)
{
	char name[32];

	snprintf(name, sizeof name, "'%s'", jobs[i].name);
	if (!jobs[i].devices)
		wrong(run, "%s failed with %d and had nothing to do with a device", name, run->status[i]);
	if (run->error == STICKY && !(jobs[i].devices & run->lost))
		wrong(run, "%s failed with %d, but its devices are not lost", name, run->status[i]);
	if (!helper_lines_with(run->h, name))
		wrong(run, "%s failed with %d, and nothing in the log says so", name, run->status[i]);
	run->nfailed++;
}

static void check_job(struct run *run, unsigned i)
{
	const struct job *job = &jobs[i];
	bool spoiled = false;

	for (unsigned j = 0; j < 3 && job->data[j] >= 0; j++)
		spoiled |= (job->codelet->modes[j] & XY_R) && run->failed[job->data[j]];
	if (spoiled && !run->status[i])
		wrong(run, "'%s' was run on data that is not there", job->name);
	if (run->status[i] && !spoiled)
		check_culprit(run, i);
	if (!run->status[i])
		model_run(run, job, i);
	for (unsigned j = 0; run->submitted[i] && j < 3 && job->data[j] >= 0; j++)
		if (job->codelet->modes[j] & XY_W)
			run->failed[job->data[j]] = run->status[i] != 0;
}

/* What comes without an error is right, and what no device wrote has no error. */
static void check_content(struct run *run, unsigned d, int status, const char *who)
{
	char name[32];

	snprintf(name, sizeof name, "'%s'", data_names[d]);
	if (run->failed[d] && !status)
		wrong(run, "%s says that %s is there", who, name);
	if (status && !run->failed[d] && (d == IN || d == C))
		wrong(run, "%s has been in RAM all the time, but %s returned %d", name, who, status);
	if (status && !run->failed[d] && !helper_lines_with(run->h, name))
		wrong(run, "%s returned %d for %s, and nothing in the log says so", who, status, name);
	for (unsigned i = 0; i < N && !status; i++)
		if (run->memory[d][i] != run->model[d][i])
			wrong(run, "%s, element %u: %u instead of %u", name, i, run->memory[d][i], run->model[d][i]);
}

static void check_data(struct run *run, unsigned d)
{
	int status = run->nth % 2 ? xy_acquire(run->handles[d], XY_R) : -1;

	if (run->nth % 2)
		check_content(run, d, status, "xy_acquire");
	if (!status)
		xy_release(run->handles[d]);
	status = xy_unregister(&run->handles[d]);
	assert_null(run->handles[d]);
	check_content(run, d, status, "xy_unregister");
}

/* Whatever happened, the runtime is of use. */
static void check_afterwards(struct run *run)
{
	static uint32_t numbers[N];
	struct xy_handle *v = bed_vector(run->h, numbers, N);
	bool over = cudart_double_failed();

	for (unsigned i = 0; i < 4; i++)
		bed_submit(run->h, &bed_set, i, v, NULL, NULL);
	if (helper_wait(run->h) && over)
		wrong(run, "a task that can run on a CPU failed: %s", xy_error(run->h->rt));
	if (xy_unregister(&v) && over)
		wrong(run, "data that was written after the fault did not come back");
}

static void check_leaks(void)
{
	struct cudart_double_live live;

	cudart_double_live(&live);
	assert_int_equal(live.device_bytes, 0);
	assert_int_equal(live.host_bytes, 0);
	assert_int_equal(live.streams, 0);
	assert_int_equal(live.events, 0);
}

/* Little memory, so that data is saved to make room for other data. */
static const struct xy_config configs[] = {
	{ .sched = "tree-eager-prefetching", .arch[XY_CUDA].limit = "4K" },
	{ .sched = "tree-eager", .arch[XY_CUDA].limit = "4K", .arch[XY_CUDA].ahead = XY_NONE },
	{ .sched = "tree-prio-prefetching", .arch[XY_CUDA].limit = "4K", .arch[XY_CUDA].workers = 2 },
	{ .sched = "tree-ws", .arch[XY_CUDA].ahead = 3 },
};

/* Runs it with a fault at the nth call of a function; false if there are not so many. */
static bool run_with_fault(const char *function, unsigned n, int error)
{
	const struct xy_config *config = &configs[n % HELPER_COUNT(configs)];
	struct run run = { .h = bed_start(1, config, false),
			   .function = function,
			   .nth = n,
			   .error = error,
			   .second = config->arch[XY_CUDA].workers ? config->arch[XY_CUDA].workers : 1 };
	bool struck;

	if (error)
		assert_true(cudart_double_fail(function, n, error));
	run_program(&run);
	for (unsigned i = 0; i < NJOBS; i++)
		check_job(&run, i);
	if (!error)
		assert_int_equal(run.nfailed, 0);
	if (error && error != STICKY)
		assert_int_equal(run.lost, 0);
	if (error == ORDINARY && run.nfailed > 3)
		wrong(&run, "%u tasks failed for one error", run.nfailed);
	for (unsigned d = 0; d < NDATA; d++)
		check_data(&run, d);
	check_afterwards(&run);
	struck = cudart_double_failed();
	helper_stop_lines(run.h, error ? HELPER_ANY_LINES : 0);
	check_leaks();
	return struck;
}

/* --- at each call --- */

static void works_without_faults(void **state)
{
	(void)state;
	run_with_fault(NULL, 0, 0);
}

/* Every call, and with a sanitizer some of them; how often a device is polled differs from run to run. */
static void at_each_call(const char *function, int error)
{
	unsigned n = 0, misses = 0, step = 13 / helper_scale(13);

	for (n = 1; misses < HELPER_COUNT(configs); n += step)
		misses = run_with_fault(function, n, error) ? 0 : misses + 1;
	print_message("# %s: %u calls with error %d\n", function ? function : "any function", n, error);
	assert_true(n > 5);
}

static void any_call_may_fail(void **state)
{
	(void)state;
	at_each_call(NULL, ORDINARY);
}

static void a_device_may_be_lost_at_any_call(void **state)
{
	(void)state;
	at_each_call(NULL, STICKY);
}

static void a_device_may_be_lost_while_it_computes_or_copies(void **state)
{
	(void)state;
	at_each_call("operation", STICKY);
}

static void any_allocation_may_fail(void **state)
{
	(void)state;
	at_each_call("cudaMallocFromPoolAsync", NO_MEMORY);
}

/* --- special moments --- */

/* With devices that were asked for, a runtime starts completely or not at all. */
static void start_may_fail(void **state)
{
	const struct xy_config asked = { .ncpu = 1, .arch[XY_CUDA].devices = "0,1", .bind = XY_NO };
	unsigned failed = 0;
	bool struck = true;

	(void)state;
	for (unsigned n = 1; struck; n++) {
		struct helper *h;
		int error;

		cudart_double_reset();
		assert_true(cudart_double_fail(NULL, n, n % 2 ? ORDINARY : STICKY));
		h = helper_try(&asked, &error);
		struck = cudart_double_failed();
		assert_int_equal(error == 0, h->rt != NULL);
		assert_true(error <= 0);
		if (error) {
			failed++;
			assert_true(helper_lines(h) > 0);
		}
		helper_stop_lines(h, HELPER_ANY_LINES);
		check_leaks();
	}
	assert_true(failed > 10);
}

static void wait_for_loss(struct helper *h)
{
	unsigned node = bed_node(h, XY_CUDA, 0);

	for (unsigned i = 0; i < 10000 && !bed_stats(h, node).lost; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	assert_true(bed_stats(h, node).lost);
}

/* What waits for a device that is lost runs on the CPU, which is kept from running it before. */
static void what_is_queued_for_a_lost_device_runs_elsewhere(void **state)
{
	enum { QUEUED = 8 };
	static const char *const policies[] = { "tree-eager", "tree-eager-prefetching", "tree-random", "tree-ws" };

	(void)state;
	for (unsigned p = 0; p < HELPER_COUNT(policies); p++) {
		const struct xy_config one = { .sched = policies[p],
					       .arch[XY_CUDA].devices = "0",
					       .arch[XY_CUDA].ahead = XY_NONE };
		struct helper *h = bed_start(1, &one, false);
		struct gate gate = { 0 };
		uint32_t numbers[QUEUED][N];
		struct xy_handle *v[QUEUED];
		unsigned failed = 0;

		helper_block(h, &gate);
		assert_true(cudart_double_fail("operation", 3, STICKY));
		for (unsigned i = 0; i < QUEUED; i++) {
			v[i] = bed_vector(h, numbers[i], N);
			bed_submit(h, &bed_set, i, v[i], NULL, NULL);
		}
		wait_for_loss(h);
		helper_open(&gate);
		helper_wait(h);
		for (unsigned i = 0; i < QUEUED; i++) {
			bool well = !xy_unregister(&v[i]);

			failed += !well;
			assert_true(!well || numbers[i][1] == i + 1);
		}
		/* What it had computed is lost with it, and the task that it was at. */
		assert_in_range(failed, 1, 3);
		helper_stop_lines(h, HELPER_ANY_LINES);
		check_leaks();
	}
}

/* What nobody else may run fails, wherever in the tree it is. */
static void what_only_a_lost_device_may_run_fails(void **state)
{
	enum { QUEUED = 8 };
	static const char *const policies[] = { "tree-eager", "tree-eager-prefetching", "tree-random",
						"tree-random-prefetching", "tree-ws" };
	const struct xy_codelet blocks = { .name = "gate", .cuda = { helper_gate.cpu[0] } };

	(void)state;
	for (unsigned p = 0; p < HELPER_COUNT(policies); p++) {
		const struct xy_config one = { .sched = policies[p],
					       .arch[XY_CUDA].devices = "0",
					       .arch[XY_CUDA].ahead = XY_NONE };
		struct helper *h = bed_start(1, &one, false);
		unsigned worker = bed_worker(h, XY_CUDA, 0);
		struct gate gate = { 0 };
		struct xy_handle *v[QUEUED];

		HELPER_SUBMIT(h, .codelet = &blocks, .arg = &gate);
		helper_reach(h, &gate.inside, 1);
		for (unsigned i = 0; i < QUEUED; i++) {
			v[i] = bed_vector(h, NULL, N);
			bed_submit_on(h, worker, &bed_set, i, v[i], NULL, NULL);
		}
		assert_true(cudart_double_fail("operation", 1, STICKY));
		helper_open(&gate);
		assert_int_equal(helper_wait(h), -ENODEV);
		for (unsigned i = 0; i < QUEUED; i++)
			xy_unregister(&v[i]);
		helper_stop_lines(h, HELPER_ANY_LINES);
		check_leaks();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(works_without_faults),
		cmocka_unit_test(any_call_may_fail),
		cmocka_unit_test(a_device_may_be_lost_at_any_call),
		cmocka_unit_test(a_device_may_be_lost_while_it_computes_or_copies),
		cmocka_unit_test(any_allocation_may_fail),
		cmocka_unit_test(start_may_fail),
		cmocka_unit_test(what_is_queued_for_a_lost_device_runs_elsewhere),
		cmocka_unit_test(what_only_a_lost_device_may_run_fails),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
