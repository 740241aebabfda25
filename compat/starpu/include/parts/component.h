/* SPDX-License-Identifier: MIT */
/*
 * Policies as trees of components. Today's spelling and that of the first versions: components have parents or fathers,
 * and constructors take the tree, or leave it out and mean the one that the thread made last.
 */
#ifndef XYLEM_STARPU_COMPONENT_H
#define XYLEM_STARPU_COMPONENT_H

#include <hwloc.h>
#include <parts/toolbox.h>

#ifdef __cplusplus
extern "C" {
#endif

enum starpu_sched_component_properties {
	STARPU_SCHED_COMPONENT_HOMOGENEOUS = (1 << 0),
	STARPU_SCHED_COMPONENT_SINGLE_MEMORY_NODE = (1 << 1)
};
#define STARPU_SCHED_COMPONENT_IS_HOMOGENEOUS(component) ((component)->properties & STARPU_SCHED_COMPONENT_HOMOGENEOUS)
#define STARPU_SCHED_COMPONENT_IS_SINGLE_MEMORY_NODE(component) \
	((component)->properties & STARPU_SCHED_COMPONENT_SINGLE_MEMORY_NODE)

struct starpu_sched_tree;

/* A component. The functions may be replaced by the program's own; push_task has no default. */
struct starpu_sched_component {
	struct starpu_sched_tree *tree;
	struct starpu_bitmap *workers;        /* below it */
	struct starpu_bitmap *workers_in_ctx; /* those of the tree's context */
	void *data;
	char *name;
	unsigned nchildren;
	struct starpu_sched_component **children;
	union {
		unsigned nparents;
		unsigned nfathers;
	};
	union {
		struct starpu_sched_component **parents;
		struct starpu_sched_component **fathers;
	};
	void (*add_child)(struct starpu_sched_component *component, struct starpu_sched_component *child);
	void (*remove_child)(struct starpu_sched_component *component, struct starpu_sched_component *child);
	union {
		void (*add_parent)(struct starpu_sched_component *component, struct starpu_sched_component *parent);
		void (*add_father)(struct starpu_sched_component *component, struct starpu_sched_component *father);
	};
	union {
		void (*remove_parent)(struct starpu_sched_component *component, struct starpu_sched_component *parent);
		void (*remove_father)(struct starpu_sched_component *component, struct starpu_sched_component *father);
	};
	/* 0: it took the task. */
	int (*push_task)(struct starpu_sched_component *component, struct starpu_task *task);
	struct starpu_task *(*pull_task)(struct starpu_sched_component *from, struct starpu_sched_component *to);
	/* Not 0: a task moved. */
	int (*can_push)(struct starpu_sched_component *from, struct starpu_sched_component *to);
	/* Not 0: a worker was woken. */
	int (*can_pull)(struct starpu_sched_component *component);
	int (*do_schedule)(struct starpu_sched_component *component);
	int (*notify)(struct starpu_sched_component *component, int message_ID, void *arg);
	double (*estimated_load)(struct starpu_sched_component *component);
	double (*estimated_end)(struct starpu_sched_component *component); /* in microseconds of starpu_timing_now */
	void (*deinit_data)(struct starpu_sched_component *component);
	void (*notify_change_workers)(struct starpu_sched_component *component);
	int properties;
	hwloc_obj_t obj;
};

struct starpu_sched_tree {
	struct starpu_sched_component *root;
	struct starpu_bitmap *workers;
	unsigned sched_ctx_id;
	starpu_pthread_mutex_t lock;
};

typedef struct starpu_sched_component *(*starpu_sched_component_create_t)(struct starpu_sched_tree *tree, void *data);

/* --- trees --- */

struct starpu_sched_tree *starpu_sched_tree_create(unsigned sched_ctx_id);
void starpu_sched_tree_destroy(struct starpu_sched_tree *tree);
void starpu_sched_tree_deinitialize(unsigned sched_ctx_id);
struct starpu_sched_tree *starpu_sched_tree_get(unsigned sched_ctx_id);
void starpu_sched_tree_update_workers(struct starpu_sched_tree *t);
void starpu_sched_tree_update_workers_in_ctx(struct starpu_sched_tree *t);
int starpu_sched_tree_push_task(struct starpu_task *task);
int starpu_sched_tree_work_stealing_push_task(struct starpu_task *task);
struct starpu_task *starpu_sched_tree_pop_task(unsigned sched_ctx);
void starpu_sched_tree_add_workers(unsigned sched_ctx_id, int *workerids, unsigned nworkers);
void starpu_sched_tree_remove_workers(unsigned sched_ctx_id, int *workerids, unsigned nworkers);
void starpu_sched_tree_do_schedule(unsigned sched_ctx_id);
void starpu_initialize_prio_center_policy(unsigned sched_ctx_id);

/* --- components in general --- */

struct starpu_sched_component *starpu_sched_component_create(struct starpu_sched_tree *tree, const char *name);
void starpu_sched_component_destroy(struct starpu_sched_component *component);
void starpu_sched_component_destroy_rec(struct starpu_sched_component *component);
void starpu_sched_component_add_child(struct starpu_sched_component *component, struct starpu_sched_component *child);
void starpu_sched_component_connect(struct starpu_sched_component *parent, struct starpu_sched_component *child);
int starpu_sched_component_push_task(struct starpu_sched_component *from, struct starpu_sched_component *to,
				     struct starpu_task *task);
struct starpu_task *starpu_sched_component_pull_task(struct starpu_sched_component *from,
						     struct starpu_sched_component *to);
/* Pushes tasks of a component to a child; returns the one that the child refused, to be stored again, or NULL. */
struct starpu_task *starpu_sched_component_pump_to(struct starpu_sched_component *component,
						   struct starpu_sched_component *to, int *success);
struct starpu_task *starpu_sched_component_pump_downstream(struct starpu_sched_component *component, int *success);
int starpu_sched_component_send_can_push_to_parents(struct starpu_sched_component *component);
int starpu_sched_component_can_execute_task(struct starpu_sched_component *component, struct starpu_task *task);
int starpu_sched_component_execute_preds(struct starpu_sched_component *component, struct starpu_task *task,
					 double *length) STARPU_WARN_UNUSED_RESULT;
double starpu_sched_component_transfer_length(struct starpu_sched_component *component, struct starpu_task *task);
void starpu_sched_component_prefetch_on_node(struct starpu_sched_component *component, struct starpu_task *task);
/* The defaults of the functions in the struct. */
struct starpu_task *starpu_sched_component_parents_pull_task(struct starpu_sched_component *component,
							     struct starpu_sched_component *to);
int starpu_sched_component_can_push(struct starpu_sched_component *component, struct starpu_sched_component *to);
int starpu_sched_component_can_pull(struct starpu_sched_component *component);
int starpu_sched_component_can_pull_all(struct starpu_sched_component *component);
double starpu_sched_component_estimated_load(struct starpu_sched_component *component);
double starpu_sched_component_estimated_end_min(struct starpu_sched_component *component);
double starpu_sched_component_estimated_end_min_add(struct starpu_sched_component *component, double exp_len);
double starpu_sched_component_estimated_end_average(struct starpu_sched_component *component);

/* --- workers --- */

struct starpu_sched_component *starpu_sched_component_worker_get(unsigned sched_ctx, int workerid);
struct starpu_sched_component *starpu_sched_component_worker_new(unsigned sched_ctx, int workerid);
struct starpu_sched_component *starpu_sched_component_parallel_worker_create(struct starpu_sched_tree *tree,
									     unsigned nworkers, unsigned *workers);
int starpu_sched_component_worker_get_workerid(struct starpu_sched_component *worker_component);
int starpu_sched_component_is_worker(struct starpu_sched_component *component);
int starpu_sched_component_is_simple_worker(struct starpu_sched_component *component);
int starpu_sched_component_is_combined_worker(struct starpu_sched_component *component);
void starpu_sched_component_worker_pre_exec_hook(struct starpu_task *task, unsigned sched_ctx_id);
void starpu_sched_component_worker_post_exec_hook(struct starpu_task *task, unsigned sched_ctx_id);

/* --- reservoirs --- */

struct starpu_sched_component_fifo_data {
	unsigned ntasks_threshold; /* 0: no limit */
	double exp_len_threshold;
	int ready; /* prefer tasks whose data is there */
	int exp;
	int ready_first;
};
struct starpu_sched_component *starpu_sched_component_fifo_create(struct starpu_sched_tree *tree,
								  struct starpu_sched_component_fifo_data *fifo_data);
int starpu_sched_component_is_fifo(struct starpu_sched_component *component);

struct starpu_sched_component_prio_data {
	unsigned ntasks_threshold;
	double exp_len_threshold;
	int ready;
	int exp;
};
struct starpu_sched_component *starpu_sched_component_prio_create(struct starpu_sched_tree *tree,
								  struct starpu_sched_component_prio_data *prio_data);
int starpu_sched_component_is_prio(struct starpu_sched_component *component);

/* --- mappers --- */

struct starpu_sched_component *starpu_sched_component_work_stealing_create(struct starpu_sched_tree *tree, void *arg);
int starpu_sched_component_is_work_stealing(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_random_create(struct starpu_sched_tree *tree, void *arg);
int starpu_sched_component_is_random(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_eager_create(struct starpu_sched_tree *tree, void *arg);
int starpu_sched_component_is_eager(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_eager_prio_create(struct starpu_sched_tree *tree, void *arg);
int starpu_sched_component_is_eager_prio(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_eager_calibration_create(struct starpu_sched_tree *tree,
									       void *arg);
int starpu_sched_component_is_eager_calibration(struct starpu_sched_component *component);

struct starpu_sched_component_mct_data {
	double alpha, beta, _gamma, idle_power;
	unsigned nolock; /* no lock is held while it decides */
};
struct starpu_sched_component *starpu_sched_component_mct_create(struct starpu_sched_tree *tree,
								 struct starpu_sched_component_mct_data *mct_data);
int starpu_sched_component_is_mct(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_heft_create(struct starpu_sched_tree *tree,
								  struct starpu_sched_component_mct_data *mct_data);
int starpu_sched_component_is_heft(struct starpu_sched_component *component);

struct starpu_sched_component_heteroprio_data {
	struct starpu_sched_component_mct_data *mct;
	unsigned batch;
};
struct starpu_sched_component *starpu_sched_component_heteroprio_create(
	struct starpu_sched_tree *tree, struct starpu_sched_component_heteroprio_data *params);
int starpu_sched_component_is_heteroprio(struct starpu_sched_component *component);

/* --- special ones --- */

struct starpu_sched_component *starpu_sched_component_best_implementation_create(struct starpu_sched_tree *tree,
										 void *arg);
struct starpu_sched_component_perfmodel_select_data {
	struct starpu_sched_component *calibrator_component;
	struct starpu_sched_component *no_perfmodel_component;
	struct starpu_sched_component *perfmodel_component;
};
struct starpu_sched_component *starpu_sched_component_perfmodel_select_create(
	struct starpu_sched_tree *tree, struct starpu_sched_component_perfmodel_select_data *perfmodel_select_data);
int starpu_sched_component_is_perfmodel_select(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_stage_create(struct starpu_sched_tree *tree, void *arg);
int starpu_sched_component_is_stage(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_userchoice_create(struct starpu_sched_tree *tree, void *arg);
int starpu_sched_component_is_userchoice(struct starpu_sched_component *component);

/* --- recipes: a chain of components that stands for one --- */

struct starpu_sched_component_composed_recipe;
struct starpu_sched_component_composed_recipe *starpu_sched_component_composed_recipe_create(void);
struct starpu_sched_component_composed_recipe *starpu_sched_component_composed_recipe_create_singleton(
	starpu_sched_component_create_t create_component, void *arg);
void starpu_sched_component_composed_recipe_add(struct starpu_sched_component_composed_recipe *recipe,
						starpu_sched_component_create_t create_component, void *arg);
void starpu_sched_component_composed_recipe_destroy(struct starpu_sched_component_composed_recipe *recipe);
struct starpu_sched_component *starpu_sched_component_composed_component_create(
	struct starpu_sched_tree *tree, struct starpu_sched_component_composed_recipe *recipe);

/* --- whole policies --- */

/* Recipes for the parts of the computer; NULL: no component there. */
struct starpu_sched_component_specs {
	struct starpu_sched_component_composed_recipe *hwloc_machine_composed_sched_component;
	struct starpu_sched_component_composed_recipe *hwloc_component_composed_sched_component; /* NUMA nodes */
	struct starpu_sched_component_composed_recipe *hwloc_socket_composed_sched_component;
	struct starpu_sched_component_composed_recipe *hwloc_cache_composed_sched_component;
	/* The recipe above a worker, which is destroyed after use; NULL: none */
	struct starpu_sched_component_composed_recipe *(*worker_composed_sched_component)(
		enum starpu_worker_archtype archtype);
	int mix_heterogeneous_workers;
};
struct starpu_sched_tree *starpu_sched_component_make_scheduler(unsigned sched_ctx_id,
								struct starpu_sched_component_specs s);

#define STARPU_SCHED_SIMPLE_DECIDE_MASK (3 << 0)
#define STARPU_SCHED_SIMPLE_DECIDE_WORKERS (1 << 0)
#define STARPU_SCHED_SIMPLE_DECIDE_MEMNODES (2 << 0)
#define STARPU_SCHED_SIMPLE_DECIDE_ARCHS (3 << 0)
#define STARPU_SCHED_SIMPLE_DECIDE_ALWAYS (1 << 3)
#define STARPU_SCHED_SIMPLE_PERFMODEL (1 << 4)
#define STARPU_SCHED_SIMPLE_IMPL (1 << 5)
#define STARPU_SCHED_SIMPLE_FIFO_ABOVE (1 << 6)
#define STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO (1 << 7)
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW (1 << 8)
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO (1 << 9)
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY (1 << 10)
#define STARPU_SCHED_SIMPLE_WS_BELOW (1 << 11)
#define STARPU_SCHED_SIMPLE_COMBINED_WORKERS (1 << 12)
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW_EXP (1 << 13)
#define STARPU_SCHED_SIMPLE_PRE_DECISION (1 << 14)
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY_FIRST (1 << 15)
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW_NOLIMIT (1 << 16)
void starpu_sched_component_initialize_simple_scheduler(starpu_sched_component_create_t create_decision_component,
							void *data, unsigned flags, unsigned sched_ctx_id);
/* For each decision: its constructor, its data, its flags. */
void starpu_sched_component_initialize_simple_schedulers(unsigned sched_ctx_id, unsigned ndecisions, ...);

#define STARPU_COMPONENT_MUTEX_LOCK(m) \
	do { \
		const int _relaxed_state = starpu_worker_get_relax_state(); \
		if (!_relaxed_state) \
			starpu_worker_relax_on(); \
		STARPU_PTHREAD_MUTEX_LOCK((m)); \
		if (!_relaxed_state) \
			starpu_worker_relax_off(); \
	} while (0)
#define STARPU_COMPONENT_MUTEX_TRYLOCK(m) STARPU_PTHREAD_MUTEX_TRYLOCK((m))
#define STARPU_COMPONENT_MUTEX_UNLOCK(m) STARPU_PTHREAD_MUTEX_UNLOCK((m))

/* --- the spelling of the first versions --- */

/* The tree that the thread made last, and context of it. */
struct starpu_sched_tree *xy_starpu_last_tree(void);
unsigned xy_starpu_last_context(void);

/* One argument, or more: a compound literal may bring commas. */
#define XY_STARPU_PICK(a1, a2, a3, a4, a5, a6, a7, a8, which, ...) which
#define XY_STARPU_GIVEN(name, ...) name(__VA_ARGS__)
#define XY_STARPU_TREE(name, data) name(xy_starpu_last_tree(), data)
#define XY_STARPU_CONTEXT(name, worker) name(xy_starpu_last_context(), worker)
#define XY_STARPU_WITH(missing, name, ...) \
	XY_STARPU_PICK(__VA_ARGS__, XY_STARPU_GIVEN, XY_STARPU_GIVEN, XY_STARPU_GIVEN, XY_STARPU_GIVEN, \
		       XY_STARPU_GIVEN, XY_STARPU_GIVEN, XY_STARPU_GIVEN, missing, 0) \
	(name, __VA_ARGS__)
#define XY_STARPU_WITH_TREE(name, ...) XY_STARPU_WITH(XY_STARPU_TREE, name, __VA_ARGS__)
#define XY_STARPU_WITH_CONTEXT(name, ...) XY_STARPU_WITH(XY_STARPU_CONTEXT, name, __VA_ARGS__)

#define starpu_sched_component_worker_get(...) XY_STARPU_WITH_CONTEXT(starpu_sched_component_worker_get, __VA_ARGS__)
#define starpu_sched_component_worker_new(...) XY_STARPU_WITH_CONTEXT(starpu_sched_component_worker_new, __VA_ARGS__)
#define starpu_sched_component_fifo_create(...) XY_STARPU_WITH_TREE(starpu_sched_component_fifo_create, __VA_ARGS__)
#define starpu_sched_component_prio_create(...) XY_STARPU_WITH_TREE(starpu_sched_component_prio_create, __VA_ARGS__)
#define starpu_sched_component_work_stealing_create(...) \
	XY_STARPU_WITH_TREE(starpu_sched_component_work_stealing_create, __VA_ARGS__)
#define starpu_sched_component_random_create(...) XY_STARPU_WITH_TREE(starpu_sched_component_random_create, __VA_ARGS__)
#define starpu_sched_component_eager_create(...) XY_STARPU_WITH_TREE(starpu_sched_component_eager_create, __VA_ARGS__)
#define starpu_sched_component_eager_prio_create(...) \
	XY_STARPU_WITH_TREE(starpu_sched_component_eager_prio_create, __VA_ARGS__)
#define starpu_sched_component_eager_calibration_create(...) \
	XY_STARPU_WITH_TREE(starpu_sched_component_eager_calibration_create, __VA_ARGS__)
#define starpu_sched_component_mct_create(...) XY_STARPU_WITH_TREE(starpu_sched_component_mct_create, __VA_ARGS__)
#define starpu_sched_component_heft_create(...) XY_STARPU_WITH_TREE(starpu_sched_component_heft_create, __VA_ARGS__)
#define starpu_sched_component_heteroprio_create(...) \
	XY_STARPU_WITH_TREE(starpu_sched_component_heteroprio_create, __VA_ARGS__)
#define starpu_sched_component_best_implementation_create(...) \
	XY_STARPU_WITH_TREE(starpu_sched_component_best_implementation_create, __VA_ARGS__)
#define starpu_sched_component_perfmodel_select_create(...) \
	XY_STARPU_WITH_TREE(starpu_sched_component_perfmodel_select_create, __VA_ARGS__)
#define starpu_sched_component_stage_create(...) XY_STARPU_WITH_TREE(starpu_sched_component_stage_create, __VA_ARGS__)
#define starpu_sched_component_userchoice_create(...) \
	XY_STARPU_WITH_TREE(starpu_sched_component_userchoice_create, __VA_ARGS__)
#define starpu_sched_component_composed_component_create(...) \
	XY_STARPU_WITH_TREE(starpu_sched_component_composed_component_create, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
