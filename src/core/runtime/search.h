/* SPDX-License-Identifier: MIT */
/* How a worker looks for a task, in all engines. */
#ifndef XYLEM_CORE_RUNTIME_SEARCH_H
#define XYLEM_CORE_RUNTIME_SEARCH_H

#include "core/runtime/worker.h"

/* Moves the inbox into the tree and takes a task; NULL if there is none now. */
struct xy_task *xy__search_take(struct xy__worker *worker);
/* Takes a task without waiting, and offers what it leaves to sleeping workers; NULL without one. */
struct xy_task *xy__search_try(struct xy__worker *worker);
/* The worker's next task, for which the engine may let it wait; NULL when the runtime stops. */
struct xy_task *xy__search_next(struct xy__worker *worker);
/* The worker has found a task, or gives up, and is no longer a searcher: offers travel again. */
void xy__search_found(struct xy__worker *worker);
/* Offers to others what this worker does not take soon, though it said that it would. */
void xy__search_offer_rest(struct xy__worker *worker);

#endif
