/* SPDX-License-Identifier: MIT */
/* A tree as an expression that makes link by link. */
#ifndef XYLEM_CORE_TREE_TREE_PRINT_LINKS_H
#define XYLEM_CORE_TREE_TREE_PRINT_LINKS_H

#include "core/tree/tree_print.h"

/* Writes the tree; false when memory or names are missing. */
bool xy__print_links(const struct xy_tree *tree, struct xy__buffer *out);

/* The next number whose name, n1 and so on, is not that of a component or policy; false when there is none. */
bool xy__print_name(const struct xy_tree *tree, unsigned *last);

#endif
