/* SPDX-License-Identifier: MIT */
/*
 * Policies that a program brings along (struct starpu_sched_policy). The tree of Xylem's then has one component, the
 * hub, above all workers: a push is the policy's push_task, and a pull its pop_task. Tasks that the policy may not see
 * (those bound to a worker, and those of <xylem.h>) pass it by.
 *
 * A policy may keep a task for as long as it likes, and need not say when it would give it: like the drivers of
 * StarPU's, a worker asks again after a while if it got nothing although the policy has tasks.
 *
 * Locking key: (c) constant after set-up, (a) atomic, (l) lock of the hub, (w) lock of the worker.
 */
#include "internal.h"

#define AGAIN_US 500 /* after which a worker that got nothing asks again; doubled each time, up to ... */
#define RARELY_US 8000

/* What a worker does next, before it asks the policy. */
struct local {
	pthread_mutex_t lock;
	struct starpu_task_list tasks; /* (w) */
	starpu_pthread_mutex_t sched_lock;
	starpu_pthread_cond_t sched_cond;
};

struct hub {
	struct xy_component base;
	struct xy_lock lock;
	struct xy_queue others;         /* (l) what no policy may see */
	_Atomic size_t kept, kept_peak; /* (a) tasks that policies and workers' queues have */
	_Atomic unsigned again_us;      /* (a) */
};

static struct hub *_Atomic hub; /* (a) of the runtime, or NULL */
static _Atomic bool open;       /* (a) policies may be called */
static _Atomic unsigned busy;   /* (a) threads that are about to call one, or do */
static _Atomic bool asked;      /* (a) do_schedule was, and no task was submitted since, but by tasks */
static _Atomic bool fresh;      /* (a) a policy got a task since its do_schedule was called */
static struct local locals[STARPU_NMAXWORKERS];
static _Thread_local struct xy_agent *agent; /* while the thread is in a verb of the hub */

_Atomic bool xs_hub_is;

static struct xy_component *hub_component(void)
{
	struct hub *h = atomic_load(&hub);

	return h ? &h->base : NULL;
}

struct xy_agent *xs_policy_agent(const struct xy_component **self)
{
	*self = hub_component();
	return *self ? agent : NULL;
}

/* --- waking --- */

static int wake(unsigned worker)
{
	const struct xy_worker_info *info = xy_machine_worker(xs_global.machine, worker);
	struct xy_component *self = hub_component();
	struct xy_offer offer = { 0 };
	bool itself;

	if (!self || !info)
		return 0;
	if (!agent) {
		/* A thread of the program: the timer's thread has what is needed. */
		xy_component_at(self, 0);
		return 1;
	}
	offer.archs = 1u << info->arch;
	itself = xy_agent_offer_to_others(agent);
	for (unsigned i = 0; i < self->nchildren; i++)
		if (self->children[i]->workers[0] == worker)
			xy_can_pull(self->children[i], &offer, agent);
	if (itself)
		xy_agent_offer_to_itself(agent);
	return 1;
}

static void wake_all(void)
{
	for (unsigned i = 0; i < xs_global.nworkers; i++)
		wake(i);
}

/* The workers that can run a task of the policy's: which of them will get it is not known. */
struct candidates {
	bool can[STARPU_NMAXWORKERS];
};

static void candidates_of(struct candidates *c, const struct xy_task *task)
{
	for (unsigned i = 0; i < xs_global.nworkers && i < STARPU_NMAXWORKERS; i++)
		c->can[i] = xy_task_can_run(task, i);
}

static void candidates_wake(const struct candidates *c)
{
	for (unsigned i = 0; i < xs_global.nworkers && i < STARPU_NMAXWORKERS; i++)
		if (c->can[i])
			wake(i);
}

int starpu_wake_worker(int workerid)
{
	return workerid >= 0 ? wake((unsigned)workerid) : 0;
}

int starpu_wake_worker_relax(int workerid)
{
	return starpu_wake_worker(workerid);
}

int starpu_wake_worker_no_relax(int workerid)
{
	return starpu_wake_worker(workerid);
}

int starpu_wake_worker_locked(int workerid)
{
	return starpu_wake_worker(workerid);
}

int starpu_wake_worker_relax_light(int workerid)
{
	return starpu_wake_worker(workerid);
}

int starpu_wakeup_worker(int workerid, starpu_pthread_cond_t *cond, starpu_pthread_mutex_t *mutex)
{
	(void)cond;
	(void)mutex;
	return starpu_wake_worker(workerid);
}

int starpu_wakeup_worker_locked(int workerid, starpu_pthread_cond_t *cond, starpu_pthread_mutex_t *mutex)
{
	return starpu_wakeup_worker(workerid, cond, mutex);
}

void starpu_wake_all_blocked_workers(void)
{
	if (xs_global.machine)
		wake_all();
}

/* --- locks of workers, for policies --- */

static struct local *local_of(int worker)
{
	return &locals[worker >= 0 && worker < STARPU_NMAXWORKERS ? worker : 0];
}

void starpu_worker_get_sched_condition(int workerid, starpu_pthread_mutex_t **sched_mutex,
				       starpu_pthread_cond_t **sched_cond)
{
	*sched_mutex = &local_of(workerid)->sched_lock;
	*sched_cond = &local_of(workerid)->sched_cond;
}

void starpu_worker_lock(int workerid)
{
	pthread_mutex_lock(&local_of(workerid)->sched_lock);
}

int starpu_worker_trylock(int workerid)
{
	return pthread_mutex_trylock(&local_of(workerid)->sched_lock);
}

void starpu_worker_unlock(int workerid)
{
	pthread_mutex_unlock(&local_of(workerid)->sched_lock);
}

void starpu_worker_lock_self(void)
{
	if (xs_worker() >= 0)
		starpu_worker_lock(xs_worker());
}

void starpu_worker_unlock_self(void)
{
	if (xs_worker() >= 0)
		starpu_worker_unlock(xs_worker());
}

static _Thread_local int relaxed;

int starpu_worker_sched_op_pending(void)
{
	return agent != NULL;
}

void starpu_worker_relax_on(void)
{
	relaxed++;
}

void starpu_worker_relax_off(void)
{
	relaxed -= relaxed > 0;
}

int starpu_worker_get_relax_state(void)
{
	return relaxed > 0;
}

/* --- calling a policy --- */

/* Policies are called only between the first and the last call of their own. */
static bool enter(void)
{
	atomic_fetch_add(&busy, 1);
	if (atomic_load(&open))
		return true;
	atomic_fetch_sub(&busy, 1);
	return false;
}

static void leave(void)
{
	atomic_fetch_sub(&busy, 1);
}

static struct xs_thread thread_as(const struct xy_agent *by)
{
	struct xs_thread outer = xs_thread;

	if (by->worker >= 0) {
		xs_thread.worker = by->worker;
		xs_thread.generation = xs_global.generation;
	}
	return outer;
}

static void keep(struct hub *h, struct xy_task *task, struct xs_job *job)
{
	size_t kept = atomic_fetch_add(&h->kept, 1) + 1, peak = atomic_load(&h->kept_peak);

	job->kept = task;
	job->nmembers = job->ncopies = 0;
	atomic_store(&job->narrived, 0);
	atomic_store(&h->again_us, AGAIN_US);
	while (kept > peak && !atomic_compare_exchange_weak(&h->kept_peak, &peak, kept))
		;
}

static bool push_other(struct hub *h, struct xy_task *task, struct xy_agent *by)
{
	struct xy_offer offer = xy_offer_of(task);

	xy_lock_take(&h->lock, &h->base, by);
	xy_queue_insert(&h->others, task);
	xy_can_pull_children(&h->base, &offer, by);
	xy_lock_drop(&h->lock, &h->base, by);
	return true;
}

int starpu_push_local_task(int workerid, struct starpu_task *task, int back)
{
	struct local *local = local_of(workerid);

	if (!hub || workerid < 0 || (unsigned)workerid >= xs_global.nworkers)
		return xs_fail(-EINVAL, "starpu_push_local_task: there is no worker %d", workerid);
	pthread_mutex_lock(&local->lock);
	if (back)
		starpu_task_list_push_front(&local->tasks, task);
	else
		starpu_task_list_push_back(&local->tasks, task);
	pthread_mutex_unlock(&local->lock);
	wake((unsigned)workerid);
	return 0;
}

static void push_bound(struct starpu_task *task, const struct starpu_sched_policy *policy)
{
	int worker = (int)task->workerid;

	if (policy && policy->push_task_notify)
		policy->push_task_notify(task, worker, worker, task->sched_ctx);
	starpu_push_local_task(worker, task, 0);
}

static bool hub_push(struct xy_component *self, struct xy_task *xy, struct xy_agent *by)
{
	struct hub *h = (struct hub *)self;
	struct xs_job *job = xy_task_sched_data(xy);
	const struct starpu_sched_policy *policy = job ? xs_context_policy(job->task->sched_ctx) : NULL;
	struct xy_agent *outer_agent = agent;
	struct candidates candidates;
	struct xs_thread outer;
	int refused = 0;
	bool bound;

	if (!policy || !enter())
		return push_other(h, xy, by);
	agent = by;
	outer = thread_as(by);
	keep(h, xy, job);
	job->task->status = STARPU_TASK_READY;
	bound = job->task->execute_on_a_specific_worker;
	if (bound && job->task->workerid < xs_global.nworkers) {
		push_bound(job->task, policy);
	} else if (bound || (job->task->workerids && job->task->workerids_len)) {
		refused = 1;
	} else {
		candidates_of(&candidates, xy); /* the task may run and end before push_task returns */
		refused = policy->push_task(job->task);
		atomic_store(&fresh, true);
		if (refused)
			xs_fail(-EINVAL, "policy '%s' refuses task '%s', which any worker may take now",
				policy->policy_name, starpu_task_get_name(job->task));
		else
			candidates_wake(&candidates);
	}
	xs_thread.worker = outer.worker;
	xs_thread.generation = outer.generation;
	agent = outer_agent;
	leave();
	if (!refused)
		return true;
	atomic_fetch_sub(&h->kept, 1);
	return push_other(h, xy, by);
}

/* --- asking a policy --- */

static struct starpu_task *pop_local(int worker)
{
	struct local *local = local_of(worker);
	struct starpu_task *task;

	pthread_mutex_lock(&local->lock);
	task = starpu_task_list_pop_front(&local->tasks);
	pthread_mutex_unlock(&local->lock);
	return task;
}

/* pop_every_task gives a list: the worker keeps what it does not run now. */
static struct starpu_task *pop_every(const struct starpu_sched_policy *policy, unsigned context, int worker)
{
	struct starpu_task *first = policy->pop_every_task(context), *next = first ? first->next : NULL;

	while (next) {
		struct starpu_task *task = next;

		next = task->next;
		starpu_push_local_task(worker, task, 0);
	}
	return first;
}

static struct starpu_task *pop(int worker)
{
	struct starpu_task *task = pop_local(worker);

	for (unsigned c = 0; !task && c < STARPU_NMAX_SCHED_CTXS; c++) {
		const struct starpu_sched_policy *policy = xs_context_policy(c);

		if (!policy || !xs_context_has(c, worker))
			continue;
		if (policy->pop_task)
			task = policy->pop_task(c);
		else if (policy->pop_every_task)
			task = pop_every(policy, c, worker);
	}
	return task;
}

static struct xy_task *take(struct hub *h, struct starpu_task *task, struct xy_agent *by)
{
	struct xs_job *job = task->starpu_private;
	struct xy_task *xy;

	if (job && job->copy_of) {
		job = xs_team_join(job);
		if (!job)
			return NULL;
		task = job->task;
	}
	xy = job ? job->kept : NULL;
	if (!xy) {
		xs_fail(-EINVAL, "a policy gives task '%s', which it does not have", starpu_task_get_name(task));
		return NULL;
	}
	job->kept = NULL;
	atomic_fetch_sub(&h->kept, 1);
	if (xy_task_can_run(xy, (unsigned)by->worker))
		return xy;
	xs_fail(-EINVAL, "a policy gives task '%s' to worker %d, which can't run it; another one takes it",
		starpu_task_get_name(task), by->worker);
	push_other(h, xy, by);
	return NULL;
}

static void schedule(void)
{
	atomic_store(&fresh, false);
	for (unsigned c = 0; c < STARPU_NMAX_SCHED_CTXS; c++) {
		const struct starpu_sched_policy *policy = xs_context_policy(c);

		if (policy && policy->do_schedule)
			policy->do_schedule(c);
	}
}

/* A task that was submitted before do_schedule may reach its policy after: then do_schedule is called again. */
static struct xy_task *give(struct hub *h, struct xy_agent *by)
{
	struct starpu_task *task;
	struct xy_task *xy = NULL;

	while (true) {
		while (!xy && (task = pop(by->worker)))
			xy = take(h, task, by);
		if (xy || !atomic_load(&asked) || !atomic_exchange(&fresh, false))
			break;
		schedule();
	}
	return xy;
}

static struct xy_task *hub_pull(struct xy_component *self, struct xy_agent *by)
{
	struct hub *h = (struct hub *)self;
	struct xy_agent *outer_agent = agent;
	struct xy_task *xy;
	struct xs_thread outer;

	xy_lock_take(&h->lock, self, by);
	xy = xy_queue_take(&h->others, by);
	xy_lock_drop(&h->lock, self, by);
	if (xy || by->worker < 0 || by->team || !enter())
		return xy;
	agent = by;
	outer = thread_as(by);
	xy = give(h, by);
	xs_thread.worker = outer.worker;
	xs_thread.generation = outer.generation;
	agent = outer_agent;
	leave();
	if (!xy && atomic_load(&h->kept)) {
		unsigned again = atomic_load(&h->again_us);

		xy_component_at(self, xy_component_now_us(self) + again);
		if (again < RARELY_US)
			atomic_store(&h->again_us, 2 * again);
	} else if (xy) {
		atomic_store(&h->again_us, AGAIN_US);
	}
	return xy;
}

static void hub_tick(struct xy_component *self, struct xy_agent *by)
{
	struct xy_agent *outer = agent;

	(void)self;
	agent = by;
	wake_all();
	agent = outer;
}

static size_t hub_depth(struct xy_component *self, size_t *peak)
{
	struct hub *h = (struct hub *)self;

	if (peak)
		*peak = atomic_load(&h->kept_peak) + xy_queue_peak(&h->others);
	return atomic_load(&h->kept) + xy_queue_count(&h->others);
}

static const struct xy_component_ops hub_ops = {
	.name = "starpu-policy",
	.summary = "a scheduling policy of a program written for StarPU",
	.manual = "Calls the functions of a struct starpu_sched_policy.\n",
	.flags = XY_STORES | XY_MAPS | XY_ORDERS,
	.size = sizeof(struct hub),
	.push = hub_push,
	.pull = hub_pull,
	.tick = hub_tick,
	.depth = hub_depth,
};

/* --- start and end --- */

const struct xy_component_ops *const xs_policy_components[] = { &hub_ops, NULL };

static void locals_init(void)
{
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++) {
		pthread_mutex_init(&locals[i].lock, NULL);
		pthread_mutex_init(&locals[i].sched_lock, NULL);
		pthread_cond_init(&locals[i].sched_cond, NULL);
		starpu_task_list_init(&locals[i].tasks);
	}
}

static int hub_build(struct xy_tree *tree, void *arg)
{
	struct xy_component *root = xy_tree_add(tree, &hub_ops);

	(void)arg;
	if (!root)
		return -ENOMEM;
	((struct hub *)root)->again_us = AGAIN_US;
	for (unsigned i = 0; i < xy_machine_nworkers(xy_tree_machine(tree)); i++) {
		int error = xy_tree_link(root, xy_tree_worker(tree, i));

		if (error)
			return error;
	}
	hub = (struct hub *)root;
	xs_hub_is = true;
	return 0;
}

bool xs_policy_install(void)
{
	struct xy_component *root;

	if (hub)
		return true;
	if (xy_set_policy(xs_global.rt, "starpu-policy | each worker { }"))
		return false;
	root = xy_tree_root(xy_runtime_tree(xs_global.rt));
	atomic_store(&((struct hub *)root)->again_us, AGAIN_US);
	locals_init();
	hub = (struct hub *)root;
	xs_hub_is = true;
	atomic_store(&open, true);
	return true;
}

void xs_policy_configure(struct xy_config *config)
{
	hub = NULL;
	xs_hub_is = false;
	atomic_store(&open, false);
	config->sched = NULL;
	config->tree = hub_build;
}

void xs_policy_start(const struct starpu_sched_policy *policy)
{
	if (!policy)
		return;
	if (!hub) {
		xs_note("the policy '%s' is not used: SCHED gives another one", policy->policy_name);
		return;
	}
	locals_init();
	xs_context_start_policy(0, policy);
	atomic_store(&open, true);
}

/* No task is left. */
void xs_policy_stop(void)
{
	if (!hub)
		return;
	atomic_store(&open, false);
	while (atomic_load(&busy))
		sched_yield();
	for (unsigned c = STARPU_NMAX_SCHED_CTXS; c-- > 0;)
		xs_context_stop_policy(c);
}

/* Policies are not called from now on, and none is being called; or they are called again. */
void xs_policy_quiet(bool again)
{
	atomic_store(&open, again);
	while (!again && atomic_load(&busy))
		sched_yield();
	if (again)
		wake_all();
}

void xs_policy_fini(void)
{
	if (!hub)
		return;
	hub = NULL;
	xs_hub_is = false;
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++) {
		pthread_mutex_destroy(&locals[i].lock);
		pthread_mutex_destroy(&locals[i].sched_lock);
		pthread_cond_destroy(&locals[i].sched_cond);
	}
}

/* --- hooks --- */

void xs_policy_submitted(struct starpu_task *task)
{
	const struct starpu_sched_policy *policy = xs_context_policy(task->sched_ctx);

	if (!xs_thread.task)
		atomic_store(&asked, false);
	if (policy && policy->submit_hook && enter()) {
		policy->submit_hook(task);
		leave();
	}
}

void xs_policy_before(struct starpu_task *task)
{
	const struct starpu_sched_policy *policy = xs_context_policy(task->sched_ctx);

	if (policy && policy->pre_exec_hook)
		policy->pre_exec_hook(task, task->sched_ctx);
}

void xs_policy_after(struct starpu_task *task)
{
	const struct starpu_sched_policy *policy = xs_context_policy(task->sched_ctx);

	if (policy && policy->post_exec_hook)
		policy->post_exec_hook(task, task->sched_ctx);
}

void xs_policy_do_schedule(void)
{
	if (!hub || !enter())
		return;
	atomic_store(&asked, true);
	schedule();
	leave();
}

void starpu_do_schedule(void)
{
	xs_policy_do_schedule();
}

int starpu_push_task_end(struct starpu_task *task)
{
	if (task->profiling_info)
		clock_gettime(CLOCK_MONOTONIC, &task->profiling_info->push_end_time);
	task->scheduled = 1;
	return 0;
}

void starpu_sched_task_break(struct starpu_task *task)
{
	(void)task;
}

void starpu_sched_ctx_worker_shares_tasks_lists(int workerid, int sched_ctx_id)
{
	(void)workerid;
	(void)sched_ctx_id;
}
