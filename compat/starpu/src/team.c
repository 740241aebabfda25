/* SPDX-License-Identifier: MIT */
/*
 * Workers that run a task together. Policies of Xylem's form teams of their own (pheft and the like). A set that the
 * program makes has a number behind those of the workers; a parallel task that is bound to it, or that a policy of the
 * program's gives to several workers, runs on one of them, with as many threads as it has members.
 */
#include "internal.h"

#define NTEAMS 64

struct team {
	int n;
	int workers[STARPU_NMAXWORKERS];
	unsigned numbers[STARPU_NMAXWORKERS];
};

static pthread_mutex_t teams_lock = PTHREAD_MUTEX_INITIALIZER;
static struct team *teams[NTEAMS];
static _Atomic unsigned nteams; /* (a) those below it do not change until the runtime stops */

static const struct team *team_of(int id)
{
	unsigned i = (unsigned)id - xs_global.nworkers;

	return id >= 0 && (unsigned)id >= xs_global.nworkers && i < atomic_load(&nteams) ? teams[i] : NULL;
}

static bool team_is(const struct team *team, int n, const int *workers)
{
	return team->n == n && !memcmp(team->workers, workers, (size_t)n * sizeof *workers);
}

int starpu_combined_worker_assign_workerid(int nworkers, int workerid_array[])
{
	struct team *team;
	int id;

	if (nworkers < 1 || nworkers > STARPU_NMAXWORKERS || !workerid_array)
		return xs_fail(-EINVAL, "a set of %d workers can't run tasks together", nworkers);
	for (int i = 0; i < nworkers; i++)
		if (workerid_array[i] < 0 || (unsigned)workerid_array[i] >= xs_global.nworkers)
			return xs_fail(-EINVAL, "there is no worker %d to run tasks with others", workerid_array[i]);
	pthread_mutex_lock(&teams_lock);
	for (unsigned i = 0; i < atomic_load(&nteams); i++)
		if (team_is(teams[i], nworkers, workerid_array)) {
			pthread_mutex_unlock(&teams_lock);
			return (int)(xs_global.nworkers + i);
		}
	team = atomic_load(&nteams) < NTEAMS ? calloc(1, sizeof *team) : NULL;
	id = (int)(xs_global.nworkers + atomic_load(&nteams));
	if (team) {
		team->n = nworkers;
		for (int i = 0; i < nworkers; i++) {
			team->workers[i] = workerid_array[i];
			team->numbers[i] = (unsigned)workerid_array[i];
		}
		teams[atomic_load(&nteams)] = team;
		atomic_fetch_add(&nteams, 1);
	}
	pthread_mutex_unlock(&teams_lock);
	return team ? id : xs_fail(-EBUSY, "there are already %d sets of workers", NTEAMS);
}

unsigned starpu_combined_worker_get_count(void)
{
	return atomic_load(&nteams);
}

unsigned starpu_worker_is_combined_worker(int id)
{
	return team_of(id) != NULL;
}

int starpu_combined_worker_get_description(int workerid, int *worker_size, int **combined_workerid)
{
	const struct team *team = team_of(workerid);

	if (!team)
		return xs_fail(-EINVAL, "there is no set of workers %d", workerid);
	if (worker_size)
		*worker_size = team->n;
	if (combined_workerid)
		*combined_workerid = (int *)(uintptr_t)team->workers;
	return 0;
}

int starpu_combined_worker_can_execute_task(unsigned workerid, struct starpu_task *task, unsigned nimpl)
{
	const struct team *team = team_of((int)workerid);

	if (!team)
		return starpu_worker_can_execute_task(workerid, task, nimpl);
	if (!task->cl || task->cl->type == STARPU_SEQ)
		return 0;
	if (task->cl->max_parallelism > 0 && team->n > task->cl->max_parallelism)
		return 0;
	return starpu_worker_can_execute_task((unsigned)team->workers[0], task, nimpl);
}

/* --- a policy that gives a task to several workers --- */

void starpu_parallel_task_barrier_init_n(struct starpu_task *task, int worker_size)
{
	struct xs_job *job = xs_job(task);

	if (job && worker_size > 0)
		job->nmembers = (unsigned)worker_size;
}

void starpu_parallel_task_barrier_init(struct starpu_task *task, int workerid)
{
	const struct team *team = team_of(workerid);

	starpu_parallel_task_barrier_init_n(task, team ? team->n : 1);
}

void xs_team_copied(struct xs_job *job, struct xs_job *copy)
{
	copy->copy_of = job;
	job->ncopies++;
}

/* The others go on with other tasks: the last one runs it for all. */
struct xs_job *xs_team_join(struct xs_job *copy)
{
	struct xs_job *job = copy->copy_of;
	unsigned n = job->nmembers ? job->nmembers : job->ncopies;

	if (copy->task->destroy)
		xs_task_free(copy->task);
	return atomic_fetch_add(&job->narrived, 1) + 1 == n ? job : NULL;
}

/* Sets are made by the program, or by policies of Xylem's. */
void starpu_sched_find_all_worker_combinations(void)
{
}

bool xs_team_workers(unsigned id, const unsigned **workers, unsigned *n)
{
	const struct team *team = team_of((int)id);

	if (!team)
		return false;
	*workers = team->numbers;
	*n = (unsigned)team->n;
	return true;
}

void xs_teams_fini(void)
{
	for (unsigned i = 0; i < atomic_load(&nteams); i++)
		free(teams[i]);
	atomic_store(&nteams, 0);
}

/* --- running --- */

struct rank {
	pthread_t thread;
	bool started;
	struct xs_thread as;
	struct xy_call call;
	int (*function)(void *arg, struct starpu_task *task, struct xy_call *call);
	void *arg;
	int status;
};

static void *rank_run(void *arg)
{
	struct rank *rank = arg;

	xs_thread = rank->as;
	xs_thread.call = &rank->call;
	rank->status = rank->function(rank->arg, rank->as.task, &rank->call);
	return NULL;
}

/* Calls a function for each member of a set, in parallel if its codelet is SPMD. */
int xs_team_run(struct starpu_task *task, unsigned n, struct xy_call *call,
		int (*function)(void *arg, struct starpu_task *task, struct xy_call *call), void *arg)
{
	bool spmd = task->cl->type == STARPU_SPMD;
	struct rank *ranks = calloc(n, sizeof *ranks);
	struct xs_thread outer = xs_thread;
	int status;

	if (!ranks)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		ranks[i] = (struct rank){ .as = outer, .call = *call, .function = function, .arg = arg };
		ranks[i].call.rank = i;
		ranks[i].call.nranks = n;
	}
	for (unsigned i = 1; spmd && i < n; i++)
		ranks[i].started = !pthread_create(&ranks[i].thread, NULL, rank_run, &ranks[i]);
	rank_run(&ranks[0]);
	status = ranks[0].status;
	for (unsigned i = 1; spmd && i < n; i++) {
		if (ranks[i].started)
			pthread_join(ranks[i].thread, NULL);
		else if (!status)
			status = -EAGAIN;
		if (!status)
			status = ranks[i].status;
	}
	xs_thread = outer;
	free(ranks);
	return status;
}
