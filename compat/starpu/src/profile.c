/* SPDX-License-Identifier: MIT */
/*
 * Profiling: tasks carry their times while it is on; what workers did is summed up from those.
 */
#include "internal.h"

/* What each worker did since profiling began or since it was last asked. */
static struct {
	_Atomic unsigned long tasks;
	_Atomic unsigned long long busy_ns;
	_Atomic double since_s;
} profiles[STARPU_NMAXWORKERS];

void xs_profile(unsigned worker, const struct starpu_profiling_task_info *info)
{
	double us = starpu_timing_timespec_delay_us((struct timespec *)&info->start_time,
						    (struct timespec *)&info->end_time);

	if (worker >= STARPU_NMAXWORKERS)
		return;
	atomic_fetch_add(&profiles[worker].tasks, 1);
	atomic_fetch_add(&profiles[worker].busy_ns, (unsigned long long)(us * 1000));
}

static void profiles_reset(void)
{
	double now = xs_global.rt ? xy_now(xs_global.rt) : 0;

	for (unsigned w = 0; w < STARPU_NMAXWORKERS; w++) {
		atomic_store(&profiles[w].tasks, 0);
		atomic_store(&profiles[w].busy_ns, 0);
		atomic_store(&profiles[w].since_s, now);
	}
}

int starpu_profiling_status_set(int status)
{
	int before = atomic_exchange(&xs_global.profiling, status);

	if (status && !before)
		profiles_reset();
	return before;
}

int starpu_profiling_status_get(void)
{
	return atomic_load(&xs_global.profiling);
}

static struct timespec timespec_of(double s)
{
	time_t whole = (time_t)s;

	return (struct timespec){ whole, (long)((s - (double)whole) * 1e9) };
}

/* Resets the worker's counters, as StarPU does. */
int starpu_profiling_worker_get_info(int workerid, struct starpu_profiling_worker_info *worker_info)
{
	double now = xs_global.rt ? xy_now(xs_global.rt) : 0, since, busy;
	unsigned long tasks;

	if (workerid < 0 || (unsigned)workerid >= xs_global.nworkers || workerid >= STARPU_NMAXWORKERS)
		return -EINVAL;
	tasks = atomic_exchange(&profiles[workerid].tasks, 0);
	busy = (double)atomic_exchange(&profiles[workerid].busy_ns, 0) * 1e-9;
	since = atomic_exchange(&profiles[workerid].since_s, now);
	if (since < xs_global.start_s)
		since = xs_global.start_s;
	if (!worker_info)
		return 0;
	memset(worker_info, 0, sizeof *worker_info);
	worker_info->executed_tasks = (int)tasks;
	worker_info->start_time = timespec_of(since);
	worker_info->total_time = timespec_of(now - since);
	worker_info->executing_time = timespec_of(busy);
	worker_info->sleeping_time = timespec_of(now - since > busy ? now - since - busy : 0);
	return 0;
}

void starpu_profiling_worker_helper_display_summary(void)
{
	for (int w = 0; w < (int)xs_global.nworkers && w < STARPU_NMAXWORKERS; w++) {
		char name[64];

		starpu_worker_get_name(w, name, sizeof name);
		fprintf(stderr, "%s: %lu tasks in %.3f ms\n", name, atomic_load(&profiles[w].tasks),
			(double)atomic_load(&profiles[w].busy_ns) * 1e-6);
	}
}

/* --- energy --- */

static int no_energy(void)
{
	xs_note("energy is not measured; a model with a cost function may predict it");
	return -1;
}

int starpu_energy_start(int workerid, enum starpu_worker_archtype archi)
{
	(void)workerid;
	(void)archi;
	return no_energy();
}

int starpu_energy_stop(struct starpu_perfmodel *model, struct starpu_task *task, unsigned nimpl, unsigned ntasks,
		       int workerid, enum starpu_worker_archtype archi)
{
	(void)model;
	(void)task;
	(void)nimpl;
	(void)ntasks;
	(void)workerid;
	(void)archi;
	return no_energy();
}

int starpu_energy_use(float joules)
{
	(void)joules;
	return no_energy();
}
