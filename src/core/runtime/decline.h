/* SPDX-License-Identifier: MIT */
/*
 * A device that can't run a task, which is unharmed, declines it: the task goes to a worker of another memory node, and
 * fails if there is none left. A worker that declines one task after the other avoids tasks for a while.
 */
#ifndef XYLEM_CORE_RUNTIME_DECLINE_H
#define XYLEM_CORE_RUNTIME_DECLINE_H

#include "core/runtime/worker.h"

/* What a worker has declined lately. Used by its thread only. */
struct xy__declines {
	unsigned streak; /* tasks declined since one ended well */
	double pause_s;  /* how long it avoids tasks next time; 0: the shortest time */
	double until_s;  /* when it tries again; 0: it avoids none */
	bool told;       /* the log has its line */
};

/* No node has declined the task any more. */
void xy__task_undecline(struct xy_task *task);

/* None is left for the task but nodes that have passed it on: these have to try. False: there are no such nodes. */
bool xy__decline_insist(struct xy_task *task, struct xy_runtime *rt);

/*
 * The worker's node declines a task. True: another node may run it, and the caller gives it back to the tree. False:
 * none is left, and text says what each of them said.
 */
bool xy__decline(struct xy__worker *worker, struct xy_task *task, const char *reason, char *text, size_t size);

/* The device failed one more task that it should have been able to run. */
void xy__declines_add(struct xy__declines *declines, struct xy__worker *worker, const char *reason);
static inline void xy__declines_forget(struct xy__declines *declines)
{
	declines->streak = 0;
	declines->pause_s = declines->until_s = 0;
}
/* Whether it avoids tasks now. */
bool xy__declines_pause(const struct xy__declines *declines, const struct xy_runtime *rt);
/* Whether a task that the worker has taken goes back to the tree untried: the worker avoids tasks, and another one may
 * run it. */
bool xy__declines_avoid(struct xy__declines *declines, struct xy__worker *worker, struct xy_task *task);

#endif
