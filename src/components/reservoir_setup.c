/* SPDX-License-Identifier: MIT */
/* Reservoirs: options, what seal finds out about one, and what it says of its queue. */
#include "components/reservoir.h"

#include <limits.h>
#include <math.h>
#include "components/all.h"
#include "core/tree/component.h"
#include "core/tree/tree.h"

static struct xy__reservoir *reservoir(struct xy_component *self)
{
	return (struct xy__reservoir *)self;
}

/* A worker below if all of them compute in one of several nodes, else -1. */
static int reservoir_prefetch_for(const struct xy_component *self)
{
	const struct xy_machine *machine = xy_component_machine(self);
	unsigned node = xy_machine_worker(machine, self->workers[0])->node;

	if (xy_machine_nnodes(machine) == 1)
		return -1;
	for (unsigned i = 1; i < self->nworkers; i++)
		if (xy_machine_worker(machine, self->workers[i])->node != node)
			return -1;
	return (int)self->workers[0];
}

/*
 * Whether it can be refilled by pulls: a limit on the number of tasks only, and one reservoir above, directly or
 * through eager. With several memory nodes, what is pushed here depends on where the data is: it waits for pushes.
 */
static bool reservoir_exchanges(const struct xy__reservoir *r)
{
	const struct xy_component *parent = r->base.nparents == 1 ? r->base.parents[0] : NULL;

	return r->bounded && isinf(r->length_us) && xy_machine_nnodes(xy_component_machine(&r->base)) == 1 && parent &&
	       parent->source->ops->pull == xy__reservoir_pull &&
	       (parent->source == parent ||
		(parent->ops == &xy__eager_ops && parent->nparents == 1 && parent->source == parent->parents[0]));
}

static int reservoir_init(struct xy__reservoir *r, bool ordered)
{
	r->queue.ordered = ordered;
	r->bounded = xy__reservoir_is_bounded(&r->base);
	r->predicts = r->bounded && !isinf(r->length_us) && !r->base.predicted;
	if (r->base.predicted || r->predicts)
		xy_queue_predict(&r->queue);
	r->exchanges = reservoir_exchanges(r);
	r->prefetch_for = reservoir_prefetch_for(&r->base);
	r->picks = r->ready && xy_machine_nnodes(xy_component_machine(&r->base)) > 1;
	r->quick = !r->bounded && !r->picks;
	for (unsigned i = 0; i < r->base.nchildren; i++)
		r->pushes |= r->base.children[i]->takes_pushes;
	r->stores = !r->bounded && !r->pushes && r->prefetch_for < 0;
	return r->base.nchildren > 1 ? xy__spread_init(&r->spread, &r->base) : 0;
}

void xy__reservoir_fini(struct xy_component *self)
{
	xy__spread_fini(&reservoir(self)->spread);
}

int xy__reservoir_init_fifo(struct xy_component *self)
{
	return reservoir_init(reservoir(self), false);
}

int xy__reservoir_init_prio(struct xy_component *self)
{
	return reservoir_init(reservoir(self), true);
}

bool xy__reservoir_is_bounded(const struct xy_component *self)
{
	const struct xy__reservoir *r = (const struct xy__reservoir *)self;

	return r->base.ops->options && (r->ntasks != UINT_MAX || !isinf(r->length_us));
}

size_t xy__reservoir_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&reservoir(self)->queue);
	return xy_queue_count(&reservoir(self)->queue);
}

double xy__reservoir_stored_us(struct xy_component *self)
{
	return xy_queue_length_us(&reservoir(self)->queue);
}

void xy__reservoir_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	struct xy__reservoir *r = reservoir(self);
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&r->lock, self, &nobody);
	xy_queue_each(&r->queue, visit, arg);
	xy_lock_drop(&r->lock, self, &nobody);
}

void xy__reservoir_each_distinct(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
				 void *arg)
{
	struct xy__reservoir *r = reservoir(self);
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&r->lock, self, &nobody);
	xy_queue_each_distinct(&r->queue, visit, arg);
	xy_lock_drop(&r->lock, self, &nobody);
}

const struct xy_option xy__reservoir_options[] = {
	{ .name = "ntasks",
	  .help = "refuse tasks beyond this number",
	  .type = XY_OPTION_UNSIGNED,
	  .offset = offsetof(struct xy__reservoir, ntasks),
	  .initial = INFINITY,
	  .min = 1,
	  .max = INFINITY },
	{ .name = "length_us",
	  .help = "refuse tasks beyond this expected length",
	  .type = XY_OPTION_DOUBLE,
	  .offset = offsetof(struct xy__reservoir, length_us),
	  .initial = INFINITY,
	  .min = 0,
	  .max = INFINITY },
	{ .name = "ready",
	  .help = "give a worker the task that misses the fewest bytes on its node",
	  .type = XY_OPTION_BOOL,
	  .offset = offsetof(struct xy__reservoir, ready),
	  .max = 1 },
	{ 0 }
};
