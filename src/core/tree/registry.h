/* SPDX-License-Identifier: MIT */
/* Private parts of a registry: sorted tables of components and policies, and the shared objects they came from. */
#ifndef XYLEM_CORE_TREE_REGISTRY_H
#define XYLEM_CORE_TREE_REGISTRY_H

#include <xylem/tree.h>
#include "core/util/nearest.h"
#include "core/util/message.h"

/* The library's own, sorted by name, NULL-terminated. */
struct xy__builtin {
	const struct xy_component_ops *const *components;
	const struct xy_policy *const *policies;
};

/* As xy_registry_create, which stands beside the tables in src/policies/all.c. */
int xy__registry_create(struct xy_registry **registry, const struct xy__builtin *builtin, const char *plugins,
			char *error, size_t error_size);

/*
 * Adds a component or a policy. `from` names its origin in messages. 0, or with a sentence in error
 * -EEXIST (name taken), -EPROTO (breaks the contract of component.h), -ENOMEM.
 */
int xy__registry_add_component(struct xy_registry *registry, const struct xy_component_ops *ops, const char *from,
			       struct xy__message *error);
int xy__registry_add_policy(struct xy_registry *registry, const struct xy_policy *policy, const char *from,
			    struct xy__message *error);

/* The value that an option of a component has where an expression does not set it. */
struct xy__default {
	const char *component; /* NULL ends the table */
	const char *option, *value;
	const char *from; /* who says it, for messages */
};

/* Sets the defaults, which are borrowed, for all trees that are built from now on; and what they are, or NULL. */
void xy__registry_set_defaults(struct xy_registry *registry, const struct xy__default *defaults);
const struct xy__default *xy__registry_defaults(const struct xy_registry *registry);

/* Shows all names to a search. */
void xy__registry_look_components(const struct xy_registry *registry, struct xy__nearest *nearest);
void xy__registry_look_policies(const struct xy_registry *registry, struct xy__nearest *nearest);

/* The violation of component.h's contract by a component, in words; NULL without one. */
const char *xy__component_fault(const struct xy_component_ops *ops);

/* Whether a name is a word of the language: no component or policy can have it. */
bool xy__is_keyword(const char *name);

/* Names in expressions: a letter, then letters, digits, '-' and '_', whatever the locale. */
static inline bool xy__name_begins(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static inline bool xy__name_continues(char c)
{
	return xy__name_begins(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

#endif
