/* SPDX-License-Identifier: MIT */
/*
 * A case of xy_check_run: random tasks for a tree, submitted by one or two threads of the application while its workers
 * take them, and what is wrong if they do not all end.
 */
#include <xylem/check.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/runtime/agent.h"
#include "core/tree/lock.h"
#include "core/util/arch.h"
#include "core/util/message.h"
#include "engines/explore.h"

enum { MOST_TASKS = 64, USUAL_TASKS = 12, MOST_AFTER = 2, MOST_ITEMS = 20, SHOWN = 24, LONG_STEPS = 20000 };

struct check_case {
	const struct xy_check *check;
	struct xy_check_result *result;
	uint64_t random;
	/* for each architecture alone, and for all; each without a model, with one, and with one that learns */
	struct xy_codelet codelets[XY_NARCH + 1][3];
	struct xy_codelet parallel[2];
	unsigned share[XY__EXPLORE_PARTIES]; /* tasks of each thread */
	unsigned ntasks;
	struct xy_task *tasks[MOST_TASKS];
	bool started;
};

static unsigned case_below(struct check_case *c, unsigned n)
{
	struct xy_agent dice = { .random = c->random };
	unsigned number = xy_agent_random(&dice) % n;

	c->random = dice.random;
	return number;
}

/* --- tasks --- */

/* Never called: the engine ends tasks without running them. */
static int case_function(struct xy_call *call)
{
	(void)call;
	return 0;
}

static double case_length(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	return 10 + (double)((xy_task_number(task) * 7 + worker * 13 + implementation) % 50);
}

static double case_unknown(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	return worker % 2 ? 0 : case_length(task, worker, implementation);
}

static const struct xy_model case_known_model = { .kind = XY_MODEL_WORKER, .per_worker = case_length };
static const struct xy_model case_unknown_model = { .kind = XY_MODEL_WORKER, .per_worker = case_unknown };

static void case_codelets(struct check_case *c)
{
	static const struct xy_model *const models[] = { NULL, &case_known_model, &case_unknown_model };

	for (unsigned arch = 0; arch <= XY_NARCH; arch++)
		for (unsigned i = 0; i < 3; i++) {
			struct xy_codelet *codelet = &c->codelets[arch][i];

			codelet->name = arch < XY_NARCH ? xy__archs[arch].name : "any";
			codelet->model = models[i];
			xy__arch_implement(codelet, arch < XY_NARCH ? 1u << arch : XY_ON_ALL, case_function);
		}
	c->parallel[0] = (struct xy_codelet){ .name = "spmd", .parallel = XY_SPMD, .cpu = { case_function } };
	c->parallel[1] = (struct xy_codelet){
		.name = "fork-join", .parallel = XY_FORK_JOIN, .most_ranks = 2, .cpu = { case_function }
	};
}

/* Some tasks are for teams, some can be divided; the rest may be pinned. */
static void case_vary(struct check_case *c, struct xy_task_desc *desc)
{
	switch (case_below(c, 8)) {
	case 0:
		desc->codelet = &c->parallel[case_below(c, 2)];
		break;
	case 1:
		desc->range.stop = 1 + case_below(c, MOST_ITEMS);
		break;
	default:
		desc->nworkers = case_below(c, 3) == 0;
	}
}

/* A task that this worker can run, after some of those before it. What the runtime refuses is left out. */
static void case_submit(struct check_case *c, struct xy_runtime *rt)
{
	unsigned worker = case_below(c, rt->nworkers);
	unsigned on = case_below(c, 2) ? XY_NARCH : rt->workers[worker].arch;
	struct xy_task *after[MOST_AFTER], *task;
	struct xy_task_desc desc = {
		.codelet = &c->codelets[on][case_below(c, 3)],
		.priority = case_below(c, 2) ? 0 : (int)case_below(c, 5) - 2,
		.workers = &worker,
		.choice = case_below(c, 3),
		.retries = case_below(c, 2),
		.deadline_s = case_below(c, 2) * (xy_now(rt) + 1e-6 * case_below(c, 100)),
		.after = after,
	};

	case_vary(c, &desc);
	for (unsigned n = case_below(c, MOST_AFTER + 1); n > 0 && c->ntasks; n--)
		after[desc.nafter++] = c->tasks[case_below(c, c->ntasks)];
	if (c->ntasks == MOST_TASKS || xy_task_create(rt, &desc, &task))
		return;
	c->tasks[c->ntasks++] = task;
	xy_task_submit(task);
}

static void case_party(struct xy_runtime *rt, unsigned i)
{
	struct check_case *c = rt->explore->arg;

	for (unsigned n = c->share[i]; n > 0; n--) {
		xy__explore_point(rt->explore, NULL, "submit");
		if (!i && case_below(c, 8) == 0) /* by one: it holds a lock meanwhile */
			xy_iteration(rt, c->ntasks);
		case_submit(c, rt);
	}
}

/* --- what is wrong --- */

/* The fibre that holds a lock; 0: a thread of the application. */
static unsigned case_holder(const struct xy__explore *e, const struct xy_lock *lock)
{
	int worker = xy__lock_worker(atomic_load(&((struct xy_lock *)lock)->word));

	return worker >= 0 && (unsigned)worker < e->rt->nworkers ? (unsigned)worker + 1 : 0;
}

static bool case_is_in(const struct xy__explore *e, unsigned fibre, const struct xy_component *c)
{
	const struct xy_trail *trail = xy__explore_trail(e, fibre);

	for (unsigned i = 0; trail && i < trail->depth && i < XY__MOST_FRAMES; i++)
		if (trail->frames[i].component == c)
			return true;
	return false;
}

/* A fibre that waits for a lock, best one that holds it itself; 0: none. */
static unsigned case_blocked(const struct xy__explore *e)
{
	unsigned found = 0;

	for (unsigned i = e->nfibres - 1; i > 0; i--)
		if (e->fibres[i].state == XY__FIBRE_BLOCKED &&
		    (!found || case_holder(e, e->fibres[found].lock) != found))
			found = i;
	return found;
}

static void case_blame_lock(const struct xy__explore *e, unsigned fibre)
{
	const struct xy__fibre *blocked = &e->fibres[fibre];
	unsigned holder = case_holder(e, blocked->lock);
	const char *who = xy__explore_name(e, fibre);

	if (holder == fibre)
		xy__audit_report(XY__RULE_RELOCKED, blocked->lock_of, NULL,
				 "%s takes the lock that it holds already, and waits for ever", who);
	else if (holder && case_is_in(e, holder, blocked->lock_of))
		xy__audit_report(XY__RULE_LOCK_ORDER, blocked->lock_of, NULL,
				 "%s waits for its lock, which %s holds and waits, too", who,
				 xy__explore_name(e, holder));
	else
		xy__audit_report(XY__RULE_KEPT_LOCK, blocked->lock_of, NULL,
				 "%s waits for its lock, which %s left with the lock held", who,
				 holder ? xy__explore_name(e, holder) : "the application");
}

/* The innermost verb that has gone on for long. */
static void case_blame_verb(const struct xy__explore *e)
{
	const struct xy_trail *trail = xy__explore_trail(e, e->hung);
	const struct xy__frame *found = NULL;

	for (unsigned i = 0; trail && i < trail->depth && i < XY__MOST_FRAMES; i++)
		if (trail->frames[i].component &&
		    (!found || trail->frames[i].began_s + LONG_STEPS < (double)e->base.steps))
			found = &trail->frames[i];
	xy__audit_report(XY__RULE_SLOW, found ? found->component : e->rt->main.root, NULL,
			 "%s goes on and on: it has not returned to %s after %llu steps",
			 found ? found->verb : "the tree", xy__explore_name(e, e->hung), e->base.steps);
}

static void case_blame_task(const struct xy_runtime *rt, const struct xy_task *task)
{
	const struct xy_component *c = xy__owner_in(rt->main.tree, atomic_load(&((struct xy_task *)task)->owner));

	xy__audit_report(XY__RULE_LOST, c ? c : rt->main.root, task, "all workers ask, and none is given the task");
}

/* Not all tasks have ended. */
static void case_blame(struct check_case *c, struct xy_runtime *rt)
{
	const struct xy__explore *e = rt->explore;

	if (atomic_load(&rt->main.tree->audit->nbroken))
		return;
	if (e->hangs)
		case_blame_verb(e);
	if (case_blocked(e))
		case_blame_lock(e, case_blocked(e));
	for (unsigned i = 0; i < c->ntasks && !atomic_load(&rt->main.tree->audit->nbroken); i++)
		if (atomic_load(&c->tasks[i]->state) == XY__TASK_READY)
			case_blame_task(rt, c->tasks[i]);
	if (!atomic_load(&rt->main.tree->audit->nbroken))
		xy__audit_report(XY__RULE_LOST, rt->main.root, NULL, "tasks are left, and none of them is ready");
}

/* --- a case --- */

static void case_history(const struct xy__explore *e, struct xy_check_result *result)
{
	unsigned long long step = e->base.steps > SHOWN ? e->base.steps - SHOWN : 0;
	struct xy__message text;

	xy__message_init(&text, result->history, sizeof result->history);
	for (; step < e->base.steps; step++) {
		const struct xy__step *at = &e->history[step % XY__EXPLORE_HISTORY];

		xy__message_add(&text, "%6llu  %-12s %s", step, xy__explore_name(e, at->fibre), at->where);
		if (at->component)
			xy__message_add(&text, " %s#%u", at->component->ops->name, at->component->id);
		xy__message_add(&text, "\n");
	}
}

static void case_run(struct check_case *c, struct xy_runtime *rt)
{
	struct xy_check_result *result = c->result;
	struct xy__explore *e = rt->explore;
	int error = 0;

	e->arg = c;
	e->most_switches = c->check->switches;
	e->fails = case_below(c, 4) ? 0 : 8;
	e->step = c->check->step;
	e->step_arg = c->check->step_arg;
	for (unsigned i = 0; i < XY__EXPLORE_PARTIES && !error; i++)
		if (c->share[i])
			error = xy__explore_party(e, case_party, i);
	while (!xy__explore_parties_done(e) && xy__explore_others(e))
		;
	if (xy_wait(rt) == -ETIMEDOUT || !xy__explore_parties_done(e))
		case_blame(c, rt);
	result->broken = xy_tree_broken_rules(rt->main.tree, result->text, sizeof result->text) > 0;
	result->hangs = e->hangs || case_blocked(e);
	result->steps = e->base.steps;
	result->switches = e->switches;
	if (result->broken)
		case_history(e, result);
}

/* Why the runtime does not start; later lines are about tasks that fail on purpose. */
static void case_log(void *arg, const char *line)
{
	struct check_case *c = arg;

	if (!c->started && !*c->result->text)
		snprintf(c->result->text, sizeof c->result->text, "%s", line);
}

/* Starts the runtime of a case, on the machine that is asked for or the first that the tree can be made for. */
static int case_start(struct check_case *c, struct xy_runtime **rt)
{
	static const struct xy__engine_ops *const engines[] = { &xy__explore_engine, NULL };
	static const char *const machines[] = { "cpu:2", "cpu:3", "cpu:2 cuda:1", "cpu:1" };
	unsigned n = c->check->machine ? 1 : 4, first = case_below(c, 4);
	int error = -EINVAL;

	for (unsigned i = 0; i < n && error; i++) {
		const char *machine = c->check->machine ? c->check->machine : machines[(first + i) % 4];
		struct xy_config config = {
			.sched = c->check->sched,
			.plugins = c->check->plugins,
			.components = c->check->components,
			.machine = machine,
			.seed = c->check->seed,
			.ignore_environment = true,
			.log = case_log,
			.log_arg = c,
		};

		snprintf(c->result->machine, sizeof c->result->machine, "%s", machine);
		error = xy__runtime_start(rt, &config, engines);
	}
	c->started = !error;
	return error;
}

/* Mostly few tasks, so that a case is short; some mistakes show only with many. */
static void case_tasks(struct check_case *c)
{
	unsigned n = 1 + case_below(c, case_below(c, 8) ? USUAL_TASKS : MOST_TASKS);
	bool together = case_below(c, 4);

	n = c->check->ntasks ? c->check->ntasks : n;
	n = n < MOST_TASKS ? n : MOST_TASKS;
	c->share[1] = together ? 0 : n / 2;
	c->share[0] = n - c->share[1];
	c->result->ntasks = n;
}

int xy_check_run(const struct xy_check *check, struct xy_check_result *result)
{
	struct check_case c = { .check = check, .result = result };
	struct xy_runtime *rt;
	int error;

	if (!check || !result || !check->sched)
		return -EINVAL;
	memset(result, 0, sizeof *result);
	c.random = check->seed;
	error = case_start(&c, &rt);
	if (error)
		return error;
	*result->text = '\0';
	case_codelets(&c);
	case_tasks(&c);
	case_run(&c, rt);
	if (result->hangs)
		return 0;
	for (unsigned i = 0; i < c.ntasks; i++)
		xy_task_release(c.tasks[i]);
	xy_stop(&rt);
	return 0;
}
