/* SPDX-License-Identifier: MIT */
/*
 * The predefined interfaces: each has a struct (a view of Xylem's), and functions as an interface of the program's own
 * has them, so that a program can make one of its own from them.
 */
#ifndef XYLEM_STARPU_SHAPES_H
#define XYLEM_STARPU_SHAPES_H

#include "internal.h"

struct xs_shape {
	struct xy_interface interface;
	struct starpu_data_interface_ops *ops;
	size_t pointer; /* offset of the first address */
};

/* The struct of h without addresses. */
void xs_shape_blank(const struct _starpu_data_state *h, void *view);
/* Makes the memory of view that of h, which nothing has used so far. */
void xs_shape_adopt(struct _starpu_data_state *h, const void *view);
/* The struct of each node: a copy of view, with its addresses only on the home node. */
void xs_shape_fill(const struct xs_shape *shape, struct _starpu_data_state *h, int home_node, const void *view);
/* Bytes, or -ENOMEM. */
starpu_ssize_t xs_shape_allocate(const struct xs_shape *shape, void *view, unsigned node);
void xs_shape_free(const struct xs_shape *shape, void *view, unsigned node);
/* In RAM; 0, -ENOTSUP on another node, or -EINVAL where the sizes differ. */
int xs_shape_copy(const struct xs_shape *shape, const void *from, unsigned from_node, void *to, unsigned to_node);
int xs_shape_is_inside(const struct xs_shape *shape, const void *view, const void *ptr);
size_t xs_shape_bytes(const struct xs_shape *shape, const void *view);
uint32_t xs_shape_hash(const struct xs_shape *shape, const void *view);
int xs_shape_is_like(const struct xs_shape *shape, const void *a, const void *b);
starpu_ssize_t xs_shape_describe(const struct xs_shape *shape, const void *view, char *buf, size_t size);
int xs_shape_pack(const struct xs_shape *shape, void *view, unsigned node, void **ptr, starpu_ssize_t *count);
/* Copies the content to bytes, or from them. -EINVAL without memory, or with too few bytes. */
int xs_shape_move(const struct xs_shape *shape, void *view, char *bytes, size_t count, bool pack);

#endif
