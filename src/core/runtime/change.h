/* SPDX-License-Identifier: MIT */
/* What all changes of trees have in common: see doc/decisions/0018. */
#ifndef XYLEM_CORE_RUNTIME_CHANGE_H
#define XYLEM_CORE_RUNTIME_CHANGE_H

#include "core/runtime/context.h"

/*
 * The state after a change: the context of each worker, NULL for an absent one; and for one context its new policy, or
 * that it is created or destroyed.
 */
struct xy__change {
	struct xy_runtime *rt;
	struct xy_context **where; /* by worker */
	struct xy_context *context;
	const char *policy;
	bool creates, destroys;
};

/* Logs why the function `who` does nothing; returns the error. */
int xy__change_refuse(struct xy_runtime *rt, const char *who, int error, const char *why);
/* Whether the calling thread may change trees now, and whether the workers exist: 0, or an error, which is logged. */
int xy__change_check(struct xy_runtime *rt, const char *who);
int xy__change_check_workers(struct xy_runtime *rt, const char *who, const unsigned *workers, unsigned nworkers);

/* Starts from the present state; 0 or -ENOMEM. rt->change_lock is held. */
int xy__change_init(struct xy__change *change, struct xy_runtime *rt);
/* Gives a context these workers only; its others go to `rest`. */
void xy__change_staff(struct xy__change *change, struct xy_context *context, struct xy_context *rest,
		      const unsigned *workers, unsigned nworkers);
/* Makes the state that of the runtime. rt->change_lock is held. */
int xy__change_apply(struct xy__change *change);

/*
 * xy__change_begin takes rt->change_lock and calls xy__change_init. xy__change_end calls xy__change_apply, unless error
 * is set, and drops the lock: each begin needs its end, also after an error.
 */
int xy__change_begin(struct xy__change *change, struct xy_runtime *rt);
int xy__change_end(struct xy__change *change, int error);

#endif
