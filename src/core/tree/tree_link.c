/* SPDX-License-Identifier: MIT */
/*
 * Linking components. Invariant: every link is in the children of its parent and in the parents of its child, once, and
 * both belong to one tree.
 */
#include "core/tree/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/tree/tree_parts.h"

/* Makes room for one more; the arrays have a power of two of places, so their length says when. */
static bool list_reserve(struct xy_component ***list, unsigned count)
{
	struct xy_component **grown;

	if (count & (count - 1))
		return true;
	grown = realloc(*list, (count ? 2 * (size_t)count : 1) * sizeof(*grown));
	if (!grown)
		return false;
	*list = grown;
	return true;
}

static bool list_has(struct xy_component *const *list, unsigned count, const struct xy_component *c)
{
	while (count)
		if (list[--count] == c)
			return true;
	return false;
}

static bool linked(const struct xy_component *parent, const struct xy_component *child)
{
	return parent->nchildren < child->nparents ? list_has(parent->children, parent->nchildren, child)
						   : list_has(child->parents, child->nparents, parent);
}

const char *xy__label_find(const struct xy_component_ops *ops, const char *name, size_t length)
{
	for (const char *const *label = ops->labels; label && *label; label++)
		if (strlen(*label) == length && !memcmp(*label, name, length))
			return *label;
	return NULL;
}

/* Whether a component other than `child` below the parent has the label, which the parent knows. */
static bool label_taken(const struct xy_component *parent, const struct xy_component *child, const char *label)
{
	if (!xy__label_find(parent->ops, label, strlen(label)))
		return false;
	for (unsigned i = 0; i < parent->nchildren; i++)
		if (parent->children[i] != child && parent->children[i]->label &&
		    !strcmp(parent->children[i]->label, label))
			return true;
	return false;
}

/* A label belongs to the child, so a child has one at most, and each of its parents has it once. */
static int label_check(const struct xy_component *parent, const struct xy_component *child, const char *label)
{
	if (child->label && strcmp(child->label, label))
		return -EEXIST;
	if (label_taken(parent, child, label))
		return -EEXIST;
	for (unsigned i = 0; !child->label && i < child->nparents; i++)
		if (label_taken(child->parents[i], child, label))
			return -EEXIST;
	return 0;
}

/* Notes why a link can't be made. */
static int note_link(const struct xy_component *parent, const struct xy_component *child, int error, const char *why)
{
	char above[XY__COMPONENT_NAME], below[XY__COMPONENT_NAME];

	return xy__tree_note(parent->tree, error, "%s can't be linked below %s: it %s",
			     xy__component_name(child, below), xy__component_name(parent, above), why);
}

int xy_tree_link_labelled(struct xy_component *parent, struct xy_component *child, const char *label)
{
	const char *known; /* of the parent's table */
	int rc;

	if (!parent || !child || parent == child || parent->tree != child->tree)
		return -EINVAL;
	if (parent->tree->sealed)
		return -EBUSY;
	if (linked(parent, child))
		return note_link(parent, child, -EEXIST, "is below it already");
	known = label ? xy__label_find(parent->ops, label, strlen(label)) : child->label;
	rc = label && !known ? -EINVAL : known ? label_check(parent, child, known) : 0;
	if (rc)
		return note_link(parent, child, rc,
				 rc == -EINVAL ? "has a label that its parent does not know"
					       : "has a label that is taken");
	if (!list_reserve(&parent->children, parent->nchildren) || !list_reserve(&child->parents, child->nparents))
		return xy__tree_note(parent->tree, -ENOMEM, "no memory for the tree");
	parent->children[parent->nchildren++] = child;
	child->parents[child->nparents++] = parent;
	if (label)
		child->label = known;
	return 0;
}

int xy_tree_link(struct xy_component *parent, struct xy_component *child)
{
	return xy_tree_link_labelled(parent, child, NULL);
}
