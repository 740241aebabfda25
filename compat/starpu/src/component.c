/* SPDX-License-Identifier: MIT */
/*
 * Components in general, and their trees: one for each context, which the hub calls as a policy.
 */
#include "component.h"

/* --- links --- */

static void link_add(struct starpu_sched_component ***array, unsigned *n, struct starpu_sched_component *c)
{
	struct starpu_sched_component **grown;

	for (unsigned i = 0; i < *n; i++)
		if ((*array)[i] == c)
			return;
	grown = realloc(*array, (*n + 1) * sizeof *grown);
	if (!grown) {
		xs_fail(-ENOMEM, "no memory for a link of components");
		return;
	}
	*array = grown;
	grown[(*n)++] = c;
}

static void link_remove(struct starpu_sched_component **array, unsigned *n, const struct starpu_sched_component *c)
{
	for (unsigned i = 0; i < *n; i++)
		if (array[i] == c) {
			array[i] = array[--*n];
			return;
		}
}

void starpu_sched_component_add_child(struct starpu_sched_component *component, struct starpu_sched_component *child)
{
	link_add(&component->children, &component->nchildren, child);
}

static void remove_child(struct starpu_sched_component *component, struct starpu_sched_component *child)
{
	link_remove(component->children, &component->nchildren, child);
}

static void add_parent(struct starpu_sched_component *component, struct starpu_sched_component *parent)
{
	link_add(&component->parents, &component->nparents, parent);
}

static void remove_parent(struct starpu_sched_component *component, struct starpu_sched_component *parent)
{
	link_remove(component->parents, &component->nparents, parent);
}

void starpu_sched_component_connect(struct starpu_sched_component *parent, struct starpu_sched_component *child)
{
	if (!parent || !child) {
		xs_fail(-EINVAL, "starpu_sched_component_connect: a component is missing");
		return;
	}
	parent->add_child(parent, child);
	child->add_parent(child, parent);
}

/* --- the default verbs --- */

int starpu_sched_component_push_task(struct starpu_sched_component *from, struct starpu_sched_component *to,
				     struct starpu_task *task)
{
	(void)from;
	return component_push(to, task);
}

struct starpu_task *starpu_sched_component_pull_task(struct starpu_sched_component *from,
						     struct starpu_sched_component *to)
{
	return from->pull_task(from, to);
}

struct starpu_task *starpu_sched_component_parents_pull_task(struct starpu_sched_component *component,
							     struct starpu_sched_component *to)
{
	struct starpu_task *task = NULL;

	(void)to;
	for (unsigned i = 0; i < component->nparents && !task; i++)
		task = component->parents[i]->pull_task(component->parents[i], component);
	return task;
}

int starpu_sched_component_can_push(struct starpu_sched_component *component, struct starpu_sched_component *to)
{
	(void)to;
	for (unsigned i = 0; i < component->nparents; i++)
		if (component->parents[i]->can_push(component->parents[i], component))
			return 1;
	return 0;
}

int starpu_sched_component_send_can_push_to_parents(struct starpu_sched_component *component)
{
	return starpu_sched_component_can_push(component, NULL);
}

int starpu_sched_component_can_pull(struct starpu_sched_component *component)
{
	for (unsigned i = 0; i < component->nchildren; i++)
		if (component->children[i]->can_pull(component->children[i]))
			return 1;
	return 0;
}

int starpu_sched_component_can_pull_all(struct starpu_sched_component *component)
{
	int any = 0;

	for (unsigned i = 0; i < component->nchildren; i++)
		any |= component->children[i]->can_pull(component->children[i]);
	return any;
}

struct starpu_task *starpu_sched_component_pump_to(struct starpu_sched_component *component,
						   struct starpu_sched_component *to, int *success)
{
	struct starpu_task *task;

	while ((task = component->pull_task(component, to))) {
		if (component_push(to, task))
			return task;
		if (success)
			*success = 1;
	}
	return NULL;
}

struct starpu_task *starpu_sched_component_pump_downstream(struct starpu_sched_component *component, int *success)
{
	if (component->nchildren == 1)
		return starpu_sched_component_pump_to(component, component->children[0], success);
	xs_fail(-EINVAL, "component '%s' has %u children, and pumps to one", component->name, component->nchildren);
	return NULL;
}

/* --- estimates --- */

double starpu_sched_component_estimated_load(struct starpu_sched_component *component)
{
	double sum = 0;

	for (unsigned i = 0; i < component->nchildren; i++)
		sum += component->children[i]->estimated_load(component->children[i]);
	return sum;
}

double starpu_sched_component_estimated_end_min(struct starpu_sched_component *component)
{
	double least = INFINITY;

	for (unsigned i = 0; i < component->nchildren; i++)
		least = fmin(least, component->children[i]->estimated_end(component->children[i]));
	return isinf(least) ? starpu_timing_now() : least;
}

double starpu_sched_component_estimated_end_min_add(struct starpu_sched_component *component, double exp_len)
{
	int n = starpu_bitmap_cardinal(component->workers_in_ctx);

	return starpu_sched_component_estimated_end_min(component) + exp_len / (n > 0 ? n : 1);
}

double starpu_sched_component_estimated_end_average(struct starpu_sched_component *component)
{
	double sum = 0;

	for (unsigned i = 0; i < component->nchildren; i++)
		sum += component->children[i]->estimated_end(component->children[i]);
	return component->nchildren ? sum / component->nchildren : starpu_timing_now();
}

/* --- creation --- */

static void nothing(struct starpu_sched_component *component)
{
	(void)component;
}

struct starpu_sched_component *starpu_sched_component_create(struct starpu_sched_tree *tree, const char *name)
{
	struct starpu_sched_component *c = calloc(1, sizeof *c);

	if (c) {
		c->workers = starpu_bitmap_create();
		c->workers_in_ctx = starpu_bitmap_create();
		c->name = strdup(name ? name : "component");
	}
	if (!c || !c->workers || !c->workers_in_ctx || !c->name) {
		xs_fail(-ENOMEM, "no memory for a component");
		if (c) {
			starpu_bitmap_destroy(c->workers);
			starpu_bitmap_destroy(c->workers_in_ctx);
			free(c->name);
		}
		free(c);
		return NULL;
	}
	c->tree = tree;
	c->add_child = starpu_sched_component_add_child;
	c->remove_child = remove_child;
	c->add_parent = add_parent;
	c->remove_parent = remove_parent;
	c->pull_task = starpu_sched_component_parents_pull_task;
	c->can_push = starpu_sched_component_can_push;
	c->can_pull = starpu_sched_component_can_pull;
	c->estimated_load = starpu_sched_component_estimated_load;
	c->estimated_end = starpu_sched_component_estimated_end_min;
	c->deinit_data = nothing;
	c->notify_change_workers = nothing;
	return c;
}

void starpu_sched_component_destroy(struct starpu_sched_component *component)
{
	if (!component)
		return;
	for (unsigned i = 0; i < component->nchildren; i++)
		component->children[i]->remove_parent(component->children[i], component);
	for (unsigned i = 0; i < component->nparents; i++)
		component->parents[i]->remove_child(component->parents[i], component);
	component->deinit_data(component);
	free(component->children);
	free(component->parents);
	starpu_bitmap_destroy(component->workers);
	starpu_bitmap_destroy(component->workers_in_ctx);
	free(component->name);
	free(component);
}

void starpu_sched_component_destroy_rec(struct starpu_sched_component *component)
{
	while (component && component->nchildren) {
		struct starpu_sched_component *child = component->children[component->nchildren - 1];

		component->remove_child(component, child);
		child->remove_parent(child, component);
		if (!child->nparents && !starpu_sched_component_is_worker(child))
			starpu_sched_component_destroy_rec(child);
	}
	starpu_sched_component_destroy(component);
}

/* --- what workers below can do --- */

int starpu_sched_component_can_execute_task(struct starpu_sched_component *component, struct starpu_task *task)
{
	for (int w = component_worker(component); w >= 0; w = starpu_bitmap_next(component->workers_in_ctx, w))
		if (starpu_worker_can_execute_task_first_impl((unsigned)w, task, NULL))
			return 1;
	return 0;
}

/* Implementations of Xylem's are those that are there, in order. */
static unsigned implementation_of(const struct starpu_task *task, int worker, unsigned implementation)
{
	const starpu_cpu_func_t *functions;
	unsigned rank = 0;

	switch (starpu_worker_get_type(worker)) {
	case STARPU_CUDA_WORKER:
		functions = task->cl->cuda_funcs;
		break;
	case STARPU_OPENCL_WORKER:
		functions = task->cl->opencl_funcs;
		break;
	case STARPU_HIP_WORKER:
		functions = task->cl->hip_funcs;
		break;
	default:
		functions = task->cl->cpu_funcs;
	}
	for (unsigned i = 0; i < implementation; i++)
		rank += functions[i] != NULL;
	return rank;
}

double component_length(struct starpu_task *task, int worker, unsigned implementation)
{
	struct xy_prediction prediction;
	bool own;
	struct xy_task *xy = xs_probe(task, &own);

	if (!xy)
		return 0;
	prediction = xy_task_length(xy, (unsigned)worker, implementation_of(task, worker, implementation));
	if (own)
		xy_task_release(xy);
	return prediction.kind == XY_PREDICTION_VALUE ? prediction.us : prediction.kind == XY_PREDICTION_NONE ? 0 : NAN;
}

void component_choose(struct starpu_task *task, unsigned implementation)
{
	struct xs_job *job = xs_job(task);

	starpu_task_set_implementation(task, implementation);
	if (job && job->kept)
		xy_task_set_implementation(job->kept, implementation_of(task, 0, implementation));
}

int starpu_sched_component_execute_preds(struct starpu_sched_component *component, struct starpu_task *task,
					 double *length)
{
	unsigned class = 0;
	bool can = false, uncalibrated = false;
	double best = INFINITY;

	for (int w = component_worker(component); w >= 0; w = starpu_bitmap_next(component->workers_in_ctx, w)) {
		unsigned mask, its = xy_machine_worker(xs_global.machine, (unsigned)w)->worker_class;

		if ((can && its == class) || !starpu_worker_can_execute_task_impl((unsigned)w, task, &mask))
			continue;
		can = true;
		class = its;
		for (unsigned i = 0; mask >> i; i++)
			if (mask >> i & 1) {
				double us = component_length(task, w, i);

				uncalibrated = uncalibrated || isnan(us);
				best = us > 0 && us < best ? us : best;
			}
	}
	if (can && length)
		*length = uncalibrated ? NAN : isinf(best) ? 0 : best;
	return can;
}

double starpu_sched_component_transfer_length(struct starpu_sched_component *component, struct starpu_task *task)
{
	double sum = 0;
	int n = 0;

	for (int w = component_worker(component); w >= 0; w = starpu_bitmap_next(component->workers_in_ctx, w), n++) {
		sum += starpu_task_expected_data_transfer_time_for(task, (unsigned)w);
		if (STARPU_SCHED_COMPONENT_IS_SINGLE_MEMORY_NODE(component))
			return sum;
	}
	return n ? sum / n : 0;
}

void starpu_sched_component_prefetch_on_node(struct starpu_sched_component *component, struct starpu_task *task)
{
	int worker = component_worker(component);

	if (worker >= 0 && STARPU_SCHED_COMPONENT_IS_SINGLE_MEMORY_NODE(component) &&
	    starpu_worker_can_execute_task_first_impl((unsigned)worker, task, NULL))
		starpu_prefetch_task_input_for(task, (unsigned)worker);
}
