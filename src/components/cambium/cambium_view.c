/* SPDX-License-Identifier: MIT */
/*
 * The view: a copy of the graph from the tasks that are here on, as far as it is submitted and up to a number of
 * tasks, nearest first. For each it tells the longest path that follows, and the work of all that follows: a set of
 * bits per task, of which the union is taken along the edges. Each word of a set holds tasks of one type only.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "components/cambium/cambium.h"
#include "core/task/lookahead.h"

enum { WORD = 64, FIRST_NODES = 256, FIRST_BITS = 10, KNOW_MOST = 16, REMEMBERED = 16 };

#define NO_NODE UINT32_MAX

/* --- nodes --- */

static uint32_t view_slot(const struct xy__cambium_view *v, const struct xy_task *task)
{
	return (uint32_t)(((uintptr_t)task >> 6) * 0x9e3779b97f4a7c15u >> (64 - v->bits));
}

struct xy__cambium_node *xy__cambium_find(const struct xy__cambium_view *v, const struct xy_task *task)
{
	struct xy__cambium_node *node;

	if (!v->n)
		return NULL;
	for (uint32_t slot = view_slot(v, task); v->table[slot]; slot = (slot + 1) & ((1u << v->bits) - 1)) {
		node = &v->nodes[v->table[slot] - 1];
		if (node->task == task)
			return node->generation == xy__task_generation(task) ? node : NULL;
	}
	return NULL;
}

static void view_enter(struct xy__cambium_view *v, unsigned node)
{
	uint32_t slot = view_slot(v, v->nodes[node].task);

	while (v->table[slot])
		slot = (slot + 1) & ((1u << v->bits) - 1);
	v->table[slot] = node + 1;
}

/* Doubles the capacity. False without memory; then nothing changes. */
static bool view_grow(struct xy__cambium_view *v)
{
	unsigned capacity = v->capacity ? 2 * v->capacity : FIRST_NODES, bits = v->bits ? v->bits + 1 : FIRST_BITS;
	struct xy__cambium_node *nodes = realloc(v->nodes, capacity * sizeof *nodes);
	struct xy__cambium_link *links = realloc(v->links, (capacity + 1) * sizeof *links);
	uint32_t *table;

	v->nodes = nodes ? nodes : v->nodes;
	v->links = links ? links : v->links;
	table = nodes && links ? calloc((size_t)1 << bits, sizeof *table) : NULL;
	if (!table)
		return false;
	free(v->table);
	v->table = table;
	v->bits = bits;
	v->capacity = capacity;
	for (unsigned i = 0; i < v->n; i++)
		view_enter(v, i);
	return true;
}

/* The number of a task's node, made if need be; NO_NODE if there is no room. */
static unsigned view_node(struct xy__cambium_view *v, struct xy_task *task, uint32_t generation)
{
	for (uint32_t slot = v->n ? view_slot(v, task) : 0; v->n && v->table[slot];
	     slot = (slot + 1) & ((1u << v->bits) - 1))
		if (v->nodes[v->table[slot] - 1].task == task)
			return v->table[slot] - 1;
	if (v->n == v->most || (v->n == v->capacity && !view_grow(v)))
		return NO_NODE;
	v->nodes[v->n] = (struct xy__cambium_node){ .task = task, .generation = generation };
	v->links[v->n].waits = 0;
	view_enter(v, v->n);
	return v->n++;
}

static bool view_follow(struct xy__cambium_view *v, unsigned node)
{
	if (v->nsuccessors == v->successors_room) {
		unsigned room = v->successors_room ? 2 * v->successors_room : 4 * FIRST_NODES;
		uint32_t *successors = realloc(v->successors, room * sizeof *successors);

		if (!successors)
			return false;
		v->successors = successors;
		v->successors_room = room;
	}
	v->successors[v->nsuccessors++] = node;
	v->links[node].waits++;
	return true;
}

/* As it was in the last view. */
static uint16_t view_type(struct xy__cambium *c, const struct xy_task *task)
{
	const struct xy__cambium_node *known = xy__cambium_find(&c->old, task);

	return known ? known->type : (uint16_t)xy__cambium_type_of(c, task);
}

/* Copies the graph. What does not fit is left out. */
static void view_walk(struct xy__cambium *c, struct xy__cambium_view *v)
{
	for (unsigned i = 0; i < v->n; i++) {
		struct xy__lookahead ahead = xy__lookahead_of(v->nodes[i].task);
		struct xy_task *task;

		v->nodes[i].type = view_type(c, v->nodes[i].task);
		v->links[i].first = v->nsuccessors;
		while ((task = xy__lookahead_next(&ahead))) {
			unsigned node = view_node(v, task, xy__task_generation(task));

			if (node != NO_NODE && !view_follow(v, node))
				break;
		}
	}
	if (v->n)
		v->links[v->n].first = v->nsuccessors;
}

/* Tasks that only follow what runs now can't be seen. They are remembered as they were. */
static void view_remember(struct xy__cambium_view *v, const struct xy__cambium_view *old)
{
	for (unsigned i = 0; i < old->n; i++) {
		const struct xy__cambium_node *node = &old->nodes[i];
		unsigned n = v->n, copy;

		if (node->begun || node->age == REMEMBERED)
			continue;
		copy = view_node(v, node->task, node->generation);
		if (copy != n || copy == NO_NODE)
			continue;
		v->nodes[copy] = *node;
		v->nodes[copy].age++;
		v->remembered++;
		v->links[copy].first = v->nsuccessors;
		v->links[copy + 1].first = v->nsuccessors;
	}
}

/* --- what follows --- */

/* Puts nodes after all that they wait for. */
static void view_sort(struct xy__cambium_view *v)
{
	struct xy__cambium_link *links = v->links;
	unsigned n = 0;

	for (unsigned i = 0; i < v->n; i++)
		if (!links[i].waits)
			links[n++].order = i;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = links[links[i].order].first; k < links[links[i].order + 1].first; k++)
			if (!--links[v->successors[k]].waits)
				links[n++].order = v->successors[k];
}

/* Counts the types and gives each node a place in the sets; returns how many words a set has. */
static unsigned view_place(struct xy__cambium *c, struct xy__cambium_view *v)
{
	unsigned next[XY__CAMBIUM_TYPES + 1], words = 0;

	for (unsigned i = 0; i < v->n; i++)
		if (v->nodes[i].type < XY__CAMBIUM_NOTYPE)
			c->types[v->nodes[i].type].left++;
	for (unsigned i = 0; i < c->ntypes; i++) {
		next[i] = words * WORD;
		c->types[i].words = ((unsigned)c->types[i].left + WORD - 1) / WORD;
		words += c->types[i].words;
	}
	for (unsigned i = 0; i < v->n; i++)
		if (v->nodes[i].type < XY__CAMBIUM_NOTYPE)
			v->links[i].place = next[v->nodes[i].type]++;
	return words;
}

/* The price of all that is in a set. */
static double view_area(const struct xy__cambium *c, const uint64_t *set)
{
	double area = 0;

	for (unsigned i = 0; i < c->ntypes; i++) {
		unsigned count = 0;

		for (unsigned w = 0; w < c->types[i].words; w++)
			count += (unsigned)__builtin_popcountll(*set++);
		area += count * c->types[i].price_us;
	}
	return area;
}

/* Computes the descendants of a node from those of its successors. */
static void view_gather(struct xy__cambium *c, struct xy__cambium_view *v, unsigned i, unsigned words)
{
	uint64_t *set = &v->sets[(size_t)i * words];
	float path = 0;

	memset(set, 0, words * sizeof *set);
	if (v->nodes[i].age)
		return;
	for (unsigned k = v->links[i].first; k < v->links[i + 1].first; k++) {
		unsigned next = v->successors[k];
		const struct xy__cambium_node *node = &v->nodes[next];
		const uint64_t *behind = &v->sets[(size_t)next * words];
		float after = node->path_us;

		for (unsigned w = 0; w < words; w++)
			set[w] |= behind[w];
		if (node->type < XY__CAMBIUM_NOTYPE) {
			set[v->links[next].place / WORD] |= (uint64_t)1 << v->links[next].place % WORD;
			after += c->types[node->type].least_us;
		}
		path = after > path ? after : path;
	}
	v->nodes[i].path_us = path;
	v->nodes[i].area_us = (float)view_area(c, set);
}

/* Keeps the longest tails of each type. */
static void view_note_top(struct xy__cambium *c, const struct xy__cambium_node *node)
{
	float tail = node->path_us > node->area_us ? node->path_us : node->area_us;
	struct xy__cambium_type *t;
	unsigned i;

	if (node->type >= XY__CAMBIUM_NOTYPE)
		return;
	t = &c->types[node->type];
	if (t->ntops == XY__CAMBIUM_TOPS && tail <= t->tops[t->ntops - 1])
		return;
	i = t->ntops < XY__CAMBIUM_TOPS ? t->ntops++ : t->ntops - 1;
	for (; i && t->tops[i - 1] < tail; i--)
		t->tops[i] = t->tops[i - 1];
	t->tops[i] = tail;
}

static bool view_reserve_sets(struct xy__cambium_view *v, unsigned words)
{
	size_t room = (size_t)v->n * words;
	uint64_t *sets;

	if (room <= v->sets_room)
		return true;
	sets = realloc(v->sets, room * sizeof *sets);
	if (!sets)
		return false;
	v->sets = sets;
	v->sets_room = room;
	return true;
}

/* Returns how many words its sets have, 0 without memory. */
static unsigned view_evaluate(struct xy__cambium *c, struct xy__cambium_view *v)
{
	unsigned words = view_place(c, v);

	xy__cambium_price(c);
	if (!view_reserve_sets(v, words))
		return 0;
	view_sort(v);
	for (unsigned i = v->n; i-- > 0;)
		view_gather(c, v, v->links[i].order, words);
	for (unsigned i = 0; i < v->n; i++)
		view_note_top(c, &v->nodes[i]);
	return words;
}

/* --- looking --- */

/* For a task outside the view, looks at its first few successors. */
struct xy__cambium_node xy__cambium_know(const struct xy__cambium *c, struct xy_task *task, bool *seen)
{
	const struct xy__cambium_node *node = xy__cambium_find(&c->view, task);
	struct xy__cambium_node known = { .task = task, .type = XY__CAMBIUM_NOTYPE };
	struct xy__lookahead ahead = xy__lookahead_of(task);

	*seen = node;
	for (unsigned i = 0; !node && i < KNOW_MOST && (task = xy__lookahead_next(&ahead)); i++) {
		const struct xy__cambium_node *next = xy__cambium_find(&c->view, task);

		if (next && next->type < XY__CAMBIUM_NOTYPE) {
			const struct xy__cambium_type *t = &c->types[next->type];

			known.path_us = fmaxf(known.path_us, next->path_us + t->least_us);
			known.area_us = fmaxf(known.area_us, next->area_us + (float)t->price_us);
		}
	}
	return node ? *node : known;
}

void xy__cambium_forget(struct xy__cambium *c, const struct xy_task *task)
{
	struct xy__cambium_node *node = xy__cambium_find(&c->view, task);

	if (node)
		node->begun = true;
}

/* Stores all tasks of a list, with what is known of them. */
static void look_store(struct xy__cambium *c, struct xy_task *task)
{
	while (task) {
		bool seen;
		struct xy__cambium_node node = xy__cambium_know(c, task, &seen);
		struct xy_task *next = task->next;
		unsigned type = seen ? node.type : xy__cambium_type_of(c, task);

		if (type != XY__CAMBIUM_NOTYPE)
			type = xy__cambium_type_now(c, type, task, node.path_us);
		if (type == XY__CAMBIUM_NOTYPE || !xy__cambium_insert(c, type, task, node.path_us, node.area_us))
			xy_queue_insert(&c->rest, task);
		task = next;
	}
}

void xy__cambium_look(struct xy__cambium *c, double now_us)
{
	uint64_t *held = xy__cambium_held(c, now_us);
	struct xy_task *tasks = xy__cambium_empty(c);
	struct xy__cambium_view *v = &c->view, old = c->old;

	c->old = c->view;
	c->view = old;
	if (v->table)
		memset(v->table, 0, sizeof *v->table << v->bits);
	v->most = c->nodes;
	v->n = v->nsuccessors = v->remembered = 0;
	for (struct xy_task *task = tasks; task && v->n < v->most; task = task->next)
		view_node(v, task, xy__task_generation(task));
	view_walk(c, v);
	view_remember(v, &c->old);
	xy__cambium_hold_anew(c, held, v->n ? view_evaluate(c, v) : 0);
	free(held);
	c->begun = c->strangers = 0;
	look_store(c, tasks);
}

void xy__cambium_view_fini(struct xy__cambium_view *v)
{
	free(v->nodes);
	free(v->table);
	free(v->links);
	free(v->successors);
	free(v->sets);
	*v = (struct xy__cambium_view){ 0 };
}
