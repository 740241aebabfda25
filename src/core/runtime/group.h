/* SPDX-License-Identifier: MIT */
/*
 * Private parts of groups. A tag is a group that the runtime finds by number while tasks use it, and after that while
 * the status of one that failed has not been asked for.
 *
 * Locking key: (c) constant, (a) atomic, (t) the runtime's tags_lock.
 */
#ifndef XYLEM_CORE_RUNTIME_GROUP_H
#define XYLEM_CORE_RUNTIME_GROUP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <xylem/group.h>
#include <xylem/task.h>

struct xy_group {
	struct xy_runtime *runtime; /* (c) */
	_Atomic int pending;        /* (a) tasks submitted and not ended; a futex */
	_Atomic int
		references; /* (a) of the owner, tasks in flight, and tasks that may be submitted again; a tag's: (t) */
	_Atomic int error;  /* (a) of the first that failed since the last wait */
	_Atomic int event;  /* (a) a file descriptor; -1: none */
	_Atomic bool emptied;  /* (a) the last task has ended since the last wait */
	uint64_t tag;          /* (c) 0: none */
	struct xy_group *next; /* (t) in its bucket */
};

/* The group of a description, with a reference for the caller: .group, or that of its tag. NULL: -EINVAL for one of
 * another runtime or both, -ENOMEM; in *error. */
struct xy_group *xy__group_of(struct xy_runtime *rt, const struct xy_task_desc *desc, int *error);

/* A task is about to be submitted, or was not submitted after all. */
void xy__group_enter(struct xy_group *group);
/* A task has ended. Drops the reference that it got when it entered. */
void xy__group_leave(struct xy_group *group, int status);
void xy__group_unref(struct xy_group *group);

/* Frees the tags that nobody has waited for. */
void xy__tags_fini(struct xy_runtime *rt);

/* Makes an event readable. */
void xy__event_signal(int event);

#endif
