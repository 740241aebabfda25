/* SPDX-License-Identifier: MIT */
/*
 * OpenMP's settings, questions and locks.
 */
#include "omp.h"

static struct {
	int threads, limit, dynamic, nested, cancellation, levels, device, bind;
	int schedule;
	int chunk;
} icv;

static int variable(const char *name, int value)
{
	const char *text = xs_getenv(name);

	if (!text || !*text)
		return value;
	if (!strcmp(text, "true") || !strcmp(text, "TRUE"))
		return 1;
	if (!strcmp(text, "false") || !strcmp(text, "FALSE"))
		return 0;
	return starpu_get_env_number_default(name, value);
}

static int schedule_named(const char *text, size_t n)
{
	static const char *const names[] = { "static", "dynamic", "guided", "auto" };

	for (unsigned i = 0; i < 4; i++)
		if (strlen(names[i]) == n && !strncasecmp(names[i], text, n))
			return (int)(i + starpu_omp_sched_static);
	return starpu_omp_sched_undefined;
}

int xs_omp_api_init(void)
{
	const char *schedule = xs_getenv("OMP_SCHEDULE");
	int cpus = (int)starpu_cpu_worker_get_count();

	icv.limit = variable("OMP_THREAD_LIMIT", cpus);
	icv.threads = variable("OMP_NUM_THREADS", cpus);
	icv.dynamic = variable("OMP_DYNAMIC", 0);
	icv.nested = variable("OMP_NESTED", 0);
	icv.cancellation = variable("OMP_CANCELLATION", 0);
	icv.levels = variable("OMP_MAX_ACTIVE_LEVELS", 1);
	icv.device = variable("OMP_DEFAULT_DEVICE", 0);
	icv.bind = starpu_omp_proc_bind_undefined;
	icv.schedule = starpu_omp_sched_static;
	icv.chunk = 0;
	if (icv.threads < 1 || icv.limit < 1)
		return cpus < 1 ? xs_fail(-ENODEV, "OpenMP needs CPU workers")
				: xs_fail(-EINVAL, "OMP_NUM_THREADS and OMP_THREAD_LIMIT must be at least 1");
	if (schedule && *schedule) {
		size_t n = strcspn(schedule, ",");

		icv.schedule = schedule_named(schedule, n);
		icv.chunk = schedule[n] ? atoi(schedule + n + 1) : 0;
		if (icv.schedule == starpu_omp_sched_undefined)
			return xs_fail(-EINVAL, "OMP_SCHEDULE=%s is not a schedule", schedule);
	}
	return 0;
}

unsigned xs_omp_team_size(const struct omp_thread *thread, int wanted)
{
	int n = wanted > 0 ? wanted : icv.threads;

	if (thread->region->active_level && (!icv.nested || (int)thread->region->active_level >= icv.levels))
		return 1;
	return (unsigned)(n < icv.limit ? n : icv.limit);
}

void xs_omp_schedule(int *schedule, unsigned long long *chunk)
{
	if (*schedule != starpu_omp_sched_runtime)
		return;
	*schedule = icv.schedule;
	if (!*chunk)
		*chunk = icv.chunk > 0 ? (unsigned long long)icv.chunk : 0;
}

/* The thread of the team at a level that this one descends from; NULL: there is no such level. */
static const struct omp_thread *ancestor(int level)
{
	const struct omp_thread *thread = xs_omp_thread();

	while (thread && (int)thread->region->level > level)
		thread = thread->region->master;
	return thread && level >= 0 && (int)thread->region->level == level ? thread : NULL;
}

/* --- questions --- */

#define SETTING(name, field) \
	int starpu_omp_get_##name(void) \
	{ \
		return icv.field; \
	} \
	void starpu_omp_set_##name(int value) \
	{ \
		icv.field = value; \
	}
SETTING(dynamic, dynamic)
SETTING(nested, nested)
SETTING(max_active_levels, levels)
SETTING(default_device, device)

#define QUESTION(name, answer) \
	int starpu_omp_##name(void) \
	{ \
		return answer; \
	}
QUESTION(get_num_threads, (int)xs_omp_thread()->region->nthreads)
QUESTION(get_thread_num, (int)xs_omp_thread()->number)
QUESTION(get_max_threads, icv.threads)
QUESTION(get_num_procs, (int)starpu_cpu_worker_get_count())
QUESTION(in_parallel, xs_omp_thread()->region->active_level > 0)
QUESTION(get_cancellation, icv.cancellation)
QUESTION(get_thread_limit, icv.limit)
QUESTION(get_level, (int)xs_omp_thread()->region->level)
QUESTION(get_active_level, (int)xs_omp_thread()->region->active_level)
QUESTION(in_final, xs_omp_thread()->task->final)
QUESTION(get_num_places, 0)
QUESTION(get_place_num, -1)
QUESTION(get_partition_num_places, 0)
QUESTION(get_num_devices, 1)
QUESTION(get_num_teams, 1)
QUESTION(get_team_num, 0)
QUESTION(is_initial_device, 1)
QUESTION(get_initial_device, 0)
QUESTION(get_max_task_priority, 0)

void starpu_omp_set_num_threads(int threads)
{
	if (threads > 0)
		icv.threads = threads;
	else
		xs_fail(-EINVAL, "starpu_omp_set_num_threads: %d threads", threads);
}

void starpu_omp_set_schedule(enum starpu_omp_sched_value kind, int modifier)
{
	icv.schedule = (int)kind;
	icv.chunk = modifier;
}

void starpu_omp_get_schedule(enum starpu_omp_sched_value *kind, int *modifier)
{
	*kind = (enum starpu_omp_sched_value)icv.schedule;
	*modifier = icv.chunk;
}

int starpu_omp_get_ancestor_thread_num(int level)
{
	return ancestor(level) ? (int)ancestor(level)->number : -1;
}

int starpu_omp_get_team_size(int level)
{
	return ancestor(level) ? (int)ancestor(level)->region->nthreads : -1;
}

enum starpu_omp_proc_bind_value starpu_omp_get_proc_bind(void)
{
	return (enum starpu_omp_proc_bind_value)icv.bind;
}

int starpu_omp_get_place_num_procs(int place_num)
{
	(void)place_num;
	return 0;
}

void starpu_omp_get_place_proc_ids(int place_num, int *ids)
{
	(void)place_num;
	(void)ids;
}

void starpu_omp_get_partition_place_nums(int *place_nums)
{
	(void)place_nums;
}

double starpu_omp_get_wtime(void)
{
	return starpu_timing_now() / 1e6;
}

double starpu_omp_get_wtick(void)
{
	return 1e-9;
}

/* --- locks --- */

struct lock {
	pthread_mutex_t mutex;
	int depth; /* of a nested one; with the mutex */
};

static void *lock_create(int type)
{
	struct lock *lock = calloc(1, sizeof *lock);
	pthread_mutexattr_t attr;

	if (!lock) {
		xs_fail(-ENOMEM, "no memory for a lock");
		return NULL;
	}
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	pthread_mutex_init(&lock->mutex, &attr);
	pthread_mutexattr_destroy(&attr);
	return lock;
}

static void lock_destroy(void **internal)
{
	struct lock *lock = *internal;

	if (lock)
		pthread_mutex_destroy(&lock->mutex);
	free(lock);
	*internal = NULL;
}

void starpu_omp_init_lock(starpu_omp_lock_t *lock)
{
	lock->internal = lock_create(PTHREAD_MUTEX_NORMAL);
}

void starpu_omp_destroy_lock(starpu_omp_lock_t *lock)
{
	lock_destroy(&lock->internal);
}

void starpu_omp_set_lock(starpu_omp_lock_t *lock)
{
	pthread_mutex_lock(&((struct lock *)lock->internal)->mutex);
}

void starpu_omp_unset_lock(starpu_omp_lock_t *lock)
{
	pthread_mutex_unlock(&((struct lock *)lock->internal)->mutex);
}

int starpu_omp_test_lock(starpu_omp_lock_t *lock)
{
	return !pthread_mutex_trylock(&((struct lock *)lock->internal)->mutex);
}

void starpu_omp_init_nest_lock(starpu_omp_nest_lock_t *lock)
{
	lock->internal = lock_create(PTHREAD_MUTEX_RECURSIVE);
}

void starpu_omp_destroy_nest_lock(starpu_omp_nest_lock_t *lock)
{
	lock_destroy(&lock->internal);
}

void starpu_omp_set_nest_lock(starpu_omp_nest_lock_t *lock)
{
	struct lock *l = lock->internal;

	pthread_mutex_lock(&l->mutex);
	l->depth++;
}

void starpu_omp_unset_nest_lock(starpu_omp_nest_lock_t *lock)
{
	struct lock *l = lock->internal;

	l->depth--;
	pthread_mutex_unlock(&l->mutex);
}

int starpu_omp_test_nest_lock(starpu_omp_nest_lock_t *lock)
{
	struct lock *l = lock->internal;

	return pthread_mutex_trylock(&l->mutex) ? 0 : ++l->depth;
}
