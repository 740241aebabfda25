/* SPDX-License-Identifier: MIT */
/*
 * The hooks of components beside the verbs. Everything that depends on the shape is found by seal: which components
 * have hooks, and for each worker those above it. So a tree without hooks has a bit to look at.
 */
#include "core/tree/hooks.h"
#include "core/tree/lock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/tree/tree.h"

static unsigned hooks_of(const struct xy_component_ops *ops)
{
	return (ops->tick ? XY__HOOK_TICK : 0u) | (ops->started ? XY__HOOK_STARTED : 0u) |
	       (ops->ended ? XY__HOOK_ENDED : 0u) | (ops->submitted ? XY__HOOK_SUBMITTED : 0u) |
	       (ops->iteration ? XY__HOOK_ITERATION : 0u) | (ops->workers_changed ? XY__HOOK_WORKERS : 0u);
}

/* --- seal --- */

/* A component above a worker: counts it, or fills it in. Several teams may lead to the worker: it is there once. */
static void tellers_add(struct xy__hooks *hooks, unsigned *last, unsigned worker, struct xy_component *c)
{
	if (last[worker] == c->id + 1)
		return;
	last[worker] = c->id + 1;
	if (hooks->tellers)
		hooks->tellers[hooks->first[worker]] = c;
	hooks->first[worker]++;
}

static void tellers_add_all(struct xy__hooks *hooks, unsigned *last)
{
	for (unsigned k = 0; k < hooks->count; k++) {
		struct xy_component *c = hooks->with[k];

		if (!(hooks_of(c->ops) & (XY__HOOK_STARTED | XY__HOOK_ENDED)))
			continue;
		for (unsigned i = 0; i < c->nworkers; i++)
			tellers_add(hooks, last, c->workers[i], c);
		for (unsigned i = 0; i < c->nteams; i++)
			for (unsigned j = 0; j < c->teams[i]->nmembers; j++)
				tellers_add(hooks, last, c->teams[i]->members[j], c);
	}
}

/* Counts, allocates and fills the list of each worker. */
static int tellers_find(struct xy__hooks *hooks, unsigned nworkers)
{
	unsigned *last = calloc(nworkers, sizeof *last), total = 0;

	hooks->first = calloc(nworkers + 1, sizeof *hooks->first);
	if (!last || !hooks->first) {
		free(last);
		return -ENOMEM;
	}
	tellers_add_all(hooks, last);
	for (unsigned i = 0; i < nworkers; i++) {
		unsigned count = hooks->first[i];

		hooks->first[i] = total;
		total += count;
	}
	hooks->tellers = malloc((total + 1) * sizeof(struct xy_component *));
	memset(last, 0, nworkers * sizeof *last);
	if (hooks->tellers)
		tellers_add_all(hooks, last);
	/* Each list begins now where that of the worker before has ended. */
	memmove(hooks->first + 1, hooks->first, nworkers * sizeof *hooks->first);
	hooks->first[0] = 0;
	free(last);
	return hooks->tellers ? 0 : -ENOMEM;
}

int xy__hooks_seal(struct xy_tree *tree)
{
	struct xy__hooks *hooks = &tree->hooks;
	unsigned ticking = 0;
	int rc = 0;

	xy__hooks_fini(hooks);
	for (unsigned i = 0; i < tree->ncomponents; i++) {
		unsigned have = hooks_of(tree->components[i]->ops);

		hooks->have |= have;
		hooks->count += have != 0;
		ticking += (have & XY__HOOK_TICK) != 0;
	}
	if (!hooks->count)
		return 0;
	hooks->with = malloc(hooks->count * sizeof(struct xy_component *));
	if (!hooks->with)
		return -ENOMEM;
	for (unsigned i = 0, n = 0; i < tree->ncomponents; i++)
		if (hooks_of(tree->components[i]->ops))
			hooks->with[n++] = tree->components[i];
	if (hooks->have & (XY__HOOK_STARTED | XY__HOOK_ENDED))
		rc = tellers_find(hooks, xy_machine_nworkers(tree->machine));
	return rc ? rc : xy__ticks_init(&tree->ticks, ticking);
}

void xy__hooks_fini(struct xy__hooks *hooks)
{
	free(hooks->with);
	free(hooks->tellers);
	free(hooks->first);
	*hooks = (struct xy__hooks){ 0 };
}

/* --- calls --- */

void xy__hooks_started(struct xy_tree *tree, const struct xy_task *task, unsigned worker, struct xy_agent *by)
{
	const struct xy__hooks *hooks = &tree->hooks;

	for (unsigned i = hooks->first[worker]; i < hooks->first[worker + 1]; i++)
		if (hooks->tellers[i]->verbs->started) {
			by->verb = XY__VERB_STARTED;
			hooks->tellers[i]->verbs->started(hooks->tellers[i], task, by);
		}
}

void xy__hooks_ended(struct xy_tree *tree, const struct xy_report *report, struct xy_agent *by)
{
	const struct xy__hooks *hooks = &tree->hooks;

	for (unsigned i = hooks->first[report->worker]; i < hooks->first[report->worker + 1]; i++)
		if (hooks->tellers[i]->verbs->ended) {
			by->verb = XY__VERB_ENDED;
			hooks->tellers[i]->verbs->ended(hooks->tellers[i], report, by);
		}
}

void xy__hooks_submitted(struct xy_tree *tree, const struct xy_task *task, struct xy_agent *by)
{
	for (unsigned i = 0; i < tree->hooks.count; i++)
		if (tree->hooks.with[i]->verbs->submitted) {
			by->verb = XY__VERB_SUBMITTED;
			tree->hooks.with[i]->verbs->submitted(tree->hooks.with[i], task, by);
		}
}

void xy__hooks_iteration(struct xy_tree *tree, uint64_t number, struct xy_agent *by)
{
	for (unsigned i = 0; i < tree->hooks.count; i++)
		if (tree->hooks.with[i]->verbs->iteration) {
			by->verb = XY__VERB_ITERATION;
			tree->hooks.with[i]->verbs->iteration(tree->hooks.with[i], number, by);
		}
}

void xy__hooks_workers_changed(struct xy_tree *tree, unsigned worker, bool present, struct xy_agent *by)
{
	for (unsigned i = 0; i < tree->hooks.count; i++)
		if (tree->hooks.with[i]->verbs->workers_changed) {
			by->verb = XY__VERB_WORKERS_CHANGED;
			tree->hooks.with[i]->verbs->workers_changed(tree->hooks.with[i], worker, present, by);
		}
}

static bool is_above(const struct xy_component *c, const struct xy_component *below)
{
	for (unsigned i = 0; i < below->nparents; i++)
		if (below->parents[i] == c || (below->parents[i]->level > c->level && is_above(c, below->parents[i])))
			return true;
	return false;
}

void xy__hooks_gave_back(struct xy_component *self, const struct xy_task *task, struct xy_agent *by)
{
	const struct xy__hooks *hooks = &self->tree->hooks;
	double now_s = xy_component_now_us(self) * 1e-6;
	struct xy_report report = { .task = task,
				    .worker = self->nworkers == 1 ? self->workers[0] : XY_NONE,
				    .status = -EAGAIN,
				    .begin_s = now_s,
				    .start_s = now_s,
				    .end_s = now_s };

	for (unsigned i = 0; i < hooks->count; i++)
		if (hooks->with[i]->verbs->ended && is_above(hooks->with[i], self)) {
			by->verb = XY__VERB_ENDED;
			hooks->with[i]->verbs->ended(hooks->with[i], &report, by);
		}
}
