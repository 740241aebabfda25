/* SPDX-License-Identifier: MIT */
/*
 * Trees of components: built by calls or from an expression, checked and frozen by seal, printed in four formats. A
 * tree owns its components. One thread builds it until seal; afterwards its shape is constant.
 */
#ifndef XYLEM_TREE_H
#define XYLEM_TREE_H

#include <stdio.h>
#include <xylem/component.h>
#include <xylem/task.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xy_registry;

/* --- known components and policies --- */

/*
 * The built-in components and policies, and those of the plug-ins (paths separated by ':', NULL or "": none). 0, or
 * -ENOENT, -EPROTO (ABI), -EEXIST (a name twice), -ENOMEM with a sentence in error.
 */
int xy_registry_create(struct xy_registry **registry, const char *plugins, char *error, size_t error_size);
void xy_registry_destroy(struct xy_registry *registry);

/* NULL for an unknown name. Aliases (modular-*, for policies) are resolved. */
const struct xy_component_ops *xy_registry_component(const struct xy_registry *registry, const char *name);
const struct xy_policy *xy_registry_policy(const struct xy_registry *registry, const char *name);

/* The i-th, NULL past the end; in alphabetical order. */
const struct xy_component_ops *xy_registry_component_at(const struct xy_registry *registry, unsigned i);
const struct xy_policy *xy_registry_policy_at(const struct xy_registry *registry, unsigned i);

/* The default policy for a machine, which depends on whether it has devices. NULL: a machine without devices. */
const char *xy_policy_default(const struct xy_machine *machine);

/* --- building --- */

/*
 * An empty tree for a machine and registry that outlive it; NULL without memory. The registry provides the components
 * added by name and the leaves.
 */
struct xy_tree *xy_tree_create(const struct xy_machine *machine, const struct xy_registry *registry);
/* Destroys the tree and its components. Tasks stored in it are not touched. NULL is allowed. */
void xy_tree_destroy(struct xy_tree *tree);

/* The machine that a tree is for. */
const struct xy_machine *xy_tree_machine(const struct xy_tree *tree);

/*
 * Whether a tree includes a worker of its machine. The tree of a runtime includes exactly the workers that are present
 * in its context, each with a leaf.
 */
bool xy_tree_has_worker(const struct xy_tree *tree, unsigned worker);

/*
 * For a build function (struct xy_policy, xy_config.tree) or a component's init: says why it fails, in a sentence, and
 * returns error, which is negative. Only the last reason counts.
 */
__attribute__((format(printf, 3, 4))) int xy_tree_fail(struct xy_tree *tree, int error, const char *format, ...);

/*
 * Adds a component with its options at their initial values; NULL without memory, after seal, and for a component that
 * breaks the contract of component.h. The root is the component that ends up without a parent.
 */
struct xy_component *xy_tree_add(struct xy_tree *tree, const struct xy_component_ops *ops);
/* xy_tree_add by name; NULL also for an unknown name. */
struct xy_component *xy_tree_add_named(struct xy_tree *tree, const char *name);
/* The leaf of a worker, made at the first call; NULL for a worker that is not in the machine or not in the tree. */
struct xy_component *xy_tree_worker(struct xy_tree *tree, unsigned worker);
/* The parallel-worker of a team, made at the first call; NULL without memory and past the last one. Teams are
 * numbered from 0, small ones first: see doc/tree.md. */
struct xy_component *xy_tree_team(struct xy_tree *tree, unsigned team);

/* Sets an option from text. -ENOENT no such option, -EINVAL not a value, -ERANGE, -EBUSY after seal. */
int xy_component_set(struct xy_component *c, const char *option, const char *value);

/*
 * Puts child below parent (NULL arguments are an error, so calls can be chained without checks). label names the
 * branch, one of those that the parent lists, or NULL. -EINVAL, -EEXIST (already linked, or the label is taken),
 * -EBUSY after seal, -ENOMEM.
 */
int xy_tree_link(struct xy_component *parent, struct xy_component *child);
int xy_tree_link_labelled(struct xy_component *parent, struct xy_component *child, const char *label);

/*
 * Checks all rules and freezes the shape. 0, or -EINVAL with every violation, a line each, in error; -ENOMEM; -EBUSY
 * if already sealed.
 */
int xy_tree_seal(struct xy_tree *tree, char *error, size_t error_size);

/*
 * Builds and seals the tree of a policy name, an expression or @file. 0 or -ENOENT (file, or unknown name), -EINVAL
 * (syntax, rules), -ENOMEM, or the error of opening the file; error has the fault, its place, and a suggestion.
 */
int xy_tree_parse(struct xy_tree **tree, const char *text, const struct xy_machine *machine,
		  const struct xy_registry *registry, char *error, size_t error_size);

/* --- inspecting --- */

/* The root, NULL before seal; and components by their numbers, from 0 in order of xy_tree_add, NULL past the last. */
struct xy_component *xy_tree_root(const struct xy_tree *tree);
unsigned xy_tree_ncomponents(const struct xy_tree *tree);
struct xy_component *xy_tree_component(const struct xy_tree *tree, unsigned id);

struct xy_counters {
	unsigned long long pushed, pulled, refused, woken;
	size_t depth, peak;
};
/* Sums over all agents. Any thread. */
void xy_component_counters(struct xy_component *c, struct xy_counters *counters);

enum xy_tree_format {
	XY_TREE_EXPRESSION, /* parses to the same tree */
	XY_TREE_DRAWING,    /* for people */
	XY_TREE_DOT,
	XY_TREE_JSON
};
enum xy_tree_print_flags { XY_PRINT_COUNTERS = 1, XY_PRINT_COLOUR = 2 };
/*
 * Returns 0, -EIO, -ENOMEM, -EINVAL for a tree that is not sealed, -ENOTSUP for an expression that would name a
 * component that is not registered, or be longer than 1 MiB. doc/tree.md describes the formats.
 */
int xy_tree_print(const struct xy_tree *tree, FILE *out, enum xy_tree_format format, unsigned flags);

/* Whether two sealed trees have equal shape, components, options and workers. */
bool xy_tree_equal(const struct xy_tree *a, const struct xy_tree *b);

/*
 * How often components broke a rule of component.h; counted in the debug build. `first` receives the message of the
 * first time, or "". Any thread.
 */
unsigned xy_tree_broken_rules(const struct xy_tree *tree, char *first, size_t size);

/* --- in a runtime --- */

/* The running tree, for printing and for its counters. */
struct xy_tree *xy_runtime_tree(const struct xy_runtime *rt);

#ifdef __cplusplus
}
#endif
#endif
