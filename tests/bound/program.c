/* SPDX-License-Identifier: MIT */
/*
 * The linear program whose paths come one by one has the optimum of the whole one, which has a completion time
 * for each task and a row for each edge, on random graphs and on a factorization; and it keeps to its time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glpk.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "bound/parts.h"

enum { CASES = 60, TASKS = 40, CLASSES = 3, TILES = 8 };

struct bed {
	struct bound_problem problem;
	unsigned workers[CLASSES];
	double *duration_us;
	size_t *first;
	unsigned *predecessors;
};

static unsigned bed_random(uint64_t *seed, unsigned below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*seed >> 33) % below);
}

/* Room for n tasks with at most width predecessors each. */
static void bed_init(struct bed *bed, unsigned n, unsigned nclasses, unsigned width)
{
	bed->duration_us = calloc((size_t)n * nclasses, sizeof(double));
	bed->first = calloc((size_t)n + 1, sizeof(size_t));
	bed->predecessors = calloc((size_t)n * width + 1, sizeof(unsigned));
	assert_true(bed->duration_us && bed->first && bed->predecessors);
	bed->problem = (struct bound_problem){
		n, nclasses, bed->workers, bed->duration_us, bed->first, bed->predecessors,
	};
}

static void bed_fini(struct bed *bed)
{
	free(bed->duration_us);
	free(bed->first);
	free(bed->predecessors);
}

static void bed_random_graph(struct bed *bed, uint64_t seed)
{
	unsigned n = 2 + bed_random(&seed, TASKS - 1), nclasses = 1 + bed_random(&seed, CLASSES), nedges = 0;
	unsigned width = 1 + bed_random(&seed, 4), types = 1 + bed_random(&seed, n);

	bed_init(bed, n, nclasses, width);
	for (unsigned c = 0; c < nclasses; c++)
		bed->workers[c] = 1 + bed_random(&seed, 4);
	for (unsigned i = 0; i < n; i++) {
		uint64_t row = bed_random(&seed, types);

		for (unsigned c = 0; c < nclasses; c++)
			bed->duration_us[i * nclasses + c] = (1 + bed_random(&row, 50)) * (c ? 10 : 37.5);
		bed->first[i] = nedges;
		for (unsigned k = 0; i && k < width; k++)
			if (bed_random(&seed, 3))
				bed->predecessors[nedges++] = i - 1 - bed_random(&seed, i < 12 ? i : 12);
	}
	bed->first[n] = nedges;
}

/* The tiled Cholesky factorization on nine slow and three fast workers. */
static void bed_cholesky(struct bed *bed)
{
	static const double us[4][2] = { { 18850, 5475 }, { 45647, 6407 }, { 43890, 1410 }, { 87780, 2821 } };
	int last[TILES][TILES];
	unsigned n = 0, nedges = 0;

	bed_init(bed, TILES * (TILES + 1) * (TILES + 2) / 6, 2, 3);
	bed->workers[0] = 9;
	bed->workers[1] = 3;
	for (unsigned i = 0; i < TILES; i++)
		for (unsigned j = 0; j < TILES; j++)
			last[i][j] = -1;
	for (unsigned k = 0; k < TILES; k++)
		for (unsigned j = k; j < TILES; j++)
			for (unsigned i = j; i < TILES; i++) {
				/* Step k on tile (i, j): from (i, k) and (j, k), once they are what they will be. */
				unsigned kernel = j == k ? i != k : i == j ? 2 : 3;
				int before[3] = { last[i][j], kernel ? last[j][k] : -1, kernel == 3 ? last[i][k] : -1 };

				bed->first[n] = nedges;
				bed->duration_us[2 * n] = us[kernel][0];
				bed->duration_us[2 * n + 1] = us[kernel][1];
				for (unsigned b = 0; b < 3; b++)
					if (before[b] >= 0)
						bed->predecessors[nedges++] = (unsigned)before[b];
				last[i][j] = (int)n++;
			}
	assert_int_equal(n, bed->problem.ntasks);
	bed->first[n] = nedges;
}

/* --- the whole program --- */

/* Columns: T, then the end of each task, then the parts of each task by class. */
struct whole {
	const struct bound_problem *problem;
	glp_prob *program;
	int index[TASKS * TILES * CLASSES + 2];
	double value[TASKS * TILES * CLASSES + 2];
};

static int whole_end(unsigned task)
{
	return 2 + (int)task;
}

static int whole_part(const struct whole *whole, unsigned task, unsigned class)
{
	return 2 + (int)(whole->problem->ntasks + task * whole->problem->nclasses + class);
}

static double whole_us(const struct whole *whole, unsigned task, unsigned class)
{
	return whole->problem->duration_us[task * whole->problem->nclasses + class] / 1000;
}

static void whole_row(struct whole *whole, int length, int type, double bound)
{
	int row = glp_add_rows(whole->program, 1);

	glp_set_row_bnds(whole->program, row, type, bound, bound);
	glp_set_mat_row(whole->program, row, length, whole->index, whole->value);
}

/* The end of a task is at least its length after another one's; before is 0 for the beginning. */
static void whole_after(struct whole *whole, unsigned task, int before)
{
	int n = 1;

	whole->index[1] = whole_end(task);
	whole->value[1] = 1;
	for (unsigned c = 0; c < whole->problem->nclasses; c++) {
		whole->index[++n] = whole_part(whole, task, c);
		whole->value[n] = -whole_us(whole, task, c);
	}
	if (before) {
		whole->index[++n] = before;
		whole->value[n] = -1;
	}
	whole_row(whole, n, GLP_LO, 0);
}

static void whole_task(struct whole *whole, unsigned task)
{
	const struct bound_problem *problem = whole->problem;

	whole_after(whole, task, 0);
	for (size_t e = problem->first[task]; e < problem->first[task + 1]; e++)
		whole_after(whole, task, whole_end(problem->predecessors[e]));
	whole->index[1] = 1;
	whole->value[1] = 1;
	whole->index[2] = whole_end(task);
	whole->value[2] = -1;
	whole_row(whole, 2, GLP_LO, 0);
	for (unsigned c = 0; c < problem->nclasses; c++) {
		whole->index[1 + c] = whole_part(whole, task, c);
		whole->value[1 + c] = 1;
	}
	whole_row(whole, (int)problem->nclasses, GLP_FX, 1);
}

static double whole_optimum(const struct bound_problem *problem)
{
	static struct whole whole;
	int ncolumns = 1 + (int)(problem->ntasks * (1 + problem->nclasses));
	glp_smcp settings;
	double optimum;

	whole.problem = problem;
	whole.program = glp_create_prob();
	glp_add_cols(whole.program, ncolumns);
	for (int i = 1; i <= ncolumns; i++)
		glp_set_col_bnds(whole.program, i, GLP_LO, 0, 0);
	glp_set_obj_coef(whole.program, 1, 1);
	for (unsigned i = 0; i < problem->ntasks; i++)
		whole_task(&whole, i);
	for (unsigned c = 0; c < problem->nclasses; c++) {
		whole.index[1] = 1;
		whole.value[1] = -(double)problem->workers[c];
		for (unsigned i = 0; i < problem->ntasks; i++) {
			whole.index[2 + i] = whole_part(&whole, i, c);
			whole.value[2 + i] = whole_us(&whole, i, c);
		}
		whole_row(&whole, 1 + (int)problem->ntasks, GLP_UP, 0);
	}
	glp_init_smcp(&settings);
	settings.msg_lev = GLP_MSG_OFF;
	assert_int_equal(glp_simplex(whole.program, &settings), 0);
	assert_int_equal(glp_get_status(whole.program), GLP_OPT);
	optimum = glp_get_obj_val(whole.program) * 1000;
	glp_delete_prob(whole.program);
	return optimum;
}

/* The form without lazy paths, which the bound has for graphs where they don't help. */
static void compare_whole(const struct bound_problem *problem, double optimum)
{
	struct bound_graph graph;
	char message[BOUND_MESSAGE];
	double bound = 0, upper = INFINITY;

	assert_int_equal(bound_graph_init(&graph, problem, message), 0);
	assert_int_equal(bound_whole(&graph, 20, &bound, &upper), 0);
	bound_graph_fini(&graph);
	if (bound > optimum * (1 + 1e-7) || bound < optimum * (1 - 1e-6) || fabs(upper - optimum) > optimum * 1e-6)
		fail_msg("from %.12g to %.12g instead of %.12g", bound, upper, optimum);
}

static void compare(struct bed *bed)
{
	struct bound_set set;
	char message[BOUND_MESSAGE];
	double optimum = whole_optimum(&bed->problem);

	assert_int_equal(bound_compute(&bed->problem, 20, &set, message), 0);
	assert_int_equal(set.end, BOUND_OPTIMAL);
	assert_true(set.gap <= 1e-4);
	if (set.us[BOUND_LP] > optimum * (1 + 1e-7) || set.us[BOUND_LP] < optimum * (1 - 1.1e-4))
		fail_msg("%.12g instead of %.12g", set.us[BOUND_LP], optimum);
	compare_whole(&bed->problem, optimum);
	bed_fini(bed);
}

static void finds_the_optimum_of_random_graphs(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct bed bed;

		bed_random_graph(&bed, i);
		compare(&bed);
	}
}

/* Steps of forks and joins: of all paths, as many as the width to the power of the steps, every one matters. */
static void finds_the_optimum_of_forks_and_joins(void **state)
{
	enum { WIDTH = 24, STEPS = 6 };
	unsigned n = 0, nedges = 0;
	struct bed bed;

	(void)state;
	bed_init(&bed, STEPS * (WIDTH + 1), 2, WIDTH);
	bed.workers[0] = 40;
	bed.workers[1] = 3;
	for (unsigned step = 0; step < STEPS; step++)
		for (unsigned i = 0; i <= WIDTH; i++) {
			bed.duration_us[2 * n] = i < WIDTH ? 100 : 10;
			bed.duration_us[2 * n + 1] = i < WIDTH ? 12 : 9;
			bed.first[n] = nedges;
			if (i == WIDTH)
				for (unsigned j = 0; j < WIDTH; j++)
					bed.predecessors[nedges++] = n - WIDTH + j;
			else if (step)
				bed.predecessors[nedges++] = step * (WIDTH + 1) - 1;
			n++;
		}
	bed.first[n] = nedges;
	compare(&bed);
}

static void finds_the_optimum_of_a_factorization(void **state)
{
	struct bed bed;

	(void)state;
	bed_cholesky(&bed);
	compare(&bed);
}

/* Tens of thousands of tasks, no two alike, on a grid: far more than can be solved at once. */
static void stops_when_its_time_is_over(void **state)
{
	enum { SIDE = 150 };
	uint64_t seed = 11;
	unsigned nedges = 0;
	struct timespec before, after;
	struct bound_set set;
	struct bed bed;
	char message[BOUND_MESSAGE];

	(void)state;
	bed_init(&bed, SIDE * SIDE, 2, 2);
	bed.workers[0] = 100;
	bed.workers[1] = 20;
	for (unsigned i = 0; i < SIDE * SIDE; i++) {
		bed.duration_us[2 * i] = 1000 + bed_random(&seed, 100000);
		bed.duration_us[2 * i + 1] = 1000 + bed_random(&seed, 20000);
		bed.first[i] = nedges;
		if (i >= SIDE)
			bed.predecessors[nedges++] = i - SIDE;
		if (i % SIDE)
			bed.predecessors[nedges++] = i - 1;
	}
	bed.first[SIDE * SIDE] = nedges;
	clock_gettime(CLOCK_MONOTONIC, &before);
	assert_int_equal(bound_compute(&bed.problem, 0.2, &set, message), 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(after.tv_sec - before.tv_sec < 120);
	assert_int_equal(set.end, BOUND_STOPPED);
	assert_true(set.gap > 1e-4);
	assert_true(set.us[BOUND_LP] >= set.us[BOUND_MIXED] && set.us[BOUND_MIXED] > 0);
	bed_fini(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_optimum_of_random_graphs),
		cmocka_unit_test(finds_the_optimum_of_forks_and_joins),
		cmocka_unit_test(finds_the_optimum_of_a_factorization),
		cmocka_unit_test(stops_when_its_time_is_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
