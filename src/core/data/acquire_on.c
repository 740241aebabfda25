/* SPDX-License-Identifier: MIT */
/*
 * The application's access to a handle where it is on a node: a place in the order, and a copy that stays there.
 */
#include <errno.h>
#include <string.h>

#include "core/data/acquire.h"
#include "core/data/departed.h"
#include "core/data/fetch.h"
#include "core/data/node.h"
#include "core/data/prefetch.h"
#include "core/data/transfer.h"
#include "core/runtime/agent.h"
#include "core/runtime/runtime.h"

/* One attempt; after 0, the copy is held in the mode. */
static int acquire_on_step(struct xy_handle *h, unsigned mode, unsigned node, struct xy__agent *agent)
{
	struct xy__copy *copy;
	int error;

	xy__lock_take(&h->lock);
	copy = xy__copy_on(h, node);
	error = copy ? xy__copy_allocate(copy, XY__EFFORT_ALL, agent) : -ENOMEM;
	if (!error && (mode & XY_R) && !(atomic_load(&h->valid) & xy__bit(node))) {
		error = !copy->incoming && copy->error ? copy->error : xy__transfer_begin(copy, agent);
		error = error ? error : -EAGAIN;
	} else if (!error && (mode & XY_W) && h->copies->transfers) {
		xy__transfers_spoil(h);
		error = -EAGAIN;
	} else if (!error && (mode & XY_W)) {
		atomic_store(&h->valid, xy__bit(node));
	}
	if (!error)
		xy__copy_hold(copy);
	xy__transfers_go(h);
	return error;
}

static int acquire_on_check(struct xy_handle *h, unsigned mode, unsigned node)
{
	const struct xy_node_info *info;

	if (!xy__handle_is_here(h, "xy_acquire_on"))
		return -EINVAL;
	info = xy_machine_node(h->runtime->machine, node);
	if (!info || info->disk || !mode || mode > XY_RW) {
		xy__log(&h->runtime->settings.log, "xy_acquire_on: '%s': %s", xy_handle_name(h),
			!info        ? "no such memory node"
			: info->disk ? "data on disk can't be used there"
				     : "the mode must be R, W or RW");
		return -EINVAL;
	}
	if (!xy__agent_inside(h->runtime))
		return 0;
	xy__log(&h->runtime->settings.log, "xy_acquire_on: a codelet or callback can't wait for '%s'",
		xy_handle_name(h));
	return -EDEADLK;
}

/* The place in the order is the calling thread's. */
static int acquire_on_bring(struct xy_handle *h, enum xy_mode mode, unsigned node)
{
	char why[192];
	int error;

	xy__fetch_forget_error(h, node);
	error = xy__fetch_patiently(h, mode, node, acquire_on_step);
	if (!error) {
		xy__acquire_order_keep(h, node);
		return 0;
	}
	xy__blame_get(h, error, why, sizeof why);
	xy__log(&h->runtime->settings.log, "xy_acquire_on: '%s' (%zu bytes) could not be brought to node %u: %s",
		xy_handle_name(h), h->size_bytes, node, why);
	xy__acquire_order_end_mine(h);
	return error;
}

int xy_acquire_on(struct xy_handle *h, enum xy_mode mode, unsigned node, const void **view)
{
	int status = 0, error = acquire_on_check(h, mode, node);

	if (error)
		return error;
	if (!h->copies || node == XY__RAM) {
		error = xy_acquire(h, mode);
	} else {
		error = xy__acquire_order_wait(h, mode, &status);
		error = error ? error : status ? status : acquire_on_bring(h, mode, node);
	}
	if (!error && view)
		*view = h->copies ? h->copies->on[node]->view : &h->view;
	return error;
}
