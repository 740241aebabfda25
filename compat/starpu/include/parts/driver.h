/* SPDX-License-Identifier: MIT */
/* Drivers that a program runs itself, tasks that are tried again, and workers that run a task together. */
#ifndef XYLEM_STARPU_DRIVER_H
#define XYLEM_STARPU_DRIVER_H

#include <parts/worker.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- drivers --- */

/* Workers have threads of their own here, also those of starpu_conf's not_launched_drivers: these calls only wait while
 * they work. */
struct starpu_driver {
	enum starpu_worker_archtype type;
	union {
		unsigned cpu_id;
		unsigned cuda_id;
		unsigned hip_id;
		void *opencl_id;
	} id;
};
int starpu_driver_run(struct starpu_driver *d);
int starpu_driver_init(struct starpu_driver *d);
int starpu_driver_run_once(struct starpu_driver *d);
int starpu_driver_deinit(struct starpu_driver *d);
void starpu_drivers_request_termination(void);

/* --- tasks that are tried again --- */

/* As the prologue of a task, with a function of this kind as its argument, or NULL: the task is tried until that
 * function calls starpu_task_ft_success; NULL: until it has not called starpu_task_ft_failed. All tries are on the
 * worker that took the task. */
void starpu_task_ft_prologue(void *check_ft);
struct starpu_task *starpu_task_ft_create_retry(const struct starpu_task *meta_task,
						const struct starpu_task *template_task, void (*check_ft)(void *));
void starpu_task_ft_failed(struct starpu_task *task);
void starpu_task_ft_success(struct starpu_task *meta_task);

/* --- workers that run a task together --- */

/* The number of a set of CPU workers that run parallel tasks together, as workerid of a task that executes on a
 * specific worker; or -EINVAL, -EBUSY (too many). */
int starpu_combined_worker_assign_workerid(int nworkers, int workerid_array[]);
int starpu_combined_worker_get_description(int workerid, int *worker_size, int **combined_workerid);
int starpu_combined_worker_can_execute_task(unsigned workerid, struct starpu_task *task, unsigned nimpl);
void starpu_parallel_task_barrier_init(struct starpu_task *task, int workerid);
void starpu_parallel_task_barrier_init_n(struct starpu_task *task, int worker_size);
void starpu_sched_find_all_worker_combinations(void);

#ifdef __cplusplus
}
#endif
#endif
