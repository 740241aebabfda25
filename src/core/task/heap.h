/* SPDX-License-Identifier: MIT */
/*
 * Pairing heaps of tasks, linked inside the tasks: child is the first child, next the next sibling, prev the sibling
 * before or else the parent. Nothing recurses. A heap is its root, whose next and prev are NULL. `order` is the queue
 * whose key or comparison orders it; the constant NULL: higher priority first. Older first among equals.
 */
#ifndef XYLEM_CORE_TASK_HEAP_H
#define XYLEM_CORE_TASK_HEAP_H

#include <math.h>
#include "core/task/task.h"

#define HEAP_INLINE static inline __attribute__((always_inline)) /* so that a constant order is one */

/* What is no number is last. */
static inline double heap_key(const struct xy_queue *order, const struct xy_task *task)
{
	double key = order->key(order->self, task);

	return key == key ? key : INFINITY;
}

/* Whether a leaves before b by the author's order. */
static inline bool heap_before_by(const struct xy_queue *order, const struct xy_task *a, const struct xy_task *b)
{
	if (order->key) {
		double key_a = heap_key(order, a), key_b = heap_key(order, b);

		return key_a != key_b ? key_a < key_b : a->arrival < b->arrival;
	}
	if (order->before(order->self, a, b))
		return true;
	return !order->before(order->self, b, a) && a->arrival < b->arrival;
}

HEAP_INLINE bool heap_before(const struct xy_queue *order, const struct xy_task *a, const struct xy_task *b)
{
	if (order)
		return heap_before_by(order, a, b);
	return a->priority != b->priority ? a->priority > b->priority : a->arrival < b->arrival;
}

/* Joins two heaps. The links of the root to siblings are the caller's. */
HEAP_INLINE struct xy_task *heap_merge(const struct xy_queue *order, struct xy_task *a, struct xy_task *b)
{
	if (heap_before(order, b, a)) {
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
HEAP_INLINE struct xy_task *heap_join(const struct xy_queue *order, struct xy_task *siblings)
{
	struct xy_task *pairs = NULL, *root = NULL;

	while (siblings) {
		struct xy_task *pair = siblings, *second = siblings->next;

		siblings = second ? second->next : NULL;
		if (second)
			pair = heap_merge(order, pair, second);
		pair->next = pairs;
		pairs = pair;
	}
	while (pairs) {
		struct xy_task *pair = pairs;

		pairs = pair->next;
		root = root ? heap_merge(order, root, pair) : pair;
	}
	if (root)
		root->next = root->prev = NULL;
	return root;
}

HEAP_INLINE void heap_insert(const struct xy_queue *order, struct xy_task **heap, struct xy_task *task)
{
	task->child = NULL;
	*heap = *heap ? heap_merge(order, *heap, task) : task;
	(*heap)->next = (*heap)->prev = NULL;
}

HEAP_INLINE void heap_remove(const struct xy_queue *order, struct xy_task **heap, struct xy_task *task)
{
	struct xy_task *rest = heap_join(order, task->child);

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
		*heap = heap_merge(order, *heap, rest);
		(*heap)->next = (*heap)->prev = NULL;
	}
}

/* Makes a path of the first n of the heap, each the only child of the one before, in the order in which they leave;
 * the rest is below the last one. What is a path already costs little. */
HEAP_INLINE void heap_sort(const struct xy_queue *order, struct xy_task **heap, size_t n)
{
	struct xy_task *last = NULL, *first = NULL;

	for (struct xy_task *task = *heap; task && n; task = *heap, n--) {
		heap_remove(order, heap, task);
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
