/* SPDX-License-Identifier: MIT */
/*
 * The leaf of a worker, for the engines that run one.
 */
#ifndef XYLEM_COMPONENTS_WORKER_H
#define XYLEM_COMPONENTS_WORKER_H

#include <xylem/component.h>

/* The result of a pull by the leaf's worker. */
struct xy_task *xy__worker_pull(struct xy_component *leaf, struct xy_agent *by);

#endif
