/* SPDX-License-Identifier: MIT */
/*
 * Transfers of a handle's content from node to node. A transfer pins the copies at both ends. Between two devices that
 * can't reach each other it goes through RAM; and where that is faster, it waits for one to another device and goes on
 * from there, so that content for many devices spreads along a tree. Threads that wait for data, and idle workers, poll
 * transfers and finish those that have ended.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/data/channel.h"
#include "core/data/interface.h"
#include "core/data/layout.h"
#include "core/data/source.h"
#include "core/data/transfer.h"
#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
#include "core/runtime/runtime.h"
#include "core/runtime/wait.h"

static struct xy__node *node_of(struct xy_handle *h, unsigned node)
{
	return &h->runtime->memory.nodes[node];
}

/* --- beginning --- */

/* Which side's driver moves it, and in which direction. */
static enum xy_copy_kind transfer_kind(const struct xy__node *from, const struct xy__node *to)
{
	if (!to->ram && !from->ram)
		return XY_COPY_PEER;
	return to->ram && !from->ram ? XY_COPY_OUT : XY_COPY_IN;
}

/* True if no other one is in flight. */
static bool transfer_register(struct xy__transfer *t)
{
	struct xy_handle *h = t->handle;
	struct xy__copy *from = h->copies->on[t->from], *to = h->copies->on[t->to];

	t->kind = transfer_kind(node_of(h, t->from), node_of(h, t->to));
	t->device = t->kind == XY_COPY_OUT ? t->from : t->to;
	t->without = to->complete ? h->constant : 0;
	to->arrives_us = h->runtime->engine->now(h->runtime) * 1e6 + xy__source_us(h, t->from, t->to);
	atomic_fetch_add_explicit(&node_of(h, t->from)->leaving, h->size_bytes, memory_order_relaxed);
	if (t->evicts)
		atomic_fetch_add(&node_of(h, t->from)->saving, h->size_bytes);
	t->sibling = h->copies->transfers;
	h->copies->transfers = t;
	atomic_fetch_add(&h->underway, 1);
	atomic_fetch_add(&node_of(h, t->from)->busy, 1);
	atomic_fetch_add(&node_of(h, t->to)->busy, 1);
	from->pins++;
	atomic_fetch_add(&from->readers, 1);
	to->pins++;
	to->incoming = true;
	to->error = 0;
	return atomic_fetch_add(&h->runtime->memory.underway, 1) == 0;
}

/* The other way round. What the copies are after it is for the caller to say. */
static void transfer_unregister(struct xy__transfer *t)
{
	struct xy_handle *h = t->handle;
	struct xy__copy *from = h->copies->on[t->from], *to = h->copies->on[t->to];
	struct xy__transfer **link = &h->copies->transfers;

	while (*link != t)
		link = &(*link)->sibling;
	*link = t->sibling;
	atomic_fetch_sub_explicit(&node_of(h, t->from)->leaving, h->size_bytes, memory_order_relaxed);
	xy__node_change(node_of(h, t->from));
	xy__node_change(node_of(h, t->to));
	if (t->evicts)
		atomic_fetch_sub(&node_of(h, t->from)->saving, h->size_bytes);
	atomic_fetch_sub(&node_of(h, t->from)->busy, 1);
	atomic_fetch_sub(&node_of(h, t->to)->busy, 1);
	from->pins--;
	atomic_fetch_sub(&from->readers, 1);
	to->pins--;
	to->incoming = to->needed = false;
}

/*
 * One of the two ends may be the cause. Returns the error for the waiters: 0 if the content can still come from
 * elsewhere.
 */
static int transfer_failed(struct xy_handle *h, unsigned from, unsigned to, int status)
{
	const unsigned ends[] = { from, to };

	if (!status)
		return 0;
	for (unsigned i = 0; i < 2; i++) {
		struct xy__node *node = node_of(h, ends[i]);

		if (!node->ram && node->driver->is_lost(node->device))
			xy__node_lose(h->runtime, ends[i]);
	}
	if (xy__node_is_lost(&h->runtime->memory, to) || !xy__node_is_lost(&h->runtime->memory, from))
		return status;
	return atomic_load(&h->valid) & ~atomic_load(&h->runtime->memory.lost) ? 0 : -ENODEV;
}

/*
 * From one copy to another, both with memory; 0 or -ENOMEM. The handle is locked, and the transfer is issued when it is
 * unlocked. The agent is NULL when another transfer has ended.
 */
static int transfer_start(struct xy__copy *from, struct xy__copy *to, bool evicts, const struct xy__agent *agent)
{
	struct xy_handle *h = to->handle;
	struct xy__transfer *t = malloc(sizeof *t);
	bool alone;

	if (!t)
		return -ENOMEM;
	*t = (struct xy__transfer){ .handle = h, .from = from->node, .to = to->node, .evicts = evicts };
	alone = transfer_register(t);
	xy__channel_add(t, to->needed || evicts);
	if (alone && agent && agent->base.worker < 0)
		h->runtime->engine->entrust(h->runtime);
	return 0;
}

/* A useless transfer still reads old content at the destination. The caller tries again after that. */
static int transfer_defer(struct xy__copy *to)
{
	to->error = 0;
	return 0;
}

/* The transfer that brings content as it is now to a node; NULL: there is none, or it has not started. */
static struct xy__transfer *transfer_to(const struct xy_handle *h, unsigned node)
{
	struct xy__transfer *t = h->copies->transfers;

	while (t && (t->stale || t->to != node))
		t = t->sibling;
	return t;
}

/* A copy gets the content when the transfer has ended, from where that goes; it is pinned until then. */
static void transfer_follow(struct xy__transfer *t, struct xy__copy *copy)
{
	struct xy_handle *h = t->handle;

	t->further |= xy__bit(copy->node);
	if (copy->needed)
		xy__channel_hurry(t);
	atomic_fetch_add_explicit(&node_of(h, t->to)->leaving, h->size_bytes, memory_order_relaxed);
	atomic_fetch_add(&node_of(h, copy->node)->busy, 1);
	copy->pins++;
	copy->incoming = true;
	copy->error = 0;
}

/* It follows no more. */
static void transfer_leave(struct xy__transfer *t, struct xy__copy *copy, int error)
{
	struct xy_handle *h = t->handle;

	atomic_fetch_sub_explicit(&node_of(h, t->to)->leaving, h->size_bytes, memory_order_relaxed);
	copy->pins--;
	copy->incoming = false;
	copy->error = error;
	xy__node_change(node_of(h, copy->node));
	atomic_fetch_sub(&node_of(h, copy->node)->busy, 1);
}

/* Memory for content on its way, whatever the limit. -EAGAIN: the handle was unlocked for it, and may have changed. */
static int transfer_reserve(struct xy__copy *copy, struct xy__agent *agent)
{
	bool unlocks = !copy->allocated;
	int error = xy__copy_allocate(copy, XY__EFFORT_BEYOND, agent);

	return !error && unlocks ? -EAGAIN : error;
}

/* RAM gets it first. */
static int transfer_by_way_of_ram(struct xy__copy *from, struct xy__copy *to, struct xy__agent *agent)
{
	struct xy_handle *h = to->handle;
	struct xy__copy *ram = &h->copies->ram;
	int error = 0;

	if (!transfer_to(h, XY__RAM)) {
		if (ram->incoming || atomic_load(&ram->readers))
			return transfer_defer(to);
		error = transfer_reserve(ram, agent);
		ram->needed = to->needed;
		if (!error)
			error = transfer_start(from, ram, false, agent);
	}
	if (!error)
		transfer_follow(transfer_to(h, XY__RAM), to);
	return error;
}

/* Nodes to which content as it is now is on its way, for one that may wait for it: RAM has links of its own. */
static uint64_t transfer_coming(struct xy_handle *h, unsigned to)
{
	uint64_t nodes = 0;

	if (node_of(h, to)->ram)
		return 0;
	for (const struct xy__transfer *t = h->copies->transfers; t; t = t->sibling)
		if (!t->stale)
			nodes |= xy__bit(t->to);
	return nodes;
}

static int transfer_try(struct xy__copy *to, struct xy__agent *agent)
{
	struct xy_handle *h = to->handle;
	uint64_t valid = atomic_load(&h->valid), lost = atomic_load(&h->runtime->memory.lost);
	struct xy__copy *from;
	unsigned source;
	int error;

	if (to->incoming || (valid & xy__bit(to->node)))
		return 0;
	if (!(valid & ~lost))
		return valid ? -ENODEV : -ENODATA;
	if (atomic_load(&to->readers))
		return transfer_defer(to);
	valid &= ~lost;
	source = xy__source_choose(h, valid, transfer_coming(h, to->node) & ~valid & ~lost, to->node);
	if (!(valid & xy__bit(source))) {
		transfer_follow(transfer_to(h, source), to);
		return 0;
	}
	from = h->copies->on[source];
	error = transfer_reserve(from, agent); /* RAM that has not been written yet */
	if (error)
		return error;
	if (xy__source_reaches(h, source, to->node))
		return transfer_start(from, to, false, agent);
	return transfer_by_way_of_ram(from, to, agent);
}

static int transfer_bring(struct xy__copy *to, struct xy__agent *agent)
{
	bool unlocked = false;
	int error;

	to->pins++; /* while the handle is unlocked, its memory must not be evicted */
	while ((error = transfer_try(to, agent)) == -EAGAIN)
		unlocked = true; /* there is memory now */
	to->pins--;
	if (unlocked)
		xy__node_change(node_of(to->handle, to->node));
	return error;
}

/* The transfer that content on its way to a node is waiting for; NULL: none is on its way. */
static struct xy__transfer *transfer_towards(const struct xy_handle *h, unsigned node)
{
	struct xy__transfer *t = h->copies->transfers;

	while (t && (t->stale || (t->to != node && !(t->further >> node & 1))))
		t = t->sibling;
	return t;
}

int xy__transfer_begin(struct xy__copy *to, struct xy__agent *agent)
{
	struct xy__transfer *t = to->incoming && !to->needed ? transfer_towards(to->handle, to->node) : NULL;

	to->needed = true;
	if (t)
		xy__channel_hurry(t);
	return transfer_bring(to, agent);
}

int xy__transfer_hint(struct xy__copy *to, struct xy__agent *agent)
{
	if (!to->incoming)
		to->needed = false;
	return transfer_bring(to, agent);
}

/* Memory to save a copy in. -EAGAIN: later, after a change of the copy's node; -ENOSPC: there is none on disk. */
static int evict_reserve(struct xy__node *node, struct xy__copy *to, struct xy__agent *agent)
{
	struct xy__node *other = node_of(to->handle, to->node);
	unsigned changes = atomic_load(&other->changes);
	int error = xy__copy_allocate(to, XY__EFFORT_ALL, agent);

	if (error != -EAGAIN)
		return error;
	if (!atomic_load(&other->busy) && (other->ram || atomic_load(&other->changes) == changes))
		return other->ram ? xy__copy_allocate(to, XY__EFFORT_BEYOND, agent) : -ENOSPC;
	xy__node_change(node);
	return -EAGAIN;
}

/* Whether a copy still is the only valid one, at rest, and can be saved. */
static bool evict_is_possible(const struct xy__copy *from, const struct xy__copy *to)
{
	uint64_t valid = atomic_load(&from->handle->valid) & ~atomic_load(&from->handle->runtime->memory.lost);

	return from->allocated && !from->pins && !from->incoming && valid == xy__bit(from->node) && to->allocated &&
	       !to->pins && !to->incoming;
}

int xy__transfer_evict(struct xy__copy *from, struct xy__agent *agent)
{
	struct xy_handle *h = from->handle;
	unsigned disk = h->runtime->memory.disk;
	struct xy__copy *to = from->node != XY__RAM ? &h->copies->ram : disk ? xy__copy_on(h, disk) : NULL;
	int error;

	if (!to)
		return -ENOMEM;
	atomic_fetch_add(&h->underway, 1); /* the handle may be unlocked, but stays: see xy__transfers_end */
	error = evict_reserve(node_of(h, from->node), to, agent);
	if (!error && !evict_is_possible(from, to)) {
		xy__node_change(node_of(h, from->node));
		error = -EAGAIN;
	}
	if (!error)
		error = transfer_start(from, to, true, agent);
	atomic_fetch_sub(&h->underway, 1);
	return error;
}

void xy__transfers_spoil(struct xy_handle *h)
{
	for (struct xy__transfer *t = h->copies->transfers; t; t = t->sibling)
		if (!t->stale) {
			t->stale = true;
			xy__channel_hurry(t); /* to get it out of the way: unless a driver has it, nothing is copied */
		}
	h->copies->owed = 0;
}

void xy__transfer_offer(struct xy__copy *to, struct xy__agent *agent)
{
	struct xy_handle *h = to->handle;

	if (!xy__transfer_hint(to, agent) && h->copies->transfers && !transfer_towards(h, to->node))
		h->copies->owed |= xy__bit(to->node);
}

/* Something is out of the way of what is owed. */
static void transfer_settle(struct xy_handle *h, struct xy__agent *agent)
{
	uint64_t owed = h->copies->owed;

	h->copies->owed = 0;
	for (unsigned i = 0; owed >> i; i++)
		if ((owed >> i & 1) && h->copies->on[i]->allocated)
			xy__transfer_offer(h->copies->on[i], agent);
}

/* --- ending --- */

/* Bytes of the arrays that were copied. */
static size_t transfer_bytes(const struct xy__transfer *t)
{
	const struct xy_handle *h = t->handle;
	struct xy_part parts[XY_NPARTS];
	size_t bytes = h->copies->on[t->device]->content_bytes;
	unsigned n = t->without ? xy__interface_parts(h->interface, &h->view, parts) : 0;

	for (unsigned i = 0; i < n; i++)
		if (t->without >> i & 1)
			bytes -= xy__part_bytes(&parts[i]);
	return bytes;
}

/* For the program's observer; what the driver never got, or ended at once, took no time. */
static void transfer_tell(const struct xy__transfer *t)
{
	const struct xy_watch *watch = t->handle->runtime->settings.watch;
	bool timed = t->end_s > 0;
	const struct xy_transfer_report report = {
		.handle = t->handle,
		.from = t->from,
		.to = t->to,
		.bytes = transfer_bytes(t),
		.status = t->status,
		.issued_s = t->issued_s,
		.start_s = timed ? t->start_s : t->issued_s,
		.end_s = timed ? t->end_s : t->issued_s,
	};

	if (watch && watch->moved)
		watch->moved(watch->arg, &report);
}

static void transfer_count(struct xy__transfer *t)
{
	struct xy_handle *h = t->handle;
	struct xy__node *from = node_of(h, t->from), *to = node_of(h, t->to);
	size_t bytes = transfer_bytes(t);

	h->copies->on[t->to]->complete = true;
	atomic_fetch_add_explicit(&from->bytes_out, bytes, memory_order_relaxed);
	atomic_fetch_add_explicit(&to->bytes_in, bytes, memory_order_relaxed);
	atomic_fetch_add_explicit(&to->transfers_in, 1, memory_order_relaxed);
}

/* Starts transfers from a node to those that wait: some of them follow the first. */
static void transfer_spread(struct xy_handle *h, unsigned from, uint64_t waiting)
{
	while (waiting) {
		unsigned first = (unsigned)__builtin_ctzll(waiting);
		uint64_t relayed = xy__source_relay(h, from, waiting);
		struct xy__copy *copy = h->copies->on[first];

		copy->error = transfer_start(h->copies->on[from], copy, false, NULL);
		for (unsigned i = first + 1; !copy->error && i < XY__NNODES && relayed >> i; i++)
			if (relayed >> i & 1)
				transfer_follow(transfer_to(h, first), h->copies->on[i]);
		waiting &= ~xy__bit(first) & ~relayed;
	}
}

/* Of some nodes, every second that is reached from `from`. */
static uint64_t transfer_half(struct xy_handle *h, unsigned from, uint64_t nodes)
{
	uint64_t half = 0;
	bool odd = false;

	for (unsigned i = 0; i < XY__NNODES && nodes >> i; i++) {
		if (!(nodes >> i & 1) || !xy__source_reaches(h, from, i))
			continue;
		half |= odd ? xy__bit(i) : 0;
		odd = !odd;
	}
	return half;
}

/*
 * Those that waited for the content to arrive: it goes on from there and, between devices, from where it came from. If
 * it has not arrived on a device, they look for another source.
 */
static void transfer_go_on(struct xy__transfer *t, bool arrived, int error)
{
	struct xy_handle *h = t->handle;
	uint64_t waiting = t->further, valid = atomic_load(&h->valid) & ~atomic_load(&h->runtime->memory.lost);
	uint64_t half = 0;

	if (t->to != XY__RAM && valid)
		error = 0;
	for (unsigned i = 0; i < XY__NNODES && waiting >> i; i++)
		if (waiting >> i & 1)
			transfer_leave(t, h->copies->on[i], error);
	if (!arrived)
		return;
	if ((valid & xy__bit(t->from)) && !node_of(h, t->from)->ram && !node_of(h, t->to)->ram)
		half = transfer_half(h, t->from, waiting);
	transfer_spread(h, t->to, waiting & ~half);
	transfer_spread(h, t->from, half);
}

/* What could not be written to disk gets another place there the next time. */
static void transfer_saved(const struct xy__transfer *t, int status)
{
	struct xy_handle *h = t->handle;

	xy__node_saved(node_of(h, t->from), status);
	if (status && !h->copies->on[t->to]->pins)
		xy__copy_release(h->copies->on[t->to]);
}

static void transfer_finish(struct xy__transfer *t, struct xy__agent *agent)
{
	struct xy_handle *h = t->handle;
	struct xy_runtime *rt = h->runtime;
	struct xy__copy *from, *to;
	struct xy__await *awaits;
	bool arrived;
	int status;

	xy__layout_end(t);
	status = t->status;
	if (t->moved)
		transfer_tell(t);
	xy__lock_take(&h->lock);
	from = h->copies->on[t->from];
	to = h->copies->on[t->to];
	transfer_unregister(t);
	if (!status && t->moved)
		transfer_count(t);
	arrived = !status && !t->stale;
	if (arrived)
		atomic_fetch_or(&h->valid, xy__bit(t->to)); /* release: pairs with the acquire in fetch.c */
	status = transfer_failed(h, t->from, t->to, status);
	to->error = t->stale ? 0 : status;
	transfer_go_on(t, arrived, to->error);
	transfer_settle(h, agent);
	if (arrived && t->to == XY__RAM)
		from->unsaved = 0;
	else if (t->evicts && !t->stale && t->to == XY__RAM && from->unsaved < XY__SAVE_TRIES)
		from->unsaved++; /* a disk sees to it itself: see disk.c */
	if (t->evicts && arrived && !from->pins)
		xy__copy_release(from);
	if (t->evicts && node_of(h, t->to)->disk)
		transfer_saved(t, status);
	awaits = h->copies->awaits;
	h->copies->awaits = NULL;
	atomic_fetch_sub(&h->underway, 1);
	xy__lock_drop(&h->lock);
	while (awaits) {
		struct xy__await *next = awaits->next;

		awaits->told(awaits, agent);
		awaits = next;
	}
	free(t);
	if (atomic_fetch_sub(&rt->memory.underway, 1) == 1)
		xy__wait_news(rt); /* for threads that wait until nothing moves */
}

void xy__transfers_go(struct xy_handle *h)
{
	struct xy_runtime *rt = h->runtime;

	xy__lock_drop(&h->lock);
	xy__channels_issue(rt);
}

bool xy__transfers_poll(struct xy_runtime *rt, struct xy__agent *agent)
{
	bool any = false;

	if (!xy__transfers_underway(&rt->memory))
		return false;
	for (unsigned i = 0; i < rt->memory.nnodes; i++) {
		struct xy__node *node = &rt->memory.nodes[i];

		for (unsigned kind = 0; kind < 3 && atomic_load_explicit(&node->busy, memory_order_relaxed); kind++) {
			struct xy__transfer *t;

			while ((t = xy__channel_take(node, &node->channels[kind]))) {
				transfer_finish(t, agent);
				any = true;
			}
		}
	}
	if (any && rt->memory.disk)
		xy__node_tell(&rt->memory.nodes[XY__RAM], agent);
	xy__channels_issue(rt);
	return any;
}

/* --- waiting --- */

static void transfers_wait(struct xy_runtime *rt, _Atomic unsigned *count)
{
	unsigned rounds = 0;

	while (atomic_load(count)) {
		struct xy__agent *agent = xy__agent_enter(rt);
		bool any = xy__transfers_poll(rt, agent);

		xy__agent_leave(agent);
		if (any)
			rounds = 0;
		else
			rt->engine->pause(rt, &rounds);
	}
}

void xy__transfers_end(struct xy_handle *h)
{
	if (!h->copies)
		return;
	/* A copy that is not valid is never saved. */
	xy__lock_take(&h->lock);
	xy__transfers_spoil(h);
	atomic_store(&h->valid, 0);
	xy__lock_drop(&h->lock);
	transfers_wait(h->runtime, &h->underway);
}

void xy__transfers_drain(struct xy_runtime *rt)
{
	transfers_wait(rt, &rt->memory.underway);
}
