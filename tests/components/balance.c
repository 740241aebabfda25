/* SPDX-License-Identifier: MIT */
/* balance: which device gets how many items next, from what it has measured. */
#include "recording.h"

#include <errno.h>

#include "components/balance/balance.h"
#include "core/tree/hooks.h"

enum { CPU = 0, CUDA = 1, ALL = XY_ON_CPU | XY_ON_CUDA, ITEMS = 4096 * 2 * 4 };

static const char expression[] = "prio | balance | each node { fifo | eager | each worker { } }";

/* A task whose items are of a sort of their own, or of that of others. */
static struct xy_task *submit(struct bed *bed, uint64_t items, const void *like)
{
	struct xy_task *task = bed_task_divisible(bed, ALL, items);

	task->extra->division->like = like;
	bed_submit(bed, task);
	return task;
}

static struct xy_task *expect(struct bed *bed, unsigned worker, uint64_t start, uint64_t stop)
{
	struct xy_task *piece = bed_pull(bed, worker);

	if (!piece)
		fail_msg("worker %u has no piece from %u on", worker, (unsigned)start);
	assert_int_equal(xy_task_range(piece).start, start);
	assert_int_equal(xy_task_range(piece).stop, stop);
	return piece;
}

/* The piece has run for so long. */
static void end(struct bed *bed, struct xy_task *piece, unsigned worker, double us)
{
	const struct xy_report report = { .task = piece, .worker = worker, .end_s = us * 1e-6 };

	xy__hooks_ended(bed->tree, &report, &bed->workers[worker]);
	bed_end(bed, piece, worker, 0);
}

/* Each first piece is a 4096th of an equal share; nobody gets a second one before its speed is known. */
static void begins_with_a_small_piece_for_each_device(void **state)
{
	struct bed *bed = bed_parse("cpu:1 cuda:1", expression);

	(void)state;
	submit(bed, ITEMS, bed);
	expect(bed, CPU, 0, 4);
	expect(bed, CUDA, 4, 8);
	assert_null(bed_pull(bed, CPU));
	assert_null(bed_pull(bed, CUDA));
	bed_close(bed);
}

/* A device of unknown speed takes nothing from what another should do: the size doubles as if it were alone. */
static void a_device_of_unknown_speed_does_not_count(void **state)
{
	struct bed *bed = bed_parse("cpu:1 cuda:1", expression);
	struct xy_task *piece;

	(void)state;
	submit(bed, ITEMS, bed);
	piece = expect(bed, CPU, 0, 4);
	expect(bed, CUDA, 4, 8);
	end(bed, piece, CPU, 4 * 1000);
	expect(bed, CPU, 8, 16);
	bed_close(bed);
}

/* Nor does it keep work from a slow one that is known. */
static void a_slow_device_works_while_another_is_measured(void **state)
{
	struct bed *bed = bed_parse("cpu:1 cuda:1", expression);
	struct xy_task *piece;

	(void)state;
	submit(bed, 300, bed);
	assert_non_null(bed_pull(bed, CUDA));
	for (unsigned i = 0; i < 4; i++) {
		piece = bed_pull(bed, CPU);
		assert_non_null(piece);
		end(bed, piece, CPU, 1000.0 * (double)(xy_task_range(piece).stop - xy_task_range(piece).start));
	}
	bed_close(bed);
}

/* The GPU is a thousand times faster: an item on the core would end last. */
static void a_device_gets_no_more_than_its_share(void **state)
{
	struct bed *bed = bed_parse("cpu:1 cuda:1", expression);
	struct xy_task *on_cpu, *on_cuda;

	(void)state;
	submit(bed, 400, bed);
	on_cpu = expect(bed, CPU, 0, 1);
	on_cuda = expect(bed, CUDA, 1, 2);
	end(bed, on_cuda, CUDA, 1);
	on_cuda = expect(bed, CUDA, 2, 4);
	end(bed, on_cpu, CPU, 1000);
	assert_null(bed_pull(bed, CPU));
	bed_close(bed);
}

/* What a device has is part of what all should do: 600 items are left, a sixth of them is due. */
static void pieces_in_flight_are_part_of_the_whole(void **state)
{
	struct bed *bed = bed_parse("cuda:1", expression);
	struct xy__balance *b = (struct xy__balance *)xy_tree_root(bed->tree)->children[0];
	const struct xy__balance_view view = {
		.task = bed_task_divisible(bed, ALL, 600),
		.subject = &b->subjects[0],
		.rate = 1,
		.load = 300,
		.pieces = 1,
		.nserving = 1,
	};
	uint64_t size = 0;

	(void)state;
	b->of[0].serves = true;
	b->of[0].room = 2;
	b->of[0].pieces = 1;
	b->of[0].load = 300;
	b->of[0].rate = 1;
	b->subjects[0].of[0] = (struct xy__throughput){ .level = 20, .settled = true, .recent = 1, .tail = 1 };
	assert_int_equal(xy__balance_choose(b, &view, &size), 0);
	assert_int_equal(size, 64);
	bed_close(bed);
}

/* What was measured of one sort says nothing about another. */
static void each_sort_of_items_has_its_own_speeds(void **state)
{
	struct bed *bed = bed_parse("cpu:1", expression);
	struct xy_task *piece;
	unsigned pieces = 0;
	int other;

	(void)state;
	submit(bed, 4096, bed);
	for (; (piece = bed_pull(bed, CPU)); pieces++)
		end(bed, piece, CPU, (double)(xy_task_range(piece).stop - xy_task_range(piece).start));
	assert_in_range(pieces, 8, 200);
	submit(bed, 4096 * 2, &other);
	end(bed, expect(bed, CPU, 0, 2), CPU, 2000);
	bed_close(bed);
}

/* A sweep: the core has measured all its sizes and waits, so that enough items are left for those of the GPU. */
static void a_sweep_leaves_items_for_the_sizes_of_slow_starters(void **state)
{
	struct bed *bed = bed_parse("cpu:1 cuda:1",
				    "prio | balance(sweep) | each node { fifo | eager | each worker { } }");
	struct xy_task *piece, *on_cuda;
	uint64_t largest = 0, by_cpu = 0;

	(void)state;
	submit(bed, 1 << 20, bed);
	on_cuda = bed_pull(bed, CUDA);
	while ((piece = bed_pull(bed, CPU))) {
		by_cpu += xy_task_range(piece).stop - xy_task_range(piece).start;
		end(bed, piece, CPU, (double)(xy_task_range(piece).stop - xy_task_range(piece).start));
	}
	assert_in_range(by_cpu, 1 << 10, 1 << 19);
	while (on_cuda) {
		uint64_t items = xy_task_range(on_cuda).stop - xy_task_range(on_cuda).start;

		largest = items > largest ? items : largest;
		end(bed, on_cuda, CUDA, 1000 + 0.1 * (double)items);
		on_cuda = bed_pull(bed, CUDA);
	}
	assert_in_range(largest, 1 << 14, 1 << 16);
	piece = bed_pull(bed, CPU);
	assert_non_null(piece);
	end(bed, piece, CPU, 1);
	bed_close(bed);
}

static void fails_where_no_device_can_run_it(void **state)
{
	struct bed *bed = bed_parse("cpu:1 cuda:1",
				    "prio | balance(devices=cuda) | each node { fifo | eager | each worker "
				    "{ } }");
	struct xy_task *task = bed_task_divisible(bed, XY_ON_CPU, 100);

	(void)state;
	bed_submit(bed, task);
	assert_ptr_equal(expect(bed, CPU, 100, 100), task);
	assert_int_equal(task->status, -ENODEV);
	bed_close(bed);
}

static void any_worker_takes_tasks_without_items(void **state)
{
	struct bed *bed = bed_parse("cpu:1 cuda:1", expression);
	struct xy_task *task = bed_task(bed, ALL);

	(void)state;
	bed_submit(bed, task);
	assert_ptr_equal(bed_pull(bed, CPU), task);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begins_with_a_small_piece_for_each_device),
		cmocka_unit_test(a_device_of_unknown_speed_does_not_count),
		cmocka_unit_test(a_slow_device_works_while_another_is_measured),
		cmocka_unit_test(a_device_gets_no_more_than_its_share),
		cmocka_unit_test(pieces_in_flight_are_part_of_the_whole),
		cmocka_unit_test(each_sort_of_items_has_its_own_speeds),
		cmocka_unit_test(a_sweep_leaves_items_for_the_sizes_of_slow_starters),
		cmocka_unit_test(fails_where_no_device_can_run_it),
		cmocka_unit_test(any_worker_takes_tasks_without_items),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
