/* SPDX-License-Identifier: MIT */
/*
 * Scheduling contexts as sets of workers: a task of a context runs on its
 * workers only. A context may have a policy of the program's, and otherwise
 * shares the runtime's.
 */
#include "internal.h"

struct context {
	bool used;
	char name[64];
	unsigned nworkers;
	unsigned workers[STARPU_NMAXWORKERS];
	int ids[STARPU_NMAXWORKERS];
	void *user_data, *policy_data;
	struct starpu_worker_collection collection;
	const struct starpu_sched_policy *wished; /* the one that it was made with */
	char policy_name[64];                     /* likewise, by its name */
	void (*prepare)(unsigned sched_ctx_id);
	const struct starpu_sched_policy *_Atomic policy; /* (a) of the program's own, while it is called; or NULL */
	unsigned inheritor;
	void (*closed)(unsigned sched_ctx_id, void *args);
	void *closed_arg;
	int min_priority, max_priority;
	bool min_is_set, max_is_set;
};

static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static struct context contexts[STARPU_NMAX_SCHED_CTXS + 1]; /* with contexts_lock; number 0 is the initial one */
static _Thread_local unsigned current = STARPU_NMAX_SCHED_CTXS;

static struct context *context_of(unsigned id, const char *who)
{
	if (id < STARPU_NMAX_SCHED_CTXS && (!id || contexts[id].used))
		return &contexts[id];
	xs_fail(-EINVAL, "%s: there is no context %u", who, id);
	return NULL;
}

/* After each change: threads that push tasks read it without a lock. */
static void context_collect(struct context *c)
{
	xs_collection_fill(&c->collection, c->ids, c->nworkers);
}

static void context_add(struct context *c, int worker)
{
	for (unsigned i = 0; i < c->nworkers; i++)
		if (c->ids[i] == worker)
			return;
	if (worker < 0 || (unsigned)worker >= xs_global.nworkers || c->nworkers == STARPU_NMAXWORKERS)
		return;
	c->ids[c->nworkers] = worker;
	c->workers[c->nworkers++] = (unsigned)worker;
}

void xs_contexts_start(void)
{
	memset(contexts, 0, sizeof contexts);
	contexts[0].used = true;
	snprintf(contexts[0].name, sizeof contexts[0].name, "initial");
	for (unsigned i = 0; i < xs_global.nworkers; i++)
		context_add(&contexts[0], (int)i);
	context_collect(&contexts[0]);
}

bool xs_context_workers(unsigned id, const unsigned **workers, unsigned *n)
{
	const struct context *c;

	if (id >= STARPU_NMAX_SCHED_CTXS)
		id = current < STARPU_NMAX_SCHED_CTXS ? current : 0;
	if (!id)
		return false;
	c = context_of(id, "starpu_task_submit");
	if (!c || !c->nworkers || c->policy)
		return false;
	*workers = c->workers;
	*n = c->nworkers;
	return true;
}

const struct starpu_sched_policy *xs_context_policy(unsigned id)
{
	return id < STARPU_NMAX_SCHED_CTXS ? contexts[id].policy : NULL;
}

bool xs_context_is(unsigned id)
{
	return id < STARPU_NMAX_SCHED_CTXS && contexts[id].used;
}

bool xs_context_has(unsigned id, int worker)
{
	return !id || starpu_sched_ctx_contains_worker(worker, id);
}

unsigned xs_context_current(void)
{
	return current < STARPU_NMAX_SCHED_CTXS ? current : 0;
}

void xs_context_start_policy(unsigned id, const struct starpu_sched_policy *policy)
{
	struct context *c = &contexts[id];

	starpu_sched_ctx_create_worker_collection(id, policy->worker_type);
	if (policy->init_sched)
		policy->init_sched(id);
	if (policy->add_workers && c->nworkers)
		policy->add_workers(id, c->ids, c->nworkers);
	c->policy = policy;
}

void xs_context_stop_policy(unsigned id)
{
	struct context *c = &contexts[id];
	const struct starpu_sched_policy *policy = c->policy;

	if (!policy)
		return;
	c->policy = NULL;
	if (policy->remove_workers && c->nworkers)
		policy->remove_workers(id, c->ids, c->nworkers);
	if (policy->deinit_sched)
		policy->deinit_sched(id);
}

/* The optional arguments of a context: each kind with what follows it. */
static void context_options(struct context *c, va_list list)
{
	int kind;

	while ((kind = va_arg(list, int))) {
		if (kind == STARPU_SCHED_CTX_POLICY_MIN_PRIO) {
			c->min_priority = va_arg(list, int);
			c->min_is_set = true;
		} else if (kind == STARPU_SCHED_CTX_POLICY_MAX_PRIO) {
			c->max_priority = va_arg(list, int);
			c->max_is_set = true;
		} else if (kind == STARPU_SCHED_CTX_USER_DATA) {
			c->user_data = va_arg(list, void *);
		} else if (kind == STARPU_SCHED_CTX_POLICY_STRUCT) {
			c->wished = va_arg(list, const struct starpu_sched_policy *);
		} else if (kind == STARPU_SCHED_CTX_POLICY_NAME) {
			snprintf(c->policy_name, sizeof c->policy_name, "%s", va_arg(list, const char *));
		} else if (kind == STARPU_SCHED_CTX_POLICY_INIT) {
			c->prepare = va_arg(list, void (*)(unsigned));
		} else if (kind == STARPU_SCHED_CTX_SUB_CTXS) {
			(void)va_arg(list, void *);
			(void)va_arg(list, int);
		} else if (kind != STARPU_SCHED_CTX_AWAKE_WORKERS) { /* which is all there is of that */
			(void)va_arg(list, int);
		}
	}
}

static int context_policy(struct context *c, unsigned id)
{
	if (c->wished && c->wished->policy_name)
		snprintf(c->policy_name, sizeof c->policy_name, "%s", c->wished->policy_name);
	else if (c->policy_name[0] && xs_policy_check(c->policy_name))
		return -EINVAL;
	xs_context_prepare(id, c->policy_name, c->prepare);
	if (!c->wished || !c->wished->push_task)
		return 0;
	if (xs_policy_install())
		xs_context_start_policy(id, c->wished);
	else
		xs_note("the policy '%s' of context '%s' is not used: it shares that of the runtime", c->policy_name,
			c->name);
	return 0;
}

void xs_context_prepare(unsigned id, const char *policy, void (*init)(unsigned))
{
	contexts[id].prepare = init;
	if (init && !strcmp(policy, "heteroprio"))
		init(id);
}

const char *xs_context_policy_name(unsigned id)
{
	return xs_context_is(id) && contexts[id].policy_name[0] ? contexts[id].policy_name : NULL;
}

void (*starpu_sched_ctx_get_sched_policy_init(unsigned sched_ctx_id))(unsigned)
{
	return xs_context_is(sched_ctx_id) ? contexts[sched_ctx_id].prepare : NULL;
}

unsigned starpu_sched_ctx_create(int *workerids_ctx, int nworkers_ctx, const char *sched_ctx_name, ...)
{
	struct context *c = NULL;
	unsigned id;
	va_list list;

	pthread_mutex_lock(&contexts_lock);
	for (id = 1; id < STARPU_NMAX_SCHED_CTXS && contexts[id].used; id++)
		;
	if (id < STARPU_NMAX_SCHED_CTXS) {
		c = &contexts[id];
		memset(c, 0, sizeof *c);
		c->used = true;
		snprintf(c->name, sizeof c->name, "%s", sched_ctx_name ? sched_ctx_name : "");
		if (workerids_ctx && nworkers_ctx > 0)
			for (int i = 0; i < nworkers_ctx; i++)
				context_add(c, workerids_ctx[i]);
		else if (!workerids_ctx)
			for (unsigned i = 0; i < xs_global.nworkers; i++)
				context_add(c, (int)i);
		context_collect(c);
	}
	pthread_mutex_unlock(&contexts_lock);
	if (!c) {
		xs_fail(-ENOSPC, "there are already %d contexts", STARPU_NMAX_SCHED_CTXS);
		return STARPU_NMAX_SCHED_CTXS;
	}
	va_start(list, sched_ctx_name);
	context_options(c, list);
	va_end(list);
	if (context_policy(c, id)) {
		c->used = false;
		return STARPU_NMAX_SCHED_CTXS;
	}
	return id;
}

void starpu_sched_ctx_delete(unsigned sched_ctx_id)
{
	if (sched_ctx_id && context_of(sched_ctx_id, "starpu_sched_ctx_delete")) {
		if (!xs_thread.task)
			starpu_task_wait_for_all();
		if (contexts[sched_ctx_id].policy) {
			xs_policy_quiet(false);
			xs_context_stop_policy(sched_ctx_id);
			xs_policy_quiet(true);
		}
		if (contexts[sched_ctx_id].closed)
			contexts[sched_ctx_id].closed(sched_ctx_id, contexts[sched_ctx_id].closed_arg);
		contexts[sched_ctx_id].used = false;
	}
	if (current == sched_ctx_id)
		current = STARPU_NMAX_SCHED_CTXS;
}

void starpu_sched_ctx_add_workers(int *workerids_ctx, unsigned nworkers_ctx, unsigned sched_ctx_id)
{
	struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_add_workers");

	pthread_mutex_lock(&contexts_lock);
	for (unsigned i = 0; c && i < nworkers_ctx; i++)
		context_add(c, workerids_ctx[i]);
	if (c)
		context_collect(c);
	pthread_mutex_unlock(&contexts_lock);
	if (c && c->policy && c->policy->add_workers)
		c->policy->add_workers(sched_ctx_id, workerids_ctx, nworkers_ctx);
}

void starpu_sched_ctx_remove_workers(int *workerids_ctx, unsigned nworkers_ctx, unsigned sched_ctx_id)
{
	struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_remove_workers");

	pthread_mutex_lock(&contexts_lock);
	for (unsigned i = 0; c && i < nworkers_ctx; i++)
		for (unsigned j = 0; j < c->nworkers; j++)
			if (c->ids[j] == workerids_ctx[i]) {
				c->ids[j] = c->ids[--c->nworkers];
				c->workers[j] = c->workers[c->nworkers];
			}
	if (c)
		context_collect(c);
	pthread_mutex_unlock(&contexts_lock);
	if (c && c->policy && c->policy->remove_workers)
		c->policy->remove_workers(sched_ctx_id, workerids_ctx, nworkers_ctx);
}

void starpu_sched_ctx_display_workers(unsigned sched_ctx_id, FILE *f)
{
	const struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_display_workers");

	for (unsigned i = 0; c && i < c->nworkers; i++) {
		char name[64];

		starpu_worker_get_name(c->ids[i], name, sizeof name);
		fprintf(f, "\t%s\n", name);
	}
}

void starpu_sched_ctx_set_context(unsigned *sched_ctx_id)
{
	current = sched_ctx_id ? *sched_ctx_id : STARPU_NMAX_SCHED_CTXS;
}

unsigned starpu_sched_ctx_get_context(void)
{
	return current;
}

void starpu_sched_ctx_set_inheritor(unsigned sched_ctx_id, unsigned inheritor)
{
	struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_set_inheritor");

	if (c)
		c->inheritor = inheritor;
}

unsigned starpu_sched_ctx_get_inheritor(unsigned sched_ctx_id)
{
	const struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_get_inheritor");

	return c ? c->inheritor : 0;
}

void starpu_sched_ctx_register_close_callback(unsigned sched_ctx_id,
					      void (*close_callback)(unsigned sched_ctx_id, void *args), void *args)
{
	struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_register_close_callback");

	if (c) {
		c->closed = close_callback;
		c->closed_arg = args;
	}
}

int starpu_sched_ctx_set_min_priority(unsigned sched_ctx_id, int min_prio)
{
	struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_set_min_priority");

	if (!c)
		return -EINVAL;
	c->min_priority = min_prio;
	c->min_is_set = true;
	return 0;
}

int starpu_sched_ctx_set_max_priority(unsigned sched_ctx_id, int max_prio)
{
	struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_set_max_priority");

	if (!c)
		return -EINVAL;
	c->max_priority = max_prio;
	c->max_is_set = true;
	return 0;
}

int starpu_sched_ctx_min_priority_is_set(unsigned sched_ctx_id)
{
	const struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_min_priority_is_set");

	return c && c->min_is_set;
}

int starpu_sched_ctx_max_priority_is_set(unsigned sched_ctx_id)
{
	const struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_max_priority_is_set");

	return c && c->max_is_set;
}

void starpu_sched_ctx_finished_submit(unsigned sched_ctx_id)
{
	(void)sched_ctx_id;
}

unsigned starpu_sched_ctx_get_workers_list(unsigned sched_ctx_id, int **workerids)
{
	struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_get_workers_list");

	*workerids = NULL;
	if (!c || !c->nworkers)
		return 0;
	*workerids = malloc(c->nworkers * sizeof **workerids);
	if (*workerids)
		memcpy(*workerids, c->ids, c->nworkers * sizeof **workerids);
	return *workerids ? c->nworkers : 0;
}

unsigned starpu_sched_ctx_get_nworkers(unsigned sched_ctx_id)
{
	const struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_get_nworkers");

	return c ? c->nworkers : 0;
}

unsigned starpu_sched_ctx_contains_worker(int workerid, unsigned sched_ctx_id)
{
	const struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_contains_worker");

	for (unsigned i = 0; c && i < c->nworkers; i++)
		if (c->ids[i] == workerid)
			return 1;
	return 0;
}

void starpu_sched_ctx_set_policy_data(unsigned sched_ctx_id, void *policy_data)
{
	struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_set_policy_data");

	if (c)
		c->policy_data = policy_data;
}

void *starpu_sched_ctx_get_policy_data(unsigned sched_ctx_id)
{
	struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_get_policy_data");

	return c ? c->policy_data : NULL;
}

void starpu_sched_ctx_set_user_data(unsigned sched_ctx_id, void *user_data)
{
	struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_set_user_data");

	if (c)
		c->user_data = user_data;
}

void *starpu_sched_ctx_get_user_data(unsigned sched_ctx_id)
{
	struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_get_user_data");

	return c ? c->user_data : NULL;
}

int starpu_sched_ctx_get_min_priority(unsigned sched_ctx_id)
{
	const struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_get_min_priority");

	return c && c->min_is_set ? c->min_priority : atomic_load(&xs_global.min_priority);
}

int starpu_sched_ctx_get_max_priority(unsigned sched_ctx_id)
{
	const struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_get_max_priority");

	return c && c->max_is_set ? c->max_priority : atomic_load(&xs_global.max_priority);
}

/* --- worker collections --- */

struct starpu_worker_collection *starpu_sched_ctx_get_worker_collection(unsigned sched_ctx_id)
{
	struct context *c = context_of(sched_ctx_id, "starpu_sched_ctx_get_worker_collection");

	return c ? &c->collection : NULL;
}

struct starpu_worker_collection *starpu_sched_ctx_create_worker_collection(unsigned sched_ctx_id,
									   enum starpu_worker_collection_type type)
{
	(void)type;
	return starpu_sched_ctx_get_worker_collection(sched_ctx_id);
}

void starpu_sched_ctx_delete_worker_collection(unsigned sched_ctx_id)
{
	(void)sched_ctx_id;
}
