/* SPDX-License-Identifier: MIT */
/*
 * The settings of one runtime: what the program asked for and what the environment says. config.c is
 * the only file that reads the environment.
 */
#ifndef XYLEM_CORE_CONFIG_H
#define XYLEM_CORE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <xylem/task.h>
#include "core/util/log.h"

struct xy__settings {
	char *sched;          /* never NULL */
	char *machine;        /* never NULL */
	unsigned ncpu;        /* 0: all */
	bool bind;
	unsigned window;
	double watchdog_s;
	uint64_t seed;
	char *plugins;        /* never NULL */
	bool profile;
	bool sigusr1;         /* dump on SIGUSR1 where the program has no handler of its own */
	struct xy__log log;
};

/* Fills s from config (may be NULL) and the environment; 0, -ENOMEM, or -EINVAL with one log line
 * that names the variable and what it may be. s needs fini only after 0. */
int xy__settings_init(struct xy__settings *s, const struct xy_config *config);
void xy__settings_fini(struct xy__settings *s);

/* Every variable, for `xylem env`. */
struct xy__variable {
	const char *name;     /* NULL ends the table */
	const char *initial;  /* what it is when unset, in words or as a value */
	const char *values;   /* what it may be */
	const char *meaning;
};
extern const struct xy__variable xy__variables[];
/* Its value in the environment, NULL if unset or empty. */
const char *xy__variable_value(const struct xy__variable *v);
/* Whether it may have this value. Texts are judged later, by whoever reads them. */
bool xy__variable_allows(const struct xy__variable *v, const char *value);

#endif
