/* SPDX-License-Identifier: MIT */
/* Devices below a mapper, by name. */
#include "components/devices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/tree.h>

#include "core/task/pool.h"
#include "core/task/task.h"
#include "core/util/nearest.h"

enum { DEVICES_LISTED = 8 }; /* in a message */

bool xy__list_next(const char **list, char *item, size_t size)
{
	size_t length = strcspn(*list, "+,"), blanks, kept;

	if (!**list)
		return false;
	blanks = strspn(*list, " ");
	if (blanks > length)
		blanks = length;
	kept = length - blanks;
	while (kept && (*list)[blanks + kept - 1] == ' ')
		kept--;
	if (kept >= size)
		kept = size - 1;
	memcpy(item, *list + blanks, kept);
	item[kept] = '\0';
	*list += length;
	if (**list)
		(*list)++;
	return true;
}

/* --- the machine's devices --- */

static bool device_is_of(const struct xy__device *device, const struct xy_worker_info *info)
{
	return device->index < 0 ? info->device < 0 : device->arch == info->arch && device->index == info->device;
}

/* The device of each worker below, once each, in the order of the workers. Their number, or -ENOMEM. */
static int devices_find(struct xy__device **found, const struct xy_component *self)
{
	const struct xy_machine *machine = xy_component_machine(self);
	struct xy__device *all = calloc(self->nworkers ? self->nworkers : 1, sizeof *all);
	unsigned n = 0, k;

	*found = all;
	if (!all)
		return -ENOMEM;
	for (unsigned i = 0; i < self->nworkers; i++) {
		const struct xy_worker_info *info = xy_machine_worker(machine, self->workers[i]);

		for (k = 0; k < n && !device_is_of(&all[k], info); k++)
			;
		if (k == n) {
			n++;
			all[k].arch = info->device < 0 ? XY_CPU : info->arch;
			all[k].index = info->device < 0 ? -1 : info->device;
			if (info->device < 0)
				snprintf(all[k].name, sizeof all[k].name, "cpu");
			else
				snprintf(all[k].name, sizeof all[k].name, "%s:%d", xy_arch_name(info->arch),
					 info->device);
		}
		all[k].nworkers++;
	}
	return (int)n;
}

/* Whether a name means a device: its own, or its architecture's if there is no other of it. */
static bool device_is_called(const struct xy__device *all, unsigned n, unsigned i, const char *name)
{
	unsigned alike = 0;

	if (!strcmp(all[i].name, name))
		return true;
	for (unsigned k = 0; k < n; k++)
		alike += all[k].arch == all[i].arch && all[k].index >= 0;
	return all[i].index >= 0 && alike == 1 && !strcmp(xy_arch_name(all[i].arch), name);
}

/* The architecture that a name begins with, -1 if it is none. */
static int device_arch(const char *name)
{
	size_t length = strcspn(name, ":");

	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		if (strlen(xy_arch_name((enum xy_arch)arch)) == length &&
		    !strncmp(xy_arch_name((enum xy_arch)arch), name, length))
			return (int)arch;
	return -1;
}

/* Writes "; the devices are cpu, cuda:0 and others". */
static void devices_list(const struct xy__device *all, unsigned n, struct xy__message *text)
{
	for (unsigned i = 0; i < n && i < DEVICES_LISTED; i++)
		xy__message_add(text, "%s%s", i ? ", " : "; the devices are ", all[i].name);
	if (n > DEVICES_LISTED)
		xy__message_add(text, " and others");
}

static int devices_refuse(struct xy_component *self, const struct xy__device *all, unsigned n, const char *name)
{
	struct xy__nearest nearest;
	struct xy__message text;
	char suggestion[160] = "";
	int arch = device_arch(name);
	unsigned alike = 0;

	for (unsigned i = 0; i < n; i++)
		alike += arch > 0 && all[i].arch == (enum xy_arch)arch;
	if (arch > 0 && alike > 1 && !strchr(name, ':'))
		return xy_tree_fail(self->tree, -EINVAL, "%s: there are %u devices \"%s\": say which, such as %s:0",
				    self->ops->name, alike, name, name);
	xy__message_init(&text, suggestion, sizeof suggestion);
	if (arch >= 0) {
		devices_list(all, n, &text);
		return xy_tree_fail(self->tree, -ENODEV, "%s: the machine has no device \"%s\" here%s", self->ops->name,
				    name, suggestion);
	}
	xy__nearest_init(&nearest, name, strlen(name));
	for (unsigned i = 0; i < n; i++)
		xy__nearest_look(&nearest, all[i].name);
	if (!xy__nearest_say(&nearest, &text))
		devices_list(all, n, &text);
	return xy_tree_fail(self->tree, -EINVAL, "%s: there is no device \"%s\"%s", self->ops->name, name, suggestion);
}

/* --- those that were asked for --- */

static int devices_check_new(const struct xy__devices *devices, struct xy_component *self,
			     const struct xy__device *device, const char *name)
{
	for (unsigned i = 0; i < devices->count; i++) {
		if (devices->of[i].index < 0 && device->index < 0 && strcmp(devices->of[i].name, name))
			return xy_tree_fail(self->tree, -EINVAL, "%s: \"%s\" is a second CPU device", self->ops->name,
					    name);
		if (devices->of[i].arch == device->arch && devices->of[i].index == device->index)
			return xy_tree_fail(self->tree, -EINVAL, "%s: the device \"%s\" is listed twice",
					    self->ops->name, name);
	}
	return 0;
}

static int devices_choose(struct xy__devices *devices, struct xy_component *self, const struct xy__device *all,
			  unsigned n, const char *text)
{
	char name[XY__DEVICE_NAME];

	while (xy__list_next(&text, name, sizeof name)) {
		bool cpu = !strcmp(name, "cpu") || !strncmp(name, "cpu:", 4);
		unsigned i = 0;
		int error;

		while (i < n && !(cpu ? all[i].index < 0 : device_is_called(all, n, i, name)))
			i++;
		if (i == n)
			return devices_refuse(self, all, n, name);
		error = devices_check_new(devices, self, &all[i], name);
		if (error)
			return error;
		devices->of[devices->count++] = all[i];
	}
	return 0;
}

/* The branches of a device: those all of whose workers are its own. */
static int device_branches(struct xy__device *device, struct xy_component *self)
{
	const struct xy_machine *machine = xy_component_machine(self);

	device->children = calloc(self->nchildren, sizeof *device->children);
	if (!device->children)
		return -ENOMEM;
	for (unsigned i = 0; i < self->nchildren; i++) {
		const struct xy_component *child = self->children[i];
		unsigned own = 0;

		for (unsigned k = 0; k < child->nworkers; k++)
			own += device_is_of(device, xy_machine_worker(machine, child->workers[k]));
		if (own && own < child->nworkers)
			return xy_tree_fail(self->tree, -EINVAL,
					    "%s: a branch leads to \"%s\" and to other devices: use each node",
					    self->ops->name, device->name);
		if (own &&
		    (!(child->ops->flags & XY_STORES) || (child->ops->is_bounded && child->ops->is_bounded(child))))
			return xy_tree_fail(self->tree, -EINVAL,
					    "%s: the branch of \"%s\" must begin with a reservoir without a limit",
					    self->ops->name, device->name);
		if (own) {
			device->children[device->nchildren++] = i;
			device->archs |= child->archs;
		}
	}
	return 0;
}

int xy__devices_init(struct xy__devices *devices, struct xy_component *self, const char *text)
{
	struct xy__device *all;
	int n = devices_find(&all, self), error = n < 0 ? n : 0;

	*devices = (struct xy__devices){ .of = calloc((size_t)(n > 0 ? n : 1), sizeof *devices->of) };
	if (!devices->of)
		error = -ENOMEM;
	if (!error && *text) {
		error = devices_choose(devices, self, all, (unsigned)n, text);
	} else if (!error) {
		memcpy(devices->of, all, (size_t)n * sizeof *all);
		devices->count = (unsigned)n;
	}
	for (unsigned i = 0; i < devices->count && !error; i++)
		error = device_branches(&devices->of[i], self);
	free(all);
	return error;
}

void xy__devices_fini(struct xy__devices *devices)
{
	for (unsigned i = 0; i < devices->count; i++)
		free(devices->of[i].children);
	free(devices->of);
	*devices = (struct xy__devices){ 0 };
}

void xy__devices_keep(struct xy__devices *devices, unsigned i)
{
	struct xy__device kept = devices->of[i];

	devices->of[i].children = NULL;
	for (unsigned k = 0; k < devices->count; k++)
		free(devices->of[k].children);
	devices->of[0] = kept;
	devices->count = 1;
}

/* --- tasks --- */

bool xy__device_serves(const struct xy__device *device, const struct xy_component *self, const struct xy_task *task)
{
	if (!(task->archs & device->archs))
		return false;
	if (!task->constrained && !xy__pool_has_deaths(task->pool))
		return true;
	for (unsigned i = 0; i < device->nchildren; i++)
		if (xy__task_has_live_below(task, self->children[device->children[i]]))
			return true;
	return false;
}

bool xy__device_push(struct xy__device *device, struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	for (unsigned n = 0; n < device->nchildren; n++) {
		struct xy_component *child = self->children[device->children[device->turn]];

		device->turn = device->turn + 1 < device->nchildren ? device->turn + 1 : 0;
		if (xy_task_can_run_below(task, child) && xy_push(child, task, by))
			return true;
	}
	return false;
}
