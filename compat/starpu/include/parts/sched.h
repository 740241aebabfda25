/* SPDX-License-Identifier: MIT */
/* Scheduling: priorities, what workers can run, predefined policies. */
#ifndef XYLEM_STARPU_SCHED_H
#define XYLEM_STARPU_SCHED_H

#include <parts/perf.h>

#ifdef __cplusplus
extern "C" {
#endif

int starpu_sched_get_min_priority(void);
int starpu_sched_get_max_priority(void);
int starpu_sched_set_min_priority(int min_prio);
int starpu_sched_set_max_priority(int max_prio);
#define STARPU_MIN_PRIO (starpu_sched_get_min_priority())
#define STARPU_MAX_PRIO (starpu_sched_get_max_priority())
int starpu_worker_can_execute_task(unsigned workerid, struct starpu_task *task, unsigned nimpl);
int starpu_worker_can_execute_task_impl(unsigned workerid, struct starpu_task *task, unsigned *impl_mask);
int starpu_worker_can_execute_task_first_impl(unsigned workerid, struct starpu_task *task, unsigned *nimpl);

#ifdef __cplusplus
}
#endif
#endif
