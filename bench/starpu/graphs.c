/* SPDX-License-Identifier: MIT */
/*
 * Graphs of empty tasks, written for StarPU: compiled against StarPU and against Xylem's headers for it. Prints the
 * nanoseconds per task, from the first submission to the end of the last task.
 */
#include <starpu.h>
#include <stdio.h>

static void nothing(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
}

static struct starpu_codelet empty = { .cpu_funcs = { nothing }, .name = "empty" };
static struct starpu_codelet update = {
	.cpu_funcs = { nothing }, .nbuffers = 1, .modes = { STARPU_RW }, .name = "update"
};
static struct starpu_codelet wave = {
	.cpu_funcs = { nothing }, .nbuffers = 3, .modes = { STARPU_RW, STARPU_R, STARPU_R }, .name = "wave"
};
static struct starpu_codelet solve = {
	.cpu_funcs = { nothing }, .nbuffers = 2, .modes = { STARPU_R, STARPU_RW }, .name = "solve"
};
static struct starpu_codelet product = {
	.cpu_funcs = { nothing }, .nbuffers = 3, .modes = { STARPU_R, STARPU_R, STARPU_RW }, .name = "product"
};

static void check(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(-error));
	exit(1);
}

static unsigned long independent(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		check(starpu_task_insert(&empty, 0), "starpu_task_insert");
	return n;
}

static unsigned long chain(unsigned long n)
{
	static int value;
	starpu_data_handle_t h;

	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	for (unsigned long i = 0; i < n; i++)
		check(starpu_task_insert(&update, STARPU_RW, h, 0), "starpu_task_insert");
	starpu_data_unregister(h);
	return n;
}

static starpu_data_handle_t *tiles(unsigned n, unsigned side)
{
	starpu_data_handle_t *h = calloc((size_t)n * n, sizeof *h);
	float *cells = calloc((size_t)n * n, (size_t)side * side * sizeof *cells);

	if (!h || !cells)
		exit(1);
	for (unsigned i = 0; i < n * n; i++)
		starpu_matrix_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)(cells + (size_t)i * side * side), side,
					    side, side, sizeof *cells);
	return h;
}

static void tiles_end(starpu_data_handle_t *h, unsigned n)
{
	float *cells = (float *)starpu_matrix_get_local_ptr(h[0]);

	for (unsigned i = 0; i < n * n; i++)
		starpu_data_unregister(h[i]);
	free(cells);
	free(h);
}

/* The side of a square of about n tasks, or of a triangle of n tasks with a third power. */
static unsigned side_of(unsigned long n, unsigned power)
{
	unsigned side = 1;

	while ((power == 2 ? (unsigned long)side * side : (unsigned long)side * side * side / 6) < n)
		side++;
	return side;
}

static unsigned long wavefront(unsigned long n)
{
	unsigned side = side_of(n, 2);
	starpu_data_handle_t *h = tiles(side, 1);

	for (unsigned y = 1; y < side; y++)
		for (unsigned x = 1; x < side; x++)
			check(starpu_task_insert(&wave, STARPU_RW, h[y * side + x], STARPU_R, h[(y - 1) * side + x],
						 STARPU_R, h[y * side + x - 1], 0),
			      "starpu_task_insert");
	starpu_task_wait_for_all();
	tiles_end(h, side);
	return (unsigned long)(side - 1) * (side - 1);
}

/* The graph of a tiled factorisation, on tiles of 64 x 64 numbers that are not computed. */
static unsigned long cholesky(unsigned long n)
{
	unsigned side = side_of(n, 3);
	starpu_data_handle_t *h = tiles(side, 64);
	unsigned long tasks = 0;

	for (unsigned k = 0; k < side; k++) {
		check(starpu_task_insert(&update, STARPU_RW, h[k * side + k], STARPU_PRIORITY, 3, 0), "potrf");
		for (unsigned i = k + 1; i < side; i++)
			check(starpu_task_insert(&solve, STARPU_R, h[k * side + k], STARPU_RW, h[i * side + k],
						 STARPU_PRIORITY, 2, 0),
			      "trsm");
		for (unsigned i = k + 1; i < side; i++)
			for (unsigned j = k + 1; j <= i; j++)
				check(i == j ? starpu_task_insert(&solve, STARPU_R, h[i * side + k], STARPU_RW,
								  h[i * side + i], 0)
					     : starpu_task_insert(&product, STARPU_R, h[i * side + k], STARPU_R,
								  h[j * side + k], STARPU_RW, h[i * side + j], 0),
				      "gemm");
		tasks += 1 + (side - k - 1) + (unsigned long)(side - k - 1) * (side - k) / 2;
	}
	starpu_task_wait_for_all();
	tiles_end(h, side);
	return tasks;
}

/* A wavefront by tags. */
static unsigned long tags(unsigned long n)
{
	unsigned side = side_of(n, 2);

	for (unsigned y = 0; y < side; y++)
		for (unsigned x = 0; x < side; x++) {
			struct starpu_task *task = starpu_task_create();
			starpu_tag_t tag = (starpu_tag_t)y << 32 | x;

			task->cl = &empty;
			task->use_tag = 1;
			task->tag_id = tag;
			if (x && y)
				starpu_tag_declare_deps(tag, 2, (starpu_tag_t)(y - 1) << 32 | x,
							(starpu_tag_t)y << 32 | (x - 1));
			else if (x || y)
				starpu_tag_declare_deps(tag, 1,
							x ? (starpu_tag_t)(x - 1) : (starpu_tag_t)(y - 1) << 32);
			check(starpu_task_submit(task), "starpu_task_submit");
		}
	starpu_tag_wait((starpu_tag_t)(side - 1) << 32 | (side - 1));
	return (unsigned long)side * side;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		unsigned long (*run)(unsigned long n);
	} graphs[] = { { "independent", independent },
		       { "chain", chain },
		       { "wavefront", wavefront },
		       { "cholesky", cholesky },
		       { "tags", tags } };
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	for (unsigned i = 0; i < sizeof graphs / sizeof *graphs && n; i++)
		if (!strcmp(argv[1], graphs[i].name)) {
			double start;

			check(starpu_init(NULL), "starpu_init");
			start = starpu_timing_now();
			n = graphs[i].run(n);
			starpu_task_wait_for_all();
			printf("%.1f\n", (starpu_timing_now() - start) * 1e3 / (double)n);
			starpu_shutdown();
			return 0;
		}
	fprintf(stderr, "usage: graphs independent|chain|wavefront|cholesky|tags TASKS\n");
	return 2;
}
