/* SPDX-License-Identifier: MIT */
/*
 * Disks beside devices: data goes from a device to disk and back by RAM, which has little room. Random programs on two
 * CUDA devices of the test double compute what they would in RAM.
 */
#include "bed.h"

#include <errno.h>
#include <stdio.h>

enum { N = 16 << 10, BYTES = N * sizeof(uint32_t), NDATA = 16 };

struct program {
	struct helper *h;
	struct xy_handle *v[NDATA];
	uint32_t first[NDATA], second[NDATA]; /* their first two numbers */
	uint64_t random;
	unsigned disk;
};

static struct helper *start(unsigned ram, unsigned device, const char *sched)
{
	char limit_ram[32], limit_device[32];
	const struct xy_config config = {
		.sched = sched, .limit_ram = limit_ram, .disk = ".:16M", .arch[XY_CUDA].limit = limit_device
	};

	snprintf(limit_ram, sizeof limit_ram, "%u", ram * BYTES);
	snprintf(limit_device, sizeof limit_device, "%u", device * BYTES);
	return bed_start(2, &config, false);
}

/* They are what the program says. */
static void expect(struct program *p, unsigned i)
{
	const uint32_t *words;

	assert_int_equal(xy_acquire(p->v[i], XY_R), 0);
	words = xy_handle_pointer(p->v[i]);
	assert_int_equal(words[0], p->first[i]);
	assert_int_equal(words[1], p->second[i]);
	assert_int_equal(xy_release(p->v[i]), 0);
}

static void step(struct program *p)
{
	unsigned a = helper_below(&p->random, NDATA), b = helper_below(&p->random, NDATA);
	uint32_t k = helper_below(&p->random, 1000);

	switch (helper_below(&p->random, 10)) {
	case 0:
	case 1:
		bed_submit(p->h, &bed_set, k, p->v[a], NULL, NULL);
		p->first[a] = k;
		p->second[a] = k + 1;
		break;
	case 2:
		assert_int_equal(xy_evict(p->v[a], b % p->disk), 0);
		break;
	case 3:
		assert_int_equal(xy_prefetch(p->v[a], b % (p->disk + 1)), 0);
		break;
	case 4:
		assert_int_equal(xy_advise(p->v[a], (enum xy_advice)(b % 3)), 0);
		break;
	case 5:
		expect(p, a);
		break;
	case 6:
		bed_submit(p->h, &bed_add, k, p->v[a], NULL, NULL);
		p->first[a] = 3 * p->first[a] + k;
		p->second[a] = 3 * p->second[a] + k;
		break;
	default:
		if (a == b)
			break;
		bed_submit(p->h, &bed_axpy, k, p->v[b], p->v[a], NULL);
		p->first[a] = 3 * p->first[a] + k * p->first[b];
		p->second[a] = 3 * p->second[a] + k * p->second[b];
	}
}

static void random_programs_compute_what_they_would_in_ram(void **state)
{
	static const char *const policies[] = { "tree-eager", "tree-eager-prefetching", "tree-random", "tree-dmdas" };

	(void)state;
	for (uint64_t seed = 1; seed <= helper_scale(40); seed++) {
		struct program p = { .random = seed };

		print_message("seed %llu\n", (unsigned long long)seed);
		p.h = start(3 + helper_below(&p.random, 4), 2 + helper_below(&p.random, 4),
			    policies[helper_below(&p.random, 4)]);
		p.disk = xy_machine_nnodes(xy_runtime_machine(p.h->rt)) - 1;
		for (unsigned i = 0; i < NDATA; i++)
			p.v[i] = bed_vector(p.h, NULL, N);
		for (unsigned i = 0; i < 300; i++)
			step(&p);
		for (unsigned i = 0; i < NDATA; i++)
			expect(&p, i);
		for (unsigned i = 0; i < NDATA; i++)
			bed_unregister(p.h, &p.v[i]);
		assert_int_equal(bed_stats(p.h, p.disk).used_bytes, 0);
		assert_int_equal(bed_stop(p.h, 0), 0);
	}
}

static void what_a_device_wrote_goes_to_disk_and_back(void **state)
{
	struct program p = { .h = start(1, 1, NULL) };
	unsigned cuda = bed_worker(p.h, XY_CUDA, 0);

	(void)state;
	p.disk = xy_machine_nnodes(xy_runtime_machine(p.h->rt)) - 1;
	for (unsigned i = 0; i < 6; i++) {
		p.v[i] = bed_vector(p.h, NULL, N);
		p.first[i] = 3 * i + 1;
		p.second[i] = 3 * (i + 1) + 1;
		bed_submit_on(p.h, cuda, &bed_set, i, p.v[i], NULL, NULL);
	}
	for (unsigned i = 0; i < 6; i++)
		bed_submit_on(p.h, cuda, &bed_add, 1, p.v[i], NULL, NULL);
	assert_int_equal(helper_wait(p.h), 0);
	assert_true(bed_stats(p.h, p.disk).bytes_in >= 4 * BYTES);
	assert_true(bed_stats(p.h, p.disk).bytes_out >= 3 * BYTES);
	for (unsigned i = 0; i < 6; i++) {
		expect(&p, i);
		bed_unregister(p.h, &p.v[i]);
	}
	assert_int_equal(bed_stop(p.h, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_device_wrote_goes_to_disk_and_back),
		cmocka_unit_test(random_programs_compute_what_they_would_in_ram),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
