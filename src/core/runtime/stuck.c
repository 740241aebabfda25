/* SPDX-License-Identifier: MIT */
/* Who is stuck. All of it only looks, and waits for nothing. */
#include "core/runtime/stuck.h"

#include "core/runtime/runtime.h"
#include "core/tree/audit.h"
#include "core/util/message.h"

int xy__stuck_holder(struct xy_component *c)
{
	struct xy_lock *lock = atomic_load(&c->awaited);
	int word = lock ? atomic_load(&lock->word) : 0;

	if (!word || word == XY__LOCK_WATCHED)
		return XY__STUCK_NOBODY;
	return word / 2 >= 2 ? word / 2 - 2 : -1;
}

/* A component for whose lock a caller sleeps, and the holder of that; NULL: none. */
static struct xy_component *stuck_lock(struct xy_runtime *rt, int *holder)
{
	for (unsigned k = 0; k < rt->ncontexts; k++) {
		struct xy_tree *tree = rt->contexts[k]->tree;

		for (unsigned i = 0; tree && i < tree->ncomponents; i++) {
			*holder = xy__stuck_holder(tree->components[i]);
			if (*holder != XY__STUCK_NOBODY)
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

void xy__stuck_explain(struct xy_runtime *rt, const struct xy__agent *agent, struct xy__message *message)
{
	const struct xy_trail *trail = agent->base.trail;
	int worker = agent->base.worker;
	struct xy_component *c = stuck_lock(rt, &worker);

	if (c) {
		stuck_name(rt, worker, message);
		xy__message_add(message, " keeps the lock of %s#%u", c->ops->name, c->id);
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
