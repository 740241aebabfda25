/* SPDX-License-Identifier: MIT */
/*
 * Handles: registration, the lists of tasks that use them, the buffers that codelets get.
 */
#include "core/data/acquire.h"
#include "core/data/departed.h"
#include "core/data/handle.h"
#include "core/data/interface.h"
#include "core/data/leave.h"
#include "core/data/memory.h"
#include "core/data/prefetch.h"
#include "core/data/redux.h"
#include "core/data/transfer.h"
#include "core/model/model.h"
#include "core/runtime/deps.h"
#include "core/runtime/record.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/partition.h"
#include "core/data/plan.h"
#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
/* --- lists of tasks --- */

bool xy__use_has_ended(const struct xy__use *use)
{
	/* acquire: pairs with the closing of the list, or with its opening for another use */
	uint64_t head = atomic_load_explicit(&use->task->successors, memory_order_acquire);

	return !xy__head_is_open(head, use->generation) || xy__task_is_another(use->task, use->generation);
}

static void tasks_prune(struct xy__tasks *list)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < list->count; i++)
		if (!xy__use_has_ended(&list->items[i]))
			list->items[kept++] = list->items[i];
	list->count = kept;
}

bool xy__tasks_reserve(struct xy__tasks *list, unsigned more, const struct xy__use *few)
{
	struct xy__use *items;
	unsigned capacity;

	if (list->count + more <= list->capacity)
		return true;
	tasks_prune(list);
	if (list->count + more <= list->capacity / 2)
		return true;
	capacity = (list->count + more) * 2;
	items = malloc(capacity * sizeof *items);
	if (!items)
		return list->count + more <= list->capacity;
	memcpy(items, list->items, list->count * sizeof *items);
	if (list->items != few)
		free(list->items);
	list->items = items;
	list->capacity = capacity;
	return true;
}

static void tasks_init(struct xy__tasks *list, struct xy__use *few, unsigned capacity)
{
	list->items = few;
	list->capacity = capacity;
}

static void tasks_fini(struct xy__tasks *list, const struct xy__use *few)
{
	if (list->items != few)
		free(list->items);
}

/* --- registration --- */

static void handle_link(struct xy_runtime *rt, struct xy_handle *h)
{
	xy__lock_take(&rt->handles_lock);
	h->next = rt->handles;
	h->link = &rt->handles;
	if (h->next)
		h->next->link = &h->next;
	rt->handles = h;
	xy__lock_drop(&rt->handles_lock);
	if (rt->record)
		xy__record_handle(rt, h);
}

static size_t view_room(const struct xy_interface *interface)
{
	return interface->view_size > sizeof(union xy__view) ? interface->view_size : sizeof(union xy__view);
}

/* The identity of a handle for models: its extents, not its addresses. */
static uint32_t handle_footprint(const struct xy_handle *h)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = xy__interface_parts(h->interface, &h->view, parts);
	uint32_t hash = n;

	for (unsigned i = 0; i < n; i++) {
		hash = xy__footprint_mix(hash, parts[i].row_bytes);
		for (unsigned j = 0; j < parts[i].ndims; j++)
			hash = xy__footprint_mix(hash, parts[i].count[j]);
	}
	return hash;
}

static struct xy_handle *handle_create(struct xy_runtime *rt, const struct xy_interface *interface, const void *view,
				       size_t size_bytes)
{
	size_t size = offsetof(struct xy_handle, view) + view_room(interface);
	struct xy_handle *h;

	size = size < sizeof *h ? sizeof *h : (size + 63) / 64 * 64;
	h = aligned_alloc(64, size);
	if (!h)
		return NULL;
	memset(h, 0, size);
	tasks_init(&h->readers, h->few_readers, 3);
	tasks_init(&h->group, h->few_group, 2);
	tasks_init(&h->before, h->few_before, 2);
	h->sequential = true;
	h->interface = interface;
	memcpy(&h->view, view, interface->view_size);
	h->owns_memory = !xy__interface_has_memory(interface, view);
	h->allocated = !h->owns_memory;
	h->size_bytes = size_bytes;
	h->footprint = handle_footprint(h);
	h->runtime = rt;
	atomic_store(&h->serves, rt);
	if (!xy__copies_init(h))
		return h;
	xy__handle_free(h);
	return NULL;
}

struct xy_handle *xy__handle_like(struct xy_handle *h)
{
	void *view = malloc(h->interface->view_size);
	struct xy_handle *other;

	if (!view)
		return NULL;
	xy__lock_take(&h->lock); /* its pointers may be about to be set */
	xy__interface_compact(h->interface, view, &h->view);
	xy__lock_drop(&h->lock);
	other = handle_create(h->runtime, h->interface, view, h->size_bytes);
	free(view);
	return other;
}

static int invalid(struct xy_runtime *rt, const char *what)
{
	xy__log(rt ? &rt->settings.log : NULL, "%s", what);
	return -EINVAL;
}

/* Registered memory must be RAM: applications often have pointers to device memory too. */
static bool view_is_in_ram(struct xy_runtime *rt, const struct xy_interface *interface, const void *view)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = xy__interface_parts(interface, view, parts);

	for (unsigned i = 0; i < n; i++) {
		const void *memory = *xy__part_pointer((void *)view, &parts[i]);
		const char *owner = memory ? xy__memory_owner(rt, memory) : NULL;

		if (!owner)
			continue;
		xy__log(&rt->settings.log,
			"xy_register: %s: array %u is in the memory of a %s device; give memory of the host, or none",
			interface->name, i, owner);
		return false;
	}
	return true;
}

/* Content behind pointers that no array has would stay here while tasks elsewhere use it. */
static bool view_can_move(struct xy_runtime *rt, const struct xy_interface *interface, const void *view)
{
	if (xy__interface_can_move(interface, view))
		return true;
	xy__log(&rt->settings.log,
		"xy_register: %s: its content is in no array of its parts, so that it can't be moved to other memory",
		interface->name);
	return false;
}

int xy_register(struct xy_runtime *rt, struct xy_handle **out, const struct xy_interface *interface, const void *view)
{
	char error[160] = "its view is invalid";
	struct xy_handle *h;
	size_t size_bytes;
	int status;

	if (out)
		*out = NULL;
	if (!rt || !out || !interface || !view)
		return invalid(rt, !rt    ? "xy_register: no runtime"
				   : !out ? "xy_register: the output pointer is NULL"
					  : "xy_register: no interface or no view");
	status = xy__interface_check(interface, view, &size_bytes, error, sizeof error);
	if (status) {
		xy__log(&rt->settings.log, "xy_register: %s: %s", interface->name ? interface->name : "?", error);
		return status;
	}
	if (rt->memory.nnodes > 1 && (!view_can_move(rt, interface, view) || !view_is_in_ram(rt, interface, view)))
		return -EINVAL;
	h = handle_create(rt, interface, view, size_bytes);
	if (!h)
		return -ENOMEM;
	handle_link(rt, h);
	*out = h;
	return 0;
}

void xy__handle_empty(struct xy_handle *h)
{
	tasks_fini(&h->readers, h->few_readers);
	tasks_fini(&h->group, h->few_group);
	tasks_fini(&h->before, h->few_before);
	for (unsigned i = 0; h->scratch && i < h->runtime->nworkers; i++) {
		if (h->scratch[i])
			xy__interface_free_ram(h->interface, h->scratch[i], NULL);
		free(h->scratch[i]);
	}
	free(h->scratch);
	xy__redux_fini(h);
	xy__copies_fini(h);
	xy__plans_free(h);
	free(h->inside);
	h->inside = NULL;
	if (h->owns_memory)
		xy__interface_free_ram(h->interface, &h->view, &h->runtime->memory);
}

void xy__handle_free(struct xy_handle *h)
{
	xy__handle_empty(h);
	free(h->name);
	free(h);
}

void xy__handle_unlink(struct xy_handle *h)
{
	struct xy_runtime *rt = h->runtime;

	xy__lock_take(&rt->handles_lock);
	*h->link = h->next;
	if (h->next)
		h->next->link = h->link;
	xy__lock_drop(&rt->handles_lock);
}

static bool handle_is_unused(void *arg)
{
	return !atomic_load(&((struct xy_handle *)arg)->unordered);
}

static void handle_wait_for_unordered(struct xy_handle *h)
{
	const struct xy__condition condition = { .holds = handle_is_unused, .arg = h, .word = &h->unordered };

	h->runtime->engine->wait_until(h->runtime, &condition, -1);
}

void xy__handle_forget(struct xy_handle *h)
{
	handle_wait_for_unordered(h);
	xy__transfers_end(h);
	xy__handle_unlink(h);
	xy__handle_depart(h);
}

int xy_unregister(struct xy_handle **pointer)
{
	struct xy_handle *h = pointer ? *pointer : NULL;
	struct xy_runtime *rt;
	int error, status;
	bool held;

	if (!xy__handle_is_here(h, "xy_unregister"))
		return -EINVAL;
	rt = h->runtime;
	if (xy__agent_inside(rt)) {
		xy__log(&rt->settings.log, "xy_unregister: a codelet or callback can't wait for '%s'",
			xy_handle_name(h));
		return -EDEADLK;
	}
	error = xy__partition_keeps(h, "xy_unregister");
	if (!error)
		error = xy__acquire_check_mine(h, "xy_unregister");
	if (error)
		return error;
	atomic_store(&h->sequential, true);
	error = xy__acquire_order_wait(h, XY_RW, &status);
	if (error)
		return error;
	handle_wait_for_unordered(h);
	held = !status;
	if (!status && h->copies && (!h->owns_memory || h->copies->home))
		status = xy__fetch_back(h);
	xy__transfers_end(h);
	xy__handle_unlink(h);
	if (held)
		xy__acquire_order_end_mine(h);
	xy__handle_depart(h);
	*pointer = NULL;
	return status;
}

/* --- what tasks get --- */

void xy__handle_unused(struct xy_handle *h)
{
	int before = atomic_load(&h->unordered), after;

	/* Takes XY__LEAVING off with the last task: tasks that combine replicas may still come and go. */
	do
		after = before == XY__LEAVING + 1 ? 0 : before - 1;
	while (!atomic_compare_exchange_weak(&h->unordered, &before, after));
	/* A thread that waits for 0 may free the handle at once: only the address is used after that. */
	if (before == XY__LEAVING + 1)
		xy__leave_unused(h);
	else if (!after)
		xy__futex_wake(&h->unordered, INT_MAX);
}

int xy__handle_make_home(struct xy_handle *h)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = xy__interface_parts(h->interface, &h->view, parts);
	void *view;
	int error;

	if (xy__interface_has_memory(h->interface, &h->view))
		return 0;
	view = malloc(h->interface->view_size);
	if (!view)
		return -ENOMEM;
	memcpy(view, &h->view, h->interface->view_size);
	xy__lock_drop(&h->lock);
	error = xy__interface_allocate_ram(h->interface, view, &h->runtime->memory);
	xy__lock_take(&h->lock);
	if (!error && xy__interface_has_memory(h->interface, &h->view)) /* another thread was faster */
		xy__interface_free_ram(h->interface, view, &h->runtime->memory);
	else
		for (unsigned i = 0; i < n && !error; i++)
			*xy__part_pointer(&h->view, &parts[i]) = *xy__part_pointer(view, &parts[i]);
	free(view);
	return error;
}

int xy__handle_allocate(struct xy_handle *h)
{
	int error;

	if (!h->owns_memory || (h->copies && !h->copies->ram.home))
		return 0;
	xy__lock_take(&h->lock);
	error = xy__handle_make_home(h);
	if (!error)
		/* release: pairs with the acquire in xy__handle_buffer: the pointers in the view are there */
		atomic_store_explicit(&h->allocated, true, memory_order_release);
	xy__lock_drop(&h->lock);
	return error;
}

static union xy__view *scratch_create(const struct xy_handle *h)
{
	union xy__view *view = malloc(view_room(h->interface));

	if (!view)
		return NULL;
	memcpy(view, &h->view, h->interface->view_size);
	if (!xy__interface_allocate_ram(h->interface, view, NULL))
		return view;
	free(view);
	return NULL;
}

static union xy__view *handle_scratch(struct xy_handle *h, unsigned worker)
{
	union xy__view *scratch = NULL;

	xy__lock_take(&h->lock);
	if (!h->scratch)
		h->scratch = calloc(h->runtime->nworkers, sizeof *h->scratch);
	if (h->scratch) {
		if (!h->scratch[worker])
			h->scratch[worker] = scratch_create(h);
		scratch = h->scratch[worker];
	}
	xy__lock_drop(&h->lock);
	return scratch;
}

void *xy__handle_buffer_slowly(struct xy_handle *h, unsigned mode, unsigned worker)
{
	if (mode & XY_REDUX)
		return NULL;
	if (mode & XY_SCRATCH)
		return handle_scratch(h, worker);
	if (h->owns_memory && xy__handle_allocate(h))
		return NULL;
	return &h->view;
}

/* --- small things --- */

int xy_handle_set_sequential(struct xy_handle *h, bool sequential)
{
	if (!xy__handle_is_here(h, "xy_handle_set_sequential"))
		return -EINVAL;
	if (!sequential && xy__partition_orders(h))
		return -EBUSY;
	atomic_store(&h->sequential, sequential);
	return 0;
}

int xy_handle_set_constant(struct xy_handle *h, unsigned arrays)
{
	struct xy_part parts[XY_NPARTS];

	if (!xy__handle_is_here(h, "xy_handle_set_constant"))
		return -EINVAL;
	if (arrays >> xy__interface_parts(h->interface, &h->view, parts))
		return invalid(h->runtime, "xy_handle_set_constant: the interface has fewer arrays");
	if (h->owns_memory)
		return invalid(h->runtime, "xy_handle_set_constant: the arrays need memory of the application");
	if (h->interface->layout)
		return invalid(h->runtime, "xy_handle_set_constant: the interface has layouts of devices");
	h->constant = arrays;
	return 0;
}

int xy_handle_set_name(struct xy_handle *h, const char *name)
{
	char *copy;

	if (!xy__handle_is_here(h, "xy_handle_set_name"))
		return -EINVAL;
	if (!name)
		return invalid(h->runtime, "xy_handle_set_name: no name");
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	xy__lock_take(&h->runtime->handles_lock); /* for the dump */
	free(h->name);
	h->name = copy;
	xy__lock_drop(&h->runtime->handles_lock);
	return 0;
}

const char *xy_handle_name(const struct xy_handle *h)
{
	return h && h->name ? h->name : "an unnamed handle";
}

void *xy_handle_pointer(const struct xy_handle *h)
{
	return h && !xy__handle_has_left(h) ? xy__interface_pointer(h->interface, &h->view) : NULL;
}

const struct xy_interface *xy_handle_interface(const struct xy_handle *h)
{
	return h && !xy__handle_has_left(h) ? h->interface : NULL;
}

const void *xy_handle_view(const struct xy_handle *h)
{
	return h && !xy__handle_has_left(h) ? &h->view : NULL;
}

size_t xy_handle_size(const struct xy_handle *h)
{
	return h && !xy__handle_has_left(h) ? h->size_bytes : 0;
}
