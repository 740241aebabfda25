/* SPDX-License-Identifier: MIT */
/*
 * Changing a runtime while tasks run: its policy, its workers, and several trees side by side. Each of these calls
 * builds new trees for the contexts that change, halts the runtime for a moment (running codelets go on), moves the
 * tasks that rest in the old trees, and resumes. No task is lost, runs twice or overtakes one that it depends on.
 * Any thread may call them, codelets and callbacks too, but no function of a component (-EDEADLK); they exclude each
 * other. If a function of a component does not return, they return -ETIMEDOUT after 20 s with a log line that names the
 * worker and, as far as known, the component; nothing has changed then. doc/changing.md explains more.
 */
#ifndef XYLEM_CONTEXT_H
#define XYLEM_CONTEXT_H

#include <stdbool.h>
#include <xylem/task.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xy_context;
struct xy_tree;

/* --- the policy --- */

/*
 * Schedules with another policy from now on: a name, an expression or @file, as in SCHED. 0, or -EINVAL, -ENOENT or
 * -ENOMEM with one log line; the old tree then goes on. Trees from xy_runtime_tree are no longer valid.
 */
int xy_set_policy(struct xy_runtime *rt, const char *policy);

/* The main policy: the text that SCHED, the configuration or xy_set_policy gave, or the default's name; "tree-eager"
 * after the guard has replaced it (XYLEM_GUARD). Valid until the next change. */
const char *xy_runtime_policy(const struct xy_runtime *rt);

/* --- workers that come and go --- */

/*
 * Takes a worker out: it completes the tasks that it has begun and then sleeps, so that its core is free for others;
 * what waited for it goes to other workers. A task that only absent workers can run waits until one returns. 0, also
 * for a worker that is absent already; -EINVAL for one that does not exist, -ENOMEM, or the policy's error if its tree
 * can't be built for the workers that are left.
 */
int xy_worker_remove(struct xy_runtime *rt, unsigned worker);
/* Puts an absent worker back, into the main context. 0, also for one that is present; errors as above. */
int xy_worker_add(struct xy_runtime *rt, unsigned worker);
/* The main context has these workers from now on, wherever they were; its others are absent. None is allowed. */
int xy_set_workers(struct xy_runtime *rt, const unsigned *workers, unsigned nworkers);
/* Whether a worker is in some context. */
bool xy_worker_is_present(struct xy_runtime *rt, unsigned worker);

/* --- contexts: trees side by side --- */

struct xy_context_desc {
	const char *name;        /* for messages, at most 31 bytes, copied; NULL: "context" and a number */
	const char *policy;      /* as for xy_set_policy; NULL: that of the runtime's start */
	const unsigned *workers; /* taken from the contexts that they are in */
	unsigned nworkers;       /* 0: none yet; tasks wait */
};

/*
 * A tree of its own with workers of its own, for tasks whose description names it; all others are the main context's.
 * Dependencies do not care for contexts. At most 63 beside the main one (-ENOSPC); other errors as of xy_set_policy.
 */
int xy_context_create(struct xy_runtime *rt, const struct xy_context_desc *desc, struct xy_context **context);
/* Its workers go to the main context, and so do its tasks. Sets *context to NULL; no thread may use it any more. */
int xy_context_destroy(struct xy_context **context);
/* As xy_set_policy. */
int xy_context_set_policy(struct xy_context *context, const char *policy);
/* It has these workers from now on, wherever they were; its others go to the main context. */
int xy_context_set_workers(struct xy_context *context, const unsigned *workers, unsigned nworkers);
/* Its tree, as xy_runtime_tree; NULL without workers. */
struct xy_tree *xy_context_tree(const struct xy_context *context);
const char *xy_context_name(const struct xy_context *context);

#ifdef __cplusplus
}
#endif
#endif
