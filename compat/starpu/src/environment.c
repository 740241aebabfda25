/* SPDX-License-Identifier: MIT */
/*
 * Settings: StarPU's environment variables and struct starpu_conf, as a
 * configuration of Xylem's. No other file of the library reads the environment.
 * A variable that has no counterpart gives one log line.
 */
#include "internal.h"

#include <sched.h>
#include <unistd.h>

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
	static const char *const modular[] = {
		"modular-eager",
		"modular-eager-prefetching",
		"modular-eager-prio",
		"modular-prio",
		"modular-prio-prefetching",
		"modular-random",
		"modular-random-prio",
		"modular-random-prefetching",
		"modular-random-prio-prefetching",
		"modular-prandom",
		"modular-prandom-prio",
		"modular-ws",
		"modular-dmda",
		"modular-dmdap",
		"modular-dmdar",
		"modular-dmdas",
		"modular-heft",
		"modular-heft2",
		"modular-heft-prio",
		"modular-heteroprio",
		"modular-heteroprio-heft",
		"modular-pheft",
		"modular-gemm",
	};
	const unsigned n = sizeof policies / sizeof *policies;

	return i < n ? policies[i][0] : i - n < sizeof modular / sizeof *modular ? modular[i - n] : NULL;
}

/* Variables that have an effect, and Xylem's own for it or what it does. Others give one log line. */
static const struct {
	const char *name, *effect;
} variables[] = {
	{ "SCHED", "SCHED, which wins; the names are below" },
	{ "SCHED_LIB", "a shared object with policies written for StarPU" },
	{ "NCPU", "XYLEM_NCPU" },
	{ "NCPUS", "XYLEM_NCPU" },
	{ "RESERVE_NCPU", "XYLEM_NCPU: so many workers fewer" },
	{ "NCUDA", "XYLEM_CUDA_DEVICES: the first n" },
	{ "NOPENCL", "XYLEM_OPENCL_DEVICES: the first n" },
	{ "NHIP", "XYLEM_HIP_DEVICES: the first n" },
	{ "WORKERS_CUDAID", "XYLEM_CUDA_DEVICES: these" },
	{ "WORKERS_OPENCLID", "XYLEM_OPENCL_DEVICES: these" },
	{ "OPENCL_ON_CPUS", "XYLEM_OPENCL_DEVICES=all" },
	{ "OPENCL_ONLY_ON_CPUS", "XYLEM_OPENCL_DEVICES=cpu" },
	{ "OPENCL_PROGRAM_DIR", "where starpu_opencl_load_opencl_from_file looks too" },
	{ "WORKERS_CPUID", "workers are bound to these processors" },
	{ "WORKERS_NOBIND", "XYLEM_BIND=0" },
	{ "CALIBRATE", "XYLEM_CALIBRATE" },
	{ "CALIBRATE_MINIMUM", "XYLEM_CALIBRATE_SAMPLES" },
	{ "PERF_MODEL_DIR", "XYLEM_MODELS" },
	{ "HOME", "XYLEM_MODELS: its folder .starpu/sampling" },
	{ "HOSTNAME", "XYLEM_HOST" },
	{ "PREFETCH", "XYLEM_PREFETCH" },
	{ "USE_NUMA", "XYLEM_NUMA" },
	{ "LIMIT_CUDA_MEM", "XYLEM_CUDA_LIMIT" },
	{ "LIMIT_OPENCL_MEM", "XYLEM_OPENCL_LIMIT" },
	{ "LIMIT_HIP_MEM", "XYLEM_HIP_LIMIT" },
	{ "LIMIT_CPU_MEM", "what starpu_malloc counts in RAM" },
	{ "LIMIT_CPU_NUMA_MEM", "what starpu_malloc counts in RAM" },
	{ "LIMIT_CPU_NUMA_0_MEM", "what starpu_malloc counts in RAM" },
	{ "LIMIT_MAX_SUBMITTED_TASKS", "XYLEM_WINDOW" },
	{ "WATCHDOG_TIMEOUT", "XYLEM_WATCHDOG, in microseconds" },
	{ "RAND_SEED", "XYLEM_SEED, and starpu_srand48" },
	{ "PROFILING", "profiling from the start" },
	{ "WORKER_STATS", "tasks of each worker, at the end" },
	{ "BUS_STATS", "bytes that moved to and from each memory node, at the end" },
	{ "DISABLE_ASYNCHRONOUS_COPY", "starpu_asynchronous_copy_disabled" },
	{ "SILENT", "no log lines" },
	{ "SSILENT", "nothing; StarPU's test programs read it" },
	{ "NTASKS_THRESHOLD", "tasks in each queue below a decision: fifo(ntasks=...), prio(ntasks=...)" },
	{ "EXP_LEN_THRESHOLD", "microseconds in each such queue: length_us=..." },
	{ "SCHED_ALPHA", "weight of the end: mct(alpha=...), heft(alpha=...)" },
	{ "SCHED_BETA", "weight of transfers: beta=..." },
	{ "SCHED_GAMMA", "weight of energy: gamma=..." },
	{ "IDLE_POWER", "power of idle workers: idle_w=..." },
	/* of trees that the program builds */
	{ "SCHED_READY", "in the program's trees, such a queue prefers tasks whose data is there" },
	{ "SCHED_SORTED_ABOVE", "in the program's trees, the queue above decisions is sorted by priority" },
	{ "SCHED_SORTED_BELOW", "in the program's trees, queues below decisions are sorted by priority" },
};

void starpu_xylem_print_environment(FILE *to)
{
	const char *name;

	fprintf(to, "Variables of StarPU that have an effect\n");
	for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++)
		fprintf(to, "  STARPU_%-26s %s\n", variables[i].name, variables[i].effect);
	fprintf(to, "Any other variable that begins with STARPU_ gives one log line.\n\nNames for STARPU_SCHED\n");
	for (unsigned i = 0; (name = xs_policy_name(i)); i++)
		fprintf(to, "  %-33s %s\n", name, xs_policy(name));
	fprintf(to, "Xylem's own names and expressions are taken, too.\n");
}

static void note_unknown(void)
{
	for (char **entry = environ; *entry; entry++) {
		const char *name = *entry, *end = strchr(name, '=');
		bool found = false;

		if (strncmp(name, "STARPU_", 7) || !end)
			continue;
		for (unsigned i = 0; i < sizeof variables / sizeof *variables && !found; i++)
			found = strlen(variables[i].name) == (size_t)(end - name - 7) &&
				!strncmp(variables[i].name, name + 7, (size_t)(end - name - 7));
		if (!found)
			xs_note("%.*s has no effect", (int)(end - name), name);
	}
}

int xs_number(const char *name, int *value)
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

/* The memory that data may use on each device of an architecture, which StarPU counts in MiB. */
static int limit(struct xy_device_config *config, const char *name, char *room, size_t size)
{
	int mib = -1, error = xs_number(name, &mib);

	if (!error && mib > 0) {
		snprintf(room, size, "%dM", mib);
		config->limit = room;
	}
	return error;
}

#define ROOM 512
#define LIMIT_ROOM 16
#define TEXT_ROOM 4096

/* StarPU keeps codelets' models in a folder of their format's version. */
#define MODELS_ROOM 1024
static char models_folder[MODELS_ROOM]; /* with the lock of starpu_init */

static bool models_given(void)
{
	const char *folder = xs_getenv("STARPU_PERF_MODEL_DIR"), *home = xs_getenv("STARPU_HOME");

	if (folder && *folder)
		snprintf(models_folder, sizeof models_folder, "%s/codelets/45", folder);
	else if (home && *home)
		snprintf(models_folder, sizeof models_folder, "%s/.starpu/sampling/codelets/45", home);
	else
		models_folder[0] = '\0';
	return models_folder[0];
}

const char *xs_models_folder(void)
{
	static char room[MODELS_ROOM];
	const char *own = xs_getenv("XYLEM_MODELS"), *data = xs_getenv("XDG_DATA_HOME"), *home = xs_getenv("HOME");

	if (own && *own && strcmp(own, "none"))
		return own;
	if (models_given())
		return models_folder;
	if (data && *data)
		snprintf(room, sizeof room, "%s/xylem/models", data);
	else
		snprintf(room, sizeof room, "%s/.local/share/xylem/models", home ? home : "");
	return room;
}

const char *xs_models_host(void)
{
	static char room[256];
	const char *own = xs_getenv("XYLEM_HOST"), *starpu = xs_getenv("STARPU_HOSTNAME");
	char *dot;

	if (own && *own)
		return own;
	if (starpu && *starpu)
		return starpu;
	if (gethostname(room, sizeof room - 1))
		snprintf(room, sizeof room, "localhost");
	dot = strchr(room, '.');
	if (dot)
		*dot = '\0';
	return room;
}

int xs_environment(struct xy_config *config, const struct starpu_conf *conf, char **texts)
{
	int ncpus = conf->ncpus, ncuda = conf->ncuda, nopencl = conf->nopencl, nhip = conf->nhip;
	int calibrate = conf->calibrate, prefetch = -1, watchdog = 0, nobind = 0, silent = 0, profiling = 0,
	    minimum = 0, window = 0, numa = -1, ram = 0;
	int first = conf->precedence_over_environment_variables, error = 0;
	const char *sched = conf->sched_policy_name, *text;
	int reserve = conf->reserve_ncpus, seed = 0, stats = 0, bus = 0;
	char *rooms = calloc(1, 4 * (ROOM + LIMIT_ROOM) + TEXT_ROOM), *limits;

	*texts = rooms;
	if (!rooms)
		return -ENOMEM;
	limits = rooms + 4 * ROOM;
	error |= xs_number("STARPU_RESERVE_NCPU", &reserve) | xs_number("STARPU_RAND_SEED", &seed) |
		 xs_number("STARPU_WORKER_STATS", &stats) | xs_number("STARPU_BUS_STATS", &bus);
	error |= xs_number("STARPU_LIMIT_CPU_MEM", &ram) | xs_number("STARPU_LIMIT_CPU_NUMA_MEM", &ram) |
		 xs_number("STARPU_LIMIT_CPU_NUMA_0_MEM", &ram);
	error |= xs_number("STARPU_SILENT", &silent) | xs_number("STARPU_PREFETCH", &prefetch) |
		 xs_number("STARPU_WATCHDOG_TIMEOUT", &watchdog) | xs_number("STARPU_WORKERS_NOBIND", &nobind) |
		 xs_number("STARPU_PROFILING", &profiling) | xs_number("STARPU_CALIBRATE_MINIMUM", &minimum) |
		 xs_number("STARPU_LIMIT_MAX_SUBMITTED_TASKS", &window) | xs_number("STARPU_USE_NUMA", &numa) |
		 limit(&config->arch[XY_CUDA], "STARPU_LIMIT_CUDA_MEM", limits, LIMIT_ROOM) |
		 limit(&config->arch[XY_OPENCL], "STARPU_LIMIT_OPENCL_MEM", limits + LIMIT_ROOM, LIMIT_ROOM) |
		 limit(&config->arch[XY_HIP], "STARPU_LIMIT_HIP_MEM", limits + 2 * LIMIT_ROOM, LIMIT_ROOM);
	if (!first || ncpus < 0)
		error |= xs_number("STARPU_NCPUS", &ncpus) | xs_number("STARPU_NCPU", &ncpus);
	if (!first || ncuda < 0)
		error |= xs_number("STARPU_NCUDA", &ncuda);
	if (!first || nopencl < 0)
		error |= xs_number("STARPU_NOPENCL", &nopencl);
	if (!first || nhip < 0)
		error |= xs_number("STARPU_NHIP", &nhip);
	if (!first || calibrate <= 0)
		error |= xs_number("STARPU_CALIBRATE", &calibrate);
	if (error)
		return -EINVAL;
	xs_memory_limit(ram > 0 ? (size_t)ram << 20 : 0);
	xs_global.silent = silent;
	atomic_store(&xs_global.profiling, profiling > 0);
	note_unknown();
	text = xs_getenv("STARPU_SCHED");
	if (text && *text && (!first || !sched))
		sched = text;
	xs_global.policy = conf->sched_policy && conf->sched_policy->push_task ? conf->sched_policy : NULL;
	if (conf->sched_policy)
		sched = conf->sched_policy->policy_name;
	else if (sched && *sched && (text = xs_getenv("STARPU_SCHED_LIB")) && *text)
		xs_global.policy = xs_policy_of_library(text, sched);
	snprintf(xs_global.sched, sizeof xs_global.sched, "%s", sched ? sched : "");
	if (xs_global.policy)
		xs_policy_configure(config);
	else if (sched && *sched)
		config->sched = xs_policy_text(xs_policy(sched), limits + 3 * LIMIT_ROOM, TEXT_ROOM);
	if (ncpus < 0 && reserve > 0)
		ncpus = xs_cores() > reserve ? xs_cores() - reserve : 0;
	if (ncpus > STARPU_MAXCPUS) {
		xs_note("%d CPU workers are wanted; at most %d are possible", ncpus, STARPU_MAXCPUS);
		ncpus = STARPU_MAXCPUS;
	}
	if (ncpus >= 0)
		config->ncpu = ncpus ? (unsigned)ncpus : XY_NONE;
	if (seed > 0)
		config->seed = (uint64_t)seed;
	xs_global.worker_stats = stats > 0;
	xs_global.bus_stats = bus > 0;
	if (xs_devices_of_opencl(config))
		return -EINVAL;
	xs_devices(config, XY_CUDA, ncuda, rooms, ROOM);
	xs_devices(config, XY_OPENCL, nopencl, rooms + ROOM, ROOM);
	xs_devices(config, XY_HIP, nhip, rooms + 2 * ROOM, ROOM);
	xs_devices_chosen(&config->arch[XY_CUDA], "STARPU_WORKERS_CUDAID", ncuda, rooms, ROOM);
	xs_devices_chosen(&config->arch[XY_OPENCL], "STARPU_WORKERS_OPENCLID", nopencl, rooms + ROOM, ROOM);
	if (calibrate > 0)
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
	config->models = models_given() ? models_folder : NULL;
	config->host = xs_getenv("STARPU_HOSTNAME");
	return 0;
}

double xs_setting(const char *name, double value)
{
	return starpu_getenv_float_default(name, (float)value);
}

/* --- for programs --- */

char *starpu_getenv(const char *str)
{
	return getenv(str);
}

int starpu_getenv_number_default(const char *str, int defval)
{
	int value = defval;

	xs_number(str, &value);
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
