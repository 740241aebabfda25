/* SPDX-License-Identifier: MIT */
/* Preparing a graft: its tree, and what workers need of it. What can fail is here, before anything changes. */
#include "core/runtime/graft.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/engine.h"
#include "core/runtime/team.h"
#include "core/runtime/wait.h"
#include "core/runtime/worker.h"
#include "core/tree/audit.h"
#include "core/util/message.h"

enum { MESSAGE = 1024 };

/* The tree's fault as one line, without the lines that point into the text; from: whose tree. */
static void graft_complain(const struct xy_runtime *rt, const char *from, const char *lines)
{
	char text[MESSAGE];
	struct xy__message line;
	size_t length;

	xy__message_init(&line, text, sizeof text);
	for (; *lines; lines += length + (lines[length] == '\n')) {
		length = strcspn(lines, "\n");
		if (*lines != ' ')
			xy__message_add(&line, "%s%.*s", line.used ? "; " : "", (int)length, lines);
	}
	xy__log(&rt->settings.log, "%s%s%s", from, *from ? ": " : "", text);
}

/* Builds the tree that the program, SCHED or the graft asks for. */
static int graft_build(struct xy__graft *graft, char *message, size_t size)
{
	const struct xy_runtime *rt = graft->context->runtime;
	const char *policy = graft->policy ? graft->policy : graft->context->policy;
	struct xy_policy own = { .build = rt->settings.tree, .build_arg = rt->settings.tree_arg };
	const struct xy__tree_site site = {
		.machine = rt->machine,
		.registry = rt->registry,
		.nshards = rt->nshards,
		.present = graft->workers,
	};

	if (own.build && !policy)
		return xy__tree_make(&graft->tree, &own, &site, message, size);
	if (!policy)
		policy = *rt->settings.sched ? rt->settings.sched : xy_policy_default(rt->machine);
	return xy__tree_parse(&graft->tree, policy, &site, message, size);
}

/* A component broke a rule: xy_wait fails, unless the machine may have been slow. */
static void graft_broken(void *arg, enum xy__rule rule, const char *line)
{
	struct xy_runtime *rt = arg;

	xy__log(&rt->settings.log, "%s", line);
	if (rule != XY__RULE_SLOW)
		xy__wait_broken(rt, line);
}

static int graft_audit(struct xy_runtime *rt, struct xy_tree *tree)
{
	int error = rt->engine->audits && !tree->audit ? xy__audit_begin(tree) : 0;

	if (!error && tree->audit) {
		tree->audit->tell_arg = rt;
		tree->audit->tell = graft_broken;
		atomic_store(&rt->audits, true);
	}
	return error;
}

static int graft_tree(struct xy__graft *graft)
{
	struct xy_runtime *rt = graft->context->runtime;
	const char *from = graft->policy || graft->context->policy ? ""
			   : rt->settings.tree                     ? "config.tree"
			   : *rt->settings.sched                   ? rt->settings.sched_from
								   : "";
	char message[MESSAGE] = "";
	int error = graft_build(graft, message, sizeof message);

	if (error) {
		graft_complain(rt, from, message);
		return error;
	}
	if (*graft->tree->warning)
		xy__log(&rt->settings.log, "%s", graft->tree->warning);
	graft->tree->engine = &graft->context->engine;
	return graft_audit(rt, graft->tree);
}

/* A component is once in the list of a worker, though several teams may lead to it. */
static void above_add(struct xy__graft_worker *leaf, struct xy_component *c)
{
	if (leaf->above && leaf->nabove && leaf->above[leaf->nabove - 1] == c)
		return;
	if (leaf->above)
		leaf->above[leaf->nabove] = c;
	leaf->nabove++;
}

/* The reservoirs above each worker or team member: counts them, or fills them in. */
static void above_count(struct xy__graft *graft)
{
	for (unsigned i = 0; i < graft->tree->ncomponents; i++) {
		struct xy_component *c = graft->tree->components[i];

		if (!(c->ops->flags & XY_STORES) || !c->ops->depth)
			continue;
		for (unsigned j = 0; j < c->nworkers; j++)
			above_add(&graft->leaves[c->workers[j]], c);
		for (unsigned k = 0; k < c->nteams; k++)
			for (unsigned j = 0; j < c->teams[k]->nmembers; j++)
				above_add(&graft->leaves[c->teams[k]->members[j]], c);
	}
}

static int graft_above(struct xy__graft *graft, unsigned nworkers)
{
	above_count(graft);
	for (unsigned i = 0; i < nworkers; i++) {
		struct xy__graft_worker *leaf = &graft->leaves[i];

		leaf->above = malloc((leaf->nabove + 1) * sizeof *leaf->above);
		leaf->nabove = 0;
		if (!leaf->above)
			return -ENOMEM;
	}
	above_count(graft);
	return 0;
}

/* The teams of each worker, and the member that it may become. */
static int graft_teams(struct xy__graft *graft)
{
	struct xy_runtime *rt = graft->context->runtime;
	struct xy_component *root = graft->tree->root;
	int error = xy__team_prepare(rt, graft->tree);

	for (unsigned i = 0; i < root->nteams && !error; i++)
		for (unsigned j = 0; j < root->teams[i]->nmembers && !error; j++) {
			struct xy__graft_worker *leaf = &graft->leaves[root->teams[i]->members[j]];

			if (!leaf->teams)
				leaf->teams = calloc(root->nteams, sizeof(struct xy__team *));
			if (leaf->teams)
				leaf->teams[leaf->nteams++] = xy__team_of(root->teams[i]);
			else
				error = -ENOMEM;
			if (!error)
				error = xy__team_member(&rt->workers[root->teams[i]->members[j]]);
		}
	return error;
}

static unsigned graft_count(const struct xy__graft *graft, unsigned nworkers)
{
	unsigned count = 0;

	for (unsigned i = 0; i < nworkers; i++)
		count += graft->workers[i];
	return count;
}

int xy__graft_prepare(struct xy__graft *graft)
{
	struct xy_runtime *rt = graft->context->runtime;
	unsigned n = rt->nworkers;
	int error = 0;

	graft->workers = malloc(n * sizeof *graft->workers);
	graft->leaves = calloc(n, sizeof *graft->leaves);
	graft->text = graft->policy ? strdup(graft->policy) : NULL;
	if (!graft->workers || !graft->leaves || (graft->policy && !graft->text))
		return -ENOMEM;
	memcpy(graft->workers, graft->has ? graft->has : graft->context->has, n * sizeof *graft->workers);
	if (!graft_count(graft, n))
		return 0;
	error = graft_tree(graft);
	if (!error)
		error = graft_above(graft, n);
	return error ? error : graft_teams(graft);
}

void xy__graft_free_tree(struct xy_tree *tree)
{
	if (tree)
		xy__team_release(tree);
	xy_tree_destroy(tree);
}

void xy__graft_free(struct xy__graft *graft)
{
	for (unsigned i = 0; graft->leaves && i < graft->context->runtime->nworkers; i++) {
		free(graft->leaves[i].above);
		free(graft->leaves[i].teams);
	}
	xy__graft_free_tree(graft->tree);
	free(graft->leaves);
	free(graft->text);
	free(graft->workers);
	graft->tree = NULL;
	graft->leaves = NULL;
	graft->text = NULL;
	graft->workers = NULL;
}
