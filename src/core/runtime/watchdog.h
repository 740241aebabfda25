/* SPDX-License-Identifier: MIT */
/*
 * The thread that dumps the runtime when it is asked to, or when nothing moves, and that calls the guard.
 */
#ifndef XYLEM_CORE_RUNTIME_WATCHDOG_H
#define XYLEM_CORE_RUNTIME_WATCHDOG_H

#include "core/runtime/runtime.h"

/*
 * Before drivers are loaded: notes whether SIGUSR1 is the program's, as libraries of drivers (LLVM in PoCL) install
 * handlers of their own.
 */
void xy__watchdog_prepare(void);
int xy__watchdog_start(struct xy_runtime *rt);
void xy__watchdog_stop(struct xy_runtime *rt);

#endif
