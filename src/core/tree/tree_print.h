/* SPDX-License-Identifier: MIT */
/*
 * The ways to show a sealed tree, one file each. All write to a buffer and return 0 or -errno.
 */
#ifndef XYLEM_CORE_TREE_TREE_PRINT_H
#define XYLEM_CORE_TREE_TREE_PRINT_H

#include "core/tree/tree_parts.h"
#include "core/util/buffer.h"

int xy__print_expression(const struct xy_tree *tree, struct xy__buffer *out);
int xy__print_drawing(const struct xy_tree *tree, struct xy__buffer *out, unsigned flags);
int xy__print_dot(const struct xy_tree *tree, struct xy__buffer *out, unsigned flags);
int xy__print_json(const struct xy_tree *tree, struct xy__buffer *out, unsigned flags);

/* "(ntasks=2, ready)": the options that differ from their initial values, "" if none does. The `id` of
 * a leaf is written only if asked for, then in any case. */
void xy__print_options(const struct xy_component *c, struct xy__buffer *out, bool with_id);

/* The next number whose name, n1 and so on, is not that of a component or policy; false when there is none. */
bool xy__print_name(const struct xy_tree *tree, unsigned *last);

#endif
