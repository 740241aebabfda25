/* SPDX-License-Identifier: MIT */
/*
 * Each rule of component.h is broken once, on purpose: the message names the component, where it came from, the rule
 * and the task, and the run goes on.
 */
#include "../../components/recording.h"

#include <math.h>
#include <time.h>

enum fault {
	NONE,
	GIVES_TWICE,
	PUSHES_TWICE,
	STORES_AND_REFUSES,
	PASSES_ON_AND_REFUSES,
	LOSES,
	KEEPS_SILENT,
	RELOCKS,
	KEEPS_LOCK,
	PULLS_WITH_LOCK,
	LOCKS_ABOVE,
	PUSHES_UP,
	GIVES_TO_ANY,
	PUSHES_TO_ANY,
	BLOCKS,
	PREFETCHES_WITH_LOCK,
	HOOK_KEEPS_LOCK,
	HOOK_CALLS_UP_WITH_LOCK,
	HOOK_PUSHES_UP
};

struct faulty {
	struct xy_component base;
	unsigned fault;             /* enum fault */
	struct xy_lock lock, above; /* its own, and one of its parent */
	struct xy_queue queue;
	struct xy_task *last;
};

static const struct xy_option faulty_options[] = {
	{ .name = "fault", .type = XY_OPTION_UNSIGNED, .offset = offsetof(struct faulty, fault), .max = INFINITY },
	{ 0 }
};

static struct faulty *faulty(struct xy_component *self)
{
	return (struct faulty *)self;
}

static void faulty_sleep(void)
{
	nanosleep(&(struct timespec){ .tv_sec = 1, .tv_nsec = 100000000 }, NULL);
}

static bool faulty_store(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy_offer offer = xy_offer_of(task);
	struct faulty *f = faulty(self);

	xy_lock_take(&f->lock, self, by);
	if (f->fault == RELOCKS)
		xy_lock_take(&f->lock, self, by);
	if (f->fault == LOCKS_ABOVE) {
		xy_lock_take(&f->above, self->parents[0], by);
		xy_lock_drop(&f->above, self->parents[0], by);
	}
	if (f->fault == PREFETCHES_WITH_LOCK)
		xy_task_prefetch(task, 0, self, by);
	f->last = task;
	if (f->fault != LOSES)
		xy_queue_insert(&f->queue, task);
	if (f->fault != KEEPS_SILENT && f->fault != LOSES)
		xy_can_pull_children(self, &offer, by);
	if (f->fault != KEEPS_LOCK)
		xy_lock_drop(&f->lock, self, by);
	return f->fault != STORES_AND_REFUSES;
}

static bool faulty_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	switch (faulty(self)->fault) {
	case BLOCKS:
		faulty_sleep();
		break;
	case PUSHES_UP:
		return xy_push(self->parents[0], task, by);
	case PUSHES_TWICE:
		return xy_push(self->children[0], task, by) && !xy_push(self->children[1], task, by);
	case PASSES_ON_AND_REFUSES:
		xy_push(self->children[0], task, by);
		return false;
	case PUSHES_TO_ANY:
		return xy_push(self->children[0], task, by);
	}
	return faulty_store(self, task, by);
}

static struct xy_task *faulty_pull(struct xy_component *self, struct xy_agent *by)
{
	struct faulty *f = faulty(self);
	struct xy_task *task;

	if (f->fault == GIVES_TWICE && f->last)
		return f->last;
	xy_lock_take(&f->lock, self, by);
	task = f->fault == GIVES_TO_ANY ? xy_queue_first(&f->queue) : xy_queue_take(&f->queue, by);
	if (task && f->fault == GIVES_TO_ANY)
		xy_queue_remove(&f->queue, task);
	if (f->fault == PULLS_WITH_LOCK)
		task = xy_pull_parents(self, by);
	xy_lock_drop(&f->lock, self, by);
	return task ? task : xy_pull_parents(self, by);
}

static void faulty_submitted(struct xy_component *self, const struct xy_task *task, struct xy_agent *by)
{
	struct faulty *f = faulty(self);

	if (f->fault == HOOK_PUSHES_UP)
		xy_push(self->parents[0], (struct xy_task *)task, by);
	xy_lock_take(&f->lock, self, by);
	if (f->fault == HOOK_CALLS_UP_WITH_LOCK)
		xy_can_push_parents(self, by);
	if (f->fault != HOOK_KEEPS_LOCK)
		xy_lock_drop(&f->lock, self, by);
}

static size_t faulty_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&faulty(self)->queue);
	return xy_queue_count(&faulty(self)->queue);
}

static void faulty_each(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	xy_queue_each(&faulty(self)->queue, visit, arg);
}

static const struct xy_component_ops faulty_ops = {
	.name = "faulty",
	.summary = "breaks a rule",
	.flags = XY_STORES | XY_PUMPS | XY_MAPS,
	.size = sizeof(struct faulty),
	.options = faulty_options,
	.push = faulty_push,
	.pull = faulty_pull,
	.depth = faulty_depth,
	.each_task = faulty_each,
	.submitted = faulty_submitted,
};

/* --- the bed: fifo | faulty { cpu0, cpu1 } --- */

static char said[512];
static unsigned nsaid;

static void hear(void *arg, enum xy__rule rule, const char *line)
{
	(void)arg;
	nsaid++;
	snprintf(said, sizeof said, "%s|%s", xy__rule_name(rule), line);
}

static struct bed *plant(enum fault fault)
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *c;
	char text[8];

	snprintf(text, sizeof text, "%d", fault);
	c = bed_add_with(bed, bed_add(bed, NULL, &xy__fifo_ops), &faulty_ops, "fault", text);
	bed_add_worker(bed, c, 0);
	bed_add_worker(bed, c, 1);
	bed_seal(bed);
	bed_audit(bed);
	bed->tree->audit->tell = hear;
	bed->wrong = fault != NONE;
	nsaid = 0;
	*said = '\0';
	return bed;
}

static struct xy_component *wrong(struct bed *bed)
{
	return xy_tree_component(bed->tree, 1);
}

/* One message, which has these words. */
static void says(enum xy__rule rule, const char *words)
{
	if (nsaid != 1 || strncmp(said, xy__rule_name(rule), strlen(xy__rule_name(rule))) ||
	    !strstr(said, "faulty#1 of the library breaks the rule ") || !strstr(said, words))
		fail_msg("%u messages, the last \"%s\", without \"%s: %s\"", nsaid, said, xy__rule_name(rule), words);
}

static void a_right_component_breaks_no_rule(void **state)
{
	struct bed *bed = plant(NONE);

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		bed_submit(bed, bed_task(bed, XY_ON_CPU));
	for (unsigned i = 0; i < 20; i++)
		assert_non_null(bed_pull(bed, i % 2));
	assert_null(bed_pull(bed, 0));
	assert_int_equal(nsaid, 0);
	assert_int_equal(xy_tree_broken_rules(bed->tree, said, sizeof said), 0);
	assert_string_equal(said, "");
	bed_close(bed);
}

static void finds_a_task_that_two_pulls_return(void **state)
{
	struct bed *bed = plant(GIVES_TWICE);

	(void)state;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	assert_non_null(bed_pull(bed, 0));
	assert_null(bed_pull(bed, 1));
	says(XY__RULE_TWICE, "number 1), last taken by worker cpu0");
	assert_null(bed_pull(bed, 1));
	assert_int_equal(nsaid, 1);
	assert_int_equal(xy_tree_broken_rules(bed->tree, NULL, 0), 2);
	bed_close(bed);
}

static void finds_a_task_that_is_pushed_twice(void **state)
{
	struct bed *bed = plant(PUSHES_TWICE);

	(void)state;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	says(XY__RULE_TWICE, "number 1), last taken by worker#");
	assert_non_null(bed_pull(bed, 0));
	assert_null(bed_pull(bed, 1));
	bed_close(bed);
}

static void finds_a_refused_task_that_is_stored(void **state)
{
	struct bed *bed = plant(STORES_AND_REFUSES);

	(void)state;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	says(XY__RULE_REFUSED, "is stored here: task");
	assert_non_null(bed_pull(bed, 0));
	assert_null(bed_pull(bed, 1));
	bed_close(bed);
}

static void finds_a_refused_task_that_was_passed_on(void **state)
{
	struct bed *bed = plant(PASSES_ON_AND_REFUSES);

	(void)state;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	says(XY__RULE_REFUSED, "was passed on: task");
	assert_non_null(bed_pull(bed, 0));
	assert_null(bed_pull(bed, 1));
	bed_close(bed);
}

static void finds_a_lost_task(void **state)
{
	struct bed *bed = plant(LOSES);

	(void)state;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	assert_null(bed_pull(bed, 0));
	assert_true(xy__audit_probe(bed->tree));
	assert_true(xy__audit_find_lost(bed->tree, bed->tasks[0]));
	says(XY__RULE_LOST, "number 1), last taken by faulty#1");
	bed_close(bed);
}

static void finds_a_stored_task_that_was_not_offered(void **state)
{
	struct bed *bed = plant(KEEPS_SILENT);

	(void)state;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	assert_int_equal(bed->nwoken, 0);
	assert_true(xy__audit_probe(bed->tree));
	assert_false(xy__audit_find_lost(bed->tree, bed->tasks[0]));
	assert_non_null(bed_pull(bed, 0));
	says(XY__RULE_SILENT, "number 1), last taken by faulty#1");
	bed_close(bed);
}

static void finds_a_lock_that_is_taken_twice(void **state)
{
	struct bed *bed = plant(NONE);

	(void)state;
	bed->wrong = true;
	bed_submit(bed, bed_task(bed, XY_ON_CPU)); /* from its first drop on, every take is seen */
	faulty(wrong(bed))->fault = RELOCKS;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	says(XY__RULE_RELOCKED, "push takes the lock that it holds");
	assert_non_null(bed_pull(bed, 0));
	assert_non_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void finds_a_lock_that_is_not_dropped(void **state)
{
	struct bed *bed = plant(NONE);

	(void)state;
	bed->wrong = true;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	faulty(wrong(bed))->fault = KEEPS_LOCK;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	says(XY__RULE_KEPT_LOCK, "push returned with the lock held");
	assert_non_null(bed_pull(bed, 0));
	assert_non_null(bed_pull(bed, 1));
	bed_close(bed);
}

static void finds_a_lock_that_is_held_in_a_call_upwards(void **state)
{
	struct bed *bed = plant(NONE);

	(void)state;
	bed->wrong = true;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	assert_non_null(bed_pull(bed, 0));
	faulty(wrong(bed))->fault = PULLS_WITH_LOCK;
	assert_null(bed_pull(bed, 0));
	says(XY__RULE_LOCK_ORDER, "its lock is held during pull of fifo#0 above it");
	bed_close(bed);
}

static void finds_a_lock_that_is_taken_above_another(void **state)
{
	struct bed *bed = plant(NONE);
	struct faulty *f = faulty(wrong(bed));

	(void)state;
	bed->wrong = true;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	xy_lock_take(&f->above, f->base.parents[0], &bed->application); /* a lock is followed from its first drop on */
	xy_lock_drop(&f->above, f->base.parents[0], &bed->application);
	assert_int_equal(nsaid, 0);
	f->fault = LOCKS_ABOVE;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	says(XY__RULE_LOCK_ORDER, "its lock is held while that of fifo#0, which is not below it, is taken in push");
	for (unsigned i = 0; i < 2; i++)
		assert_non_null(bed_pull(bed, i));
	bed_close(bed);
}

static void finds_a_push_upwards(void **state)
{
	struct bed *bed = plant(PUSHES_UP);

	(void)state;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	says(XY__RULE_UPWARDS, "it pushes to fifo#0, which is not below it: task");
	bed_close(bed);
}

static void finds_a_task_pulled_by_a_worker_that_cannot_run_it(void **state)
{
	struct bed *bed = plant(GIVES_TO_ANY);

	(void)state;
	bed_submit(bed, bed_task_pinned(bed, XY_ON_CPU, 1));
	assert_null(bed_pull(bed, 0));
	says(XY__RULE_WORKER, "its pull gives worker cpu0 a task that it can't run: task 'unnamed' (number 1)");
	assert_non_null(bed_pull(bed, 1));
	bed_close(bed);
}

static void finds_a_task_pushed_to_a_worker_that_cannot_run_it(void **state)
{
	struct bed *bed = plant(PUSHES_TO_ANY);

	(void)state;
	bed_submit(bed, bed_task_pinned(bed, XY_ON_CPU, 1));
	says(XY__RULE_WORKER, "it pushes a task to worker cpu0, which can't run it: task 'unnamed' (number 1)");
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void finds_a_verb_that_blocks(void **state)
{
	struct bed *bed = plant(BLOCKS);

	(void)state;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	says(XY__RULE_SLOW, "push took 1.");
	assert_non_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void finds_a_prefetch_with_the_lock_held(void **state)
{
	struct bed *bed = plant(NONE);

	(void)state;
	bed->wrong = true;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	faulty(wrong(bed))->fault = PREFETCHES_WITH_LOCK;
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	says(XY__RULE_LOCK_ORDER, "xy_task_prefetch was called with the lock held");
	assert_non_null(bed_pull(bed, 0));
	assert_non_null(bed_pull(bed, 1));
	bed_close(bed);
}

/* The hook of a component that was right before: its lock is watched from its first drop on. */
static struct bed *call_hook(enum fault fault, const struct xy_task **task)
{
	struct bed *bed = plant(NONE);

	bed->wrong = true;
	*task = bed_task(bed, XY_ON_CPU);
	xy__hooks_submitted(bed->tree, *task, &bed->application);
	assert_int_equal(nsaid, 0);
	faulty(wrong(bed))->fault = fault;
	xy__hooks_submitted(bed->tree, *task, &bed->application);
	return bed;
}

static void finds_a_lock_that_a_hook_does_not_drop(void **state)
{
	const struct xy_task *task;
	struct bed *bed = call_hook(HOOK_KEEPS_LOCK, &task);

	(void)state;
	says(XY__RULE_KEPT_LOCK, "submitted returned with the lock held");
	bed_close(bed);
}

static void finds_a_hook_that_calls_upwards_with_its_lock(void **state)
{
	const struct xy_task *task;
	struct bed *bed = call_hook(HOOK_CALLS_UP_WITH_LOCK, &task);

	(void)state;
	says(XY__RULE_LOCK_ORDER, "its lock is held during can_push of fifo#0 above it");
	bed_close(bed);
}

static void finds_a_hook_that_pushes_upwards(void **state)
{
	const struct xy_task *task;
	struct bed *bed = call_hook(HOOK_PUSHES_UP, &task);

	(void)state;
	says(XY__RULE_UPWARDS, "it pushes to fifo#0, which is not below it: task");
	bed_close(bed);
}

static void counts_what_is_taken_of_a_batch(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *upper = bed_add(bed, NULL, &xy__fifo_ops);
	struct xy_component *lower = bed_add_with(bed, upper, &xy__fifo_ops, "ntasks", "2");
	struct xy_task *batch[3];

	(void)state;
	bed_add_worker(bed, lower, 0);
	bed_seal(bed);
	bed_audit(bed);
	for (unsigned i = 0; i < 3; i++)
		batch[i] = bed_task(bed, XY_ON_CPU);
	assert_int_equal(xy_push_many(lower, batch, 3, &bed->application), 2);
	assert_ptr_equal(bed_pull(bed, 0), batch[0]);
	assert_ptr_equal(bed_pull(bed, 0), batch[1]);
	bed_close(bed);
}

static void knows_the_locks_that_are_left_whichever_goes_first(void **state)
{
	struct xy_component c = { .ops = &recorder_ops };
	struct xy_lock locks[3] = { { 0 } };
	struct xy_trail trail = { 0 };
	struct xy_agent by = { .trail = &trail };

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		xy__trail_took(&locks[i], &c, &by, 0);
	xy__trail_dropped(&locks[0], &by);
	assert_int_equal(trail.nlocks, 2);
	assert_ptr_equal(trail.locks[0].lock, &locks[1]);
	assert_ptr_equal(trail.locks[1].lock, &locks[2]);
	xy__trail_dropped(&locks[2], &by);
	assert_int_equal(trail.nlocks, 1);
	assert_ptr_equal(trail.locks[0].lock, &locks[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_right_component_breaks_no_rule),
		cmocka_unit_test(finds_a_task_that_two_pulls_return),
		cmocka_unit_test(finds_a_task_that_is_pushed_twice),
		cmocka_unit_test(finds_a_refused_task_that_is_stored),
		cmocka_unit_test(finds_a_refused_task_that_was_passed_on),
		cmocka_unit_test(finds_a_lost_task),
		cmocka_unit_test(finds_a_stored_task_that_was_not_offered),
		cmocka_unit_test(finds_a_lock_that_is_taken_twice),
		cmocka_unit_test(finds_a_lock_that_is_not_dropped),
		cmocka_unit_test(finds_a_lock_that_is_held_in_a_call_upwards),
		cmocka_unit_test(finds_a_lock_that_is_taken_above_another),
		cmocka_unit_test(finds_a_push_upwards),
		cmocka_unit_test(finds_a_task_pulled_by_a_worker_that_cannot_run_it),
		cmocka_unit_test(finds_a_task_pushed_to_a_worker_that_cannot_run_it),
		cmocka_unit_test(finds_a_verb_that_blocks),
		cmocka_unit_test(finds_a_prefetch_with_the_lock_held),
		cmocka_unit_test(finds_a_lock_that_a_hook_does_not_drop),
		cmocka_unit_test(finds_a_hook_that_calls_upwards_with_its_lock),
		cmocka_unit_test(finds_a_hook_that_pushes_upwards),
		cmocka_unit_test(counts_what_is_taken_of_a_batch),
		cmocka_unit_test(knows_the_locks_that_are_left_whichever_goes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
