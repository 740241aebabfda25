/* SPDX-License-Identifier: MIT */
/* Shared by the files that build, check, parse and print trees. */
#ifndef XYLEM_CORE_TREE_TREE_PARTS_H
#define XYLEM_CORE_TREE_TREE_PARTS_H

#include <string.h>
#include "core/tree/tree.h"
#include "core/util/message.h"

enum {
	XY__COMPONENT_NAME = 80,      /* bytes for the name of a component in messages */
	XY__MAX_COMPONENTS = 1 << 20, /* of a tree */
	XY__MAX_LINKS = 1 << 20,      /* of an expression */
	XY__MAX_EXPRESSION = 1 << 20, /* bytes of text */
	XY__MAX_NESTING = 64,         /* braces inside braces */
};

/* Which worker a leaf is for: the value of its option `id`, -1 when it has none. */
long xy__leaf_worker(const struct xy_component *leaf);

/* The names of the leaves, which the registry always has: of one worker, and of a team. Names are unique. */
#define XY__WORKER_NAME "worker"
#define XY__TEAM_NAME "parallel-worker"

static inline bool xy__is_team(const struct xy_component *c)
{
	return !strcmp(c->ops->name, XY__TEAM_NAME);
}

/* Whether the own leaf of some worker is below, or is it. */
static inline bool xy__has_workers(const struct xy_component *c)
{
	return c->archs & XY_ON_ALL;
}

/* The team that a parallel-worker is for, NULL for any other component and if there is no such team. */
const struct xy__team_set *xy__leaf_team(const struct xy_component *leaf);

/* Notes why a call that builds the tree failed, unless an earlier one did; returns error. */
__attribute__((format(printf, 3, 4))) int xy__tree_note(struct xy_tree *tree, int error, const char *format, ...);

/* "fifo#2", "worker#5 (cpu3)", "parallel-worker#9 (cpu0…cpu3)"; returns name. */
const char *xy__component_name(const struct xy_component *c, char name[static XY__COMPONENT_NAME]);

/* A label of a component type, or NULL; name has length bytes. */
const char *xy__label_find(const struct xy_component_ops *ops, const char *name, size_t length);

/*
 * Whether everything below a and b, roots of two trees of n components each, is equal: components, options, labels,
 * workers, and the order of children and of parents. -ENOMEM, else 0 or 1.
 */
int xy__tree_same(const struct xy_component *a, const struct xy_component *b, unsigned n);

/* Adds the components of an expression to an empty tree, without sealing it; the first one is
 * its root. Errors as of xy_tree_parse. */
int xy__tree_build(struct xy_tree *tree, const char *expression, size_t length, const char *origin,
		   struct xy__message *error);

#endif
