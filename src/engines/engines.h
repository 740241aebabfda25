/* SPDX-License-Identifier: MIT */
/*
 * The engines.
 */
#ifndef XYLEM_ENGINES_ENGINES_H
#define XYLEM_ENGINES_ENGINES_H

#include "core/runtime/engine.h"

extern const struct xy__engine_ops xy__threads_engine; /* threads.c */
extern const struct xy__engine_ops xy__sim_engine;     /* sim.c */

#endif
