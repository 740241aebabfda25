/* SPDX-License-Identifier: MIT */
/*
 * Tasks: each submission makes a task of Xylem's whose argument is the job. Its
 * callback ends the job: explicit dependencies, the program's callback, and
 * then the struct is freed, submitted again, or left to the program.
 */
#include "internal.h"

#define FEW 16u

static _Atomic unsigned long next_id;
static pthread_mutex_t ended_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended_cond = PTHREAD_COND_INITIALIZER;
static _Atomic unsigned ended_waiters;

struct task_and_job {
	struct starpu_task task;
	struct xs_job job;
};

/* What a new task is copied from: one pass over its memory, and no bit field by itself. */
static const struct task_and_job fresh = {
	.task = STARPU_TASK_INITIALIZER,
	.job = { .embedded = true },
};

void starpu_task_init(struct starpu_task *task)
{
	memcpy(task, &fresh.task, sizeof *task);
}

/* --- structs that are used again ---
 * A thread takes them from a list of its own; when that is empty, it takes all that any thread has given back. */

static XS_THREAD_LOCAL struct task_and_job *own_structs;
static _Atomic(struct task_and_job *) spare_structs;
static pthread_key_t structs_key;
static pthread_once_t structs_once = PTHREAD_ONCE_INIT;

static void structs_give(struct task_and_job *first, struct task_and_job *last)
{
	struct task_and_job *old = atomic_load_explicit(&spare_structs, memory_order_relaxed);

	do
		last->job.task = (struct starpu_task *)old;
	while (!atomic_compare_exchange_weak(&spare_structs, &old, first));
}

/* The end of a thread that has some. */
static void structs_return(void *arg)
{
	(void)arg;
	while (own_structs) {
		struct task_and_job *both = own_structs;

		own_structs = (struct task_and_job *)both->job.task;
		structs_give(both, both);
	}
}

static void structs_init(void)
{
	pthread_key_create(&structs_key, structs_return);
}

void xs_tasks_fini(void)
{
	struct task_and_job *both = atomic_exchange(&spare_structs, NULL);

	structs_return(NULL);
	if (!both)
		both = atomic_exchange(&spare_structs, NULL);
	while (both) {
		struct task_and_job *next = (struct task_and_job *)both->job.task;

		free(both);
		both = next;
	}
}

static struct task_and_job *structs_take(void)
{
	struct task_and_job *both = own_structs;

	if (!both && atomic_load_explicit(&spare_structs, memory_order_relaxed)) {
		both = atomic_exchange(&spare_structs, NULL);
		pthread_once(&structs_once, structs_init);
		pthread_setspecific(structs_key, &own_structs);
	}
	if (!both)
		return malloc(sizeof *both);
	own_structs = (struct task_and_job *)both->job.task;
	return both;
}

struct starpu_task *starpu_task_create(void)
{
	struct task_and_job *both = structs_take();
	size_t size = sizeof *both;

	if (!both)
		return NULL;
	__asm__("" : "+r"(size)); /* a call copies more at once than what the compiler would write here */
	memcpy(both, &fresh, size);
	both->task.destroy = 1;
	both->job.task = &both->task;
	both->job.id = atomic_fetch_add_explicit(&next_id, 1, memory_order_relaxed) + 1;
	both->task.starpu_private = &both->job;
	return &both->task;
}

struct starpu_task *starpu_task_create_sync(starpu_data_handle_t handle, enum starpu_data_access_mode mode)
{
	static struct starpu_codelet sync = { .where = STARPU_NOWHERE, .nbuffers = STARPU_VARIABLE_NBUFFERS };
	struct starpu_task *task = starpu_task_create();

	if (!task)
		return NULL;
	task->cl = &sync;
	task->nbuffers = 1;
	task->handles[0] = handle;
	task->modes[0] = mode;
	return task;
}

struct xs_job *xs_job(struct starpu_task *task)
{
	struct xs_job *job = task->starpu_private;

	if (job)
		return job;
	job = calloc(1, sizeof *job);
	if (!job)
		return NULL;
	job->task = task;
	job->id = atomic_fetch_add_explicit(&next_id, 1, memory_order_relaxed) + 1;
	task->starpu_private = job;
	return job;
}

unsigned long starpu_task_get_job_id(struct starpu_task *task)
{
	struct xs_job *job = task ? xs_job(task) : NULL;

	return job ? job->id : 0;
}

static void task_free_arguments(struct starpu_task *task)
{
	if (task->cl_arg_free)
		free(task->cl_arg);
	if (task->callback_arg_free)
		free(task->callback_arg);
	if (task->epilogue_callback_arg_free)
		free(task->epilogue_callback_arg);
	if (task->prologue_callback_arg_free)
		free(task->prologue_callback_arg);
	if (task->prologue_callback_pop_arg_free)
		free(task->prologue_callback_pop_arg);
	if (task->cl_ret_free)
		free(task->cl_ret);
	task->cl_arg_free = task->callback_arg_free = task->epilogue_callback_arg_free = 0;
	task->prologue_callback_arg_free = task->prologue_callback_pop_arg_free = task->cl_ret_free = 0;
}

void starpu_task_clean(struct starpu_task *task)
{
	struct xs_job *job = task ? task->starpu_private : NULL;

	if (!task)
		return;
	if (job)
		xs_deps_forget(job); /* first: until then, a tag leads other threads to the task */
	task_free_arguments(task);
	free(task->dyn_handles);
	free(task->dyn_interfaces);
	free(task->dyn_modes);
	free(task->dyn_nodes);
	task->dyn_nodes = NULL;
	task->dyn_handles = NULL;
	task->dyn_interfaces = NULL;
	task->dyn_modes = NULL;
	free(task->profiling_info);
	task->profiling_info = NULL;
	if (!job)
		return;
	xy_task_release(job->xy);
	job->xy = NULL;
	if (!job->embedded) {
		free(job);
		task->starpu_private = NULL;
	}
}

void xs_task_free(struct starpu_task *task)
{
	struct xs_job *job = task->starpu_private;
	bool embedded = job && job->embedded;

	starpu_task_clean(task);
	if (embedded)
		structs_give((struct task_and_job *)task, (struct task_and_job *)task);
	else
		free(task);
}

void starpu_task_destroy(struct starpu_task *task)
{
	struct xs_job *job = task ? task->starpu_private : NULL;

	if (!task)
		return;
	if (job && atomic_load(&job->state) == XS_SUBMITTED) {
		xs_fail(-EBUSY, "starpu_task_destroy: the task has not ended; it is kept");
		return;
	}
	xs_task_free(task);
}

void starpu_task_set_destroy(struct starpu_task *task)
{
	task->destroy = 1;
}

struct starpu_task *starpu_task_dup(struct starpu_task *task)
{
	struct starpu_task *copy = starpu_task_create();
	struct xs_job *job = task->starpu_private, *private = copy ? copy->starpu_private : NULL;

	if (!copy)
		return NULL;
	*copy = *task;
	copy->starpu_private = private;
	copy->profiling_info = NULL;
	copy->cl_arg_free = copy->callback_arg_free = copy->epilogue_callback_arg_free = 0;
	copy->prologue_callback_arg_free = copy->prologue_callback_pop_arg_free = 0;
	copy->dyn_handles = NULL;
	copy->dyn_interfaces = NULL;
	copy->dyn_modes = NULL;
	copy->dyn_nodes = NULL;
	copy->destroy = 1;
	if (job && job->kept)
		xs_team_copied(job, private);
	return copy;
}

/* --- the end --- */

static struct timespec now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t;
}

static void job_callbacks(struct starpu_task *task)
{
	void (*callback)(void *) = task->callback_func ? task->callback_func
				   : task->cl          ? task->cl->callback_func
						       : NULL;
	struct starpu_task *outer = xs_thread.task;

	if (!callback)
		return;
	xs_thread.task = task;
	if (task->profiling_info)
		task->profiling_info->callback_start_time = now();
	callback(task->callback_arg);
	xs_thread.task = outer;
}

static void job_epilogue(struct starpu_task *task)
{
	struct starpu_task *outer = xs_thread.task;

	if (!task->epilogue_callback_func)
		return;
	xs_thread.task = task;
	task->epilogue_callback_func(task->epilogue_callback_arg);
	xs_thread.task = outer;
}

static void ended_one(void)
{
	atomic_fetch_sub(&xs_global.nsubmitted, 1);
	if (!atomic_load(&ended_waiters))
		return;
	pthread_mutex_lock(&ended_lock);
	pthread_cond_broadcast(&ended_cond);
	pthread_mutex_unlock(&ended_lock);
}

/* Whether nothing else happens at the end of a task than that it is freed. */
static bool job_is_plain(const struct xs_job *job)
{
	const struct starpu_task *task = job->task;
	uintptr_t rare = (uintptr_t)task->epilogue_callback_func | (uintptr_t)task->callback_func |
			 (uintptr_t)task->profiling_info | (uintptr_t)task->bundle | (uintptr_t)task->dyn_handles |
			 (uintptr_t)task->dyn_interfaces | (uintptr_t)task->dyn_modes | (uintptr_t)task->dyn_nodes |
			 (uintptr_t)job->xy;

	return !rare && task->destroy && task->detach && !task->synchronous && !task->regenerate &&
	       !task->cl_arg_free && !task->cl_ret_free && !task->callback_arg_free &&
	       !task->epilogue_callback_arg_free && !task->prologue_callback_arg_free &&
	       !task->prologue_callback_pop_arg_free && !(task->cl && task->cl->callback_func) && job->embedded &&
	       !job->known && !atomic_load_explicit(&job->has_deps, memory_order_relaxed) &&
	       !atomic_load(&job->has_successors) && !atomic_load_explicit(&job->has_tag, memory_order_relaxed);
}

static void job_end(struct xs_job *job, int status);

/* The callback of the task of Xylem's. */
static void job_ended(void *arg, int status)
{
	struct xs_job *job = arg;

	if (status || !job_is_plain(job)) {
		job_end(job, status);
	} else {
		struct task_and_job *both = (struct task_and_job *)job->task;

		structs_give(both, both);
		ended_one();
	}
}

static void job_end(struct xs_job *job, int status)
{
	struct starpu_task *task = job->task;
	bool regenerate = task->regenerate, frees = task->detach && task->destroy && !task->synchronous && !job->known;
	unsigned submissions = atomic_load(&job->submissions);

	if (status && status != -ECANCELED)
		xs_fail(status, "task '%s' failed: %s", starpu_task_get_name(task), strerror(-status));
	job_epilogue(task);
	task->status = STARPU_TASK_FINISHED;
	if (task->bundle)
		starpu_task_bundle_remove(task->bundle, task);
	xs_deps_ended(job);
	job_callbacks(task);
	if (task->profiling_info)
		task->profiling_info->callback_end_time = now();
	if (regenerate && task->regenerate && atomic_load(&job->submissions) == submissions) {
		if (xs_submit(task, true))
			xs_fail(-EAGAIN, "a task could not be regenerated");
	} else if (atomic_load(&job->submissions) == submissions && !task->regenerate && frees) {
		xs_task_free(task);
	}
	ended_one();
}

/* --- submission --- */

static bool handle_is_unordered(const struct starpu_task *task, const struct _starpu_data_state *h, unsigned i)
{
	return !task->sequential_consistency || !atomic_load_explicit(&h->sequential, memory_order_relaxed) ||
	       (task->handles_sequential_consistency && !task->handles_sequential_consistency[i]);
}

static int job_accesses(struct xs_job *job, struct xy_access *accesses, unsigned n, bool ordered)
{
	struct starpu_task *task = job->task;

	for (unsigned i = 0; i < n; i++) {
		struct _starpu_data_state *h = STARPU_TASK_GET_HANDLE(task, i);
		enum starpu_data_access_mode mode = STARPU_TASK_GET_MODE(task, i);
		int error;

		if (!h)
			return xs_fail(-EINVAL, "task '%s' has no handle number %u", starpu_task_get_name(task), i);
		error = xs_access(h, mode, &accesses[i].mode);
		if (error)
			return error;
		accesses[i].handle = h->xy;
		if (h->slow)
			job->rebuffer = true;
		if ((!ordered || handle_is_unordered(task, h, i)) && accesses[i].mode < XY_SCRATCH) {
			accesses[i].mode = (enum xy_mode)(accesses[i].mode | XY_UNORDERED);
			job->rebuffer = true;
		}
	}
	accesses[n] = (struct xy_access){ NULL, (enum xy_mode)0 };
	return 0;
}

static int task_check(const struct starpu_task *task)
{
	if (!xs_global.rt)
		return xs_fail(-ENODEV, "starpu_task_submit: StarPU is not initialised");
	if (!task)
		return xs_fail(-EINVAL, "starpu_task_submit: no task");
	if (task->magic != 42)
		return xs_fail(-EINVAL, "starpu_task_submit: the task was never "
					"initialised (starpu_task_init)");
	if (task->execute_on_a_specific_worker && task->workerid >= xs_global.nworkers &&
	    !starpu_worker_is_combined_worker((int)task->workerid))
		return xs_fail(-ENODEV, "starpu_task_submit: there is no worker %u", task->workerid);
	if (task->cl && task->cl->nbuffers > (int)STARPU_NMAXBUFS && !task->dyn_handles)
		return xs_fail(-EINVAL, "starpu_task_submit: more than %d handles need dyn_handles", STARPU_NMAXBUFS);
	return 0;
}

/* A task that ends when the dependencies of the job's end are fulfilled; its
 * accesses keep others waiting. */
static int job_submit_end(struct xs_job *job, struct xy_task_desc *desc, struct xs_gate *endgate, unsigned n)
{
	struct xy_access *accesses = (struct xy_access *)desc->accesses;
	struct xy_task *first, *after[2];
	struct xy_task_desc end = *desc;
	int error;

	desc->callback = NULL;
	error = xy_task_create(xs_global.rt, desc, &first);
	if (error)
		return error;
	for (unsigned i = 0; i < n; i++)
		if (accesses[i].mode == XY_W)
			accesses[i].mode = XY_RW;
	after[0] = first;
	after[1] = endgate->task;
	end.codelet = NULL;
	end.workers = NULL;
	end.nworkers = 0;
	end.after = after;
	end.nafter = 2;
	error = xy_task_submit(first);
	if (!error)
		error = xy_task_create(xs_global.rt, &end, &job->xy);
	if (!error)
		error = xy_task_submit(job->xy);
	xy_task_release(first);
	return error;
}

static int job_submit(struct xs_job *job, struct xy_task_desc *desc, unsigned naccesses)
{
	struct starpu_task *task = job->task;
	struct xs_gate *endgate = NULL;
	bool waits = !task->detach || task->synchronous;
	struct xy_task *xy;
	int error;

	if (job->nend) {
		pthread_mutex_lock(&xs_deps_lock);
		if (job->nend)
			endgate = job->endgate = xs_gate_create();
		pthread_mutex_unlock(&xs_deps_lock);
	}
	if (endgate) {
		error = job_submit_end(job, desc, endgate, naccesses);
		xs_gate_drop(endgate);
		if (!waits && !error) {
			/* The job may be gone already; its reference is in the task of Xylem's
       * alone. */
			return 0;
		}
		return error;
	}
	if (!waits)
		return xy_submit(xs_global.rt, desc);
	error = xy_task_create(xs_global.rt, desc, &xy);
	if (error)
		return error;
	job->xy = xy;
	return xy_task_submit(xy);
}

static void job_unsubmit(struct xs_job *job, struct xs_gate *gate)
{
	atomic_store(&job->state, XS_CREATED);
	job->task->status = STARPU_TASK_INIT;
	ended_one();
	if (gate) {
		pthread_mutex_lock(&xs_deps_lock);
		if (job->gate == gate) {
			xs_deps_ungate(job);
			xs_gate_drop(gate);
		}
		pthread_mutex_unlock(&xs_deps_lock);
	}
}

static void job_prepare(struct xs_job *job, struct starpu_task *task)
{
	xy_task_release(job->xy);
	job->xy = NULL;
	job->rebuffer = false;
	atomic_store_explicit(&job->stays, !task->destroy || task->regenerate,
			      memory_order_relaxed); /* before the state, which edge_fire reads first */
	atomic_fetch_add(&job->submissions, 1);
	atomic_store(&job->state, XS_SUBMITTED);
	task->status = STARPU_TASK_BLOCKED;
	if (atomic_load_explicit(&xs_global.profiling, memory_order_relaxed) && !task->profiling_info)
		task->profiling_info = calloc(1, sizeof *task->profiling_info);
	if (task->profiling_info)
		task->profiling_info->submit_time = now();
	atomic_fetch_add(&xs_global.nsubmitted, 1);
	if (atomic_load_explicit(&xs_bound_records, memory_order_relaxed)) /* a late one does not count */
		xs_bound_submitted(task);
	if (atomic_load_explicit(&xs_counts, memory_order_relaxed)) /* likewise */
		xs_count_submitted(task);
}

/* Whether a thread, a callback or another task takes note of the end of a task that does nothing. */
static bool job_is_awaited(const struct xs_job *job)
{
	const struct starpu_task *task = job->task;

	return task->synchronous || !task->detach || !task->destroy || task->use_tag || task->callback_func ||
	       task->epilogue_callback_func || task->regenerate || task->cl->callback_func || job->nend ||
	       atomic_load(&job->has_successors);
}

static void submit_throttle(void)
{
	int least = atomic_load(&xs_global.least_submitted);

	if (!xs_thread.task && starpu_task_nsubmitted() >= atomic_load(&xs_global.most_submitted))
		starpu_task_wait_for_n_submitted((unsigned)(least > 0 ? least : 0));
}

void starpu_set_limit_min_submitted_tasks(int limit_min)
{
	atomic_store(&xs_global.least_submitted, limit_min);
}

void starpu_set_limit_max_submitted_tasks(int limit_max)
{
	atomic_store(&xs_global.most_submitted, limit_max);
}

static int job_drop(struct xs_job *job)
{
	xs_task_free(job->task);
	return 0;
}

/* The workers in a task's bit vector. */
static unsigned job_listed(const struct starpu_task *task, unsigned *listed)
{
	unsigned n = 0;

	for (unsigned i = 0; i < xs_global.nworkers && i / 32 < task->workerids_len; i++)
		if (task->workerids[i / 32] >> i % 32 & 1)
			listed[n++] = i;
	return n;
}

/* 0, or -ENODEV without any worker. */
static inline int job_place(struct starpu_task *task, struct xy_task_desc *desc, unsigned *listed)
{
	if (task->execute_on_a_specific_worker) {
		/* Any worker of a set takes the task; all are said to run it. */
		if (!xs_team_workers(task->workerid, &desc->workers, &desc->nworkers)) {
			desc->workers = &task->workerid;
			desc->nworkers = 1;
		}
	} else if (task->workerids && task->workerids_len) {
		desc->workers = listed;
		desc->nworkers = job_listed(task, listed);
		if (!desc->nworkers)
			return xs_fail(-ENODEV, "task '%s' is for no worker", starpu_task_get_name(task));
	} else {
		xs_context_workers(task->sched_ctx, &desc->workers, &desc->nworkers);
	}
	return 0;
}

int xs_submit(struct starpu_task *task, bool ordered)
{
	struct xy_access few[FEW + 1], *accesses = few;
	unsigned listed[STARPU_NMAXWORKERS];
	struct xy_task_desc desc = { 0 };
	struct xs_gate *gate = NULL;
	bool synchronous, again;
	struct xs_job *job;
	unsigned n;
	int error = task_check(task);

	if (error)
		return error;
	synchronous = task->synchronous;
	if (synchronous && xs_thread.task)
		return xs_fail(-EDEADLK, "a codelet or callback can't submit a synchronous task");
	job = xs_job(task);
	if (!job)
		return -ENOMEM;
	if (job->meta)
		return xs_retry_submit(job);
	if (atomic_load(&job->state) == XS_SUBMITTED)
		return xs_fail(-EINVAL, "task '%s' is submitted again before its end", starpu_task_get_name(task));
	if (task->transaction)
		job->epoch = xs_transaction_join(task);
	if (atomic_load_explicit(&xs_global.most_submitted, memory_order_relaxed)) /* a late one does not count */
		submit_throttle();
	if (task->cl && (task->recursive_task_gen_dag_func || task->cl->recursive_task_gen_dag_func) &&
	    xs_recursive(task)) {
		if (!job_is_awaited(job))
			return job_drop(job);
		/* It does nothing itself, and ends after those in its place. */
	} else {
		desc.codelet = xs_codelet(task->cl, task->where, &error);
		if (error)
			return error;
	}
	n = task->cl ? STARPU_TASK_GET_NBUFFERS(task) : 0;
	if (n > FEW)
		accesses = malloc((n + 1) * sizeof *accesses);
	if (!accesses)
		return -ENOMEM;
	again = atomic_load(&job->submissions);
	if (task->sched_ctx >= STARPU_NMAX_SCHED_CTXS)
		task->sched_ctx = xs_context_current();
	if (xs_hub()) {
		xs_policy_submitted(task);
		desc.sched_data = job;
	}
	job_prepare(job, task);
	error = job_accesses(job, accesses, n, ordered);
	if (!error && desc.codelet)
		error = job_place(task, &desc, listed);
	if (error) {
		job_unsubmit(job, NULL);
		goto out;
	}
	desc.accesses = n ? accesses : NULL;
	desc.arg = desc.callback_arg = job;
	desc.callback = job_ended;
	desc.priority = task->priority;
	desc.name = task->name;
	if (task->flops > 0 && (!desc.codelet || !desc.codelet->model))
		desc.length_us = task->flops / 1e3; /* on a core with 1 GFlop/s: relative lengths are right */
	if (task->use_tag || atomic_load_explicit(&job->has_deps, memory_order_relaxed))
		xs_deps_submitted(job, again, &gate);
	if (gate) {
		desc.after = &gate->task;
		desc.nafter = 1;
	}
	error = job_submit(job, &desc, n);
	if (error)
		job_unsubmit(job, gate);
	xs_gate_drop(gate);
	if (!error && synchronous) {
		struct xy_task *xy = job->xy;

		error = xy_task_wait(xy);
		job->xy = NULL;
		xy_task_release(xy);
		if (task->destroy && !task->regenerate)
			xs_task_free(task);
	}
out:
	if (accesses != few)
		free(accesses);
	return error;
}

int starpu_task_submit(struct starpu_task *task)
{
	return xs_submit(task, true);
}

int starpu_task_submit_nodeps(struct starpu_task *task)
{
	return xs_submit(task, false);
}

int starpu_task_submit_to_ctx(struct starpu_task *task, unsigned sched_ctx_id)
{
	task->sched_ctx = sched_ctx_id;
	return xs_submit(task, true);
}

/* --- waiting --- */

int starpu_task_finished(struct starpu_task *task)
{
	struct xs_job *job = task ? task->starpu_private : NULL;

	return job && atomic_load(&job->state) == XS_ENDED;
}

int starpu_task_wait(struct starpu_task *task)
{
	struct xs_job *job = task ? task->starpu_private : NULL;
	struct xy_task *xy;
	int error;

	if (!job || task->detach || task->synchronous)
		return xs_fail(-EINVAL, "starpu_task_wait: the task is detached, "
					"synchronous, or was not submitted");
	xy = job->xy;
	if (!xy)
		return xs_fail(-EINVAL, "starpu_task_wait: the task was not submitted, or is waited for twice");
	xs_policy_do_schedule();
	if (!xs_thread.task)
		xs_deps_cycles();
	error = xy_task_wait(xy);
	if (error == -EDEADLK && atomic_load(&job->state) != XS_ENDED)
		return error;
	if (job->xy == xy) {
		job->xy = NULL;
		xy_task_release(xy);
	}
	if (task->destroy && atomic_load(&job->state) == XS_ENDED)
		xs_task_free(task);
	return 0;
}

int starpu_task_wait_array(struct starpu_task **tasks, unsigned nb_tasks)
{
	for (unsigned i = 0; i < nb_tasks; i++) {
		int error = starpu_task_wait(tasks[i]);

		if (error)
			return error;
	}
	return 0;
}

int starpu_task_wait_for_n_submitted(unsigned n)
{
	if (xs_thread.task)
		return xs_fail(-EDEADLK, "a codelet or callback can't wait for tasks");
	if (!xs_global.rt)
		return xs_fail(-ENODEV, "waiting before starpu_init");
	xs_policy_do_schedule();
	atomic_fetch_add(&ended_waiters, 1);
	pthread_mutex_lock(&ended_lock);
	while (atomic_load(&xs_global.nsubmitted) > (long)n)
		pthread_cond_wait(&ended_cond, &ended_lock);
	pthread_mutex_unlock(&ended_lock);
	atomic_fetch_sub(&ended_waiters, 1);
	return 0;
}

int starpu_task_wait_for_all(void)
{
	int error, cycles;

	if (xs_thread.task)
		return xs_fail(-EDEADLK, "a codelet or callback can't wait for all tasks");
	if (!xs_global.rt)
		return xs_fail(-ENODEV, "starpu_task_wait_for_all before starpu_init");
	xs_policy_do_schedule();
	cycles = xs_deps_cycles();
	error = xy_wait(xs_global.rt);
	return error == -EDEADLK ? error : cycles;
}

int starpu_task_wait_for_all_in_ctx(unsigned sched_ctx_id)
{
	(void)sched_ctx_id;
	return starpu_task_wait_for_all();
}

int starpu_task_wait_for_n_submitted_in_ctx(unsigned sched_ctx_id, unsigned n)
{
	(void)sched_ctx_id;
	return starpu_task_wait_for_n_submitted(n);
}

int starpu_task_nsubmitted(void)
{
	return (int)atomic_load(&xs_global.nsubmitted);
}

int starpu_task_nready(void)
{
	long n = atomic_load(&xs_global.nsubmitted) - (long)xs_deps_gated();

	return n > 0 ? (int)n : 0;
}

int starpu_task_wait_for_no_ready(void)
{
	if (xs_thread.task)
		return xs_fail(-EDEADLK, "a codelet or callback can't wait for other tasks");
	while (starpu_task_nready())
		starpu_usleep(100);
	return 0;
}

void starpu_task_watchdog_set_hook(void (*hook)(void *), void *hook_arg)
{
	(void)hook;
	(void)hook_arg;
	xs_note("starpu_task_watchdog_set_hook has no effect: Xylem's watchdog writes a report");
}

/* --- queries --- */

struct starpu_task *starpu_task_get_current(void)
{
	return xs_thread.task;
}

int starpu_task_get_current_data_node(unsigned i)
{
	const struct starpu_task *task = xs_thread.task;
	int node;

	if (xs_worker() < 0 || !task)
		return -1;
	node = STARPU_TASK_GET_NODE(task, i, STARPU_SPECIFIC_NODE_LOCAL);
	if (node == STARPU_SPECIFIC_NODE_NONE)
		return -1;
	if (node == STARPU_SPECIFIC_NODE_CPU && starpu_worker_get_type(xs_worker()) != STARPU_CPU_WORKER)
		return STARPU_MAIN_RAM;
	return node >= 0 ? node : (int)starpu_worker_get_local_memory_node();
}

const char *starpu_task_get_model_name(struct starpu_task *task)
{
	return task && task->cl && task->cl->model ? task->cl->model->symbol : NULL;
}

const char *starpu_task_get_name(struct starpu_task *task)
{
	const char *model = starpu_task_get_model_name(task);

	if (!task)
		return NULL;
	return task->name ? task->name : task->cl && task->cl->name ? task->cl->name : model ? model : "unknown";
}

void starpu_task_set_implementation(struct starpu_task *task, unsigned impl)
{
	struct xs_job *job = xs_job(task);

	if (job)
		job->implementation = impl;
}

unsigned starpu_task_get_implementation(struct starpu_task *task)
{
	struct xs_job *job = xs_job(task);

	return job ? job->implementation : 0;
}

const char *starpu_task_status_get_as_string(enum starpu_task_status status)
{
	static const char *const names[] = {
		"STARPU_TASK_INIT",
		"STARPU_TASK_BLOCKED",
		"STARPU_TASK_READY",
		"STARPU_TASK_RUNNING",
		"STARPU_TASK_FINISHED",
		"STARPU_TASK_BLOCKED_ON_TAG",
		"STARPU_TASK_BLOCKED_ON_TASK",
		"STARPU_TASK_BLOCKED_ON_DATA",
		"STARPU_TASK_STOPPED",
	};

	return (unsigned)status < sizeof names / sizeof *names ? names[status] : "unknown";
}

void starpu_iteration_push(unsigned long iteration)
{
	(void)iteration;
}

void starpu_iteration_pop(void)
{
}

void starpu_create_sync_task(starpu_tag_t sync_tag, unsigned ndeps, starpu_tag_t *deps, void (*callback)(void *),
			     void *callback_arg)
{
	struct starpu_task *task = starpu_task_create();

	starpu_tag_declare_deps_array(sync_tag, ndeps, deps);
	if (!task)
		return;
	task->use_tag = 1;
	task->tag_id = sync_tag;
	task->callback_func = callback;
	task->callback_arg = callback_arg;
	if (starpu_task_submit(task))
		xs_task_free(task);
}

void starpu_create_callback_task(void (*callback)(void *), void *callback_arg)
{
	struct starpu_task *task = starpu_task_create();

	if (!task)
		return;
	task->callback_func = callback;
	task->callback_arg = callback_arg;
	if (starpu_task_submit(task))
		xs_task_free(task);
}

/* --- lists --- */

void starpu_task_list_init(struct starpu_task_list *list)
{
	list->head = list->tail = NULL;
}

void starpu_task_list_push_front(struct starpu_task_list *list, struct starpu_task *task)
{
	task->prev = NULL;
	task->next = list->head;
	*(list->head ? &list->head->prev : &list->tail) = task;
	list->head = task;
}

void starpu_task_list_push_back(struct starpu_task_list *list, struct starpu_task *task)
{
	task->next = NULL;
	task->prev = list->tail;
	*(list->tail ? &list->tail->next : &list->head) = task;
	list->tail = task;
}

struct starpu_task *starpu_task_list_front(const struct starpu_task_list *list)
{
	return list->head;
}

struct starpu_task *starpu_task_list_back(const struct starpu_task_list *list)
{
	return list->tail;
}

int starpu_task_list_empty(const struct starpu_task_list *list)
{
	return !list->head;
}

void starpu_task_list_erase(struct starpu_task_list *list, struct starpu_task *task)
{
	*(task->prev ? &task->prev->next : &list->head) = task->next;
	*(task->next ? &task->next->prev : &list->tail) = task->prev;
	task->prev = task->next = NULL;
}

struct starpu_task *starpu_task_list_pop_front(struct starpu_task_list *list)
{
	struct starpu_task *task = list->head;

	if (task)
		starpu_task_list_erase(list, task);
	return task;
}

struct starpu_task *starpu_task_list_pop_back(struct starpu_task_list *list)
{
	struct starpu_task *task = list->tail;

	if (task)
		starpu_task_list_erase(list, task);
	return task;
}

struct starpu_task *starpu_task_list_begin(const struct starpu_task_list *list)
{
	return list->head;
}

struct starpu_task *starpu_task_list_end(const struct starpu_task_list *list)
{
	(void)list;
	return NULL;
}

struct starpu_task *starpu_task_list_next(const struct starpu_task *task)
{
	return task->next;
}

int starpu_task_list_ismember(const struct starpu_task_list *list, const struct starpu_task *look)
{
	for (const struct starpu_task *task = list->head; task; task = task->next)
		if (task == look)
			return 1;
	return 0;
}

void starpu_task_list_move(struct starpu_task_list *ldst, struct starpu_task_list *lsrc)
{
	*ldst = *lsrc;
	starpu_task_list_init(lsrc);
}
