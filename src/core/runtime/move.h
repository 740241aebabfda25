/* SPDX-License-Identifier: MIT */
/* The tasks that rest in trees which are replaced, on their way to the new ones. The runtime is halted. */
#ifndef XYLEM_CORE_RUNTIME_MOVE_H
#define XYLEM_CORE_RUNTIME_MOVE_H

#include "core/runtime/agent.h"

struct xy__move;
struct xy_context;

struct xy__moves {
	struct xy_runtime *rt;
	struct xy__move *at; /* in the order in which they move */
	size_t count, capacity;
	struct xy__endings endings; /* those that can't run any more */
};

/* Notes the tasks in the trees of contexts that change, and all that are in no tree. 0,
 * -ENOMEM, or -ETIMEDOUT if a component does not answer, which is logged: nothing is noted then. */
int xy__moves_note(struct xy__moves *moves);
/* Gives them to the trees that are there now. */
void xy__moves_make(struct xy__moves *moves, struct xy__agent *agent);
/* The context is destroyed: its tasks, ready or not, are the main one's. */
void xy__moves_forget(struct xy_runtime *rt, struct xy_context *context);
/* The runtime has resumed: ends what could not be given to a tree, and frees the notes. */
void xy__moves_end(struct xy__moves *moves, struct xy__agent *agent);

#endif
