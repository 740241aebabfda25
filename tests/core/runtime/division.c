/* SPDX-License-Identifier: MIT */
/* A divisible task is worked on in pieces, each item once, and ends when all of them have. */
#include "../../helper.h"

#include <errno.h>
#include <string.h>

enum { ITEMS = 10000 };

static const char *const trees[] = {
	"divide(items=70) | eager | each worker { best-implementation }",
	"divide(items=70) | mct | each worker { fifo(ntasks=2) | best-implementation }",
	"fifo | divide(items=70) | random | each worker { fifo | best-implementation }",
	"tree-eager", /* does not divide */
	"tree-dmda",
};

struct count {
	_Atomic unsigned char seen[ITEMS];
	_Atomic int calls, joined, split;
	_Atomic uint64_t joined_items;
	_Atomic int fails_at; /* the piece with this item fails; -1: none */
	_Atomic int failures; /* so often, then no more */
	int status;
};

static int count_cpu(struct xy_call *call)
{
	struct count *c = call->arg;
	struct xy_range range = xy_call_range(call);

	atomic_fetch_add(&c->calls, 1);
	if (c->fails_at >= 0 && range.start <= (uint64_t)c->fails_at && (uint64_t)c->fails_at < range.stop &&
	    atomic_fetch_sub(&c->failures, 1) > 0)
		return -EIO;
	for (uint64_t i = range.start; i < range.stop; i++)
		atomic_fetch_add(&c->seen[i], 1);
	return 0;
}

static const struct xy_codelet count_codelet = { .name = "count", .cpu = { count_cpu } };

static void count_ended(void *arg, int status)
{
	struct count *c = arg;

	c->status = status;
	assert_int_equal(c->joined, c->split);
}

static int count_split(void *arg, struct xy_piece *piece)
{
	struct count *c = arg;

	assert_true(piece->range.start < piece->range.stop);
	assert_ptr_equal(piece->arg, arg);
	atomic_fetch_add(&c->split, 1);
	return 0;
}

static void count_joined(void *arg, const struct xy_piece *piece, int status)
{
	struct count *c = arg;

	(void)status;
	atomic_fetch_add(&c->joined, 1);
	atomic_fetch_add(&c->joined_items, piece->range.stop - piece->range.start);
}

static void count_init(struct count *c)
{
	memset(c, 0, sizeof *c);
	c->fails_at = -1;
	c->status = 1;
}

static struct xy_task_desc count_desc(struct count *c)
{
	return (struct xy_task_desc){
		.codelet = &count_codelet,
		.arg = c,
		.range = { 0, ITEMS },
		.split = count_split,
		.joined = count_joined,
		.callback = count_ended,
		.callback_arg = c,
	};
}

static void count_check(const struct count *c, unsigned times)
{
	for (unsigned i = 0; i < ITEMS; i++)
		if (c->seen[i] != times)
			fail_msg("item %u was worked on %u times, not %u", i, c->seen[i], times);
}

static void works_on_each_item_once_in_any_tree(void **state)
{
	static struct count c;

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(trees); i++) {
		struct helper *h = helper_start(trees[i], 3);
		struct xy_task_desc desc = count_desc(&c);

		count_init(&c);
		assert_int_equal(xy_submit(h->rt, &desc), 0);
		assert_int_equal(helper_wait(h), 0);
		count_check(&c, 1);
		assert_int_equal(c.status, 0);
		assert_int_equal(c.calls, strstr(trees[i], "divide") ? (ITEMS + 69) / 70 : 1);
		assert_int_equal(c.joined, strstr(trees[i], "divide") ? c.calls : 0);
		assert_int_equal(c.joined_items, strstr(trees[i], "divide") ? ITEMS : 0);
		assert_int_equal(helper_stop(h), 0);
	}
}

static void ends_after_all_its_pieces(void **state)
{
	struct helper *h = helper_start(trees[0], 3);
	static struct count c;

	(void)state;
	for (unsigned i = 0; i < helper_scale(200); i++) {
		struct xy_task_desc desc = count_desc(&c);

		count_init(&c);
		desc.synchronous = true;
		assert_int_equal(xy_submit(h->rt, &desc), 0);
		count_check(&c, 1);
	}
	assert_int_equal(helper_stop(h), 0);
}

static int set_cpu(struct xy_call *call)
{
	for (unsigned i = 0; i < ITEMS; i++)
		((int *)xy_pointer(call, 0))[i] = 7;
	return 0;
}

static int check_cpu(struct xy_call *call)
{
	struct xy_range range = xy_call_range(call);

	for (uint64_t i = range.start; i < range.stop; i++)
		if (((const int *)xy_pointer(call, 0))[i] != 7)
			return -EILSEQ;
	atomic_fetch_add((_Atomic int *)call->arg, (int)(range.stop - range.start));
	return 0;
}

static const struct xy_codelet set = { .name = "set", .cpu = { set_cpu }, .modes = { XY_W } };
static const struct xy_codelet check = { .name = "check", .cpu = { check_cpu }, .modes = { XY_R } };

static void waits_for_its_data_like_any_task(void **state)
{
	struct helper *h = helper_start(trees[0], 3);
	static int v[ITEMS];
	struct xy_handle *vector;
	_Atomic int n = 0;

	(void)state;
	assert_int_equal(xy_vector_register(h->rt, &vector, v, ITEMS, sizeof v[0]), 0);
	for (unsigned i = 0; i < 20; i++) {
		HELPER_SUBMIT(h, .codelet = &set, .handles = { vector });
		HELPER_SUBMIT(h, .codelet = &check, .handles = { vector }, .arg = (void *)&n, .range = { 0, ITEMS });
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(n, 20 * ITEMS);
	assert_int_equal(xy_unregister(&vector), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void a_failing_piece_stops_new_ones(void **state)
{
	static struct count c;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct helper *h = helper_start(trees[i], 2);
		struct xy_task_desc desc = count_desc(&c);

		count_init(&c);
		c.fails_at = 0;
		c.failures = 1;
		assert_int_equal(xy_submit(h->rt, &desc), 0);
		assert_int_equal(helper_wait(h), -EIO);
		assert_int_equal(c.status, -EIO);
		assert_int_equal(c.joined, c.split);
		/* The runtime can be used on. */
		count_init(&c);
		assert_int_equal(xy_submit(h->rt, &desc), 0);
		assert_int_equal(helper_wait(h), 0);
		count_check(&c, 1);
		assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
	}
}

static void a_failing_piece_is_tried_again(void **state)
{
	struct helper *h = helper_start(trees[0], 2);
	static struct count c;
	struct xy_task_desc desc = count_desc(&c);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		count_init(&c);
		c.fails_at = i ? ITEMS - 1 : 100; /* an ordinary piece, and the last one */
		c.failures = 2;
		desc.retries = 2;
		assert_int_equal(xy_submit(h->rt, &desc), 0);
		assert_int_equal(helper_wait(h), 0);
		count_check(&c, 1);
		assert_int_equal(c.calls, (ITEMS + 69) / 70 + 2);
	}
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

static void a_failing_task_cancels_those_behind_it(void **state)
{
	struct helper *h = helper_start(trees[0], 2);
	static struct count first, second;
	struct xy_task_desc desc = count_desc(&first);
	struct xy_task *task;

	(void)state;
	count_init(&first);
	count_init(&second);
	first.fails_at = ITEMS / 2;
	first.failures = 1;
	assert_int_equal(xy_task_create(h->rt, &desc, &task), 0);
	assert_int_equal(xy_task_submit(task), 0);
	desc = count_desc(&second);
	desc.after = &task;
	desc.nafter = 1;
	assert_int_equal(xy_submit(h->rt, &desc), 0);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(second.status, -ECANCELED);
	assert_int_equal(second.calls, 0);
	/* Once more: the first has nothing left of its failure. */
	count_init(&first);
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(helper_wait_task(h, task), 0);
	count_check(&first, 1);
	xy_task_release(task);
	helper_wait(h);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

static int split_refuses(void *arg, struct xy_piece *piece)
{
	(void)arg;
	return piece->range.start >= 700 ? -ENOSPC : 0;
}

static void fails_with_the_error_of_its_split(void **state)
{
	struct helper *h = helper_start(trees[0], 2);
	static struct count c;
	struct xy_task_desc desc = count_desc(&c);

	(void)state;
	count_init(&c);
	desc.split = split_refuses;
	desc.joined = NULL;
	desc.callback = NULL;
	assert_int_equal(xy_submit(h->rt, &desc), 0);
	assert_int_equal(helper_wait(h), -ENOSPC);
	for (unsigned i = 0; i < ITEMS; i++)
		assert_int_equal(c.seen[i], i < 700);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

static void several_share_the_workers(void **state)
{
	struct helper *h = helper_start(trees[1], 3);
	static struct count c[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct xy_task_desc desc = count_desc(&c[i]);

		count_init(&c[i]);
		desc.priority = (int)i % 2;
		assert_int_equal(xy_submit(h->rt, &desc), 0);
	}
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < 4; i++)
		count_check(&c[i], 1);
	assert_int_equal(helper_stop(h), 0);
}

static const struct xy_codelet writes = { .name = "writes", .cpu = { count_cpu }, .modes = { XY_RW } };

static void refuses_what_can_not_be_divided(void **state)
{
	struct helper *h = helper_start(trees[0], 1);
	int v[4] = { 0 };
	struct xy_handle *vector;

	(void)state;
	assert_int_equal(xy_vector_register(h->rt, &vector, v, 4, sizeof v[0]), 0);
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &count_codelet, .range = { 5, 5 } }),
			 -EINVAL);
	helper_one_line(h, "its range is empty");
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .range = { 0, 5 } }), -EINVAL);
	helper_one_line(h, "no codelet");
	assert_int_equal(
		xy_submit(h->rt,
			  &(struct xy_task_desc){ .codelet = &writes, .handles = { vector }, .range = { 0, 5 } }),
		-EINVAL);
	helper_one_line(h, "no split");
	assert_int_equal(xy_unregister(&vector), 0);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(works_on_each_item_once_in_any_tree),
		cmocka_unit_test(ends_after_all_its_pieces),
		cmocka_unit_test(waits_for_its_data_like_any_task),
		cmocka_unit_test(a_failing_piece_stops_new_ones),
		cmocka_unit_test(a_failing_piece_is_tried_again),
		cmocka_unit_test(a_failing_task_cancels_those_behind_it),
		cmocka_unit_test(fails_with_the_error_of_its_split),
		cmocka_unit_test(several_share_the_workers),
		cmocka_unit_test(refuses_what_can_not_be_divided),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
