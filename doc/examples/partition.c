/* SPDX-License-Identifier: MIT */
/*
 * The programs of doc/partition.md in one: each function is a section there. Ends with 0 if every result is as the
 * page says.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <xylem.h>

enum { N = 1000, PIECES = 4 };

static void expect(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "partition: not as the page says: %s\n", what);
	exit(1);
}

static int scale_cpu(struct xy_call *call)
{
	const struct xy_vector *v = xy_vector_at(call, 0);

	for (size_t i = 0; i < v->n; i++)
		((double *)v->ptr)[i] *= 2;
	return 0;
}

static const struct xy_codelet scale = { .name = "scale", .cpu = { scale_cpu }, .modes = { XY_RW } };

static void fill(double *v, double value)
{
	for (unsigned i = 0; i < N; i++)
		v[i] = value;
}

/* --- with waiting --- */

static void wait_for_it(struct xy_runtime *rt)
{
	struct xy_handle *whole, *pieces[PIECES];
	static double v[N];
	int error;

	fill(v, 1);
	error = xy_vector_register(rt, &whole, v, N, sizeof *v);
	expect(!error, "registering");
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &scale, .handles = { whole } });
	error = xy_partition(whole, &(struct xy_filter){ .ops = &xy_filter_blocks, .n = PIECES }, pieces, PIECES);
	expect(!error, "partition");
	for (unsigned i = 0; i < PIECES; i++) /* these may run beside each other */
		xy_submit(rt, &(struct xy_task_desc){ .codelet = &scale, .handles = { pieces[i] } });
	error = xy_unpartition(whole);
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &scale, .handles = { whole } });
	error = error || xy_unregister(&whole);
	expect(!error && v[0] == 8 && v[N - 1] == 8, "a vector in blocks");
}

/* --- plans --- */

static void plans(struct xy_runtime *rt)
{
	const struct xy_filter lines = { .ops = &xy_filter_blocks, .n = 2, .dimension = 1 };
	const struct xy_filter tiles = { .ops = &xy_filter_grid, .grid = { 2, 2 } };
	struct xy_plan *by_lines = NULL, *by_tiles = NULL;
	struct xy_handle *m;
	int error;

	error = xy_matrix_register(rt, &m, &(struct xy_matrix){ .nx = 10, .ny = 10, .elem = sizeof(double) });
	error = error || xy_plan_create(m, &lines, &by_lines) || xy_plan_create(m, &tiles, &by_tiles);
	expect(!error && xy_plan_nchildren(by_tiles) == 4, "two plans");
	/* None of this waits for anything. */
	xy_plan_begin(by_lines, XY_RW);
	/* ... tasks on xy_plan_child(by_lines, i) ... */
	xy_plan_end(by_lines);
	xy_plan_begin(by_tiles, XY_RW);
	/* ... tasks on xy_plan_child(by_tiles, i) ... */
	xy_plan_end(by_tiles);
	/* ... tasks on m ... */
	error = xy_plan_destroy(&by_lines) || xy_plan_destroy(&by_tiles) || xy_unregister(&m);
	expect(!error, "plans");
}

/* --- reading --- */

/* Each element becomes the mean of its neighbours; x has one more than y at both ends. */
static int smooth_cpu(struct xy_call *call)
{
	const double *x = xy_pointer(call, 0);
	const struct xy_vector *v = xy_vector_at(call, 1);
	double *y = v->ptr;

	for (size_t i = 0; i < v->n; i++)
		y[i] = (x[i] + x[i + 2]) / 2;
	return 0;
}

static const struct xy_codelet smooth = { .name = "smooth", .cpu = { smooth_cpu }, .modes = { XY_R, XY_W } };

static void read_together(struct xy_runtime *rt)
{
	const struct xy_filter halo = { .ops = &xy_filter_shadow, .n = PIECES, .length = 1 };
	const struct xy_filter blocks = { .ops = &xy_filter_blocks, .n = PIECES };
	static double x[N + 2], y[N];
	struct xy_plan *from = NULL, *to = NULL;
	struct xy_handle *hx, *hy;
	int error;

	for (unsigned i = 0; i < N + 2; i++)
		x[i] = i;
	error = xy_vector_register(rt, &hx, x, N + 2, sizeof *x) || xy_vector_register(rt, &hy, y, N, sizeof *y);
	error = error || xy_plan_create(hx, &halo, &from) || xy_plan_create(hy, &blocks, &to);
	expect(!error, "plans for a stencil");
	error = xy_plan_begin(from, XY_R) || xy_plan_begin(to, XY_RW);
	for (unsigned i = 0; i < PIECES; i++)
		xy_submit(rt, &(struct xy_task_desc){ .codelet = &smooth,
						      .handles = { xy_plan_child(from, i), xy_plan_child(to, i) } });
	error = error || xy_plan_end(from) || xy_plan_end(to);
	error = error || xy_plan_destroy(&from) || xy_plan_destroy(&to) || xy_unregister(&hx) || xy_unregister(&hy);
	for (unsigned i = 0; i < N; i++)
		expect(!error && y[i] == i + 1, "a stencil");
}

/* --- children of children --- */

static void children_of_children(struct xy_runtime *rt)
{
	const struct xy_filter halves = { .ops = &xy_filter_halves };
	struct xy_handle *whole, *half[2], *quarter[2];
	static double v[N];
	int error;

	fill(v, 1);
	error = xy_vector_register(rt, &whole, v, N, sizeof *v);
	error = error || xy_partition(whole, &halves, half, 2) || xy_partition(half[1], &halves, quarter, 2);
	expect(!error, "partition of a child");
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &scale, .handles = { half[0] } });
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &scale, .handles = { quarter[0] } });
	error = xy_unpartition(half[1]) || xy_unpartition(whole) || xy_unregister(&whole);
	expect(!error && v[0] == 2 && v[N / 2] == 2 && v[N - 1] == 1, "a quarter");
}

int main(void)
{
	struct xy_runtime *rt;

	expect(!xy_start(&rt, NULL), "starting");
	wait_for_it(rt);
	plans(rt);
	read_together(rt);
	children_of_children(rt);
	expect(!xy_stop(&rt), "stopping");
	return 0;
}
