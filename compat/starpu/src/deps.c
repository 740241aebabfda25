/* SPDX-License-Identifier: MIT */
/*
 * Explicit dependencies between tasks. A job whose dependencies are not fulfilled when it is submitted takes its place
 * in the order of its data at once, and starts after a gate that the last dependency opens. As in StarPU, an edge
 * serves each time that its source ends, until one of the two leaves; that of a task which is freed at its end, once.
 */
#include "deps.h"

pthread_mutex_t xs_deps_lock = PTHREAD_MUTEX_INITIALIZER;

static void edges_append(struct xs_edges *edges, struct xs_edge *edge)
{
	edge->next = NULL;
	*(edges->first ? &edges->last->next : &edges->first) = edge;
	edges->last = edge;
}

/* --- what edges lead to --- */

static struct xs_sink *sink_of(const struct xs_edge *edge)
{
	return edge->ends ? NULL : edge->job ? &edge->job->sink : edge->tag ? &edge->tag->sink : NULL;
}

static void sink_link(struct xs_sink *sink, struct xs_edge *edge)
{
	edge->in_previous = NULL;
	edge->in_next = sink->in;
	if (sink->in)
		sink->in->in_previous = edge;
	sink->in = edge;
	sink->ndeps++;
}

static void sink_unlink(struct xs_sink *sink, struct xs_edge *edge)
{
	if (edge->in_next)
		edge->in_next->in_previous = edge->in_previous;
	*(edge->in_previous ? &edge->in_previous->in_next : &sink->in) = edge->in_next;
}

static bool sink_is_ready(const struct xs_sink *sink)
{
	return sink->ndone >= sink->ndeps;
}

/* What has fulfilled dependencies more than once counts for the next start. */
static void sink_start(struct xs_sink *sink)
{
	sink->ndone -= sink->ndeps;
	sink->ndeps -= sink->once;
	sink->once = 0;
	sink->starts++;
}

void xs_sink_leave(struct xs_sink *sink)
{
	for (struct xs_edge *edge = sink->in; edge; edge = edge->in_next) {
		edge->job = NULL; /* its source frees it */
		edge->tag = NULL;
	}
	*sink = (struct xs_sink){ 0 };
}

/* The edge goes, and what it has fulfilled stays so until the next start. */
static void edge_leave(struct xs_edge *edge)
{
	struct xs_sink *sink = sink_of(edge);

	if (sink) {
		sink_unlink(sink, edge);
		if (edge->fired && edge->fired_for == sink->starts)
			sink->once++;
		else
			sink->ndeps--;
	}
	xs_edge_free(edge);
}

/* --- fulfilment --- */

/* The start of a job needs all its own dependencies, and those of its tag. */
static bool job_is_free(const struct xs_job *job)
{
	return sink_is_ready(&job->sink) && (!job->tag || sink_is_ready(&job->tag->sink));
}

static void job_start(struct xs_job *job)
{
	sink_start(&job->sink);
	if (job->tag)
		sink_start(&job->tag->sink);
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

void xs_deps_try(struct xs_job *job, struct xs_opening *o)
{
	if (!job || !job->gate || !job_is_free(job))
		return;
	xs_opening_add(o, job->gate);
	xs_deps_ungate(job);
	job_start(job);
}

static void end_try(struct xs_job *job, struct xs_opening *o)
{
	if (job->nend)
		job->nend--;
	if (!job->nend && job->endgate) {
		xs_opening_add(o, job->endgate);
		job->endgate = NULL;
	}
}

/* Returns whether the edge serves again. */
static bool edge_fire(struct xs_edge *edge, struct xs_opening *o)
{
	struct xs_sink *sink = sink_of(edge);

	if (edge->waiter) {
		if (!--edge->waiter->left)
			pthread_cond_signal(&edge->waiter->cond);
	} else if (edge->ends) {
		end_try(edge->job, o);
	} else if (sink) {
		struct xs_job *job = edge->job ? edge->job : edge->tag->job;
		bool stays = !edge->job || atomic_load(&job->state) != XS_SUBMITTED || job->stays;

		sink->ndone++;
		edge->fired = true;
		edge->fired_for = sink->starts;
		if (!stays)
			edge_leave(edge);
		xs_deps_try(job, o);
		return stays;
	}
	xs_edge_free(edge);
	return false;
}

void xs_edges_fire(struct xs_edges *edges, struct xs_opening *o)
{
	struct xs_edge *edge = edges->first, *next;

	edges->first = NULL;
	for (; edge; edge = next) {
		next = edge->next;
		if (edge_fire(edge, o))
			edges_append(edges, edge);
	}
}

void xs_edges_drop(struct xs_edges *edges, struct xs_opening *o)
{
	while (edges->first) {
		struct xs_edge *edge = edges->first;
		struct xs_job *job = edge->job ? edge->job : edge->tag ? edge->tag->job : NULL;

		edges->first = edge->next;
		if (!sink_of(edge)) {
			edge_fire(edge, o);
			continue;
		}
		edge_leave(edge);
		xs_deps_try(job, o);
	}
}

bool xs_edge_add(struct xs_edges *edges, struct xs_edge value)
{
	struct xs_edge *edge = xs_edge_create();

	if (!edge) {
		xs_fail(-ENOMEM, "no memory for a dependency");
		return false;
	}
	*edge = value;
	edges_append(edges, edge);
	if (sink_of(edge))
		sink_link(sink_of(edge), edge);
	return true;
}

/* --- the life of a job --- */

void xs_deps_submitted(struct xs_job *job, bool again, struct xs_gate **gate)
{
	const struct starpu_task *task = job->task;

	pthread_mutex_lock(&xs_deps_lock);
	if (task->use_tag) {
		job->tag = xs_tag_get(task->tag_id);
		if (job->tag) {
			atomic_store(&job->has_tag, true);
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
		job_start(job);
	}
	pthread_mutex_unlock(&xs_deps_lock);
}

void xs_deps_ended(struct xs_job *job)
{
	struct xs_opening o = { 0 };

	/* seq_cst, as in declare: either it sees the state, or we see the successor
   */
	atomic_store(&job->state, XS_ENDED);
	if (!atomic_load(&job->has_tag) && !atomic_load(&job->has_successors))
		return;
	pthread_mutex_lock(&xs_deps_lock);
	xs_edges_fire(&job->successors, &o);
	if (job->tag) {
		job->tag->done = true; /* its task stays known until it is freed: callbacks ask for it */
		xs_edges_fire(&job->tag->successors, &o);
	}
	xs_opening_unlock(&o);
}

void xs_deps_forget(struct xs_job *job)
{
	struct xs_opening o = { 0 };

	if (!atomic_load(&job->has_tag) && !atomic_load(&job->has_successors) && !atomic_load(&job->has_deps))
		return;
	pthread_mutex_lock(&xs_deps_lock);
	if (job->tag && job->tag->job == job)
		job->tag->job = NULL;
	job->tag = NULL;
	xs_sink_leave(&job->sink);
	xs_edges_drop(&job->successors, &o);
	xs_opening_unlock(&o);
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
			if (edge->job == job && !edge->ends)
				edge_leave(edge);
			else
				edges_append(&before->successors, edge);
		}
	}
	job->known = !sink_is_ready(&job->sink);
}

int xs_deps_cycles(void)
{
	struct xs_opening o = { 0 };
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
		xs_opening_add(&o, job->gate);
		xs_deps_ungate(job);
	}
	xs_opening_unlock(&o);
	return error;
}

void xs_deps_abandon(void)
{
	struct xs_opening o = { 0 };
	unsigned n = 0;

	pthread_mutex_lock(&xs_deps_lock);
	for (; gated; n++) {
		gated->skipped = true;
		gated->known = gated->nend; /* what it was to wait for at its end would tell it */
		gated->task->regenerate = 0;
		xs_opening_add(&o, gated->gate);
		xs_deps_ungate(gated);
	}
	xs_opening_unlock(&o);
	if (n)
		xs_fail(-EDEADLK, "starpu_shutdown: %u tasks wait for tags or tasks that never come: they are skipped",
			n);
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
	atomic_store(&before->has_successors, true);
	/* seq_cst: either the end sees that there are some, or this sees the end, after which nothing waits */
	if (atomic_load(&before->state) == XS_ENDED && !on->regenerate) {
		pthread_mutex_unlock(&xs_deps_lock);
		return;
	}
	if (xs_edge_add(&before->successors, (struct xs_edge){ .job = job, .ends = ends })) {
		atomic_store(&job->has_deps, true);
		job->nend += ends;
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
	struct xs_opening o = { 0 };

	if (!job)
		return;
	pthread_mutex_lock(&xs_deps_lock);
	end_try(job, &o);
	xs_opening_unlock(&o);
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
