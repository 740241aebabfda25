/* SPDX-License-Identifier: MIT */
/*
 * Whole trees of components: the usual ones by flags, and one for the parts of the computer.
 */
#include "component.h"

#define NTASKS 2u            /* that a queue below a decision holds ... */
#define NTASKS_PREDICTED 30u /* ... and below one that predicts */
#define EXP_LEN 1e9

/* One decision of a simple scheduler, with what it was asked for. */
struct decision {
	starpu_sched_component_create_t create;
	void *data;
	unsigned flags;
};

struct build {
	struct starpu_sched_tree *tree;
	struct starpu_sched_component *entries[STARPU_NMAXWORKERS]; /* above each worker */
	bool staged, implementations;
};

/* --- parts --- */

static struct starpu_sched_component *entry(struct build *b, unsigned worker)
{
	struct starpu_sched_component *c;

	if (b->entries[worker])
		return b->entries[worker];
	c = starpu_sched_component_worker_new(b->tree->sched_ctx_id, (int)worker);
	if (b->implementations) {
		struct starpu_sched_component *best = starpu_sched_component_best_implementation_create(b->tree, NULL);

		starpu_sched_component_connect(best, c);
		c = best;
	}
	if (b->staged) {
		struct starpu_sched_component *stage = starpu_sched_component_stage_create(b->tree, NULL);

		starpu_sched_component_connect(stage, c);
		c = stage;
	}
	b->entries[worker] = c;
	return c;
}

/* The number of the choice that a worker belongs to. */
static unsigned choice_of(unsigned worker, unsigned flags)
{
	const struct xy_worker_info *info = xy_machine_worker(xs_global.machine, worker);

	switch (flags & STARPU_SCHED_SIMPLE_DECIDE_MASK) {
	case STARPU_SCHED_SIMPLE_DECIDE_MEMNODES:
		return info->node;
	case STARPU_SCHED_SIMPLE_DECIDE_ARCHS:
		return info->arch;
	default:
		return worker;
	}
}

static unsigned choice_workers(unsigned choice, unsigned flags, unsigned *workers)
{
	unsigned n = 0;

	for (unsigned w = 0; w < xs_global.nworkers && w < STARPU_NMAXWORKERS; w++)
		if (choice_of(w, flags) == choice)
			workers[n++] = w;
	return n;
}

static unsigned nchoices(unsigned flags)
{
	unsigned workers[STARPU_NMAXWORKERS], n = 0;

	for (unsigned choice = 0; choice < STARPU_NMAXWORKERS; choice++)
		n += choice_workers(choice, flags, workers) > 0;
	return n;
}

static bool predicts(const struct decision *d)
{
	void *create = (void *)d->create;

	return create == (void *)starpu_sched_component_heft_create ||
	       create == (void *)starpu_sched_component_mct_create ||
	       create == (void *)starpu_sched_component_heteroprio_create;
}

static struct starpu_sched_component *queue_below(struct build *b, const struct decision *d)
{
	unsigned ntasks = predicts(d) ? NTASKS_PREDICTED : NTASKS;
	bool ready = xs_setting("STARPU_SCHED_READY", !!(d->flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY));
	bool sorted = xs_setting("STARPU_SCHED_SORTED_BELOW", !!(d->flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO));
	struct starpu_sched_component_fifo_data limits = { .ready = ready };

	if (d->flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW_NOLIMIT)
		ntasks = 0;
	else
		limits.exp_len_threshold = xs_setting("STARPU_EXP_LEN_THRESHOLD", EXP_LEN);
	limits.ntasks_threshold = (unsigned)xs_setting("STARPU_NTASKS_THRESHOLD", ntasks);
	limits.exp = !!(d->flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW_EXP);
	limits.ready_first = !!(d->flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY_FIRST);
	if (sorted) {
		struct starpu_sched_component_prio_data prio = { limits.ntasks_threshold, limits.exp_len_threshold,
								 limits.ready, limits.exp };

		return starpu_sched_component_prio_create(b->tree, &prio);
	}
	return starpu_sched_component_fifo_create(b->tree, &limits);
}

static void below(struct build *b, const struct decision *d, struct starpu_sched_component *decision)
{
	unsigned workers[STARPU_NMAXWORKERS];

	for (unsigned choice = 0; choice < STARPU_NMAXWORKERS; choice++) {
		unsigned n = choice_workers(choice, d->flags, workers);
		struct starpu_sched_component *last = decision;

		if (!n)
			continue;
		if (d->flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW) {
			struct starpu_sched_component *queue = queue_below(b, d);

			starpu_sched_component_connect(last, queue);
			last = queue;
		}
		if (n > 1) {
			struct starpu_sched_component *share =
				d->flags & STARPU_SCHED_SIMPLE_WS_BELOW
					? starpu_sched_component_work_stealing_create(b->tree, NULL)
					: starpu_sched_component_eager_create(b->tree, NULL);

			starpu_sched_component_connect(last, share);
			last = share;
		}
		for (unsigned i = 0; i < n; i++)
			starpu_sched_component_connect(last, entry(b, workers[i]));
	}
}

static struct starpu_sched_component *queue_above(struct build *b, unsigned flags)
{
	bool sorted = xs_setting("STARPU_SCHED_SORTED_ABOVE", !!(flags & STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO));

	return sorted ? starpu_sched_component_prio_create(b->tree, NULL)
		      : starpu_sched_component_fifo_create(b->tree, NULL);
}

/* What is above a decision for tasks whose duration is not known, or has no model. */
static struct starpu_sched_component *select_above(struct build *b, struct starpu_sched_component *decision,
						   bool stored)
{
	struct starpu_sched_component *eager = starpu_sched_component_eager_create(b->tree, NULL), *top = eager;
	struct starpu_sched_component *calibrator = starpu_sched_component_eager_calibration_create(b->tree, NULL);
	struct starpu_sched_component *select;

	if (!stored) {
		top = starpu_sched_component_fifo_create(b->tree, NULL);
		starpu_sched_component_connect(top, eager);
	}
	select = starpu_sched_component_perfmodel_select_create(
		b->tree, &(struct starpu_sched_component_perfmodel_select_data){ calibrator, top, decision });
	starpu_sched_component_connect(select, decision);
	starpu_sched_component_connect(select, calibrator);
	starpu_sched_component_connect(select, top);
	for (unsigned w = 0; w < xs_global.nworkers && w < STARPU_NMAXWORKERS; w++) {
		starpu_sched_component_connect(eager, entry(b, w));
		starpu_sched_component_connect(calibrator,
					       starpu_sched_component_worker_get(b->tree->sched_ctx_id, (int)w));
	}
	return select;
}

/* A decision with everything around it; returns its top. */
static struct starpu_sched_component *decision_build(struct build *b, const struct decision *d,
						     struct starpu_sched_component *first)
{
	bool single = nchoices(d->flags) == 1 && !(d->flags & STARPU_SCHED_SIMPLE_DECIDE_ALWAYS) && !first;
	bool stored = single || (d->flags & STARPU_SCHED_SIMPLE_FIFO_ABOVE);
	struct starpu_sched_component *decision = single ? starpu_sched_component_eager_create(b->tree, NULL)
							 : d->create(b->tree, d->data);
	struct starpu_sched_component *top = decision;

	if (!decision)
		return NULL;
	below(b, d, decision);
	if (first) {
		struct starpu_sched_component *last = first;

		while (last->nchildren)
			last = last->children[0];
		starpu_sched_component_connect(last, decision);
		top = first;
	}
	if (d->flags & STARPU_SCHED_SIMPLE_PERFMODEL)
		top = select_above(b, top, stored);
	if (stored) {
		struct starpu_sched_component *queue = queue_above(b, d->flags);

		starpu_sched_component_connect(queue, top);
		top = queue;
	}
	return top;
}

/* --- simple schedulers --- */

static void simple_build(unsigned context, unsigned n, const struct decision *decisions)
{
	struct build b = { .tree = starpu_sched_tree_create(context) };
	struct starpu_sched_component *first = NULL, *top = NULL;
	unsigned branches = 0;

	if (!b.tree)
		return;
	for (unsigned i = 0; i < n; i++) {
		branches += !(decisions[i].flags & STARPU_SCHED_SIMPLE_PRE_DECISION);
		b.implementations = b.implementations || (decisions[i].flags & STARPU_SCHED_SIMPLE_IMPL);
	}
	b.staged = branches > 1;
	if (b.staged)
		b.tree->root = starpu_sched_component_userchoice_create(b.tree, NULL);
	for (unsigned i = 0; i < n; i++) {
		if (decisions[i].flags & STARPU_SCHED_SIMPLE_PRE_DECISION) {
			struct starpu_sched_component *pre = decisions[i].create(b.tree, decisions[i].data);

			if (first && pre)
				starpu_sched_component_connect(first, pre);
			first = first ? first : pre;
			continue;
		}
		top = decision_build(&b, &decisions[i], first);
		first = NULL;
		if (b.staged && top)
			starpu_sched_component_connect(b.tree->root, top);
	}
	if (!b.staged)
		b.tree->root = top;
	starpu_sched_tree_update_workers(b.tree);
	starpu_sched_tree_update_workers_in_ctx(b.tree);
	starpu_sched_ctx_set_policy_data(context, b.tree);
}

void starpu_sched_component_initialize_simple_schedulers(unsigned sched_ctx_id, unsigned ndecisions, ...)
{
	struct decision decisions[ndecisions + 1];
	va_list list;

	va_start(list, ndecisions);
	for (unsigned i = 0; i < ndecisions; i++) {
		decisions[i].create = va_arg(list, starpu_sched_component_create_t);
		decisions[i].data = va_arg(list, void *);
		decisions[i].flags = va_arg(list, unsigned);
	}
	va_end(list);
	simple_build(sched_ctx_id, ndecisions, decisions);
}

void starpu_sched_component_initialize_simple_scheduler(starpu_sched_component_create_t create_decision_component,
							void *data, unsigned flags, unsigned sched_ctx_id)
{
	simple_build(sched_ctx_id, 1, &(struct decision){ create_decision_component, data, flags });
}

void starpu_initialize_prio_center_policy(unsigned sched_ctx_id)
{
	starpu_sched_component_initialize_simple_scheduler(
		starpu_sched_component_eager_create, NULL,
		STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_FIFO_ABOVE |
			STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO | STARPU_SCHED_SIMPLE_IMPL,
		sched_ctx_id);
}

/* --- by the parts of the computer --- */

static struct starpu_sched_component_composed_recipe *recipe_for(const struct starpu_sched_component_specs *s,
								 hwloc_obj_t part)
{
	if (part->type == HWLOC_OBJ_MACHINE)
		return s->hwloc_machine_composed_sched_component;
	if (part->type == HWLOC_OBJ_PACKAGE)
		return s->hwloc_socket_composed_sched_component;
	if (part->type == HWLOC_OBJ_NUMANODE || part->memory_arity)
		return s->hwloc_component_composed_sched_component;
	if (hwloc_obj_type_is_cache(part->type))
		return s->hwloc_cache_composed_sched_component;
	return NULL;
}

static bool has_workers(hwloc_obj_t part)
{
	for (unsigned w = 0; w < xs_global.nworkers; w++) {
		int pu = xy_machine_worker(xs_global.machine, w)->pu;

		if (pu >= 0 && part->cpuset && hwloc_bitmap_isset(part->cpuset, (unsigned)pu))
			return true;
	}
	return false;
}

static void worker_below(const struct starpu_sched_component_specs *s, struct starpu_sched_tree *tree,
			 struct starpu_sched_component *above, unsigned worker, hwloc_obj_t part)
{
	struct starpu_sched_component *leaf = starpu_sched_component_worker_new(tree->sched_ctx_id, (int)worker);
	struct starpu_sched_component_composed_recipe *recipe = s->worker_composed_sched_component
									? s->worker_composed_sched_component(
										  starpu_worker_get_type((int)worker))
									: NULL;

	leaf->obj = part;
	if (recipe) {
		struct starpu_sched_component *c = starpu_sched_component_composed_component_create(tree, recipe);

		starpu_sched_component_connect(above, c);
		above = c;
		starpu_sched_component_composed_recipe_destroy(recipe);
	}
	starpu_sched_component_connect(above, leaf);
}

static void part_below(const struct starpu_sched_component_specs *s, struct starpu_sched_tree *tree,
		       struct starpu_sched_component *above, hwloc_obj_t part, bool *placed)
{
	struct starpu_sched_component_composed_recipe *recipe = recipe_for(s, part);

	if (!has_workers(part))
		return;
	if (recipe) {
		struct starpu_sched_component *c = starpu_sched_component_composed_component_create(tree, recipe);

		if (!c)
			return;
		c->obj = part;
		if (above)
			starpu_sched_component_connect(above, c);
		else
			tree->root = c;
		above = c;
	}
	for (unsigned i = 0; i < part->arity; i++)
		part_below(s, tree, above, part->children[i], placed);
	if (part->type == HWLOC_OBJ_PU && above)
		for (unsigned w = 0; w < xs_global.nworkers && w < STARPU_NMAXWORKERS; w++)
			if (!placed[w] && xy_machine_worker(xs_global.machine, w)->pu == (int)part->os_index &&
			    (s->mix_heterogeneous_workers || starpu_worker_get_type((int)w) == STARPU_CPU_WORKER)) {
				placed[w] = true;
				worker_below(s, tree, above, w, part);
			}
}

struct starpu_sched_tree *starpu_sched_component_make_scheduler(unsigned sched_ctx_id,
								struct starpu_sched_component_specs s)
{
	struct starpu_sched_tree *tree = starpu_sched_tree_create(sched_ctx_id);
	hwloc_topology_t topology = starpu_get_hwloc_topology();
	bool placed[STARPU_NMAXWORKERS] = { false };

	if (!tree || !topology)
		return tree;
	part_below(&s, tree, NULL, hwloc_get_root_obj(topology), placed);
	if (!tree->root && s.hwloc_machine_composed_sched_component)
		tree->root = starpu_sched_component_composed_component_create(tree,
									      s.hwloc_machine_composed_sched_component);
	if (!tree->root)
		xs_fail(-EINVAL, "a scheduler for the parts of the computer needs a recipe for the machine");
	/* Devices, and workers that are not bound */
	for (unsigned w = 0; tree->root && w < xs_global.nworkers && w < STARPU_NMAXWORKERS; w++)
		if (!placed[w])
			worker_below(&s, tree, tree->root, w, NULL);
	starpu_sched_tree_update_workers(tree);
	starpu_sched_tree_update_workers_in_ctx(tree);
	return tree;
}
