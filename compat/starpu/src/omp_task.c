/* SPDX-License-Identifier: MIT */
/*
 * Explicit tasks of OpenMP: a task waits for older ones of the same parent that use the same handles. Data is in RAM.
 */
#include "omp.h"

void xs_omp_task_unref(struct omp_task *task)
{
	while (task && task->explicit_task && !--task->references) {
		struct omp_task *parent = task->parent;

		free(task->after);
		free(task->handles);
		free(task->modes);
		free(task);
		task = parent;
	}
}

/* --- with the region's lock held --- */

static void task_enqueue(struct omp_region *region, struct omp_task *task)
{
	task->next = NULL;
	*region->ready_end = task;
	region->ready_end = &task->next;
	pthread_cond_broadcast(&region->cond);
}

static struct omp_task *task_dequeue(struct omp_region *region)
{
	struct omp_task *task = region->ready;

	if (!task)
		return NULL;
	region->ready = task->next;
	if (!region->ready)
		region->ready_end = &region->ready;
	return task;
}

static bool tasks_conflict(const struct omp_task *a, const struct omp_task *b)
{
	for (unsigned i = 0; i < a->nbuffers; i++)
		for (unsigned k = 0; k < b->nbuffers; k++)
			if (a->handles[i] == b->handles[k] && ((a->modes[i] | b->modes[k]) & STARPU_W))
				return true;
	return false;
}

/* The younger one waits for the older one. False without memory. */
static bool task_follow(struct omp_task *older, struct omp_task *younger)
{
	struct omp_task **after = realloc(older->after, (older->nafter + 1) * sizeof(struct omp_task *));

	if (!after)
		return false;
	older->after = after;
	after[older->nafter++] = younger;
	younger->waits++;
	return true;
}

static void task_enter(struct omp_region *region, struct omp_task *task)
{
	for (struct omp_task *older = region->unended; older && task->nbuffers; older = older->older)
		if (older->parent == task->parent && tasks_conflict(older, task) && !task_follow(older, task))
			xs_fail(-ENOMEM, "no memory for a dependency of an OpenMP task");
	task->older = region->unended;
	if (task->older)
		task->older->newer = task;
	region->unended = task;
	region->pending++;
	task->parent->children++;
	if (task->parent->explicit_task)
		task->parent->references++;
	for (struct omp_group *g = task->joined; g; g = g->outer)
		g->left++;
}

static void task_leave(struct omp_region *region, struct omp_task *task)
{
	if (task->older)
		task->older->newer = task->newer;
	*(task->newer ? &task->newer->older : &region->unended) = task->older;
	for (unsigned i = 0; i < task->nafter; i++)
		if (!--task->after[i]->waits)
			task_enqueue(region, task->after[i]);
	region->pending--;
	task->parent->children--;
	for (struct omp_group *g = task->joined; g; g = g->outer)
		g->left--;
	xs_omp_task_unref(task);
	pthread_cond_broadcast(&region->cond);
}

static void task_run(struct omp_thread *thread, struct omp_task *task)
{
	struct omp_task *outer = thread->task;
	void *buffers[task->nbuffers + 1];

	pthread_mutex_unlock(&thread->region->lock);
	for (unsigned i = 0; i < task->nbuffers; i++)
		buffers[i] = xs_view(task->handles[i]);
	thread->task = task;
	task->function(buffers, task->argument);
	thread->task = outer;
	if (task->frees)
		free(task->argument);
	pthread_mutex_lock(&thread->region->lock);
	task_leave(thread->region, task);
}

bool xs_omp_run_one(struct omp_thread *thread)
{
	struct omp_task *task = task_dequeue(thread->region);

	if (task)
		task_run(thread, task);
	return task;
}

void xs_omp_help(struct omp_thread *thread, const unsigned *count)
{
	while (*count)
		if (!xs_omp_run_one(thread))
			pthread_cond_wait(&thread->region->cond, &thread->region->lock);
}

/* --- for programs --- */

static struct omp_task *task_create(const struct starpu_omp_task_region_attr *attr, struct omp_task *parent)
{
	struct omp_task *task = calloc(1, sizeof *task);
	unsigned n = attr->cl.nbuffers > 0 ? (unsigned)attr->cl.nbuffers : 0;

	if (!task)
		return NULL;
	task->handles = calloc(n + 1, sizeof(starpu_data_handle_t));
	task->modes = calloc(n + 1, sizeof *task->modes);
	if (!task->handles || !task->modes) {
		free(task->handles);
		free(task->modes);
		free(task);
		return NULL;
	}
	for (unsigned i = 0; i < n; i++) {
		task->handles[i] = attr->handles[i];
		task->modes[i] = STARPU_CODELET_GET_MODE(&attr->cl, i);
	}
	task->parent = parent;
	task->joined = task->group = parent->group;
	task->references = 1;
	task->nbuffers = n;
	task->function = attr->cl.cpu_funcs[0];
	task->argument = attr->cl_arg;
	task->frees = attr->cl_arg_free;
	task->final = parent->final || attr->final_clause;
	task->explicit_task = true;
	return task;
}

static void task_submit(struct omp_task *task, bool deferred)
{
	struct omp_thread *thread = xs_omp_thread();
	struct omp_region *region = thread->region;

	pthread_mutex_lock(&region->lock);
	task_enter(region, task);
	if (deferred) {
		if (!task->waits)
			task_enqueue(region, task);
	} else {
		task->waits++; /* this thread runs it, none from the queue */
		while (task->waits > 1)
			if (!xs_omp_run_one(thread))
				pthread_cond_wait(&region->cond, &region->lock);
		task_run(thread, task);
	}
	pthread_mutex_unlock(&region->lock);
}

void starpu_omp_task_region(const struct starpu_omp_task_region_attr *attr)
{
	struct omp_thread *thread = xs_omp_thread();
	struct omp_task *task = attr->cl.cpu_funcs[0] ? task_create(attr, thread->task) : NULL;

	if (!task) {
		xs_fail(attr->cl.cpu_funcs[0] ? -ENOMEM : -ENODEV, "starpu_omp_task_region: %s",
			attr->cl.cpu_funcs[0] ? "no memory" : "the codelet has no function for CPUs");
		return;
	}
	task_submit(task, attr->if_clause && !task->final);
}

void starpu_omp_taskwait(void)
{
	struct omp_thread *thread = xs_omp_thread();

	pthread_mutex_lock(&thread->region->lock);
	xs_omp_help(thread, &thread->task->children);
	pthread_mutex_unlock(&thread->region->lock);
}

void starpu_omp_taskgroup_inline_begin(void)
{
	struct omp_task *task = xs_omp_thread()->task;
	struct omp_group *group = calloc(1, sizeof *group);

	if (!group) {
		xs_fail(-ENOMEM, "starpu_omp_taskgroup: no memory");
		return;
	}
	group->outer = task->group;
	task->group = group;
}

void starpu_omp_taskgroup_inline_end(void)
{
	struct omp_thread *thread = xs_omp_thread();
	struct omp_group *group = thread->task->group;

	if (!group || group == thread->task->joined) {
		xs_fail(-EINVAL, "starpu_omp_taskgroup_inline_end without a beginning");
		return;
	}
	pthread_mutex_lock(&thread->region->lock);
	xs_omp_help(thread, &group->left);
	pthread_mutex_unlock(&thread->region->lock);
	thread->task->group = group->outer;
	free(group);
}

void starpu_omp_taskgroup(void (*f)(void *arg), void *arg)
{
	starpu_omp_taskgroup_inline_begin();
	f(arg);
	starpu_omp_taskgroup_inline_end();
}

/* Each task gets a copy of the attributes, with the range of its iterations. */
void starpu_omp_taskloop_inline_begin(struct starpu_omp_task_region_attr *attr)
{
	unsigned long long tasks = attr->num_tasks > 0 ? (unsigned long long)attr->num_tasks
				   : attr->grainsize   ? attr->nb_iterations / attr->grainsize
						       : 4,
			   each;

	if (!attr->nogroup_clause)
		starpu_omp_taskgroup_inline_begin();
	tasks = tasks ? tasks : 1;
	each = attr->nb_iterations / tasks;
	for (unsigned long long i = 0; i < tasks; i++) {
		struct starpu_omp_task_region_attr piece = *attr, *copy = malloc(sizeof *copy);

		if (!copy) {
			xs_fail(-ENOMEM, "starpu_omp_taskloop: no memory");
			return;
		}
		piece.is_loop = 1;
		piece.begin_i = i * each;
		piece.end_i = i + 1 == tasks ? attr->nb_iterations : (i + 1) * each;
		piece.chunk = piece.end_i - piece.begin_i;
		*copy = piece;
		piece.cl_arg = copy;
		piece.cl_arg_size = sizeof *copy;
		piece.cl_arg_free = 1;
		starpu_omp_task_region(&piece);
	}
}

void starpu_omp_taskloop_inline_end(const struct starpu_omp_task_region_attr *attr)
{
	if (!attr->nogroup_clause)
		starpu_omp_taskgroup_inline_end();
}

/* --- data --- */

void starpu_omp_handle_register(starpu_data_handle_t handle)
{
	(void)handle; /* handles are found by their addresses as they are */
}

void starpu_omp_handle_unregister(starpu_data_handle_t handle)
{
	(void)handle;
}

starpu_data_handle_t starpu_omp_data_lookup(const void *ptr)
{
	return starpu_data_lookup(ptr);
}

void starpu_omp_vector_annotate(starpu_data_handle_t handle, uint32_t slice_base)
{
	if (handle->ops == &starpu_interface_vector_ops)
		((struct starpu_vector_interface *)xs_view(handle))->slice_base = slice_base;
	else
		xs_fail(-EINVAL, "starpu_omp_vector_annotate: '%s' is not a vector", xy_handle_name(handle->xy));
}

struct starpu_arbiter *starpu_omp_get_default_arbiter(void)
{
	static starpu_arbiter_t arbiter;

	if (!arbiter)
		arbiter = starpu_arbiter_create();
	return arbiter;
}
