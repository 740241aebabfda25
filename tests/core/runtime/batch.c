/* SPDX-License-Identifier: MIT */
/* Batches: pieces run anywhere, results are joined in the order of the items, failures are all told. */
#include "../../helper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xylem/batch.h>
#include <xylem/component.h>

enum { ITEMS = 5000 };

static const char divided[] = "divide(items=64) | eager | each worker { best-implementation }";
static const char ahead[] = "divide(items=64) | mct | each worker { fifo(ntasks=2) | best-implementation }";

struct sum {
	_Atomic int begun, prepared, worked, finished, progressed;
	int reduced, discarded, callbacks, status;
	size_t npieces;
	uint64_t expected_start, total;
	bool in_order;
	_Atomic int fail_every; /* pieces whose number is a multiple fail; 0: none */
	_Atomic int fail_times; /* how often, then never again */
	int begin_status, finish_status, reduce_status;
	_Atomic uint64_t done;
};

static int sum_begin(void *arg, struct xy_batch_device *device)
{
	struct sum *s = arg;

	assert_string_equal(device->name, "cpu");
	assert_int_equal(device->arch, XY_CPU);
	assert_int_equal(device->index, -1);
	device->state = s;
	atomic_fetch_add(&s->begun, 1);
	return s->begin_status;
}

static int sum_prepare(struct xy_batch_piece *piece, struct xy_batch_device *device)
{
	struct sum *s = piece->arg;

	assert_ptr_equal(device->state, s);
	atomic_fetch_add(&s->prepared, 1);
	if (!piece->data)
		piece->data = malloc(1);
	assert_non_null(piece->data);
	return 0;
}

static int sum_work(struct xy_batch_piece *piece, struct xy_batch_device *device)
{
	struct sum *s = piece->arg;
	uint64_t *sum = malloc(sizeof *sum);
	int n = atomic_fetch_add(&s->worked, 1) + 1;

	assert_non_null(device->call);
	assert_non_null(sum);
	assert_non_null(piece->data);
	if (s->fail_every && n % s->fail_every == 0 && atomic_fetch_sub(&s->fail_times, 1) > 0) {
		free(sum);
		return -EIO;
	}
	*sum = 0;
	for (uint64_t i = piece->range.start; i < piece->range.stop; i++)
		*sum += i;
	piece->result = sum;
	return 0;
}

static int sum_finish(struct xy_batch_piece *piece)
{
	struct sum *s = piece->arg;

	assert_non_null(piece->result);
	atomic_fetch_add(&s->finished, 1);
	if (s->finish_status)
		return s->finish_status;
	free(piece->data);
	piece->data = NULL;
	return 0;
}

static int sum_reduce(void *arg, struct xy_batch_piece *pieces, size_t n)
{
	struct sum *s = arg;
	uint64_t at = s->expected_start;

	s->reduced++;
	s->npieces = n;
	s->in_order = true;
	for (size_t i = 0; i < n; i++) {
		s->in_order &= pieces[i].range.start == at;
		at = pieces[i].range.stop;
		s->total += *(uint64_t *)pieces[i].result;
		free(pieces[i].result);
	}
	return s->reduce_status;
}

static void sum_discard(struct xy_batch_piece *piece)
{
	struct sum *s = piece->arg;

	s->discarded++;
	free(piece->data);
	free(piece->result);
}

static const struct xy_batch_ops sum_ops = {
	.name = "sum",
	.begin = sum_begin,
	.prepare = sum_prepare,
	.work = sum_work,
	.finish = sum_finish,
	.reduce = sum_reduce,
	.discard = sum_discard,
};

static uint64_t sum_of(uint64_t start, uint64_t stop)
{
	return (stop * (stop - 1) - start * (start - 1)) / 2;
}

static void joins_results_in_order_in_any_tree(void **state)
{
	const char *trees[] = { divided, ahead, "tree-eager" };

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(trees); i++) {
		struct helper *h = helper_start(trees[i], 3);
		struct sum s = { .expected_start = 17 };

		assert_int_equal(
			xy_batch_run(h->rt, &sum_ops, &(struct xy_batch){ .start = 17, .stop = ITEMS, .arg = &s }), 0);
		assert_int_equal(s.begun, 1);
		assert_int_equal(s.reduced, 1);
		assert_true(s.in_order);
		assert_int_equal(s.npieces, i < 2 ? (ITEMS - 17 + 63) / 64 : 1);
		assert_int_equal(s.finished, s.npieces);
		assert_int_equal(s.total, sum_of(17, ITEMS));
		assert_int_equal(helper_stop(h), 0);
	}
}

static void several_run_at_once(void **state)
{
	struct helper *h = helper_start(divided, 3);
	struct sum s[5] = { { .reduced = 0 } };
	struct xy_batch_job *jobs[5];

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(xy_batch_submit(h->rt, &sum_ops,
						 &(struct xy_batch){ .stop = ITEMS, .arg = &s[i], .priority = (int)i },
						 &jobs[i]),
				 0);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(xy_batch_wait(jobs[i]), 0);
		assert_int_equal(s[i].total, sum_of(0, ITEMS));
		assert_int_equal(xy_batch_errors(jobs[i], NULL, 0), 0);
		xy_batch_release(jobs[i]);
	}
	assert_int_equal(helper_stop(h), 0);
}

static void expect_refused(struct helper *h, const struct xy_batch_ops *ops, const struct xy_batch *batch,
			   const char *line)
{
	struct xy_batch_job *job;

	assert_int_equal(xy_batch_run(h->rt, ops, batch), -EINVAL);
	helper_one_line(h, line);
	assert_int_equal(xy_batch_submit(h->rt, ops, batch, &job), -EINVAL);
	assert_null(job);
	helper_one_line(h, line);
}

static void refuses_what_is_not_a_batch(void **state)
{
	struct helper *h = helper_start(divided, 1);
	struct sum s = { .reduced = 0 };
	const struct xy_batch batch = { .stop = 10, .arg = &s };
	struct xy_batch_ops ops = sum_ops;

	(void)state;
	ops.work = NULL;
	expect_refused(h, &ops, &batch, "the function 'work' is not set");
	ops = sum_ops;
	ops.reduce = NULL;
	expect_refused(h, &ops, &batch, "the function 'reduce' is not set");
	expect_refused(h, &sum_ops, &(struct xy_batch){ .start = 3, .stop = 3 }, "its range is empty");
	expect_refused(h, &sum_ops, &(struct xy_batch){ .start = 4, .stop = 3 }, "its range is empty");
	expect_refused(h, NULL, &batch, "no functions");
	assert_int_equal(s.worked, 0);
	assert_int_equal(helper_stop(h), 0);
}

static void a_failure_is_returned_as_it_is(void **state)
{
	struct helper *h = helper_start(divided, 2);
	struct sum s = { .fail_every = 3, .fail_times = 1 };

	(void)state;
	/* Results of pieces that ended well are not joined: the test gives them back. */
	s.fail_every = 1;
	assert_int_equal(xy_batch_run(h->rt, &sum_ops, &(struct xy_batch){ .stop = 64, .arg = &s }), -EIO);
	assert_int_equal(s.reduced, 0);
	assert_int_equal(s.worked, 1);
	assert_int_equal(s.discarded, 1);
	assert_int_equal(helper_lines_with(h, "items 0 to 64 failed"), 1);
	s = (struct sum){ .begin_status = -ENOTTY };
	assert_int_equal(xy_batch_run(h->rt, &sum_ops, &(struct xy_batch){ .stop = 64, .arg = &s }), -ENOTTY);
	s = (struct sum){ .finish_status = -EDOM };
	assert_int_equal(xy_batch_run(h->rt, &sum_ops, &(struct xy_batch){ .stop = 64, .arg = &s }), -EDOM);
	s = (struct sum){ .reduce_status = -ERANGE };
	assert_int_equal(xy_batch_run(h->rt, &sum_ops, &(struct xy_batch){ .stop = 64, .arg = &s }), -ERANGE);
	/* The runtime stays usable. */
	s = (struct sum){ .reduced = 0 };
	assert_int_equal(xy_batch_run(h->rt, &sum_ops, &(struct xy_batch){ .stop = ITEMS, .arg = &s }), 0);
	assert_int_equal(s.total, sum_of(0, ITEMS));
	xy_wait(h->rt);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

/* A failure stops new pieces; those that ran well are finished, and what all pieces hold is given back. */
static void a_failure_stops_the_batch_and_leaks_nothing(void **state)
{
	const char *trees[] = { divided, ahead, "tree-batch-auto", "tree-batch-hybrid" };

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(trees); i++) {
		struct helper *h = helper_start(trees[i], 2);
		struct sum s = { .fail_every = 4, .fail_times = 1 };

		assert_int_equal(xy_batch_run(h->rt, &sum_ops, &(struct xy_batch){ .stop = 1000000, .arg = &s }), -EIO);
		assert_int_equal(s.finished, s.worked - 1);
		assert_int_equal(s.discarded, s.worked);
		assert_int_equal(s.reduced, 0);
		/* With two workers there are few pieces in flight. */
		if (s.worked > 40)
			fail_msg("%d pieces ran under %s", s.worked, trees[i]);
		s = (struct sum){ .reduced = 0 };
		assert_int_equal(xy_batch_run(h->rt, &sum_ops, &(struct xy_batch){ .stop = ITEMS, .arg = &s }), 0);
		assert_int_equal(s.total, sum_of(0, ITEMS));
		xy_wait(h->rt);
		assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
	}
}

/* All pieces that were begun when the first fails, fail too. */
static int fail_together(struct xy_batch_piece *piece, struct xy_batch_device *device)
{
	_Atomic int *inside = piece->arg;

	(void)device;
	atomic_fetch_add(inside, 1);
	while (atomic_load(inside) < 2)
		sched_yield();
	return piece->range.start ? -EDOM : -EIO;
}

static int reduce_nothing(void *arg, struct xy_batch_piece *pieces, size_t n)
{
	(void)arg, (void)pieces, (void)n;
	return 0;
}

static void several_failures_are_a_list_in_order(void **state)
{
	struct helper *h = helper_start(divided, 2);
	const struct xy_batch_ops ops = { .work = fail_together, .reduce = reduce_nothing };
	_Atomic int inside = 0;
	struct xy_batch_error errors[8];
	struct xy_batch_job *job;
	int status;

	(void)state;
	assert_int_equal(
		xy_batch_submit(h->rt, &ops, &(struct xy_batch){ .stop = ITEMS, .arg = (void *)&inside }, &job), 0);
	status = xy_batch_wait(job);
	assert_true(status == -EIO || status == -EDOM);
	assert_int_equal(xy_batch_errors(job, errors, 8), 2);
	assert_int_equal(errors[0].status, -EIO);
	assert_int_equal(errors[0].range.start, 0);
	assert_int_equal(errors[1].status, -EDOM);
	assert_int_equal(errors[1].range.start, 64);
	assert_int_equal(errors[1].range.stop, 128);
	xy_batch_release(job);
	xy_wait(h->rt);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

static void a_piece_is_tried_again(void **state)
{
	struct helper *h = helper_start(divided, 2);
	struct sum s = { .fail_every = 5, .fail_times = 3 };

	(void)state;
	assert_int_equal(xy_batch_run(h->rt, &sum_ops, &(struct xy_batch){ .stop = ITEMS, .arg = &s, .retries = 3 }),
			 0);
	assert_int_equal(s.total, sum_of(0, ITEMS));
	assert_int_equal(s.worked, (ITEMS + 63) / 64 + 3);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

static void sum_progress(void *arg, const struct xy_batch_progress *progress)
{
	struct sum *s = arg;

	assert_int_equal(progress->total, ITEMS);
	assert_true(progress->done > s->done && progress->done <= ITEMS);
	s->done = progress->done;
	atomic_fetch_add(&s->progressed, 1);
}

static void sum_callback(void *arg, int status)
{
	struct sum *s = arg;

	assert_int_equal(s->reduced, 1);
	s->callbacks++;
	s->status = status;
}

static void tells_its_progress_and_its_end(void **state)
{
	struct helper *h = helper_start(divided, 2);
	struct sum s = { .status = 1 };

	(void)state;
	assert_int_equal(xy_batch_run(h->rt, &sum_ops,
				      &(struct xy_batch){ .stop = ITEMS,
							  .arg = &s,
							  .progress = sum_progress,
							  .progress_s = 1e-9,
							  .callback = sum_callback }),
			 0);
	assert_true(s.progressed > 1);
	assert_int_equal(s.callbacks, 1);
	assert_int_equal(s.status, 0);
	assert_int_equal(helper_stop(h), 0);
}

/* The first report takes so long that meanwhile the other worker does all the rest. */
static void progress_slowly(void *arg, const struct xy_batch_progress *progress)
{
	struct sum *s = arg;

	while (atomic_load(&s->finished) < (ITEMS + 63) / 64)
		sched_yield();
	sum_progress(arg, progress);
}

static void tells_in_any_case_that_all_is_done(void **state)
{
	struct helper *h = helper_start(divided, 2);
	struct sum s = { .reduced = 0 };

	(void)state;
	assert_int_equal(
		xy_batch_run(h->rt, &sum_ops,
			     &(struct xy_batch){
				     .stop = ITEMS, .arg = &s, .progress = progress_slowly, .progress_s = 1e-9 }),
		0);
	assert_int_equal(s.done, ITEMS);
	assert_int_equal(helper_stop(h), 0);
	/* Also if that comes sooner after the last report than others would. */
	h = helper_start("tree-eager", 1);
	s = (struct sum){ .reduced = 0 };
	assert_int_equal(xy_batch_run(h->rt, &sum_ops,
				      &(struct xy_batch){
					      .stop = ITEMS, .arg = &s, .progress = sum_progress, .progress_s = 1e9 }),
			 0);
	assert_int_equal(s.progressed, 1);
	assert_int_equal(s.done, ITEMS);
	assert_int_equal(helper_stop(h), 0);
}

/* --- the time of begin --- */

struct opening {
	struct xy_runtime *rt;
	double begun_s, opened_s; /* begin */
	_Atomic int early;        /* reports of pieces that started before begin had ended */
};

static int open_slowly(void *arg, struct xy_batch_device *device)
{
	struct opening *o = arg;

	(void)device;
	o->begun_s = xy_now(o->rt);
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	o->opened_s = xy_now(o->rt);
	return 0;
}

static int work_nothing(struct xy_batch_piece *piece, struct xy_batch_device *device)
{
	(void)piece, (void)device;
	return 0;
}

static void opening_ended(void *arg, const struct xy_report *report)
{
	struct opening *o = arg;

	if (xy_task_range(report->task).stop && report->start_s < o->opened_s)
		atomic_fetch_add(&o->early, 1);
}

static int nothing_cpu(struct xy_call *call)
{
	(void)call;
	return 0;
}

static void begin_is_in_no_measurement(void **state)
{
	static const struct xy_model model = { .name = "opening", .kind = XY_MODEL_HISTORY };
	static const struct xy_codelet like = { .name = "like", .cpu = { nothing_cpu }, .model = &model };
	const struct xy_batch_ops ops = {
		.name = "opening", .begin = open_slowly, .work = work_nothing, .reduce = reduce_nothing, .model = &model
	};
	struct opening o = { 0 };
	struct xy_watch watch = { .arg = &o, .ended = opening_ended };
	struct helper *h = helper_start_with(
		&(struct xy_config){ .sched = "tree-eager", .ncpu = 2, .calibrate_samples = 1, .watch = &watch });
	struct xy_prediction p;
	struct xy_task *task;
	double begin_s;

	(void)state;
	o.rt = h->rt;
	begin_s = xy_now(h->rt);
	assert_int_equal(xy_batch_run(h->rt, &ops, &(struct xy_batch){ .stop = 8, .arg = &o }), 0);
	assert_int_equal(o.early, 0);
	task = HELPER_CREATE(h, .codelet = &like, .range = { 0, 8 });
	p = xy_task_length(task, 0, 0);
	assert_int_equal(p.kind, XY_PREDICTION_VALUE);
	assert_true(p.us <= (xy_now(h->rt) - begin_s - (o.opened_s - o.begun_s)) * 1e6);
	xy_task_release(task);
	assert_int_equal(helper_stop(h), 0);
}

/* --- what is measured --- */

/* The items of the first piece. */
static int learn_work(struct xy_batch_piece *piece, struct xy_batch_device *device)
{
	uint64_t *first = piece->arg;

	(void)device;
	if (!piece->range.start)
		*first = piece->range.stop;
	return 0;
}

static uint64_t learn(const char *folder, const char *name)
{
	const struct xy_batch_ops ops = { .name = name, .work = learn_work, .reduce = reduce_nothing };
	struct helper *h = helper_start_with(
		&(struct xy_config){ .sched = "tree-batch-auto", .ncpu = 2, .models = folder, .host = "here" });
	uint64_t first = 0;

	assert_int_equal(xy_batch_run(h->rt, &ops, &(struct xy_batch){ .stop = 1000000, .arg = &first }), 0);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0); /* a loaded machine: "the model follows" */
	return first;
}

static void sizes_are_kept_for_the_next_run(void **state)
{
	char folder[] = "/tmp/xylem-learn-XXXXXX", path[128];
	uint64_t first, again;

	(void)state;
	assert_non_null(mkdtemp(folder));
	first = learn(folder, "learn");
	snprintf(path, sizeof path, "%s/learn.cpu-2.here.model", folder);
	assert_int_equal(access(path, R_OK), 0);
	again = learn(folder, "learn");
	if (again <= first)
		fail_msg("the first piece has %u items, and %u in the next run", (unsigned)first, (unsigned)again);
	assert_int_equal(unlink(path), 0);
	/* Without a name, nothing is kept: .lock is all that is left. */
	learn(folder, NULL);
	snprintf(path, sizeof path, "%s/.lock", folder);
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

static void runs_between_tasks(void **state)
{
	struct helper *h = helper_start(divided, 2);
	struct sum s = { .reduced = 0 };
	struct gate gate = { 0 };
	struct xy_batch_job *job;
	struct xy_task *first, *end;
	_Atomic int n = 0;

	(void)state;
	assert_int_equal(xy_task_create(h->rt, &(struct xy_task_desc){ .codelet = &helper_gate, .arg = &gate }, &first),
			 0);
	assert_int_equal(xy_task_submit(first), 0);
	assert_int_equal(xy_batch_submit(h->rt, &sum_ops,
					 &(struct xy_batch){ .stop = ITEMS, .arg = &s, .after = &first, .nafter = 1 },
					 &job),
			 0);
	end = xy_batch_task(job);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = (void *)&n, .after = &end, .nafter = 1);
	helper_reach(h, &gate.inside, 1);
	assert_int_equal(s.worked, 0);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(s.reduced, 1);
	assert_int_equal(n, 1);
	assert_int_equal(xy_batch_wait(job), 0);
	xy_batch_release(job);
	xy_task_release(first);
	assert_int_equal(helper_stop(h), 0);
}

/* --- data that is cut --- */

enum { COLUMNS = 3 };

static int scale_cpu(struct xy_call *call)
{
	const struct xy_vector *x = xy_vector_at(call, 0);
	const struct xy_matrix *m = xy_matrix_at(call, 1);
	struct xy_range range = xy_call_range(call);

	if (x->n != range.stop - range.start || m->ny != x->n || m->nx != COLUMNS)
		return -EILSEQ;
	for (size_t i = 0; i < x->n; i++)
		for (size_t k = 0; k < COLUMNS; k++)
			((double *)m->ptr)[i * m->ld + k] = ((const double *)x->ptr)[i] * (double)(k + 1);
	return *(int *)call->arg;
}

static int fill_cpu(struct xy_call *call)
{
	for (size_t i = 0; i < xy_vector_at(call, 0)->n; i++)
		((double *)xy_pointer(call, 0))[i] = (double)i;
	return 0;
}

static const struct xy_codelet scale = { .name = "scale", .cpu = { scale_cpu } };
static const struct xy_codelet fill = { .name = "fill", .cpu = { fill_cpu }, .modes = { XY_W } };

static void cuts_vectors_and_matrices(void **state)
{
	const char *trees[] = { divided, ahead, "tree-eager" };
	static double x[ITEMS], m[ITEMS][COLUMNS + 1];
	struct xy_handle *vector, *matrix;

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(trees); i++) {
		struct helper *h = helper_start(trees[i], 3);
		int status = 0;

		memset(x, 0, sizeof x);
		memset(m, 0, sizeof m);
		assert_int_equal(xy_vector_register(h->rt, &vector, x, ITEMS, sizeof x[0]), 0);
		assert_int_equal(xy_matrix_register(h->rt, &matrix,
						    &(struct xy_matrix){ .ptr = m,
									 .nx = COLUMNS,
									 .ny = ITEMS,
									 .ld = COLUMNS + 1,
									 .elem = sizeof m[0][0] }),
				 0);
		HELPER_SUBMIT(h, .codelet = &fill, .handles = { vector });
		assert_int_equal(xy_batch_handles(h->rt, &scale,
						  &(struct xy_batch){
							  .start = 10,
							  .stop = ITEMS,
							  .arg = &status,
							  .handles = XY_ACCESSES({ vector, XY_R }, { matrix, XY_W }) }),
				 0);
		assert_int_equal(xy_unregister(&vector), 0);
		assert_int_equal(xy_unregister(&matrix), 0);
		for (unsigned k = 0; k < ITEMS; k++)
			for (unsigned j = 0; j < COLUMNS; j++)
				if (m[k][j] != (k < 10 ? 0 : k * (j + 1.0)))
					fail_msg("m[%u][%u] is %g", k, j, m[k][j]);
		assert_int_equal(helper_stop(h), 0);
	}
}

static void gives_data_back_after_a_failure(void **state)
{
	struct helper *h = helper_start(divided, 2);
	static double x[ITEMS], m[ITEMS][COLUMNS];
	struct xy_handle *vector, *matrix;
	int status = -EIO;

	(void)state;
	assert_int_equal(xy_vector_register(h->rt, &vector, x, ITEMS, sizeof x[0]), 0);
	assert_int_equal(
		xy_matrix_register(h->rt, &matrix,
				   &(struct xy_matrix){ .ptr = m, .nx = COLUMNS, .ny = ITEMS, .elem = sizeof m[0][0] }),
		0);
	for (unsigned i = 0; i < 2; i++, status = 0)
		assert_int_equal(xy_batch_handles(h->rt, &scale,
						  &(struct xy_batch){
							  .stop = ITEMS,
							  .arg = &status,
							  .handles = XY_ACCESSES({ vector, XY_R }, { matrix, XY_W }) }),
				 status);
	assert_int_equal(xy_unregister(&vector), 0);
	assert_int_equal(xy_unregister(&matrix), 0);
	xy_wait(h->rt);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

static void refuses_data_that_can_not_be_cut(void **state)
{
	struct helper *h = helper_start(divided, 1);
	double x[10];
	struct xy_handle *vector, *variable;
	int status = 0;

	(void)state;
	assert_int_equal(xy_vector_register(h->rt, &vector, x, 10, sizeof x[0]), 0);
	assert_int_equal(xy_variable_register(h->rt, &variable, x, sizeof x[0]), 0);
	assert_int_equal(
		xy_batch_handles(
			h->rt, &scale,
			&(struct xy_batch){ .stop = 11, .arg = &status, .handles = XY_ACCESSES({ vector, XY_R }) }),
		-EINVAL);
	helper_one_line(h, "handles[0] has fewer items than the batch");
	assert_int_equal(
		xy_batch_handles(
			h->rt, &scale,
			&(struct xy_batch){ .stop = 1, .arg = &status, .handles = XY_ACCESSES({ variable, XY_R }) }),
		-EINVAL);
	helper_one_line(h, "handles[0] is neither a vector nor a matrix");
	assert_int_equal(
		xy_batch_handles(
			h->rt, &scale,
			&(struct xy_batch){ .stop = 1, .arg = &status, .handles = XY_ACCESSES({ vector, XY_REDUX }) }),
		-EINVAL);
	helper_one_line(h, "handles[0] has another mode");
	assert_int_equal(xy_unregister(&vector), 0);
	assert_int_equal(xy_unregister(&variable), 0);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins_results_in_order_in_any_tree),
		cmocka_unit_test(several_run_at_once),
		cmocka_unit_test(refuses_what_is_not_a_batch),
		cmocka_unit_test(a_failure_is_returned_as_it_is),
		cmocka_unit_test(a_failure_stops_the_batch_and_leaks_nothing),
		cmocka_unit_test(several_failures_are_a_list_in_order),
		cmocka_unit_test(a_piece_is_tried_again),
		cmocka_unit_test(tells_its_progress_and_its_end),
		cmocka_unit_test(tells_in_any_case_that_all_is_done),
		cmocka_unit_test(begin_is_in_no_measurement),
		cmocka_unit_test(sizes_are_kept_for_the_next_run),
		cmocka_unit_test(runs_between_tasks),
		cmocka_unit_test(cuts_vectors_and_matrices),
		cmocka_unit_test(gives_data_back_after_a_failure),
		cmocka_unit_test(refuses_data_that_can_not_be_cut),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
