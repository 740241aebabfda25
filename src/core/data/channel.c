/* SPDX-License-Identifier: MIT */
/*
 * Channels of transfers. One thread at a time issues on a channel, so that the order in which transfers are issued is
 * the one in which they end; a transfer that comes meanwhile is found by that thread afterwards.
 */
#include "core/data/channel.h"

#include <errno.h>

#include "core/data/interface.h"
#include "core/data/layout.h"
#include "core/runtime/engine.h"
#include "core/runtime/runtime.h"

/* A hint is issued while the driver has less than this: two, so that a link never rests, or many small ones. */
enum { CHANNEL_FEW = 2, CHANNEL_FEW_BYTES = 4 << 20 };

/* --- lines; the channel is locked --- */

static void line_add(struct xy__line *line, struct xy__transfer *t)
{
	t->next = NULL;
	t->previous = line->last;
	*(line->last ? &line->last->next : &line->first) = t;
	line->last = t;
}

static void line_remove(struct xy__line *line, struct xy__transfer *t)
{
	*(t->previous ? &t->previous->next : &line->first) = t->next;
	*(t->next ? &t->next->previous : &line->last) = t->previous;
}

/* --- waiting --- */

static struct xy__channel *channel_of(const struct xy__transfer *t)
{
	return &t->handle->runtime->memory.nodes[t->device].channels[t->kind];
}

void xy__channel_add(struct xy__transfer *t, bool needed)
{
	struct xy__channel *channel = channel_of(t);

	xy__lock_take(&channel->lock);
	t->waits = needed ? &channel->needed : &channel->hints;
	line_add(t->waits, t);
	atomic_fetch_add(&t->handle->runtime->memory.waiting, 1);
	xy__lock_drop(&channel->lock);
}

void xy__channel_hurry(struct xy__transfer *t)
{
	struct xy__channel *channel = channel_of(t);

	xy__lock_take(&channel->lock);
	if (t->waits == &channel->hints) {
		line_remove(t->waits, t);
		t->waits = &channel->needed;
		line_add(t->waits, t);
	}
	xy__lock_drop(&channel->lock);
}

/* --- the driver's --- */

/* Whether the program's observer wants to hear of transfers. */
static bool channel_is_observed(const struct xy_runtime *rt)
{
	return rt->settings.watch && rt->settings.watch->moved;
}

/* Calls the driver. What needs no transfer has ended. */
static void channel_call(struct xy__transfer *t)
{
	struct xy_handle *h = t->handle;
	struct xy__node *nodes = h->runtime->memory.nodes, *device = &nodes[t->device];
	const void *to = h->copies->on[t->to]->view, *from = h->copies->on[t->from]->view;
	struct xy__copy_list list;

	if (atomic_load(&t->stale))
		return;
	if (channel_is_observed(h->runtime))
		t->issued_s = xy_now(h->runtime);
	t->status = xy__layout_begin(t, &to, &from);
	if (t->status)
		return;
	t->status = xy__interface_copies(h->interface, t->without, to, from, &list);
	if (!t->status && list.count) {
		t->status = device->driver->copy(device->device, t->kind,
						 nodes[t->kind == XY_COPY_OUT ? t->to : t->from].device, list.items,
						 list.count, &t->event);
		if (t->status)
			xy__blame_set(h, t->status, device->driver);
	}
	t->moved = !t->status;
	xy__copy_list_fini(&list);
}

static bool channel_is_full(const struct xy__channel *channel)
{
	return channel->nissued >= CHANNEL_FEW && channel->issued_bytes >= CHANNEL_FEW_BYTES;
}

/* The next one, which is the caller's to issue; NULL: none may be issued now, or another thread does it. */
static struct xy__transfer *channel_claim(struct xy_runtime *rt, struct xy__channel *channel)
{
	struct xy__transfer *t = NULL;

	xy__lock_take(&channel->lock);
	if (!channel->issuing)
		t = channel->needed.first      ? channel->needed.first
		    : channel_is_full(channel) ? NULL
					       : channel->hints.first;
	if (t) {
		channel->issuing = true;
		line_remove(t->waits, t);
		t->waits = NULL;
		atomic_fetch_sub(&rt->memory.waiting, 1);
	}
	xy__lock_drop(&channel->lock);
	return t;
}

static void channel_issued(struct xy_runtime *rt, struct xy__channel *channel, struct xy__transfer *t)
{
	bool ended = !t->event;

	xy__lock_take(&channel->lock);
	channel->issuing = false;
	line_add(ended ? &channel->ended : &channel->issued, t);
	if (!ended) {
		channel->nissued++;
		channel->issued_bytes += t->handle->size_bytes;
	}
	atomic_fetch_add(&channel->pollable, 1);
	xy__lock_drop(&channel->lock);
	if (ended)
		rt->engine->arrived(rt);
}

void xy__channels_issue(struct xy_runtime *rt)
{
	for (unsigned i = 0; i < rt->memory.nnodes && atomic_load(&rt->memory.waiting); i++) {
		struct xy__node *node = &rt->memory.nodes[i];

		for (unsigned kind = 0; kind < 3 && atomic_load(&node->busy); kind++) {
			struct xy__channel *channel = &node->channels[kind];
			struct xy__transfer *t;

			while ((t = channel_claim(rt, channel))) {
				channel_call(t);
				channel_issued(rt, channel, t);
			}
		}
	}
}

/* Asks the driver about the first. */
static struct xy__transfer *channel_poll(struct xy__node *node, struct xy__channel *channel)
{
	struct xy__transfer *t = channel->issued.first;

	channel->polling = true;
	xy__lock_drop(&channel->lock);
	t->status = node->driver->poll(node->device, t->event);
	if (t->status && t->status != -EAGAIN)
		xy__blame_set(t->handle, t->status, node->driver);
	xy__lock_take(&channel->lock);
	channel->polling = false;
	if (t->status == -EAGAIN)
		return NULL;
	line_remove(&channel->issued, t);
	channel->nissued--;
	channel->issued_bytes -= t->handle->size_bytes;
	if (channel_is_observed(t->handle->runtime)) {
		t->end_s = xy_now(t->handle->runtime);
		t->start_s = t->issued_s > channel->ended_s ? t->issued_s : channel->ended_s;
		channel->ended_s = t->end_s;
	}
	return t;
}

struct xy__transfer *xy__channel_take(struct xy__node *node, struct xy__channel *channel)
{
	struct xy__transfer *t;

	if (!atomic_load(&channel->pollable) || !xy__lock_try(&channel->lock))
		return NULL;
	t = channel->ended.first;
	if (t)
		line_remove(&channel->ended, t);
	else if (channel->issued.first && !channel->polling)
		t = channel_poll(node, channel);
	if (t)
		atomic_fetch_sub(&channel->pollable, 1);
	xy__lock_drop(&channel->lock);
	return t;
}
