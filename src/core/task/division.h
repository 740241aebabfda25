/* SPDX-License-Identifier: MIT */
/*
 * Divisible tasks. The holder of such a task cuts pieces off; what is left, the rest, is the task itself, and in the
 * end its last piece. The task ends when all pieces have: `open` counts them, and the rest as one.
 *
 * Locking key: as in task.h: (c) constant from submission to end, (q) the holder of the task, (a) atomic.
 */
#ifndef XYLEM_CORE_TASK_DIVISION_H
#define XYLEM_CORE_TASK_DIVISION_H

#include "core/task/task.h"

/* The field `part` of a task with XY__TASK_CALLBACK. */
enum xy__task_part { XY__PART_NONE, XY__PART_WHOLE, XY__PART_PIECE };

/* What a divisible task has in its extra. */
struct xy__division {
	struct xy_range all;                                                          /* (c) */
	int (*split)(void *callback_arg, struct xy_piece *piece);                     /* (c) or NULL */
	void (*joined)(void *callback_arg, const struct xy_piece *piece, int status); /* (c) or NULL */
	void *callback_arg;                                                           /* (c) of both */
	void *arg;                                                                    /* (c) of the whole */
	double length_us;                                                             /* (c) of the whole */
	uintptr_t accesses[XY__TASK_ACCESSES];                                        /* (c) of the whole */
	const void *like;  /* (c) items of tasks with the same value should take equally long; only compared */
	const char *model; /* (c) a name to keep measurements of pieces under, or NULL */
	double item_bytes; /* (c) memory that an item needs besides that of the handles */
	uint64_t start;    /* (q) first item of the rest */
	bool last;         /* (q) the rest has become the last piece */
	bool joins;        /* (q) and is to be told to `joined` */
	unsigned place;    /* (q) of the last piece */
	struct xy_component *cutter; /* (q) of the last piece, or NULL */
	_Atomic int open;            /* (a) pieces that have not ended, and the rest */
	_Atomic int status;          /* (a) of the first piece that failed */
};

/* What a piece has in place of a copied argument. */
struct xy__piece {
	struct xy_task *whole;       /* (c) */
	struct xy_component *cutter; /* (c) or NULL: split refused it */
	uint64_t start;              /* (c) */
	uint32_t items;              /* (c) */
	uint32_t place;              /* (q) */
};
_Static_assert(sizeof(struct xy__piece) <= XY__TASK_ARGUMENT, "a piece fits into its task");

static inline enum xy__task_part xy__task_part(const struct xy_task *task)
{
	return task->flags & XY__TASK_CALLBACK ? (enum xy__task_part)task->part : XY__PART_NONE;
}

static inline struct xy__piece *xy__task_piece(const struct xy_task *task)
{
	return (struct xy__piece *)(uintptr_t)task->argument;
}

/* Makes the division of a task that is new, or submitted again, that of an undivided one. */
void xy__division_open(struct xy_task *task);

/*
 * Fills `piece`, a blank task, with the first items of the rest, which must be more; the caller has counted it in
 * `open`.
 */
void xy__division_cut(struct xy_task *task, struct xy_task *piece, uint32_t items);
/* The rest becomes the last piece, an empty one after a failure. */
void xy__division_close(struct xy_task *task);

/* A piece, or the last piece, as its hooks see it. */
void xy__division_view(const struct xy_task *piece, struct xy_piece *view);
/* Asks `split` about a piece, which takes over what it says. 0 or why the task fails. */
int xy__division_split(struct xy_task *piece);

/* Notes the failure of a piece. */
void xy__division_fail(struct xy__division *division, int status);

#endif
