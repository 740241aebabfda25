/* SPDX-License-Identifier: MIT */
/* Queues: order, lanes, constrained tasks, and what happens to a task that is being passed on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/task/pool.h"
#include "core/task/queue.h"
#include "core/task/task.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA, NTASKS = 200 };

static int nothing(struct xy_call *call)
{
	(void)call;
	return 0;
}

static const struct xy_codelet codelet = {
	.cpu = { nothing }, .cuda = { nothing }, .opencl = { nothing }, .hip = { nothing }
};
static struct xy_machine *machine; /* cpu0 cpu1 cuda0 */
static struct xy__pool pool;
static struct xy_task tasks[NTASKS];
static struct xy__task_extra extras[NTASKS];
static unsigned pins[NTASKS];
static unsigned ntasks;
static struct xy_queue queue;
static struct xy_agent cpu0 = { .worker = 0, .archs = XY_ON_CPU };
static struct xy_agent cpu1 = { .worker = 1, .archs = XY_ON_CPU };
static struct xy_agent cuda0 = { .worker = 2, .archs = XY_ON_CUDA };

static int machine_setup(void **state)
{
	(void)state;
	return xy_machine_create(&machine, "cpu:2 cuda:1", NULL, 0);
}

static int machine_teardown(void **state)
{
	(void)state;
	xy_machine_destroy(machine);
	return 0;
}

static int queue_setup(void **state)
{
	(void)state;
	memset(tasks, 0, sizeof tasks);
	memset(extras, 0, sizeof extras);
	memset(&queue, 0, sizeof queue);
	pool.machine = machine;
	ntasks = 0;
	return 0;
}

static struct xy_task *make(unsigned archs, int priority)
{
	struct xy_task *task = &tasks[ntasks++];

	task->pool = &pool;
	task->codelet = (uintptr_t)&codelet;
	task->archs = (uint8_t)archs;
	task->priority = priority;
	return task;
}

static struct xy_task *make_pinned(unsigned worker, int priority)
{
	struct xy_task *task = make(XY_ON_ALL, priority);
	struct xy__task_extra *extra = &extras[task - tasks];

	pins[task - tasks] = worker;
	extra->workers = &pins[task - tasks];
	extra->nworkers = 1;
	task->extra = extra;
	task->constrained = true;
	return task;
}

/* What a task misses in these tests: the number that is its argument on worker 0, more elsewhere. */
size_t __wrap_xy_task_missing_bytes(const struct xy_task *task, unsigned worker);

size_t __wrap_xy_task_missing_bytes(const struct xy_task *task, unsigned worker)
{
	return (uintptr_t)task->arg + worker * ((uintptr_t)task->arg % 3);
}

static struct xy_task *make_missing(unsigned archs, int priority, uintptr_t bytes)
{
	struct xy_task *task = make(archs, priority);

	task->arg = (void *)bytes;
	return task;
}

static struct xy_task *insert(struct xy_task *task)
{
	xy_queue_insert(&queue, task);
	return task;
}

static void an_empty_queue_has_nothing(void **state)
{
	(void)state;
	assert_int_equal(xy_queue_count(&queue), 0);
	assert_null(xy_queue_take(&queue, &cpu0));
	assert_null(xy_queue_take_newest(&queue, &cpu0));
	assert_null(xy_queue_first(&queue));
}

static void gives_tasks_in_order_of_arrival_whatever_their_priority_when_not_ordered(void **state)
{
	struct xy_task *a = insert(make(CPU, 1)), *b = insert(make(CPU, 5)), *c = insert(make(CPU, -5));

	(void)state;
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), a);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), b);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), c);
	assert_null(xy_queue_take(&queue, &cpu0));
}

static void gives_the_highest_priority_first_and_the_oldest_among_equals(void **state)
{
	struct xy_task *a, *b, *c, *d, *e, *f;

	(void)state;
	queue.ordered = true;
	a = insert(make(CPU, -1)), b = insert(make(CPU, 0)), c = insert(make(CPU, 7));
	d = insert(make(CPU, 7)), e = insert(make(CPU, 0)), f = insert(make(CPU, 9));
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), f);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), c);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), d);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), b);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), e);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), a);
	assert_int_equal(xy_queue_count(&queue), 0);
	assert_int_equal(queue.used, 0);
}

static void never_gives_a_task_to_another_architecture(void **state)
{
	struct xy_task *a = insert(make(CUDA, 0)), *b = insert(make(CPU, 0));

	(void)state;
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), b);
	assert_null(xy_queue_take(&queue, &cpu0));
	assert_null(xy_queue_take_newest(&queue, &cpu0));
	assert_int_equal(xy_queue_count(&queue), 1);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cuda0), a);
}

static void keeps_the_order_across_lanes(void **state)
{
	struct xy_task *a, *b, *c, *d, *e;

	(void)state;
	queue.ordered = true;
	a = insert(make(CPU | CUDA, 0)), b = insert(make(CPU, 0)), c = insert(make_pinned(0, 0));
	d = insert(make(CPU, 3)), e = insert(make(CPU | CUDA, 4));
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), e);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), d);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), a);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), b);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), c);
}

static void gives_the_owner_the_newest_of_priority_0(void **state)
{
	struct xy_task *a, *b, *c, *d, *e, *f, *g;

	(void)state;
	queue.ordered = true;
	a = insert(make(CPU, 0)), b = insert(make(CPU | CUDA, 0)), c = insert(make(CPU, 2));
	d = insert(make(CPU, 2)), e = insert(make(CPU, -2)), f = insert(make(CPU, -1));
	g = insert(make(CPU, 0));
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), c);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), d);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), g);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), b);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), a);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), f);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), e);
	assert_null(xy_queue_take_newest(&queue, &cpu0));
}

static void gives_a_pinned_task_to_its_worker_only(void **state)
{
	struct xy_task *a = insert(make_pinned(1, 0)), *b = insert(make_pinned(0, 0));
	struct xy_task *c = insert(make_pinned(1, 0));

	(void)state;
	assert_null(xy_queue_take(&queue, &cuda0));
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), b);
	assert_null(xy_queue_take(&queue, &cpu0));
	assert_ptr_equal(xy_queue_take(&queue, &cpu1), a);
	assert_ptr_equal(xy_queue_take(&queue, &cpu1), c);
}

static void gives_pinned_tasks_in_order_at_both_ends(void **state)
{
	struct xy_task *low, *old, *young, *high;

	(void)state;
	queue.ordered = true;
	low = insert(make_pinned(0, -1)), old = insert(make_pinned(0, 0));
	young = insert(make_pinned(0, 0)), high = insert(make_pinned(0, 1));
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), high);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), young);
	insert(young), insert(high);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), high);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), old);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), young);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), low);
}

static void gives_the_application_nothing(void **state)
{
	struct xy_agent application = { .worker = -1 };

	(void)state;
	insert(make(XY_ON_ALL, 0)), insert(make_pinned(0, 0));
	assert_null(xy_queue_take(&queue, &application));
	assert_int_equal(xy_queue_count(&queue), 2);
}

static void knows_the_first_task_for_anybody_and_for_those_below_a_component(void **state)
{
	unsigned below[] = { 1 };
	struct xy_component cpu = { .archs = CPU, .nworkers = 1, .workers = below };
	struct xy_component cuda = { .archs = CUDA };
	struct xy_task *a = insert(make(CUDA, 0)), *b = insert(make_pinned(0, 0));
	struct xy_task *c = insert(make_pinned(1, 0)), *d = insert(make(CPU, 0));

	(void)state;
	assert_ptr_equal(xy_queue_first(&queue), a);
	assert_ptr_equal(xy_queue_first_for(&queue, &cuda), a);
	assert_ptr_equal(xy_queue_first_for(&queue, &cpu), c);
	xy_queue_remove(&queue, c);
	assert_ptr_equal(xy_queue_first_for(&queue, &cpu), d);
	xy_queue_remove(&queue, a);
	assert_ptr_equal(xy_queue_first(&queue), b);
	assert_null(xy_queue_first_for(&queue, &cuda));
}

static void adds_up_lengths_and_remembers_the_peak(void **state)
{
	struct xy_task *a = make(CPU, 0), *b = make(CPU, 0);

	(void)state;
	a->length_us = 0.1f;
	b->length_us = 1e9f;
	insert(a), insert(b);
	assert_true(queue.length_us > 1e9 && queue.length_us < 1e9 + 1);
	xy_queue_remove(&queue, b);
	xy_queue_remove(&queue, a);
	assert_true(queue.length_us == 0);
	insert(a);
	assert_int_equal(xy_queue_peak(&queue), 2);
	assert_int_equal(xy_queue_count(&queue), 1);
}

/* --- passing on --- */

static unsigned taken_archs; /* what the receiver takes */
static unsigned ngiven;
static struct xy_task *given[NTASKS];
static size_t count_meanwhile;

static bool receiver_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	(void)self, (void)by;
	count_meanwhile = xy_queue_count(&queue);
	given[ngiven++] = task;
	if (!(task->archs & taken_archs))
		return false;
	/* the receiver may do what it wants with a task that is its own */
	task->next = task->prev = task->child = task;
	task->arrival = 12345;
	return true;
}

static const struct xy_component_ops receiver_ops = { .name = "receiver", .push = receiver_push };
static struct xy_shard receiver_shard;
static struct xy_component receiver = {
	.ops = &receiver_ops, .verbs = &receiver_ops, .level = 1, .shards = &receiver_shard
};

static int receiver_setup(void **state)
{
	ngiven = 0;
	return queue_setup(state);
}

static void inserts_several_tasks_as_it_would_one_by_one(void **state)
{
	struct xy_task *some[6];

	(void)state;
	queue.ordered = true;
	for (unsigned i = 0; i < 6; i++)
		some[i] = make(i == 4 ? CUDA : CPU, i == 2 ? 5 : 0);
	for (unsigned round = 0; round < 3;
	     round++) { /* the first has no lane, the others a peak below which it is quick */
		xy__queue_insert_many(&queue, some, 6);
		assert_int_equal(xy_queue_count(&queue), 6);
		assert_ptr_equal(xy__queue_take(&queue, &cpu0), some[2]);
		assert_ptr_equal(xy__queue_take(&queue, &cpu0), some[0]);
		assert_ptr_equal(xy__queue_take_newest(&queue, &cpu0), some[5]);
		assert_ptr_equal(xy__queue_take(&queue, &cuda0), some[4]);
		assert_ptr_equal(xy__queue_take(&queue, &cpu0), some[1]);
		assert_ptr_equal(xy__queue_take(&queue, &cpu0), some[3]);
		assert_null(xy__queue_take(&queue, &cpu0));
	}
	assert_int_equal(xy_queue_peak(&queue), 6);
}

static void a_task_counts_until_it_has_been_passed_on(void **state)
{
	struct xy_task *a = insert(make(CPU, 0)), *b = insert(make(CPU, 0));

	(void)state;
	taken_archs = CPU;
	assert_true(xy_queue_pass(&queue, a, &receiver, &cpu0));
	assert_int_equal(count_meanwhile, 2);
	assert_int_equal(xy_queue_count(&queue), 1);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), b);
}

static void a_refused_task_keeps_its_place(void **state)
{
	struct xy_task *in[8];

	(void)state;
	queue.ordered = true;
	taken_archs = 0;
	in[0] = insert(make(CPU, 2)), in[1] = insert(make(CPU, 1)), in[2] = insert(make(CPU, 0));
	in[3] = insert(make_pinned(0, 0)), in[4] = insert(make_pinned(0, 0)), in[5] = insert(make(CPU, 0));
	in[6] = insert(make(CPU, -1)), in[7] = insert(make(CPU, -1));
	for (int i = 0; i < 8; i++) {
		assert_false(xy_queue_pass(&queue, in[i], &receiver, &cpu0));
		assert_int_equal(xy_queue_count(&queue), 8);
	}
	for (int i = 0; i < 8; i++)
		assert_ptr_equal(xy_queue_take(&queue, &cpu0), in[i]);
}

static void a_pump_tries_one_refused_task_of_each_lane_and_all_pinned_ones(void **state)
{
	struct xy_task *a = insert(make(CPU, 0)), *b, *c, *d, *e;

	(void)state;
	insert(make(CPU, 0));
	b = insert(make_pinned(0, 0)), c = insert(make(CUDA, 0)), d = insert(make_pinned(1, 0));
	b->archs = d->archs = CPU;
	e = insert(make(CUDA, 0));
	taken_archs = CUDA;
	assert_true(xy__queue_pump(&queue, xy_push, &receiver, &cpu0));
	assert_int_equal(ngiven, 5);
	assert_ptr_equal(given[0], a);
	assert_ptr_equal(given[1], b);
	assert_ptr_equal(given[2], c);
	assert_ptr_equal(given[3], d);
	assert_ptr_equal(given[4], e);
	assert_int_equal(xy_queue_count(&queue), 4);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), a);
}

static void a_pump_passes_on_in_the_order_of_the_queue(void **state)
{
	struct xy_task *a, *b, *c, *d;

	(void)state;
	queue.ordered = true;
	taken_archs = XY_ON_ALL;
	a = insert(make(CPU, 0)), b = insert(make_pinned(1, 3));
	c = insert(make(CUDA, 2)), d = insert(make(CPU, 3));
	assert_true(xy__queue_pump(&queue, xy_push, &receiver, &cpu0));
	assert_int_equal(ngiven, 4);
	assert_ptr_equal(given[0], b);
	assert_ptr_equal(given[1], d);
	assert_ptr_equal(given[2], c);
	assert_ptr_equal(given[3], a);
	assert_int_equal(xy_queue_count(&queue), 0);
	assert_false(xy__queue_pump(&queue, xy_push, &receiver, &cpu0));
}

static void a_task_leads_if_none_for_the_same_workers_comes_before_it(void **state)
{
	struct xy_task *a, *b, *c, *d, *e;

	(void)state;
	queue.ordered = true;
	a = insert(make(CPU, 0)), b = insert(make(CUDA, 0)), c = insert(make(CPU, -1));
	d = insert(make_pinned(0, -9));
	assert_true(xy__queue_leads(&queue, a));
	assert_true(xy__queue_leads(&queue, b));
	assert_false(xy__queue_leads(&queue, c));
	assert_true(xy__queue_leads(&queue, d));
	e = insert(make(CPU, 1));
	assert_true(xy__queue_leads(&queue, e));
	assert_false(xy__queue_leads(&queue, a));
}

/* --- ready tasks first --- */

static void gives_the_task_that_misses_least_and_the_oldest_among_equals(void **state)
{
	struct xy_task *a = insert(make_missing(CPU, 0, 30)), *b = insert(make_missing(XY_ON_ALL, 0, 20));
	struct xy_task *c = insert(make_missing(CPU, 0, 20)), *d = insert(make_missing(CPU, 0, 0));
	struct xy_task *e = insert(make_missing(CUDA, 0, 0));

	(void)state;
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), d);
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), b);
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), c);
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), a);
	assert_null(xy_queue_take_ready(&queue, &cpu0));
	assert_ptr_equal(xy_queue_take_ready(&queue, &cuda0), e);
	assert_int_equal(xy_queue_count(&queue), 0);
}

static void a_higher_priority_comes_before_what_is_ready(void **state)
{
	static const int priorities[] = { 5, 0, -5 };
	struct xy_task *far[3], *near[3];

	(void)state;
	queue.ordered = true;
	for (unsigned i = 3; i-- > 0;) {
		far[i] = insert(make_missing(CPU, priorities[i], 30));
		near[i] = insert(make_missing(CPU, priorities[i], 10));
	}
	for (unsigned i = 0; i < 3; i++) {
		assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), near[i]);
		assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), far[i]);
	}
}

static void a_pinned_task_is_ready_for_its_worker_only(void **state)
{
	struct xy_task *a = insert(make_missing(CPU, 0, 30)), *b = make_pinned(1, 0), *c = make_pinned(0, 0);

	(void)state;
	b->arg = (void *)10;
	c->arg = (void *)20;
	insert(b);
	insert(c);
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), c);
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), a);
	assert_null(xy_queue_take_ready(&queue, &cpu0));
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu1), b);
}

static void looks_at_the_oldest_ones_only(int priority)
{
	struct xy_task *last = NULL;

	queue_setup(NULL);
	queue.ordered = true;
	for (unsigned i = 0; i < XY_QUEUE_READY + 1; i++)
		last = insert(make_missing(CPU, priority, XY_QUEUE_READY + 1 - i));
	assert_ptr_not_equal(xy_queue_take_ready(&queue, &cpu0), last);
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), last);
}

static void a_ready_task_behind_many_waits_for_its_turn(void **state)
{
	(void)state;
	looks_at_the_oldest_ones_only(0);
	looks_at_the_oldest_ones_only(1);
}

/* --- against a model --- */

/* The reference: a queue as an array, searched from end to end. */
static struct xy_task *model[NTASKS];
static unsigned nmodel;

/* An order of one's own, by the argument: the smallest first, or the largest. */
static double argument_key(const struct xy_component *self, const struct xy_task *task)
{
	uintptr_t argument = (uintptr_t)task->arg;

	assert_ptr_equal(self, &receiver);
	return argument == 49 ? NAN : (double)argument;
}

static bool argument_before(const struct xy_component *self, const struct xy_task *a, const struct xy_task *b)
{
	assert_ptr_equal(self, &receiver);
	return (uintptr_t)a->arg > (uintptr_t)b->arg;
}

static bool model_before(const struct xy_task *a, const struct xy_task *b, bool newest)
{
	if (queue.key && a->arg != b->arg)
		return (uintptr_t)a->arg < (uintptr_t)b->arg;
	if (queue.before && a->arg != b->arg)
		return (uintptr_t)a->arg > (uintptr_t)b->arg;
	if (queue.key || queue.before)
		return a->arrival < b->arrival;
	if (queue.ordered && a->priority != b->priority)
		return a->priority > b->priority;
	return newest && (!queue.ordered || !a->priority) ? a->arrival > b->arrival : a->arrival < b->arrival;
}

static int model_best(const struct xy_agent *by, bool newest)
{
	int best = -1;

	for (unsigned i = 0; i < nmodel; i++)
		if ((!by || xy_task_can_run(model[i], (unsigned)by->worker)) &&
		    (best < 0 || model_before(model[i], model[best], newest)))
			best = (int)i;
	return best;
}

/* The oldest of priority `rank` that came after `before` and that the agent can run; -1 if there is none. */
static int model_next(const struct xy_agent *by, int rank, int before)
{
	int next = -1;

	for (unsigned i = 0; i < nmodel; i++)
		if ((queue.ordered ? model[i]->priority : 0) == rank &&
		    xy_task_can_run(model[i], (unsigned)by->worker) &&
		    (before < 0 || model[i]->arrival > model[before]->arrival) &&
		    (next < 0 || model[i]->arrival < model[next]->arrival))
			next = (int)i;
	return next;
}

static int model_ready(const struct xy_agent *by)
{
	int first = model_best(by, false), best = first;
	int rank = first >= 0 && queue.ordered ? model[first]->priority : 0;
	unsigned worker = (unsigned)by->worker;

	if (queue.key || queue.before)
		return first;
	for (unsigned i = 0; i < XY_QUEUE_READY && first >= 0; i++) {
		if (__wrap_xy_task_missing_bytes(model[first], worker) <
		    __wrap_xy_task_missing_bytes(model[best], worker))
			best = first;
		first = model_next(by, rank, first);
	}
	return best;
}

static struct xy_task *model_take(int i)
{
	struct xy_task *task = i < 0 ? NULL : model[i];

	if (task)
		model[i] = model[--nmodel];
	return task;
}

static void visit_next(void *arg, const struct xy_task *task)
{
	(void)arg;
	given[ngiven++] = (struct xy_task *)task;
}

/* What each_task shows is the order in which the model gives. */
static void check_order(void)
{
	struct xy_task *copy[NTASKS];
	unsigned n = nmodel;

	memcpy(copy, model, sizeof copy);
	ngiven = 0;
	xy_queue_each(&queue, visit_next, NULL);
	assert_int_equal(ngiven, n);
	for (unsigned i = 0; i < n; i++)
		assert_ptr_equal(given[i], model_take(model_best(NULL, false)));
	memcpy(model, copy, sizeof copy);
	nmodel = n;
}

static void shows_one_task_of_each_set_of_architectures_and_each_that_is_constrained(void **state)
{
	struct xy_task *a, *b, *c, *d;

	(void)state;
	queue.ordered = true;
	insert(make(CPU, 0)), insert(make(CPU, -1)), b = insert(make(CUDA, 0)), a = insert(make(CPU, 2));
	c = insert(make_pinned(0, 0)), d = insert(make_pinned(0, -4));
	ngiven = 0;
	xy_queue_each_distinct(&queue, visit_next, NULL);
	assert_int_equal(ngiven, 4);
	assert_ptr_equal(given[0], a);
	assert_ptr_equal(given[1], b);
	assert_ptr_equal(given[2], c);
	assert_ptr_equal(given[3], d);
	assert_int_equal(xy_queue_count(&queue), 6);
}

enum order { ARRIVAL, PRIORITY, KEY, COMPARISON, ORDERS };

/* Inserts the last of the idle tasks: one, in either way, or up to six together. */
static void insert_some(struct xy_task **idle, unsigned *nidle, unsigned random)
{
	unsigned n = random % 4 ? 1 : 1 + random / 4 % 6;

	if (n > *nidle)
		n = *nidle;
	*nidle -= n;
	if (n > 1)
		xy__queue_insert_many(&queue, idle + *nidle, n);
	else if (random % 2)
		xy_queue_insert(&queue, idle[*nidle]);
	else
		xy__queue_insert(&queue, idle[*nidle]);
	memcpy(model + nmodel, idle + *nidle, n * sizeof *model);
	nmodel += n;
}

/* Whether the queue knows the only lane that has tasks, if there is one and they are in its list. */
static void check_only(void)
{
	struct xy_queue_lane *only = NULL;
	unsigned filled = 0;

	for (unsigned i = 0; i <= XY_NLANES; i++)
		if (queue.lanes[i].front || queue.lanes[i].heap) {
			filled++;
			only = i < XY_NLANES && !queue.lanes[i].heap ? &queue.lanes[i] : NULL;
		}
	assert_ptr_equal(queue.only, filled == 1 && !(queue.used & XY_QUEUE_KEYED) ? only : NULL);
}

/* Tasks are of sets up to this one. */
static void random_steps(enum order order, unsigned seed, unsigned sets)
{
	struct xy_agent random = { .random = seed }, *agents[] = { &cpu0, &cpu1, &cuda0 };
	struct xy_task *idle[NTASKS];
	unsigned nidle = NTASKS;

	queue_setup(NULL);
	queue.ordered = order == PRIORITY;
	if (order == KEY)
		xy_queue_order_by(&queue, &receiver, argument_key);
	if (order == COMPARISON)
		xy_queue_order(&queue, &receiver, argument_before);
	nmodel = 0;
	for (unsigned i = 0; i < NTASKS; i++) {
		int priority = (int)(xy_agent_random(&random) % (seed % 3 ? 7 : 2)) - 3;

		idle[i] = i % 5 ? make(1 + xy_agent_random(&random) % sets, priority) : make_pinned(i % 3, priority);
		idle[i]->arg = (void *)(uintptr_t)(xy_agent_random(&random) % 50);
	}
	for (unsigned step = 0; step < 3000; step++) {
		struct xy_agent *by = agents[xy_agent_random(&random) % 3];
		unsigned what = xy_agent_random(&random) % 18;
		struct xy_task *task = NULL;

		if (what < 8 && nidle) {
			insert_some(idle, &nidle, xy_agent_random(&random));
		} else if (what < 11) {
			task = what % 2 ? xy_queue_take(&queue, by) : xy__queue_take(&queue, by);
			assert_ptr_equal(task, model_take(model_best(by, false)));
		} else if (what < 13) {
			task = what % 2 ? xy_queue_take_newest(&queue, by) : xy__queue_take_newest(&queue, by);
			assert_ptr_equal(task, model_take(model_best(by, true)));
		} else if (what < 14 && nmodel) {
			task = model_take((int)(xy_agent_random(&random) % nmodel));
			xy_queue_remove(&queue, task);
		} else if (what < 15 && nmodel) {
			taken_archs = 0;
			ngiven = 0;
			assert_false(xy_queue_pass(&queue, model[xy_agent_random(&random) % nmodel], &receiver, by));
		} else if (what < 17) {
			task = xy_queue_take_ready(&queue, by);
			assert_ptr_equal(task, model_take(model_ready(by)));
		} else {
			check_order();
		}
		if (task)
			idle[nidle++] = task;
		assert_int_equal(xy_queue_count(&queue), nmodel);
		assert_int_equal((queue.used & ~XY_QUEUE_KEYED) == 0, nmodel == 0);
		check_only();
	}
}

static void an_order_of_its_own_replaces_priorities(void **state)
{
	struct xy_task *a = make(CPU, 0), *b = make(CPU, 9), *c = make_pinned(0, 9);

	(void)state;
	xy_queue_order_by(&queue, &receiver, argument_key);
	a->arg = (void *)3, b->arg = (void *)49, c->arg = (void *)7; /* 49 has no key */
	insert(b), insert(c), insert(a);
	assert_ptr_equal(xy_queue_first(&queue), a);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), a);
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), c);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), b);
}

static void agrees_with_a_plain_array_over_random_steps(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 20; seed++)
		random_steps(seed % ORDERS, seed, seed % 7 ? XY_ON_ALL : 1);
}

static void agrees_with_a_plain_array_with_more_sets_than_lanes(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 20; seed++)
		random_steps(seed % ORDERS, seed, seed % 5 ? UINT8_MAX : XY_NLANES + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_empty_queue_has_nothing, queue_setup),
		cmocka_unit_test_setup(gives_tasks_in_order_of_arrival_whatever_their_priority_when_not_ordered,
				       queue_setup),
		cmocka_unit_test_setup(gives_the_highest_priority_first_and_the_oldest_among_equals, queue_setup),
		cmocka_unit_test_setup(never_gives_a_task_to_another_architecture, queue_setup),
		cmocka_unit_test_setup(keeps_the_order_across_lanes, queue_setup),
		cmocka_unit_test_setup(gives_the_owner_the_newest_of_priority_0, queue_setup),
		cmocka_unit_test_setup(gives_a_pinned_task_to_its_worker_only, queue_setup),
		cmocka_unit_test_setup(gives_pinned_tasks_in_order_at_both_ends, queue_setup),
		cmocka_unit_test_setup(gives_the_application_nothing, queue_setup),
		cmocka_unit_test_setup(knows_the_first_task_for_anybody_and_for_those_below_a_component, queue_setup),
		cmocka_unit_test_setup(adds_up_lengths_and_remembers_the_peak, queue_setup),
		cmocka_unit_test_setup(inserts_several_tasks_as_it_would_one_by_one, queue_setup),
		cmocka_unit_test_setup(a_task_counts_until_it_has_been_passed_on, receiver_setup),
		cmocka_unit_test_setup(a_refused_task_keeps_its_place, receiver_setup),
		cmocka_unit_test_setup(a_pump_tries_one_refused_task_of_each_lane_and_all_pinned_ones, receiver_setup),
		cmocka_unit_test_setup(a_pump_passes_on_in_the_order_of_the_queue, receiver_setup),
		cmocka_unit_test_setup(a_task_leads_if_none_for_the_same_workers_comes_before_it, receiver_setup),
		cmocka_unit_test_setup(gives_the_task_that_misses_least_and_the_oldest_among_equals, queue_setup),
		cmocka_unit_test_setup(a_higher_priority_comes_before_what_is_ready, queue_setup),
		cmocka_unit_test_setup(a_pinned_task_is_ready_for_its_worker_only, queue_setup),
		cmocka_unit_test_setup(a_ready_task_behind_many_waits_for_its_turn, queue_setup),
		cmocka_unit_test_setup(shows_one_task_of_each_set_of_architectures_and_each_that_is_constrained,
				       receiver_setup),
		cmocka_unit_test_setup(an_order_of_its_own_replaces_priorities, receiver_setup),
		cmocka_unit_test_setup(agrees_with_a_plain_array_over_random_steps, receiver_setup),
		cmocka_unit_test_setup(agrees_with_a_plain_array_with_more_sets_than_lanes, receiver_setup),
	};

	return cmocka_run_group_tests(tests, machine_setup, machine_teardown);
}
