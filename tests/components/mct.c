/* SPDX-License-Identifier: MIT */
/* mct: where a task goes by what is expected of it, what counts, refusals, and what is marked on it. */
#include "recording.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA, MANY = 20 };

/* What moving the data of any task costs, by worker; and what running it does. */
static double transfers_us[MANY], joules[MANY];

struct xy_prediction __wrap_xy_task_transfer(const struct xy_task *task, unsigned worker);
struct xy_prediction __wrap_xy_task_transfer(const struct xy_task *task, unsigned worker)
{
	(void)task;
	return (struct xy_prediction){ .kind = XY_PREDICTION_VALUE, .us = transfers_us[worker] };
}

struct xy_prediction __wrap_xy_task_energy(const struct xy_task *task, unsigned worker, unsigned implementation);
struct xy_prediction __wrap_xy_task_energy(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	(void)task;
	(void)implementation;
	return (struct xy_prediction){ .kind = XY_PREDICTION_VALUE, .joules = joules[worker] };
}

/* fifo | mct(option=value) { basin | worker i, ... } with room for `room` tasks each */
static struct bed *open_with(const char *machine, struct xy_component **basins, unsigned room, const char *option,
			     const char *value)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *mct = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__mct_ops);

	if (option)
		assert_int_equal(xy_component_set(mct, option, value), 0);
	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++) {
		basins[i] = bed_add(bed, mct, &basin_ops);
		bed_add_worker(bed, basins[i], i);
	}
	bed_seal(bed);
	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++)
		recorder(basins[i])->room = room;
	memset(transfers_us, 0, sizeof transfers_us);
	memset(joules, 0, sizeof joules);
	return bed;
}

static struct bed *open_mct(const char *machine, struct xy_component **basins, unsigned room)
{
	return open_with(machine, basins, room, NULL, NULL);
}

/* mct as the root, with one of the library's reservoirs in each branch. */
static struct bed *open_queues(const char *machine, struct xy_component **queues)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *mct = bed_add(bed, NULL, &xy__mct_ops);

	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++) {
		queues[i] = bed_add(bed, mct, &xy__prio_ops);
		bed_add_worker(bed, queues[i], i);
	}
	bed_seal(bed);
	memset(transfers_us, 0, sizeof transfers_us);
	return bed;
}

static size_t depth(struct xy_component *c)
{
	return c->ops->depth(c, &(size_t){ 0 });
}

static void sends_a_task_to_where_it_ends_soonest(void **state)
{
	static const double lengths[] = { 50, 50, 10 };
	struct xy_component *basins[3];
	struct bed *bed = open_mct("cpu:2 cuda:1", basins, 9);
	struct xy_task *task = bed_task_lasting(bed, CPU | CUDA, lengths);

	(void)state;
	bed->now_us = 1000;
	bed->free_us[2] = 1030;
	bed_submit(bed, task);
	assert_int_equal(recorder(basins[2])->npushed, 1);
	assert_true(task->expected_us == 10);
	bed->free_us[2] = 1045;
	bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, lengths));
	assert_int_equal(recorder(basins[0])->npushed, 1);
	bed->free_us[0] = 1001;
	bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, lengths));
	assert_int_equal(recorder(basins[1])->npushed, 1);
	bed_close(bed);
}

static void the_first_of_equals_gets_the_task(void **state)
{
	static const double lengths[] = { 7, 7, 7, 7 };
	struct xy_component *basins[4];
	struct bed *bed = open_mct("cpu:4", basins, 9);

	(void)state;
	bed_submit(bed, bed_task_lasting(bed, CPU, lengths));
	assert_int_equal(recorder(basins[0])->npushed, 1);
	bed_close(bed);
}

static void counts_what_rests_below(void **state)
{
	static const double lengths[] = { 10, 10, 3 };
	struct xy_component *queues[3];
	struct bed *bed = open_queues("cpu:2 cuda:1", queues);

	(void)state;
	/* 3, 6 and 9 on the device; then 10 on a core is sooner than 12 */
	for (unsigned i = 0; i < 5; i++)
		bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, lengths));
	assert_int_equal(depth(queues[2]), 3);
	assert_int_equal(depth(queues[0]), 1);
	assert_int_equal(depth(queues[1]), 1);
	assert_true(queues[2]->ops->stored_us(queues[2]) == 9);
	assert_non_null(bed_pull(bed, 2));
	assert_true(queues[2]->ops->stored_us(queues[2]) == 6);
	bed_close(bed);
}

static void counts_the_task_in_the_hands_of_a_worker(void **state)
{
	static const double lengths[] = { 10, 4 };
	struct bed *bed = bed_open("cpu:1 cuda:1");
	struct xy_component *mct = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__mct_ops);
	struct xy_component *leaves[2];
	struct xy_task *second;

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		leaves[i] = bed_add_worker(bed, mct, i);
	bed_seal(bed);
	memset(transfers_us, 0, sizeof transfers_us);
	bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, lengths));
	assert_true(leaves[1]->ops->stored_us(leaves[1]) == 4);
	second = bed_task_lasting(bed, CPU | CUDA, lengths);
	bed_submit(bed, second); /* there is no room, but it would end sooner there than elsewhere */
	assert_null(bed_pull(bed, 0));
	assert_ptr_equal(bed_pull(bed, 1), bed->tasks[0]);
	assert_ptr_equal(bed_pull(bed, 1), second);
	bed_close(bed);
}

static void a_queue_of_several_workers_counts_by_its_share(void **state)
{
	static const double lengths[] = { 10, 10, 10, 10, 29 };
	struct bed *bed = bed_open("cpu:4 cuda:1");
	struct xy_component *mct = bed_add(bed, NULL, &xy__mct_ops);
	struct xy_component *cores = bed_add(bed, mct, &xy__prio_ops), *device = bed_add(bed, mct, &xy__prio_ops);
	struct xy_component *eager = bed_add(bed, cores, &xy__eager_ops);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		bed_add_worker(bed, eager, i);
	bed_add_worker(bed, device, 4);
	bed_seal(bed);
	memset(transfers_us, 0, sizeof transfers_us);
	/* 10 + a quarter of what is there: above 29 from the ninth on */
	for (unsigned i = 0; i < 9; i++)
		bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, lengths));
	assert_int_equal(depth(cores), 8);
	assert_int_equal(depth(device), 1);
	bed_close(bed);
}

static void transfers_overlap_with_what_runs_before(void **state)
{
	static const double lengths[] = { 20, 10 };
	struct xy_component *basins[2];
	struct bed *bed = open_with("cpu:1 cuda:1", basins, 9, "beta", "0");
	struct xy_task *task = bed_task_lasting(bed, CPU | CUDA, lengths);

	(void)state;
	task->naccesses = 1;
	transfers_us[1] = 8;
	bed_submit(bed, task);
	assert_int_equal(recorder(basins[1])->npushed, 1);
	assert_true(task->expected_us == 18);
	bed->free_us[1] = 8;
	task = bed_task_lasting(bed, CPU | CUDA, lengths);
	task->naccesses = 1;
	bed_submit(bed, task);
	assert_int_equal(recorder(basins[1])->npushed, 2);
	assert_true(task->expected_us == 10);
	bed_close(bed);
}

static void beta_makes_transfers_dear(void **state)
{
	static const double lengths[] = { 20, 10 };
	struct xy_component *basins[2];
	struct bed *bed = open_with("cpu:1 cuda:1", basins, 9, "beta", "3");
	struct xy_task *task = bed_task_lasting(bed, CPU | CUDA, lengths);

	(void)state;
	task->naccesses = 1;
	transfers_us[1] = 4;
	bed_submit(bed, task);
	assert_int_equal(recorder(basins[0])->npushed, 1);
	bed_close(bed);
}

static void like_workers_differ_by_where_the_data_is(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_mct("cuda:3", basins, 9);
	struct xy_task *task = bed_task(bed, CUDA);

	(void)state;
	task->length_us = 10;
	task->naccesses = 1;
	transfers_us[0] = transfers_us[1] = 8;
	bed_submit(bed, task);
	assert_int_equal(recorder(basins[2])->npushed, 1);
	bed_close(bed);
}

/* A device is faster, but uses a joule more. */
static void submit_with_energy(const char *gamma, unsigned expected)
{
	static const double lengths[] = { 2000, 1500 };
	static const struct xy_model model = { .kind = XY_MODEL_WORKER };
	struct xy_component *basins[2];
	struct bed *bed = open_with("cpu:1 cuda:1", basins, 9, "gamma", gamma);
	struct xy_task *task = bed_task_lasting(bed, CPU | CUDA, lengths);
	struct xy_codelet codelet = *(const struct xy_codelet *)task->codelet;

	codelet.energy_model = &model;
	task->codelet = (uintptr_t)&codelet;
	joules[0] = 1;
	joules[1] = 2;
	bed_submit(bed, task);
	assert_int_equal(recorder(basins[expected])->npushed, 1);
	bed_close(bed);
}

static void gamma_is_what_a_joule_is_worth(void **state)
{
	(void)state;
	submit_with_energy("0", 1);
	submit_with_energy("499", 1);
	submit_with_energy("501", 0);
}

/*
 * The core ends at 2100, the device at 2000 after 150 of transfers: 2100 against 2150 if time and transfers count
 * alone. Another core keeps the machine busy until last_us; what is expected ends after that.
 */
static void submit_with_idle_power(const char *idle_w, double last_us, unsigned expected)
{
	static const double lengths[] = { 2100, 2100, 1850 };
	struct xy_component *basins[3];
	struct bed *bed = open_with("cpu:2 cuda:1", basins, 9, "idle_w", idle_w);
	struct xy_task *task = bed_task_lasting(bed, CPU | CUDA, lengths);

	bed->free_us[1] = last_us;
	transfers_us[2] = 150;
	task->naccesses = 1;
	bed_submit(bed, task);
	assert_int_equal(recorder(basins[expected])->npushed, 1);
	bed_close(bed);
}

static void the_power_of_an_idle_machine_counts_after_the_last_worker(void **state)
{
	(void)state;
	submit_with_idle_power("0", 2000, 0);
	/* the machine would wait for the core for 100 us, which is worth 50 at 500 W */
	submit_with_idle_power("499", 2000, 0);
	submit_with_idle_power("501", 2000, 2);
	/* it waits for another core anyway */
	submit_with_idle_power("501", 2100, 0);
	/* 60 us are worth 48 at 800 W, and 52 at 867 W */
	submit_with_idle_power("800", 2040, 0);
	submit_with_idle_power("867", 2040, 2);
}

static void chooses_the_fastest_implementation_and_says_so(void **state)
{
	static const double lengths[] = { 30, 20, 25, 40 };
	struct xy_component *basins[2];
	struct bed *bed = open_mct("cpu:1 cuda:1", basins, 9);
	struct xy_task *task = bed_task_of_two(bed, CPU | CUDA, lengths);

	(void)state;
	bed_submit(bed, task);
	assert_int_equal(recorder(basins[0])->npushed, 1);
	assert_int_equal(task->implementation, 1);
	assert_true(task->expected_us == 20);
	bed->free_us[0] = 100;
	task = bed_task_of_two(bed, CPU | CUDA, lengths);
	bed_submit(bed, task);
	assert_int_equal(recorder(basins[1])->npushed, 1);
	assert_int_equal(task->implementation, 0);
	bed_close(bed);
}

static void what_the_best_has_no_room_for_waits_for_it(void **state)
{
	static const double lengths[] = { 30, 10, 20 };
	struct xy_component *basins[3];
	struct bed *bed = open_mct("cpu:3", basins, 1);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		bed_submit(bed, bed_task_lasting(bed, CPU, lengths));
	assert_ptr_equal(recorder(basins[1])->pushed[0], bed->tasks[0]);
	assert_int_equal(recorder(basins[0])->npushed + recorder(basins[2])->npushed, 0);
	assert_int_equal(depth(xy_tree_root(bed->tree)), 2);
	/* one that refused is not asked again before it says that it has room */
	assert_int_equal(recorder(basins[1])->nrefused, 1);
	basin_empty(basins[1]);
	assert_true(xy_can_push_parents(basins[1], &bed->workers[1]));
	assert_ptr_equal(recorder(basins[1])->pushed[1], bed->tasks[1]);
	assert_true(bed->tasks[1]->expected_us == 10);
	assert_int_equal(recorder(basins[1])->nrefused, 2);
	bed_close(bed);
}

static void what_all_refuse_stays_above_until_there_is_room(void **state)
{
	static const double lengths[] = { 30, 10, 20 };
	struct xy_component *basins[3];
	struct bed *bed = open_mct("cpu:3", basins, 0);
	struct xy_component *fifo = xy_tree_root(bed->tree);

	(void)state;
	bed_submit(bed, bed_task_lasting(bed, CPU, lengths));
	bed_submit(bed, bed_task_lasting(bed, CPU, lengths));
	assert_int_equal(depth(fifo), 2);
	assert_int_equal(recorder(basins[1])->nrefused, 1);
	recorder(basins[1])->room = 2;
	assert_null(xy_pull(basins[1]->parents[0], &bed->workers[1])); /* does not say that there is room */
	assert_int_equal(depth(fifo), 2);
	assert_true(xy_can_push_parents(basins[1], &bed->workers[1]));
	assert_ptr_equal(recorder(basins[1])->pushed[0], bed->tasks[0]);
	assert_int_equal(depth(fifo), 0);
	bed_close(bed);
}

/* fifo | mct { prio(ntasks=2) | worker }: the push that fills it tells that the next one need not be tried. */
static void a_reservoir_that_is_full_is_not_asked_to_refuse(void **state)
{
	static const double lengths[] = { 10 };
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *mct = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__mct_ops);
	struct xy_component *prio = bed_add(bed, mct, &xy__prio_ops);
	struct xy_counters counters;
	struct xy_task *tasks[6];

	(void)state;
	assert_int_equal(xy_component_set(prio, "ntasks", "2"), 0);
	bed_add_worker(bed, prio, 0);
	bed_seal(bed);
	memset(transfers_us, 0, sizeof transfers_us);
	for (unsigned i = 0; i < 6; i++) {
		tasks[i] = bed_task_lasting(bed, CPU, lengths);
		bed_submit(bed, tasks[i]);
	}
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(depth(prio), i < 4 ? 2 : 6 - i);
		assert_ptr_equal(bed_pull(bed, 0), tasks[i]);
	}
	assert_null(bed_pull(bed, 0));
	xy_component_counters(prio, &counters);
	assert_int_equal(counters.pushed, 6);
	assert_int_equal(counters.refused, 0);
	bed_close(bed);
}

static void anybody_may_say_that_a_branch_has_room(void **state)
{
	static const double lengths[3][3] = { { 10, 90, 90 }, { 90, 10, 90 }, { 90, 90, 10 } };
	struct xy_component *basins[3];
	struct bed *bed = open_mct("cpu:3", basins, 0);

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct xy_component *basin = basins[i % 3];

		bed_submit(bed, bed_task_lasting(bed, CPU, lengths[i % 3]));
		assert_int_equal(recorder(basin)->nrefused, i / 3 + 1);
		basin_empty(basin);
		recorder(basin)->room = 1;
		assert_true(xy_can_push_parents(basin, i < 3 ? &bed->application : &bed->workers[(i + 1) % 3]));
		assert_int_equal(recorder(basin)->npushed, i / 3 + 1);
		recorder(basin)->room = 0;
	}
	bed_close(bed);
}

static void pinned_tasks_go_to_their_workers_alone(void **state)
{
	static const double lengths[] = { 10, 20, 5 };
	struct xy_component *basins[3];
	struct bed *bed = open_mct("cpu:2 cuda:1", basins, 1);
	struct xy_component *fifo = xy_tree_root(bed->tree);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct xy_task *task = bed_task_pinned(bed, CPU | CUDA, 1), *like = bed_task_lasting(bed, CPU, lengths);

		task->codelet = like->codelet;
		task->arg = like->arg;
		bed_submit(bed, task);
	}
	assert_int_equal(recorder(basins[1])->npushed, 1);
	assert_int_equal(depth(fifo), 1);
	bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, lengths));
	assert_int_equal(recorder(basins[2])->npushed, 1);
	bed_close(bed);
}

static void tasks_of_which_nothing_is_known_spread_by_their_number(void **state)
{
	struct xy_component *queues[4];
	struct bed *bed = open_queues("cpu:4", queues);

	(void)state;
	for (unsigned i = 0; i < 12; i++)
		bed_submit(bed, bed_task(bed, CPU));
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(depth(queues[i]), 3);
	bed_close(bed);
}

static void a_place_where_it_is_not_known_is_as_fast_as_the_best_one(void **state)
{
	static const double lengths[] = { 30, 0, 10 };
	struct xy_component *queues[3];
	struct bed *bed = open_queues("cpu:2 cuda:1", queues);

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, lengths));
	assert_int_equal(depth(queues[1]), 1);
	assert_int_equal(depth(queues[2]), 1);
	bed_close(bed);
}

/* What the transfer adds to a length that is guessed must not become part of the guess. */
static void a_guessed_length_teaches_nothing(void **state)
{
	struct xy_component *basins[1];
	struct bed *bed = open_mct("cpu:1", basins, 9);
	struct xy_task *tasks[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		tasks[i] = bed_task(bed, CPU);
		tasks[i]->naccesses = 1;
		transfers_us[0] = i == 1 ? 1000 : 0;
		bed_submit(bed, tasks[i]);
	}
	assert_true(tasks[1]->expected_us >= 1000);
	assert_true(tasks[2]->expected_us == tasks[0]->expected_us);
	bed_close(bed);
}

static void workers_of_one_kind_are_asked_about_once(void **state)
{
	struct xy_component *queues[3];
	struct bed *bed = open_queues("cpu:2 cuda:1*10", queues);

	(void)state;
	/* by its description a task takes a tenth on a device that is ten times as fast */
	for (unsigned i = 0; i < 12; i++) {
		struct xy_task *task = bed_task(bed, CPU | CUDA);

		task->length_us = 100;
		bed_submit(bed, task);
	}
	assert_int_equal(depth(queues[2]), 10);
	assert_int_equal(depth(queues[0]), 1);
	assert_int_equal(depth(queues[1]), 1);
	assert_true(queues[2]->ops->stored_us(queues[2]) == 100);
	bed_close(bed);
}

static struct xy_task *task_of_100_us(struct bed *bed)
{
	struct xy_task *task = bed_task(bed, CPU);

	task->length_us = 100;
	return task;
}

/* There are so many workers that their times are kept in order. */
static void a_worker_that_has_caught_up_is_the_first_again(void **state)
{
	struct xy_component *queues[MANY];
	struct bed *bed = open_queues("cpu:20", queues);

	(void)state;
	for (unsigned i = 0; i < MANY + 2; i++) /* the last one passes the first worker, which has two by then */
		bed_submit(bed, task_of_100_us(bed));
	assert_int_equal(depth(queues[0]), 2);
	assert_int_equal(depth(queues[MANY - 1]), 1);
	for (unsigned i = 0; i < 2; i++)
		assert_non_null(bed_pull(bed, 0));
	assert_null(bed_pull(bed, 0));
	bed_submit(bed, task_of_100_us(bed));
	assert_int_equal(depth(queues[0]), 1);
	bed_close(bed);
}

static void what_is_cheaper_wins_in_any_order_of_the_branches(void **state)
{
	static const unsigned order[] = { 0, 2, 1 };
	struct bed *bed = bed_open("cpu:2 cuda:1*10");
	struct xy_component *mct = bed_add(bed, NULL, &xy__mct_ops), *queues[3];
	struct xy_task *task = bed_task(bed, CPU | CUDA);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		queues[i] = bed_add(bed, mct, &xy__prio_ops);
		bed_add_worker(bed, queues[i], order[i]);
	}
	bed_seal(bed);
	memset(transfers_us, 0, sizeof transfers_us);
	/* the second core ends at 100, the device, which is compared after both cores, at 210 */
	bed->free_us[0] = 500;
	bed->free_us[2] = 200;
	task->length_us = 100;
	bed_submit(bed, task);
	assert_int_equal(depth(queues[2]), 1);
	bed_close(bed);
}

/* Tasks that were sent into a branch; a team takes one out of its queue at once. */
static unsigned long long received(struct xy_component *c)
{
	struct xy_counters n;

	xy_component_counters(c, &n);
	return n.pushed;
}

/* mct { prio | each worker, prio | teams... } on four cores, whose teams are 0-1, 2-3 and 0-3 */
static struct bed *open_teams(struct xy_component **queues, const unsigned *teams, unsigned nteams)
{
	struct bed *bed = bed_open("topology(core:4)");
	struct xy_component *mct = bed_add(bed, NULL, &xy__mct_ops);

	for (unsigned i = 0; i < 4 + nteams; i++) {
		queues[i] = bed_add(bed, mct, &xy__prio_ops);
		if (i < 4)
			bed_add_worker(bed, queues[i], i);
		else
			assert_int_equal(xy_tree_link(queues[i], xy_tree_team(bed->tree, teams[i - 4])), 0);
	}
	bed_seal(bed);
	memset(transfers_us, 0, sizeof transfers_us);
	return bed;
}

static void a_team_begins_when_all_its_members_are_free(void **state)
{
	static const double lengths[] = { 40, 40, 40, 40 };
	struct xy_component *queues[6];
	struct bed *bed = open_teams(queues, (const unsigned[]){ 0, 1 }, 2);

	(void)state;
	bed->free_us[0] = 15;
	bed_submit(bed,
		   bed_task_lasting(bed, CPU | XY_ON_TEAM, lengths)); /* 35 with the first team, 20 with the other */
	assert_int_equal(received(queues[5]), 1);
	bed->free_us[3] = 25;
	bed_submit(bed, bed_task_lasting(bed, CPU | XY_ON_TEAM, lengths)); /* 35 and 65 */
	assert_int_equal(received(queues[4]), 1);
	bed_submit(bed, bed_task_lasting(bed, CPU, lengths));
	assert_int_equal(received(queues[1]), 1);
	bed_close(bed);
}

static void what_rests_above_a_team_is_for_all_of_it(void **state)
{
	static const double lengths[] = { 40, 40, 40, 40 };
	struct xy_component *queues[5];
	struct bed *bed = open_teams(queues, (const unsigned[]){ 2 }, 1);

	(void)state;
	/* 10, 20 and 30 with the team of four; a single core is no later than 40 */
	for (unsigned i = 0; i < 4; i++)
		bed_submit(bed, bed_task_lasting(bed, CPU | XY_ON_TEAM, lengths));
	assert_int_equal(received(queues[4]), 3);
	assert_int_equal(received(queues[0]), 1);
	bed_close(bed);
}

static void teams_share_the_queue_above_them(void **state)
{
	static const double lengths[] = { 40, 40, 40, 40 };
	struct bed *bed = bed_open("topology(core:4)");
	struct xy_component *mct = bed_add(bed, NULL, &xy__mct_ops), *cores[4], *teams, *eager;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		cores[i] = bed_add(bed, mct, &xy__prio_ops);
		bed_add_worker(bed, cores[i], i);
	}
	teams = bed_add(bed, mct, &xy__prio_ops);
	eager = bed_add(bed, teams, &xy__eager_ops);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(xy_tree_link(eager, xy_tree_team(bed->tree, i)), 0);
	bed_seal(bed);
	memset(transfers_us, 0, sizeof transfers_us);
	/* 20 with each team of two, after half of what is in their queue: 20, 30, 40 */
	for (unsigned i = 0; i < 3; i++)
		bed_submit(bed, bed_task_lasting(bed, CPU | XY_ON_TEAM, lengths));
	assert_int_equal(received(teams), 2);
	assert_int_equal(received(cores[0]), 1);
	bed_close(bed);
}

/* mct { prio | the team of cores 0 and 1, prio | core 0, prio | core 1 }: core 1 is free, but the team is not. */
static void a_member_does_not_run_the_tasks_of_its_team_alone(void **state)
{
	static const double lengths[] = { 40, 40, 40, 40 };
	struct bed *bed = bed_open("topology(core:2)");
	struct xy_component *mct = bed_add(bed, NULL, &xy__mct_ops), *queues[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		queues[i] = bed_add(bed, mct, &xy__prio_ops);
		if (i)
			bed_add_worker(bed, queues[i], i - 1);
		else
			assert_int_equal(xy_tree_link(queues[i], xy_tree_team(bed->tree, 0)), 0);
	}
	bed_seal(bed);
	memset(transfers_us, 0, sizeof transfers_us);
	bed->free_us[0] = 100;
	bed_submit(bed, bed_task_lasting(bed, CPU | XY_ON_TEAM, lengths));
	assert_int_equal(received(queues[0]), 0);
	assert_int_equal(received(queues[2]), 1);
	bed_close(bed);
}

static int run(struct xy_call *call)
{
	(void)call;
	return 0;
}

static bool not_the_first(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	(void)task;
	(void)implementation;
	return worker != 0;
}

static void a_task_that_chooses_its_workers_goes_on_when_the_best_refuses(void **state)
{
	static const struct xy_codelet picky = { .cpu = { run }, .can_execute = not_the_first };
	struct xy_component *basins[4];
	struct bed *bed = open_mct("cpu:4", basins, 1);
	struct xy_task *task;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		task = bed_task(bed, CPU);
		task->codelet = (uintptr_t)&picky;
		task->constrained = true;
		bed_submit(bed, task);
	}
	assert_int_equal(recorder(basins[0])->npushed, 0);
	assert_int_equal(depth(xy_tree_root(bed->tree)), 0); /* what was taken does not stay above, too */
	for (unsigned i = 1; i < 4; i++)
		assert_int_equal(recorder(basins[i])->npushed, 1);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sends_a_task_to_where_it_ends_soonest),
		cmocka_unit_test(the_first_of_equals_gets_the_task),
		cmocka_unit_test(counts_what_rests_below),
		cmocka_unit_test(counts_the_task_in_the_hands_of_a_worker),
		cmocka_unit_test(a_queue_of_several_workers_counts_by_its_share),
		cmocka_unit_test(transfers_overlap_with_what_runs_before),
		cmocka_unit_test(beta_makes_transfers_dear),
		cmocka_unit_test(like_workers_differ_by_where_the_data_is),
		cmocka_unit_test(gamma_is_what_a_joule_is_worth),
		cmocka_unit_test(the_power_of_an_idle_machine_counts_after_the_last_worker),
		cmocka_unit_test(chooses_the_fastest_implementation_and_says_so),
		cmocka_unit_test(what_the_best_has_no_room_for_waits_for_it),
		cmocka_unit_test(what_all_refuse_stays_above_until_there_is_room),
		cmocka_unit_test(a_reservoir_that_is_full_is_not_asked_to_refuse),
		cmocka_unit_test(anybody_may_say_that_a_branch_has_room),
		cmocka_unit_test(pinned_tasks_go_to_their_workers_alone),
		cmocka_unit_test(tasks_of_which_nothing_is_known_spread_by_their_number),
		cmocka_unit_test(a_place_where_it_is_not_known_is_as_fast_as_the_best_one),
		cmocka_unit_test(a_guessed_length_teaches_nothing),
		cmocka_unit_test(workers_of_one_kind_are_asked_about_once),
		cmocka_unit_test(a_worker_that_has_caught_up_is_the_first_again),
		cmocka_unit_test(what_is_cheaper_wins_in_any_order_of_the_branches),
		cmocka_unit_test(a_team_begins_when_all_its_members_are_free),
		cmocka_unit_test(what_rests_above_a_team_is_for_all_of_it),
		cmocka_unit_test(teams_share_the_queue_above_them),
		cmocka_unit_test(a_member_does_not_run_the_tasks_of_its_team_alone),
		cmocka_unit_test(a_task_that_chooses_its_workers_goes_on_when_the_best_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
