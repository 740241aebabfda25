/* SPDX-License-Identifier: MIT */
/*
 * A bed with cambium above all workers of a machine, for tests of its parts. Tests call them without the lock: there is
 * one thread.
 */
#ifndef TESTS_COMPONENTS_CAMBIUM_BED_H
#define TESTS_COMPONENTS_CAMBIUM_BED_H

#include "recording.h"

#include <math.h>

#include "components/cambium/cambium.h"

/* cambium(option=value) { worker 0, ... }; option may be NULL. */
struct bed *cambium_open_with(const char *machine, const char *option, const char *value, struct xy__cambium **cambium);
struct bed *cambium_open(const char *machine, struct xy__cambium **cambium);

/* Makes a task wait for another one, as submission does; at most EDGES times in one bed. */
enum { EDGES = 20000 };
void cambium_follows(struct xy_task *task, struct xy_task *before);

/* A type of tasks that take us[class] on each class, of which so many are left. */
unsigned cambium_type(struct xy__cambium *c, const float *us, long left);

/* cmocka's assert_float_equal takes INFINITY for any number. */
#define assert_near(a, b) assert_true(fabs((double)(a) - (double)(b)) < 1e-3)

#endif
