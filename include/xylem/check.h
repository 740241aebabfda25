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

/* A test case. Runs are deterministic: equal cases give equal runs, in any process. */
struct xy_check {
	const char *sched;                                /* a policy, an expression, or @file */
	const char *plugins;                              /* as in struct xy_config */
	const struct xy_component_ops *const *components; /* likewise */
	const char *machine; /* as for xy_machine_create; NULL: the seed chooses a small one */
	uint64_t seed;       /* of the tasks and of the interleaving */
	unsigned ntasks;     /* at most; 0: the seed decides */
	unsigned switches;   /* limit on interruptions of a worker; 0: none */
	/* Optional observer, called before each step; `at` is the component whose verb runs, NULL outside of verbs. */
	void (*step)(void *step_arg, const struct xy_component *at, const char *where);
	void *step_arg;
};

#define XY_CHECK_TEXT 512
#define XY_CHECK_HISTORY 4096

struct xy_check_result {
	bool broken;                    /* a rule was broken */
	bool hangs;                     /* the run could not be completed because of that; its memory is leaked */
	char text[XY_CHECK_TEXT];       /* the component and the broken rule, or why the run could not start */
	char history[XY_CHECK_HISTORY]; /* the last steps before a broken rule, one per line */
	char machine[64];
	unsigned ntasks, switches;
	unsigned long long steps;
};

/*
 * Runs a case in the calling thread, which must not be inside a codelet. Returns 0 even if a rule was broken; the error
 * of xy_start, with the reason in result->text; or -EINVAL if an argument is NULL.
 */
int xy_check_run(const struct xy_check *check, struct xy_check_result *result);

#ifdef __cplusplus
}
#endif
#endif
