/* SPDX-License-Identifier: MIT */
/*
 * For authors of components: runs a tree with random tasks under one chosen interleaving of its workers, and says which
 * rule of component.h was broken. `xylem check --run` does this for many seeds; a test may call it, too.
 */
#ifndef XYLEM_CHECK_H
#define XYLEM_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xy_component;
struct xy_component_ops;

/* A case. The same one runs in the same way each time, in any process. */
struct xy_check {
	const char *sched;                                /* a policy, an expression, or @file */
	const char *plugins;                              /* as in struct xy_config */
	const struct xy_component_ops *const *components; /* likewise */
	const char *machine; /* as for xy_machine_create; NULL: the seed chooses a small one */
	uint64_t seed;       /* of the tasks and of the interleaving */
	unsigned ntasks;     /* at most so many; 0: the seed says */
	unsigned switches;   /* a worker is interrupted at most so often; 0: no limit */
	/* Called before each step, in a verb of a component or not (NULL), for a caller that watches; NULL: none. */
	void (*step)(void *step_arg, const struct xy_component *at, const char *where);
	void *step_arg;
};

#define XY_CHECK_TEXT 512
#define XY_CHECK_HISTORY 4096

struct xy_check_result {
	bool broken;                    /* a rule was broken: */
	bool hangs;                     /* ... and so the case could not be ended: its memory is not freed */
	char text[XY_CHECK_TEXT];       /* by which component, which one; or why the case could not begin */
	char history[XY_CHECK_HISTORY]; /* the last steps, a line each, if one was broken */
	char machine[64];
	unsigned ntasks, switches;
	unsigned long long steps;
};

/*
 * Runs a case: in the calling thread alone, which must not be inside a codelet. 0, also if a rule was broken, or the
 * error of xy_start with its reason in result->text; -EINVAL without a case or a result.
 */
int xy_check_run(const struct xy_check *check, struct xy_check_result *result);

#ifdef __cplusplus
}
#endif
#endif
