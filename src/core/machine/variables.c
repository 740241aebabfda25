/* SPDX-License-Identifier: MIT */
/*
 * The table of settings. Rows for architectures are templates, filled in from the table of architectures.
 */
#include "core/machine/variables.h"

#include <limits.h>
#include <stdio.h>

#include "core/machine/config.h"
#include "core/machine/topology.h"
#include "core/util/arch.h"

#define VARIABLE_SWITCH "0 or 1"
#define VARIABLE_LIMITS "bytes, or with K, M or G behind; for all devices, or for each one, separated by ','; or none"

#define VARIABLE_PLACE(name) \
	.field = #name, .setting = offsetof(struct xy__settings, name), .wish = offsetof(struct xy_config, name)

static const struct xy__variable variables_plain[] = {
	{ "SCHED", VARIABLE_PLACE(sched), .kind = XY__VARIABLE_TEXT,
	  .initial = "tree-eager, or tree-cambium with devices", .values = "a policy, an expression, or @ and a file",
	  .meaning = "how tasks reach the workers (see: xylem policies)" },
	{ "XYLEM_MACHINE", VARIABLE_PLACE(machine), .kind = XY__VARIABLE_TEXT, .initial = "this",
	  .values = "a machine, such as this, cpu:4 or topology(numa:2 core:4) cuda:2, or @ and a machine file",
	  .meaning = "the workers (see: xylem machine)" },
	{ "XYLEM_MACHINES", VARIABLE_PLACE(machines), .kind = XY__VARIABLE_NAMES, .initial = "none",
	  .values = "folders, separated by ':'",
	  .meaning = "folders searched for machine files before the shipped ones (see doc/machines.md)" },
	{ "XYLEM_NCPU", VARIABLE_PLACE(ncpu), .kind = XY__VARIABLE_COUNT, .usual = (unsigned)-1, .most = XY__CORES_MAX,
	  .initial = "one per core that device workers leave", .values = "a whole number from 0 to 100000",
	  .meaning = "number of CPU workers, if the machine is this computer" },
	{ "XYLEM_BIND", VARIABLE_PLACE(bind), .kind = XY__VARIABLE_SWITCH, .usual = 1, .initial = "1",
	  .values = VARIABLE_SWITCH, .meaning = "bind each worker that has a core to it" },
	{ "XYLEM_DEVICE_CORES", VARIABLE_PLACE(device_cores), .kind = XY__VARIABLE_SWITCH, .usual = 1, .initial = "1",
	  .values = VARIABLE_SWITCH, .meaning = "keep a core near its device for each device worker" },
	{ "XYLEM_HELP", VARIABLE_PLACE(help), .kind = XY__VARIABLE_SWITCH, .initial = "0", .values = VARIABLE_SWITCH,
	  .meaning = "let threads that wait run tasks in place of idle CPU workers" },
	{ "XYLEM_NUMA", VARIABLE_PLACE(numa), .kind = XY__VARIABLE_SWITCH, .initial = "0", .values = VARIABLE_SWITCH,
	  .meaning = "make each NUMA node a memory node with its own copies" },
	{ "XYLEM_DRIVERS", VARIABLE_PLACE(drivers), .kind = XY__VARIABLE_TEXT, .initial = "where they are installed",
	  .values = "folders, separated by ':'", .meaning = "folders with the device drivers, such as cuda.so" },
	{ "XYLEM_LIMIT_RAM", VARIABLE_PLACE(limit_ram), .kind = XY__VARIABLE_BYTES, .initial = "none (all there is)",
	  .values = "bytes, or with K, M or G behind; or none",
	  .meaning = "main memory for data that the runtime allocates (see doc/outofcore.md)" },
	{ "XYLEM_DISK", VARIABLE_PLACE(disk), .kind = XY__VARIABLE_NAMES, .initial = "none",
	  .values =
		  "a folder, or with : and its bytes behind, such as /scratch:100G; several separated by ','; or none",
	  .meaning = "folders for data that main memory has no room for" },
	{ "XYLEM_PREFETCH", VARIABLE_PLACE(prefetch), .kind = XY__VARIABLE_SWITCH, .usual = 1, .initial = "1",
	  .values = VARIABLE_SWITCH, .meaning = "fetch a task's data as soon as its device is known" },
	{ "XYLEM_WINDOW", VARIABLE_PLACE(window), .kind = XY__VARIABLE_COUNT, .usual = 2048, .least = 1,
	  .most = 1u << 30, .initial = "2048", .values = "a whole number from 1 to 1073741824",
	  .meaning = "tasks in flight before submission blocks" },
	{ "XYLEM_WATCHDOG", VARIABLE_PLACE(watchdog_s), .kind = XY__VARIABLE_NUMBER, .initial = "0 (never)",
	  .values = "seconds, such as 10 or 0.5", .meaning = "dump the state after this long without progress" },
	{ "XYLEM_GUARD", VARIABLE_PLACE(guard_s), .kind = XY__VARIABLE_NUMBER, .initial = "0 (never)",
	  .values = "seconds, such as 10 or 0.5", .meaning = "replace a policy that stalls this long by tree-eager" },
	{ "XYLEM_SEED", VARIABLE_PLACE(seed), .kind = XY__VARIABLE_SEED, .usual = 1, .initial = "1",
	  .values = "a whole number", .meaning = "the seed of all random numbers" },
	{ "XYLEM_PLUGINS", VARIABLE_PLACE(plugins), .kind = XY__VARIABLE_NAMES, .initial = "none",
	  .values = "shared objects, separated by ':'", .meaning = "components and policies to load" },
	{ "XYLEM_PROFILE", VARIABLE_PLACE(profile), .kind = XY__VARIABLE_SWITCH, .initial = "0",
	  .values = VARIABLE_SWITCH, .meaning = "measure the time inside codelets" },
	{ "XYLEM_MODELS", VARIABLE_PLACE(models), .kind = XY__VARIABLE_TEXT,
	  .initial = "xylem/models in XDG_DATA_HOME or ~/.local/share", .values = "a folder, or none",
	  .meaning = "the folder of stored performance models" },
	{ "XYLEM_HOST", VARIABLE_PLACE(host), .kind = XY__VARIABLE_TEXT, .initial = "the name of this computer",
	  .values = "a name", .meaning = "the host whose performance models are used" },
	{ "XYLEM_CALIBRATE", VARIABLE_PLACE(calibrate), .kind = XY__VARIABLE_LEVEL, .usual = 1, .most = 2,
	  .initial = "1", .values = "0, 1 or 2",
	  .meaning = "measure tasks for their models: 0 never, 1 always, 2 and discard stored samples" },
	{ "XYLEM_CALIBRATE_SAMPLES", VARIABLE_PLACE(calibrate_samples), .kind = XY__VARIABLE_COUNT, .usual = 10,
	  .least = 1, .most = 1000000, .initial = "10", .values = "a whole number from 1 to 1000000",
	  .meaning = "measurements that a prediction needs" },
	{ "XYLEM_SIM", VARIABLE_PLACE(sim), .kind = XY__VARIABLE_NAMES, .initial = "none",
	  .values = "a shipped machine, or a file",
	  .meaning = "simulate the program on this machine instead of running its tasks (see: xylem sim)" },
	{ "XYLEM_SIM_NOISE", VARIABLE_PLACE(sim_noise), .kind = XY__VARIABLE_NUMBER, .initial = "0",
	  .values = "a number, such as 0.1", .meaning = "relative spread of the durations in a simulation" },
	{ "XYLEM_SIM_SUBMIT", VARIABLE_PLACE(sim_submit_us), .kind = XY__VARIABLE_NUMBER, .initial = "0",
	  .values = "microseconds", .meaning = "duration of a submission in a simulation" },
	{ "XYLEM_SIM_OVERHEAD", VARIABLE_PLACE(sim_overhead_us), .kind = XY__VARIABLE_NUMBER, .initial = "0",
	  .values = "microseconds", .meaning = "what a worker needs per task besides its duration, in a simulation" },
	{ "XYLEM_SIM_SHARED", VARIABLE_PLACE(sim_shared), .kind = XY__VARIABLE_SWITCH, .initial = "0",
	  .values = VARIABLE_SWITCH, .meaning = "simulate all memory as one node, so that nothing is transferred" },
	{ "XYLEM_RECORD", VARIABLE_PLACE(record), .kind = XY__VARIABLE_NAMES, .initial = "none", .values = "a file",
	  .meaning = "the file to which the run is written as a graph when the runtime stops" },
	{ "XYLEM_BATCH_DEVICES", VARIABLE_PLACE(batch_devices), .kind = XY__VARIABLE_TEXT, .initial = "all",
	  .values = "devices, such as cpu,cuda:0",
	  .meaning = "the devices of hybrid and balance, which divide batches (see doc/batch.md)" },
	{ "XYLEM_BATCH_SIZES", VARIABLE_PLACE(batch_sizes), .kind = XY__VARIABLE_TEXT, .initial = "1000",
	  .values = "numbers, one or one for each device, separated by ','",
	  .meaning = "items of a piece that hybrid sends to a device" },
	{ "XYLEM_BATCH_CAPACITIES", VARIABLE_PLACE(batch_capacities), .kind = XY__VARIABLE_TEXT,
	  .initial = "a piece for each worker", .values = "numbers, one or one for each device, separated by ','",
	  .meaning = "items that hybrid lets a device have at once" },
	{ "XYLEM_BATCH_PRIORITIES", VARIABLE_PLACE(batch_priorities), .kind = XY__VARIABLE_TEXT, .initial = "1",
	  .values = "numbers, one or one for each device, separated by ','",
	  .meaning = "which device hybrid serves first: the highest" },
	{ "XYLEM_BATCH_SHARE", VARIABLE_PLACE(batch_share), .kind = XY__VARIABLE_TEXT, .initial = "none",
	  .values = "a name", .meaning = "processes of this host with this name share the devices of a batch" },
	{ "XYLEM_BATCH_STRICT", VARIABLE_PLACE(batch_strict), .kind = XY__VARIABLE_SWITCH, .initial = "0",
	  .values = VARIABLE_SWITCH, .meaning = "more devices than ranks on a host is an error for tree-batch-mpi" },
	{ "XYLEM_BATCH_RANK", VARIABLE_PLACE(batch_rank), .kind = XY__VARIABLE_COUNT, .usual = (unsigned)-1,
	  .most = 1000000, .initial = "what mpirun or srun says", .values = "a whole number from 0 to 1000000",
	  .meaning = "number of this rank on its host, for tree-batch-mpi" },
	{ "XYLEM_BATCH_RANKS", VARIABLE_PLACE(batch_ranks), .kind = XY__VARIABLE_COUNT, .most = 1000000,
	  .initial = "what mpirun or srun says", .values = "a whole number from 0 to 1000000; 0: not known",
	  .meaning = "number of ranks on this host, for tree-batch-mpi" },
	{ "XYLEM_SIGUSR1", VARIABLE_PLACE(sigusr1), .kind = XY__VARIABLE_SWITCH, .usual = 1, .initial = "1",
	  .values = VARIABLE_SWITCH, .meaning = "dump the state on SIGUSR1, unless the program has a handler" },
};

/* Of each architecture with devices: XYLEM_CUDA_DEVICES and arch[XY_CUDA].devices are made of the row DEVICES. What is
 * NULL or 0 here and differs between architectures comes from their table. */
#define VARIABLE_ARCH_PLACE(name) \
	.field = #name, .setting = offsetof(struct xy__device_settings, name), \
	.wish = offsetof(struct xy_device_config, name)

static const struct xy__variable variables_arch[] = {
	{ "DEVICES", VARIABLE_ARCH_PLACE(devices), .kind = XY__VARIABLE_TEXT,
	  .meaning = "the %s devices that get workers" },
	{ "WORKERS", VARIABLE_ARCH_PLACE(workers), .kind = XY__VARIABLE_COUNT, .usual = 1, .least = 1, .most = 16,
	  .initial = "1", .values = "a whole number from 1 to 16", .meaning = "workers of each %s device" },
	{ "AHEAD", VARIABLE_ARCH_PLACE(ahead), .kind = XY__VARIABLE_COUNT, .most = 16,
	  .values = "a whole number from 0 to 16",
	  .meaning = "on %s devices: tasks whose data a worker fetches while it runs another" },
	{ "STREAMS", VARIABLE_ARCH_PLACE(streams), .kind = XY__VARIABLE_COUNT, .usual = 1, .least = 1, .most = 16,
	  .initial = "1", .values = "a whole number from 1 to 16",
	  .meaning = "streams of each worker of %s devices, for kernels that are known to be short" },
	{ "LIMIT", VARIABLE_ARCH_PLACE(limit), .kind = XY__VARIABLE_LIMITS, .initial = "none (all there is)",
	  .values = VARIABLE_LIMITS, .meaning = "on %s devices: memory that data may use" },
};

enum {
	VARIABLES_PLAIN = sizeof variables_plain / sizeof variables_plain[0],
	VARIABLES_ARCH = sizeof variables_arch / sizeof variables_arch[0]
};

static void variables_fill(struct xy__variables *each, unsigned arch, unsigned row)
{
	const struct xy__arch *a = &xy__archs[arch];
	struct xy__variable *v = &each->now;

	*v = variables_arch[row];
	snprintf(each->name, sizeof each->name, "XYLEM_%s_%s", a->capitals, v->name);
	snprintf(each->field, sizeof each->field, "arch[XY_%s].%s", a->capitals, v->field);
	snprintf(each->meaning, sizeof each->meaning, v->meaning, a->title);
	v->setting += offsetof(struct xy__settings, arch) + arch * sizeof(struct xy__device_settings);
	v->wish += offsetof(struct xy_config, arch) + arch * sizeof(struct xy_device_config);
	if (v->kind == XY__VARIABLE_TEXT) {
		v->initial = a->devices;
		v->values = a->devices_words;
	} else if (!v->initial) {
		snprintf(each->initial, sizeof each->initial, "%u", a->ahead);
		v->initial = each->initial;
		v->usual = a->ahead;
	}
	v->name = each->name;
	v->field = each->field;
	v->meaning = each->meaning;
}

bool xy__variables_next(struct xy__variables *each)
{
	unsigned i = each->next++;

	if (i < VARIABLES_PLAIN) {
		each->now = variables_plain[i];
		return true;
	}
	i -= VARIABLES_PLAIN;
	if (i >= (XY_NARCH - XY__ARCH_DEVICES) * VARIABLES_ARCH)
		return false;
	variables_fill(each, XY__ARCH_DEVICES + i / VARIABLES_ARCH, i % VARIABLES_ARCH);
	return true;
}

const struct xy__given_variable xy__given_variables[] = {
	{ "XYLEM_REP", "number of this repetition (see: xylem slots)" },
	{ "XYLEM_REPS", "number of repetitions of the command" },
	{ "XYLEM_REP_FOLDER", "folder for the results of this repetition" },
	{ "XYLEM_SLOT", "number of the slot that this repetition runs in" },
	{ "XYLEM_SLOTS", "number of slots, that is of repetitions at once" },
	{ "XYLEM_SLOT_CPUS", "processors of the slot, such as 0-3,8" },
	{ "XYLEM_FARM_FOLDER", "folder of the farm that this job belongs to (see doc/farm-jobs.md)" },
	{ "XYLEM_FARM_NAME", "name of the farm" },
	{ "XYLEM_FARM_SET", "resource set of the job" },
	{ "XYLEM_FARM_JOB", "id of the job" },
	{ "XYLEM_FARM_PIECE", "name of the piece of work" },
	{ "XYLEM_FARM_FILE", "name of the piece as a file name" },
	{ "XYLEM_FARM_PARAMS", "parameters of the piece, a JSON object" },
	{ "XYLEM_FARM_DATA", "folder for what the piece saves" },
	{ "XYLEM_FARM_PROGRESS", "file for lines of progress" },
	{ "XYLEM_FARM_SAVE_INTERVAL", "seconds between two saves" },
	{ "XYLEM_FARM_LOG_INTERVAL", "seconds between two lines of progress" },
	{ "XYLEM_FARM_GOAL", "goal of the piece, a JSON object" },
	{ "XYLEM_FARM_STARTS", "how many jobs worked on the piece before" },
	{ "XYLEM_FARM_EXECUTOR", "the key executor of farm.yml" },
	{ NULL, NULL },
};
