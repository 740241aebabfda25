/* SPDX-License-Identifier: MIT */
/*
 * Data of the program's own interfaces. To Xylem such a handle is only an
 * order; its struct and memory are here, in RAM, and tasks that use it run on
 * CPUs alone. Private buffers for STARPU_SCRATCH are allocated for each task.
 */
#include "internal.h"

static _Atomic int next_interface = STARPU_MAX_INTERFACE_ID;

int starpu_data_interface_get_next_id(void)
{
	return atomic_fetch_add(&next_interface, 1) + 1;
}

int xs_opaque_allocate(struct _starpu_data_state *h)
{
	starpu_ssize_t size;

	if (h->allocated || !h->ops->allocate_data_on_node)
		return 0;
	size = h->ops->allocate_data_on_node(h->view, STARPU_MAIN_RAM);
	if (size < 0)
		return xs_fail(-ENOMEM, "no memory for data of interface '%s'", h->ops->name ? h->ops->name : "");
	h->allocated = h->owns = true;
	return 0;
}

void *xs_opaque_scratch(struct _starpu_data_state *h)
{
	void *view = malloc(h->ops->interface_size);

	if (!view)
		return NULL;
	memcpy(view, h->view, h->ops->interface_size);
	if (h->ops->allocate_data_on_node && h->ops->allocate_data_on_node(view, STARPU_MAIN_RAM) < 0) {
		free(view);
		return NULL;
	}
	return view;
}

void xs_opaque_scratch_free(struct _starpu_data_state *h, void *view)
{
	if (view && h->ops->free_data_on_node)
		h->ops->free_data_on_node(view, STARPU_MAIN_RAM);
	free(view);
}

void xs_opaque_register(starpu_data_handle_t *handle, int home_node, void *data_interface,
			struct starpu_data_interface_ops *ops)
{
	struct xy_handle *xy;
	struct _starpu_data_state *h;

	*handle = NULL;
	if (!xs_global.rt || !ops->interface_size || xy_void_register(xs_global.rt, &xy)) {
		xs_fail(-EINVAL, "data of interface '%s' can't be registered", ops->name ? ops->name : "");
		return;
	}
	h = xs_handle_wrap(xy, ops, home_node);
	if (h)
		h->view = calloc(1, ops->interface_size);
	if (!h || !h->view) {
		xy_unregister(&xy);
		if (h)
			xs_handle_free(h);
		return;
	}
	h->slow = true;
	h->allocated = home_node >= 0;
	memcpy(h->view, data_interface, ops->interface_size);
	/* Its register function fills in the struct of each node through
   * starpu_data_get_interface_on_node. */
	if (ops->register_data_handle)
		ops->register_data_handle(h, home_node, data_interface);
	*handle = h;
}

void xs_opaque_fini(struct _starpu_data_state *h)
{
	if (h->owns && h->ops->free_data_on_node)
		h->ops->free_data_on_node(h->view, STARPU_MAIN_RAM);
	if (h->view && h->ops->unregister_data_handle)
		h->ops->unregister_data_handle(h);
	free(h->view);
	h->view = NULL;
}

int xs_opaque_copy(void *dst, void *src, const struct starpu_data_interface_ops *ops)
{
	const struct starpu_data_copy_methods *methods = ops->copy_methods;

	if (methods && methods->ram_to_ram)
		return methods->ram_to_ram(src, STARPU_MAIN_RAM, dst, STARPU_MAIN_RAM);
	if (methods && methods->any_to_any)
		return methods->any_to_any(src, STARPU_MAIN_RAM, dst, STARPU_MAIN_RAM, NULL);
	return xs_fail(-ENOTSUP, "interface '%s' has no copy method for RAM", ops->name ? ops->name : "");
}
