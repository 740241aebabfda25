/* SPDX-License-Identifier: MIT */
/*
 * Interprets SCHED: finds the expression of a policy's name, an expression or @file, builds its tree and seals it. An
 * unknown name is an error, never another policy.
 */
#include "core/tree/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/tree/expression.h"
#include "core/tree/registry.h"
#include "core/tree/tree_parts.h"

/* An expression, and where it comes from. */
struct source {
	const char *text;
	size_t length;
	char *file;                    /* its text when it comes from a file, to be freed */
	char origin[120];              /* "" when it was given as it is */
	const struct xy_policy *built; /* the policy, if it is built by calls: there is no text then */
};

static int source_read_file(struct source *source, const char *path, struct xy__message *error)
{
	FILE *file = fopen(path, "rb");
	int rc = 0;

	if (!file) {
		rc = -errno;
		xy__message_add(error, "the file %s can't be opened: %s", path, strerror(-rc));
		return rc;
	}
	source->file = malloc(XY__MAX_EXPRESSION + 1);
	if (!source->file) {
		xy__message_add(error, "no memory to read %s", path);
		rc = -ENOMEM;
		goto out;
	}
	source->length = fread(source->file, 1, XY__MAX_EXPRESSION + 1, file);
	if (ferror(file)) {
		rc = -errno;
		xy__message_add(error, "the file %s can't be read: %s", path, strerror(-rc));
	}
	source->text = source->file;
	snprintf(source->origin, sizeof(source->origin), "%s", path);
out:
	fclose(file);
	return rc;
}

/* A single name that is neither a policy nor a component. */
static int unknown_name(const struct xy_registry *registry, const char *name, struct xy__message *error)
{
	struct xy__nearest nearest;

	xy__nearest_init(&nearest, name, strlen(name));
	xy__message_add(error, "there is no policy and no component \"%.80s\"", name);
	xy__registry_look_policies(registry, &nearest);
	xy__registry_look_components(registry, &nearest);
	if (!xy__nearest_say(&nearest, error)) {
		xy__message_add(error, "; the policies are");
		for (unsigned i = 0; xy_registry_policy_at(registry, i); i++)
			xy__message_add(error, "%s %s", i ? "," : "", xy_registry_policy_at(registry, i)->name);
	}
	return -ENOENT;
}

/* Puts the expression of a policy in the place of its name. */
static int source_resolve(struct source *source, const struct xy_registry *registry, struct xy__message *error)
{
	const struct xy_policy *policy;
	size_t at, length = xy__expression_sole_name(source->text, source->length, &at);
	char *name;
	int rc = 0;

	if (!length)
		return 0;
	name = strndup(source->text + at, length);
	if (!name) {
		xy__message_add(error, "no memory for the policy");
		return -ENOMEM;
	}
	policy = xy_registry_policy(registry, name);
	if (policy && policy->build) {
		source->built = policy;
	} else if (policy) {
		source->text = policy->expression;
		source->length = strlen(policy->expression);
		snprintf(source->origin, sizeof(source->origin), "policy %s", policy->name);
	} else if (!xy_registry_component(registry, name)) {
		rc = unknown_name(registry, name, error);
	}
	free(name);
	return rc;
}

/* In place of the rules that a single component breaks: a policy was meant, if there is one with such a name. */
static void suggest_policy(const struct source *source, const struct xy_registry *registry, struct xy__message *error)
{
	struct xy__nearest nearest;
	size_t at, length = xy__expression_sole_name(source->text, source->length, &at);

	if (!length)
		return;
	xy__nearest_init(&nearest, source->text + at, length);
	xy__registry_look_policies(registry, &nearest);
	if (!nearest.count)
		return;
	xy__message_init(error, error->at, error->size);
	xy__message_add(error, "\"%.*s\" is a component, not a policy", (int)length, source->text + at);
	xy__nearest_say(&nearest, error);
}

/* Lets a policy's function build the tree, and asks why if it does not. */
static int source_call(const struct xy_policy *policy, struct xy_tree *tree, struct xy__message *error)
{
	int rc = policy->build(tree, policy->build_arg);

	if (!rc)
		return 0;
	if (tree->fault < 0)
		rc = tree->fault;
	else if (rc > 0)
		rc = -EINVAL;
	if (policy->name)
		xy__message_add(error, "policy %s: ", policy->name);
	xy__message_add(error, "the tree can't be built: %s", *tree->why ? tree->why : strerror(-rc));
	return rc;
}

/* Seals the tree; what is wrong comes behind the text that is in error already. */
static int source_seal(struct xy_tree *tree, struct xy__message *error)
{
	bool room = error->at && error->used < error->size;
	int rc = xy_tree_seal(tree, room ? error->at + error->used : NULL, room ? error->size - error->used : 0);

	if (!rc)
		xy__message_init(error, error->at, error->size);
	else
		error->used = error->at ? strlen(error->at) : 0;
	return rc;
}

static int source_build(const struct source *source, struct xy_tree *tree, struct xy__message *error)
{
	int rc = source->built ? source_call(source->built, tree, error)
			       : xy__tree_build(tree, source->text, source->length,
						source->origin[0] ? source->origin : NULL, error);

	if (rc)
		return rc;
	if (source->built && source->built->name)
		xy__message_add(error, "policy %s: ", source->built->name);
	rc = source_seal(tree, error);
	if (rc == -EINVAL && !source->built)
		suggest_policy(source, tree->registry, error);
	return rc;
}

/* Notes the workers that the tree is not for; false without memory. */
static bool source_absent(struct xy_tree *tree, const bool *present)
{
	unsigned n = tree->nworkers, count = 0;

	for (unsigned i = 0; present && i < n; i++)
		count += present[i];
	if (!present || count == n)
		return true;
	tree->absent = malloc(n * sizeof(*tree->absent));
	if (!tree->absent)
		return false;
	for (unsigned i = 0; i < n; i++)
		tree->absent[i] = !present[i];
	tree->nworkers = count;
	return true;
}

/* Makes the tree of a source. */
static int source_make(const struct source *source, struct xy_tree **tree, const struct xy__tree_site *site,
		       struct xy__message *error)
{
	struct xy_tree *made = xy_tree_create(site->machine, site->registry);
	int rc;

	if (!made || !source_absent(made, site->present)) {
		xy__message_add(error, "no memory for the tree");
		xy_tree_destroy(made);
		return -ENOMEM;
	}
	made->nshards = site->nshards;
	rc = source_build(source, made, error);
	if (rc)
		xy_tree_destroy(made);
	else
		*tree = made;
	return rc;
}

int xy__tree_make(struct xy_tree **tree, const struct xy_policy *policy, const struct xy__tree_site *site, char *error,
		  size_t error_size)
{
	struct source source = { .built = policy };
	struct xy__message message;

	xy__message_init(&message, error, error_size);
	*tree = NULL;
	return source_make(&source, tree, site, &message);
}

int xy__tree_parse(struct xy_tree **tree, const char *text, const struct xy__tree_site *site, char *error,
		   size_t error_size)
{
	struct source source = { .text = text };
	struct xy__message message;
	int rc;

	xy__message_init(&message, error, error_size);
	if (tree)
		*tree = NULL;
	if (!tree || !text || !site->machine || !site->registry || !site->nshards) {
		xy__message_add(&message, "a tree needs a text, a machine and a registry");
		return -EINVAL;
	}
	source.length = strlen(text);
	text += strspn(text, " \t\r\n");
	rc = *text == '@' ? source_read_file(&source, text + 1, &message) : 0;
	if (!rc)
		rc = source_resolve(&source, site->registry, &message);
	if (!rc)
		rc = source_make(&source, tree, site, &message);
	free(source.file);
	return rc;
}

int xy_tree_parse(struct xy_tree **tree, const char *text, const struct xy_machine *machine,
		  const struct xy_registry *registry, char *error, size_t error_size)
{
	const struct xy__tree_site site = { .machine = machine, .registry = registry, .nshards = 1 };

	return xy__tree_parse(tree, text, &site, error, error_size);
}
