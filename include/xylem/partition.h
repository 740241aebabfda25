/* SPDX-License-Identifier: MIT */
/*
 * Cutting a handle into children that tasks use in its place. A filter says where the children lie in the
 * memory of the parent. xy_partition and xy_unpartition wait; plans don't: they have their place in the
 * order of tasks. Functions return 0 or -errno with one line in the log; any thread. See doc/partition.md.
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

/* How to cut: a kind of filter, and what it needs to know. Only looked at during a call. */
struct xy_filter {
	const struct xy_filter_ops *ops;
	unsigned n;                  /* children; may be left out where it follows from the rest */
	unsigned dimension;          /* that is cut: 0 is x, the contiguous one */
	size_t length;               /* halves: of the first, 0: half; shadow: its width on each side */
	const size_t *lengths;       /* list: n of them; rows: likewise, or NULL */
	unsigned grid[XY_NDIMS];     /* grid: children along each dimension, 0 is 1 */
	const void *arg;             /* for kinds of one's own */
};

/* --- kinds --- */

/* For vector, matrix, block, tensor and ndim. Children are never empty; when the elements can't be dealt
 * out evenly, the first children have one more. Element numbers begin at 0 in each child. */
extern const struct xy_filter_ops
	xy_filter_blocks,            /* n pieces of a dimension */
	xy_filter_list,              /* n pieces of the given lengths, which add up to the whole dimension */
	xy_filter_halves,            /* two pieces */
	/* n pieces, each with `length` elements more on both sides; the parent begins and ends with such a
	 * margin. Neighbours overlap, so that they are for reading only. */
	xy_filter_shadow,
	xy_filter_grid;              /* in several dimensions at once; x is counted first */

/* For csr and bcsr: n pieces of whole rows. The filter looks at rowptr, so that the call waits for the tasks
 * that write the handle. A child's rowptr is a piece of the parent's; firstentry says where it begins. */
extern const struct xy_filter_ops xy_filter_rows;

/* One child being cut. */
struct xy_cut {
	const struct xy_filter *filter;
	const struct xy_interface *interface;  /* of the parent */
	const void *parent;          /* its view in RAM */
	unsigned i, n;               /* which child of how many; 0 of 0 when it is to count */
	void *child;                 /* its view, zeroed; to be filled with pointers into the parent's memory */
	char *error;                 /* for a sentence when something is wrong */
	size_t error_size;
};

/* A kind of filter. What it calls wrong, -EINVAL mostly, is what the partition returns. */
struct xy_filter_ops {
	const char *name;
	const struct xy_interface *interface;       /* of parents that it can cut; NULL: it looks itself */
	const struct xy_interface *child_interface; /* NULL: the parent's */
	bool overlaps;               /* children share elements */
	bool reads;                  /* needs the content of the parent, not only its sizes */
	int (*count)(const struct xy_cut *cut, unsigned *n);  /* NULL: filter->n */
	int (*child)(const struct xy_cut *cut);
};

/* --- with waiting --- */

/*
 * Waits for the tasks on h and cuts it. Until xy_unpartition, only its children may be used: everything else is
 * -EBUSY. They go to children[], of which there must be as many as the filter makes; NULL and 0: see
 * xy_handle_child. -EINVAL, -ENOMEM, -EBUSY, -EDEADLK inside a codelet or callback, or the error of the task
 * that should have written h: nothing has happened then.
 */
int xy_partition(struct xy_handle *h, const struct xy_filter *filter, struct xy_handle **children, unsigned n);

/*
 * Waits for the tasks on the children, forgets them, and gives h back. -EBUSY while a child is itself
 * partitioned or has plans, -EINVAL, -EDEADLK: nothing has happened then. Otherwise it is done, and the value is 0
 * or the error of the last task that should have written one of the children.
 */
int xy_unpartition(struct xy_handle *h);

/* The children of xy_partition; 0 and NULL when there are none (so many). */
unsigned xy_handle_nchildren(const struct xy_handle *h);
struct xy_handle *xy_handle_child(const struct xy_handle *h, unsigned i);

/* --- without --- */

/* Makes the children for a cut that is not in force yet; a handle may have many plans. Waits only if the
 * filter reads the content. Until the plan has begun, using its children is -EBUSY. */
int xy_plan_create(struct xy_handle *h, const struct xy_filter *filter, struct xy_plan **plan);

/* The children of a plan; NULL when there are not so many. They belong to the plan. */
unsigned xy_plan_nchildren(const struct xy_plan *plan);
struct xy_handle *xy_plan_child(const struct xy_plan *plan, unsigned i);

/*
 * From now on tasks may be submitted to the children. XY_RW: and to nobody else who shares the memory, neither
 * the parent nor the children of other plans. XY_R: several plans and the parent at the same time, but nobody
 * may write. Does not wait: the children's first tasks wait for those on the parent. -EBUSY when the plan or
 * another one is in the way, -EINVAL, -ENOMEM.
 */
int xy_plan_begin(struct xy_plan *plan, enum xy_mode mode);

/* From now on the parent may be used again and the children may not. Does not wait: later tasks on the parent
 * wait for those on the children. -EBUSY while a plan of a child is in force. */
int xy_plan_end(struct xy_plan *plan);

/* Waits for the tasks on the children and forgets them; *plan becomes NULL. -EBUSY while the plan is in force or
 * a child has plans of its own, -EDEADLK inside a codelet or callback. */
int xy_plan_destroy(struct xy_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
