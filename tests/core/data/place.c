/* SPDX-License-Identifier: MIT */
/* Accesses whose data is not where the worker is: in RAM, or wherever it happens to be. */
#include "bed.h"

#include <errno.h>
#include <string.h>
#include <xylem/cuda.h>
#include <xylem/insert.h>

#include "../../double/cudart_double.h"

enum { N = 256, BYTES = N * sizeof(uint32_t) };

static uint32_t x[N], y[N];
static _Atomic unsigned node_seen;

static uint64_t moved(enum cudart_double_direction direction)
{
	struct cudart_double_traffic traffic;

	cudart_double_traffic(direction, &traffic);
	return traffic.bytes;
}

/* What a library of the host would do with data in RAM: works on the buffer itself. */
static int bump_in_ram(struct xy_call *call)
{
	uint32_t *numbers = xy_pointer(call, 0);

	node_seen = xy_call_node(call, 0);
	for (size_t i = 0; i < xy_vector_at(call, 0)->n; i++)
		numbers[i] += 100;
	return 0;
}

static int see(struct xy_call *call)
{
	node_seen = xy_call_node(call, 0);
	return xy_pointer(call, 0) ? 0 : -EFAULT;
}

/* Adds the first number, which is in RAM, to a vector on the device. */
static int mixed_cuda(struct xy_call *call)
{
	uint32_t first = *(uint32_t *)xy_pointer(call, 0);
	struct xy_call part = *call;

	part.buffers++;
	part.nbuffers--;
	part.arg = &(struct bed_arg){ first };
	return bed_add.cuda[0](&part);
}

#define EVERYWHERE(f) .cpu = { f }, .cuda = { f }
static const struct xy_codelet bump = { .name = "bump", EVERYWHERE(bump_in_ram), .modes = { XY_RW | XY_IN_RAM } };
static const struct xy_codelet look = { .name = "look", EVERYWHERE(see), .modes = { XY_R | XY_ANYWHERE } };
static const struct xy_codelet touch = { .name = "touch", EVERYWHERE(see), .modes = { XY_RW | XY_ANYWHERE } };
static const struct xy_codelet mixed = { .name = "mixed",
					 .cuda = { mixed_cuda },
					 .modes = { XY_R | XY_IN_RAM, XY_RW } };

static void a_device_worker_has_data_in_ram(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 1), &bed_set, 7, v, NULL, NULL);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bump, 0, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(node_seen, 0);
	assert_int_equal(xy_handle_nodes(v), 1);
	assert_int_equal(moved(CUDART_DOUBLE_OUT), BYTES);
	assert_int_equal(moved(CUDART_DOUBLE_IN), 0);
	assert_int_equal(x[5], 7 + 5 + 100);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_add, 1, v, NULL, NULL);
	bed_unregister(h, &v);
	assert_int_equal(x[5], 3 * 112 + 1);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void one_access_in_ram_and_another_on_the_device(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *a = bed_vector(h, x, N), *b = bed_vector(h, y, N);

	(void)state;
	for (unsigned i = 0; i < N; i++)
		y[i] = i;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 9, a, NULL, NULL);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 1), &mixed, 0, a, b, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_handle_nodes(b), 1u << bed_node(h, XY_CUDA, 1));
	assert_int_equal(moved(CUDART_DOUBLE_IN), BYTES);
	bed_unregister(h, &a);
	bed_unregister(h, &b);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(y[i], 3 * i + 9);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void data_that_may_be_anywhere_is_not_moved(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, NULL, N);
	unsigned node = bed_node(h, XY_CUDA, 1);

	(void)state;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &touch, 0, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(node_seen, 0);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 1), &bed_set, 7, v, NULL, NULL);
	for (unsigned i = 0; i < 4; i++) {
		const struct xy_codelet *codelet = i & 1 ? &touch : &look;

		node_seen = 99;
		bed_submit_on(h, i & 2 ? bed_worker(h, XY_CUDA, 0) : bed_worker(h, XY_CPU, 0), codelet, 0, v, NULL,
			      NULL);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(node_seen, node);
		assert_int_equal(xy_handle_nodes(v), 1u << node);
	}
	assert_int_equal(moved(CUDART_DOUBLE_IN) + moved(CUDART_DOUBLE_OUT) + moved(CUDART_DOUBLE_PEER), 0);
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void what_is_in_ram_needs_no_room_on_the_device(void **state)
{
	struct helper *h = bed_start(1, &(struct xy_config){ .arch[XY_CUDA].limit = "1K" }, false);
	struct xy_handle *v = bed_vector(h, NULL, 100 * N);

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		bed_submit_on(h, bed_worker(h, XY_CUDA, i % 2), &bump, 0, v, NULL, NULL);
	assert_int_equal(xy_acquire(v, XY_R), 0);
	assert_int_equal(*(uint32_t *)xy_handle_pointer(v), 2000);
	xy_release(v);
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void queues_bring_data_to_where_it_is_to_be(void **state)
{
	static const char *const policies[] = { "tree-eager-prefetching", "tree-dmdas", "tree-heft" };

	(void)state;
	for (unsigned p = 0; p < HELPER_COUNT(policies); p++) {
		struct helper *h = bed_start(1, &(struct xy_config){ .sched = policies[p] }, false);
		struct xy_handle *v[8];

		for (unsigned i = 0; i < HELPER_COUNT(v); i++) {
			v[i] = bed_vector(h, NULL, N);
			bed_submit_on(h, bed_worker(h, XY_CUDA, i % 2), &bed_set, i, v[i], NULL, NULL);
		}
		for (unsigned i = 0; i < 10 * HELPER_COUNT(v); i++)
			bed_submit(h, i % 3 ? &bump : &look, 0, v[i % HELPER_COUNT(v)], NULL, NULL);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(moved(CUDART_DOUBLE_IN), 0);
		for (unsigned i = 0; i < HELPER_COUNT(v); i++)
			bed_unregister(h, &v[i]);
		assert_int_equal(bed_stop(h, 0), 0);
	}
}

static void modes_that_contradict_are_refused(void **state)
{
	static const unsigned wrong[] = { XY_SCRATCH | XY_IN_RAM,
					  XY_R | XY_IN_RAM | XY_ANYWHERE,
					  XY_IN_RAM,
					  XY_ANYWHERE,
					  XY_REDUX | XY_ANYWHERE,
					  XY_R | 256 };
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, NULL, N);

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(wrong); i++) {
		struct xy_codelet codelet = { .name = "wrong", EVERYWHERE(see), .modes = { (enum xy_mode)wrong[i] } };

		assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &codelet, .handles = { v } }),
				 -EINVAL);
		assert_int_equal(xy_insert(h->rt, &codelet, xy_use(v, (enum xy_mode)wrong[i])), -EINVAL);
	}
	assert_int_equal(xy_insert(h->rt, &look, xy_use(v, XY_R | XY_ANYWHERE | XY_UNORDERED)), 0);
	assert_int_equal(xy_insert(h->rt, &bump, xy_use(v, XY_RW | XY_COMMUTE | XY_IN_RAM)), 0);
	assert_int_equal(helper_wait(h), 0);
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 2 * HELPER_COUNT(wrong)), 0);
}

static void without_devices_all_is_in_ram(void **state)
{
	struct helper *h = helper_start("tree-eager", 2);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	memset(x, 0, sizeof x);
	for (unsigned i = 0; i < 10; i++)
		bed_submit(h, i % 2 ? &bump : &touch, 0, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(node_seen, 0);
	bed_unregister(h, &v);
	assert_int_equal(x[3], 500);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_worker_has_data_in_ram),
		cmocka_unit_test(one_access_in_ram_and_another_on_the_device),
		cmocka_unit_test(data_that_may_be_anywhere_is_not_moved),
		cmocka_unit_test(what_is_in_ram_needs_no_room_on_the_device),
		cmocka_unit_test(queues_bring_data_to_where_it_is_to_be),
		cmocka_unit_test(modes_that_contradict_are_refused),
		cmocka_unit_test(without_devices_all_is_in_ram),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
