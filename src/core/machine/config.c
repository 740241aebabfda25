/* SPDX-License-Identifier: MIT */
/*
 * The settings of a runtime, and the only place that reads the environment. The table of variables says for each
 * setting where it comes from and what it may be.
 */
#include "core/machine/config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/util/text.h"

#define CONFIG_PREFIX "XYLEM_"
#define CONFIG_NUMBER_MAX 1e9

const char *xy__variable_value(const struct xy__variable *v)
{
	/* A program with more rights than its caller doesn't listen to the caller's environment. */
	const char *value = secure_getenv(v->name);

	return value && *value ? value : NULL;
}

/* "512M" or "1G,512M,2G"; "none": no limit. */
static bool config_limits(const char *value, struct xy__limits *limits)
{
	limits->count = 0;
	if (!strcmp(value, "none"))
		return true;
	for (;; value++) {
		uint64_t bytes;

		if (limits->count == XY__LIMITS_MAX || !xy__text_bytes(&value, SIZE_MAX, &bytes) || bytes == 0)
			return false;
		limits->bytes[limits->count++] = (size_t)bytes;
		if (*value != ',')
			return !*value;
	}
}

/* "512M"; "none": no limit. */
static bool config_bytes(const char *value, size_t *bytes)
{
	uint64_t number = 0;

	*bytes = SIZE_MAX;
	if (!strcmp(value, "none"))
		return true;
	if (!xy__text_bytes(&value, SIZE_MAX, &number) || !number || *value)
		return false;
	*bytes = (size_t)number;
	return true;
}

/* A whole number in the range of the variable. */
static bool config_count(const struct xy__variable *v, const char *value, unsigned *count)
{
	uint64_t number = 0;

	if (!xy__text_unsigned(&value, v->most, &number))
		return false;
	*count = (unsigned)number;
	return number >= v->least && !*value;
}

/* Sets what the text of a variable says; false when it is not what the variable may be. Texts are borrowed. */
static bool config_set(const struct xy__variable *v, const char *value, struct xy__settings *s)
{
	void *setting = (char *)s + v->setting;

	switch (v->kind) {
	case XY__VARIABLE_TEXT:
		*(const char **)setting = value;
		return true;
	case XY__VARIABLE_NAMES:
		*(const char **)setting = strcmp(value, "none") ? value : "";
		return true;
	case XY__VARIABLE_SWITCH:
		*(bool *)setting = value[0] == '1';
		return (value[0] == '0' || value[0] == '1') && !value[1];
	case XY__VARIABLE_COUNT:
	case XY__VARIABLE_LEVEL:
		return config_count(v, value, setting);
	case XY__VARIABLE_NUMBER:
		return xy__text_double(&value, setting) && !*value && *(double *)setting <= CONFIG_NUMBER_MAX;
	case XY__VARIABLE_SEED:
		return xy__text_unsigned(&value, UINT64_MAX, setting) && !*value;
	case XY__VARIABLE_LIMITS:
		return config_limits(value, setting);
	case XY__VARIABLE_BYTES:
		return config_bytes(value, setting);
	}
	return false;
}

bool xy__variable_allows(const struct xy__variable *v, const char *value)
{
	struct xy__settings settings;

	return config_set(v, value, &settings);
}

/* --- what the program asks for --- */

static bool config_take_count(const struct xy__variable *v, unsigned wish, unsigned *count)
{
	if (wish == XY_NONE)
		wish = 0;
	else if (wish == 0) {
		*count = v->usual;
		return true;
	}
	*count = wish;
	return wish >= v->least && wish <= v->most;
}

/* Sets what a field of the program says, or the default; false when it is not what it may be. */
static bool config_take(const struct xy__variable *v, const struct xy_config *c, struct xy__settings *s)
{
	const void *wish = (const char *)c + v->wish;
	void *setting = (char *)s + v->setting;
	const char *text;
	unsigned number;

	switch (v->kind) {
	case XY__VARIABLE_TEXT:
	case XY__VARIABLE_NAMES:
	case XY__VARIABLE_LIMITS:
	case XY__VARIABLE_BYTES:
		text = *(const char *const *)wish;
		if ((v->kind == XY__VARIABLE_LIMITS || v->kind == XY__VARIABLE_BYTES) && (!text || !*text))
			text = "none";
		return config_set(v, text ? text : "", s);
	case XY__VARIABLE_SWITCH:
		number = *(const enum xy_switch *)wish;
		*(bool *)setting = number ? number == XY_YES : v->usual;
		return number <= XY_NO;
	case XY__VARIABLE_COUNT:
		return config_take_count(v, *(const unsigned *)wish, setting);
	case XY__VARIABLE_LEVEL:
		number = *(const unsigned *)wish;
		*(unsigned *)setting = number ? number - 1 : v->usual;
		return *(unsigned *)setting <= v->most;
	case XY__VARIABLE_NUMBER:
		*(double *)setting = *(const double *)wish;
		return *(double *)setting >= 0 && *(double *)setting <= CONFIG_NUMBER_MAX;
	case XY__VARIABLE_SEED:
		*(uint64_t *)setting = *(const uint64_t *)wish ? *(const uint64_t *)wish : v->usual;
		return true;
	}
	return false;
}

static int config_from_program(struct xy__settings *s, const struct xy_config *c)
{
	for (struct xy__variables each = { 0 }; xy__variables_next(&each);)
		if (!config_take(&each.now, c, s)) {
			xy__log(&s->log, "xy_start: invalid %s in the configuration: expected, as for %s, %s",
				each.now.field, each.now.name, each.now.values);
			return -EINVAL;
		}
	if (c->tree && *s->sched) {
		xy__log(&s->log, "xy_start: both sched and tree are set in the configuration");
		return -EINVAL;
	}
	return 0;
}

/* --- what the environment says --- */

/* A name without the prefix that nearly all have, so that only the rest is compared. */
static const char *config_stem(const char *name)
{
	size_t length = strlen(CONFIG_PREFIX);

	return strncmp(name, CONFIG_PREFIX, length) ? name : name + length;
}

/* Logs an unknown variable that starts with XYLEM_. */
static void config_check_name(const char *name, const struct xy__log *log)
{
	char nearest[sizeof((struct xy__variables *)0)->name] = "";
	unsigned least = UINT_MAX;

	for (const struct xy__given_variable *v = xy__given_variables; v->name; v++)
		if (!strcmp(name, v->name))
			return;
	for (struct xy__variables each = { 0 }; xy__variables_next(&each);) {
		unsigned distance = xy__text_distance(config_stem(name), config_stem(each.now.name));

		if (xy__text_is_turned(config_stem(name), config_stem(each.now.name)))
			distance = 0;
		if (!strcmp(name, each.now.name))
			return;
		if (distance < least) {
			least = distance;
			snprintf(nearest, sizeof nearest, "%s", each.now.name);
		}
	}
	if (xy__text_is_near(config_stem(name), least))
		xy__log(log, "%s is set but is not a variable of Xylem: did you mean %s?", name, nearest);
	else
		xy__log(log, "%s is set but is not a variable of Xylem: see xylem env", name);
}

static void config_check_names(const struct xy__log *log)
{
	for (char **entry = environ; entry && *entry; entry++) {
		char name[128];
		size_t length = strcspn(*entry, "=");

		if (strncmp(*entry, CONFIG_PREFIX, strlen(CONFIG_PREFIX)))
			continue;
		if (length >= sizeof(name))
			length = sizeof(name) - 1;
		memcpy(name, *entry, length);
		name[length] = '\0';
		config_check_name(name, log);
	}
}

static int config_from_environment(struct xy__settings *s)
{
	for (struct xy__variables each = { 0 }; xy__variables_next(&each);) {
		const char *value = xy__variable_value(&each.now);

		if (value && !config_set(&each.now, value, s)) {
			xy__log(&s->log, "%s=%s: expected %s", each.now.name, value, each.now.values);
			return -EINVAL;
		}
	}
	config_check_names(&s->log);
	return 0;
}

/* --- settings --- */

bool xy__settings_use_ncpu(const char *machine)
{
	const char *here = strstr(machine, "this");

	return machine[0] != '@' && (!machine[strspn(machine, " \t")] || (here && here[4] != ':'));
}

/* A number of workers and a machine that has its own are one too many. */
static void config_check_ncpu(const struct xy__settings *s)
{
	if (s->ncpu >= 0 && !xy__settings_use_ncpu(s->machine))
		xy__log(&s->log,
			"XYLEM_NCPU or ncpu (%d) is not used: the machine \"%s\" says how many CPU workers "
			"there are",
			s->ncpu, s->machine);
}

bool xy__config_has_vendors(void)
{
	static const char *const names[] = { "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH" };

	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *value = secure_getenv(names[i]);

		if (value && *value)
			return true;
	}
	return false;
}

/* The folder of models; "" for none, NULL without memory. */
static char *config_models(const char *wish, bool ignore_environment)
{
	const char *data = secure_getenv("XDG_DATA_HOME"), *home = secure_getenv("HOME");
	char *folder = NULL;

	if (*wish || ignore_environment)
		return strdup(strcmp(wish, "none") ? wish : "");
	if (data && *data == '/')
		return asprintf(&folder, "%s/xylem/models", data) < 0 ? NULL : folder;
	if (home && *home == '/')
		return asprintf(&folder, "%s/.local/share/xylem/models", home) < 0 ? NULL : folder;
	return strdup("");
}

/* The name of the host as a part of a path. */
static char *config_host(const char *wish)
{
	char name[HOST_NAME_MAX + 1] = "";
	char *host;

	if (!*wish) {
		gethostname(name, sizeof(name) - 1);
		name[strcspn(name, ".")] = '\0';
	}
	host = strdup(*wish ? wish : *name ? name : "unknown");
	for (char *at = host; host && *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("-_", *at))
			*at = '_';
	return host;
}

/* The first of these variables that is a number; -1: none. */
static long config_foreign(const char *const *names)
{
	for (; *names; names++) {
		const char *value = secure_getenv(*names);
		uint64_t number;

		if (value && xy__text_unsigned(&value, 1000000, &number))
			return (long)number;
	}
	return -1;
}

/* What starts MPI programs tells them where they are. */
static void config_ranks(struct xy__settings *s)
{
	static const char *const ranks[] = { "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", NULL };
	static const char *const sizes[] = { "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_TASKS_PER_NODE",
					     NULL };
	long rank = config_foreign(ranks), size = config_foreign(sizes);

	if (s->batch_rank == UINT_MAX && rank >= 0)
		s->batch_rank = (unsigned)rank;
	if (!s->batch_ranks && size > 0)
		s->batch_ranks = (unsigned)size;
}

static bool config_is_text(const struct xy__variable *v)
{
	return v->kind == XY__VARIABLE_TEXT || v->kind == XY__VARIABLE_NAMES;
}

/* Makes the texts the settings' own; false without memory. */
static bool config_copy_texts(struct xy__settings *s, bool ignore_environment)
{
	bool enough = true;

	for (struct xy__variables each = { 0 }; xy__variables_next(&each);) {
		char **text = (char **)((char *)s + each.now.setting);

		if (!config_is_text(&each.now))
			continue;
		if (text == &s->models)
			*text = config_models(*text, ignore_environment);
		else
			*text = text == &s->host ? config_host(*text) : strdup(*text);
		enough = enough && *text;
	}
	return enough;
}

int xy__settings_init(struct xy__settings *s, const struct xy_config *config)
{
	static const struct xy_config nothing;
	int error;

	config = config ? config : &nothing;
	*s = (struct xy__settings){ .log = { config->log, config->log_arg }, .watch = config->watch };
	error = config_from_program(s, config);
	if (!error && !config->ignore_environment)
		error = config_from_environment(s);
	if (error)
		return error;
	config_check_ncpu(s);
	if (s->batch_rank == UINT_MAX && config->batch_ranks) /* the program knows its ranks: this is the first */
		s->batch_rank = 0;
	if (!config->ignore_environment)
		config_ranks(s);
	s->sched_from = s->sched == config->sched ? "config.sched" : "SCHED";
	s->tree = *s->sched ? NULL : config->tree;
	s->tree_arg = config->tree_arg;
	s->components = config->components;
	if (config_copy_texts(s, config->ignore_environment))
		return 0;
	xy__settings_fini(s);
	xy__log(&s->log, "xy_start: not enough memory");
	return -ENOMEM;
}

void xy__settings_fini(struct xy__settings *s)
{
	for (struct xy__variables each = { 0 }; xy__variables_next(&each);) {
		char **text = (char **)((char *)s + each.now.setting);

		if (config_is_text(&each.now)) {
			free(*text);
			*text = NULL;
		}
	}
}

size_t xy__limit(const struct xy__limits *limits, unsigned device)
{
	if (limits->count == 1)
		return limits->bytes[0];
	return device < limits->count ? limits->bytes[device] : SIZE_MAX;
}
