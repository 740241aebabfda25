/* SPDX-License-Identifier: MIT */
/*
 * Data in the hands of the application, in its place among the tasks.
 */
#ifndef XYLEM_CORE_DATA_ACQUIRE_H
#define XYLEM_CORE_DATA_ACQUIRE_H

#include <xylem/data.h>
#include "core/task/task.h"

struct xy__agent;
struct xy__endings;

/* An acquire's turn has come: 0 when its data is in RAM or need not be, -EAGAIN when xy__deps_acquired will be
 * called, or why it can't be there. */
int xy__acquire_fetch(struct xy_task *task, struct xy__agent *agent);
/* An acquire has got its data, or failed to; in the latter case the caller ends it. */
void xy__acquire_ready(struct xy_task *task, int status, struct xy__endings *endings, struct xy__agent *agent);

/* Waits for the data, which need not have memory. 0 with the status of an acquire in *status, or -ENOMEM. */
int xy__acquire_wait(struct xy_handle *h, enum xy_mode mode, int *status);

/* The place of an acquire in the order of tasks, wherever the data is. Any thread ends it. */
int xy__acquire_order(struct xy_handle *h, enum xy_mode mode, void (*callback)(void *arg, int status), void *arg);
void xy__acquire_order_end(struct xy_handle *h);
/* A place that the calling thread waits for, and ends itself. */
int xy__acquire_order_wait(struct xy_handle *h, enum xy_mode mode, int *status);
void xy__acquire_order_end_mine(struct xy_handle *h);
/* The calling thread's place in the order is an acquire now, of the copy on a node that it holds. */
void xy__acquire_order_keep(struct xy_handle *h, unsigned node);

/* -EDEADLK with a line in the log if the calling thread itself has acquired the handle, so that waiting would hang. */
int xy__acquire_check_mine(struct xy_handle *h, const char *who);

#endif
