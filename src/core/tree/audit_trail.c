/* SPDX-License-Identifier: MIT */
/* The trail of an agent: the verbs it is in and the locks it holds, in the order in which it took them. */
#include "core/tree/audit.h"

#include <errno.h>
#include <stdlib.h>
#include "core/util/futex.h"

#define SLOW_S 1.0

int xy__trail_begin(struct xy_agent *by, const struct xy_tree *tree)
{
	by->mark = 2 * (by->worker + 1);
	if (!tree->audit)
		return 0;
	by->trail = calloc(1, sizeof *by->trail);
	by->mark |= by->trail != NULL;
	return by->trail ? 0 : -ENOMEM;
}

void xy__trail_end(struct xy_agent *by)
{
	free(by->trail);
	by->trail = NULL;
}

static struct xy__frame *trail_frame(struct xy_trail *trail)
{
	return trail->depth && trail->depth <= XY__MOST_FRAMES ? &trail->frames[trail->depth - 1] : NULL;
}

struct xy_component *xy__trail_top(const struct xy_trail *trail)
{
	struct xy__frame *frame = trail_frame((struct xy_trail *)trail);

	return frame ? frame->component : NULL;
}

static void trail_begin(struct xy_trail *trail, struct xy_component *c, const char *verb)
{
	struct xy__frame *frame;

	trail->depth++;
	frame = trail_frame(trail);
	if (frame)
		*frame = (struct xy__frame){ .component = c, .verb = verb, .nlocks = trail->nlocks };
	if (frame)
		frame->began_s = trail->explorer ? (double)trail->explorer->steps : xy__now();
}

/* Time that passed in a frame was elsewhere for the one it returns to. */
static void trail_end(struct xy_trail *trail)
{
	struct xy__frame *frame = trail_frame(trail), *outer;
	double elapsed = frame && !trail->explorer ? xy__now() - frame->began_s : 0;

	if (frame && frame->component && elapsed - frame->elsewhere_s > SLOW_S)
		xy__audit_report(XY__RULE_SLOW, frame->component, NULL,
				 "%s took %.1f s, while other workers had to wait", frame->verb,
				 elapsed - frame->elsewhere_s);
	trail->depth--;
	outer = trail_frame(trail);
	if (outer)
		outer->elsewhere_s += elapsed;
}

void xy__trail_enter(struct xy_component *self, const char *verb, struct xy_agent *by)
{
	if (!by->trail->depth)
		atomic_fetch_add(&self->tree->audit->active, 1);
	trail_begin(by->trail, self, verb);
	if (by->trail->explorer)
		by->trail->explorer->point(by->trail->explorer, self, verb);
}

/* Drops a lock that a verb kept. */
static void trail_drop_kept(struct xy_trail *trail, const struct xy__frame *frame, struct xy_agent *by)
{
	struct xy_component *c = trail->locks[trail->nlocks - 1].component;
	struct xy_lock *lock = (struct xy_lock *)trail->locks[trail->nlocks - 1].lock;

	xy__audit_report(XY__RULE_KEPT_LOCK, c, NULL, "%s returned with the lock held; it is dropped now", frame->verb);
	xy_lock_drop(lock, c, by);
}

void xy__trail_leave(struct xy_component *self, struct xy_agent *by)
{
	struct xy_trail *trail = by->trail;
	const struct xy__frame *frame = trail_frame(trail);

	while (frame && trail->nlocks > frame->nlocks) {
		unsigned before = trail->nlocks;

		trail_drop_kept(trail, frame, by);
		trail->nlocks = before - 1;
	}
	trail_end(trail);
	if (!trail->depth)
		atomic_fetch_sub(&self->tree->audit->active, 1);
}

void xy__trail_leave_tree(const struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy_trail *trail = by->trail;

	if (task && trail->nlocks)
		xy__audit_report(XY__RULE_LOCK_ORDER, trail->locks[trail->nlocks - 1].component, task,
				 "xy_give_back was called with the lock held");
	if (!task && trail->nlocks && trail->locks[trail->nlocks - 1].component == self)
		xy__audit_report(XY__RULE_LOCK_ORDER, self, NULL, "xy_task_prefetch was called with the lock held");
	trail_begin(trail, NULL, "outside");
}

void xy__trail_return(struct xy_agent *by)
{
	trail_end(by->trail);
}

/* --- locks --- */

bool xy__trail_wants(const struct xy_lock *lock, struct xy_component *self, const struct xy_agent *by)
{
	struct xy_trail *trail = by->trail;
	const struct xy__frame *frame = trail_frame(trail);
	const char *verb = frame ? frame->verb : "a call from outside";

	for (unsigned i = 0; i < trail->nlocks; i++)
		if (trail->locks[i].lock == lock) {
			xy__audit_report(XY__RULE_RELOCKED, self, NULL,
					 "%s takes the lock that it holds already, which would wait for ever", verb);
			return false;
		}
	if (trail->nlocks && trail->locks[trail->nlocks - 1].component->level >= self->level)
		xy__audit_report(XY__RULE_LOCK_ORDER, trail->locks[trail->nlocks - 1].component, NULL,
				 "its lock is held while that of %s#%u, which is not below it, is taken in %s",
				 self->ops->name, self->id, verb);
	return true;
}

void xy__trail_took(const struct xy_lock *lock, struct xy_component *self, const struct xy_agent *by, double waited_s)
{
	struct xy_trail *trail = by->trail;
	struct xy__frame *frame = trail_frame(trail);

	if (frame)
		frame->elsewhere_s += waited_s;
	if (trail->nlocks == XY__MOST_LOCKS)
		return;
	trail->locks[trail->nlocks].lock = lock;
	trail->locks[trail->nlocks++].component = self;
}

/* A lock that was taken before it was watched is not in the trail. */
void xy__trail_dropped(const struct xy_lock *lock, const struct xy_agent *by)
{
	struct xy_trail *trail = by->trail;

	for (unsigned i = trail->nlocks; i-- > 0;)
		if (trail->locks[i].lock == lock) {
			trail->nlocks--;
			for (; i < trail->nlocks; i++)
				trail->locks[i] = trail->locks[i + 1];
			return;
		}
}
