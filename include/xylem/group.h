/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a subset of the tasks: groups, tags, and file descriptors for poll loops. Any thread may call these
 * functions; they return 0 or -errno with one log line.
 */
#ifndef XYLEM_GROUP_H
#define XYLEM_GROUP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xy_runtime;
struct xy_task;
struct xy_group;

/* --- groups --- */

/* Creates an empty group. Tasks join it by .group in their description, or xy_into. -EINVAL, -ENOMEM. */
int xy_group_create(struct xy_runtime *rt, struct xy_group **group);

/* Frees the group, even after the runtime has stopped; its tasks still run. NULL is allowed. */
void xy_group_free(struct xy_group *group);

/* Waits until no task of the group is left, and returns 0 or the status of the first that failed since the last wait.
 * xy_wait reports that task as well. -EDEADLK inside a codelet or callback. */
int xy_group_wait(struct xy_group *group);
/* xy_group_wait with a timeout; -ETIMEDOUT. */
int xy_group_wait_for(struct xy_group *group, double seconds);

/* The result that xy_group_wait would have, without waiting; -EINPROGRESS while tasks are left. */
int xy_group_status(const struct xy_group *group);

/* --- tags --- */

/* Waits until no task with this tag (.tag of its description, or xy_tag; not 0) is left, as for a group; 0 when there
 * is none. */
int xy_tag_wait(struct xy_runtime *rt, uint64_t tag);
int xy_tag_wait_for(struct xy_runtime *rt, uint64_t tag, double seconds);

/* --- events --- */

/*
 * A file descriptor that becomes readable when the last task of the group has ended, and stays so until it is read (8
 * bytes) or xy_group_wait returns. It belongs to the group, which closes it; every call returns the same descriptor.
 * -ENOTSUP in a simulation, where time passes only while a thread waits for the runtime; -EMFILE, -ENFILE, -ENOMEM.
 */
int xy_group_eventfd(struct xy_group *group);

/* A file descriptor that becomes readable when a submitted task ends, at once if it has ended. The caller closes it. A
 * task that is submitted again needs a new one. -EINVAL for a task that was not submitted; -ENOTSUP in a simulation;
 * -EMFILE, -ENFILE, -ENOMEM. */
int xy_task_eventfd(struct xy_task *task);

#ifdef __cplusplus
}
#endif
#endif
