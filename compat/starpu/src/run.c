/* SPDX-License-Identifier: MIT */
/*
 * Running a task: from a call of Xylem's to the function of a codelet, with the
 * buffers as it expects them.
 */
#include "internal.h"

XS_THREAD_LOCAL struct xs_thread xs_thread = { .worker = -1 };

static pthread_mutex_t pause_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pause_cond = PTHREAD_COND_INITIALIZER;

int xs_worker(void)
{
	return xs_thread.generation == xs_global.generation ? xs_thread.worker : -1;
}

/* --- pausing --- */

void xs_wait_while_paused(void)
{
	pthread_mutex_lock(&pause_lock);
	while (atomic_load(&xs_global.pauses))
		pthread_cond_wait(&pause_cond, &pause_lock);
	pthread_mutex_unlock(&pause_lock);
}

void starpu_pause(void)
{
	atomic_fetch_add(&xs_global.pauses, 1);
}

void starpu_resume(void)
{
	pthread_mutex_lock(&pause_lock);
	if (atomic_load(&xs_global.pauses))
		atomic_fetch_sub(&xs_global.pauses, 1);
	pthread_cond_broadcast(&pause_cond);
	pthread_mutex_unlock(&pause_lock);
}

int starpu_is_paused(void)
{
	return atomic_load(&xs_global.pauses) > 0;
}

void xs_pause_fini(void)
{
	while (starpu_is_paused())
		starpu_resume();
}

/* --- buffers --- */

/* Accesses without order exclude each other while they run, as StarPU's do.
 * Locks are taken by address. */
static unsigned unordered_handles(const struct starpu_task *task, unsigned n, struct _starpu_data_state **handles,
				  bool *writes)
{
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++) {
		struct _starpu_data_state *h = STARPU_TASK_GET_HANDLE(task, i);
		enum starpu_data_access_mode mode = STARPU_TASK_GET_MODE(task, i);
		unsigned at = 0;

		if (mode & (STARPU_SCRATCH | STARPU_REDUX))
			continue;
		while (at < count && handles[at] < h)
			at++;
		if (at < count && handles[at] == h) {
			writes[at] |= mode & STARPU_W;
			continue;
		}
		memmove(handles + at + 1, handles + at, (count - at) * sizeof *handles);
		memmove(writes + at + 1, writes + at, (count - at) * sizeof *writes);
		handles[at] = h;
		writes[at] = mode & STARPU_W;
		count++;
	}
	return count;
}

/* The struct that a codelet expects for an access; NULL without memory. */
static void *run_buffer(struct _starpu_data_state *h, enum starpu_data_access_mode mode, void *given, void *room)
{
	if (h->foreign && h->shape)
		return xs_shape_convert(xy_handle_interface(h->xy), given, room);
	if (h->shape)
		return given;
	if (mode & STARPU_SCRATCH)
		return xs_opaque_scratch(h);
	return xs_opaque_allocate(h) ? NULL : h->views;
}

static int run_rebuffered(struct starpu_task *task, unsigned n, struct xy_call *call, starpu_cpu_func_t function)
{
	struct _starpu_data_state *handles[n + 1];
	char rooms[n + 1][XS_VIEW_ROOM];
	void *buffers[n + 1];
	bool writes[n + 1], there = true;
	unsigned locked = unordered_handles(task, n, handles, writes);

	for (unsigned i = 0; i < locked; i++)
		if (writes[i])
			pthread_rwlock_wrlock(&handles[i]->lock);
		else
			pthread_rwlock_rdlock(&handles[i]->lock);
	for (unsigned i = 0; i < n; i++) {
		buffers[i] = run_buffer(STARPU_TASK_GET_HANDLE(task, i), STARPU_TASK_GET_MODE(task, i),
					call->buffers[i], rooms[i]);
		there = there && buffers[i];
	}
	if (there)
		function(buffers, task->cl_arg);
	for (unsigned i = 0; i < n; i++)
		if (!STARPU_TASK_GET_HANDLE(task, i)->shape && (STARPU_TASK_GET_MODE(task, i) & STARPU_SCRATCH))
			xs_opaque_scratch_free(STARPU_TASK_GET_HANDLE(task, i), buffers[i]);
	for (unsigned i = 0; i < locked; i++)
		pthread_rwlock_unlock(&handles[i]->lock);
	return there ? 0 : -ENOMEM;
}

/* --- running --- */

static struct timespec now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t;
}

static void run_start(struct starpu_task *task, struct xy_call *call)
{
	if (call->rank)
		return;
	task->status = STARPU_TASK_RUNNING;
	if (task->prologue_callback_func)
		task->prologue_callback_func(task->prologue_callback_arg);
	if (task->prologue_callback_pop_func)
		task->prologue_callback_pop_func(task->prologue_callback_pop_arg);
	if (call->worker < STARPU_NMAXWORKERS && !task->cl->checked)
		task->cl->per_worker_stats[call->worker]++;
	if (task->profiling_info) {
		task->profiling_info->workerid = (int)call->worker;
		task->profiling_info->start_time = now();
		task->profiling_info->pop_start_time = task->profiling_info->pop_end_time =
			task->profiling_info->push_start_time = task->profiling_info->push_end_time =
				task->profiling_info->acquire_data_start_time =
					task->profiling_info->acquire_data_end_time = task->profiling_info->start_time;
	}
}

static int run_function(struct starpu_task *task, bool rebuffer, struct xy_call *call, starpu_cpu_func_t function)
{
	if (rebuffer)
		return run_rebuffered(task, call->nbuffers, call, function);
	function((void **)call->buffers, task->cl_arg);
	return 0;
}

struct
try {
	struct xy_call *call;
	starpu_cpu_func_t function;
};

static int run_try(void *arg, struct starpu_task *task)
{
	const struct try *try = arg;
	const struct xs_job *job = try->call->arg;

	return run_function(task, job->rebuffer, try->call, try->function);
}

static int run_rank(void *arg, struct starpu_task *task, struct xy_call *call)
{
	const struct xs_job *job = call->arg;

	return run_function(task, job->rebuffer, call, (starpu_cpu_func_t)(uintptr_t)arg);
}

static int run(struct xy_call *call, starpu_cpu_func_t function)
{
	struct xs_job *job = call->arg;
	struct starpu_task *task = job->task;
	const unsigned *members;
	unsigned nteam = job->nmembers;
	bool team = call->nranks <= 1 && (nteam > 1 || (task->execute_on_a_specific_worker &&
							xs_team_workers(task->workerid, &members, &nteam)));
	bool counts = !call->rank && atomic_load_explicit(&xs_counts, memory_order_relaxed); /* a late one, too */
	struct timespec start, end;
	int status;

	if (job->skipped)
		return -EDEADLK;
	if (job->epoch && !xs_transaction_runs(job->epoch))
		return 0;
	xs_wait_resume();
	xs_thread = (struct xs_thread){ task, call, (int)call->worker, xs_global.generation, 0 };
	if (!call->rank)
		job->implementation = call->implementation;
	run_start(task, call);
	if (xs_hub() && !call->rank)
		xs_policy_before(task);
	if (counts)
		start = now();
	if (team)
		status = xs_team_run(task, nteam, call, run_rank, (void *)(uintptr_t)function);
	else if (job->check && !call->rank)
		status = xs_retry_run(job, run_try, &(struct try){ call, function });
	else
		status = run_function(task, job->rebuffer, call, function);
	if (task->profiling_info && !call->rank) {
		task->profiling_info->end_time = task->profiling_info->release_data_start_time =
			task->profiling_info->release_data_end_time = now();
		xs_profile((unsigned)call->worker, task->profiling_info);
	}
	if (counts) {
		end = now();
		xs_count_ran((unsigned)call->worker, task, starpu_timing_timespec_delay_us(&start, &end));
	}
	if (xs_hub() && !call->rank)
		xs_policy_after(task);
	xs_thread.task = NULL;
	xs_thread.call = NULL;
	return status ? status : xs_thread.error;
}

static starpu_cpu_func_t nth(const starpu_cpu_func_t *functions, unsigned n)
{
	for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; i++)
		if (functions[i] && !n--)
			return functions[i];
	return NULL;
}

int xs_run_cpu(struct xy_call *call)
{
	const struct xs_job *job = call->arg;

	return run(call, nth(job->task->cl->cpu_funcs, call->implementation));
}

int xs_run_cuda(struct xy_call *call)
{
	const struct xs_job *job = call->arg;

	return run(call, nth(job->task->cl->cuda_funcs, call->implementation));
}

int xs_run_opencl(struct xy_call *call)
{
	const struct xs_job *job = call->arg;

	return run(call, nth(job->task->cl->opencl_funcs, call->implementation));
}

int xs_run_hip(struct xy_call *call)
{
	const struct xs_job *job = call->arg;

	return run(call, nth(job->task->cl->hip_funcs, call->implementation));
}

/* --- on each worker --- */

struct each {
	void (*function)(void *);
	void *arg;
};

static int each_call(struct xy_call *call)
{
	const struct each *each = call->arg;
	struct xs_thread outer = xs_thread;

	xs_thread = (struct xs_thread){ NULL, call, (int)call->worker, xs_global.generation, 0 };
	each->function(each->arg);
	xs_thread.call = outer.call;
	xs_thread.task = outer.task;
	return 0;
}

void starpu_execute_on_each_worker_ex(void (*func)(void *), void *arg, uint32_t where, const char *name)
{
	struct each each = { func, arg };
	int error;

	(void)name;
	if (!xs_archs(where))
		return;
	error = xy_on_each_worker(xs_global.rt, xs_archs(where), each_call, &each);
	if (error)
		xs_fail(error, "starpu_execute_on_each_worker: %s", strerror(-error));
}

void starpu_execute_on_each_worker(void (*func)(void *), void *arg, uint32_t where)
{
	starpu_execute_on_each_worker_ex(func, arg, where, NULL);
}

void starpu_execute_on_specific_workers(void (*func)(void *), void *arg, unsigned num_workers, unsigned *workers,
					const char *name)
{
	static const struct xy_codelet once = { .name = "on a worker",
						.cpu = { each_call },
						.cuda = { each_call },
						.opencl = { each_call },
						.hip = { each_call } };
	struct each each = { func, arg };
	struct xy_task *tasks[num_workers + 1];

	for (unsigned i = 0; i < num_workers; i++) {
		int error = xy_task_create(
			xs_global.rt,
			&(struct xy_task_desc){
				.codelet = &once, .arg = &each, .name = name, .workers = &workers[i], .nworkers = 1 },
			&tasks[i]);

		if (!error)
			error = xy_task_submit(tasks[i]);
		if (error)
			xs_fail(error, "starpu_execute_on_specific_workers: %s", strerror(-error));
		if (error)
			tasks[i] = NULL;
	}
	for (unsigned i = 0; i < num_workers; i++)
		if (tasks[i]) {
			xy_task_wait(tasks[i]);
			xy_task_release(tasks[i]);
		}
}
