/* SPDX-License-Identifier: MIT */
/* Compiled with the names of the double of HIP's library; see everywhere_hip.h. */
#include "everywhere_hip.h"

#include <xylem/hip.h>

#include "../core/data/bed.h"
#include "../double/cudart_double.h"

int cudaSetDevice(int device);
int cudaMalloc(void **memory, size_t bytes);
int cudaFree(void *memory);

struct work {
	void (*body)(const struct work *work);
	uint32_t *a, *b;
	size_t n;
	uint32_t k;
};

static void work_set(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->a[i] = w->k + (uint32_t)i;
}

static void work_add(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->a[i] = 3 * w->a[i] + w->k;
}

static void work_axpy(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->b[i] = 3 * w->b[i] + w->k * w->a[i];
}

static void work_copy(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->b[i] = w->a[i] + w->k;
}

static void work_kernel(void *args)
{
	struct work *w = args;

	w->a = cudart_double_readable(w->a);
	w->b = w->b ? cudart_double_readable(w->b) : NULL;
	w->body(w);
}

static int work_launch(struct xy_call *call, void (*body)(const struct work *work))
{
	struct work w = {
		.body = body,
		.a = xy_pointer(call, 0),
		.b = call->nbuffers > 1 ? xy_pointer(call, 1) : NULL,
		.n = xy_vector_at(call, 0)->n,
		.k = ((const struct bed_arg *)call->arg)->k,
	};

	return xy_hip_check(call, cudart_double_launch(xy_hip_stream(call), work_kernel, &w, sizeof w));
}

int everywhere_hip_set(struct xy_call *call)
{
	return work_launch(call, work_set);
}

int everywhere_hip_add(struct xy_call *call)
{
	return work_launch(call, work_add);
}

int everywhere_hip_axpy(struct xy_call *call)
{
	return work_launch(call, work_axpy);
}

int everywhere_hip_copy(struct xy_call *call)
{
	return work_launch(call, work_copy);
}

void *everywhere_hip_allocate(unsigned device, size_t bytes)
{
	void *memory = NULL;

	return cudaSetDevice((int)device) || cudaMalloc(&memory, bytes) ? NULL : memory;
}

void everywhere_hip_free(void *memory)
{
	cudaFree(memory);
}

uint32_t *everywhere_hip_readable(const void *memory)
{
	return cudart_double_readable(memory);
}
