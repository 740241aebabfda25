/* SPDX-License-Identifier: MIT */
/*
 * Running a filter: how many children it makes, and where they are. Whatever a filter says is checked before a
 * child is made: each lies in the memory of the parent.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/filter.h"
#include "core/data/handle.h"
#include "core/data/interface.h"
#include "core/data/lend.h"
#include "core/data/partition.h"
#include "core/runtime/runtime.h"
#include "core/util/message.h"

enum { MESSAGE = 256 };

static int filter_fail(const struct xy_cut *cut, int error, const char *what)
{
	struct xy__message message;

	xy__message_init(&message, cut->error, cut->error_size);
	xy__message_add(&message, "%s", what);
	return error;
}

static int filter_log(const struct xy_handle *h, const struct xy_filter *filter, int error, const char *text)
{
	xy__log(&h->runtime->settings.log, "'%s' can't be partitioned (%s): %s", xy_handle_name(h), filter->ops->name,
		text);
	return error;
}

static struct xy_cut filter_cut(const struct xy_handle *h, const struct xy_filter *filter, char *error)
{
	*error = '\0';
	return (struct xy_cut){
		.filter = filter, .interface = h->interface, .parent = &h->view, .error = error, .error_size = MESSAGE
	};
}

static int filter_count(const struct xy_cut *cut, unsigned *n)
{
	const struct xy_filter_ops *ops = cut->filter->ops;
	int error;

	if (ops->interface && ops->interface != cut->interface)
		return filter_fail(cut, -EINVAL, "the filter is for another interface");
	*n = cut->filter->n;
	error = ops->count ? ops->count(cut, n) : 0;
	if (error)
		return error;
	if (!*n)
		return filter_fail(cut, -EINVAL, "into zero children");
	return *n > XY__MOST_CHILDREN ? filter_fail(cut, -EINVAL, "into too many children") : 0;
}

int xy__filter_count(struct xy_handle *h, const struct xy_filter *filter, unsigned *n)
{
	char text[MESSAGE];
	struct xy_cut cut = filter_cut(h, filter, text);
	int error;

	if (!filter->ops || !filter->ops->name || !filter->ops->child) {
		xy__log(&h->runtime->settings.log,
			"'%s' can't be partitioned: the filter has no ops, name or child function", xy_handle_name(h));
		return -EINVAL;
	}
	error = filter_count(&cut, n);
	return error ? filter_log(h, filter, error, *text ? text : strerror(-error)) : 0;
}

/* Whether an array of a child is in one of the parent's. */
static bool filter_is_inside(const struct xy_cut *cut, const char *child, size_t span)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = xy__interface_parts(cut->interface, cut->parent, parts);

	for (unsigned i = 0; i < n; i++) {
		const char *parent = *xy__part_pointer((void *)cut->parent, &parts[i]);
		size_t room = xy__part_span(&parts[i]);

		if (child >= parent && (size_t)(child - parent) <= room && span <= room - (size_t)(child - parent))
			return true;
	}
	return false;
}

static int filter_check_child(const struct xy_cut *cut, const struct xy_interface *interface)
{
	struct xy_part parts[XY_NPARTS];
	size_t bytes;
	int error = xy__interface_check(interface, cut->child, &bytes, cut->error, cut->error_size);
	unsigned n = error ? 0 : xy__interface_parts(interface, cut->child, parts);

	for (unsigned i = 0; i < n && !error; i++)
		if (parts[i].row_bytes &&
		    !filter_is_inside(cut, *xy__part_pointer(cut->child, &parts[i]), xy__part_span(&parts[i])))
			error = filter_fail(cut, -EINVAL, "it is not in the memory of the parent");
	return error;
}

/*
 * Where the child is in a copy of the whole on a device, of which the view `whole` has only sizes. A child that would
 * not be there as it is in RAM has memory of its own.
 */
static void filter_place(struct xy_plan *plan, const struct xy_cut *in_ram, const struct xy_interface *interface,
			 const void *whole)
{
	struct xy_handle *child = plan->children[in_ram->i];
	struct xy_cut cut = *in_ram;
	void *view = whole && !interface->layout ? calloc(1, interface->view_size) : NULL;

	if (!view)
		return;
	cut.parent = whole;
	cut.child = view;
	if (cut.filter->ops->child(&cut) || filter_check_child(&cut, interface) ||
	    !xy__interface_equal(interface, view, in_ram->child)) {
		free(view);
		return;
	}
	child->inside = view;
	child->root = plan->parent->inside ? plan->parent->root : plan->parent;
}

static int filter_child(struct xy_plan *plan, struct xy_cut *cut, const struct xy_interface *interface)
{
	int error;

	memset(cut->child, 0, interface->view_size);
	error = cut->filter->ops->child(cut);
	if (!error)
		error = filter_check_child(cut, interface);
	if (!error) {
		error = xy_register(plan->parent->runtime, &plan->children[cut->i], interface, cut->child);
		if (!error)
			plan->children[cut->i]->constant = cut->filter->ops->constant;
		return error;
	}
	xy__log(&plan->parent->runtime->settings.log, "'%s' can't be partitioned (%s): child %u of %u: %s",
		xy_handle_name(plan->parent), plan->name, cut->i, cut->n, *cut->error ? cut->error : strerror(-error));
	return error;
}

int xy__filter_cut(struct xy_plan *plan, const struct xy_filter *filter)
{
	const struct xy_interface *interface = filter->ops->child_interface;
	char text[MESSAGE];
	struct xy_cut cut = filter_cut(plan->parent, filter, text);
	size_t bytes = 0;
	void *whole;
	int error = 0;

	if (!interface)
		interface = plan->parent->interface;
	cut.n = plan->nchildren;
	cut.child = malloc(interface->view_size);
	if (!cut.child)
		return filter_log(plan->parent, filter, -ENOMEM, "not enough memory");
	whole = filter->ops->reads ? NULL : xy__lend_view(plan->parent); /* without memory, there is no lending */
	while (cut.i < cut.n && !error) {
		error = filter_child(plan, &cut, interface);
		if (error)
			break;
		filter_place(plan, &cut, interface, whole);
		bytes += plan->children[cut.i++]->size_bytes;
	}
	plan->covers = !plan->overlaps && bytes == plan->parent->size_bytes;
	free(whole);
	free(cut.child);
	while (error && cut.i > 0)
		xy__handle_forget(plan->children[--cut.i]);
	return error;
}

/* --- ranges --- */

int xy__range_check(const struct xy_cut *cut, unsigned n, size_t total)
{
	struct xy__message message;

	if (n <= total)
		return 0;
	xy__message_init(&message, cut->error, cut->error_size);
	xy__message_add(&message, "%zu can't be divided among %u children: some would be empty", total, n);
	return -EINVAL;
}

int xy__range_check_list(const struct xy_cut *cut, unsigned n, size_t total)
{
	const size_t *lengths = cut->filter->lengths;
	struct xy__message message;
	size_t sum = 0;

	xy__message_init(&message, cut->error, cut->error_size);
	if (n && !lengths) {
		xy__message_add(&message, "the list of lengths is missing");
		return -EINVAL;
	}
	for (unsigned i = 0; i < n; i++) {
		if (!lengths[i] || lengths[i] > total - sum) {
			xy__message_add(&message, "length %u is %zu, and %zu of %zu are left", i, lengths[i],
					total - sum, total);
			return -EINVAL;
		}
		sum += lengths[i];
	}
	if (!n || sum == total)
		return 0;
	xy__message_add(&message, "the lengths add up to %zu, not to %zu", sum, total);
	return -EINVAL;
}
