/* SPDX-License-Identifier: MIT */
/*
 * The table of settings: one row for each, and for each architecture with devices the rows of its own. A row says
 * which variable of the environment and which field of struct xy_config mean a setting, and what it may be.
 */
#ifndef XYLEM_CORE_MACHINE_VARIABLES_H
#define XYLEM_CORE_MACHINE_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

/* What a setting is, and what field it has in struct xy__settings and struct xy_config. */
enum xy__variable_kind {
	XY__VARIABLE_TEXT,   /* char *, const char *; unset: "" */
	XY__VARIABLE_NAMES,  /* the same, where "none" means "" */
	XY__VARIABLE_SWITCH, /* bool, enum xy_switch */
	XY__VARIABLE_COUNT,  /* unsigned, unsigned; XY_NONE for 0 */
	XY__VARIABLE_LEVEL,  /* unsigned, enum whose constants are the default, 0, 1 ... */
	XY__VARIABLE_NUMBER, /* double, double: not negative */
	XY__VARIABLE_SEED,   /* uint64_t, uint64_t */
	XY__VARIABLE_LIMITS, /* struct xy__limits, const char * */
	XY__VARIABLE_BYTES   /* size_t, const char *; SIZE_MAX: none */
};

struct xy__variable {
	const char *name;    /* of the variable */
	const char *field;   /* of struct xy_config */
	const char *initial; /* the default, in words or as a value */
	const char *values;  /* what it may be */
	const char *meaning;
	enum xy__variable_kind kind;
	unsigned usual, least, most; /* of a switch, count, level or seed: default and range */
	size_t setting;              /* offset in struct xy__settings */
	size_t wish;                 /* offset in struct xy_config */
};

/* One variable after the other: for (struct xy__variables each = { 0 }; xy__variables_next(&each);) ... each.now ... */
struct xy__variables {
	unsigned next;
	struct xy__variable now;
	char name[48], field[48], initial[16], meaning[120]; /* of a row for an architecture */
};

/* False after the last one. */
bool xy__variables_next(struct xy__variables *each);

/* Variables that the tool gives to the programs that it starts. The library does not read them. */
struct xy__given_variable {
	const char *name; /* NULL ends the table */
	const char *meaning;
};
extern const struct xy__given_variable xy__given_variables[];

#endif
