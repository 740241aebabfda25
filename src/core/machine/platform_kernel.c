/* SPDX-License-Identifier: MIT */
/*
 * How long kernels take on the classes of a platform. Kernels and sizes are in order once sealed, so that a search
 * halves; what was found is remembered in slots by the kernel's key and the size, for all classes at once.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/platform_parts.h"

enum { KERNEL_SLOTS = 1024 }; /* a power of two */

struct kernel_points {
	unsigned count, capacity;
	struct xy__platform_point *at;
};

struct kernel {
	char name[XY__PLATFORM_KERNEL];
	struct kernel_points points[]; /* by class */
};

/* Remembers the answers for a kernel and a size: predictions[slot * nclasses + class]. */
struct kernel_slot {
	const void *key;
	const char *name; /* NULL: free */
	double bytes;
};

struct xy__platform_kernels {
	unsigned nclasses, count, capacity;
	struct kernel **kernels;
	struct kernel_slot *slots;
	struct xy_prediction *predictions;
};

struct xy__platform_kernels *xy__kernels_create(unsigned nclasses)
{
	struct xy__platform_kernels *k = calloc(1, sizeof *k);

	if (k)
		k->nclasses = nclasses;
	return k;
}

void xy__kernels_destroy(struct xy__platform_kernels *k)
{
	for (unsigned i = 0; k && i < k->count; i++) {
		for (unsigned class = 0; class < k->nclasses; class ++)
			free(k->kernels[i]->points[class].at);
		free(k->kernels[i]);
	}
	if (k) {
		free(k->kernels);
		free(k->slots);
		free(k->predictions);
	}
	free(k);
}

/* A larger array in place of one that is full; false without memory. */
static bool kernel_grow(void **array, unsigned count, unsigned *capacity, size_t size)
{
	unsigned wanted = *capacity ? 2 * *capacity : 8;
	void *larger;

	if (count < *capacity)
		return true;
	larger = realloc(*array, wanted * size);
	if (!larger)
		return false;
	*array = larger;
	*capacity = wanted;
	return true;
}

static struct kernel *kernel_make(struct xy__platform_kernels *k, const char *name)
{
	struct kernel *kernel;

	if (!kernel_grow((void **)&k->kernels, k->count, &k->capacity, sizeof *k->kernels))
		return NULL;
	kernel = calloc(1, sizeof *kernel + k->nclasses * sizeof kernel->points[0]);
	if (!kernel)
		return NULL;
	strncpy(kernel->name, name, sizeof kernel->name - 1);
	k->kernels[k->count++] = kernel;
	return kernel;
}

int xy__kernels_add(struct xy__platform_kernels *k, const char *name, unsigned class,
		    const struct xy__platform_point *point)
{
	struct kernel_points *points;
	struct kernel *kernel = NULL;

	for (unsigned i = k->count; i-- > 0 && !kernel;)
		if (!strcmp(k->kernels[i]->name, name))
			kernel = k->kernels[i];
	if (!kernel && k->count == XY__PLATFORM_KERNELS)
		return -ENOSPC;
	if (!kernel)
		kernel = kernel_make(k, name);
	if (!kernel)
		return -ENOMEM;
	points = &kernel->points[class];
	for (unsigned i = 0; i < points->count; i++)
		if (points->at[i].bytes == point->bytes)
			return -EEXIST;
	if (!kernel_grow((void **)&points->at, points->count, &points->capacity, sizeof *points->at))
		return -ENOMEM;
	points->at[points->count++] = *point;
	return 0;
}

static int kernel_compare(const void *a, const void *b)
{
	return strcmp((*(struct kernel *const *)a)->name, (*(struct kernel *const *)b)->name);
}

static int kernel_compare_points(const void *a, const void *b)
{
	double x = ((const struct xy__platform_point *)a)->bytes, y = ((const struct xy__platform_point *)b)->bytes;

	return (x > y) - (x < y);
}

bool xy__kernels_seal(struct xy__platform_kernels *k)
{
	if (k->count)
		qsort(k->kernels, k->count, sizeof *k->kernels, kernel_compare);
	for (unsigned i = 0; i < k->count; i++)
		for (unsigned class = 0; class < k->nclasses; class ++) {
			struct kernel_points *points = &k->kernels[i]->points[class];

			if (points->count)
				qsort(points->at, points->count, sizeof *points->at, kernel_compare_points);
		}
	k->slots = calloc(KERNEL_SLOTS, sizeof *k->slots);
	k->predictions = calloc((size_t)KERNEL_SLOTS * (k->nclasses ? k->nclasses : 1), sizeof *k->predictions);
	return k->slots && k->predictions;
}

static const struct kernel *kernel_find(const struct xy__platform_kernels *k, const char *name)
{
	unsigned low = 0, high = k->count;

	while (low < high) {
		unsigned middle = (low + high) / 2;
		int order = strcmp(name, k->kernels[middle]->name);

		if (!order)
			return k->kernels[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* On the curve a * size^b through two points. */
static struct xy_prediction kernel_between(const struct xy__platform_point *below,
					   const struct xy__platform_point *above, double bytes)
{
	double share = log(bytes / below->bytes) / log(above->bytes / below->bytes);

	return (struct xy_prediction){
		.kind = XY_PREDICTION_VALUE,
		.us = below->us * pow(above->us / below->us, share),
		.spread = below->spread + (above->spread - below->spread) * share,
		.samples = below->samples < above->samples ? below->samples : above->samples,
	};
}

static struct xy_prediction kernel_predict(const struct kernel_points *points, double bytes)
{
	unsigned low = 0, high = points->count; /* the first point that is not smaller */

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (points->at[middle].bytes < bytes)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < points->count && points->at[low].bytes == bytes)
		return (struct xy_prediction){
			.kind = XY_PREDICTION_VALUE,
			.us = points->at[low].us,
			.spread = points->at[low].spread,
			.samples = points->at[low].samples,
		};
	if (low == 0 || low == points->count)
		return (struct xy_prediction){ .kind = XY_PREDICTION_UNKNOWN };
	return kernel_between(&points->at[low - 1], &points->at[low], bytes);
}

static void kernel_fill(struct xy__platform_kernels *k, const char *name, double bytes,
			struct xy_prediction *predictions)
{
	const struct kernel *kernel = kernel_find(k, name);

	for (unsigned class = 0; class < k->nclasses; class ++)
		predictions[class] = kernel ? kernel_predict(&kernel->points[class], bytes)
					    : (struct xy_prediction){ .kind = XY_PREDICTION_NONE };
}

static unsigned kernel_place(const void *key, double bytes)
{
	uint64_t bits;

	memcpy(&bits, &bytes, sizeof bits);
	return (unsigned)(((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u ^ bits) * 0xff51afd7ed558ccdu >> 32) &
	       (KERNEL_SLOTS - 1);
}

struct xy_prediction xy__platform_kernel(struct xy__platform *p, const void *key, const char *kernel, double bytes,
					 unsigned worker)
{
	struct xy__platform_kernels *k = p->kernels;
	unsigned place = kernel_place(key, bytes);
	struct kernel_slot *slot = &k->slots[place];
	struct xy_prediction *predictions = &k->predictions[(size_t)place * k->nclasses];

	if (slot->key != key || slot->bytes != bytes || slot->name != kernel) {
		kernel_fill(k, kernel, bytes, predictions);
		*slot = (struct kernel_slot){ key, kernel, bytes };
	}
	return predictions[p->workers[worker].class];
}

unsigned xy__platform_nkernels(const struct xy__platform *p)
{
	return p->kernels->count;
}

const char *xy__platform_kernel_name(const struct xy__platform *p, unsigned i)
{
	return p->kernels->kernels[i]->name;
}

unsigned xy__platform_points(const struct xy__platform *p, unsigned i, unsigned class,
			     const struct xy__platform_point **points)
{
	*points = p->kernels->kernels[i]->points[class].at;
	return p->kernels->kernels[i]->points[class].count;
}
