/* SPDX-License-Identifier: MIT */
/*
 * From terms to a task. Most tasks have accesses, an argument and a priority: they are built without a description.
 * All others, and whatever is wrong, go by way of xy_submit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/insert.h>

#include "core/runtime/submit.h"
#include "core/runtime/task_build.h"

enum { FEW = 16 };

/* The lists of a description, each with room for all its terms. */
struct lists {
	struct xy_access *accesses;
	struct xy_task **after;
	unsigned *workers;
};

static int insert_refuse(struct xy_runtime *rt, const struct xy_codelet *codelet, const char *why)
{
	xy__log(rt ? &rt->settings.log : NULL, "xy_insert: a task of '%s' is not submitted: %s",
		codelet && codelet->name ? codelet->name : "a codelet without a name", why);
	return -EINVAL;
}

/* One term; false for one that there is not. */
static bool insert_term(struct xy_task_desc *desc, struct xy_access **access, const struct lists *lists,
			const struct xy_term *term)
{
	switch (term->kind) {
	case XY_TERM_ACCESS:
		*(*access)++ = (struct xy_access){ (struct xy_handle *)term->pointer, (enum xy_mode)term->number };
		return true;
	case XY_TERM_ARG:
		desc->arg = (void *)term->pointer;
		desc->arg_size = term->more.size;
		return true;
	case XY_TERM_PRIORITY:
		desc->priority = term->number;
		return true;
	case XY_TERM_NAME:
		desc->name = term->pointer;
		return true;
	case XY_TERM_CALLBACK:
		desc->callback = term->more.callback;
		desc->callback_arg = (void *)term->pointer;
		return true;
	case XY_TERM_AFTER:
		lists->after[desc->nafter++] = (struct xy_task *)term->pointer;
		return true;
	case XY_TERM_WORKER:
		lists->workers[desc->nworkers++] = (unsigned)term->number;
		return true;
	case XY_TERM_RETRIES:
		desc->retries = (unsigned)term->number;
		return true;
	case XY_TERM_CHOICE:
		desc->choice = (unsigned)term->number;
		return true;
	case XY_TERM_LENGTH:
		desc->length_us = term->more.length_us;
		return true;
	case XY_TERM_GROUP:
		desc->group = (struct xy_group *)term->pointer;
		return true;
	case XY_TERM_TAG:
		desc->tag = term->more.tag;
		return true;
	case XY_TERM_SCHED_DATA:
		desc->sched_data = (void *)term->pointer;
		return true;
	case XY_TERM_DEADLINE:
		desc->deadline_s = term->more.deadline_s;
		return true;
	case XY_TERM_CONTEXT:
		desc->context = (struct xy_context *)term->pointer;
		return true;
	default:
		return false;
	}
}

static int insert_lists(struct xy_runtime *rt, const struct xy_codelet *codelet, const struct xy_term *terms,
			const struct lists *lists)
{
	struct xy_task_desc desc = { .codelet = codelet, .after = lists->after, .workers = lists->workers };
	struct xy_access *access = lists->accesses;

	for (; terms->kind; terms++)
		if (!insert_term(&desc, &access, lists, terms))
			return insert_refuse(rt, codelet, "a term has an unknown type");
	if (access != lists->accesses)
		desc.accesses = lists->accesses;
	*access = (struct xy_access){ .handle = NULL };
	return xy_submit(rt, &desc);
}

/* Any terms, by way of a description, which also finds the words for what is wrong. */
static __attribute__((noinline)) int insert_any(struct xy_runtime *rt, const struct xy_codelet *codelet,
						const struct xy_term *terms)
{
	struct xy_access accesses[FEW];
	struct xy_task *after[FEW];
	unsigned workers[FEW];
	struct lists lists = { accesses, after, workers };
	size_t n = 1;
	int error = -ENOMEM;

	for (; terms[n - 1].kind; n++)
		;
	if (n <= FEW)
		return insert_lists(rt, codelet, terms, &lists);
	lists.accesses = malloc(n * sizeof *lists.accesses);
	lists.after = malloc(n * sizeof *lists.after);
	lists.workers = malloc(n * sizeof *lists.workers);
	if (lists.accesses && lists.after && lists.workers)
		error = insert_lists(rt, codelet, terms, &lists);
	free(lists.accesses);
	free(lists.after);
	free(lists.workers);
	return error;
}

/* The accesses, argument and priority of a task. False: there is something else. */
static inline bool insert_fill(struct xy_task *task, const struct xy_term *term, const struct xy_runtime *rt)
{
	unsigned n = 0;

	for (; term->kind; term++) {
		if (term->kind == XY_TERM_ACCESS && n < XY__TASK_ACCESSES) {
			const struct xy_handle *h = term->pointer;
			unsigned mode = (unsigned)term->number;

			if (!h || !xy__handle_serves(h, rt) || !xy__mode_is_proper(mode) || mode >= XY_COMMUTE)
				return false;
			task->accesses[n++] = xy__access(h, mode);
		} else if (term->kind == XY_TERM_ARG && !term->more.size) {
			task->arg = (void *)term->pointer;
		} else if (term->kind == XY_TERM_PRIORITY) {
			task->priority = term->number;
		} else {
			return false;
		}
	}
	task->naccesses = (uint16_t)n;
	return n || !xy__task_codelet(task)->modes[0];
}

/* A task of terms that most tasks have; NULL if there is something else, or no memory. */
static inline struct xy_task *insert_common(const struct xy_codelet *codelet, unsigned archs,
					    const struct xy_term *terms, struct xy__agent *agent)
{
	struct xy_task *task = xy__task_plain(codelet, archs, NULL, 0, agent);

	if (!task)
		return NULL;
	if (insert_fill(task, terms, agent->runtime))
		return task;
	xy__task_unbuild(task, agent);
	return NULL;
}

int xy_insert_terms(struct xy_runtime *rt, const struct xy_codelet *codelet, const struct xy_term *terms)
{
	unsigned archs = rt && codelet ? xy__codelet_plain_archs(codelet, rt) : 0;
	struct xy__agent *agent;
	struct xy_task *task;
	int error = 0, count;

	if (!terms)
		return insert_refuse(rt, codelet, "no terms");
	agent = archs ? xy__submit_enter_plainly(rt) : NULL;
	if (!agent)
		return insert_any(rt, codelet, terms);
	task = insert_common(codelet, archs, terms, agent);
	if (task && !task->naccesses)
		xy__submit_alone(rt, task, agent);
	else if (task && xy__deps_register_plainly(task, &count))
		xy__submit_registered(rt, task, count, agent);
	else if (task)
		error = xy__submit_built(task, true, agent);
	xy__agent_leave_outermost(agent);
	if (!task)
		return insert_any(rt, codelet, terms);
	if (error && error != -EBUSY)
		insert_refuse(rt, codelet, strerror(-error));
	return error;
}
