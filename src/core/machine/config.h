/* SPDX-License-Identifier: MIT */
/*
 * The settings of one runtime: what the program asked for and what the environment says. config.c is
 * the only file that reads the environment.
 */
#ifndef XYLEM_CORE_MACHINE_CONFIG_H
#define XYLEM_CORE_MACHINE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <xylem/task.h>
#include "core/machine/variables.h"
#include "core/util/log.h"

#define XY__LIMITS_MAX 64u

/* Memory that data may use on the devices of a kind; see xy__limit. */
struct xy__limits {
	unsigned count; /* 0: no limit; 1: the same for all devices; else one for each */
	size_t bytes[XY__LIMITS_MAX];
};

/* About the devices of an architecture. That of CPUs is all zero. */
struct xy__device_settings {
	char *devices;    /* never NULL; "": the default, "none": no device */
	unsigned workers; /* of each device, at least 1 */
	unsigned ahead;   /* tasks fetched ahead of the one that runs */
	unsigned streams; /* of each worker, at least 1 */
	struct xy__limits limit;
};

/* Each field but the last two is that of a row in variables.c. */
struct xy__settings {
	char *sched;            /* never NULL; empty: `tree`, or the default of the machine */
	const char *sched_from; /* who says it, for messages: "SCHED" or "config.sched" */
	int (*tree)(struct xy_tree *tree, void *tree_arg); /* builds the tree; NULL: sched says which */
	void *tree_arg;
	const struct xy_component_ops *const *components; /* of the program; NULL-terminated, or NULL */
	char *machine;                                    /* never NULL */
	char *machines;                                   /* never NULL; folders of machine files, separated by ':' */
	char *record;                                     /* never NULL; "": the run is not recorded */
	int ncpu;                                         /* -1: one per core */
	bool bind;
	bool device_cores;
	bool help;
	bool numa;     /* each NUMA node is a memory node of its own for data */
	char *drivers; /* never NULL; "": where they are installed */
	struct xy__device_settings arch[XY_NARCH];
	size_t limit_ram; /* SIZE_MAX: none */
	char *disk;       /* never NULL; "": none */
	bool prefetch;
	unsigned window;
	double watchdog_s;
	double guard_s;
	uint64_t seed;
	char *plugins; /* never NULL */
	bool profile;
	char *models;               /* never NULL; "": models are not stored */
	char *host;                 /* never NULL or empty, a part of a path */
	unsigned calibrate;         /* 0, 1 or 2 */
	unsigned calibrate_samples; /* that a prediction needs */
	char *sim;                  /* never NULL; "": in real time */
	double sim_noise, sim_submit_us, sim_overhead_us;
	bool sim_shared;
	char *batch_devices, *batch_sizes, *batch_capacities, *batch_priorities; /* never NULL; "": not set */
	char *batch_share;                                                       /* likewise */
	bool batch_strict;
	unsigned batch_rank;  /* of this process on its host; UINT_MAX: not known */
	unsigned batch_ranks; /* on this host; 0: not known */
	bool sigusr1;         /* dump on SIGUSR1 where the program has no handler of its own */
	const struct xy_watch *watch;
	struct xy__log log;
};

/* Fills s from config (may be NULL) and the environment; 0, -ENOMEM, or -EINVAL with one log line
 * that names the variable and what it may be. s needs fini only after 0. */
int xy__settings_init(struct xy__settings *s, const struct xy_config *config);
void xy__settings_fini(struct xy__settings *s);

/* Whether a variable of OpenCL's loaders names implementations, which a driver then can't know without the loader. */
bool xy__config_has_vendors(void);

/* Whether the text of a machine leaves it to ncpu how many CPU workers there are. */
bool xy__settings_use_ncpu(const char *machine);

/* How many bytes data may use on a device; SIZE_MAX without a limit. */
size_t xy__limit(const struct xy__limits *limits, unsigned device);

/* Its value in the environment, NULL if unset or empty. */
const char *xy__variable_value(const struct xy__variable *v);
/* Whether it may have this value. Texts are checked later, when they are read. */
bool xy__variable_allows(const struct xy__variable *v, const char *value);

#endif
