/* SPDX-License-Identifier: MIT */
/*
 * The audit of a tree: checks the rules of component.h while tasks move. An audited component has other verbs than its
 * ops: functions that check around those. A tree that is not audited pays nothing for it.
 *
 * Each agent leaves a trail: the verbs it is in and the locks it holds. Each task has an owner: the component that took
 * it last, or the worker. A broken rule is reported, and repaired where the run could not go on otherwise: a task is
 * never run twice and a lock never kept. Agents without a trail are not checked.
 *
 * Locking key: (c) constant after xy__audit_begin, (a) atomic, (o) owner of the agent; else the lock that is named.
 */
#ifndef XYLEM_CORE_TREE_AUDIT_H
#define XYLEM_CORE_TREE_AUDIT_H

#include "core/tree/tree.h"

/* In the order of the table in doc/components.md. */
enum xy__rule {
	XY__RULE_TWICE,
	XY__RULE_REFUSED,
	XY__RULE_LOST,
	XY__RULE_SILENT,
	XY__RULE_RELOCKED,
	XY__RULE_KEPT_LOCK,
	XY__RULE_LOCK_ORDER,
	XY__RULE_UPWARDS,
	XY__RULE_WORKER,
	XY__RULE_SLOW,
	XY__NRULES
};

enum { XY__MOST_LOCKS = 16, XY__MOST_FRAMES = 256, XY__AUDIT_TEXT = 512 };

/* The word of a free lock whose next taker shall come by xy_lock_wait. */
enum { XY__LOCK_WATCHED = -2 };

/* What explores interleavings: see src/engines/explore.h. */
struct xy__explorer {
	unsigned long long steps; /* so far: its clock */
	/* Another agent may run here. where: a verb of a component, or "take" and "drop" of its lock. */
	void (*point)(struct xy__explorer *explorer, const struct xy_component *at, const char *where);
	/* The lock is held by another agent: lets others run until it may be free; false: it never will be. */
	bool (*blocked)(struct xy__explorer *explorer, struct xy_component *at, const struct xy_lock *lock);
};

/* A verb that the agent is in; component is NULL where it has left the tree (xy_give_back, a driver). */
struct xy__frame {
	struct xy_component *component;
	const char *verb;
	unsigned nlocks;             /* held when it began */
	double began_s, elsewhere_s; /* when it began; of that, spent in other verbs and waiting for locks */
};

/* (o) all. */
struct xy_trail {
	unsigned depth; /* of the frames; those beyond XY__MOST_FRAMES are not kept */
	unsigned nlocks;
	struct {
		const struct xy_lock *lock;
		struct xy_component *component;
	} locks[XY__MOST_LOCKS];
	struct xy__frame frames[XY__MOST_FRAMES];
	struct xy__explorer *explorer; /* that of the audit */
};

struct xy__audit {
	struct xy_component_ops *verbs; /* (c) by component */
	_Atomic unsigned *said;         /* (a) by component: mask of rules that were reported */
	_Atomic unsigned active;        /* (a) agents inside the tree */
	_Atomic bool probing;           /* (a) all workers were woken although nobody offered them a task */
	_Atomic unsigned nbroken;       /* (a) rules broken, each time counted */
	_Atomic int lock;
	char first[XY__AUDIT_TEXT]; /* (lock) */
	/* (c) is told of each component's first break of each rule; NULL: a line on stderr */
	void (*tell)(void *arg, enum xy__rule rule, const char *line);
	void *tell_arg;
	struct xy__explorer *explorer; /* (c) NULL: in real time */
};

/* Whether xy_tree_seal begins an audit: audit_on.c or audit_off.c, as the build says. */
extern const bool xy__audit_always;

/* Begins to audit a tree, after seal and before anything moves. 0 or -ENOMEM. */
int xy__audit_begin(struct xy_tree *tree);
void xy__audit_end(struct xy_tree *tree);

/* Gives an agent a trail, if its tree is audited, and its mark. 0 or -ENOMEM. */
int xy__trail_begin(struct xy_agent *by, const struct xy_tree *tree);
void xy__trail_end(struct xy_agent *by);

/* The agent leaves the tree in the middle of a verb, with a task that it gives back or NULL, and is back again. */
void xy__trail_leave_tree(const struct xy_component *self, struct xy_task *task, struct xy_agent *by);
void xy__trail_return(struct xy_agent *by);

/* For the verbs of an audited component; NULL outside of the tree. */
struct xy_component *xy__trail_top(const struct xy_trail *trail);
void xy__trail_enter(struct xy_component *self, const char *verb, struct xy_agent *by);
void xy__trail_leave(struct xy_component *self, struct xy_agent *by);
/* For xy_lock_wait and xy_lock_wake. Whether the lock is to be waited for: it is not if the agent holds it already. */
bool xy__trail_wants(const struct xy_lock *lock, struct xy_component *self, const struct xy_agent *by);
void xy__trail_took(const struct xy_lock *lock, struct xy_component *self, const struct xy_agent *by, double waited_s);
void xy__trail_dropped(const struct xy_lock *lock, const struct xy_agent *by);

/* Reports a broken rule. task may be NULL; the sentence says what the component did. */
__attribute__((format(printf, 4, 5))) void xy__audit_report(enum xy__rule rule, const struct xy_component *c,
							    const struct xy_task *task, const char *sentence, ...);
/* The words of a rule, for messages and the manual. */
const char *xy__rule_name(enum xy__rule rule);

/* A component, 0 for NULL, and a worker (-1: the application) as the owner of a task. */
static inline uint32_t xy__owner_component(const struct xy_component *c)
{
	return c ? (c->id + 1) << 1 : 0;
}
static inline uint32_t xy__owner_worker(int worker)
{
	return (uint32_t)(worker + 1) << 1 | 1;
}
/* The component that took a task last; NULL if it was a worker, or nobody. */
static inline struct xy_component *xy__owner_in(const struct xy_tree *tree, uint32_t owner)
{
	return !(owner & 1) && owner >> 1 && owner >> 1 <= tree->ncomponents ? tree->components[(owner >> 1) - 1]
									     : NULL;
}

/*
 * A ready task, while nothing moves: reports it as lost if the component that took it last does not list it. False if
 * that component can't list its tasks, or has it.
 */
bool xy__audit_find_lost(const struct xy_tree *tree, const struct xy_task *task);

/*
 * Nothing moves and there are ready tasks. Begins a probe, in which a worker that finds a task shows that it was not
 * offered; false if something moved meanwhile: the caller looks again whether it is still at rest.
 */
bool xy__audit_probe(struct xy_tree *tree);

#endif
