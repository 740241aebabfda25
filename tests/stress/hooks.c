/* SPDX-License-Identifier: MIT */
/* Random programs under trees whose components use hooks, also while they are replaced: each task ends once, each start
 * has its end, nothing stays behind, and in virtual time a seed gives one result. */
#include "../helper.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <xylem/component.h>

enum { TASKS = 400, SEEDS = 24 };

/* --- a component that counts --- */

struct tally {
	struct xy_component base;
	_Atomic int submitted, open, ended, ticks, wrong;
};

static void tally_submitted(struct xy_component *self, const struct xy_task *task, struct xy_agent *by)
{
	(void)task;
	(void)by;
	atomic_fetch_add(&((struct tally *)self)->submitted, 1);
}

static void tally_started(struct xy_component *self, const struct xy_task *task, struct xy_agent *by)
{
	(void)task;
	(void)by;
	atomic_fetch_add(&((struct tally *)self)->open, 1);
}

/* Asks for ticks that it does not need, at times that are past, near and far. */
static void tally_ended(struct xy_component *self, const struct xy_report *report, struct xy_agent *by)
{
	struct tally *tally = (struct tally *)self;

	if (atomic_fetch_sub(&tally->open, 1) <= 0 || report->end_s < report->start_s)
		atomic_fetch_add(&tally->wrong, 1);
	atomic_fetch_add(&tally->ended, 1);
	xy_component_at(self, xy_component_now_us(self) + (double)(xy_agent_random(by) % 3) * 40 - 20);
}

static void tally_tick(struct xy_component *self, struct xy_agent *by)
{
	struct tally *tally = (struct tally *)self;

	atomic_fetch_add(&tally->ticks, 1);
	xy_offer_again(self, by);
}

static const struct xy_component_ops tally_ops = {
	.name = "tally",
	.size = sizeof(struct tally),
	.submitted = tally_submitted,
	.started = tally_started,
	.ended = tally_ended,
	.tick = tally_tick,
};

static const struct xy_component_ops *const own[] = { &tally_ops, NULL };

static const char *const trees[] = {
	"fifo | tally | rate(per_second=50000) | eager | each worker { }",
	"prio | tally | limit(ntasks=2) | eager | each worker { fifo(ntasks=2) }",
	"edf | tally | eager | each worker { }",
	"fifo | tally | limit(ntasks=3) | rate(per_second=100000) | eager | each worker { }",
	"fifo | tally | bandit | each worker { fifo(ntasks=2) }",
	"fifo | tally | buffer(ntasks=3) | bandit | each worker { buffer(ntasks=1) }",
	"edf | tally | limit(ntasks=1) | eager | each worker { best-implementation }",
};

/* --- programs --- */

static _Atomic int ended, failed;

static int body(struct xy_call *call)
{
	return *(const int *)call->arg ? -EIO : 0;
}

static const struct xy_codelet codelet = { .name = "body", .cpu = { body } };

static void note_end(void *arg, int status)
{
	(void)arg;
	atomic_fetch_add(&ended, 1);
	atomic_fetch_add(&failed, status != 0);
}

/* Independent tasks and chains, some of them pinned, failing, tried again, with deadlines. */
static void submit_some(struct helper *h, uint64_t *random, bool simulated)
{
	static const int good = 0, bad = 1;
	struct xy_task *last = NULL;

	for (unsigned i = 0; i < TASKS; i++) {
		unsigned worker = helper_below(random, 3);
		bool chained = last && helper_below(random, 3) == 0;
		struct xy_task *task = HELPER_CREATE(
			h, .codelet = &codelet,
			.arg = (void *)(!simulated && helper_below(random, 40) == 0 ? &bad : &good),
			.retries = helper_below(random, 3), .priority = (int)helper_below(random, 4),
			.deadline_s = helper_below(random, 100), .length_us = 1 + helper_below(random, 30),
			.workers = &worker, .nworkers = helper_below(random, 6) == 0, .after = &last, .nafter = chained,
			.callback = note_end);

		assert_int_equal(xy_task_submit(task), 0);
		xy_task_release(last);
		last = task;
	}
	xy_task_release(last);
}

static struct tally *tally_of(struct helper *h)
{
	return (struct tally *)xy_tree_component(xy_runtime_tree(h->rt), 1);
}

static struct helper *start(unsigned seed, bool simulated)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .sched = trees[seed % HELPER_COUNT(trees)],
								  .components = own,
								  .plugins = PLUGINS,
								  .seed = seed,
								  .ncpu = simulated ? 0 : 3,
								  .sim = simulated ? "cpu:3" : NULL });

	atomic_store(&ended, 0);
	atomic_store(&failed, 0);
	return h;
}

static void check(struct helper *h)
{
	struct tally *tally = tally_of(h);

	assert_int_equal(ended, TASKS);
	assert_int_equal(tally->submitted, TASKS);
	assert_int_equal(tally->open, 0);
	assert_int_equal(tally->wrong, 0);
	assert_true(tally->ended + failed >= TASKS); /* the cancelled ones never started */
}

static void threads_run(unsigned seed)
{
	uint64_t random = seed;
	struct helper *h = start(seed, false);

	printf("# seed %u: %s\n", seed, trees[seed % HELPER_COUNT(trees)]);
	submit_some(h, &random, false);
	if (seed % 2) /* or stopping waits */
		helper_wait(h);
	if (seed % 2)
		check(h);
	helper_stop_lines(h, HELPER_ANY_LINES);
	assert_int_equal(ended, TASKS);
}

static void nothing_is_lost_in_real_time(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= helper_scale(SEEDS); seed++)
		threads_run(seed);
}

/* Replaces the tree, over and over. */
struct switcher {
	struct helper *h;
	unsigned seed;
	_Atomic bool stops;
	int error;
};

static void *switcher_main(void *arg)
{
	struct switcher *s = arg;

	for (unsigned i = s->seed; !atomic_load(&s->stops) && !s->error; i++) {
		s->error = xy_set_policy(s->h->rt, trees[i % HELPER_COUNT(trees)]);
		for (unsigned k = 0; k < 20; k++)
			sched_yield();
	}
	return NULL;
}

/* The last tree has heard of the end of each task that started in it. */
static void trees_with_ticks_are_replaced(void **state)
{
	(void)state;
	for (unsigned seed = 100; seed < 100 + helper_scale(8); seed++) {
		uint64_t random = seed;
		struct helper *h = start(seed, false);
		struct switcher switcher = { .h = h, .seed = seed };
		pthread_t thread;

		printf("# seed %u\n", seed);
		assert_int_equal(pthread_create(&thread, NULL, switcher_main, &switcher), 0);
		submit_some(h, &random, false);
		helper_wait(h);
		atomic_store(&switcher.stops, true);
		pthread_join(thread, NULL);
		assert_int_equal(switcher.error, 0);
		assert_int_equal(ended, TASKS);
		assert_int_equal(tally_of(h)->open, 0);
		assert_int_equal(tally_of(h)->wrong, 0);
		helper_stop_lines(h, HELPER_ANY_LINES);
	}
}

static double simulate(unsigned seed, int *ticks)
{
	uint64_t random = seed;
	struct helper *h = start(seed, true);
	double end_s;

	submit_some(h, &random, true);
	assert_int_equal(helper_wait(h), 0);
	check(h);
	end_s = xy_now(h->rt);
	*ticks = tally_of(h)->ticks;
	assert_int_equal(helper_stop(h), 0);
	return end_s;
}

static void a_seed_gives_one_result_in_virtual_time(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= helper_scale(SEEDS); seed++) {
		int first, second;
		double end_s = simulate(seed, &first);

		printf("# seed %u: %s\n", seed, trees[seed % HELPER_COUNT(trees)]);
		assert_true(simulate(seed, &second) == end_s);
		assert_int_equal(first, second);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost_in_real_time),
		cmocka_unit_test(trees_with_ticks_are_replaced),
		cmocka_unit_test(a_seed_gives_one_result_in_virtual_time),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
