/* SPDX-License-Identifier: MIT */
/*
 * From parent to children and back. A handle's lock is never waited for with that of another one held: what has been
 * found out under one stays true by pins, and because only tasks that move data do any of this.
 */
#include <errno.h>

#include "core/data/data_task.h"
#include "core/data/fetch.h"
#include "core/data/handover.h"
#include "core/data/lend.h"
#include "core/data/partition.h"
#include "core/data/transfer.h"
#include "core/runtime/runtime.h"

/* The parent's copies on devices in which children may live, by node. */
struct lenders {
	uint64_t nodes;
	struct xy__copy *on[XY__NNODES];
};

static uint64_t handover_lost(const struct xy_plan *plan)
{
	return atomic_load(&plan->parent->runtime->memory.lost);
}

/* The handle is locked. */
static int handover_await(struct xy_handle *h, struct xy__await *await)
{
	await->next = h->copies->awaits;
	h->copies->awaits = await;
	xy__transfers_go(h);
	return -EAGAIN;
}

/* The parent is locked. */
static uint64_t handover_lenders(struct xy_plan *plan)
{
	struct xy_handle *h = plan->parent;
	uint64_t nodes = 0;

	for (unsigned i = XY__RAM + 1; i < h->runtime->memory.nnodes; i++)
		if (h->copies->on[i] && xy__lend_allows(h->copies->on[i]))
			nodes |= xy__bit(i);
	return nodes & ~handover_lost(plan);
}

/* --- to the children --- */

static void lenders_pin(struct lenders *lenders, struct xy_handle *h)
{
	for (unsigned i = 0; lenders->nodes >> i; i++)
		if (lenders->nodes >> i & 1) {
			lenders->on[i] = h->copies->on[i];
			xy__copy_pin(lenders->on[i]);
		}
}

static void lenders_unpin(struct lenders *lenders)
{
	for (unsigned i = 0; lenders->nodes >> i; i++)
		if (lenders->nodes >> i & 1)
			lenders->on[i]->pins--;
}

/* Returns the nodes on which all children live in the parent's copy now. */
static uint64_t begin_lend(struct xy_plan *plan, const struct lenders *lenders, bool exclusive)
{
	uint64_t nodes = lenders->nodes;

	for (unsigned k = 0; k < plan->nchildren && nodes; k++) {
		struct xy_handle *child = plan->children[k];

		xy__lock_take(&child->lock);
		for (unsigned i = 0; nodes >> i; i++) {
			struct xy__copy *copy = nodes >> i & 1 ? xy__copy_on(child, i) : NULL;

			if ((nodes >> i & 1) && (!copy || xy__lend(lenders->on[i], copy, exclusive)))
				nodes &= ~xy__bit(i);
		}
		xy__lock_drop(&child->lock);
	}
	return nodes;
}

/* Tasks on the parent may write what is constant in a child: where the child is not valid now, it has old arrays. */
static void begin_forget(struct xy_handle *child, const struct xy_handle *h, uint64_t valid)
{
	for (unsigned i = XY__RAM + 1; (child->constant & ~h->constant) && i < h->runtime->memory.nnodes; i++)
		if (child->copies->on[i] && !(valid >> i & 1))
			child->copies->on[i]->complete = false;
}

static void begin_children(struct xy_plan *plan, uint64_t valid)
{
	for (unsigned k = 0; k < plan->nchildren; k++) {
		struct xy_handle *child = plan->children[k];

		xy__lock_take(&child->lock);
		begin_forget(child, plan->parent, valid);
		atomic_store(&child->valid, valid);
		xy__lock_drop(&child->lock);
	}
}

/*
 * One attempt. -ENOTSUP: the content must be in RAM first. What no child has stays in the parent, and what readers
 * share may be evicted from devices: both need RAM. A copy that is not valid takes children that will be written, so
 * that all may come back there.
 */
static int begin_try(struct xy_plan *plan, bool exclusive, struct xy__await *await)
{
	struct xy_handle *h = plan->parent;
	const uint64_t ram = xy__bit(XY__RAM);
	bool whole = exclusive && plan->covers;
	struct lenders lenders;
	uint64_t valid;

	xy__lock_take(&h->lock);
	if (exclusive && h->copies->transfers)
		return handover_await(h, await);
	valid = atomic_load(&h->valid) & ~handover_lost(plan);
	lenders.nodes = handover_lenders(plan) & (whole ? ~(uint64_t)0 : valid);
	if (!(valid & (whole ? lenders.nodes | ram : ram))) {
		xy__lock_drop(&h->lock);
		return -ENOTSUP;
	}
	lenders_pin(&lenders, h);
	xy__lock_drop(&h->lock);
	valid &= begin_lend(plan, &lenders, exclusive) | ram;
	if (valid)
		begin_children(plan, valid);
	xy__lock_take(&h->lock);
	lenders_unpin(&lenders);
	if (valid && exclusive)
		atomic_store(&h->valid, 0); /* it is in the children */
	xy__lock_drop(&h->lock);
	return valid ? 0 : -ENOTSUP;
}

int xy__handover_begin(struct xy_plan *plan, unsigned mode, struct xy__await *await, struct xy__agent *agent)
{
	int error;

	do {
		error = begin_try(plan, mode == XY_RW, await);
		if (error != -ENOTSUP)
			return error;
		error = xy__fetch_home(plan->parent, XY_R, await, agent);
	} while (!error);
	return error;
}

/* --- back to the parent --- */

/* The node on which most of the content is where the parent has it. */
static unsigned end_choose(struct xy_plan *plan)
{
	size_t bytes[XY__NNODES] = { 0 };
	uint64_t nodes, lost = handover_lost(plan);
	unsigned best = XY__RAM;

	xy__lock_take(&plan->parent->lock);
	nodes = handover_lenders(plan);
	xy__lock_drop(&plan->parent->lock);
	for (unsigned k = 0; k < plan->nchildren; k++) {
		struct xy_handle *child = plan->children[k];
		uint64_t valid;

		xy__lock_take(&child->lock);
		valid = atomic_load(&child->valid) & ~lost;
		for (unsigned i = 0; i == XY__RAM || nodes >> i; i++) {
			if (i != XY__RAM && (nodes >> i & 1) && !(child->copies->on[i] && child->copies->on[i]->lender))
				nodes &= ~xy__bit(i);
			if (valid >> i & 1)
				bytes[i] += child->size_bytes;
		}
		xy__lock_drop(&child->lock);
	}
	for (unsigned i = XY__RAM + 1; nodes >> i; i++)
		if ((nodes >> i & 1) && bytes[i] > bytes[best])
			best = i;
	return best;
}

static void end_unpin(struct xy_plan *plan, unsigned node, unsigned n)
{
	for (unsigned k = 0; node != XY__RAM && k < n; k++) {
		struct xy_handle *child = plan->children[k];

		xy__lock_take(&child->lock);
		child->copies->on[node]->pins--;
		xy__lock_drop(&child->lock);
	}
}

/* Starts all transfers to the node; one that fails is tried again when it is waited for. False: a child was evicted. */
static bool end_start(struct xy_plan *plan, unsigned node, struct xy__agent *agent)
{
	for (unsigned k = 0; k < plan->nchildren; k++) {
		struct xy_handle *child = plan->children[k];
		struct xy__copy *copy;

		xy__lock_take(&child->lock);
		copy = child->copies->on[node];
		if (node != XY__RAM && !copy->lender) {
			xy__lock_drop(&child->lock);
			end_unpin(plan, node, k);
			return false;
		}
		if (node != XY__RAM)
			xy__copy_pin(copy);
		xy__transfer_begin(copy, agent);
		xy__transfers_go(child);
	}
	return true;
}

/* One child. */
static int end_wait(struct xy_handle *child, unsigned node, struct xy__await *await, struct xy__agent *agent)
{
	struct xy__copy *copy;
	int error = 0;

	xy__lock_take(&child->lock);
	copy = child->copies->on[node];
	if (!child->copies->transfers && !(atomic_load(&child->valid) & xy__bit(node)))
		error = copy->error ? copy->error : xy__transfer_begin(copy, agent);
	if (!error && child->copies->transfers)
		return handover_await(child, await);
	xy__lock_drop(&child->lock);
	return error;
}

/* All has come to the node. */
static void end_finish(struct xy_plan *plan, unsigned node)
{
	struct xy_handle *h = plan->parent;
	uint64_t valid = xy__bit(XY__RAM);

	xy__lock_take(&h->lock);
	if (node != XY__RAM)
		xy__copy_pin(h->copies->on[node]);
	xy__lock_drop(&h->lock);
	for (unsigned k = 0; k < plan->nchildren; k++)
		valid &= atomic_load(&plan->children[k]->valid);
	end_unpin(plan, node, plan->nchildren);
	xy__handover_part(plan);
	begin_children(plan, xy__bit(XY__RAM));
	xy__lock_take(&h->lock);
	if (node != XY__RAM)
		h->copies->on[node]->pins--;
	atomic_store(&h->valid, valid | xy__bit(node));
	xy__lock_drop(&h->lock);
}

int xy__handover_end(struct xy_plan *plan, struct xy__data_await *await, struct xy__agent *agent)
{
	if (!await->begun) {
		await->begun = true;
		await->node = (uint8_t)end_choose(plan);
		if (!end_start(plan, await->node, agent)) {
			await->node = XY__RAM;
			end_start(plan, XY__RAM, agent);
		}
	}
	while (await->next < plan->nchildren) {
		int error = end_wait(plan->children[await->next], await->node, &await->base, agent);

		if (error == -EAGAIN)
			return error;
		if (!error) {
			await->next++;
			continue;
		}
		end_unpin(plan, await->node, plan->nchildren);
		if (await->node == XY__RAM)
			return error;
		await->node = XY__RAM; /* the device may be lost, but what it had may also be elsewhere */
		await->next = 0;
		end_start(plan, XY__RAM, agent);
	}
	end_finish(plan, await->node);
	return 0;
}

void xy__handover_part(struct xy_plan *plan)
{
	unsigned nnodes = plan->parent->runtime->memory.nnodes;

	for (unsigned k = 0; k < plan->nchildren; k++) {
		struct xy_handle *child = plan->children[k];

		xy__lock_take(&child->lock);
		for (unsigned i = XY__RAM + 1; i < nnodes; i++)
			if (child->copies->on[i] && child->copies->on[i]->lender)
				xy__lend_return(child->copies->on[i]);
		xy__lock_drop(&child->lock);
	}
}
