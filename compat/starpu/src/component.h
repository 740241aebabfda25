/* SPDX-License-Identifier: MIT */
/*
 * Private parts of the components. No lock is held while a component calls another, so that components of the program
 * may be anywhere in a tree.
 */
#ifndef XYLEM_STARPU_COMPONENT_INTERNAL_H
#define XYLEM_STARPU_COMPONENT_INTERNAL_H

#include "internal.h"
#include <parts/component.h>

/* The functions have the plain names here. */
#undef starpu_sched_component_worker_get
#undef starpu_sched_component_worker_new
#undef starpu_sched_component_fifo_create
#undef starpu_sched_component_prio_create
#undef starpu_sched_component_work_stealing_create
#undef starpu_sched_component_random_create
#undef starpu_sched_component_eager_create
#undef starpu_sched_component_eager_prio_create
#undef starpu_sched_component_eager_calibration_create
#undef starpu_sched_component_mct_create
#undef starpu_sched_component_heft_create
#undef starpu_sched_component_heteroprio_create
#undef starpu_sched_component_best_implementation_create
#undef starpu_sched_component_perfmodel_select_create
#undef starpu_sched_component_stage_create
#undef starpu_sched_component_userchoice_create
#undef starpu_sched_component_composed_component_create

/* component.c: calls with the component as their own argument */
static inline int component_push(struct starpu_sched_component *to, struct starpu_task *task)
{
	return to->push_task ? to->push_task(to, task) : 1;
}

/* The first worker of a component's that is in the context, -1 without one. */
static inline int component_worker(struct starpu_sched_component *c)
{
	return starpu_bitmap_first(c->workers_in_ctx);
}

/* The expected length of a task on a worker. NAN: it needs measurements; 0: it has no model. */
double component_length(struct starpu_task *task, int worker, unsigned implementation);
void component_choose(struct starpu_task *task, unsigned implementation);

/* component_tree.c: after a change of the workers below */
void component_properties(struct starpu_sched_component *c);
/* component_team.c */
struct starpu_sched_component *component_team_create(unsigned context, int id);
int component_team_id(const struct starpu_sched_component *c);
/* component_worker.c */
void component_workers_fini(unsigned context);
/* component_pass.c: a worker, with nothing between that stores tasks */
bool component_is_bare(const struct starpu_sched_component *c);

/* component_queue.c: tasks by priority, then in order of arrival */
struct component_queue {
	struct starpu_task_list list;
	unsigned ntasks;
	double exp_len; /* sum of the predicted lengths */
};
/* Behind those of its priority, or before them. by_priority: false: only positive priorities are sorted in. */
void component_queue_insert(struct component_queue *q, struct starpu_task *task, bool by_priority, bool first);
/* The first task that a component's workers can run; ready: of these, that with the fewest bytes to fetch. */
struct starpu_task *component_queue_take(struct component_queue *q, struct starpu_sched_component *to, bool ready);

/* component_map.c: a decision by completion times */
struct component_choice {
	int child; /* -1: none */
	double predicted, transfer, end;
	bool uncalibrated;
};
struct component_choice component_decide(struct starpu_sched_component *c,
					 const struct starpu_sched_component_mct_data *weights,
					 struct starpu_task *task);
int component_give(struct starpu_sched_component *c, const struct component_choice *choice, struct starpu_task *task);
struct starpu_sched_component_mct_data component_weights(const struct starpu_sched_component_mct_data *given);

/* A component that stores and pushes down: several threads may ask for progress, one makes it. */
struct component_pump {
	_Atomic unsigned requests;
};
void component_pump(struct starpu_sched_component *c, struct component_pump *pump,
		    bool (*step)(struct starpu_sched_component *c));

#endif
