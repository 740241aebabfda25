/* SPDX-License-Identifier: MIT */
/* The dispatchers: offers to many children, and what they count. */
#include "../../components/recording.h"

#include "core/tree/lock.h"

enum { CPU = XY_ON_CPU, FIRST = 10 };

static const struct xy_offer offer = { .archs = CPU };

/* fifo | eager { eager of the first ten workers, eager of the others } */
static struct bed *open_row(struct xy_component **row)
{
	struct bed *bed = bed_open("cpu:100");
	struct xy_component *few, *eager = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__eager_ops);

	few = bed_add(bed, eager, &xy__eager_ops);
	*row = bed_add(bed, eager, &xy__eager_ops);
	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++)
		bed_add_worker(bed, i < FIRST ? few : *row, i);
	bed_seal(bed);
	return bed;
}

static void offers_reach_only_sleepers_of_a_long_row(void **state)
{
	_Atomic uint64_t asleep[2] = { 1 | 1u << FIRST, 1 };
	struct xy_component *row;
	struct bed *bed = open_row(&row);

	(void)state;
	bed->engine.asleep = asleep;
	assert_true(xy_can_pull_children(row, &offer, &bed->application));
	asleep[0] = 1;
	assert_true(xy_can_pull_children(row, &offer, &bed->application));
	asleep[1] = 0;
	assert_false(xy_can_pull_children(row, &offer, &bed->application));
	assert_int_equal(bed->nwoken, 2);
	assert_int_equal(bed->woken[0], FIRST);
	assert_int_equal(bed->woken[1], 64);
	bed_close(bed);
}

static void an_offer_passes_sleepers_that_can_not_take_it(void **state)
{
	_Atomic uint64_t asleep[2] = { 1u << FIRST | 1u << 20, 1 };
	struct xy_component *row;
	struct bed *bed = open_row(&row);
	struct xy_offer pinned = xy_offer_of(bed_task_pinned(bed, CPU, 64));

	(void)state;
	bed->engine.asleep = asleep;
	assert_true(xy_can_pull_children(row, &pinned, &bed->application));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 64);
	bed_close(bed);
}

static void a_worker_of_a_long_row_keeps_its_first_offer(void **state)
{
	static const unsigned workers[] = { FIRST, 50, 99 };
	_Atomic uint64_t asleep[2] = { 1u << 20, 0 };
	struct xy_component *row;
	struct bed *bed = open_row(&row);

	(void)state;
	bed->engine.asleep = asleep;
	for (unsigned i = 0; i < 3; i++) {
		bed_wake(bed, workers[i]);
		assert_true(xy_can_pull_children(row, &offer, &bed->workers[workers[i]]));
		assert_int_equal(bed->nwoken, i);
		assert_true(xy_can_pull_children(row, &offer, &bed->workers[workers[i]]));
		assert_int_equal(bed->nwoken, i + 1);
		assert_int_equal(bed->woken[i], 20);
	}
	/* one that is not of this row has no offer of its own here */
	bed_wake(bed, 3);
	assert_true(xy_can_pull_children(row, &offer, &bed->workers[3]));
	assert_int_equal(bed->nwoken, 4);
	bed_close(bed);
}

static void all_children_are_asked_while_nobody_knows_who_sleeps(void **state)
{
	struct xy_component *row;
	struct bed *bed = open_row(&row);

	(void)state;
	for (unsigned i = 0; i < 99; i++)
		bed_wake(bed, i);
	assert_true(xy_can_pull_children(row, &offer, &bed->application));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 99);
	bed_close(bed);
}

/* A branch with two workers among 70 with one each, and two branches in the wrong order. */
static void all_children_are_asked_where_the_row_has_gaps(void **state)
{
	_Atomic uint64_t asleep[2] = { 0 };

	(void)state;
	for (unsigned shape = 0; shape < 2; shape++) {
		struct bed *bed = bed_open("cpu:80");
		struct xy_component *eager = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__eager_ops), *pair;

		for (unsigned i = 0; i < 80; i++)
			if (shape == 0 && i < 2)
				bed_add_worker(bed, i ? pair : (pair = bed_add(bed, eager, &xy__eager_ops)), i);
			else
				bed_add_worker(bed, eager, shape && i < 2 ? 1 - i : i);
		bed_seal(bed);
		bed->engine.asleep = asleep;
		for (unsigned i = 0; i < 79; i++)
			bed_wake(bed, i);
		assert_true(xy_can_pull_children(eager, &offer, &bed->application));
		assert_int_equal(bed->woken[0], 79);
		bed_close(bed);
	}
}

struct watcher {
	struct xy_component base;
	unsigned nseen;
	struct xy_task *seen;
	int worker;
};

static void watcher_passed(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct watcher *watcher = (struct watcher *)self;

	watcher->nseen++;
	watcher->seen = task;
	watcher->worker = by->worker;
}

static const struct xy_component_ops watcher_ops = { .name = "watcher",
						     .size = sizeof(struct watcher),
						     .passed = watcher_passed };

/* fifo | watcher | eager { watcher | worker 0, worker 1 } */
static void a_pulled_task_passes_all_that_watch(void **state)
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *top = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &watcher_ops);
	struct xy_component *eager = bed_add(bed, top, &xy__eager_ops), *low = bed_add(bed, eager, &watcher_ops);
	struct watcher *above = (struct watcher *)top, *below = (struct watcher *)low;

	(void)state;
	bed_add_worker(bed, low, 0);
	bed_add_worker(bed, eager, 1);
	bed_seal(bed);
	for (unsigned i = 0; i < 2; i++)
		bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(above->nseen + below->nseen, 0); /* they only rest */
	assert_ptr_equal(bed_pull(bed, 0), bed->tasks[0]);
	assert_int_equal(above->nseen, 1);
	assert_int_equal(below->nseen, 1);
	assert_ptr_equal(above->seen, bed->tasks[0]);
	assert_ptr_equal(below->seen, bed->tasks[0]);
	assert_ptr_equal(bed_pull(bed, 1), bed->tasks[1]);
	assert_int_equal(above->nseen, 2);
	assert_int_equal(above->worker, 1);
	assert_int_equal(below->nseen, 1);
	assert_int_equal(below->worker, 0);
	assert_null(bed_pull(bed, 1));
	assert_int_equal(above->nseen, 2);
	bed_close(bed);
}

static void an_agent_counts_in_its_own_shard(void **state)
{
	struct bed *bed = bed_parse("cpu:2", "fifo | eager | each worker { }");
	struct xy__tree_site site = { .machine = bed->machine, .registry = bed->registry, .nshards = 3 };
	struct xy_tree *tree = bed->tree;
	struct xy_component *root;
	struct xy_counters n;

	(void)state;
	assert_int_equal(xy__tree_parse(&bed->tree, "fifo | eager | each worker { }", &site, NULL, 0), 0);
	xy_tree_destroy(tree);
	root = xy_tree_root(bed->tree);
	for (unsigned i = 0; i < 2; i++)
		bed->workers[i].shard = i + 1;
	for (unsigned i = 0; i < 6; i++)
		assert_true(xy_push(root, bed_task(bed, CPU), i < 3 ? &bed->workers[i % 2] : &bed->application));
	for (unsigned i = 0; i < 5; i++)
		assert_non_null(bed_pull(bed, i % 2));
	assert_int_equal(root->shards[0].pushed, 3);
	assert_int_equal(root->shards[1].pushed, 2);
	assert_int_equal(root->shards[2].pushed, 1);
	xy_component_counters(root, &n);
	assert_int_equal(n.pushed, 6);
	assert_int_equal(n.pulled, 5);
	bed_close(bed);
}

/* A worker that looks for tasks that any worker can run finds this one: nobody else is woken. */
static void an_offer_to_all_ends_at_a_worker_that_looks(void **state)
{
	struct bed *bed = bed_parse("cpu:3 cuda:1", "fifo | eager | each worker { }");
	struct xy_component *eager = xy_tree_root(bed->tree)->children[0];
	const struct xy_offer all = { .archs = CPU | XY_ON_CUDA }, some = { .archs = CPU };

	(void)state;
	bed->engine.archs = CPU | XY_ON_CUDA;
	bed->searchers = 1;
	assert_true(xy_can_pull(eager, &all, &bed->application));
	assert_int_equal(bed->nwoken, 0);
	assert_true(xy_can_pull(eager, &some, &bed->application));
	assert_int_equal(bed->nwoken, 1);
	bed->searchers = 0;
	assert_true(xy_can_pull(eager, &all, &bed->application));
	assert_int_equal(bed->nwoken, 2);
	bed_close(bed);
}

/* Runs with a seed are the same with every version: the upper halves of splitmix64 from 1. */
static void random_numbers_stay_the_same(void **state)
{
	struct xy_agent by = { .random = 1 };

	(void)state;
	assert_int_equal(xy_agent_random(&by), 0x910a2dec);
	assert_int_equal(xy_agent_random(&by), 0xbeeb8da1);
}

static void the_word_of_a_lock_says_who_holds_it_and_in_which_verb(void **state)
{
	static const struct {
		int verb;
		const char *name;
	} verbs[] = {
		{ 0, NULL },
		{ XY__VERB_PUSH, "push" },
		{ XY__VERB_CAN_PUSH, "can_push" },
		{ XY__VERB_PIECE_ENDED, "piece_ended" },
	};
	static const int workers[] = { -1, 0, 1, 99999 };

	(void)state;
	assert_int_equal(xy__lock_worker(0), XY__LOCK_NOBODY);
	for (unsigned v = 0; v < 4; v++)
		for (unsigned w = 0; w < 4; w++) {
			struct xy_agent by = { .worker = workers[w], .verb = verbs[v].verb };
			int word;

			by.mark = 2 * (by.worker + 1);
			word = xy_lock_holder(&by);
			assert_int_equal(xy__lock_worker(word), workers[w]);
			assert_int_equal(xy__lock_worker(word | 1), workers[w]); /* others wait for it */
			if (verbs[v].name)
				assert_string_equal(xy__lock_verb(word), verbs[v].name);
			else
				assert_null(xy__lock_verb(word));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_offer_to_all_ends_at_a_worker_that_looks),
		cmocka_unit_test(random_numbers_stay_the_same),
		cmocka_unit_test(the_word_of_a_lock_says_who_holds_it_and_in_which_verb),
		cmocka_unit_test(offers_reach_only_sleepers_of_a_long_row),
		cmocka_unit_test(an_offer_passes_sleepers_that_can_not_take_it),
		cmocka_unit_test(a_worker_of_a_long_row_keeps_its_first_offer),
		cmocka_unit_test(all_children_are_asked_while_nobody_knows_who_sleeps),
		cmocka_unit_test(all_children_are_asked_where_the_row_has_gaps),
		cmocka_unit_test(a_pulled_task_passes_all_that_watch),
		cmocka_unit_test(an_agent_counts_in_its_own_shard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
