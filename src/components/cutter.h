/* SPDX-License-Identifier: MIT */
/*
 * What mappers that cut divisible tasks for devices have in common: their devices, the table of the host, and a place
 * for tasks without items. The task that is cut rests in the reservoir above; what is refused is what no device has
 * room for.
 */
#ifndef XYLEM_COMPONENTS_CUTTER_H
#define XYLEM_COMPONENTS_CUTTER_H

#include "components/devices.h"
#include "core/task/division.h"

#define XY__CUTTER_LOOK_US 500.0 /* how soon other processes are looked at again */

/* Embedded first. Locking key: (c) constant after seal, (l) lock, (o) a lock of its own. */
struct xy__cutter {
	struct xy_component base;
	char devices[XY_OPTION_TEXT_SIZE]; /* (c) option: such as cpu+cuda:0; "": all below */
	char share[XY_OPTION_TEXT_SIZE];   /* (c) option: name of the table of the host; "": none */
	struct xy__devices all;            /* (c) but for their turns */
	struct xy__share *table;           /* (c) shared with other processes, or NULL */
	struct xy_lock lock;
	struct xy_lock aside_lock;
	struct xy_queue aside; /* (o) tasks without items, which any worker below may take */
};

/* For init: finds the devices. 0, or an error that is explained; fini is allowed in any case, also twice. */
int xy__cutter_init(struct xy__cutter *cutter);
void xy__cutter_fini(struct xy__cutter *cutter);
/* For init, if the option is set: joins the processes that share the devices. 0, or an error that is explained. */
int xy__cutter_join(struct xy__cutter *cutter);
/* The number of a device in the table, by a name that all processes use. >= 0, or an error that is explained. */
int xy__cutter_share_device(struct xy__cutter *cutter, const char *name);

static inline struct xy__cutter *xy__cutter_of(struct xy_component *self)
{
	return (struct xy__cutter *)self;
}

/* The items of a piece, or of what is left of a divisible task. */
static inline uint64_t xy__cutter_items(const struct xy_task *task)
{
	struct xy_range range = xy_task_range(task);

	return range.stop - range.start;
}

/* Whether a device lives that can run the task. */
bool xy__cutter_serves(const struct xy__cutter *cutter, const struct xy_task *task);
/* For a task or piece that no device can run any more: it fails, in whichever branch. */
bool xy__cutter_give_up(struct xy__cutter *cutter, struct xy_task *task, struct xy_agent *by);

/* For push: takes a task without items. False: it is a divisible task, or a piece of this component's. */
bool xy__cutter_sets_aside(struct xy__cutter *cutter, struct xy_task *task, struct xy_agent *by);

/* Verbs and other functions of the component. */
struct xy_task *xy__cutter_pull(struct xy_component *self, struct xy_agent *by);
bool xy__cutter_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by);
void xy__cutter_tick(struct xy_component *self, struct xy_agent *by);
bool xy__cutter_is_bounded(const struct xy_component *self);
size_t xy__cutter_depth(struct xy_component *self, size_t *peak);
void xy__cutter_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task), void *arg);

#endif
