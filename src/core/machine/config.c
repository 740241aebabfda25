/* SPDX-License-Identifier: MIT */
/*
 * The settings of a runtime, and the only place that reads the environment. One table says for each
 * variable what it means, what it may be and which setting it changes.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xylem/tree.h>
#include "core/machine/config.h"
#include "core/machine/topology.h"
#include "core/util/text.h"

#define CONFIG_PREFIX "XYLEM_"
#define CONFIG_NCPU_ALL UINT_MAX
#define CONFIG_WINDOW 2048
#define CONFIG_WINDOW_MAX (1u << 30)
#define CONFIG_SECONDS_MAX 1e9
#define CONFIG_SEED 1
#define CONFIG_WORKERS_MAX 16
#define CONFIG_PIPELINE 2
#define CONFIG_PIPELINE_MAX 16
#define CONFIG_SAMPLES 10
#define CONFIG_SAMPLES_MAX 1000000

enum config_kind { CONFIG_TEXT, CONFIG_BOOL, CONFIG_UNSIGNED, CONFIG_SECONDS, CONFIG_NUMBER, CONFIG_LIMITS };

#define CONFIG_LIMITS_VALUES \
	"bytes, or with K, M or G behind; for all devices, or for each one, separated by ','"

/* Settings while they are collected: texts still belong to the program or the environment. */
struct config_draft {
	const char *sched, *machine, *machines, *record, *plugins, *drivers, *devices[XY_NARCH], *models, *host, *sim;
	unsigned ncpu, window, workers[XY_NARCH], pipeline[XY_NARCH], calibrate, samples;
	struct xy__limits limits[XY_NARCH];
	bool bind, numa, prefetch, profile, sigusr1, sim_shared;
	double watchdog_s, sim_noise, sim_submit_us, sim_overhead_us;
	uint64_t seed;
};

const struct xy__variable xy__variables[] = {
	{ "SCHED", "tree-eager, or tree-ws where there are devices", "a policy, an expression, or @ and a file",
	  "how tasks reach the workers (see: xylem policies)" },
	{ "XYLEM_MACHINE", "this",
	  "a machine, such as this, cpu:4 or topology(numa:2 core:4) cuda:2, or @ and a machine file",
	  "the workers (see: xylem machine)" },
	{ "XYLEM_MACHINES", "none", "folders, separated by ':'",
	  "where machine files are looked for, before the shipped ones (see doc/machines.md)" },
	{ "XYLEM_NCPU", "one per core", "a whole number from 0 to 100000",
	  "CPU workers, where the machine is this computer" },
	{ "XYLEM_BIND", "1", "0 or 1", "bind each CPU worker to a core" },
	{ "XYLEM_NUMA", "0", "0 or 1", "have copies of data in each NUMA node, as in the memory of a device" },
	{ "XYLEM_DRIVERS", "where they are installed", "folders, separated by ':'",
	  "where the drivers of devices are: cuda.so and opencl.so" },
	{ "XYLEM_CUDA_DEVICES", "all", "all, none, or numbers of devices such as 0,2",
	  "the CUDA devices that get workers" },
	{ "XYLEM_CUDA_WORKERS", "1", "a whole number from 1 to 16", "workers for each CUDA device" },
	{ "XYLEM_CUDA_PIPELINE", "2", "a whole number from 0 to 16",
	  "tasks whose data a CUDA worker fetches while it runs another" },
	{ "XYLEM_LIMIT_CUDA", "all there is", CONFIG_LIMITS_VALUES, "memory of a CUDA device that data may use" },
	{ "XYLEM_OPENCL_DEVICES", "GPUs and accelerators",
	  "numbers, cpu, gpu, accelerator or all, separated by ',', or none",
	  "the OpenCL devices that get a worker" },
	{ "XYLEM_OPENCL_PIPELINE", "2", "a whole number from 0 to 16",
	  "tasks whose data an OpenCL worker fetches while it runs another" },
	{ "XYLEM_LIMIT_OPENCL", "all there is", CONFIG_LIMITS_VALUES,
	  "memory of an OpenCL device that data may use" },
	{ "XYLEM_PREFETCH", "1", "0 or 1", "fetch what a task needs as soon as its device is known" },
	{ "XYLEM_WINDOW", "2048", "a whole number from 1 to 1073741824",
	  "tasks in flight before submission waits" },
	{ "XYLEM_WATCHDOG", "0 (never)", "seconds, such as 10 or 0.5",
	  "dump the state after so long without progress" },
	{ "XYLEM_SEED", "1", "a whole number", "the seed of everything random" },
	{ "XYLEM_PLUGINS", "none", "shared objects, separated by ':'",
	  "components and policies to load" },
	{ "XYLEM_PROFILE", "0", "0 or 1", "measure the time inside codelets" },
	{ "XYLEM_MODELS", "xylem/models in XDG_DATA_HOME or ~/.local/share", "a folder, or none",
	  "where performance models are stored" },
	{ "XYLEM_HOST", "the name of this computer", "a name", "whose performance models are used" },
	{ "XYLEM_CALIBRATE", "1", "0, 1 or 2",
	  "measure tasks for their models: 0 never, 1 always, 2 and forget what is stored" },
	{ "XYLEM_CALIBRATE_SAMPLES", "10", "a whole number from 1 to 1000000",
	  "measurements before a model predicts anything" },
	{ "XYLEM_SIM", "none", "a machine that is shipped, or a file",
	  "simulate the program on this machine instead of running its tasks (see: xylem sim)" },
	{ "XYLEM_SIM_NOISE", "0", "a number, such as 0.1", "relative spread of the durations in a simulation" },
	{ "XYLEM_SIM_SUBMIT", "0", "microseconds", "what a submission takes in a simulation" },
	{ "XYLEM_SIM_OVERHEAD", "0", "microseconds",
	  "what a worker needs for each task besides its duration, in a simulation" },
	{ "XYLEM_SIM_SHARED", "0", "0 or 1", "simulate as if all memory were one, so that nothing has to be moved" },
	{ "XYLEM_RECORD", "none", "a file", "write the run to it as a graph when the runtime stops" },
	{ "XYLEM_SIGUSR1", "1", "0 or 1",
	  "dump the state on SIGUSR1, where the program has no handler" },
	{ NULL, NULL, NULL, NULL },
};

/* In the order of the table above. */
static const struct {
	enum config_kind kind;
	size_t offset;
	unsigned min, max;
} config_rules[] = {
	{ CONFIG_TEXT, offsetof(struct config_draft, sched), 0, 0 },
	{ CONFIG_TEXT, offsetof(struct config_draft, machine), 0, 0 },
	{ CONFIG_TEXT, offsetof(struct config_draft, machines), 0, 0 },
	{ CONFIG_UNSIGNED, offsetof(struct config_draft, ncpu), 0, XY__CORES_MAX },
	{ CONFIG_BOOL, offsetof(struct config_draft, bind), 0, 0 },
	{ CONFIG_BOOL, offsetof(struct config_draft, numa), 0, 0 },
	{ CONFIG_TEXT, offsetof(struct config_draft, drivers), 0, 0 },
	{ CONFIG_TEXT, offsetof(struct config_draft, devices[XY_CUDA]), 0, 0 },
	{ CONFIG_UNSIGNED, offsetof(struct config_draft, workers[XY_CUDA]), 1, CONFIG_WORKERS_MAX },
	{ CONFIG_UNSIGNED, offsetof(struct config_draft, pipeline[XY_CUDA]), 0, CONFIG_PIPELINE_MAX },
	{ CONFIG_LIMITS, offsetof(struct config_draft, limits[XY_CUDA]), 0, 0 },
	{ CONFIG_TEXT, offsetof(struct config_draft, devices[XY_OPENCL]), 0, 0 },
	{ CONFIG_UNSIGNED, offsetof(struct config_draft, pipeline[XY_OPENCL]), 0, CONFIG_PIPELINE_MAX },
	{ CONFIG_LIMITS, offsetof(struct config_draft, limits[XY_OPENCL]), 0, 0 },
	{ CONFIG_BOOL, offsetof(struct config_draft, prefetch), 0, 0 },
	{ CONFIG_UNSIGNED, offsetof(struct config_draft, window), 1, CONFIG_WINDOW_MAX },
	{ CONFIG_SECONDS, offsetof(struct config_draft, watchdog_s), 0, 0 },
	{ CONFIG_NUMBER, offsetof(struct config_draft, seed), 0, 0 },
	{ CONFIG_TEXT, offsetof(struct config_draft, plugins), 0, 0 },
	{ CONFIG_BOOL, offsetof(struct config_draft, profile), 0, 0 },
	{ CONFIG_TEXT, offsetof(struct config_draft, models), 0, 0 },
	{ CONFIG_TEXT, offsetof(struct config_draft, host), 0, 0 },
	{ CONFIG_UNSIGNED, offsetof(struct config_draft, calibrate), 0, 2 },
	{ CONFIG_UNSIGNED, offsetof(struct config_draft, samples), 1, CONFIG_SAMPLES_MAX },
	{ CONFIG_TEXT, offsetof(struct config_draft, sim), 0, 0 },
	{ CONFIG_SECONDS, offsetof(struct config_draft, sim_noise), 0, 0 },
	{ CONFIG_SECONDS, offsetof(struct config_draft, sim_submit_us), 0, 0 },
	{ CONFIG_SECONDS, offsetof(struct config_draft, sim_overhead_us), 0, 0 },
	{ CONFIG_BOOL, offsetof(struct config_draft, sim_shared), 0, 0 },
	{ CONFIG_TEXT, offsetof(struct config_draft, record), 0, 0 },
	{ CONFIG_BOOL, offsetof(struct config_draft, sigusr1), 0, 0 },
};
_Static_assert(sizeof(config_rules) / sizeof(config_rules[0]) + 1 ==
	       sizeof(xy__variables) / sizeof(xy__variables[0]), "a rule for each variable");

const char *xy__variable_value(const struct xy__variable *v)
{
	/* A program with more rights than its caller doesn't listen to the caller's environment. */
	const char *value = secure_getenv(v->name);

	return value && *value ? value : NULL;
}

/* "512M" or "1G,512M,2G". */
static bool config_limits(const char *value, struct xy__limits *limits)
{
	limits->count = 0;
	for (;; value++) {
		uint64_t bytes;

		if (limits->count == XY__LIMITS_MAX || !xy__text_bytes(&value, SIZE_MAX, &bytes) || bytes == 0)
			return false;
		limits->bytes[limits->count++] = (size_t) bytes;
		if (*value != ',')
			return !*value;
	}
}

/* Puts a value into the draft; false when it is not one that the variable may have. */
static bool config_set(const struct xy__variable *v, const char *value, struct config_draft *draft)
{
	size_t rule = (size_t) (v - xy__variables);
	char *field = (char *) draft + config_rules[rule].offset;
	uint64_t number = 0;

	switch (config_rules[rule].kind) {
	case CONFIG_TEXT:
		*(const char **) field = value;
		return true;
	case CONFIG_BOOL:
		*(bool *) field = value[0] == '1';
		return (value[0] == '0' || value[0] == '1') && !value[1];
	case CONFIG_UNSIGNED:
		if (!xy__text_unsigned(&value, config_rules[rule].max, &number))
			return false;
		*(unsigned *) field = (unsigned) number;
		return number >= config_rules[rule].min && !*value;
	case CONFIG_SECONDS:
		return xy__text_double(&value, (double *) field) && !*value &&
		       *(double *) field <= CONFIG_SECONDS_MAX;
	case CONFIG_NUMBER:
		return xy__text_unsigned(&value, UINT64_MAX, (uint64_t *) field) && !*value;
	case CONFIG_LIMITS:
		return config_limits(value, (struct xy__limits *) field);
	}
	return false;
}

bool xy__variable_allows(const struct xy__variable *v, const char *value)
{
	struct config_draft draft;

	return config_set(v, value, &draft);
}

static const char *config_text(const char *text)
{
	return text ? text : "";
}

static unsigned config_ncpu(unsigned ncpu)
{
	return ncpu == 0 ? CONFIG_NCPU_ALL : ncpu == XY_NCPU_NONE ? 0 : ncpu;
}

static unsigned config_pipeline(int pipeline)
{
	return pipeline == 0 ? CONFIG_PIPELINE : pipeline == XY_PIPELINE_NONE ? 0 : (unsigned) pipeline;
}

static bool config_pipeline_is_wrong(int pipeline)
{
	return pipeline != XY_PIPELINE_NONE && (pipeline < 0 || pipeline > CONFIG_PIPELINE_MAX);
}

/* What is wrong with the program's wishes about devices, or NULL; fills in the limits. */
static const char *config_devices_wrong(struct config_draft *d, const struct xy_config *c)
{
	if (c->cuda_workers > CONFIG_WORKERS_MAX)
		return "cuda_workers is above 16";
	if (config_pipeline_is_wrong(c->cuda_pipeline))
		return "cuda_pipeline is neither XY_PIPELINE_NONE nor a number up to 16";
	if (config_pipeline_is_wrong(c->opencl_pipeline))
		return "opencl_pipeline is neither XY_PIPELINE_NONE nor a number up to 16";
	if (c->limit_cuda && *c->limit_cuda && !config_limits(c->limit_cuda, &d->limits[XY_CUDA]))
		return "limit_cuda may be " CONFIG_LIMITS_VALUES;
	if (c->limit_opencl && *c->limit_opencl && !config_limits(c->limit_opencl, &d->limits[XY_OPENCL]))
		return "limit_opencl may be " CONFIG_LIMITS_VALUES;
	return NULL;
}

static const char *config_wrong(struct config_draft *d, const struct xy_config *c)
{
	if (c->ncpu > XY__CORES_MAX && c->ncpu != XY_NCPU_NONE)
		return "ncpu is above 100000";
	if (c->window > CONFIG_WINDOW_MAX)
		return "window is above 1073741824";
	if (!(c->watchdog_s >= 0 && c->watchdog_s <= CONFIG_SECONDS_MAX))
		return "watchdog_s is not a number of seconds";
	if (c->bind != XY_BIND_DEFAULT && c->bind != XY_BIND_YES && c->bind != XY_BIND_NO)
		return "bind is none of XY_BIND_*";
	if (c->prefetch != XY_PREFETCH_DEFAULT && c->prefetch != XY_PREFETCH_YES && c->prefetch != XY_PREFETCH_NO)
		return "prefetch is none of XY_PREFETCH_*";
	if ((unsigned) c->calibrate > XY_CALIBRATE_ANEW)
		return "calibrate is none of XY_CALIBRATE_*";
	if (c->calibrate_samples > CONFIG_SAMPLES_MAX)
		return "calibrate_samples is above 1000000";
	if (!(c->sim_noise >= 0 && c->sim_noise <= CONFIG_SECONDS_MAX) ||
	    !(c->sim_submit_us >= 0 && c->sim_submit_us <= CONFIG_SECONDS_MAX) ||
	    !(c->sim_overhead_us >= 0 && c->sim_overhead_us <= CONFIG_SECONDS_MAX))
		return "sim_noise, sim_submit_us or sim_overhead_us is negative or no number";
	return config_devices_wrong(d, c);
}

/* What the program asks for, or the default. */
static int config_from_program(struct config_draft *d, const struct xy_config *c,
			       const struct xy__log *log)
{
	const char *wrong;

	*d = (struct config_draft) {
		.sched = config_text(c->sched),
		.machine = config_text(c->machine),
		.machines = config_text(c->machines),
		.record = config_text(c->record),
		.plugins = config_text(c->plugins),
		.drivers = config_text(c->drivers),
		.devices = { "", config_text(c->cuda_devices), config_text(c->opencl_devices) },
		.workers = { 1, c->cuda_workers ? c->cuda_workers : 1, 1 },
		.pipeline = { 0, config_pipeline(c->cuda_pipeline), config_pipeline(c->opencl_pipeline) },
		.ncpu = config_ncpu(c->ncpu),
		.window = c->window ? c->window : CONFIG_WINDOW,
		.models = config_text(c->models),
		.host = config_text(c->host),
		.sim = config_text(c->sim),
		.sim_noise = c->sim_noise,
		.sim_submit_us = c->sim_submit_us,
		.sim_overhead_us = c->sim_overhead_us,
		.calibrate = c->calibrate ? (unsigned) c->calibrate - XY_CALIBRATE_NO : 1,
		.samples = c->calibrate_samples ? c->calibrate_samples : CONFIG_SAMPLES,
		.bind = c->bind != XY_BIND_NO,
		.numa = c->numa,
		.prefetch = c->prefetch != XY_PREFETCH_NO,
		.profile = c->profile,
		.sim_shared = c->sim_shared,
		.sigusr1 = true,
		.watchdog_s = c->watchdog_s,
		.seed = c->seed ? c->seed : CONFIG_SEED,
	};
	wrong = config_wrong(d, c);
	if (wrong) {
		xy__log(log, "xy_start: in the configuration, %s", wrong);
		return -EINVAL;
	}
	return 0;
}

/* A name without the prefix that nearly all have, so that only the rest is compared. */
static const char *config_stem(const char *name)
{
	size_t length = strlen(CONFIG_PREFIX);

	return strncmp(name, CONFIG_PREFIX, length) ? name : name + length;
}

/* Logs a variable that begins like ours and is none. */
static void config_check_name(const char *name, const struct xy__log *log)
{
	const struct xy__variable *nearest = NULL;
	unsigned least = UINT_MAX;

	for (const struct xy__variable *v = xy__variables; v->name; v++) {
		unsigned distance = xy__text_distance(config_stem(name), config_stem(v->name));

		if (!strcmp(name, v->name))
			return;
		if (distance < least) {
			least = distance;
			nearest = v;
		}
	}
	if (nearest && xy__text_is_near(config_stem(name), least))
		xy__log(log, "%s is set but is no variable of Xylem: did you mean %s?", name,
			nearest->name);
	else
		xy__log(log, "%s is set but is no variable of Xylem: see xylem env", name);
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

static int config_from_environment(struct config_draft *d, const struct xy__log *log)
{
	for (const struct xy__variable *v = xy__variables; v->name; v++) {
		const char *value = xy__variable_value(v);

		if (value && !config_set(v, value, d)) {
			xy__log(log, "%s=%s: it may be %s", v->name, value, v->values);
			return -EINVAL;
		}
	}
	config_check_names(log);
	return 0;
}

bool xy__settings_use_ncpu(const char *machine)
{
	const char *here = strstr(machine, "this");

	return machine[0] != '@' && (!machine[strspn(machine, " \t")] || (here && here[4] != ':'));
}

/* A number of workers and a machine that has its own are one too many. */
static void config_check_ncpu(const struct config_draft *d, const struct xy__log *log)
{
	if (d->ncpu != CONFIG_NCPU_ALL && !xy__settings_use_ncpu(d->machine))
		xy__log(log,
			"XYLEM_NCPU or ncpu (%u) is not used: the machine \"%s\" says how many CPU workers "
			"there are",
			d->ncpu, d->machine);
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
		if (!isalnum((unsigned char) *at) && !strchr("-_", *at))
			*at = '_';
	return host;
}

/* Makes the texts the settings' own; false without memory. */
static bool config_copy_texts(struct xy__settings *s, const struct config_draft *d)
{
	bool enough = true;

	s->sched = strdup(d->sched);
	s->machine = strdup(d->machine);
	s->machines = strdup(d->machines);
	s->record = strdup(d->record);
	s->plugins = strdup(d->plugins);
	s->drivers = strdup(d->drivers);
	s->sim = strdup(strcmp(d->sim, "none") ? d->sim : "");
	for (unsigned arch = 0; arch < XY_NARCH; arch++) {
		s->devices[arch] = strdup(d->devices[arch]);
		enough = enough && s->devices[arch];
	}
	return enough && s->sim && s->sched && s->machine && s->machines && s->record && s->plugins && s->drivers;
}

int xy__settings_init(struct xy__settings *s, const struct xy_config *config)
{
	static const struct xy_config nothing;
	struct config_draft d;
	int error;

	config = config ? config : &nothing;
	*s = (struct xy__settings) { .log = { config->log, config->log_arg } };
	error = config_from_program(&d, config, &s->log);
	if (!error && !config->ignore_environment)
		error = config_from_environment(&d, &s->log);
	if (error)
		return error;
	config_check_ncpu(&d, &s->log);
	s->ncpu = d.ncpu == CONFIG_NCPU_ALL ? -1 : (int) d.ncpu;
	s->bind = d.bind;
	s->numa = d.numa;
	s->prefetch = d.prefetch;
	memcpy(s->workers, d.workers, sizeof(s->workers));
	memcpy(s->pipeline, d.pipeline, sizeof(s->pipeline));
	memcpy(s->limits, d.limits, sizeof(s->limits));
	s->window = d.window;
	s->watchdog_s = d.watchdog_s;
	s->seed = d.seed;
	s->profile = d.profile;
	s->calibrate = d.calibrate;
	s->samples = d.samples;
	s->models = config_models(d.models, config->ignore_environment);
	s->host = config_host(d.host);
	s->sim_shared = d.sim_shared;
	s->sim_noise = d.sim_noise;
	s->sim_submit_us = d.sim_submit_us;
	s->sim_overhead_us = d.sim_overhead_us;
	s->watch = config->watch;
	s->sigusr1 = d.sigusr1;
	if (config_copy_texts(s, &d) && s->models && s->host)
		return 0;
	xy__settings_fini(s);
	xy__log(&s->log, "xy_start: not enough memory");
	return -ENOMEM;
}

void xy__settings_fini(struct xy__settings *s)
{
	free(s->sched);
	free(s->machine);
	free(s->machines);
	free(s->record);
	free(s->plugins);
	free(s->drivers);
	free(s->models);
	free(s->host);
	free(s->sim);
	s->sim = s->sched = s->machine = s->machines = s->record = s->plugins = s->drivers = s->models = s->host = NULL;
	for (unsigned arch = 0; arch < XY_NARCH; arch++) {
		free(s->devices[arch]);
		s->devices[arch] = NULL;
	}
}

size_t xy__limit(const struct xy__limits *limits, unsigned device)
{
	if (limits->count == 1)
		return limits->bytes[0];
	return device < limits->count ? limits->bytes[device] : SIZE_MAX;
}

const char *xy__settings_policy(const struct xy__settings *s, const struct xy_machine *machine)
{
	return *s->sched ? s->sched : xy_policy_default(machine);
}
