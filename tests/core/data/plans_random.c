/* SPDX-License-Identifier: MIT */
/*
 * Random programs over plans, plans of children and shadows, on CPUs and devices, compared with a model that does
 * everything at once and in order. XYLEM_TEST_SEED repeats one program.
 */
#include "bed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/interface.h>

enum { N = 96, MOST_PIECES = 64, MOST_PLANS = 8, MOST_CHILDREN = 8, STEPS = 150, PROGRAMS = 12 };

/* Someone through whom the content can be reached: the vector, or a child of some plan. */
struct piece {
	struct xy_handle *handle;
	unsigned first, length;
	int child_of; /* a plan, or -1 */
	bool failed;  /* what was written last is not there */
};

struct plan {
	struct xy_plan *plan;
	unsigned parent; /* a piece */
	unsigned nchildren, children[MOST_CHILDREN];
	enum xy_mode mode; /* 0: not in force */
	bool overlaps;
};

/* Where readers put what they saw: one for each length. */
struct sink {
	struct xy_handle *handle;
	uint32_t *seen, *expected;
};

struct program {
	struct helper *h;
	uint64_t seed, random;
	uint32_t memory[N], model[N];
	unsigned npieces, nplans, nworkers;
	bool fails; /* some tasks do */
	struct piece pieces[MOST_PIECES];
	struct plan plans[MOST_PLANS];
	struct sink sinks[N + 1];
};

static unsigned below(struct program *p, unsigned n)
{
	return helper_below(&p->random, n);
}

/* --- the model --- */

/* Whether a piece may be used in this mode. */
static bool allowed(const struct program *p, unsigned piece, enum xy_mode mode)
{
	int of = p->pieces[piece].child_of;

	if (of >= 0 && (mode & ~p->plans[of].mode))
		return false;
	for (unsigned i = 0; i < p->nplans; i++)
		if (p->plans[i].parent == piece && p->plans[i].mode && (mode == XY_RW || p->plans[i].mode == XY_RW))
			return false;
	return true;
}

/* Whether some plan of one of its children is in force. */
static bool is_cut_again(const struct program *p, const struct plan *plan)
{
	for (unsigned i = 0; i < p->nplans; i++)
		if (p->plans[i].mode && p->pieces[p->plans[i].parent].child_of == (int)(plan - p->plans))
			return true;
	return false;
}

/* A random piece that may be used so; there always is one. */
static unsigned some(struct program *p, enum xy_mode mode)
{
	unsigned piece = below(p, p->npieces);

	for (unsigned i = 0; i < p->npieces && !allowed(p, piece, mode); i++)
		piece = (piece + 1) % p->npieces;
	return piece;
}

/* Whether this is what somebody who wants to read it should be told: a task that failed, or one that was cancelled
 * because of it, was the last to write it. */
static bool is_right(const struct piece *piece, int error)
{
	return piece->failed ? error == -EIO || error == -ECANCELED : error == 0;
}

/* --- making --- */

static unsigned add_plan(struct program *p, unsigned parent, struct xy_filter filter)
{
	unsigned id = p->nplans++;
	struct plan *plan = &p->plans[id];
	const struct xy_vector *whole = xy_handle_view(p->pieces[0].handle);

	plan->parent = parent;
	plan->mode = 0;
	plan->overlaps = filter.ops == &xy_filter_shadow;
	assert_int_equal(xy_plan_create(p->pieces[parent].handle, &filter, &plan->plan), 0);
	plan->nchildren = xy_plan_nchildren(plan->plan);
	for (unsigned i = 0; i < plan->nchildren; i++) {
		struct xy_handle *child = xy_plan_child(plan->plan, i);
		const struct xy_vector *v = xy_handle_view(child);

		plan->children[i] = p->npieces;
		p->pieces[p->npieces++] =
			(struct piece){ .handle = child,
					.length = (unsigned)v->n,
					.first = (unsigned)((uint32_t *)v->ptr - (uint32_t *)whole->ptr),
					.child_of = (int)id };
	}
	return id;
}

static void make(struct program *p)
{
	static const size_t lengths[] = { 10, 24, 62 };
	unsigned four, list;

	for (unsigned i = 0; i < N; i++)
		p->memory[i] = p->model[i] = (uint32_t)helper_random(&p->random);
	p->pieces[p->npieces++] = (struct piece){ bed_vector(p->h, p->memory, N), 0, N, -1, false };
	four = add_plan(p, 0, (struct xy_filter){ .ops = &xy_filter_blocks, .n = 4 });
	list = add_plan(p, 0, (struct xy_filter){ .ops = &xy_filter_list, .n = 3, .lengths = lengths });
	add_plan(p, 0, (struct xy_filter){ .ops = &xy_filter_shadow, .n = 2, .length = 3 });
	add_plan(p, p->plans[four].children[1], (struct xy_filter){ .ops = &xy_filter_halves });
	add_plan(p, p->plans[four].children[1], (struct xy_filter){ .ops = &xy_filter_blocks, .n = 5 });
	add_plan(p, p->plans[list].children[1], (struct xy_filter){ .ops = &xy_filter_shadow, .n = 3, .length = 2 });
	p->nworkers = xy_machine_nworkers(xy_runtime_machine(p->h->rt));
}

static struct sink *sink_of(struct program *p, unsigned length)
{
	struct sink *sink = &p->sinks[length];

	if (!sink->handle) {
		sink->seen = calloc(length, sizeof *sink->seen);
		sink->expected = calloc(length, sizeof *sink->expected);
		assert_true(sink->seen && sink->expected);
		sink->handle = bed_vector(p->h, sink->seen, length);
	}
	return sink;
}

/* --- steps --- */

static void submit(struct program *p, const struct xy_codelet *codelet, uint32_t k, struct xy_handle *a,
		   struct xy_handle *b)
{
	if (below(p, 2))
		bed_submit(p->h, codelet, k, a, b, NULL);
	else
		bed_submit_on(p->h, below(p, p->nworkers), codelet, k, a, b, NULL);
}

static void step_write(struct program *p)
{
	unsigned id = some(p, XY_RW);
	struct piece *piece = &p->pieces[id];
	uint32_t k = (uint32_t)helper_random(&p->random), *model = p->model + piece->first;
	bool set = below(p, 3) == 0;

	if (!allowed(p, id, XY_RW)) /* all is shared for reading */
		return;
	submit(p, set ? &bed_set : &bed_add, k, piece->handle, NULL);
	piece->failed &= !set;
	for (unsigned i = 0; i < piece->length; i++)
		model[i] = set ? k + i : 3 * model[i] + k;
}

static int fail_body(struct xy_call *call)
{
	(void)call;
	return -EIO;
}

static const struct xy_codelet fail = {
	.name = "fail",
	.cpu = { fail_body },
	.cuda = { fail_body },
	.opencl = { fail_body },
	.modes = { XY_RW },
};

static void step_fail(struct program *p)
{
	unsigned id = some(p, XY_RW);

	if (!p->fails || !allowed(p, id, XY_RW))
		return;
	submit(p, &fail, 0, p->pieces[id].handle, NULL);
	p->pieces[id].failed = true;
}

static void step_read(struct program *p)
{
	const struct piece *piece = &p->pieces[some(p, XY_R)];
	struct sink *sink = sink_of(p, piece->length);
	uint32_t k = (uint32_t)helper_random(&p->random);

	if (piece->failed) /* and so would the sink */
		return;
	submit(p, &bed_axpy, k, piece->handle, sink->handle);
	for (unsigned i = 0; i < piece->length; i++)
		sink->expected[i] = 3 * sink->expected[i] + k * p->model[piece->first + i];
}

static void step_look(struct program *p)
{
	const struct piece *piece = &p->pieces[some(p, XY_R)];

	assert_true(is_right(piece, xy_acquire(piece->handle, XY_R)));
	if (piece->failed)
		return;
	assert_memory_equal(p->memory + piece->first, p->model + piece->first, piece->length * sizeof *p->model);
	assert_int_equal(xy_release(piece->handle), 0);
}

static void step_touch(struct program *p)
{
	unsigned id = some(p, XY_RW);
	const struct piece *piece = &p->pieces[id];

	if (!allowed(p, id, XY_RW))
		return;
	assert_true(is_right(piece, xy_acquire(piece->handle, XY_RW)));
	if (piece->failed)
		return;
	for (unsigned i = 0; i < piece->length; i++) {
		uint32_t *at = &p->memory[piece->first + i];

		*at = p->model[piece->first + i] = 5 * *at + 1;
	}
	assert_int_equal(xy_release(piece->handle), 0);
}

static void step_hint(struct program *p)
{
	unsigned nnodes = xy_machine_nnodes(xy_runtime_machine(p->h->rt)), node = below(p, nnodes);
	unsigned id = some(p, XY_RW);

	if (below(p, 2) || !node || !allowed(p, id, XY_RW))
		assert_int_equal(xy_prefetch(p->pieces[some(p, XY_R)].handle, node), 0);
	else
		assert_int_equal(xy_evict(p->pieces[id].handle, node), 0);
}

/* Whatever is not allowed is refused, and changes nothing. */
static void step_wrong(struct program *p)
{
	unsigned id = below(p, p->npieces);
	enum xy_mode mode = below(p, 2) ? XY_R : XY_RW;

	if (allowed(p, id, mode))
		return;
	assert_int_equal(xy_acquire(p->pieces[id].handle, mode), -EBUSY);
	helper_forget(p->h);
}

/* What the parent is goes to the children, and back if they could be written. */
static void hand_over(struct program *p, struct plan *plan, enum xy_mode mode)
{
	bool failed = false;

	for (unsigned i = 0; i < plan->nchildren; i++) {
		struct piece *child = &p->pieces[plan->children[i]];

		failed |= child->failed;
		if (mode)
			child->failed = p->pieces[plan->parent].failed;
	}
	if (!mode && plan->mode == XY_RW)
		p->pieces[plan->parent].failed = failed;
	plan->mode = mode;
}

static void step_switch(struct program *p)
{
	struct plan *plan = &p->plans[below(p, p->nplans)];
	enum xy_mode mode = below(p, 2) ? XY_R : XY_RW;
	int error, expected;

	if (plan->mode) {
		expected = is_cut_again(p, plan) ? -EBUSY : 0;
		error = xy_plan_end(plan->plan);
		mode = 0;
	} else {
		expected = plan->overlaps && mode == XY_RW ? -EINVAL : allowed(p, plan->parent, mode) ? 0 : -EBUSY;
		error = xy_plan_begin(plan->plan, mode);
	}
	assert_int_equal(error, expected);
	if (error)
		helper_one_line(p->h, "can't");
	else
		hand_over(p, plan, mode);
}

static void step(struct program *p)
{
	static void (*const steps[])(struct program * p) = {
		step_write,  step_write,  step_write, step_write, step_read, step_read,  step_switch,
		step_switch, step_switch, step_look,  step_touch, step_hint, step_wrong, step_fail,
	};

	steps[below(p, HELPER_COUNT(steps))](p);
}

/* --- the end --- */

static void finish(struct program *p)
{
	struct piece *whole = &p->pieces[0];
	int error;

	for (unsigned i = p->nplans; i-- > 0;)
		if (p->plans[i].mode) {
			assert_int_equal(xy_plan_end(p->plans[i].plan), 0);
			hand_over(p, &p->plans[i], 0);
		}
	for (unsigned i = p->nplans; i-- > 0;)
		assert_int_equal(xy_plan_destroy(&p->plans[i].plan), 0);
	assert_true(is_right(whole, xy_unregister(&whole->handle)));
	if (!whole->failed)
		assert_memory_equal(p->memory, p->model, sizeof p->model);
	for (unsigned i = 0; i <= N; i++) {
		struct sink *sink = &p->sinks[i];

		if (!sink->handle)
			continue;
		bed_unregister(p->h, &sink->handle);
		assert_memory_equal(sink->seen, sink->expected, i * sizeof *sink->seen);
		free(sink->seen);
		free(sink->expected);
	}
	error = helper_wait(p->h);
	assert_true(p->fails ? error == 0 || error == -EIO : error == 0);
}

static void run_programs(struct helper *h, uint64_t seed, unsigned programs, bool fails)
{
	const char *asked = getenv("XYLEM_TEST_SEED");

	for (unsigned i = 0; i < programs; i++) {
		static struct program p;

		memset(&p, 0, sizeof p);
		p.h = h;
		p.fails = fails;
		p.seed = p.random = asked ? strtoull(asked, NULL, 0) : seed + i;
		print_message("seed %llu\n", (unsigned long long)p.seed);
		make(&p);
		for (unsigned j = 0; j < STEPS; j++)
			step(&p);
		finish(&p);
	}
}

static void on_cpus(void **state)
{
	struct helper *h = helper_start(NULL, 2);

	(void)state;
	run_programs(h, 1000, helper_scale(3 * PROGRAMS), false);
	assert_int_equal(helper_stop(h), 0);
}

static void on_cuda_devices(void **state)
{
	struct helper *h = bed_start(1, NULL, false);

	(void)state;
	run_programs(h, 2000, helper_scale(PROGRAMS), false);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* Not enough for the vector and its pieces at once. */
static void on_small_cuda_devices_that_prefetch(void **state)
{
	const struct xy_config config = { .sched = "tree-eager-prefetching", .arch[XY_CUDA].limit = "900" };
	struct helper *h = bed_start(1, &config, false);

	(void)state;
	run_programs(h, 3000, helper_scale(PROGRAMS), false);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void with_tasks_that_fail(void **state)
{
	struct helper *h = bed_start(1, NULL, false);

	(void)state;
	run_programs(h, 5000, helper_scale(PROGRAMS), true);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void on_everything(void **state)
{
	const struct xy_config config = { .sched = "tree-random" };
	struct helper *h;

	(void)state;
	if (!bed_has_opencl())
		skip();
	h = bed_start(1, &config, true);
	run_programs(h, 4000, helper_scale(PROGRAMS), false);
	assert_int_equal(bed_stop(h, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_cpus),
		cmocka_unit_test(on_cuda_devices),
		cmocka_unit_test(on_small_cuda_devices_that_prefetch),
		cmocka_unit_test(with_tasks_that_fail),
		cmocka_unit_test(on_everything),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
