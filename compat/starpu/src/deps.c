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

static void edges_append(struct xs_edges *edges, struct xs_edge *edge)
{
	edge->next = NULL;
	*(edges->first ? &edges->last->next : &edges->first) = edge;
	edges->last = edge;
}

static void edges_free(struct xs_edges *edges)
{
	while (edges->first) {
		struct xs_edge *edge = edges->first;

		edges->first = edge->next;
		xs_edge_free(edge);
	}
}

/* --- gates --- */

/* Gates to be used again: any thread gives one back, and the lock's holder takes all at once. */
static struct xs_gate *own_gates;             /* (d) */
static _Atomic(struct xs_gate *) spare_gates; /* (a) */

static struct xs_gate *gate_take(void)
{
	struct xs_gate *gate;

	if (!own_gates)
		own_gates = atomic_exchange(&spare_gates, NULL);
	gate = own_gates;
	if (!gate)
		return malloc(sizeof *gate);
	own_gates = gate->next;
	return gate;
}

static void gate_give(struct xs_gate *gate)
{
	struct xs_gate *old = atomic_load_explicit(&spare_gates, memory_order_relaxed); /* the exchange checks it */

	do
		gate->next = old;
	while (!atomic_compare_exchange_weak(&spare_gates, &old, gate));
}

static void gates_fini(void)
{
	while (own_gates || atomic_load(&spare_gates))
		free(gate_take());
}

struct xs_gate *xs_gate_create(void)
{
	struct xs_gate *gate = gate_take();

	if (!gate)
		return NULL;
	gate->users = 2;
	if (!xy_task_create(xs_global.rt, &(struct xy_task_desc){ .name = "dependencies" }, &gate->task))
		return gate;
	gate_give(gate);
	return NULL;
}

void xs_gate_drop(struct xs_gate *gate)
{
	if (!gate || atomic_fetch_sub(&gate->users, 1) > 1)
		return;
	xy_task_release(gate->task);
	gate_give(gate);
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
	struct xs_gate *few[8], **more;
	unsigned n, room; /* room of more */
};
#define FEW (sizeof((struct opening *)NULL)->few / sizeof(struct xs_gate *))

static void opening_add(struct opening *o, struct xs_gate *gate)
{
	if (!gate)
		return;
	if (o->n < FEW) {
		o->few[o->n++] = gate;
		return;
	}
	if (o->n - FEW == o->room) {
		unsigned room = o->room ? 2 * o->room : 64;
		struct xs_gate **more = realloc(o->more, room * sizeof *more);

		if (!more) {
			xs_fail(-ENOMEM, "no memory to start a task whose dependencies are fulfilled");
			return;
		}
		o->more = more;
		o->room = room;
	}
	o->more[o->n++ - FEW] = gate;
}

static void opening_unlock(struct opening *o)
{
	pthread_mutex_unlock(&xs_deps_lock);
	for (unsigned i = 0; i < o->n; i++)
		xs_gate_open(i < FEW ? o->few[i] : o->more[i - FEW]);
	free(o->more);
}

/* --- fulfilment, with the lock held --- */

/* The start of a job needs all its own dependencies, and those of its tag. */
static bool job_is_free(const struct xs_job *job)
{
	return job->ndone >= job->ndeps && (!job->tag || job->tag->ndone >= job->tag->ndeps);
}

static struct xs_job *gated; /* (d) */
static unsigned visits;      /* (d) */

static void job_gate(struct xs_job *job, struct xs_gate *gate)
{
	job->gate = gate;
	if (!gate)
		return;
	job->previous_gated = NULL;
	job->next_gated = gated;
	if (gated)
		gated->previous_gated = job;
	gated = job;
}

void xs_deps_ungate(struct xs_job *job)
{
	if (!job->gate)
		return;
	job->gate = NULL;
	if (job->next_gated)
		job->next_gated->previous_gated = job->previous_gated;
	*(job->previous_gated ? &job->previous_gated->next_gated : &gated) = job->next_gated;
}

static void job_try(struct xs_job *job, struct opening *o)
{
	if (!job || !job->gate || !job_is_free(job))
		return;
	opening_add(o, job->gate);
	xs_deps_ungate(job);
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

static void edges_fire(struct xs_edges *edges, struct opening *o)
{
	struct xs_edge *edge = edges->first, *next;

	edges->first = NULL;
	for (; edge; edge = next) {
		bool stays = edge_stays(edge);

		next = edge->next;
		edge_fire(edge, o);
		if (stays)
			edges_append(edges, edge);
		else
			xs_edge_free(edge);
	}
}

static bool edge_add(struct xs_edges *edges, struct xs_edge value)
{
	struct xs_edge *edge = xs_edge_create();

	if (!edge) {
		xs_fail(-ENOMEM, "no memory for a dependency");
		return false;
	}
	*edge = value;
	edges_append(edges, edge);
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
		job->tag = xs_tag_get(task->tag_id);
		if (job->tag) {
			job->tag->job = job;
			if (again || task->regenerate)
				job->tag->done = false;
		}
	}
	*gate = NULL;
	if (!job_is_free(job)) {
		*gate = xs_gate_create();
		job_gate(job, *gate);
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

void xs_deps_ended(struct xs_job *job)
{
	struct opening o = { 0 };

	/* seq_cst, as in declare: either it sees the state, or we see the successor
   */
	atomic_store(&job->state, XS_ENDED);
	if (!job->tag && !atomic_load(&job->has_successors))
		return;
	pthread_mutex_lock(&xs_deps_lock);
	edges_fire(&job->successors, &o);
	atomic_store(&job->has_successors, job->successors.first != NULL);
	if (job->tag)
		tag_fire(job->tag, &o); /* its task stays known until it is freed: callbacks ask for it */
	opening_unlock(&o);
}

void xs_deps_forget(struct xs_job *job)
{
	if (!job->tag && !job->successors.first && !job->gate)
		return;
	pthread_mutex_lock(&xs_deps_lock);
	if (job->tag && job->tag->job == job)
		job->tag->job = NULL;
	job->tag = NULL;
	edges_free(&job->successors);
	pthread_mutex_unlock(&xs_deps_lock);
}

unsigned xs_deps_gated(void)
{
	unsigned n = 0;

	pthread_mutex_lock(&xs_deps_lock);
	for (const struct xs_job *job = gated; job; job = job->next_gated)
		n++;
	pthread_mutex_unlock(&xs_deps_lock);
	return n;
}

/* --- cycles --- */

/* A job that job waits for, by way of tasks behind gates, and that waits for job: seen from the other end, a cycle of
 * successors through it. Visits each job once. */
static bool job_reaches(struct xs_job *from, const struct xs_job *to)
{
	for (const struct xs_edge *edge = from->successors.first; edge; edge = edge->next) {
		struct xs_job *next = edge->job;

		if (!next || edge->ends || !next->gate || next->task->regenerate)
			continue;
		if (next == to)
			return true;
		if (next->visit == visits)
			continue;
		next->visit = visits;
		if (job_reaches(next, to))
			return true;
	}
	return false;
}

/* Nothing that waits behind a gate releases the job any more. */
static void job_detach(struct xs_job *job)
{
	for (struct xs_job *before = gated; before; before = before->next_gated) {
		struct xs_edge *edge = before->successors.first, *next;

		before->successors.first = NULL;
		for (; edge; edge = next) {
			next = edge->next;
			if (edge->job == job && !edge->ends) {
				xs_edge_free(edge);
				job->ndone++;
			} else {
				edges_append(&before->successors, edge);
			}
		}
	}
	job->known = job->ndone < job->ndeps;
}

int xs_deps_cycles(void)
{
	struct opening o = { 0 };
	int error = 0;

	pthread_mutex_lock(&xs_deps_lock);
	for (struct xs_job *job = gated, *next; job; job = next) {
		next = job->next_gated;
		visits++;
		if (job->task->regenerate || !job_reaches(job, job))
			continue;
		error = xs_fail(-EDEADLK, "task '%s' waits for itself, through its dependencies: it is skipped",
				starpu_task_get_name(job->task));
		job->skipped = true;
		job_detach(job);
		opening_add(&o, job->gate);
		xs_deps_ungate(job);
	}
	opening_unlock(&o);
	return error;
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
	for (const struct xs_edge *edge = job->successors.first; edge; edge = edge->next)
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

static void tag_declare(struct xs_tag *tag, starpu_tag_t on)
{
	struct xs_tag *before = tag ? xs_tag_get(on) : NULL;

	if (!before || (before->done && !(before->job && before->job->task->regenerate)))
		return;
	if (edge_add(&before->successors, (struct xs_edge){ .tag = tag }))
		tag->ndeps++;
}

void starpu_tag_declare_deps_array(starpu_tag_t id, unsigned ndeps, starpu_tag_t *array)
{
	struct xs_tag *tag;

	pthread_mutex_lock(&xs_deps_lock);
	tag = xs_tag_get(id);
	for (unsigned i = 0; i < ndeps; i++)
		tag_declare(tag, array[i]);
	pthread_mutex_unlock(&xs_deps_lock);
}

void starpu_tag_declare_deps(starpu_tag_t id, unsigned ndeps, ...)
{
	struct xs_tag *tag;
	va_list list;

	va_start(list, ndeps);
	pthread_mutex_lock(&xs_deps_lock);
	tag = xs_tag_get(id);
	for (unsigned i = 0; i < ndeps; i++)
		tag_declare(tag, va_arg(list, starpu_tag_t));
	pthread_mutex_unlock(&xs_deps_lock);
	va_end(list);
}

int starpu_tag_wait_array(unsigned ntags, starpu_tag_t *id)
{
	struct xs_waiter waiter = { .cond = PTHREAD_COND_INITIALIZER };

	if (xs_thread.task)
		return xs_fail(-EDEADLK, "starpu_tag_wait: a codelet or callback can't wait for a tag");
	pthread_mutex_lock(&xs_deps_lock);
	for (unsigned i = 0; i < ntags; i++) {
		struct xs_tag *tag = xs_tag_get(id[i]);

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
	tag = xs_tag_get(id);
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
	tag = xs_tag_get(id);
	if (tag)
		tag->done = false;
	pthread_mutex_unlock(&xs_deps_lock);
}

static void tag_end(struct xs_tag *tag)
{
	if (tag->job && tag->job->tag == tag)
		tag->job->tag = NULL;
	edges_free(&tag->successors);
	xs_tag_free(tag);
}

void starpu_tag_remove(starpu_tag_t id)
{
	struct xs_tag *tag;

	pthread_mutex_lock(&xs_deps_lock);
	tag = xs_tag_find(id);
	if (tag)
		tag_end(tag);
	pthread_mutex_unlock(&xs_deps_lock);
}

struct starpu_task *starpu_tag_get_task(starpu_tag_t id)
{
	struct xs_tag *tag;
	struct starpu_task *task;

	pthread_mutex_lock(&xs_deps_lock);
	tag = xs_tag_find(id);
	task = tag && tag->job ? tag->job->task : NULL;
	pthread_mutex_unlock(&xs_deps_lock);
	return task;
}

void xs_tags_fini(void)
{
	pthread_mutex_lock(&xs_deps_lock);
	xs_tag_table_fini(tag_end);
	gates_fini();
	pthread_mutex_unlock(&xs_deps_lock);
}
