/* SPDX-License-Identifier: MIT */
/*
 * Inside of queues, for the reservoirs of the library that pass their tasks down by themselves.
 */
#ifndef XYLEM_CORE_QUEUE_H
#define XYLEM_CORE_QUEUE_H

#include <xylem/component.h>

/* Passes a task to whom it is given: xy_push, or something else with the same contract. */
typedef bool xy__give(struct xy_component *to, struct xy_task *task, struct xy_agent *by);

/* Gives away a task of the queue with the owner's lock held. If refused it keeps its place. */
bool xy__queue_give(struct xy_queue *q, struct xy_task *task, xy__give *give, struct xy_component *to,
		    struct xy_agent *by);

/* Gives away, in the order of the queue, whatever is taken; true if anything was. Tasks of one lane can
 * run on the same workers, so that once one is refused the others of its lane are left out;
 * constrained tasks are all tried. The owner's lock is held. */
bool xy__queue_pump(struct xy_queue *q, xy__give *give, struct xy_component *to, struct xy_agent *by);

/* Whether no task that the same workers can run comes before this one, which is in the queue.
 * Constrained tasks are never compared: each is a case of its own. */
bool xy__queue_leads(const struct xy_queue *q, const struct xy_task *task);

#endif
