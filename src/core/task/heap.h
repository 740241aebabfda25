/* SPDX-License-Identifier: MIT */
/*
 * Pairing heaps of tasks, higher priority first and older first among equals, linked inside the tasks:
 * child is the first child, next the next sibling, prev the sibling before or else the parent. Nothing
 * recurses. A heap is its root, whose next and prev are NULL.
 */
#ifndef XYLEM_CORE_TASK_HEAP_H
#define XYLEM_CORE_TASK_HEAP_H

#include "core/task/task.h"

static inline bool heap_before(const struct xy_task *a, const struct xy_task *b)
{
	return a->priority != b->priority ? a->priority > b->priority : a->arrival < b->arrival;
}

/* Joins two heaps. The links of the root to siblings are the caller's. */
static inline struct xy_task *heap_merge(struct xy_task *a, struct xy_task *b)
{
	if (heap_before(b, a)) {
		struct xy_task *swap = a;

		a = b;
		b = swap;
	}
	b->prev = a;
	b->next = a->child;
	if (b->next)
		b->next->prev = b;
	a->child = b;
	return a;
}

/* Joins siblings into one heap: pairs from the left, then the pairs from the right. */
static inline struct xy_task *heap_join(struct xy_task *siblings)
{
	struct xy_task *pairs = NULL, *root = NULL;

	while (siblings) {
		struct xy_task *pair = siblings, *second = siblings->next;

		siblings = second ? second->next : NULL;
		if (second)
			pair = heap_merge(pair, second);
		pair->next = pairs;
		pairs = pair;
	}
	while (pairs) {
		struct xy_task *pair = pairs;

		pairs = pair->next;
		root = root ? heap_merge(root, pair) : pair;
	}
	if (root)
		root->next = root->prev = NULL;
	return root;
}

static inline void heap_insert(struct xy_task **heap, struct xy_task *task)
{
	task->child = NULL;
	*heap = *heap ? heap_merge(*heap, task) : task;
	(*heap)->next = (*heap)->prev = NULL;
}

static inline void heap_remove(struct xy_task **heap, struct xy_task *task)
{
	struct xy_task *rest = heap_join(task->child);

	if (task == *heap) {
		*heap = rest;
		return;
	}
	if (task->next)
		task->next->prev = task->prev;
	if (task->prev->child == task)
		task->prev->child = task->next;
	else
		task->prev->next = task->next;
	if (rest) {
		*heap = heap_merge(*heap, rest);
		(*heap)->next = (*heap)->prev = NULL;
	}
}

/* Makes a path of the first n of the heap, each the only child of the one before, in the order in which they leave;
 * the rest is below the last one. What is a path already costs little. */
static inline void heap_sort(struct xy_task **heap, size_t n)
{
	struct xy_task *last = NULL, *first = NULL;

	for (struct xy_task *task = *heap; task && n; task = *heap, n--) {
		heap_remove(heap, task);
		task->child = task->next = NULL;
		task->prev = last;
		if (last)
			last->child = task;
		else
			first = task;
		last = task;
	}
	if (last && *heap) {
		last->child = *heap;
		(*heap)->prev = last;
	}
	*heap = first ? first : *heap;
}

#endif
