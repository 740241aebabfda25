/* SPDX-License-Identifier: MIT */
/*
 * Partitions. A filter of StarPU's fills in the struct of a child, which is the
 * view of Xylem's, so one filter of Xylem's calls them all. Plans begin and end
 * by themselves where a program does not say so.
 */
#include "internal.h"

struct xs_plan {
	struct xy_plan *xy;
	struct _starpu_data_state *parent, **children;
	unsigned nchildren;
	enum xy_mode active; /* 0, XY_R or XY_RW */
	struct xs_plan *next;
};

/* The whole of a partition or plan may change with any submission: one lock for
 * all. */
static pthread_mutex_t plans_lock = PTHREAD_MUTEX_INITIALIZER;

struct cut_arg {
	struct starpu_data_filter *filter;
	unsigned n;
};

static int cut_count(const struct xy_cut *cut, unsigned *n)
{
	*n = ((const struct cut_arg *)cut->filter->arg)->n;
	return 0;
}

/* Data of the program's own interface: only the order is Xylem's. */
static int cut_opaque(const struct xy_cut *cut)
{
	(void)cut;
	return 0;
}

static int cut_child(const struct xy_cut *cut)
{
	const struct cut_arg *arg = cut->filter->arg;
	char parent[XS_VIEW_ROOM];

	memcpy(parent, cut->parent, cut->interface->view_size);
	/* Filters of StarPU's look at dev_handle to see whether there is memory. All
   * dense structs begin alike. */
	if (xs_view_is_dense(parent)) {
		struct starpu_vector_interface *v = (struct starpu_vector_interface *)parent;

		v->dev_handle = v->ptr;
	}
	arg->filter->filter_func(parent, cut->child, arg->filter, cut->i, cut->n);
	return 0;
}

struct cutting {
	struct xy_filter_ops ops;
	struct xy_filter filter;
	struct cut_arg arg;
	struct starpu_data_interface_ops *child_ops;
	bool opaque;
};

static bool cutting_init(struct cutting *c, struct _starpu_data_state *h, struct starpu_data_filter *f)
{
	const struct xs_shape *shape;

	c->child_ops = f->get_child_ops ? f->get_child_ops(f, 0) : h->ops;
	shape = c->child_ops ? xs_shape_of(c->child_ops) : NULL;
	c->arg = (struct cut_arg){ f, f->get_nchildren ? f->get_nchildren(f, h) : f->nchildren };
	if (!c->child_ops || !f->filter_func || !c->arg.n) {
		xs_fail(-EINVAL, "'%s' can't be partitioned: %s", xy_handle_name(h->xy),
			!c->arg.n ? "the filter makes no children" : "the filter or its interface is unknown");
		return false;
	}
	c->opaque = !h->shape || !shape;
	if (!h->shape && xs_opaque_allocate(h))
		return false;
	c->ops = (struct xy_filter_ops){
		.name = "starpu",
		.child_interface = c->opaque ? &xy_void_interface : xs_shape_interface(shape),
		.reads = h->ops == &starpu_interface_csr_ops || h->ops == &starpu_interface_bcsr_ops,
		.count = cut_count,
		.child = c->opaque ? cut_opaque : cut_child,
	};
	c->filter = (struct xy_filter){ .ops = &c->ops, .n = c->arg.n, .arg = &c->arg };
	return true;
}

static struct _starpu_data_state *child_wrap(struct _starpu_data_state *parent, struct xy_handle *xy, unsigned i,
					     const struct cutting *c)
{
	struct _starpu_data_state *child = xs_handle_wrap(xy, c->child_ops, parent->home_node);

	if (!child)
		return NULL;
	if (c->opaque && xs_opaque_child(child, parent, c->arg.filter, i, c->arg.n)) {
		xs_handle_free(child);
		return NULL;
	}
	atomic_store(&child->initialised, atomic_load(&parent->initialised));
	child->parent = parent;
	child->index = i;
	atomic_store(&child->sequential, atomic_load(&parent->sequential));
	xs_reduction_inherit(child, parent);
	return child;
}

/* What a task wrote to the child is content of its parent. */
static void child_free(struct _starpu_data_state *child)
{
	if (atomic_load(&child->initialised))
		atomic_store(&child->parent->initialised, true);
	xs_handle_free(child);
}

/* --- synchronous --- */

void starpu_data_partition(starpu_data_handle_t initial_handle, struct starpu_data_filter *f)
{
	struct _starpu_data_state *h = initial_handle;
	struct cutting c;
	int error;

	if (!h || !f) {
		xs_fail(-EINVAL, "starpu_data_partition needs a handle and a filter");
		return;
	}
	if (h->nchildren) {
		xs_fail(-EBUSY, "'%s' is already partitioned", xy_handle_name(h->xy));
		return;
	}
	if (!cutting_init(&c, h, f))
		return;
	error = xy_partition(h->xy, &c.filter, NULL, 0);
	if (error) {
		xs_fail(error, "'%s' can't be partitioned: %s", xy_handle_name(h->xy), strerror(-error));
		return;
	}
	free(h->children);
	h->children = calloc(c.arg.n, sizeof(struct _starpu_data_state *));
	for (unsigned i = 0; i < c.arg.n && h->children; i++)
		h->children[i] = child_wrap(h, xy_handle_child(h->xy, i), i, &c);
	h->nchildren = c.arg.n;
}

void xs_unpartition(struct _starpu_data_state *h)
{
	int error;

	for (unsigned i = 0; i < h->nchildren; i++) {
		if (h->children[i]->nchildren)
			xs_unpartition(h->children[i]);
		xs_plans_free(h->children[i]);
	}
	error = xy_unpartition(h->xy);
	if (error)
		xs_fail(error, "'%s' can't be unpartitioned: %s", xy_handle_name(h->xy), strerror(-error));
	if (error == -EBUSY || error == -EDEADLK)
		return;
	for (unsigned i = 0; i < h->nchildren; i++)
		child_free(h->children[i]);
	free(h->children);
	h->children = NULL;
	h->nchildren = 0;
}

void starpu_data_unpartition(starpu_data_handle_t root_data, unsigned gathering_node)
{
	(void)gathering_node;
	if (!root_data)
		xs_fail(-EINVAL, "starpu_data_unpartition: no handle");
	else if (root_data->nchildren)
		xs_unpartition(root_data);
	else
		xs_fail(-EINVAL, "'%s' is not partitioned", xy_handle_name(root_data->xy));
}

starpu_data_handle_t starpu_data_get_child(starpu_data_handle_t handle, unsigned i)
{
	if (i < handle->nchildren)
		return handle->children[i];
	xs_fail(-EINVAL, "'%s' has no child %u", xy_handle_name(handle->xy), i);
	return NULL;
}

int starpu_data_get_nb_children(starpu_data_handle_t handle)
{
	return (int)handle->nchildren;
}

starpu_data_handle_t starpu_data_vget_sub_data(starpu_data_handle_t root_data, unsigned depth, va_list pa)
{
	struct _starpu_data_state *h = root_data;

	for (unsigned i = 0; i < depth && h; i++)
		h = starpu_data_get_child(h, va_arg(pa, unsigned));
	return h;
}

starpu_data_handle_t starpu_data_get_sub_data(starpu_data_handle_t root_data, unsigned depth, ...)
{
	starpu_data_handle_t h;
	va_list list;

	va_start(list, depth);
	h = starpu_data_vget_sub_data(root_data, depth, list);
	va_end(list);
	return h;
}

static void map_filters(starpu_data_handle_t h, unsigned n, struct starpu_data_filter **filters)
{
	if (!n)
		return;
	if (h->nchildren) {
		for (unsigned i = 0; i < h->nchildren; i++)
			map_filters(h->children[i], n, filters);
		return;
	}
	starpu_data_partition(h, filters[0]);
	for (unsigned i = 0; i < h->nchildren; i++)
		map_filters(h->children[i], n - 1, filters + 1);
}

void starpu_data_map_filters_parray(starpu_data_handle_t root_handle, int nfilters, struct starpu_data_filter **filters)
{
	map_filters(root_handle, (unsigned)nfilters, filters);
}

void starpu_data_map_filters_array(starpu_data_handle_t root_handle, int nfilters, struct starpu_data_filter *filters)
{
	struct starpu_data_filter *pointers[nfilters + 1];

	for (int i = 0; i < nfilters; i++)
		pointers[i] = &filters[i];
	map_filters(root_handle, (unsigned)nfilters, pointers);
}

void starpu_data_vmap_filters(starpu_data_handle_t root_data, unsigned nfilters, va_list pa)
{
	struct starpu_data_filter *filters[nfilters + 1];

	for (unsigned i = 0; i < nfilters; i++)
		filters[i] = va_arg(pa, struct starpu_data_filter *);
	map_filters(root_data, nfilters, filters);
}

void starpu_data_map_filters(starpu_data_handle_t root_data, unsigned nfilters, ...)
{
	va_list list;

	va_start(list, nfilters);
	starpu_data_vmap_filters(root_data, nfilters, list);
	va_end(list);
}

/* --- plans --- */

void starpu_data_partition_plan(starpu_data_handle_t initial_handle, struct starpu_data_filter *f,
				starpu_data_handle_t *children)
{
	struct _starpu_data_state *h = initial_handle;
	struct xs_plan *plan = calloc(1, sizeof *plan);
	struct cutting c;
	int error;

	if (!plan || !cutting_init(&c, h, f)) {
		free(plan);
		return;
	}
	error = xy_plan_create(h->xy, &c.filter, &plan->xy);
	plan->children = error ? NULL : calloc(c.arg.n, sizeof(struct _starpu_data_state *));
	if (!plan->children) {
		xs_fail(error, "starpu_data_partition_plan: '%s': %s", xy_handle_name(h->xy), strerror(-error));
		free(plan);
		return;
	}
	plan->parent = h;
	plan->nchildren = c.arg.n;
	for (unsigned i = 0; i < c.arg.n; i++) {
		plan->children[i] = child_wrap(h, xy_plan_child(plan->xy, i), i, &c);
		if (plan->children[i])
			plan->children[i]->plan = plan;
		if (children)
			children[i] = plan->children[i];
	}
	pthread_mutex_lock(&plans_lock);
	plan->next = h->plans;
	h->plans = plan;
	pthread_mutex_unlock(&plans_lock);
}

unsigned starpu_data_partition_get_nplans(starpu_data_handle_t handle)
{
	unsigned n = 0;

	pthread_mutex_lock(&plans_lock);
	for (const struct xs_plan *p = handle->plans; p; p = p->next)
		n++;
	pthread_mutex_unlock(&plans_lock);
	return n;
}

int starpu_data_get_nb_children_async(starpu_data_handle_t handle)
{
	unsigned n = 0;

	pthread_mutex_lock(&plans_lock);
	for (const struct xs_plan *p = handle->plans; p && !n; p = p->next)
		n = p->nchildren;
	pthread_mutex_unlock(&plans_lock);
	return (int)n;
}

/* With the lock: no plan of the handle, or of its children, is active any more.
 */
static int plan_end(struct xs_plan *plan)
{
	int error = 0;

	if (!plan->active)
		return 0;
	for (unsigned i = 0; i < plan->nchildren && !error; i++)
		for (struct xs_plan *p = plan->children[i]->plans; p && !error; p = p->next)
			error = plan_end(p);
	if (!error)
		error = xy_plan_end(plan->xy);
	if (!error)
		plan->active = (enum xy_mode)0;
	return error;
}

/* With the lock: the parent may be used in this mode, apart from `but`. */
static int plans_end(struct _starpu_data_state *h, enum xy_mode mode, const struct xs_plan *but)
{
	int error = 0;

	for (struct xs_plan *p = h->plans; p && !error; p = p->next)
		if (p != but && (mode == XY_RW || p->active == XY_RW))
			error = plan_end(p);
	return error;
}

static int handle_prepare(struct _starpu_data_state *h, enum xy_mode mode);

static int plan_begin(struct xs_plan *plan, enum xy_mode mode)
{
	int error;

	if (plan->active == XY_RW || plan->active == mode)
		return plan->active == XY_RW && mode == XY_R ? 0 : plans_end(plan->parent, mode, plan);
	error = plan->parent->plan ? handle_prepare(plan->parent, mode) : 0;
	if (!error)
		error = plan_end(plan);
	if (!error)
		error = plans_end(plan->parent, mode, plan);
	if (!error)
		error = xy_plan_begin(plan->xy, mode);
	if (!error)
		plan->active = mode;
	return error;
}

static int handle_prepare(struct _starpu_data_state *h, enum xy_mode mode)
{
	int error = h->plan ? plan_begin(h->plan, mode) : 0;

	return error ? error : plans_end(h, mode, NULL);
}

int xs_plans_prepare(struct _starpu_data_state *h, enum starpu_data_access_mode mode)
{
	int error;

	if (mode & STARPU_SCRATCH)
		return 0;
	pthread_mutex_lock(&plans_lock);
	error = handle_prepare(h, mode & (STARPU_W | STARPU_REDUX) ? XY_RW : XY_R);
	pthread_mutex_unlock(&plans_lock);
	return error ? xs_fail(error, "'%s' is partitioned otherwise: %s", xy_handle_name(h->xy), strerror(-error)) : 0;
}

static struct xs_plan *plan_of(starpu_data_handle_t *children, unsigned n, const char *who)
{
	if (n && children[0] && children[0]->plan)
		return children[0]->plan;
	xs_fail(-EINVAL, "%s: the children are not those of a plan", who);
	return NULL;
}

static void plan_submit(starpu_data_handle_t *children, unsigned n, enum xy_mode mode)
{
	struct xs_plan *plan = plan_of(children, n, "starpu_data_partition_submit");
	int error;

	if (!plan)
		return;
	pthread_mutex_lock(&plans_lock);
	error = plan_begin(plan, mode);
	pthread_mutex_unlock(&plans_lock);
	if (error)
		xs_fail(error, "starpu_data_partition_submit: %s", strerror(-error));
}

void starpu_data_partition_submit(starpu_data_handle_t initial_handle, unsigned nparts, starpu_data_handle_t *children)
{
	(void)initial_handle;
	plan_submit(children, nparts, XY_RW);
}

void starpu_data_partition_readonly_submit(starpu_data_handle_t initial_handle, unsigned nparts,
					   starpu_data_handle_t *children)
{
	(void)initial_handle;
	plan_submit(children, nparts, XY_R);
}

void starpu_data_partition_readonly_submit_sequential_consistency(starpu_data_handle_t initial_handle, unsigned nparts,
								  starpu_data_handle_t *children,
								  int sequential_consistency)
{
	(void)sequential_consistency;
	starpu_data_partition_readonly_submit(initial_handle, nparts, children);
}

void starpu_data_partition_readwrite_upgrade_submit(starpu_data_handle_t initial_handle, unsigned nparts,
						    starpu_data_handle_t *children)
{
	(void)initial_handle;
	plan_submit(children, nparts, XY_RW);
}

void starpu_data_partition_readonly_downgrade_submit(starpu_data_handle_t initial_handle, unsigned nparts,
						     starpu_data_handle_t *children)
{
	struct xs_plan *plan = plan_of(children, nparts, "starpu_data_partition_readonly_downgrade_submit");
	int error;

	(void)initial_handle;
	if (!plan)
		return;
	pthread_mutex_lock(&plans_lock);
	error = plan_end(plan);
	if (!error)
		error = plan_begin(plan, XY_R);
	pthread_mutex_unlock(&plans_lock);
	if (error)
		xs_fail(error, "starpu_data_partition_readonly_downgrade_submit: %s", strerror(-error));
}

/* Plans begin where the program does not say so; where it does, nothing is left to be done. */
void starpu_data_partition_not_automatic(starpu_data_handle_t handle)
{
	(void)handle;
}

void starpu_data_partition_submit_sequential_consistency(starpu_data_handle_t initial_handle, unsigned nparts,
							 starpu_data_handle_t *children, int sequential_consistency)
{
	(void)sequential_consistency;
	starpu_data_partition_submit(initial_handle, nparts, children);
}

void starpu_data_unpartition_submit(starpu_data_handle_t initial_handle, unsigned nparts,
				    starpu_data_handle_t *children, int gathering_node)
{
	struct xs_plan *plan = plan_of(children, nparts, "starpu_data_unpartition_submit");
	int error;

	(void)initial_handle;
	(void)gathering_node;
	if (!plan)
		return;
	pthread_mutex_lock(&plans_lock);
	error = plan_end(plan);
	pthread_mutex_unlock(&plans_lock);
	if (error)
		xs_fail(error, "starpu_data_unpartition_submit: %s", strerror(-error));
}

void starpu_data_unpartition_submit_sequential_consistency_cb(starpu_data_handle_t initial_handle, unsigned nparts,
							      starpu_data_handle_t *children, int gather_node,
							      int sequential_consistency, void (*callback_func)(void *),
							      void *callback_arg)
{
	starpu_data_unpartition_submit_sequential_consistency(initial_handle, nparts, children, gather_node,
							      sequential_consistency);
	/* Reading the whole comes after the tasks on its parts. */
	if (callback_func) {
		struct starpu_task *task = starpu_task_create_sync(initial_handle, STARPU_R);

		if (!task)
			return;
		task->callback_func = callback_func;
		task->callback_arg = callback_arg;
		if (starpu_task_submit(task))
			xs_task_free(task);
	}
}

void starpu_data_unpartition_submit_r(starpu_data_handle_t initial_handle, int gathering_node)
{
	(void)gathering_node;
	pthread_mutex_lock(&plans_lock);
	plans_end(initial_handle, XY_RW, NULL);
	pthread_mutex_unlock(&plans_lock);
}

/* The parent can be read, and so can the children. */
void starpu_data_unpartition_readonly_submit(starpu_data_handle_t initial_handle, unsigned nparts,
					     starpu_data_handle_t *children, int gathering_node)
{
	(void)gathering_node;
	starpu_data_unpartition_submit(initial_handle, nparts, children, gathering_node);
	starpu_data_partition_readonly_submit(initial_handle, nparts, children);
}

void starpu_data_unpartition_submit_sequential_consistency(starpu_data_handle_t initial_handle, unsigned nparts,
							   starpu_data_handle_t *children, int gathering_node,
							   int sequential_consistency)
{
	(void)sequential_consistency;
	starpu_data_unpartition_submit(initial_handle, nparts, children, gathering_node);
}

static void plan_free(struct xs_plan *plan)
{
	int error;

	pthread_mutex_lock(&plans_lock);
	plan_end(plan);
	pthread_mutex_unlock(&plans_lock);
	for (unsigned i = 0; i < plan->nchildren; i++)
		xs_plans_free(plan->children[i]);
	error = xy_plan_destroy(&plan->xy);
	if (error)
		xs_fail(error, "a plan can't be cleaned: %s", strerror(-error));
	for (unsigned i = 0; i < plan->nchildren; i++)
		child_free(plan->children[i]);
	free(plan->children);
	free(plan);
}

void xs_plans_free(struct _starpu_data_state *h)
{
	while (h->plans) {
		struct xs_plan *plan = h->plans;

		h->plans = plan->next;
		plan_free(plan);
	}
}

void starpu_data_partition_clean_node(starpu_data_handle_t root_data, unsigned nparts, starpu_data_handle_t *children,
				      int gather_node)
{
	struct xs_plan *plan = plan_of(children, nparts, "starpu_data_partition_clean"), **at = &root_data->plans;

	(void)gather_node;
	if (!plan)
		return;
	pthread_mutex_lock(&plans_lock);
	while (*at && *at != plan)
		at = &(*at)->next;
	if (*at)
		*at = plan->next;
	pthread_mutex_unlock(&plans_lock);
	plan_free(plan);
}

void starpu_data_partition_clean(starpu_data_handle_t root_data, unsigned nparts, starpu_data_handle_t *children)
{
	starpu_data_partition_clean_node(root_data, nparts, children, STARPU_MAIN_RAM);
}
