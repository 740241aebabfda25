/* SPDX-License-Identifier: MIT */
/*
 * For mappers that send pieces to devices: which devices there are below, by name. All CPU workers are one device,
 * "cpu"; another is "cuda:0", or "cuda" if there is one only.
 */
#ifndef XYLEM_COMPONENTS_DEVICES_H
#define XYLEM_COMPONENTS_DEVICES_H

#include <xylem/component.h>

enum { XY__DEVICE_NAME = 32 };

/* All (c), but for turn, which the component guards. */
struct xy__device {
	char name[XY__DEVICE_NAME];
	enum xy_arch arch;
	int index; /* -1: the CPUs */
	unsigned nworkers;
	unsigned nchildren, *children; /* branches that lead to it, by number */
	unsigned archs;                /* what they can run: XY_ON_* */
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

/* Whether a worker of the device lives that can run the task. */
bool xy__device_serves(const struct xy__device *device, const struct xy_component *self, const struct xy_task *task);
/* Pushes a task into one of its branches, in turn. */
bool xy__device_push(struct xy__device *device, struct xy_component *self, struct xy_task *task, struct xy_agent *by);

/* The next item of a list with '+' or ',' between its items, without blanks around it and cut at size; false at the
 * end. */
bool xy__list_next(const char **list, char *item, size_t size);

#endif
