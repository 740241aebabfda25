/* SPDX-License-Identifier: MIT */
/* A program for the driver of doc/drivers.md: adds numbers up on its devices, in less memory than the numbers take. */
#include <stdio.h>
#include <stdlib.h>
#include <xylem.h>
#include "driver.h"

enum { VECTORS = 20, SIZE = 16384, ROUNDS = 10 };

/* The work of a device and its arguments. */
struct work {
	long *numbers;
	size_t n;
};

static void work_do(void *arg)
{
	struct work *work = arg;

	for (size_t i = 0; i < work->n; i++)
		work->numbers[i] += (long)i;
	free(work);
}

/* Starts the work and returns: xy_pointer is memory that only the device uses. */
static int add_device(struct xy_call *call)
{
	const struct line_services *services = call->services;
	struct work *work = malloc(sizeof *work);
	int error;

	if (!work)
		return -1;
	*work = (struct work){ xy_pointer(call, 0), xy_vector_at(call, 0)->n };
	error = services->begin(call->stream, work_do, work);
	if (error)
		free(work);
	return error;
}

static const struct xy_codelet add = { .name = "add", .opencl = { add_device }, .modes = { XY_RW } };

int main(void)
{
	static long numbers[VECTORS][SIZE];
	struct xy_handle *v[VECTORS] = { NULL };
	struct xy_runtime *rt;
	unsigned wrong = 0;
	int error = 0;

	if (xy_start(&rt, NULL))
		return 1;
	for (unsigned i = 0; i < VECTORS && !error; i++)
		error = xy_vector_register(rt, &v[i], numbers[i], SIZE, sizeof(long));
	for (unsigned i = 0; i < VECTORS * ROUNDS && !error; i++)
		error = xy_submit(rt, &(struct xy_task_desc){ .codelet = &add, .handles = { v[i % VECTORS] } });
	for (unsigned i = 0; i < VECTORS; i++)
		if (v[i] && xy_unregister(&v[i]))
			error = 1;
	for (unsigned i = 0; i < VECTORS * SIZE; i++)
		wrong += numbers[i / SIZE][i % SIZE] != ROUNDS * (long)(i % SIZE);
	printf("%u of %u numbers are wrong\n", wrong, VECTORS * SIZE);
	return xy_stop(&rt) || error || wrong ? 1 : 0;
}
