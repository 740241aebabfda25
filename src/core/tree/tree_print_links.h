/* SPDX-License-Identifier: MIT */
/* A tree as an expression that makes link by link. */
#ifndef XYLEM_CORE_TREE_TREE_PRINT_LINKS_H
#define XYLEM_CORE_TREE_TREE_PRINT_LINKS_H

#include "core/tree/tree_print.h"

/* Writes the tree; false when memory or names are missing. */
bool xy__print_links(const struct xy_tree *tree, struct xy__buffer *out);

#endif
