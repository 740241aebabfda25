/* SPDX-License-Identifier: MIT */
/*
 * What the files that read expressions share with each other.
 */
#ifndef XYLEM_CORE_TREE_EXPRESSION_PARTS_H
#define XYLEM_CORE_TREE_EXPRESSION_PARTS_H

#include "core/tree/expression.h"

enum { XY__NAME_BUCKETS = 1024 }; /* of x->visible */

/* The sub-tree that a name stands for here, or NULL; and why the name can't be defined, NULL if it can. */
struct xy__let *xy__name_find(const struct xy__expression *x, const char *name, size_t length);
const char *xy__name_fault(const struct xy__expression *x, const char *name, size_t length);

/* Lets a name be seen from here on, where x->visible is; and no longer those of a tree that has been read. */
void xy__name_define(struct xy__expression *x, struct xy__let *let);
void xy__names_forget(struct xy__expression *x, const struct xy__let *let);

/* Explains that the text at an offset names nothing, and sets the status. */
void xy__unknown_component(struct xy__expression *x, size_t at, size_t length);
void xy__unknown_option(struct xy__expression *x, const struct xy_component_ops *ops, size_t at, size_t length);
void xy__unknown_label(struct xy__expression *x, const struct xy_component_ops *ops, size_t at, size_t length);

#endif
