/* SPDX-License-Identifier: MIT */
/* parallel-worker: whom it calls and wakes, in which order members come, which tasks it takes. */
#include "recording.h"

#include "components/parallel_worker.h"

enum { CPU = XY_ON_CPU, BOTH = XY_ON_CPU | XY_ON_TEAM };

static int nothing(struct xy_call *call)
{
	(void)call;
	return 0;
}

/* fifo | random { each worker { }, each team { recorder } } on four workers: the teams 0-1, 2-3, 0-3. */
static struct bed *open_teams(void)
{
	struct bed *bed = bed_open("topology(core:4)");
	struct xy_component *random = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__random_ops);

	for (unsigned i = 0; i < 4; i++)
		bed_add_worker(bed, random, i);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(xy_tree_link(bed_add(bed, random, &recorder_ops), xy_tree_team(bed->tree, i)), 0);
	bed_seal(bed);
	return bed;
}

static struct xy__team *team(struct bed *bed, unsigned i)
{
	return xy__team_of(xy_tree_team(bed->tree, i));
}

static bool push(struct bed *bed, unsigned i, struct xy_task *task)
{
	return xy_push(&team(bed, i)->base, task, &bed->application);
}

/* The worker comes to a team that calls it; its place, with team NULL if none does. */
static struct xy__team_place join(struct bed *bed, unsigned worker)
{
	struct xy__team_place place = { 0 };
	struct xy__team *teams[2] = { team(bed, worker / 2), team(bed, 2) };

	if (!xy__team_join(teams, 2, &place, &bed->workers[worker]))
		place.team = NULL;
	return place;
}

static void has_room_for_one_task_and_calls_its_members(void **state)
{
	struct bed *bed = open_teams();
	struct xy_component *leaf = &team(bed, 1)->base;
	struct xy_task *a = bed_task(bed, BOTH);
	size_t peak;

	(void)state;
	assert_int_equal(leaf->ops->depth(leaf, &peak), 0);
	assert_true(push(bed, 1, a));
	assert_false(push(bed, 1, bed_task(bed, BOTH)));
	assert_int_equal(leaf->ops->depth(leaf, &peak), 1);
	assert_int_equal(peak, 1);
	assert_int_equal(bed->nwoken, 2);
	assert_int_equal(bed->woken[0], 2);
	assert_int_equal(bed->woken[1], 3);
	for (unsigned w = 0; w < 4; w++)
		assert_int_equal(xy__team_calls(bed->tree->teams, w), w >= 2);
	bed_close(bed);
}

static void a_task_begins_when_the_last_member_has_come(void **state)
{
	struct bed *bed = open_teams();
	struct xy_task *task = bed_task(bed, BOTH);
	struct xy__team_place place;
	const unsigned order[4] = { 3, 0, 2, 1 };
	size_t peak;

	(void)state;
	assert_null(join(bed, 0).team);
	assert_true(push(bed, 2, task));
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(team(bed, 2)->base.ops->depth(&team(bed, 2)->base, &peak), 1);
		place = join(bed, order[i]);
		assert_ptr_equal(place.team, team(bed, 2));
		assert_ptr_equal(place.task, task);
		assert_int_equal(place.rank, order[i]);
		assert_int_equal(place.round, 0);
		assert_int_equal(place.last, i == 3);
		assert_false(xy__team_calls(bed->tree->teams, order[i]));
	}
	assert_int_equal(team(bed, 2)->base.ops->depth(&team(bed, 2)->base, &peak), 0);
	assert_true(push(bed, 2, bed_task(bed, BOTH)));
	assert_int_equal(join(bed, 1).round, 1);
	bed_close(bed);
}

/* Whoever was called first is served first, by all members alike, so that no two teams wait for each other. */
static void members_come_in_the_order_of_the_calls(void **state)
{
	struct bed *bed = open_teams();

	(void)state;
	assert_true(push(bed, 2, bed_task(bed, BOTH)));
	assert_true(push(bed, 0, bed_task(bed, BOTH)));
	assert_true(push(bed, 1, bed_task(bed, BOTH)));
	for (unsigned w = 0; w < 4; w++)
		assert_ptr_equal(join(bed, w).team, team(bed, 2));
	assert_ptr_equal(join(bed, 2).team, team(bed, 1));
	/* the next one comes after those that were there before it */
	assert_true(push(bed, 2, bed_task(bed, BOTH)));
	assert_ptr_equal(join(bed, 0).team, team(bed, 0));
	assert_ptr_equal(join(bed, 3).team, team(bed, 1));
	assert_ptr_equal(join(bed, 3).team, team(bed, 2));
	assert_ptr_equal(join(bed, 1).team, team(bed, 0));
	assert_ptr_equal(join(bed, 1).team, team(bed, 2));
	assert_ptr_equal(join(bed, 1).team, NULL);
	bed_close(bed);
}

static void asks_for_more_when_one_had_been_refused(void **state)
{
	struct bed *bed = bed_open("topology(core:2)");
	struct xy_component *fifo = bed_add(bed, NULL, &xy__fifo_ops);
	struct xy_component *eager = bed_add(bed, fifo, &xy__eager_ops);
	struct xy__team *both = xy__team_of(xy_tree_team(bed->tree, 0));
	struct xy__team_place place;
	size_t peak;

	(void)state;
	bed_add_worker(bed, eager, 0);
	bed_add_worker(bed, eager, 1);
	assert_int_equal(xy_tree_link(eager, &both->base), 0);
	bed_seal(bed);
	for (unsigned i = 0; i < 3; i++)
		bed_submit(bed, bed_task(bed, BOTH));
	assert_int_equal(fifo->ops->depth(fifo, &peak), 2);
	for (unsigned i = 0; i < 6; i++) {
		assert_true(xy__team_join(&both, 1, &place, &bed->workers[i % 2]));
		assert_int_equal(place.last, i % 2);
		assert_ptr_equal(place.task, bed->tasks[i / 2]);
	}
	assert_false(xy__team_join(&both, 1, &place, &bed->workers[0]));
	assert_int_equal(fifo->ops->depth(fifo, &peak), 0);
	bed_close(bed);
}

static void members_fetch_parallel_tasks_from_above(void **state)
{
	struct bed *bed = bed_open("topology(core:2)");
	struct xy_component *basin = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &basin_ops);
	struct xy_component *eager = bed_add(bed, basin, &xy__eager_ops);
	struct xy__team *both = xy__team_of(xy_tree_team(bed->tree, 0));
	struct xy_task *parallel = bed_task(bed, BOTH);
	struct xy__team_place place;

	(void)state;
	bed_add_worker(bed, eager, 0);
	bed_add_worker(bed, eager, 1);
	assert_int_equal(xy_tree_link(eager, &both->base), 0);
	bed_seal(bed);
	recorder(basin)->room = 10;
	assert_false(xy__team_fetch(both, &bed->workers[1]));
	recorder(basin)->held[recorder(basin)->nheld++] = parallel;
	bed_forget(bed);
	assert_true(xy__team_fetch(both, &bed->workers[1]));
	assert_int_equal(bed->nwoken, 2);
	assert_int_equal(bed->workers[1].archs, CPU);
	assert_null(bed->workers[1].team);
	assert_true(xy__team_join(&both, 1, &place, &bed->workers[1]));
	assert_ptr_equal(place.task, parallel);
	bed_close(bed);
}

static void queues_give_a_team_what_it_can_run(void **state)
{
	static const struct xy_codelet pair = { .cpu = { nothing }, .parallel = XY_SPMD, .most_ranks = 2 };
	struct bed *bed = open_teams();
	struct xy_task *alone = bed_task(bed, CPU), *parallel = bed_task(bed, BOTH), *small = bed_task(bed, BOTH);
	struct xy_agent four = { .worker = 1, .archs = XY_ON_TEAM, .team = &team(bed, 2)->base };
	struct xy_agent two = { .worker = 1, .archs = XY_ON_TEAM, .team = &team(bed, 0)->base };
	struct xy_queue queue = { 0 };

	(void)state;
	small->codelet = (uintptr_t)&pair;
	small->constrained = true;
	xy_queue_insert(&queue, alone);
	xy_queue_insert(&queue, small);
	xy_queue_insert(&queue, parallel);
	assert_ptr_equal(xy_queue_take(&queue, &four), parallel);
	assert_null(xy_queue_take(&queue, &four));
	assert_ptr_equal(xy_queue_take(&queue, &two), small);
	assert_null(xy_queue_take(&queue, &two));
	assert_ptr_equal(xy_queue_take(&queue, &bed->workers[1]), alone);
	bed_close(bed);
}

/* One of them looks, finds it and calls the others. */
static void an_offer_wakes_one_member(void **state)
{
	struct bed *bed = open_teams();
	struct xy_offer offer = { .archs = BOTH };

	(void)state;
	bed_wake(bed, 2);
	assert_true(xy_can_pull(&team(bed, 1)->base, &offer, &bed->application));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 3);
	offer.archs = CPU;
	assert_false(xy_can_pull(&team(bed, 1)->base, &offer, &bed->application));
	bed_wake(bed, 3);
	offer.archs = BOTH;
	assert_false(xy_can_pull(&team(bed, 1)->base, &offer, &bed->application));
	/* one of the members itself is about to look */
	assert_true(xy_can_pull(&team(bed, 1)->base, &offer, &bed->workers[3]));
	assert_false(xy_can_pull(&team(bed, 1)->base, &offer, &bed->workers[3]));
	assert_int_equal(bed->nwoken, 1);
	bed_close(bed);
}

static void random_draws_teams_for_parallel_tasks_only(void **state)
{
	struct bed *bed = open_teams();
	struct xy_component *random = xy_tree_root(bed->tree)->children[0];
	unsigned teams = 0;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		struct xy_task *task = bed_task(bed, i % 2 ? BOTH : CPU);

		if (!xy_push(random, task, &bed->application))
			break;
		for (unsigned k = 4; k < 7; k++)
			assert_true(i % 2 || !recorder(random->children[k])->npushed ||
				    recorder(random->children[k])->pushed[recorder(random->children[k])->npushed - 1] !=
					    task);
		for (unsigned w = 0; w < 4; w++)
			bed_pull(bed, w);
		for (unsigned w = 0; w < 12; w++)
			join(bed, w % 4);
	}
	for (unsigned k = 4; k < 7; k++)
		teams += recorder(random->children[k])->npushed;
	assert_in_range(teams, 20, 99);
	bed_close(bed);
}

/* A codelet may bound the size, and a pinned task needs all members. */
static void tells_which_tasks_a_team_can_run(void **state)
{
	static const struct xy_codelet pair = { .cpu = { nothing }, .parallel = XY_SPMD, .most_ranks = 2 };
	struct bed *bed = open_teams();
	struct xy_task *task = bed_task(bed, BOTH), *pinned = bed_task_pinned(bed, BOTH, 3);
	struct xy_component *root = xy_tree_root(bed->tree);
	unsigned workers[3] = { 3, 2, 0 };

	(void)state;
	assert_false(xy_task_can_run_below(bed_task(bed, CPU), &team(bed, 0)->base));
	assert_true(xy_task_can_run_below(task, &team(bed, 2)->base));
	task->codelet = (uintptr_t)&pair;
	task->constrained = true;
	assert_true(xy_task_can_run_below(task, &team(bed, 0)->base));
	assert_false(xy_task_can_run_below(task, &team(bed, 2)->base));
	assert_false(xy_task_can_run_below(pinned, &team(bed, 1)->base));
	assert_true(xy_task_can_run_below(pinned, root));
	free(pinned->extra->workers);
	pinned->extra->workers = memcpy(malloc(sizeof workers), workers, sizeof workers);
	pinned->extra->nworkers = 3;
	assert_true(xy_task_can_run_below(pinned, &team(bed, 1)->base));
	assert_false(xy_task_can_run_below(pinned, &team(bed, 0)->base));
	assert_int_equal(xy__task_team_implementation(pinned, &team(bed, 1)->base), 0);
	assert_int_equal(xy__task_team_implementation(pinned, &team(bed, 0)->base), XY_NIMPLEMENTATIONS);
	bed_close(bed);
}

static void count_missing(void *arg, const struct xy_task *task, const bool *arrived)
{
	int *missing = arg;

	(void)task;
	for (unsigned i = 0; i < 4; i++)
		*missing += !arrived[i];
}

static void tells_who_is_missing(void **state)
{
	struct bed *bed = open_teams();
	int missing = 0;

	(void)state;
	xy__team_missing(team(bed, 2), count_missing, &missing);
	assert_int_equal(missing, 0);
	assert_true(push(bed, 2, bed_task(bed, BOTH)));
	join(bed, 1);
	xy__team_missing(team(bed, 2), count_missing, &missing);
	assert_int_equal(missing, 3);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_room_for_one_task_and_calls_its_members),
		cmocka_unit_test(a_task_begins_when_the_last_member_has_come),
		cmocka_unit_test(members_come_in_the_order_of_the_calls),
		cmocka_unit_test(asks_for_more_when_one_had_been_refused),
		cmocka_unit_test(members_fetch_parallel_tasks_from_above),
		cmocka_unit_test(queues_give_a_team_what_it_can_run),
		cmocka_unit_test(an_offer_wakes_one_member),
		cmocka_unit_test(random_draws_teams_for_parallel_tasks_only),
		cmocka_unit_test(tells_which_tasks_a_team_can_run),
		cmocka_unit_test(tells_who_is_missing),
	};

	return cmocka_run_group_tests_name("parallel-worker", tests, NULL, NULL);
}
