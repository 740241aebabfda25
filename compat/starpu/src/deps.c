/* SPDX-License-Identifier: MIT */
/*
 * Explicit dependencies: between tasks, and through tags. A job whose
 * dependencies are not fulfilled when it is submitted takes its place in the
 * order of its data at once, and starts after a gate: a task of Xylem's that
 * the last dependency submits. Edges of tasks that are regenerated stay for the
 * next time; others are used once.
 */
#include "internal.h"

pthread_mutex_t xs_deps_lock = PTHREAD_MUTEX_INITIALIZER;

/* A thread that waits for tags. */
struct xs_waiter {
	unsigned left; /* (d) */
	pthread_cond_t cond;
};

struct xs_tag {
	struct xs_tag *next; /* (d) in its bucket */
	starpu_tag_t id;
	struct xs_job *job; /* (d) that was submitted with it last, until it is freed */
	struct xs_edge *successors;
	unsigned ndeps, ndone;
	bool done;
};

#define NBUCKETS 4096u
static struct xs_tag *buckets[NBUCKETS]; /* (d) */

static struct xs_tag *tag_find(starpu_tag_t id)
{
	struct xs_tag *tag = buckets[(id ^ id >> 17 ^ id >> 41) % NBUCKETS];

	while (tag && tag->id != id)
		tag = tag->next;
	return tag;
}

static struct xs_tag *tag_get(starpu_tag_t id)
{
	struct xs_tag *tag = tag_find(id), **bucket = &buckets[(id ^ id >> 17 ^ id >> 41) % NBUCKETS];

	if (tag)
		return tag;
	tag = calloc(1, sizeof *tag);
	if (!tag) {
		xs_fail(-ENOMEM, "no memory for tag %llu", (unsigned long long)id);
		return NULL;
	}
	tag->id = id;
	tag->next = *bucket;
	*bucket = tag;
	return tag;
}

static void edges_free(struct xs_edge **edges)
{
	while (*edges) {
		struct xs_edge *edge = *edges;

		*edges = edge->next;
		free(edge);
	}
}

/* --- gates --- */

struct xs_gate *xs_gate_create(void)
{
	struct xs_gate *gate = malloc(sizeof *gate);

	if (!gate)
		return NULL;
	gate->users = 2;
	if (!xy_task_create(xs_global.rt, &(struct xy_task_desc){ .name = "dependencies" }, &gate->task))
		return gate;
	free(gate);
	return NULL;
}

void xs_gate_drop(struct xs_gate *gate)
{
	if (!gate || atomic_fetch_sub(&gate->users, 1) > 1)
		return;
	xy_task_release(gate->task);
	free(gate);
}

/* Not with the lock held: what waits behind the gate may run at once. */
void xs_gate_open(struct xs_gate *gate)
{
	if (!gate)
		return;
	xy_task_submit(gate->task);
	xs_gate_drop(gate);
}

/* Gates to be opened once the lock is dropped. */
struct opening {
	struct xs_gate **gates;
	unsigned n, room;
};

static void opening_add(struct opening *o, struct xs_gate *gate)
{
	if (!gate)
		return;
	if (o->n == o->room) {
		unsigned room = o->room ? 2 * o->room : 8;
		struct xs_gate **gates = realloc(o->gates, room * sizeof *gates);

		if (!gates) {
			xs_fail(-ENOMEM, "no memory to start a task whose dependencies are fulfilled");
			return;
		}
		o->gates = gates;
		o->room = room;
	}
	o->gates[o->n++] = gate;
}

static void opening_unlock(struct opening *o)
{
	pthread_mutex_unlock(&xs_deps_lock);
	for (unsigned i = 0; i < o->n; i++)
		xs_gate_open(o->gates[i]);
	free(o->gates);
}

/* --- fulfilment, with the lock held --- */

/* The start of a job needs all its own dependencies, and those of its tag. */
static bool job_is_free(const struct xs_job *job)
{
	return job->ndone >= job->ndeps && (!job->tag || job->tag->ndone >= job->tag->ndeps);
}

static void job_try(struct xs_job *job, struct opening *o)
{
	if (!job || !job->gate || !job_is_free(job))
		return;
	opening_add(o, job->gate);
	job->gate = NULL;
	job->ndone = 0;
	if (!job->task->regenerate)
		job->ndeps = 0;
	if (job->tag) {
		job->tag->ndone = 0;
		if (!job->task->regenerate)
			job->tag->ndeps = 0;
	}
}

static void end_try(struct xs_job *job, struct opening *o)
{
	if (job->nend)
		job->nend--;
	if (!job->nend && job->endgate) {
		opening_add(o, job->endgate);
		job->endgate = NULL;
	}
}

static void edge_fire(struct xs_edge *edge, struct opening *o)
{
	if (edge->waiter) {
		if (!--edge->waiter->left)
			pthread_cond_signal(&edge->waiter->cond);
	} else if (edge->ends) {
		end_try(edge->job, o);
	} else if (edge->job) {
		edge->job->ndone++;
		job_try(edge->job, o);
	} else {
		edge->tag->ndone++;
		job_try(edge->tag->job, o);
	}
}

/* Whether the edge serves again: what waits is a task that is regenerated. */
static bool edge_stays(const struct xs_edge *edge)
{
	const struct xs_job *job = edge->job ? edge->job : edge->tag ? edge->tag->job : NULL;

	return !edge->ends && !edge->waiter && job && job->task->regenerate;
}

static void edges_fire(struct xs_edge **edges, struct opening *o)
{
	struct xs_edge **at = edges, *list = *edges, *next;

	*edges = NULL;
	for (struct xs_edge *edge = list; edge; edge = next) {
		bool stays = edge_stays(edge);

		next = edge->next;
		edge_fire(edge, o);
		if (stays) {
			*at = edge;
			edge->next = NULL;
			at = &edge->next;
		} else {
			free(edge);
		}
	}
}

static bool edge_add(struct xs_edge **edges, struct xs_edge value)
{
	struct xs_edge *edge = malloc(sizeof *edge);

	if (!edge) {
		xs_fail(-ENOMEM, "no memory for a dependency");
		return false;
	}
	*edge = value;
	edge->next = NULL;
	while (*edges)
		edges = &(*edges)->next;
	*edges = edge;
	return true;
}

static void tag_fire(struct xs_tag *tag, struct opening *o)
{
	tag->done = true;
	edges_fire(&tag->successors, o);
}

/* --- the life of a job --- */

void xs_deps_submitted(struct xs_job *job, bool again, struct xs_gate **gate)
{
	const struct starpu_task *task = job->task;

	pthread_mutex_lock(&xs_deps_lock);
	if (task->use_tag) {
		job->tag = tag_get(task->tag_id);
		if (job->tag) {
			job->tag->job = job;
			if (again || task->regenerate)
				job->tag->done = false;
		}
	}
	*gate = NULL;
	if (!job_is_free(job)) {
		*gate = job->gate = xs_gate_create();
		if (!*gate)
			xs_fail(-ENOMEM, "no memory for the dependencies of a task: it starts at once");
	} else {
		job->ndone = 0;
		if (!task->regenerate)
			job->ndeps = 0;
		if (job->tag) {
			job->tag->ndone = 0;
			if (!task->regenerate)
				job->tag->ndeps = 0;
		}
	}
	pthread_mutex_unlock(&xs_deps_lock);
}

void xs_deps_ended(struct xs_job *job, bool regenerate)
{
	struct opening o = { 0 };

	/* seq_cst, as in declare: either it sees the state, or we see the successor
   */
	atomic_store(&job->state, XS_ENDED);
	if (!job->tag && !atomic_load(&job->has_successors))
		return;
	pthread_mutex_lock(&xs_deps_lock);
	edges_fire(&job->successors, &o);
	atomic_store(&job->has_successors, job->successors != NULL);
	if (job->tag) {
		tag_fire(job->tag, &o);
		if (!regenerate && job->task->destroy && job->tag->job == job)
			job->tag->job = NULL;
	}
	opening_unlock(&o);
}

void xs_deps_forget(struct xs_job *job)
{
	if (!job->tag && !job->successors && !job->gate)
		return;
	pthread_mutex_lock(&xs_deps_lock);
	if (job->tag && job->tag->job == job)
		job->tag->job = NULL;
	job->tag = NULL;
	edges_free(&job->successors);
	pthread_mutex_unlock(&xs_deps_lock);
}

/* --- between tasks --- */

static void task_declare(struct starpu_task *task, struct starpu_task *on, bool ends)
{
	struct xs_job *job = task ? xs_job(task) : NULL, *before = on ? xs_job(on) : NULL;

	if (!job || !before) {
		xs_fail(-EINVAL, "a dependency needs two tasks");
		return;
	}
	if (!ends && atomic_load(&job->state) == XS_SUBMITTED && !task->regenerate) {
		xs_fail(-EBUSY, "a dependency of a task must be declared before the task is submitted");
		return;
	}
	pthread_mutex_lock(&xs_deps_lock);
	if (edge_add(&before->successors, (struct xs_edge){ .job = job, .ends = ends })) {
		atomic_store(&before->has_successors, true);
		if (ends)
			job->nend++;
		else
			job->ndeps++;
		if (atomic_load(&before->state) == XS_ENDED && !on->regenerate) {
			struct opening o = { 0 };

			edges_fire(&before->successors, &o);
			opening_unlock(&o);
			return;
		}
	}
	pthread_mutex_unlock(&xs_deps_lock);
}

void starpu_task_declare_deps_array(struct starpu_task *task, unsigned ndeps, struct starpu_task *task_array[])
{
	for (unsigned i = 0; i < ndeps; i++)
		task_declare(task, task_array[i], false);
}

void starpu_task_declare_deps(struct starpu_task *task, unsigned ndeps, ...)
{
	va_list list;

	va_start(list, ndeps);
	for (unsigned i = 0; i < ndeps; i++)
		task_declare(task, va_arg(list, struct starpu_task *), false);
	va_end(list);
}

void starpu_task_declare_end_deps_array(struct starpu_task *task, unsigned ndeps, struct starpu_task *task_array[])
{
	for (unsigned i = 0; i < ndeps; i++)
		task_declare(task, task_array[i], true);
}

void starpu_task_declare_end_deps(struct starpu_task *task, unsigned ndeps, ...)
{
	va_list list;

	va_start(list, ndeps);
	for (unsigned i = 0; i < ndeps; i++)
		task_declare(task, va_arg(list, struct starpu_task *), true);
	va_end(list);
}

void starpu_task_end_dep_add(struct starpu_task *t, int nb_deps)
{
	struct xs_job *job = xs_job(t);

	if (!job || nb_deps <= 0)
		return;
	pthread_mutex_lock(&xs_deps_lock);
	if (atomic_load(&job->state) == XS_SUBMITTED && !job->endgate)
		xs_fail(-EBUSY, "starpu_task_end_dep_add: the task is already submitted");
	else
		job->nend += (unsigned)nb_deps;
	pthread_mutex_unlock(&xs_deps_lock);
}

void starpu_task_end_dep_release(struct starpu_task *t)
{
	struct xs_job *job = xs_job(t);
	struct opening o = { 0 };

	if (!job)
		return;
	pthread_mutex_lock(&xs_deps_lock);
	end_try(job, &o);
	opening_unlock(&o);
}

static int succs(struct starpu_task *task, unsigned ndeps, struct starpu_task *task_array[], bool scheduled)
{
	struct xs_job *job = xs_job(task);
	unsigned n = 0;

	if (!job)
		return 0;
	pthread_mutex_lock(&xs_deps_lock);
	for (const struct xs_edge *edge = job->successors; edge; edge = edge->next)
		if (edge->job && !edge->ends && (!scheduled || atomic_load(&edge->job->state) == XS_SUBMITTED)) {
			if (n < ndeps)
				task_array[n] = edge->job->task;
			n++;
		}
	pthread_mutex_unlock(&xs_deps_lock);
	return (int)n;
}

int starpu_task_get_task_succs(struct starpu_task *task, unsigned ndeps, struct starpu_task *task_array[])
{
	return succs(task, ndeps, task_array, false);
}

int starpu_task_get_task_scheduled_succs(struct starpu_task *task, unsigned ndeps, struct starpu_task *task_array[])
{
	return succs(task, ndeps, task_array, true);
}

/* --- tags --- */

void starpu_tag_declare_deps_array(starpu_tag_t id, unsigned ndeps, starpu_tag_t *array)
{
	struct xs_tag *tag;

	pthread_mutex_lock(&xs_deps_lock);
	tag = tag_get(id);
	for (unsigned i = 0; tag && i < ndeps; i++) {
		struct xs_tag *before = tag_get(array[i]);

		if (!before)
			break;
		if (before->done && !(before->job && before->job->task->regenerate))
			continue;
		if (edge_add(&before->successors, (struct xs_edge){ .tag = tag }))
			tag->ndeps++;
	}
	pthread_mutex_unlock(&xs_deps_lock);
}

void starpu_tag_declare_deps(starpu_tag_t id, unsigned ndeps, ...)
{
	va_list list;

	va_start(list, ndeps);
	for (unsigned i = 0; i < ndeps; i++) {
		starpu_tag_t on = va_arg(list, starpu_tag_t);

		starpu_tag_declare_deps_array(id, 1, &on);
	}
	va_end(list);
}

int starpu_tag_wait_array(unsigned ntags, starpu_tag_t *id)
{
	struct xs_waiter waiter = { .cond = PTHREAD_COND_INITIALIZER };

	if (xs_thread.task)
		return xs_fail(-EDEADLK, "starpu_tag_wait: a codelet or callback can't wait for a tag");
	pthread_mutex_lock(&xs_deps_lock);
	for (unsigned i = 0; i < ntags; i++) {
		struct xs_tag *tag = tag_get(id[i]);

		if (tag && !tag->done && edge_add(&tag->successors, (struct xs_edge){ .waiter = &waiter }))
			waiter.left++;
	}
	while (waiter.left)
		pthread_cond_wait(&waiter.cond, &xs_deps_lock);
	pthread_mutex_unlock(&xs_deps_lock);
	return 0;
}

int starpu_tag_wait(starpu_tag_t id)
{
	return starpu_tag_wait_array(1, &id);
}

static void tag_notify(starpu_tag_t id, bool restart)
{
	struct opening o = { 0 };
	struct xs_tag *tag;

	pthread_mutex_lock(&xs_deps_lock);
	tag = tag_get(id);
	if (tag) {
		tag_fire(tag, &o);
		if (restart)
			tag->done = false;
	}
	opening_unlock(&o);
}

void starpu_tag_notify_from_apps(starpu_tag_t id)
{
	tag_notify(id, false);
}

void starpu_tag_notify_restart_from_apps(starpu_tag_t id)
{
	tag_notify(id, true);
}

void starpu_tag_restart(starpu_tag_t id)
{
	struct xs_tag *tag;

	pthread_mutex_lock(&xs_deps_lock);
	tag = tag_get(id);
	if (tag)
		tag->done = false;
	pthread_mutex_unlock(&xs_deps_lock);
}

static void tag_unlink_job(struct xs_tag *tag)
{
	if (tag->job && tag->job->tag == tag)
		tag->job->tag = NULL;
	edges_free(&tag->successors);
	free(tag);
}

void starpu_tag_remove(starpu_tag_t id)
{
	struct xs_tag **at = &buckets[(id ^ id >> 17 ^ id >> 41) % NBUCKETS], *tag;

	pthread_mutex_lock(&xs_deps_lock);
	while (*at && (*at)->id != id)
		at = &(*at)->next;
	tag = *at;
	if (tag) {
		*at = tag->next;
		tag_unlink_job(tag);
	}
	pthread_mutex_unlock(&xs_deps_lock);
}

struct starpu_task *starpu_tag_get_task(starpu_tag_t id)
{
	struct xs_tag *tag;
	struct starpu_task *task;

	pthread_mutex_lock(&xs_deps_lock);
	tag = tag_find(id);
	task = tag && tag->job ? tag->job->task : NULL;
	pthread_mutex_unlock(&xs_deps_lock);
	return task;
}

void xs_tags_fini(void)
{
	pthread_mutex_lock(&xs_deps_lock);
	for (unsigned i = 0; i < NBUCKETS; i++)
		while (buckets[i]) {
			struct xs_tag *tag = buckets[i];

			buckets[i] = tag->next;
			tag_unlink_job(tag);
		}
	pthread_mutex_unlock(&xs_deps_lock);
}
