/* SPDX-License-Identifier: MIT */
/*
 * The leaves of a tree of components: one for each worker of a context, with the tasks that were pushed to it, and when
 * it will be free.
 */
#include "component.h"

struct leaf {
	int worker;
	pthread_mutex_t lock; /* guards what follows */
	struct component_queue queue;
	double busy_until; /* the task that runs ends then, in microseconds */
};

static struct starpu_sched_component *leaves[STARPU_NMAX_SCHED_CTXS][STARPU_NMAXWORKERS]; /* with leaves_lock */
static pthread_mutex_t leaves_lock = PTHREAD_MUTEX_INITIALIZER;

static struct starpu_task *leaf_own(struct starpu_sched_component *c)
{
	struct leaf *leaf = c->data;
	struct starpu_task *task;

	pthread_mutex_lock(&leaf->lock);
	task = component_queue_take(&leaf->queue, NULL, false);
	pthread_mutex_unlock(&leaf->lock);
	return task;
}

static int leaf_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	struct leaf *leaf = c->data;

	task->workerid = (unsigned)leaf->worker;
	starpu_prefetch_task_input_for(task, (unsigned)leaf->worker);
	starpu_push_task_end(task); /* in the queue, another worker may run and free it */
	pthread_mutex_lock(&leaf->lock);
	component_queue_insert(&leaf->queue, task, false, false);
	pthread_mutex_unlock(&leaf->lock);
	starpu_wake_worker(leaf->worker);
	return 0;
}

/* What is above may answer by a push. */
static struct starpu_task *leaf_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct starpu_task *task = leaf_own(c);

	if (!task)
		task = starpu_sched_component_parents_pull_task(c, to);
	return task ? task : leaf_own(c);
}

static int leaf_can_pull(struct starpu_sched_component *c)
{
	return starpu_wake_worker(((struct leaf *)c->data)->worker);
}

static double leaf_end(struct starpu_sched_component *c)
{
	struct leaf *leaf = c->data;
	double now = starpu_timing_now(), end;

	pthread_mutex_lock(&leaf->lock);
	end = fmax(now, leaf->busy_until) + leaf->queue.exp_len;
	pthread_mutex_unlock(&leaf->lock);
	return end;
}

static double leaf_load(struct starpu_sched_component *c)
{
	struct leaf *leaf = c->data;
	const struct xy_worker_info *info = xy_machine_worker(xs_global.machine, (unsigned)leaf->worker);
	unsigned n;

	pthread_mutex_lock(&leaf->lock);
	n = leaf->queue.ntasks + (leaf->busy_until > starpu_timing_now());
	pthread_mutex_unlock(&leaf->lock);
	return info && info->speed > 0 ? n / info->speed : n;
}

static void leaf_fini(struct starpu_sched_component *c)
{
	struct leaf *leaf = c->data;

	pthread_mutex_destroy(&leaf->lock);
	free(leaf);
}

static struct starpu_sched_component *leaf_create(unsigned context, int worker)
{
	struct starpu_sched_component *c;
	struct leaf *leaf = calloc(1, sizeof *leaf);
	char name[64] = "worker ";

	if (!leaf)
		return NULL;
	starpu_worker_get_name(worker, name + strlen(name), sizeof name - strlen(name));
	c = starpu_sched_component_create(starpu_sched_tree_get(context), name);
	if (!c) {
		free(leaf);
		return NULL;
	}
	leaf->worker = worker;
	pthread_mutex_init(&leaf->lock, NULL);
	c->data = leaf;
	c->push_task = leaf_push;
	c->pull_task = leaf_pull;
	c->can_pull = leaf_can_pull;
	c->estimated_end = leaf_end;
	c->estimated_load = leaf_load;
	c->deinit_data = leaf_fini;
	starpu_bitmap_set(c->workers, worker);
	component_properties(c);
	return c;
}

struct starpu_sched_component *starpu_sched_component_worker_get(unsigned sched_ctx, int workerid)
{
	struct starpu_sched_component *c;

	bool team = workerid >= 0 && starpu_worker_is_combined_worker(workerid);

	if (sched_ctx >= STARPU_NMAX_SCHED_CTXS || workerid < 0 ||
	    ((unsigned)workerid >= xs_global.nworkers && !team) || workerid >= STARPU_NMAXWORKERS) {
		xs_fail(-EINVAL, "there is no worker %d of context %u for a component", workerid, sched_ctx);
		return NULL;
	}
	pthread_mutex_lock(&leaves_lock);
	if (!leaves[sched_ctx][workerid])
		leaves[sched_ctx][workerid] = team ? component_team_create(sched_ctx, workerid)
						   : leaf_create(sched_ctx, workerid);
	c = leaves[sched_ctx][workerid];
	pthread_mutex_unlock(&leaves_lock);
	return c;
}

struct starpu_sched_component *starpu_sched_component_worker_new(unsigned sched_ctx, int workerid)
{
	return starpu_sched_component_worker_get(sched_ctx, workerid);
}

void component_workers_fini(unsigned context)
{
	pthread_mutex_lock(&leaves_lock);
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++) {
		starpu_sched_component_destroy(leaves[context][i]);
		leaves[context][i] = NULL;
	}
	pthread_mutex_unlock(&leaves_lock);
}

int starpu_sched_component_is_simple_worker(struct starpu_sched_component *component)
{
	return component->push_task == leaf_push;
}

int starpu_sched_component_is_worker(struct starpu_sched_component *component)
{
	return starpu_sched_component_is_simple_worker(component) ||
	       starpu_sched_component_is_combined_worker(component);
}

int starpu_sched_component_worker_get_workerid(struct starpu_sched_component *worker_component)
{
	if (starpu_sched_component_is_combined_worker(worker_component))
		return component_team_id(worker_component);
	if (starpu_sched_component_is_simple_worker(worker_component))
		return ((struct leaf *)worker_component->data)->worker;
	return xs_fail(-EINVAL, "component '%s' is not a worker", worker_component->name);
}

/* --- when the worker is free --- */

static void leaf_busy(unsigned context, double length)
{
	struct starpu_sched_component *c = NULL;

	if (context < STARPU_NMAX_SCHED_CTXS && xs_worker() >= 0)
		c = starpu_sched_component_worker_get(context, xs_worker());
	if (c) {
		struct leaf *leaf = c->data;

		pthread_mutex_lock(&leaf->lock);
		leaf->busy_until = starpu_timing_now() + length;
		pthread_mutex_unlock(&leaf->lock);
	}
}

void starpu_sched_component_worker_pre_exec_hook(struct starpu_task *task, unsigned sched_ctx_id)
{
	leaf_busy(sched_ctx_id, isnan(task->predicted) ? 0 : task->predicted);
}

void starpu_sched_component_worker_post_exec_hook(struct starpu_task *task, unsigned sched_ctx_id)
{
	(void)task;
	leaf_busy(sched_ctx_id, 0);
}
