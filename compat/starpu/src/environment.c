/* SPDX-License-Identifier: MIT */
/*
 * Settings: StarPU's environment variables and struct starpu_conf, as a
 * configuration of Xylem's. No other file of the library reads the environment.
 * A variable that has no counterpart gives one log line.
 */
#include "internal.h"

extern char **environ;

char *xs_getenv(const char *name)
{
	return getenv(name);
}

/* StarPU's policies and the ones that do the same job. */
static const char *const policies[][2] = {
	{ "eager", "tree-eager" },
	{ "prio", "tree-prio" },
	{ "random", "tree-random" },
	{ "ws", "tree-ws" },
	{ "lws", "tree-ws" },
	{ "dm", "tree-dmda" },
	{ "dmda", "tree-dmda" },
	{ "dmdap", "tree-dmdap" },
	{ "dmdar", "tree-dmdar" },
	{ "dmdas", "tree-dmdas" },
	{ "dmdasd", "tree-dmdas" },
	{ "heft", "tree-dmda" },
	{ "pheft", "tree-parallel-heft" },
	{ "peager", "tree-parallel-random" },
	{ "pprio", "tree-parallel-random-prio" },
	{ "heteroprio", "tree-heteroprio" },
	{ "graph_test", "tree-cambium" },
};

const char *xs_policy(const char *starpu_name)
{
	for (unsigned i = 0; i < sizeof policies / sizeof *policies; i++)
		if (!strcmp(policies[i][0], starpu_name))
			return policies[i][1];
	return starpu_name; /* modular-* and Xylem's own names and expressions */
}

const char *xs_policy_name(unsigned i)
{
	static const char *const modular[] = { "modular-eager",  "modular-eager-prefetching",
					       "modular-prio",   "modular-prio-prefetching",
					       "modular-random", "modular-ws",
					       "modular-dmda",   "modular-dmdas",
					       "modular-heft",   "modular-heteroprio" };
	const unsigned n = sizeof policies / sizeof *policies;

	return i < n ? policies[i][0] : i - n < sizeof modular / sizeof *modular ? modular[i - n] : NULL;
}

/* Variables that have an effect: read below, or elsewhere in this library. */
static const char *const known[] = {
	"SCHED",
	"NCPU",
	"NCPUS",
	"NCUDA",
	"NOPENCL",
	"NHIP",
	"CALIBRATE",
	"SILENT",
	"PREFETCH",
	"WATCHDOG_TIMEOUT",
	"PERF_MODEL_DIR",
	"HOSTNAME",
	"PROFILING",
	"WORKERS_NOBIND",
	"CALIBRATE_MINIMUM",
	"LIMIT_CUDA_MEM",
	"LIMIT_OPENCL_MEM",
	"LIMIT_HIP_MEM",
	"USE_NUMA",
	"LIMIT_MAX_SUBMITTED_TASKS",
	"DISABLE_ASYNCHRONOUS_COPY",
};

static void note_unknown(void)
{
	for (char **entry = environ; *entry; entry++) {
		const char *name = *entry, *end = strchr(name, '=');
		bool found = false;

		if (strncmp(name, "STARPU_", 7) || !end)
			continue;
		for (unsigned i = 0; i < sizeof known / sizeof *known && !found; i++)
			found = strlen(known[i]) == (size_t)(end - name - 7) &&
				!strncmp(known[i], name + 7, (size_t)(end - name - 7));
		if (!found)
			xs_note("%.*s has no effect", (int)(end - name), name);
	}
}

/* A whole number from a variable; otherwise the value is left alone. */
static int number(const char *name, int *value)
{
	const char *text = xs_getenv(name);
	char *end;
	long parsed;

	if (!text || !*text)
		return 0;
	parsed = strtol(text, &end, 10);
	if (*end || parsed < -1 || parsed > 1000000000)
		return xs_fail(-EINVAL, "%s=%s is not a number", name, text);
	*value = (int)parsed;
	return 0;
}

/* The devices of an architecture: none, the first n, or all. */
static void devices(struct xy_device_config *config, int n, char *room, size_t size)
{
	size_t used = 0;

	if (n < 0)
		return;
	if (!n)
		snprintf(room, size, "none");
	for (int i = 0; i < n && used < size; i++)
		used += (size_t)snprintf(room + used, size - used, "%s%d", i ? "," : "", i);
	config->devices = room;
}

/* The memory that data may use on each device of an architecture, which StarPU counts in MiB. */
static int limit(struct xy_device_config *config, const char *name, char *room, size_t size)
{
	int mib = -1, error = number(name, &mib);

	if (!error && mib > 0) {
		snprintf(room, size, "%dM", mib);
		config->limit = room;
	}
	return error;
}

#define ROOM 512
#define LIMIT_ROOM 16

int xs_environment(struct xy_config *config, const struct starpu_conf *conf, char **texts)
{
	int ncpus = conf->ncpus, ncuda = conf->ncuda, nopencl = conf->nopencl, nhip = conf->nhip;
	int calibrate = conf->calibrate, prefetch = -1, watchdog = 0, nobind = 0, silent = 0, profiling = 0,
	    minimum = 0, window = 0, numa = -1;
	int first = conf->precedence_over_environment_variables, error = 0;
	const char *sched = conf->sched_policy_name, *text;
	char *rooms = calloc(3, ROOM + LIMIT_ROOM), *limits;

	*texts = rooms;
	if (!rooms)
		return -ENOMEM;
	limits = rooms + 3 * ROOM;
	error |= number("STARPU_SILENT", &silent) | number("STARPU_PREFETCH", &prefetch) |
		 number("STARPU_WATCHDOG_TIMEOUT", &watchdog) | number("STARPU_WORKERS_NOBIND", &nobind) |
		 number("STARPU_PROFILING", &profiling) | number("STARPU_CALIBRATE_MINIMUM", &minimum) |
		 number("STARPU_LIMIT_MAX_SUBMITTED_TASKS", &window) | number("STARPU_USE_NUMA", &numa) |
		 limit(&config->arch[XY_CUDA], "STARPU_LIMIT_CUDA_MEM", limits, LIMIT_ROOM) |
		 limit(&config->arch[XY_OPENCL], "STARPU_LIMIT_OPENCL_MEM", limits + LIMIT_ROOM, LIMIT_ROOM) |
		 limit(&config->arch[XY_HIP], "STARPU_LIMIT_HIP_MEM", limits + 2 * LIMIT_ROOM, LIMIT_ROOM);
	if (!first || ncpus < 0)
		error |= number("STARPU_NCPUS", &ncpus) | number("STARPU_NCPU", &ncpus);
	if (!first || ncuda < 0)
		error |= number("STARPU_NCUDA", &ncuda);
	if (!first || nopencl < 0)
		error |= number("STARPU_NOPENCL", &nopencl);
	if (!first || nhip < 0)
		error |= number("STARPU_NHIP", &nhip);
	if (!first || calibrate < 0)
		error |= number("STARPU_CALIBRATE", &calibrate);
	if (error)
		return -EINVAL;
	xs_global.silent = silent;
	atomic_store(&xs_global.profiling, profiling > 0);
	note_unknown();
	text = xs_getenv("STARPU_SCHED");
	if (text && *text && (!first || !sched))
		sched = text;
	if (conf->sched_policy && !sched) {
		if (conf->sched_policy->push_task || conf->sched_policy->pop_task)
			return xs_fail(-ENOTSUP, "a policy of the program's own can't be used: '%s'",
				       conf->sched_policy->policy_name ? conf->sched_policy->policy_name : "");
		sched = conf->sched_policy->policy_name;
	}
	snprintf(xs_global.sched, sizeof xs_global.sched, "%s", sched ? sched : "");
	if (sched && *sched)
		config->sched = xs_policy(sched);
	if (ncpus >= 0)
		config->ncpu = ncpus ? (unsigned)ncpus : XY_NONE;
	devices(&config->arch[XY_CUDA], ncuda, rooms, ROOM);
	devices(&config->arch[XY_OPENCL], nopencl, rooms + ROOM, ROOM);
	devices(&config->arch[XY_HIP], nhip, rooms + 2 * ROOM, ROOM);
	if (calibrate >= 0)
		config->calibrate = calibrate == 2 ? XY_CALIBRATE_ANEW : XY_CALIBRATE_YES;
	if (minimum > 0)
		config->calibrate_samples = (unsigned)minimum;
	if (prefetch >= 0)
		config->prefetch = prefetch ? XY_YES : XY_NO;
	if (watchdog > 0)
		config->watchdog_s = watchdog / 1e6;
	if (window > 0)
		config->window = (unsigned)window;
	if (numa >= 0)
		config->numa = numa ? XY_YES : XY_NO;
	if (nobind > 0)
		config->bind = XY_NO;
	config->models = xs_getenv("STARPU_PERF_MODEL_DIR");
	config->host = xs_getenv("STARPU_HOSTNAME");
	return 0;
}

/* --- for programs --- */

char *starpu_getenv(const char *str)
{
	return getenv(str);
}

int starpu_getenv_number_default(const char *str, int defval)
{
	int value = defval;

	number(str, &value);
	return value;
}

int starpu_getenv_number(const char *str)
{
	return starpu_getenv_number_default(str, -1);
}

float starpu_getenv_float_default(const char *str, float defval)
{
	const char *text = getenv(str);
	char *end;
	float value;

	if (!text)
		return defval;
	value = strtof(text, &end);
	if (!*end && end != text)
		return value;
	xs_fail(-EINVAL, "%s=%s is not a number", str, text);
	return defval;
}

int starpu_getenv_size_default(const char *str, int defval)
{
	const char *text = getenv(str);
	char *end;
	long value;

	if (!text || !*text)
		return defval;
	value = strtol(text, &end, 10);
	switch (*end) {
	case 'k':
	case 'K':
		return (int)(value << 10);
	case 'm':
	case 'M':
		return (int)(value << 20);
	case 'g':
	case 'G':
		return (int)(value << 30);
	case '\0':
		return (int)value;
	default:
		xs_fail(-EINVAL, "%s=%s is not a size", str, text);
		return defval;
	}
}

int starpu_getenv_string_var_default(const char *str, const char *strings[], int defvalue)
{
	const char *text = getenv(str);

	for (int i = 0; text && strings[i]; i++)
		if (!strcmp(text, strings[i]))
			return i;
	if (text)
		xs_fail(-EINVAL, "%s=%s is none of its values", str, text);
	return defvalue;
}
