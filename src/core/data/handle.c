/* SPDX-License-Identifier: MIT */
/*
 * Handles: registration, the lists of tasks that use them, the buffers that codelets get.
 */
#include "core/data/handle.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/deps.h"

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

static bool product(size_t *result, size_t a, size_t b)
{
	return !__builtin_mul_overflow(a, b, result);
}

static void handle_link(struct xy_runtime *rt, struct xy_handle *h)
{
	xy__lock_take(&rt->handles_lock);
	h->next = rt->handles;
	h->link = &rt->handles;
	if (h->next)
		h->next->link = &h->next;
	rt->handles = h;
	xy__lock_drop(&rt->handles_lock);
}

static int handle_create(struct xy_runtime *rt, struct xy_handle **out, enum xy__shape shape,
			 union xy__view view, size_t size, size_t span)
{
	static const char *const names[] = { "void", "variable", "vector", "matrix", "block" };
	struct xy_handle *h;

	if (!rt || !out) {
		xy__log(rt ? &rt->settings.log : NULL, "xy_%s_register: no %s", names[shape],
			rt ? "place for the handle" : "runtime");
		return -EINVAL;
	}
	*out = NULL;
	h = aligned_alloc(64, sizeof *h);
	if (!h)
		return -ENOMEM;
	memset(h, 0, sizeof *h);
	tasks_init(&h->readers, h->few_readers, 3);
	tasks_init(&h->group, h->few_group, 2);
	tasks_init(&h->before, h->few_before, 2);
	h->sequential = true;
	h->shape = (uint8_t)shape;
	h->view = view;
	h->owns_memory = !view.ptr;
	h->size_bytes = size;
	h->span_bytes = span;
	h->runtime = rt;
	handle_link(rt, h);
	*out = h;
	return 0;
}

static int overflow(struct xy_runtime *rt, const char *what)
{
	xy__log(rt ? &rt->settings.log : NULL, "%s: the size in bytes does not fit", what);
	return -EOVERFLOW;
}

static int invalid(struct xy_runtime *rt, const char *what)
{
	xy__log(rt ? &rt->settings.log : NULL, "%s", what);
	return -EINVAL;
}

int xy_variable_register(struct xy_runtime *rt, struct xy_handle **h, void *ptr, size_t size)
{
	union xy__view view = { .variable = { ptr, size } };

	if (!size)
		return invalid(rt, "xy_variable_register: the size is 0");
	return handle_create(rt, h, XY__VARIABLE, view, size, size);
}

int xy_vector_register(struct xy_runtime *rt, struct xy_handle **h, void *ptr, size_t n, size_t elem)
{
	union xy__view view = { .vector = { ptr, n, elem } };
	size_t size;

	if (!n || !elem)
		return invalid(rt, "xy_vector_register: the number or the size of the elements is 0");
	if (!product(&size, n, elem))
		return overflow(rt, "xy_vector_register");
	return handle_create(rt, h, XY__VECTOR, view, size, size);
}

int xy_matrix_register(struct xy_runtime *rt, struct xy_handle **h, void *ptr, size_t ld, size_t nx,
		       size_t ny, size_t elem)
{
	union xy__view view = { .matrix = { ptr, nx, ny, ld, elem } };
	size_t size, span;

	if (!nx || !ny || !elem || ld < nx)
		return invalid(rt, "xy_matrix_register: a size is 0, or ld is less than nx");
	if (!product(&span, ld, ny) || !product(&span, span, elem))
		return overflow(rt, "xy_matrix_register");
	size = nx * ny * elem;
	return handle_create(rt, h, XY__MATRIX, view, size, span);
}

int xy_block_register(struct xy_runtime *rt, struct xy_handle **h, void *ptr, size_t ldy, size_t ldz,
		      size_t nx, size_t ny, size_t nz, size_t elem)
{
	union xy__view view = { .block = { ptr, nx, ny, nz, ldy, ldz, elem } };
	size_t span, plane;

	if (!nx || !ny || !nz || !elem || ldy < nx)
		return invalid(rt, "xy_block_register: a size is 0, or ldy is less than nx");
	if (!product(&plane, ldy, ny) || !product(&span, ldz, nz) || !product(&span, span, elem))
		return overflow(rt, "xy_block_register");
	if (ldz < plane)
		return invalid(rt, "xy_block_register: ldz is less than ldy * ny");
	return handle_create(rt, h, XY__BLOCK, view, nx * ny * nz * elem, span);
}

int xy_void_register(struct xy_runtime *rt, struct xy_handle **h)
{
	union xy__view view = { .ptr = NULL };

	return handle_create(rt, h, XY__VOID, view, 0, 0);
}

void xy__handle_free(struct xy_handle *h)
{
	tasks_fini(&h->readers, h->few_readers);
	tasks_fini(&h->group, h->few_group);
	tasks_fini(&h->before, h->few_before);
	for (unsigned i = 0; h->scratch && i < h->runtime->nworkers; i++) {
		if (h->scratch[i])
			free(h->scratch[i]->view.ptr);
		free(h->scratch[i]);
	}
	free(h->scratch);
	if (h->owns_memory)
		free(h->view.ptr);
	free(h->name);
	free(h);
}

int xy_unregister(struct xy_handle **pointer)
{
	struct xy_handle *h = pointer ? *pointer : NULL;
	struct xy_runtime *rt;
	int error, status, users;

	if (!h) {
		xy__log(NULL, "xy_unregister: no handle");
		return -EINVAL;
	}
	rt = h->runtime;
	if (xy__inside(rt)) {
		xy__log(&rt->settings.log, "xy_unregister: a codelet or callback can't wait for '%s'",
			xy_handle_name(h));
		return -EDEADLK;
	}
	atomic_store(&h->sequential, true);
	error = xy__acquire_wait(h, XY_RW, &status);
	if (error)
		return error;
	while ((users = atomic_load(&h->unordered)))
		xy__futex_wait(&h->unordered, users, -1);
	xy__lock_take(&rt->handles_lock);
	*h->link = h->next;
	if (h->next)
		h->next->link = h->link;
	xy__lock_drop(&rt->handles_lock);
	if (!status)
		xy_release(h);
	xy__handle_free(h);
	*pointer = NULL;
	return status;
}

/* --- what tasks get --- */

void xy__handle_unused(struct xy_handle *h)
{
	/* Whoever waits for 0 may free the handle at once: only the address is used after that. */
	if (atomic_fetch_sub(&h->unordered, 1) == 1)
		xy__futex_wake(&h->unordered, INT_MAX);
}

int xy__handle_allocate(struct xy_handle *h)
{
	int error = 0;

	if (!h->owns_memory || h->shape == XY__VOID)
		return 0;
	xy__lock_take(&h->lock);
	if (!h->view.ptr) {
		h->view.ptr = calloc(1, h->span_bytes);
		error = h->view.ptr ? 0 : -ENOMEM;
	}
	xy__lock_drop(&h->lock);
	return error;
}

static struct xy__scratch *scratch_create(const struct xy_handle *h)
{
	struct xy__scratch *scratch = malloc(sizeof *scratch);

	if (!scratch)
		return NULL;
	scratch->view = h->view;
	scratch->view.ptr = calloc(1, h->span_bytes ? h->span_bytes : 1);
	if (scratch->view.ptr)
		return scratch;
	free(scratch);
	return NULL;
}

static void *handle_scratch(struct xy_handle *h, unsigned worker)
{
	struct xy__scratch *scratch = NULL;

	xy__lock_take(&h->lock);
	if (!h->scratch)
		h->scratch = calloc(h->runtime->nworkers, sizeof *h->scratch);
	if (h->scratch) {
		if (!h->scratch[worker])
			h->scratch[worker] = scratch_create(h);
		scratch = h->scratch[worker];
	}
	xy__lock_drop(&h->lock);
	return scratch ? &scratch->view : NULL;
}

void *xy__handle_buffer_slowly(struct xy_handle *h, unsigned mode, unsigned worker)
{
	if (mode & XY_SCRATCH)
		return handle_scratch(h, worker);
	if (h->owns_memory && xy__handle_allocate(h))
		return NULL;
	return &h->view;
}

/* --- small things --- */

int xy_handle_set_sequential(struct xy_handle *h, bool sequential)
{
	if (!h)
		return invalid(NULL, "xy_handle_set_sequential: no handle");
	atomic_store(&h->sequential, sequential);
	return 0;
}

int xy_handle_set_name(struct xy_handle *h, const char *name)
{
	char *copy;

	if (!h || !name)
		return invalid(h ? h->runtime : NULL, "xy_handle_set_name: no handle or no name");
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
	return h && h->name ? h->name : "a handle without a name";
}

void *xy_handle_pointer(const struct xy_handle *h)
{
	return h ? h->view.ptr : NULL;
}

size_t xy_handle_size(const struct xy_handle *h)
{
	return h ? h->size_bytes : 0;
}
