/* SPDX-License-Identifier: MIT */
/* For authors of policies: waking workers, queues of workers, prefetching, expected times, sets of workers. */
#ifndef XYLEM_STARPU_TOOLBOX_H
#define XYLEM_STARPU_TOOLBOX_H

#include <parts/sched.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- workers that sleep --- */

/* Each wakes a worker that sleeps, so that it calls pop_task. 1 if it may have slept. */
int starpu_wake_worker(int workerid);
int starpu_wake_worker_relax(int workerid);
int starpu_wake_worker_no_relax(int workerid);
int starpu_wake_worker_locked(int workerid);
int starpu_wake_worker_relax_light(int workerid);
int starpu_wakeup_worker(int workerid, starpu_pthread_cond_t *cond, starpu_pthread_mutex_t *mutex);
int starpu_wakeup_worker_locked(int workerid, starpu_pthread_cond_t *cond, starpu_pthread_mutex_t *mutex);
void starpu_wake_all_blocked_workers(void);
void starpu_worker_get_sched_condition(int workerid, starpu_pthread_mutex_t **sched_mutex,
				       starpu_pthread_cond_t **sched_cond);

/* Workers of Xylem hold no lock while they call a policy: relaxing does nothing, and the lock of a worker is one for
 * the policy's own use. */
int starpu_worker_sched_op_pending(void);
void starpu_worker_relax_on(void);
void starpu_worker_relax_off(void);
int starpu_worker_get_relax_state(void);
void starpu_worker_lock(int workerid);
int starpu_worker_trylock(int workerid);
void starpu_worker_unlock(int workerid);
void starpu_worker_lock_self(void);
void starpu_worker_unlock_self(void);

/* --- tasks in a policy --- */

/* Gives a task to the queue of a worker, which it empties before it calls pop_task; to the front if back is not 0.
 * 0 or -EINVAL. */
int starpu_push_local_task(int workerid, struct starpu_task *task, int back);
int starpu_push_task_end(struct starpu_task *task);
void starpu_sched_task_break(struct starpu_task *task);
void starpu_sched_ctx_worker_shares_tasks_lists(int workerid, int sched_ctx_id);

int starpu_get_prefetch_flag(void);
int starpu_prefetch_task_input_on_node_prio(struct starpu_task *task, unsigned node, int prio);
int starpu_prefetch_task_input_on_node(struct starpu_task *task, unsigned node);
int starpu_idle_prefetch_task_input_on_node_prio(struct starpu_task *task, unsigned node, int prio);
int starpu_idle_prefetch_task_input_on_node(struct starpu_task *task, unsigned node);
int starpu_prefetch_task_input_for_prio(struct starpu_task *task, unsigned worker, int prio);
int starpu_prefetch_task_input_for(struct starpu_task *task, unsigned worker);
int starpu_idle_prefetch_task_input_for_prio(struct starpu_task *task, unsigned worker, int prio);
int starpu_idle_prefetch_task_input_for(struct starpu_task *task, unsigned worker);

typedef void (*starpu_notify_ready_soon_func)(void *data, struct starpu_task *task, double delay);
void starpu_task_notify_ready_soon_register(starpu_notify_ready_soon_func f, void *data);

/* --- sets of workers --- */

struct starpu_bitmap {
	unsigned long bits[(STARPU_NMAXWORKERS + 8 * sizeof(unsigned long) - 1) / (8 * sizeof(unsigned long))];
	int cardinal;
};
struct starpu_bitmap *starpu_bitmap_create(void) STARPU_ATTRIBUTE_MALLOC;
void starpu_bitmap_init(struct starpu_bitmap *b);
void starpu_bitmap_destroy(struct starpu_bitmap *b);
void starpu_bitmap_set(struct starpu_bitmap *b, int e);
void starpu_bitmap_unset(struct starpu_bitmap *b, int e);
void starpu_bitmap_unset_all(struct starpu_bitmap *b);
int starpu_bitmap_get(struct starpu_bitmap *b, int e);
void starpu_bitmap_unset_and(struct starpu_bitmap *a, struct starpu_bitmap *b, struct starpu_bitmap *c);
void starpu_bitmap_or(struct starpu_bitmap *a, struct starpu_bitmap *b);
int starpu_bitmap_and_get(struct starpu_bitmap *b1, struct starpu_bitmap *b2, int e);
int starpu_bitmap_cardinal(struct starpu_bitmap *b);
int starpu_bitmap_first(struct starpu_bitmap *b);
int starpu_bitmap_last(struct starpu_bitmap *b);
int starpu_bitmap_next(struct starpu_bitmap *b, int e);
int starpu_bitmap_has_next(struct starpu_bitmap *b, int e);

#ifdef __cplusplus
}
#endif
#endif
