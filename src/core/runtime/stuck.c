/* SPDX-License-Identifier: MIT */
/* Who is stuck. All of it only looks, and waits for nothing. */
#include "core/runtime/stuck.h"

#include <errno.h>
#include <string.h>

#include "core/runtime/runtime.h"
#include "core/runtime/wait.h"
#include "core/tree/audit.h"
#include "core/tree/lock.h"
#include "core/util/message.h"

int xy__stuck_holder(struct xy_component *c, const char **verb)
{
	struct xy_lock *lock = atomic_load(&c->awaited);
	int word = lock ? atomic_load(&lock->word) : 0, holder = xy__lock_worker(word);

	*verb = holder == XY__LOCK_NOBODY ? NULL : xy__lock_verb(word);
	return holder;
}

/* A component for whose lock a caller sleeps, with the holder and the verb that took it; NULL: none. */
static struct xy_component *stuck_lock(struct xy_runtime *rt, int *holder, const char **verb)
{
	for (unsigned k = 0; k < rt->ncontexts; k++) {
		struct xy_tree *tree = rt->contexts[k]->tree;

		for (unsigned i = 0; tree && i < tree->ncomponents; i++) {
			*holder = xy__stuck_holder(tree->components[i], verb);
			if (*holder != XY__LOCK_NOBODY)
				return tree->components[i];
		}
	}
	return NULL;
}

static void stuck_name(const struct xy_runtime *rt, int worker, struct xy__message *message)
{
	if (worker >= 0 && (unsigned)worker < rt->nworkers)
		xy__message_add(message, "worker %s", xy_machine_worker(rt->machine, (unsigned)worker)->name);
	else
		xy__message_add(message, "a thread of the application");
}

/* Who keeps the lock of a component, and since which verb. */
static void stuck_name_holder(const struct xy_runtime *rt, const struct xy_component *c, int holder, const char *verb,
			      struct xy__message *message)
{
	stuck_name(rt, holder, message);
	xy__message_add(message, " keeps the lock of %s#%u", c->ops->name, c->id);
	if (verb)
		xy__message_add(message, ", taken in %s", verb);
}

static void stuck_explain(struct xy_runtime *rt, const struct xy__agent *agent, struct xy__message *message)
{
	const struct xy_trail *trail = agent ? agent->base.trail : NULL;
	const char *verb;
	int worker;
	struct xy_component *c = stuck_lock(rt, &worker, &verb);

	if (c) {
		stuck_name_holder(rt, c, worker, verb, message);
		return;
	}
	if (!agent) {
		xy__message_add(message, "a component does not answer when asked for its tasks or its state");
		return;
	}
	stuck_name(rt, agent->base.worker, message);
	/* The trail is the agent's own, but an agent that is stuck does not write. */
	c = trail && trail->depth && trail->depth <= XY__MOST_FRAMES ? xy__trail_top(trail) : NULL;
	if (c)
		xy__message_add(message, " does not return from %s of %s#%u", trail->frames[trail->depth - 1].verb,
				c->ops->name, c->id);
	else
		xy__message_add(message, " does not return from a component; the debug build says from which");
}

void xy__stuck_complain(struct xy_runtime *rt, const struct xy__agent *agent)
{
	struct xy__message message;
	char text[256];

	xy__message_init(&message, text, sizeof text);
	stuck_explain(rt, agent, &message);
	xy__log(&rt->settings.log, "the trees stay as they are: %s", text);
}

void xy__stuck_unanswered(struct xy_runtime *rt, int error)
{
	if (error == -ETIMEDOUT)
		xy__stuck_complain(rt, NULL);
	else
		xy__log(&rt->settings.log,
			"the trees stay as they are: no thread can ask the components what they hold: %s",
			strerror(-error));
}

void xy__stuck_abandoned(struct xy_runtime *rt, const struct xy_component *c, int word)
{
	struct xy__message message;
	char text[256];

	xy__message_init(&message, text, sizeof text);
	stuck_name_holder(rt, c, xy__lock_worker(word), xy__lock_verb(word), &message);
	xy__message_add(&message, ", and nothing can drop it any more");
	xy__log(&rt->settings.log, "%s: the simulation continues without this lock", text);
	xy__wait_broken(rt, text);
}
