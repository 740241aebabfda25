/* SPDX-License-Identifier: MIT */
/*
 * Dividing a handle into children that tasks use in its place. A filter defines where the children lie in the parent's
 * memory. xy_partition and xy_unpartition are synchronous; plans are asynchronous: they take their place in the order
 * of tasks. Functions return 0 or -errno with one log line; any thread. See doc/partition.md.
 */
#ifndef XYLEM_PARTITION_H
#define XYLEM_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <xylem/data.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xy_filter_ops;
struct xy_interface;
struct xy_plan;

/* A filter and its parameters. Read only during a call. */
struct xy_filter {
	const struct xy_filter_ops *ops;
	unsigned n;              /* number of children; optional if the filter determines it */
	unsigned dimension;      /* to divide: 0 is x, the contiguous one */
	size_t length;           /* halves: of the first, 0: half; shadow: of the margin on each side */
	const size_t *lengths;   /* list: n of them; rows: likewise, or NULL */
	unsigned grid[XY_NDIMS]; /* grid: children along each dimension, 0 is 1 */
	const void *arg;         /* for your own filters */
};

/* --- filters --- */

/*
 * For vector, matrix, block, tensor and ndim. Children are never empty; if the lengths can't be equal, the first
 * children have one element more. Element numbers start at 0 in each child.
 */
extern const struct xy_filter_ops xy_filter_blocks, /* n pieces of a dimension */
	xy_filter_list,   /* n pieces of the given lengths, which must add up to the whole dimension */
	xy_filter_halves, /* two pieces */
	/*
	 * n pieces, each with `length` more elements on both sides; the parent begins and ends with such a margin.
	 * Neighbours overlap, so they are read-only.
	 */
	xy_filter_shadow, xy_filter_grid; /* in several dimensions at once; numbered along x first */

/*
 * For csr and bcsr: n pieces of whole rows. The filter reads rowptr, so the call waits for the tasks that write the
 * handle. A child's rowptr is a piece of the parent's; firstentry is its first value.
 */
extern const struct xy_filter_ops xy_filter_rows;

/* The arguments for one child. */
struct xy_cut {
	const struct xy_filter *filter;
	const struct xy_interface *interface; /* of the parent */
	const void *parent; /* its view, in RAM or, unless the filter reads, on a device: not to be read there */
	unsigned i, n;      /* which child of how many; 0 of 0 when counting */
	void *child;        /* its view, zeroed; to be filled with pointers into the parent's memory */
	char *error;        /* for an error message */
	size_t error_size;
};

/* A type of filter. Its error, mostly -EINVAL, is the result of the partition. */
struct xy_filter_ops {
	const char *name;
	const struct xy_interface *interface;       /* of parents it accepts; NULL: it checks itself */
	const struct xy_interface *child_interface; /* NULL: the parent's */
	bool overlaps;                              /* children share elements */
	bool reads;        /* reads the content of the parent, not only its sizes: the view is in RAM then */
	unsigned constant; /* arrays of children that tasks must not write, as in xy_handle_set_constant */
	int (*count)(const struct xy_cut *cut, unsigned *n); /* NULL: filter->n */
	int (*child)(const struct xy_cut *cut);
};

/* --- synchronous --- */

/*
 * Waits for the tasks on h and divides it. Until xy_unpartition, only its children may be used: everything else
 * fails with -EBUSY. children[] receives them and must have as many elements as the filter makes; NULL and 0: see
 * xy_handle_child. -EINVAL, -ENOMEM, -EBUSY, -EDEADLK inside a codelet or callback or while this thread has
 * acquired h, or the error of the task that should have written h: then nothing has happened.
 */
int xy_partition(struct xy_handle *h, const struct xy_filter *filter, struct xy_handle **children, unsigned n);

/*
 * Waits for the tasks on the children, destroys them, and makes h usable again. -EBUSY while a child is itself
 * partitioned or has plans, -EINVAL, -EDEADLK: then nothing has happened. Otherwise 0 or the error of the last task
 * that should have written one of the children.
 */
int xy_unpartition(struct xy_handle *h);

/* The children of xy_partition; 0 and NULL without any, or past the last. */
unsigned xy_handle_nchildren(const struct xy_handle *h);
struct xy_handle *xy_handle_child(const struct xy_handle *h, unsigned i);

/* --- asynchronous --- */

/*
 * Prepares an inactive partition; a handle may have many plans. Waits only if the filter reads the content. Until the
 * plan begins, using its children fails with -EBUSY.
 */
int xy_plan_create(struct xy_handle *h, const struct xy_filter *filter, struct xy_plan **plan);

/* The children of a plan; NULL past the last. They belong to the plan. */
unsigned xy_plan_nchildren(const struct xy_plan *plan);
struct xy_handle *xy_plan_child(const struct xy_plan *plan, unsigned i);

/*
 * From now on tasks may use the children. XY_RW: exclusively; the parent and children of other plans that
 * share the memory may not be used. XY_R: several plans and the parent may be read at the same time, but not written.
 * Asynchronous: the children's first tasks wait for those on the parent. -EBUSY if the plan is active or conflicts
 * with another one, -EINVAL, -ENOMEM.
 */
int xy_plan_begin(struct xy_plan *plan, enum xy_mode mode);

/*
 * From now on the parent may be used again and the children may not. Asynchronous: later tasks on the parent wait for
 * those on the children. -EBUSY while a plan of a child is active.
 */
int xy_plan_end(struct xy_plan *plan);

/*
 * Waits for the tasks on the children and destroys them; *plan becomes NULL. -EBUSY while the plan is active or a
 * child has plans, -EDEADLK inside a codelet or callback.
 */
int xy_plan_destroy(struct xy_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
