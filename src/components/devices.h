/* SPDX-License-Identifier: MIT */
/*
 * For mappers that send pieces to devices: which devices there are below, by name. All CPU workers are one device,
 * "cpu"; another is "cuda:0", or "cuda" if there is one only.
 */
#ifndef XYLEM_COMPONENTS_DEVICES_H
#define XYLEM_COMPONENTS_DEVICES_H

#include <xylem/component.h>

enum { XY__DEVICE_NAME = 32, XY__DEVICES_MAX = 256 };

/* All (c), but for turn, which the component guards. */
struct xy__device {
	char name[XY__DEVICE_NAME];
	enum xy_arch arch;
	int index; /* -1: the CPUs */
	unsigned nworkers;
	unsigned nchildren, *children; /* branches that lead to it, by number */
	unsigned turn;                 /* whose turn it is */
};

struct xy__devices {
	unsigned count;
	struct xy__device *of;
};

/*
 * For a component's init: the devices of a text such as "cpu+cuda:0", or all below if it is empty. 0, or an error that
 * xy_tree_fail has explained. fini is allowed in any case.
 */
int xy__devices_init(struct xy__devices *devices, struct xy_component *self, const char *text);
void xy__devices_fini(struct xy__devices *devices);

/* Leaves only one of them. */
void xy__devices_keep(struct xy__devices *devices, unsigned i);

struct xy__share;
/* For a component's init: joins the processes that share devices under a name. 0, or an error that is explained. */
int xy__devices_share(struct xy__share **table, struct xy_component *self, const char *name);

/* Whether a worker of the device lives that can run the task. */
bool xy__device_serves(const struct xy__device *device, const struct xy_component *self, const struct xy_task *task);
/* Pushes a task into one of its branches, in turn. */
bool xy__device_push(struct xy__device *device, struct xy_component *self, struct xy_task *task, struct xy_agent *by);

/* Tasks without items, which any worker below may take. All zero is empty. Locking key: (l) lock. */
struct xy__aside {
	struct xy_lock lock;
	struct xy_queue queue; /* (l) */
};

/* Stores a task and offers it; and the first that the agent's worker can run, or NULL. No lock is held. */
void xy__aside_push(struct xy__aside *aside, struct xy_component *self, struct xy_task *task, struct xy_agent *by);
struct xy_task *xy__aside_take(struct xy__aside *aside, struct xy_component *self, struct xy_agent *by);
void xy__aside_each(struct xy__aside *aside, struct xy_component *self,
		    void (*visit)(void *arg, const struct xy_task *task), void *arg);

/* The next item of a list with '+' or ',' between its items, cut at size; false at the end. */
bool xy__list_next(const char **list, char *item, size_t size);

#endif
