/* SPDX-License-Identifier: MIT */
/* The tasks that a worker has in flight, each in a slot. */
#ifndef XYLEM_CORE_RUNTIME_WORKER_SLOTS_H
#define XYLEM_CORE_RUNTIME_WORKER_SLOTS_H

#include "core/runtime/worker.h"

/* Allocates the slots of a device worker. 0 or -ENOMEM. */
int xy__slots_init(struct xy__worker *worker);
/* The memory nodes are known. */
void xy__slots_place(struct xy__worker *worker);
/* The life of a worker of a device. */
void xy__slots_run(struct xy__worker *worker);
/*
 * For an engine that waits elsewhere: advances the worker's tasks and takes more if there is a task and room; true if
 * anything changed. And whether there is room, and whether it waits for data.
 */
bool xy__slots_go_on(struct xy__worker *worker);
bool xy__slots_take(struct xy__worker *worker);
bool xy__slots_has_room(const struct xy__worker *worker);
enum xy__slots_wait { XY__WAITS_NOT, XY__WAITS_FOR_DATA, XY__WAITS_FOR_MEMORY };
enum xy__slots_wait xy__slots_waits(const struct xy__worker *worker);

#endif
