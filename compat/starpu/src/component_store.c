/* SPDX-License-Identifier: MIT */
/*
 * Mappers that store tasks: eager_prio, heft, heteroprio, work_stealing.
 */
#include "component.h"

#define WINDOW 5u /* tasks that heft compares */

/* --- pushing down what is stored --- */

void component_pump(struct starpu_sched_component *c, struct component_pump *pump,
		    bool (*step)(struct starpu_sched_component *c))
{
	unsigned seen;

	/* One thread works; the others, and calls from below it, only say that there is something to do. */
	if (atomic_fetch_add(&pump->requests, 1))
		return;
	do {
		seen = atomic_load(&pump->requests);
		while (step(c))
			;
	} while (!atomic_compare_exchange_strong(&pump->requests, &seen, 0));
}

struct store {
	pthread_mutex_t lock; /* guards the queue */
	struct component_queue queue;
	struct component_pump pump;
	bool (*step)(struct starpu_sched_component *c);
	struct starpu_sched_component_mct_data weights;
};

static int store_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	struct store *s = c->data;

	pthread_mutex_lock(&s->lock);
	component_queue_insert(&s->queue, task, true, false);
	pthread_mutex_unlock(&s->lock);
	component_pump(c, &s->pump, s->step);
	return 0;
}

static int store_can_push(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct store *s = c->data;

	component_pump(c, &s->pump, s->step);
	return starpu_sched_component_can_push(c, to);
}

static struct starpu_task *store_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	store_can_push(c, to);
	return NULL;
}

/* A task as the next one again, after a child refused it. */
static void store_return(struct store *s, struct starpu_task *task)
{
	pthread_mutex_lock(&s->lock);
	component_queue_insert(&s->queue, task, true, true);
	pthread_mutex_unlock(&s->lock);
}

static void store_fini(struct starpu_sched_component *c)
{
	struct store *s = c->data;

	if (s->queue.ntasks)
		xs_note("component '%s' is destroyed with %u tasks", c->name, s->queue.ntasks);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static struct starpu_sched_component *store_create(struct starpu_sched_tree *tree, const char *name,
						   int (*push)(struct starpu_sched_component *, struct starpu_task *),
						   bool (*step)(struct starpu_sched_component *),
						   const struct starpu_sched_component_mct_data *weights)
{
	struct starpu_sched_component *c = starpu_sched_component_create(tree, name);
	struct store *s = calloc(1, sizeof *s);

	if (!c || !s) {
		starpu_sched_component_destroy(c);
		free(s);
		return NULL;
	}
	pthread_mutex_init(&s->lock, NULL);
	s->step = step;
	s->weights = component_weights(weights);
	c->data = s;
	c->push_task = push;
	c->pull_task = store_pull;
	c->can_push = store_can_push;
	c->deinit_data = store_fini;
	return c;
}

/* --- eager_prio: the most urgent task to the first child with room --- */

static bool eager_prio_step(struct starpu_sched_component *c)
{
	struct store *s = c->data;

	for (unsigned i = 0; i < c->nchildren; i++) {
		struct starpu_task *task;

		if (component_is_bare(c->children[i]))
			continue;
		pthread_mutex_lock(&s->lock);
		task = component_queue_take(&s->queue, c->children[i], false);
		pthread_mutex_unlock(&s->lock);
		if (task && !component_push(c->children[i], task))
			return true;
		if (task)
			store_return(s, task);
	}
	return false;
}

static int eager_prio_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	store_push(c, task);
	starpu_sched_component_can_pull_all(c);
	return 0;
}

static struct starpu_task *eager_prio_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct store *s = c->data;
	struct starpu_task *task;

	pthread_mutex_lock(&s->lock);
	task = component_queue_take(&s->queue, to, false);
	pthread_mutex_unlock(&s->lock);
	return task ? task : starpu_sched_component_parents_pull_task(c, to);
}

struct starpu_sched_component *starpu_sched_component_eager_prio_create(struct starpu_sched_tree *tree, void *arg)
{
	struct starpu_sched_component *c = store_create(tree, "eager_prio", eager_prio_push, eager_prio_step, NULL);

	(void)arg;
	if (c)
		c->pull_task = eager_prio_pull;
	return c;
}

int starpu_sched_component_is_eager_prio(struct starpu_sched_component *component)
{
	return component->push_task == eager_prio_push;
}

/* --- heft: of the most urgent tasks, the one that would end first --- */

static unsigned heft_window(struct store *s, struct starpu_task **tasks)
{
	unsigned n = 0;

	pthread_mutex_lock(&s->lock);
	while (n < WINDOW && s->queue.list.head && (!n || s->queue.list.head->priority == tasks[0]->priority))
		tasks[n++] = component_queue_take(&s->queue, NULL, false);
	pthread_mutex_unlock(&s->lock);
	return n;
}

static bool heft_step(struct starpu_sched_component *c)
{
	struct store *s = c->data;
	struct starpu_task *tasks[WINDOW];
	struct component_choice choices[WINDOW];
	unsigned n = heft_window(s, tasks), best = 0;
	bool moved;

	for (unsigned i = 0; i < n; i++) {
		choices[i] = component_decide(c, &s->weights, tasks[i]);
		if (choices[i].child >= 0 && (choices[best].child < 0 || choices[i].end < choices[best].end))
			best = i;
	}
	if (!n)
		return false;
	for (unsigned i = n; i-- > 0;)
		if (i != best)
			store_return(s, tasks[i]);
	moved = !component_give(c, &choices[best], tasks[best]);
	if (!moved)
		store_return(s, tasks[best]);
	return moved;
}

static int heft_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	return store_push(c, task);
}

struct starpu_sched_component *starpu_sched_component_heft_create(struct starpu_sched_tree *tree,
								  struct starpu_sched_component_mct_data *mct_data)
{
	return store_create(tree, "heft", heft_push, heft_step, mct_data);
}

int starpu_sched_component_is_heft(struct starpu_sched_component *component)
{
	return component->push_task == heft_push;
}

/* --- heteroprio: each kind of worker gets the tasks that it is best at --- */

/* How much faster an accelerator is than a CPU; 1 if that is not known. */
static double acceleration(struct starpu_sched_component *c, struct starpu_task *task)
{
	double least = INFINITY, most = 0;

	for (unsigned i = 0; i < c->nchildren; i++) {
		double length = 0;

		if (!starpu_sched_component_execute_preds(c->children[i], task, &length) || !(length > 0))
			return 1;
		least = fmin(least, length);
		most = fmax(most, length);
	}
	return most > 0 ? most / least : 1;
}

static struct starpu_task *heteroprio_pick(struct starpu_sched_component *c, bool accelerated)
{
	struct store *s = c->data;
	struct starpu_task *best = NULL;
	double most = 0;

	pthread_mutex_lock(&s->lock);
	for (struct starpu_task *task = s->queue.list.head; task; task = task->next) {
		double ratio = acceleration(c, task);

		if (!best || (accelerated ? ratio > most * 1.1 : ratio < most / 1.1)) {
			best = task;
			most = ratio;
		}
	}
	if (best) {
		starpu_task_list_erase(&s->queue.list, best);
		s->queue.ntasks--;
	}
	pthread_mutex_unlock(&s->lock);
	return best;
}

static bool heteroprio_step(struct starpu_sched_component *c)
{
	struct store *s = c->data;

	for (unsigned turn = 0; turn < 2; turn++) {
		bool accelerated = !turn;
		struct starpu_task *task = heteroprio_pick(c, accelerated);
		struct component_choice choice;

		if (!task)
			return false;
		choice = component_decide(c, &s->weights, task);
		/* A task that is not for this kind of worker waits for its turn, which comes next. */
		if (choice.child >= 0 && accelerated &&
		    starpu_worker_get_type(component_worker(c->children[choice.child])) == STARPU_CPU_WORKER &&
		    starpu_cpu_worker_get_count() < starpu_worker_get_count()) {
			store_return(s, task);
			continue;
		}
		if (!component_give(c, &choice, task))
			return true;
		store_return(s, task);
	}
	return false;
}

static int heteroprio_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	return store_push(c, task);
}

struct starpu_sched_component *starpu_sched_component_heteroprio_create(
	struct starpu_sched_tree *tree, struct starpu_sched_component_heteroprio_data *params)
{
	return store_create(tree, "heteroprio", heteroprio_push, heteroprio_step, params ? params->mct : NULL);
}

int starpu_sched_component_is_heteroprio(struct starpu_sched_component *component)
{
	return component->push_task == heteroprio_push;
}

/* --- work_stealing: a queue for each child --- */

struct stealing {
	pthread_mutex_t lock;           /* guards what follows */
	struct component_queue *queues; /* by child */
	unsigned n, turn;
};

static int stealing_child(const struct starpu_sched_component *c, const struct starpu_sched_component *to)
{
	for (unsigned i = 0; i < c->nchildren; i++)
		if (c->children[i] == to)
			return (int)i;
	return -1;
}

static bool stealing_put(struct starpu_sched_component *c, unsigned child, struct starpu_task *task)
{
	struct stealing *s = c->data;

	if (child >= s->n)
		return false;
	pthread_mutex_lock(&s->lock);
	component_queue_insert(&s->queues[child], task, true, true);
	pthread_mutex_unlock(&s->lock);
	return true;
}

static int stealing_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	struct stealing *s = c->data;
	unsigned first;

	pthread_mutex_lock(&s->lock);
	first = s->turn++;
	pthread_mutex_unlock(&s->lock);
	for (unsigned k = 0; k < c->nchildren; k++) {
		unsigned i = (first + k) % c->nchildren;

		if (starpu_sched_component_can_execute_task(c->children[i], task) && stealing_put(c, i, task)) {
			starpu_sched_component_can_pull_all(c);
			return 0;
		}
	}
	return 1;
}

/* The oldest task of the highest priority that the thief can run. */
static struct starpu_task *stealing_oldest(struct component_queue *q, struct starpu_sched_component *to)
{
	struct starpu_task *best = NULL;

	for (struct starpu_task *task = q->list.head; task; task = task->next) {
		if (best && task->priority != best->priority)
			break;
		if (starpu_sched_component_can_execute_task(to, task))
			best = task;
	}
	if (best) {
		starpu_task_list_erase(&q->list, best);
		q->ntasks--;
	}
	return best;
}

static struct starpu_task *stealing_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct stealing *s = c->data;
	struct starpu_task *task = NULL;
	int own = stealing_child(c, to);

	pthread_mutex_lock(&s->lock);
	if (own >= 0 && (unsigned)own < s->n)
		task = component_queue_take(&s->queues[own], to, false);
	for (unsigned k = 1; !task && k <= s->n; k++)
		task = stealing_oldest(&s->queues[((unsigned)(own < 0 ? 0 : own) + k) % s->n], to);
	pthread_mutex_unlock(&s->lock);
	return task ? task : starpu_sched_component_parents_pull_task(c, to);
}

static void stealing_add_child(struct starpu_sched_component *c, struct starpu_sched_component *child)
{
	struct stealing *s = c->data;
	struct component_queue *grown;

	starpu_sched_component_add_child(c, child);
	pthread_mutex_lock(&s->lock);
	if (c->nchildren > s->n && (grown = realloc(s->queues, c->nchildren * sizeof *grown))) {
		memset(grown + s->n, 0, (c->nchildren - s->n) * sizeof *grown);
		s->queues = grown;
		s->n = c->nchildren;
	}
	pthread_mutex_unlock(&s->lock);
}

static double stealing_end(struct starpu_sched_component *c)
{
	struct stealing *s = c->data;
	double sum = 0;

	pthread_mutex_lock(&s->lock);
	for (unsigned i = 0; i < s->n; i++)
		sum += s->queues[i].exp_len;
	pthread_mutex_unlock(&s->lock);
	return starpu_sched_component_estimated_end_average(c) + (c->nchildren ? sum / c->nchildren : 0);
}

static void stealing_fini(struct starpu_sched_component *c)
{
	struct stealing *s = c->data;

	pthread_mutex_destroy(&s->lock);
	free(s->queues);
	free(s);
}

struct starpu_sched_component *starpu_sched_component_work_stealing_create(struct starpu_sched_tree *tree, void *arg)
{
	struct starpu_sched_component *c = starpu_sched_component_create(tree, "work_stealing");
	struct stealing *s = calloc(1, sizeof *s);

	(void)arg;
	if (!c || !s) {
		starpu_sched_component_destroy(c);
		free(s);
		return NULL;
	}
	pthread_mutex_init(&s->lock, NULL);
	c->data = s;
	c->push_task = stealing_push;
	c->pull_task = stealing_pull;
	c->can_pull = starpu_sched_component_can_pull_all;
	c->add_child = stealing_add_child;
	c->estimated_end = stealing_end;
	c->deinit_data = stealing_fini;
	return c;
}

int starpu_sched_component_is_work_stealing(struct starpu_sched_component *component)
{
	return component->push_task == stealing_push;
}

/* What a worker makes ready goes to its own queue. */
int starpu_sched_tree_work_stealing_push_task(struct starpu_task *task)
{
	int worker = xs_worker();
	struct starpu_sched_component *child = worker < 0 ? NULL
							  : starpu_sched_component_worker_get(task->sched_ctx, worker);

	while (child && child->nparents && !starpu_sched_component_is_work_stealing(child->parents[0]))
		child = child->parents[0];
	if (child && child->nparents && starpu_sched_component_can_execute_task(child, task)) {
		struct starpu_sched_component *stealing = child->parents[0];
		int i = stealing_child(stealing, child);

		if (i >= 0 && stealing_put(stealing, (unsigned)i, task)) {
			starpu_sched_component_can_pull_all(stealing);
			return 0;
		}
	}
	return starpu_sched_tree_push_task(task);
}
