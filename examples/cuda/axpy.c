/* SPDX-License-Identifier: MIT */
/* y += a * x in blocks, by a codelet with a CPU and a CUDA implementation. It runs wherever the policy
 * sends it, or only on the workers of one kind: axpy [cpu|cuda]. */
#include <stdio.h>
#include <string.h>
#include <xylem.h>

enum { BLOCKS = 16, SIZE = 5000, ROUNDS = 6 };

/* --- the codelet --- */

static int axpy_cpu(struct xy_call *call)
{
	const float *x = xy_pointer(call, 0), a = *(const float *)call->arg;
	float *y = xy_pointer(call, 1);

	for (size_t i = 0; i < xy_vector_at(call, 1)->n; i++)
		y[i] += a * x[i];
	return 0;
}

int axpy_cuda(struct xy_call *call); /* in axpy_cuda.cu */

static struct xy_codelet axpy = {
	.name = "axpy",
	.cpu = { axpy_cpu },
	.cuda = { axpy_cuda },
	.modes = { XY_R, XY_RW },
};

/* --- the program --- */

static float x[BLOCKS][SIZE], y[BLOCKS][SIZE], a = 2;

/* Small whole numbers, so that the result is exact. */
static void fill(void)
{
	for (unsigned i = 0; i < BLOCKS * SIZE; i++) {
		x[i / SIZE][i % SIZE] = (float)(i % 1000);
		y[i / SIZE][i % SIZE] = 1;
	}
}

static unsigned count_wrong(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < BLOCKS * SIZE; i++)
		wrong += y[i / SIZE][i % SIZE] != (float)(1 + ROUNDS * 2 * (i % 1000));
	return wrong;
}

/* Every block takes part in every round. */
static int compute(struct xy_runtime *rt)
{
	struct xy_handle *hx[BLOCKS] = { NULL }, *hy[BLOCKS] = { NULL };
	int error = 0, end;

	for (unsigned i = 0; i < BLOCKS && !error; i++) {
		error = xy_vector_register(rt, &hx[i], x[i], SIZE, sizeof(float));
		error = error ? error : xy_vector_register(rt, &hy[i], y[i], SIZE, sizeof(float));
	}
	for (unsigned i = 0; i < BLOCKS * ROUNDS && !error; i++)
		error = xy_submit(rt, &(struct xy_task_desc){ .codelet = &axpy,
							      .handles = { hx[i % BLOCKS], hy[i % BLOCKS] },
							      .arg = &a });
	end = xy_wait(rt);
	error = error ? error : end;
	for (unsigned i = 0; i < BLOCKS; i++) {
		if (hx[i])
			xy_unregister(&hx[i]);
		end = hy[i] ? xy_unregister(&hy[i]) : 0; /* the result is ours again */
		error = error ? error : end;
	}
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
	unsigned wrong;
	int error;

	if (argc > 1 && strcmp(argv[1], "cpu") == 0)
		axpy.where = XY_ON_CPU;
	else if (argc > 1 && strcmp(argv[1], "cuda") == 0)
		axpy.where = XY_ON_CUDA;
	fill();
	if (xy_start(&rt, NULL))
		return 1;
	error = compute(rt);
	print_workers(rt);
	xy_stop(&rt);
	if (error) {
		printf("failed: %s\n", strerror(-error));
		return 1;
	}
	wrong = count_wrong();
	printf("%u of %u elements are wrong\n", wrong, BLOCKS * SIZE);
	return wrong ? 1 : 0;
}
