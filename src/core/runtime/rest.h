/* SPDX-License-Identifier: MIT */
/* A runtime in which nothing moves though tasks are left. */
#ifndef XYLEM_CORE_RUNTIME_REST_H
#define XYLEM_CORE_RUNTIME_REST_H

#include "core/runtime/runtime.h"

/*
 * The engine is at rest. True: nothing will move. In an audited tree, workers are woken once to see whether a task was
 * stored and not offered, and tasks that no component has are reported; false while they look.
 */
bool xy__rest_is_final(struct xy_runtime *rt);

#endif
