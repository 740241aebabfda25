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

void *xs_opaque_view(const struct _starpu_data_state *h, unsigned node)
{
	return h->views + (node < STARPU_MAXNODES ? node : 0) * h->ops->interface_size;
}

int xs_opaque_allocate(struct _starpu_data_state *h)
{
	starpu_ssize_t size;

	if (h->allocated || !h->ops->allocate_data_on_node)
		return 0;
	size = h->ops->allocate_data_on_node(h->views, STARPU_MAIN_RAM);
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
	memcpy(view, h->views, h->ops->interface_size);
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

static int opaque_views(struct _starpu_data_state *h, const struct starpu_data_interface_ops *ops)
{
	h->slow = true;
	h->shape = NULL;
	h->views = calloc(STARPU_MAXNODES, ops->interface_size);
	if (!h->views)
		return xs_fail(-ENOMEM, "no memory for data of interface '%s'", ops->name ? ops->name : "");
	for (unsigned node = 0; node < STARPU_MAXNODES && ops->init; node++)
		ops->init(xs_opaque_view(h, node));
	return 0;
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
	if (ops->interfaceid == STARPU_UNKNOWN_INTERFACE_ID)
		ops->interfaceid = (enum starpu_data_interface_id)starpu_data_interface_get_next_id();
	h = xs_handle_wrap(xy, ops, home_node);
	if (!h || opaque_views(h, ops)) {
		xy_unregister(&xy);
		if (h)
			xs_handle_free(h);
		return;
	}
	h->allocated = home_node >= 0;
	*handle = h;
	/* Its register function fills in the struct of each node through starpu_data_get_interface_on_node. */
	if (ops->register_data_handle)
		ops->register_data_handle(h, (XYLEM_STARPU_HOME)home_node, data_interface);
	else
		memcpy(h->views, data_interface, ops->interface_size);
}

/* A part of the memory of a parent, which keeps it. */
int xs_opaque_child(struct _starpu_data_state *child, const struct _starpu_data_state *parent,
		    struct starpu_data_filter *f, unsigned i, unsigned n)
{
	int error = opaque_views(child, child->ops);

	if (error)
		return error;
	child->allocated = true;
	for (unsigned node = 0; node < STARPU_MAXNODES; node++) {
		void *view = parent->shape ? xs_view(parent) : xs_opaque_view(parent, node);

		f->filter_func(view, xs_opaque_view(child, node), f, i, n);
		if (parent->shape)
			break;
	}
	return 0;
}

void xs_opaque_fini(struct _starpu_data_state *h)
{
	if (!h->views)
		return;
	if (h->owns && h->ops->free_data_on_node)
		h->ops->free_data_on_node(h->views, STARPU_MAIN_RAM);
	if (h->ops->unregister_data_handle)
		h->ops->unregister_data_handle(h);
	free(h->views);
	h->views = NULL;
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
