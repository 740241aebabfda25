/* SPDX-License-Identifier: MIT */
/*
 * Reads an expression by recursive descent. Invariant: after the first error `status` is set, and
 * every function returns at once without another message.
 */
#include "core/tree/expression_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/machine/machine.h"
#include "core/tree/registry.h"
#include "core/tree/tree_parts.h"

enum { POLICIES = 8 }; /* policies inside policies */

struct xy__memory {
	struct xy__memory *next;
	_Alignas(16) char bytes[];
};

static struct xy__stage *read_tree(struct xy__expression *x);

void *xy__expression_allocate(struct xy__expression *x, size_t size)
{
	struct xy__memory *m = calloc(1, sizeof(*m) + size);

	if (!m) {
		xy__message_add(x->error, "no memory for the expression");
		x->status = -ENOMEM;
		return NULL;
	}
	m->next = x->memory;
	x->memory = m;
	return m->bytes;
}

void xy__expression_fini(struct xy__expression *x)
{
	while (x->memory) {
		struct xy__memory *next = x->memory->next;

		free(x->memory);
		x->memory = next;
	}
}

/* --- stages --- */

/* The component below which a stage's branches go; NULL if it is none or several. */
static const struct xy_component_ops *stage_ops(const struct xy__stage *stage)
{
	while (stage && stage->named) {
		stage = stage->named->stages;
		while (stage && stage->next)
			stage = stage->next;
	}
	return stage && !stage->branches ? stage->ops : NULL;
}

/* Reads `label:` if there is one. */
static const char *read_label(struct xy__expression *x, const struct xy_component_ops *ops)
{
	const char *label;
	size_t at, length;

	xy__token_peek(x);
	at = x->at;
	length = xy__token_name_length(x->text, x->length, at);
	x->at += length;
	if (!length || xy__token_peek(x) != ':') {
		x->at = at;
		return NULL;
	}
	x->at++;
	label = xy__label_find(ops, x->text + at, length);
	if (!label)
		xy__unknown_label(x, ops, at, length);
	return label;
}

static struct xy__branch *read_branch(struct xy__expression *x, const struct xy_component_ops *ops)
{
	struct xy__branch *branch = xy__expression_allocate(x, sizeof(*branch));

	if (!branch)
		return NULL;
	if (ops)
		branch->label = read_label(x, ops);
	branch->stages = x->status ? NULL : read_tree(x);
	if (!x->status && branch->label && branch->stages->each)
		xy__token_complain(x, branch->stages->at, "a label names one branch, and \"each\" makes several");
	return branch;
}

static void read_branches(struct xy__expression *x, struct xy__stage *stage)
{
	const struct xy_component_ops *ops = stage_ops(stage);
	struct xy__branch **tail = &stage->branches;

	if (++x->depth > XY__MAX_NESTING) {
		xy__token_complain(x, x->at - 1, "the braces are nested too deeply: 64 levels are the limit");
		return;
	}
	do {
		*tail = read_branch(x, ops);
		if (x->status)
			return;
		tail = &(*tail)->next;
	} while (!stage->each && xy__token_accept(x, ','));
	xy__token_expect(x, '}', !stage->each ? "'}', ',' or '|' is needed here" : "'}' or '|' is needed here");
	x->depth--;
}

const char *const xy__each_words[XY__EACH_END] = { "",        "worker", "team",  "node", "arch",
						   "package", "numa",   "cache", "core" };

unsigned xy__each_group(const struct xy_machine *machine, enum xy__each each, unsigned worker)
{
	switch (each) {
	case XY__EACH_ARCH:
		return (unsigned)xy_machine_worker(machine, worker)->arch;
	case XY__EACH_PACKAGE:
		return xy__machine_part(machine, worker, XY__PART_PACKAGE);
	case XY__EACH_CACHE:
		return xy__machine_part(machine, worker, XY__PART_CACHE);
	case XY__EACH_CORE:
		return xy__machine_part(machine, worker, XY__PART_CORE);
	default:
		return xy__machine_part(machine, worker, XY__PART_NODE);
	}
}

/* What follows the word "each". */
static void read_each(struct xy__expression *x, struct xy__stage *stage)
{
	static const char what[] = "\"worker\", \"team\", \"node\", \"arch\", \"package\", \"numa\", \"cache\" "
				   "or \"core\" is needed after \"each\"";
	size_t at, length = xy__token_expect_name(x, &at, what);

	for (unsigned i = XY__EACH_WORKER; length && i < XY__EACH_END; i++)
		if (strlen(xy__each_words[i]) == length && !memcmp(xy__each_words[i], x->text + at, length))
			stage->each = i;
	if (length && !stage->each)
		xy__token_complain(x, at, what);
	xy__token_expect(x, '{', "'{' is needed after the unit of \"each\"");
	if (x->status)
		return;
	if (stage->each <= XY__EACH_TEAM && xy__token_accept(x, '}'))
		return;
	if (xy__token_peek(x) == '}')
		xy__token_complain(x, x->at,
				   "a tree is needed here: only \"each worker\" and \"each team\" may be empty");
	else
		read_branches(x, stage);
}

/* --- names --- */

/* Reads what follows the word "let", and lets the name be seen from there on. */
static struct xy__let *read_let(struct xy__expression *x)
{
	struct xy__let *let = xy__expression_allocate(x, sizeof(*let));
	const char *fault;
	size_t at;

	if (!let)
		return NULL;
	let->length = xy__token_expect_name(x, &at, "a name is needed after \"let\"");
	if (x->status)
		return NULL;
	let->name = x->text + at;
	fault = xy__name_fault(x, let->name, let->length);
	if (fault || ++x->depth > XY__MAX_NESTING) {
		xy__token_complain(x, at, fault ? fault : "\"let\" is nested too deeply: 64 levels are the limit");
		return NULL;
	}
	xy__token_expect(x, '=', "'=' is needed after the name");
	let->stages = x->status ? NULL : read_tree(x);
	x->depth--;
	if (!x->status && !xy__token_accept_word(x, "in"))
		xy__token_complain(x, x->at, "'|' or \"in\" is needed here");
	if (!x->status && !x->visible)
		x->visible = xy__expression_allocate(x, XY__NAME_BUCKETS * sizeof(struct xy__let *));
	if (x->status)
		return NULL;
	xy__name_define(x, let);
	return let;
}

static struct xy__let *read_lets(struct xy__expression *x)
{
	struct xy__let *first = NULL, **tail = &first;

	while (xy__token_accept_word(x, "let") && (*tail = read_let(x)))
		tail = &(*tail)->next;
	return first;
}

/* The options of a policy are those of its first component, and replace what its expression sets. */
static void read_policy_settings(struct xy__expression *x, const struct xy__stage *stage)
{
	struct xy__stage *first = stage->policy->stages, given = { .ops = first ? first->ops : NULL, .at = stage->at };
	struct xy__setting **own;

	if (!given.ops) {
		xy__token_complain(x, stage->at, "this policy has no options: it does not begin with a component");
		return;
	}
	xy__settings_read(x, &given);
	for (struct xy__setting *s = given.settings; s && !x->status; s = given.settings) {
		for (own = &first->settings; *own && (*own)->option != s->option;)
			own = &(*own)->next;
		given.settings = s->next;
		s->next = *own ? (*own)->next : NULL;
		s->at = 0; /* in the text of the policy */
		*own = s;
	}
}

/* The expression of a policy in the place of its name. */
static void read_policy(struct xy__expression *x, struct xy__stage *stage, const struct xy_policy *policy)
{
	static const char before[] = "policy ";
	size_t length = strlen(policy->name);
	struct xy__expression *inner = xy__expression_allocate(x, sizeof(*inner) + sizeof(before) + length);
	char *origin;
	struct xy__memory **end;

	if (!inner)
		return;
	if (policy->build)
		xy__token_complain(x, stage->at, "this policy is built by calls: an expression can't contain it");
	else if (x->policies == POLICIES)
		xy__token_complain(x, stage->at, "policies are nested too deeply: 8 levels are the limit");
	else if (xy__token_peek(x) == '{')
		xy__token_complain(x, stage->at, "a policy has no branches");
	if (x->status)
		return;
	origin = (char *)(inner + 1);
	memcpy(origin, before, sizeof(before) - 1);
	memcpy(origin + sizeof(before) - 1, policy->name, length);
	*inner = (struct xy__expression){ .text = policy->expression,
					  .length = strlen(policy->expression),
					  .origin = origin,
					  .registry = x->registry,
					  .error = x->error,
					  .policies = x->policies + 1 };
	x->status = xy__expression_read(inner);
	for (end = &inner->memory; *end;)
		end = &(*end)->next;
	*end = x->memory; /* which frees it all */
	x->memory = inner->memory;
	stage->policy = inner;
	if (!x->status && xy__token_accept(x, '('))
		read_policy_settings(x, stage);
}

/* --- trees --- */

/* Finds out what a name stands for. */
static void read_named(struct xy__expression *x, struct xy__stage *stage, size_t length)
{
	char name[64] = "";
	const struct xy_policy *policy;

	if (length < sizeof(name))
		memcpy(name, x->text + stage->at, length);
	stage->named = xy__name_find(x, x->text + stage->at, length);
	if (!stage->named)
		stage->ops = xy_registry_component(x->registry, name);
	if (stage->named || stage->ops)
		return;
	policy = xy_registry_policy(x->registry, name);
	if (policy)
		read_policy(x, stage, policy);
	else
		xy__unknown_component(x, stage->at, length);
}

static struct xy__stage *read_stage(struct xy__expression *x)
{
	struct xy__stage *stage;
	size_t at, length = xy__token_expect_name(x, &at, "the name of a component, or \"each\", is needed here");

	if (!length)
		return NULL;
	stage = xy__expression_allocate(x, sizeof(*stage));
	if (!stage)
		return NULL;
	stage->at = at;
	if (length == 4 && !memcmp(x->text + at, "each", 4)) {
		read_each(x, stage);
		return stage;
	}
	read_named(x, stage, length);
	if (stage->ops && xy__token_accept(x, '('))
		xy__settings_read(x, stage);
	if (xy__token_accept(x, '{'))
		read_branches(x, stage);
	return stage;
}

static struct xy__stage *read_tree(struct xy__expression *x)
{
	struct xy__let *lets = read_lets(x);
	struct xy__stage *first = NULL, **tail = &first;

	do {
		*tail = x->status ? NULL : read_stage(x);
		if (x->status)
			return NULL;
		tail = &(*tail)->next;
	} while (xy__token_accept(x, '|'));
	first->lets = lets;
	xy__names_forget(x, lets);
	return first;
}

int xy__expression_read(struct xy__expression *x)
{
	x->at = 0;
	x->depth = 0;
	x->status = 0;
	x->memory = NULL;
	x->visible = NULL;
	if (x->length > XY__MAX_EXPRESSION) {
		xy__message_add(x->error, "the expression has %zu bytes; the limit is %d", x->length,
				XY__MAX_EXPRESSION);
		return x->status = -EINVAL;
	}
	x->stages = read_tree(x);
	xy__token_peek(x);
	if (!x->status && x->at < x->length)
		xy__token_complain(x, x->at, "'|' or the end is needed here");
	return x->status;
}
