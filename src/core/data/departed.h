/* SPDX-License-Identifier: MIT */
/*
 * Handles that were unregistered, remembered so that their use is an error instead of a crash.
 */
#ifndef XYLEM_CORE_DATA_DEPARTED_H
#define XYLEM_CORE_DATA_DEPARTED_H

#include "core/task/handle.h"

/* Frees a handle that the application may still try to use. */
void xy__handle_depart(struct xy_handle *h);
void xy__departed_fini(struct xy_runtime *rt);
/* Whether a handle can be used; if not, logs why. */
bool xy__handle_is_here(const struct xy_handle *h, const char *who);

#endif
