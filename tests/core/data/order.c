/* SPDX-License-Identifier: MIT */
/*
 * The order that handles give: whatever the workers do, the data ends as if the tasks had run one after
 * the other in the order of submission.
 */
#include "../../helper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- random programs against a sequential model --- */

enum { CELLS = 6, MOST_ACCESSES = 5 };

/* One task of a random program: what it does to which cells. */
struct step {
	unsigned naccesses;
	unsigned cell[MOST_ACCESSES];
	enum xy_mode mode[MOST_ACCESSES];
	uint64_t salt;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9e3779b97f4a7c15u;
	return a ^ a >> 29;
}

/* Reads all that it may read, then writes all that it may write: a commuting access adds, all others
 * depend on everything that was read, in order. */
static void step_apply(const struct step *step, uint64_t *const *cells)
{
	uint64_t sum = step->salt, before[MOST_ACCESSES] = { 0 };

	for (unsigned i = 0; i < step->naccesses; i++)
		if ((step->mode[i] & XY_R) && !(step->mode[i] & XY_COMMUTE))
			sum = mix(sum, before[i] = *cells[i]);
	for (unsigned i = 0; i < step->naccesses; i++) {
		if (step->mode[i] & XY_COMMUTE)
			*cells[i] += step->salt;
		else if (step->mode[i] & XY_W)
			*cells[i] = mix(sum, i);
		else if (step->mode[i] & XY_SCRATCH)
			*cells[i] = sum;
	}
}

static int step_body(struct xy_call *call)
{
	uint64_t *cells[MOST_ACCESSES];

	for (unsigned i = 0; i < call->nbuffers; i++)
		cells[i] = xy_pointer(call, i);
	step_apply(call->arg, cells);
	return 0;
}

static void step_random(struct step *step, uint64_t *seed)
{
	static const enum xy_mode modes[] = { XY_R, XY_R, XY_W, XY_RW, XY_RW, XY_SCRATCH, XY_RW | XY_COMMUTE };
	bool commutes = helper_below(seed, 4) == 0;

	step->naccesses = 1 + helper_below(seed, MOST_ACCESSES);
	step->salt = helper_random(seed);
	for (unsigned i = 0; i < step->naccesses; i++) {
		step->cell[i] = helper_below(seed, CELLS);
		step->mode[i] = modes[helper_below(seed, HELPER_COUNT(modes))];
		/* what a task adds must not depend on what others that commute with it have added */
		if (commutes)
			step->mode[i] = XY_RW | XY_COMMUTE;
		else if (step->mode[i] & XY_COMMUTE)
			step->mode[i] = XY_RW;
	}
}

static void step_model(const struct step *step, uint64_t *model)
{
	uint64_t *cells[MOST_ACCESSES], scratch;

	for (unsigned i = 0; i < step->naccesses; i++)
		cells[i] = step->mode[i] & XY_SCRATCH ? &scratch : &model[step->cell[i]];
	step_apply(step, cells);
}

/* The application is a task as well: it does the step between acquire and release. */
static void step_by_hand(const struct step *step, struct xy_handle **handles, uint64_t *data)
{
	unsigned cell = step->cell[0];
	uint64_t *cells[MOST_ACCESSES] = { &data[cell] };
	struct step alone = { .naccesses = 1, .cell = { cell }, .mode = { XY_RW }, .salt = step->salt };

	assert_int_equal(xy_acquire(handles[cell], XY_RW), 0);
	step_apply(&alone, cells);
	assert_int_equal(xy_release(handles[cell]), 0);
}

/* Submits a step with a description, or with terms, which take a shorter way. */
static void step_submit(struct helper *h, struct step *step, struct xy_handle **handles, bool short_way)
{
	static const struct xy_codelet codelet = { .name = "step", .cpu = { step_body } };
	struct xy_access accesses[MOST_ACCESSES + 1] = { 0 };
	struct xy_term terms[MOST_ACCESSES + 2] = { 0 };
	unsigned n = step->naccesses;

	for (unsigned i = 0; i < n; i++) {
		accesses[i] = (struct xy_access){ handles[step->cell[i]], step->mode[i] };
		terms[i] = xy_term_of(XY_TERM_ACCESS, (int)step->mode[i], handles[step->cell[i]]);
	}
	terms[n] = xy_arg(step);
	if (short_way)
		assert_int_equal(xy_insert_terms(h->rt, &codelet, terms), 0);
	else
		HELPER_SUBMIT(h, .codelet = &codelet, .arg = step, .arg_size = sizeof *step, .accesses = accesses);
}

static void run_program(struct helper *h, uint64_t seed, unsigned nsteps)
{
	uint64_t data[CELLS], model[CELLS];
	struct xy_handle *handles[CELLS];
	struct step *steps = calloc(nsteps, sizeof *steps);

	assert_non_null(steps);
	for (unsigned i = 0; i < CELLS; i++) {
		data[i] = model[i] = i;
		assert_int_equal(xy_variable_register(h->rt, &handles[i], &data[i], sizeof data[i]), 0);
	}
	for (unsigned i = 0; i < nsteps; i++) {
		step_random(&steps[i], &seed);
		if (helper_below(&seed, 100) == 0) {
			step_by_hand(&steps[i], handles, data);
			steps[i].naccesses = 1;
			steps[i].mode[0] = XY_RW;
		} else {
			step_submit(h, &steps[i], handles, helper_below(&seed, 4));
		}
		step_model(&steps[i], model);
	}
	for (unsigned i = 0; i < CELLS; i++)
		assert_int_equal(xy_unregister(&handles[i]), 0);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < CELLS; i++)
		assert_int_equal(data[i], model[i]);
	free(steps);
}

static void ends_as_if_tasks_had_run_one_after_the_other(void **state)
{
	static const struct {
		const char *sched;
		unsigned nworkers;
	} runs[] = {
		{ "tree-eager", 1 }, { "tree-eager", 4 }, { "tree-ws", 2 }, { "tree-ws", 8 }, { "tree-random", 3 },
	};

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(runs); i++) {
		struct helper *h = helper_start(runs[i].sched, runs[i].nworkers);

		for (uint64_t seed = 1; seed <= 5; seed++) {
			print_message("# %s, %u workers, seed %d\n", runs[i].sched, runs[i].nworkers, (int)seed);
			run_program(h, seed, helper_scale(2000));
		}
		assert_int_equal(helper_stop(h), 0);
	}
}

/* --- single rules --- */

static struct xy_handle *handle(struct helper *h)
{
	struct xy_handle *x;

	assert_int_equal(xy_void_register(h->rt, &x), 0);
	return x;
}

/* Submits a task that goes through a gate with one access. */
static void through(struct helper *h, struct gate *gate, struct xy_handle *x, enum xy_mode mode)
{
	struct xy_access access = { x, mode };

	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = gate, .accesses = XY_ACCESSES(access));
}

static void readers_run_together_and_writers_alone(void **state)
{
	struct helper *h = helper_start("tree-eager", 4);
	struct xy_handle *x = handle(h);
	struct gate writer = { 0 }, readers = { 0 }, last = { 0 };

	(void)state;
	through(h, &writer, x, XY_W);
	through(h, &readers, x, XY_R);
	through(h, &readers, x, XY_R);
	through(h, &readers, x, XY_R);
	through(h, &last, x, XY_W);
	helper_reach(h, &writer.inside, 1);
	assert_int_equal(readers.inside, 0);
	helper_open(&writer);
	helper_reach(h, &readers.inside, 3);
	assert_int_equal(last.inside, 0);
	helper_open(&readers);
	helper_reach(h, &last.inside, 1);
	helper_open(&last);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void scratch_gives_no_dependency(void **state)
{
	struct helper *h = helper_start("tree-eager", 3);
	struct xy_handle *x;
	struct gate gate = { 0 };

	(void)state;
	assert_int_equal(xy_variable_register(h->rt, &x, NULL, 8), 0);
	through(h, &gate, x, XY_W);
	through(h, &gate, x, XY_SCRATCH);
	through(h, &gate, x, XY_SCRATCH);
	helper_reach(h, &gate.inside, 3);
	helper_open(&gate);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void a_handle_without_order_gives_no_dependency(void **state)
{
	struct helper *h = helper_start("tree-eager", 4);
	struct xy_handle *x = handle(h);
	struct gate free = { 0 }, first = { 0 }, second = { 0 };

	(void)state;
	assert_int_equal(xy_handle_set_sequential(x, false), 0);
	through(h, &free, x, XY_RW);
	through(h, &free, x, XY_W);
	helper_reach(h, &free.inside, 2);
	/* from now on again, for those that are submitted now */
	assert_int_equal(xy_handle_set_sequential(x, true), 0);
	through(h, &first, x, XY_RW);
	through(h, &second, x, XY_RW);
	helper_reach(h, &first.inside, 1);
	assert_int_equal(second.inside, 0);
	helper_open(&first);
	helper_reach(h, &second.inside, 1);
	helper_open(&second);
	helper_open(&free);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void the_same_handle_twice_counts_as_its_strongest_mode(void **state)
{
	static const enum xy_mode modes[][2] = {
		{ XY_R, XY_W },        { XY_W, XY_R },
		{ XY_RW, XY_RW },      { XY_R, XY_RW | XY_COMMUTE },
		{ XY_SCRATCH, XY_RW }, { XY_RW | XY_COMMUTE, XY_RW | XY_COMMUTE },
	};
	struct helper *h = helper_start("tree-eager", 2);
	struct xy_handle *x;

	(void)state;
	assert_int_equal(xy_variable_register(h->rt, &x, NULL, 8), 0);
	for (unsigned i = 0; i < HELPER_COUNT(modes); i++) {
		struct xy_access twice[] = { { x, modes[i][0] }, { x, modes[i][1] }, { 0 } };
		struct gate first = { 0 }, second = { 0 };

		HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &first, .accesses = twice);
		through(h, &second, x, XY_R);
		helper_reach(h, &first.inside, 1);
		assert_int_equal(second.inside, 0);
		helper_open(&first);
		helper_reach(h, &second.inside, 1);
		helper_open(&second);
		assert_int_equal(helper_wait(h), 0);
	}
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void an_empty_task_orders_by_its_handles(void **state)
{
	struct helper *h = helper_start("tree-eager", 2);
	struct xy_handle *x = handle(h), *y = handle(h);
	struct gate first = { 0 }, second = { 0 };

	(void)state;
	through(h, &first, x, XY_W);
	HELPER_SUBMIT(h, .accesses = XY_ACCESSES({ x, XY_R }, { y, XY_W }));
	through(h, &second, y, XY_R);
	helper_reach(h, &first.inside, 1);
	assert_int_equal(second.inside, 0);
	helper_open(&first);
	helper_reach(h, &second.inside, 1);
	helper_open(&second);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(xy_unregister(&y), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void a_writer_waits_for_any_number_of_readers(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .ncpu = 2, .window = 1000000 });
	struct xy_handle *x = handle(h);
	struct gate gate = { 0 };
	_Atomic int n = 0;
	struct xy_access read = { x, XY_R }, write = { x, XY_RW };
	int readers = (int)helper_scale(70000); /* more than 16 bits can count */

	(void)state;
	through(h, &gate, x, XY_W);
	for (int i = 0; i < readers; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .accesses = XY_ACCESSES(read));
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .accesses = XY_ACCESSES(write));
	for (int i = 0; i < readers; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .accesses = XY_ACCESSES(read));
	assert_int_equal(n, 0);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(n, 2 * readers + 1);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_as_if_tasks_had_run_one_after_the_other),
		cmocka_unit_test(readers_run_together_and_writers_alone),
		cmocka_unit_test(scratch_gives_no_dependency),
		cmocka_unit_test(a_handle_without_order_gives_no_dependency),
		cmocka_unit_test(the_same_handle_twice_counts_as_its_strongest_mode),
		cmocka_unit_test(an_empty_task_orders_by_its_handles),
		cmocka_unit_test(a_writer_waits_for_any_number_of_readers),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
