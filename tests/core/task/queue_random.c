/* SPDX-License-Identifier: MIT */
/* Queues against a plain array, over random steps, in all orders. */
#include "queue_bed.h"

#include <math.h>

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
		cmocka_unit_test_setup(an_order_of_its_own_replaces_priorities, receiver_setup),
		cmocka_unit_test_setup(agrees_with_a_plain_array_over_random_steps, receiver_setup),
		cmocka_unit_test_setup(agrees_with_a_plain_array_with_more_sets_than_lanes, receiver_setup),
	};

	return cmocka_run_group_tests(tests, machine_setup, machine_teardown);
}
