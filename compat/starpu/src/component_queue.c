/* SPDX-License-Identifier: MIT */
/*
 * Reservoirs: fifo and prio.
 */
#include "component.h"

#define READY 64u /* tasks among which the one with the fewest bytes to fetch is looked for */

/* --- a queue --- */

static double length_of(const struct starpu_task *task)
{
	double length = isnan(task->predicted) ? 0 : task->predicted;

	return isnan(task->predicted_transfer) ? length : length + task->predicted_transfer;
}

static void list_insert_before(struct starpu_task_list *list, struct starpu_task *task, struct starpu_task *next)
{
	if (!next) {
		starpu_task_list_push_back(list, task);
		return;
	}
	task->next = next;
	task->prev = next->prev;
	*(next->prev ? &next->prev->next : &list->head) = task;
	next->prev = task;
}

void component_queue_insert(struct component_queue *q, struct starpu_task *task, bool by_priority, bool first)
{
	struct starpu_task *next;

	q->ntasks++;
	q->exp_len += length_of(task);
	if (!by_priority && task->priority <= 0 && !first) {
		starpu_task_list_push_back(&q->list, task);
	} else if (first) {
		for (next = q->list.head; next && next->priority > task->priority; next = next->next)
			;
		list_insert_before(&q->list, task, next);
	} else {
		/* From the back: most tasks come in the order in which they leave. */
		for (next = q->list.tail; next && next->priority < task->priority; next = next->prev)
			;
		list_insert_before(&q->list, task, next ? next->next : q->list.head);
	}
}

static size_t missing(struct starpu_task *task, int worker)
{
	struct xs_job *job = task->starpu_private;

	return job && job->kept ? xy_task_missing_bytes(job->kept, (unsigned)worker) : 0;
}

struct starpu_task *component_queue_take(struct component_queue *q, struct starpu_sched_component *to, bool ready)
{
	struct starpu_task *task = q->list.head, *best = NULL;
	size_t least = SIZE_MAX;
	unsigned seen = 0;

	ready = ready && to && STARPU_SCHED_COMPONENT_IS_SINGLE_MEMORY_NODE(to) && component_worker(to) >= 0;
	for (; task && seen < READY && least; task = task->next, seen++) {
		if (best && task->priority != best->priority)
			break;
		if (to && !starpu_sched_component_can_execute_task(to, task)) {
			seen--;
			continue;
		}
		if (!ready) {
			best = task;
			break;
		}
		if (!best || missing(task, component_worker(to)) < least) {
			best = task;
			least = missing(task, component_worker(to));
		}
	}
	if (!best)
		return NULL;
	starpu_task_list_erase(&q->list, best);
	q->ntasks--;
	q->exp_len = q->ntasks ? fmax(0, q->exp_len - length_of(best)) : 0;
	return best;
}

/* --- the components --- */

struct reservoir {
	pthread_mutex_t lock; /* guards the queue */
	struct component_queue queue;
	struct starpu_sched_component_fifo_data limits;
	bool by_priority;
};

static int reservoir_store(struct starpu_sched_component *c, struct starpu_task *task)
{
	struct reservoir *r = c->data;
	bool full;

	pthread_mutex_lock(&r->lock);
	full = r->limits.ntasks_threshold && r->queue.ntasks >= r->limits.ntasks_threshold;
	if (r->limits.exp_len_threshold > 0 && r->queue.ntasks)
		full = full || r->queue.exp_len + length_of(task) >= r->limits.exp_len_threshold;
	if (!full)
		component_queue_insert(&r->queue, task, r->by_priority, false);
	pthread_mutex_unlock(&r->lock);
	if (full)
		return 1;
	c->can_pull(c);
	return 0;
}

static int fifo_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	starpu_sched_component_prefetch_on_node(c, task);
	return reservoir_store(c, task);
}

static int prio_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	starpu_sched_component_prefetch_on_node(c, task);
	return reservoir_store(c, task);
}

static struct starpu_task *reservoir_take(struct reservoir *r, struct starpu_sched_component *to)
{
	struct starpu_task *task;

	pthread_mutex_lock(&r->lock);
	task = component_queue_take(&r->queue, to, r->limits.ready);
	pthread_mutex_unlock(&r->lock);
	return task;
}

static struct starpu_task *reservoir_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct reservoir *r = c->data;
	struct starpu_task *task = reservoir_take(r, to);

	/* There is room now, or there was: who is above may push. */
	starpu_sched_component_send_can_push_to_parents(c);
	if (!task)
		task = reservoir_take(r, to);
	return task;
}

static int reservoir_can_push(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct reservoir *r = c->data;
	struct starpu_task *task;
	int moved = 0;

	while ((task = reservoir_take(r, to))) {
		if (component_push(to, task)) {
			pthread_mutex_lock(&r->lock);
			component_queue_insert(&r->queue, task, r->by_priority, true);
			pthread_mutex_unlock(&r->lock);
			break;
		}
		moved = 1;
	}
	return starpu_sched_component_send_can_push_to_parents(c) || moved;
}

static double reservoir_end(struct starpu_sched_component *c)
{
	struct reservoir *r = c->data;
	double length;

	pthread_mutex_lock(&r->lock);
	length = r->queue.exp_len;
	pthread_mutex_unlock(&r->lock);
	return starpu_sched_component_estimated_end_min_add(c, length);
}

static double reservoir_load(struct starpu_sched_component *c)
{
	struct reservoir *r = c->data;
	double speed = 0;
	unsigned n;
	int workers = 0;

	for (int w = component_worker(c); w >= 0; w = starpu_bitmap_next(c->workers_in_ctx, w), workers++)
		speed += xy_machine_worker(xs_global.machine, (unsigned)w)->speed;
	pthread_mutex_lock(&r->lock);
	n = r->queue.ntasks;
	pthread_mutex_unlock(&r->lock);
	return starpu_sched_component_estimated_load(c) + (speed > 0 ? n * workers / speed : n);
}

static void reservoir_fini(struct starpu_sched_component *c)
{
	struct reservoir *r = c->data;

	if (r->queue.ntasks)
		xs_note("component '%s' is destroyed with %u tasks", c->name, r->queue.ntasks);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

static struct starpu_sched_component *reservoir_create(struct starpu_sched_tree *tree, const char *name)
{
	struct starpu_sched_component *c = starpu_sched_component_create(tree, name);
	struct reservoir *r = calloc(1, sizeof *r);

	if (!c || !r) {
		starpu_sched_component_destroy(c);
		free(r);
		return NULL;
	}
	pthread_mutex_init(&r->lock, NULL);
	c->data = r;
	c->pull_task = reservoir_pull;
	c->can_push = reservoir_can_push;
	c->estimated_end = reservoir_end;
	c->estimated_load = reservoir_load;
	c->deinit_data = reservoir_fini;
	return c;
}

struct starpu_sched_component *starpu_sched_component_fifo_create(struct starpu_sched_tree *tree,
								  struct starpu_sched_component_fifo_data *fifo_data)
{
	struct starpu_sched_component *c = reservoir_create(tree, "fifo");

	if (!c)
		return NULL;
	if (fifo_data)
		((struct reservoir *)c->data)->limits = *fifo_data;
	c->push_task = fifo_push;
	return c;
}

int starpu_sched_component_is_fifo(struct starpu_sched_component *component)
{
	return component->push_task == fifo_push;
}

struct starpu_sched_component *starpu_sched_component_prio_create(struct starpu_sched_tree *tree,
								  struct starpu_sched_component_prio_data *prio_data)
{
	struct starpu_sched_component *c = reservoir_create(tree, "prio");
	struct reservoir *r = c ? c->data : NULL;

	if (!c)
		return NULL;
	if (prio_data)
		r->limits = (struct starpu_sched_component_fifo_data){ prio_data->ntasks_threshold,
								       prio_data->exp_len_threshold, prio_data->ready,
								       prio_data->exp, 0 };
	r->by_priority = true;
	c->push_task = prio_push;
	return c;
}

int starpu_sched_component_is_prio(struct starpu_sched_component *component)
{
	return component->push_task == prio_push;
}
