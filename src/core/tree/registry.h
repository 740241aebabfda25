/* SPDX-License-Identifier: MIT */
/*
 * Inside of a registry: sorted tables of kinds and policies, and the shared objects they came from.
 */
#ifndef XYLEM_CORE_REGISTRY_H
#define XYLEM_CORE_REGISTRY_H

#include <xylem/tree.h>
#include "core/util/nearest.h"
#include "core/util/message.h"

/* Adds a kind or a policy. `from` says in messages who brings it. 0, or with a sentence in error
 * -EEXIST (name taken), -EPROTO (breaks the contract of component.h), -ENOMEM. */
int xy__registry_add_component(struct xy_registry *registry, const struct xy_component_ops *ops,
			       const char *from, struct xy__message *error);
int xy__registry_add_policy(struct xy_registry *registry, const struct xy_policy *policy,
			    const char *from, struct xy__message *error);

/* Shows all names to a search. */
void xy__registry_look_components(const struct xy_registry *registry, struct xy__nearest *nearest);
void xy__registry_look_policies(const struct xy_registry *registry, struct xy__nearest *nearest);

/* What breaks the contract of component.h in a kind, in words; NULL if nothing does. */
const char *xy__component_fault(const struct xy_component_ops *ops);

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
