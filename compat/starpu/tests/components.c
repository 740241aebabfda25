/* SPDX-License-Identifier: MIT */
/* Trees of components: the usual ones by flags, by hand, by recipes and by the parts of the computer, and with a
 * component of the program's own. Each runs every task once. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <starpu.h>
#include <starpu_sched_component.h>
#include <starpu_scheduler.h>

#define NTASKS 200

static int ran, chosen[2];
static unsigned long order[NTASKS];

static void count(void *buffers[], void *arg)
{
	int n = STARPU_ATOMIC_ADD(&ran, 1);

	(void)buffers;
	order[(n - 1) % NTASKS] = (unsigned long)(uintptr_t)arg;
}

static double some_time(struct starpu_task *task, unsigned nimpl)
{
	(void)task;
	(void)nimpl;
	return 5.0;
}

static struct starpu_perfmodel model = { .type = STARPU_COMMON, .cost_function = some_time, .symbol = "some_time" };
static struct starpu_perfmodel history = { .type = STARPU_HISTORY_BASED, .symbol = "xylem_components_test" };
static struct starpu_codelet plain = { .cpu_funcs = { count }, .name = "plain" };
static struct starpu_codelet modelled = { .cpu_funcs = { count, count }, .model = &model, .name = "modelled" };
static struct starpu_codelet measured = { .cpu_funcs = { count }, .model = &history, .name = "measured" };

/* --- a component of the program's own: a stack --- */

struct stack {
	struct starpu_task_list tasks;
	starpu_pthread_mutex_t lock;
	int pushes, offers, pumps;
};
static struct stack *its;

static int stack_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	struct stack *stack = c->data;

	STARPU_COMPONENT_MUTEX_LOCK(&stack->lock);
	stack->pushes++;
	starpu_task_list_push_front(&stack->tasks, task);
	STARPU_COMPONENT_MUTEX_UNLOCK(&stack->lock);
	starpu_push_task_end(task);
	c->can_pull(c);
	return 0;
}

static struct starpu_task *stack_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct stack *stack = c->data;
	struct starpu_task *task = NULL;

	(void)to;
	STARPU_PTHREAD_MUTEX_LOCK(&stack->lock);
	if (!starpu_task_list_empty(&stack->tasks))
		task = starpu_task_list_pop_front(&stack->tasks);
	STARPU_PTHREAD_MUTEX_UNLOCK(&stack->lock);
	return task;
}

static int stack_can_push(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct stack *stack = c->data;
	struct starpu_task *task;
	int moved = 0;

	task = starpu_sched_component_pump_to(c, to, &moved);
	STARPU_PTHREAD_MUTEX_LOCK(&stack->lock);
	stack->pumps++;
	if (task)
		starpu_task_list_push_front(&stack->tasks, task);
	STARPU_PTHREAD_MUTEX_UNLOCK(&stack->lock);
	return moved || starpu_sched_component_can_push(c, to);
}

static int stack_can_pull(struct starpu_sched_component *c)
{
	STARPU_ATOMIC_ADD(&((struct stack *)c->data)->offers, 1);
	return starpu_sched_component_can_pull(c);
}

static int deinits;

static void stack_deinit(struct starpu_sched_component *c)
{
	struct stack *stack = c->data;

	assert(starpu_task_list_empty(&stack->tasks) && stack->pushes == stack->offers && stack->pushes > 0);
	STARPU_PTHREAD_MUTEX_DESTROY(&stack->lock);
	free(stack);
	deinits++;
}

static struct starpu_sched_component *stack_create(struct starpu_sched_tree *tree, void *arg)
{
	struct starpu_sched_component *c = starpu_sched_component_create(tree, "stack");

	assert(arg == &deinits && !strcmp(c->name, "stack") && c->tree == tree);
	its = calloc(1, sizeof *its);
	starpu_task_list_init(&its->tasks);
	STARPU_PTHREAD_MUTEX_INIT(&its->lock, NULL);
	c->data = its;
	c->push_task = stack_push;
	c->pull_task = stack_pull;
	c->can_push = stack_can_push;
	c->can_pull = stack_can_pull;
	c->deinit_data = stack_deinit;
	return c;
}

/* --- trees --- */

static starpu_sched_component_create_t decision;
static unsigned flags;

static void build_simple(unsigned ctx)
{
	starpu_sched_component_initialize_simple_scheduler(decision, decision == stack_create ? &deinits : NULL, flags,
							   ctx);
	assert(starpu_sched_tree_get(ctx) == starpu_sched_ctx_get_policy_data(ctx));
}

static void build_two(unsigned ctx)
{
	starpu_sched_component_initialize_simple_schedulers(
		ctx, 2, (starpu_sched_component_create_t)starpu_sched_component_eager_create, NULL,
		STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_FIFO_ABOVE,
		(starpu_sched_component_create_t)starpu_sched_component_heft_create, NULL,
		STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_FIFO_ABOVE |
			STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO | STARPU_SCHED_SIMPLE_FIFOS_BELOW |
			STARPU_SCHED_SIMPLE_IMPL);
	assert(starpu_sched_component_is_userchoice(starpu_sched_tree_get(ctx)->root));
	assert(starpu_sched_component_is_fifo(starpu_sched_tree_get(ctx)->root->children[0]));
	assert(starpu_sched_component_is_prio(starpu_sched_tree_get(ctx)->root->children[1]));
}

/* prio | perfmodel_select { calibration, eager, mct { fifo | best | worker } } */
static void build_by_hand(unsigned ctx)
{
	struct starpu_sched_tree *tree = starpu_sched_tree_create(ctx);
	struct starpu_sched_component *root = starpu_sched_component_prio_create(tree, NULL);
	struct starpu_sched_component *mct = starpu_sched_component_mct_create(
		tree, &(struct starpu_sched_component_mct_data){ .alpha = 1, .beta = 1, ._gamma = 1000 });
	struct starpu_sched_component *eager = starpu_sched_component_eager_create(tree, NULL);
	struct starpu_sched_component *calibration = starpu_sched_component_eager_calibration_create(tree, NULL);
	struct starpu_sched_component_perfmodel_select_data select = { calibration, eager, mct };
	struct starpu_sched_component *selector = starpu_sched_component_perfmodel_select_create(tree, &select);
	struct starpu_sched_component_fifo_data limits = { .ntasks_threshold = 3, .exp_len_threshold = 1e9 };

	tree->root = root;
	starpu_sched_component_connect(root, selector);
	starpu_sched_component_connect(selector, mct);
	starpu_sched_component_connect(selector, eager);
	starpu_sched_component_connect(selector, calibration);
	for (unsigned i = 0; i < starpu_worker_get_count(); i++) {
		struct starpu_sched_component *worker = starpu_sched_component_worker_new(ctx, (int)i);
		struct starpu_sched_component *best = starpu_sched_component_best_implementation_create(tree, NULL);
		struct starpu_sched_component *fifo = starpu_sched_component_fifo_create(tree, &limits);

		assert(starpu_sched_component_is_worker(worker) && starpu_sched_component_is_simple_worker(worker));
		assert(!starpu_sched_component_is_combined_worker(worker));
		assert(starpu_sched_component_worker_get_workerid(worker) == (int)i);
		assert(worker == starpu_sched_component_worker_get(ctx, (int)i));
		starpu_sched_component_connect(mct, fifo);
		starpu_sched_component_connect(fifo, best);
		starpu_sched_component_connect(best, worker);
		starpu_sched_component_connect(eager, best);
		starpu_sched_component_connect(calibration, worker);
		assert(worker->nparents == 2);
	}
	assert(starpu_sched_component_is_mct(mct) && starpu_sched_component_is_eager(eager));
	assert(starpu_sched_component_is_eager_calibration(calibration) && !starpu_sched_component_is_eager(mct));
	assert(starpu_sched_component_is_perfmodel_select(selector) && !starpu_sched_component_is_fifo(root));
	starpu_sched_tree_update_workers(tree);
	starpu_sched_tree_update_workers_in_ctx(tree);
	assert(starpu_bitmap_cardinal(root->workers) == 2);
	starpu_sched_ctx_set_policy_data(ctx, tree);
}

static struct starpu_sched_component_composed_recipe *worker_recipe(enum starpu_worker_archtype type)
{
	struct starpu_sched_component_composed_recipe *recipe;

	assert(type == STARPU_CPU_WORKER);
	recipe = starpu_sched_component_composed_recipe_create_singleton(
		(starpu_sched_component_create_t)starpu_sched_component_fifo_create, NULL);
	starpu_sched_component_composed_recipe_add(
		recipe, (starpu_sched_component_create_t)starpu_sched_component_best_implementation_create, NULL);
	return recipe;
}

static void build_by_parts(unsigned ctx)
{
	struct starpu_sched_component_composed_recipe *machine = starpu_sched_component_composed_recipe_create();
	struct starpu_sched_component_specs specs = { 0 };
	struct starpu_sched_tree *tree;

	starpu_sched_component_composed_recipe_add(
		machine, (starpu_sched_component_create_t)starpu_sched_component_prio_create, NULL);
	starpu_sched_component_composed_recipe_add(
		machine, (starpu_sched_component_create_t)starpu_sched_component_random_create, NULL);
	specs.hwloc_machine_composed_sched_component = machine;
	specs.worker_composed_sched_component = worker_recipe;
	tree = starpu_sched_component_make_scheduler(ctx, specs);
	starpu_sched_component_composed_recipe_destroy(machine);
	starpu_sched_ctx_set_policy_data(ctx, tree);
}

static void destroy(unsigned ctx)
{
	starpu_sched_tree_deinitialize(ctx);
}

static struct starpu_sched_policy policy = {
	.deinit_sched = destroy,
	.add_workers = starpu_sched_tree_add_workers,
	.remove_workers = starpu_sched_tree_remove_workers,
	.push_task = starpu_sched_tree_push_task,
	.pop_task = starpu_sched_tree_pop_task,
	.pre_exec_hook = starpu_sched_component_worker_pre_exec_hook,
	.post_exec_hook = starpu_sched_component_worker_post_exec_hook,
	.do_schedule = starpu_sched_tree_do_schedule,
	.policy_name = "of-components",
	.worker_type = STARPU_WORKER_LIST,
};

static void submit(struct starpu_codelet *cl, int i, int choice)
{
	struct starpu_task *task = starpu_task_create();
	int ret;

	task->cl = cl;
	task->cl_arg = (void *)(uintptr_t)i;
	task->priority = i % 3;
	task->sched_data = (void *)(uintptr_t)choice;
	chosen[choice]++;
	ret = starpu_task_submit(task);
	STARPU_CHECK_RETURN_VALUE(ret, "starpu_task_submit");
}

static void run(const char *name, void (*build)(unsigned), int choices)
{
	struct starpu_codelet *codelets[] = { &plain, &modelled, &measured };
	struct starpu_conf conf;
	struct starpu_sched_component *root;

	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.ncuda = conf.nopencl = 0;
	policy.init_sched = build;
	conf.sched_policy = &policy;
	assert(!starpu_init(&conf));
	root = starpu_sched_tree_get(0)->root;
	assert(root->estimated_load(root) >= 0 && root->estimated_end(root) > 0);
	for (int k = 0; k < 3; k++) {
		ran = 0;
		for (int i = 0; i < NTASKS; i++)
			submit(codelets[k], i, i % choices);
		starpu_task_wait_for_all();
		if (ran != NTASKS)
			fprintf(stderr, "%s: %d tasks ran\n", name, ran);
		assert(ran == NTASKS);
	}
	starpu_shutdown();
}

static void run_simple(const char *name, starpu_sched_component_create_t create, unsigned with)
{
	decision = create;
	flags = with;
	run(name, build_simple, 1);
}

#define W STARPU_SCHED_SIMPLE_DECIDE_WORKERS
#define ABOVE STARPU_SCHED_SIMPLE_FIFO_ABOVE
#define BELOW STARPU_SCHED_SIMPLE_FIFOS_BELOW
#define PRIOS (STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO | STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO)
#define CREATE(name) #name, (starpu_sched_component_create_t)starpu_sched_component_##name##_create

int main(void)
{
	run_simple(CREATE(eager), W | ABOVE | STARPU_SCHED_SIMPLE_IMPL);
	run_simple(CREATE(eager), W | ABOVE | BELOW | PRIOS | STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY);
	run_simple(CREATE(eager), STARPU_SCHED_SIMPLE_DECIDE_MEMNODES | ABOVE | BELOW);
	run_simple(CREATE(eager), STARPU_SCHED_SIMPLE_DECIDE_ARCHS | STARPU_SCHED_SIMPLE_DECIDE_ALWAYS | ABOVE |
					  STARPU_SCHED_SIMPLE_WS_BELOW | STARPU_SCHED_SIMPLE_COMBINED_WORKERS);
	run_simple(CREATE(eager_prio), W | BELOW | PRIOS | STARPU_SCHED_SIMPLE_IMPL);
	run_simple(CREATE(random), W | ABOVE | STARPU_SCHED_SIMPLE_IMPL);
	run_simple(CREATE(random), W | ABOVE | BELOW);
	run_simple(CREATE(work_stealing), W | STARPU_SCHED_SIMPLE_IMPL);
	policy.push_task = starpu_sched_tree_work_stealing_push_task;
	run_simple(CREATE(work_stealing), W | STARPU_SCHED_SIMPLE_WS_BELOW);
	policy.push_task = starpu_sched_tree_push_task;
	run_simple(CREATE(mct), W | STARPU_SCHED_SIMPLE_PERFMODEL | ABOVE | BELOW | PRIOS | STARPU_SCHED_SIMPLE_IMPL |
					STARPU_SCHED_SIMPLE_FIFOS_BELOW_EXP);
	run_simple(CREATE(mct), W | STARPU_SCHED_SIMPLE_PERFMODEL | BELOW | STARPU_SCHED_SIMPLE_IMPL |
					STARPU_SCHED_SIMPLE_FIFOS_BELOW_NOLIMIT |
					STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY_FIRST);
	run_simple(CREATE(heft), W | STARPU_SCHED_SIMPLE_PERFMODEL | ABOVE | BELOW | PRIOS | STARPU_SCHED_SIMPLE_IMPL);
	run_simple(CREATE(heteroprio),
		   W | STARPU_SCHED_SIMPLE_PERFMODEL | ABOVE | BELOW | PRIOS | STARPU_SCHED_SIMPLE_IMPL);
	run_simple("stack", stack_create, W | BELOW | STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO);
	assert(deinits == 1);
	run_simple("stack", stack_create, STARPU_SCHED_SIMPLE_DECIDE_ARCHS | STARPU_SCHED_SIMPLE_DECIDE_ALWAYS | BELOW);
	assert(deinits == 2);
	run("two decisions", build_two, 2);
	run("by hand", build_by_hand, 1);
	run("by parts", build_by_parts, 1);
	run("prio center", starpu_initialize_prio_center_policy, 1);
	return 0;
}
