/* SPDX-License-Identifier: MIT */
/*
 * Changing a runtime while tasks run: its policy, its workers, and several trees side by side. Each of these calls
 * builds new trees for the contexts that change, halts the runtime for a moment (running codelets go on), moves the
 * tasks that rest in the old trees, and resumes. No task is lost, runs twice or overtakes one that it depends on.
 * Any thread may call them, codelets and callbacks too, but no function of a component (-EDEADLK); they exclude each
 * other. If a function of a component does not return, they return -ETIMEDOUT after 20 s with a log line that names the
 * worker and, as far as known, the component; -EAGAIN or -ENOMEM if there is no thread or memory to ask components for
 * their tasks. After an error nothing has changed. doc/changing.md explains more.
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
 * Replaces the policy: a name, an expression or @file, as in SCHED. 0, or -EINVAL, -ENOENT or -ENOMEM with one log
 * line; then the old tree stays in use. Invalidates the result of xy_runtime_tree.
 */
int xy_set_policy(struct xy_runtime *rt, const char *policy);

/* The main policy: the text that SCHED, the configuration or xy_set_policy gave, or the default's name; "tree-eager"
 * after the guard has replaced it (XYLEM_GUARD). Valid until the next change. */
const char *xy_runtime_policy(const struct xy_runtime *rt);

/* --- workers that come and go --- */

/*
 * Removes a worker: it completes the tasks it has begun, then sleeps, so that its core is free for other programs.
 * Other workers get the tasks that waited for it. A task that only absent workers can run waits until one returns. 0,
 * also if the worker is already absent; -EINVAL if it does not exist, -ENOMEM, or the policy's error if its tree can't
 * be built for the remaining workers.
 */
int xy_worker_remove(struct xy_runtime *rt, unsigned worker);
/* Puts an absent worker back, into the main context. 0, also if it is present; errors as above. */
int xy_worker_add(struct xy_runtime *rt, unsigned worker);
/* Sets the workers of the main context, taken from wherever they were; its others become absent. May be none. */
int xy_set_workers(struct xy_runtime *rt, const unsigned *workers, unsigned nworkers);
/* Whether a worker is in any context. */
bool xy_worker_is_present(struct xy_runtime *rt, unsigned worker);

/* --- contexts: trees side by side --- */

struct xy_context_desc {
	const char *name;        /* for messages, at most 31 bytes, copied; NULL: "context" and a number */
	const char *policy;      /* as for xy_set_policy; NULL: that of the runtime's start */
	const unsigned *workers; /* taken from the contexts that they are in */
	unsigned nworkers;       /* 0: none yet; tasks wait */
};

/*
 * Creates a context: its own tree and workers, for tasks whose description names it; all others run in the main
 * context. Dependencies work across contexts. At most 63 besides the main one (-ENOSPC); other errors as for
 * xy_set_policy.
 */
int xy_context_create(struct xy_runtime *rt, const struct xy_context_desc *desc, struct xy_context **context);
/* Moves its workers and tasks to the main context and sets *context to NULL; no thread may use it any more. */
int xy_context_destroy(struct xy_context **context);
/* xy_set_policy for this context. */
int xy_context_set_policy(struct xy_context *context, const char *policy);
/* Sets its workers, taken from wherever they were; its others go to the main context. */
int xy_context_set_workers(struct xy_context *context, const unsigned *workers, unsigned nworkers);
/* Its tree, valid until the next change; NULL without workers. */
struct xy_tree *xy_context_tree(const struct xy_context *context);
const char *xy_context_name(const struct xy_context *context);

#ifdef __cplusplus
}
#endif
#endif
