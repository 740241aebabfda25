/* SPDX-License-Identifier: MIT */
/* A matrix product in tiles, by a codelet with a CPU and an OpenCL implementation. It runs wherever the
 * policy sends it, or only on the workers of one kind: product [cpu|opencl]. */
#include <stdio.h>
#include <string.h>
#include <xylem.h>
#include <xylem/opencl.h>

enum { TILES = 4, TILE = 48, SIZE = TILES * TILE };

/* Tiles of a matrix, row by row, each contiguous; in a tile x is the contiguous direction. */
struct tiled {
	float tiles[TILES][TILES][TILE * TILE];
	struct xy_handle *handles[TILES][TILES];
};

/* --- the codelet: c += a * b --- */

static int multiply_cpu(struct xy_call *call)
{
	const struct xy_matrix *a = xy_matrix_at(call, 0), *b = xy_matrix_at(call, 1), *c = xy_matrix_at(call, 2);
	const float *pa = a->ptr, *pb = b->ptr;
	float *pc = c->ptr;

	for (size_t y = 0; y < c->ny; y++)
		for (size_t k = 0; k < a->nx; k++)
			for (size_t x = 0; x < c->nx; x++)
				pc[x + y * c->ld] += pa[k + y * a->ld] * pb[x + k * b->ld];
	return 0;
}

static const struct xy_opencl_program program = {
	.source = "kernel void multiply(global const float *a, uint lda, global const float *b, uint ldb,\n"
		  "			global float *c, uint ldc, uint n)\n"
		  "{\n"
		  "	size_t x = get_global_id(0), y = get_global_id(1);\n"
		  "	float sum = c[x + y * ldc];\n"
		  "	for (uint k = 0; k < n; k++)\n"
		  "		sum += a[k + y * lda] * b[x + k * ldb];\n"
		  "	c[x + y * ldc] = sum;\n"
		  "}\n",
};

/* Begins the work and returns; the task ends when the kernel has. */
static int multiply_opencl(struct xy_call *call)
{
	const size_t range[] = { xy_matrix_at(call, 2)->nx, xy_matrix_at(call, 2)->ny };
	cl_uint n = (cl_uint)xy_matrix_at(call, 0)->nx;
	cl_kernel kernel;
	int error = xy_opencl_kernel(call, &program, "multiply", &kernel);

	if (error)
		return error;
	for (unsigned i = 0; i < 3; i++) {
		cl_mem buffer = xy_opencl_buffer(call, i);
		cl_uint ld = (cl_uint)xy_matrix_at(call, i)->ld;

		clSetKernelArg(kernel, 2 * i, sizeof buffer, &buffer);
		clSetKernelArg(kernel, 2 * i + 1, sizeof ld, &ld);
	}
	clSetKernelArg(kernel, 6, sizeof n, &n);
	return xy_opencl_check(
		call, clEnqueueNDRangeKernel(xy_opencl_queue(call), kernel, 2, NULL, range, NULL, 0, NULL, NULL));
}

static struct xy_codelet multiply = {
	.name = "multiply",
	.cpu = { multiply_cpu },
	.opencl = { multiply_opencl },
	.modes = { XY_R, XY_R, XY_RW },
};

/* --- the program --- */

static struct tiled a, b, c;

static float *element(struct tiled *m, unsigned x, unsigned y)
{
	return &m->tiles[y / TILE][x / TILE][x % TILE + y % TILE * TILE];
}

/* Small whole numbers, so that the product is exact. */
static void fill(void)
{
	for (unsigned y = 0; y < SIZE; y++)
		for (unsigned x = 0; x < SIZE; x++) {
			*element(&a, x, y) = (float)((3 * x + 5 * y) % 7);
			*element(&b, x, y) = (float)((x + 2 * y) % 5);
			*element(&c, x, y) = 1;
		}
}

static unsigned count_wrong(void)
{
	unsigned wrong = 0;

	for (unsigned y = 0; y < SIZE; y++)
		for (unsigned x = 0; x < SIZE; x++) {
			float sum = 1;

			for (unsigned k = 0; k < SIZE; k++)
				sum += *element(&a, k, y) * *element(&b, x, k);
			wrong += sum != *element(&c, x, y);
		}
	return wrong;
}

static int register_tiles(struct xy_runtime *rt, struct tiled *m)
{
	int error = 0;

	for (unsigned i = 0; i < TILES * TILES && !error; i++)
		error = xy_matrix_register(
			rt, &m->handles[i / TILES][i % TILES],
			&(struct xy_matrix){
				.ptr = m->tiles[i / TILES][i % TILES], .nx = TILE, .ny = TILE, .elem = sizeof(float) });
	return error;
}

/* Brings the results back to where they were registered. */
static int unregister_tiles(struct tiled *m)
{
	int first = 0;

	for (unsigned i = 0; i < TILES * TILES; i++) {
		struct xy_handle **handle = &m->handles[i / TILES][i % TILES];
		int error = *handle ? xy_unregister(handle) : 0;

		first = first ? first : error;
	}
	return first;
}

static int submit(struct xy_runtime *rt)
{
	int error = 0;

	for (unsigned k = 0; k < TILES; k++)
		for (unsigned i = 0; i < TILES * TILES && !error; i++)
			error = xy_submit(rt, &(struct xy_task_desc){
						      .codelet = &multiply,
						      .handles = { a.handles[i / TILES][k], b.handles[k][i % TILES],
								   c.handles[i / TILES][i % TILES] },
					      });
	return error;
}

static void print_workers(const struct xy_runtime *rt)
{
	const struct xy_machine *machine = xy_runtime_machine(rt);

	for (unsigned i = 0; i < xy_machine_nworkers(machine); i++) {
		struct xy_worker_stats stats;

		if (xy_worker_stats(rt, i, &stats) == 0)
			printf("%s: %llu tasks\n", xy_machine_worker(machine, i)->name, stats.tasks);
	}
}

int main(int argc, char **argv)
{
	struct xy_runtime *rt;
	int error, end;
	unsigned wrong;

	if (argc > 1 && strcmp(argv[1], "cpu") == 0)
		multiply.where = XY_ON_CPU;
	else if (argc > 1 && strcmp(argv[1], "opencl") == 0)
		multiply.where = XY_ON_OPENCL;
	fill();
	if (xy_start(&rt, NULL))
		return 1;
	error = register_tiles(rt, &a);
	error = error ? error : register_tiles(rt, &b);
	error = error ? error : register_tiles(rt, &c);
	error = error ? error : submit(rt);
	end = xy_wait(rt);
	error = error ? error : end;
	unregister_tiles(&a);
	unregister_tiles(&b);
	end = unregister_tiles(&c);
	error = error ? error : end;
	print_workers(rt);
	xy_stop(&rt);
	if (error) {
		printf("failed: %s\n", strerror(-error));
		return 1;
	}
	wrong = count_wrong();
	printf("%u of %u elements are wrong\n", wrong, SIZE * SIZE);
	return wrong ? 1 : 0;
}
