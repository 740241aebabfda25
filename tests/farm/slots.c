/* SPDX-License-Identifier: MIT */
/* The division of slots: its rules for all small requests and for random ones, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "farm/slots.h"
#include "farm/slots_gpus.h"

enum { GPUS = 16, CPUS = 64 };

static char text[256];

static int divide(struct slots_division *division, const struct slots_request *r)
{
	text[0] = '\0';
	return slots_division_init(division, r, text, sizeof(text));
}

/* Every slot is equal, no GPU is over 1.0, nothing straddles, no processor is in two slots. */
static void check(const struct slots_division *p, const struct slots_request *r)
{
	double load[GPUS] = { 0 };
	bool taken[CPUS] = { false };

	assert_true(p->nslots > 0);
	for (unsigned slot = 0; slot < p->nslots; slot++) {
		unsigned first = slots_division_gpu(p, slot);

		assert_true(first + p->gpus_per_slot <= r->ngpus);
		if (r->gpus_per_rep > 0 && r->gpus_per_rep < 1)
			assert_int_equal(p->gpus_per_slot, 1);
		else if (r->gpus_per_rep >= 1)
			assert_int_equal(p->gpus_per_slot, (unsigned)r->gpus_per_rep);
		for (unsigned gpu = first; r->gpus_per_rep > 0 && gpu < first + p->gpus_per_slot; gpu++)
			load[gpu] += fmin(r->gpus_per_rep, 1);
		for (unsigned i = 0; i < p->cpus_per_slot; i++) {
			unsigned cpu = p->cpus[slot * p->cpus_per_slot + i];

			assert_true(cpu < r->ncpus);
			assert_false(taken[cpu]);
			taken[cpu] = true;
			assert_true(i == 0 || cpu > p->cpus[slot * p->cpus_per_slot + i - 1]);
		}
	}
	for (unsigned gpu = 0; gpu < r->ngpus; gpu++)
		assert_true(load[gpu] <= 1 + 1e-6);
	if (r->gpus_per_rep > 0) /* nothing more would fit */
		for (unsigned gpu = 0; gpu + p->idle_gpus < r->ngpus; gpu++)
			assert_true(load[gpu] + fmin(r->gpus_per_rep, 1) > 1 - 1e-6);
	if (!r->share_cpus)
		assert_int_equal(p->nslots * p->cpus_per_slot + p->idle_cpus, r->ncpus);
	if (r->parallel)
		assert_int_equal(r->parallel, p->nslots);
}

static void keeps_its_rules_for_all_small_requests(void **state)
{
	static const double shares[] = { 0,    0.05, 0.1,  0.125, 0.2,  0.25, 0.3, 1. / 3, 0.333333, 0.34, 0.4, 0.5,
					 0.51, 0.6,  0.75, 0.9,   0.99, 1,    2,   3,      4,        5,    16 };
	unsigned made = 0, refused = 0;

	(void)state;
	for (unsigned share = 0; share < sizeof(shares) / sizeof(shares[0]); share++)
		for (unsigned gpus = 0; gpus <= GPUS; gpus++)
			for (unsigned cpus = 1; cpus <= CPUS; cpus++)
				for (unsigned each = 0; each <= 9; each++) {
					struct slots_request r = { .ngpus = gpus,
								   .ncpus = cpus,
								   .gpus_per_rep = shares[share],
								   .cpus_per_rep = each < 9 ? each : 0,
								   .share_cpus = each == 9 };
					struct slots_division p;
					int error = divide(&p, &r);

					if (error) {
						assert_int_equal(error, -EINVAL);
						assert_true(text[0]);
						refused++;
						continue;
					}
					check(&p, &r);
					slots_division_fini(&p);
					made++;
				}
	assert_true(made > 10000);
	assert_true(refused > 10000);
}

static void keeps_its_rules_whatever_is_near(void **state)
{
	unsigned seed = 7;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		bool near[GPUS * CPUS];
		struct slots_request r = { .ngpus = 1 + (unsigned)rand_r(&seed) % 8, .near = near };
		struct slots_division p;

		r.ncpus = 1 + (unsigned)rand_r(&seed) % CPUS;
		r.gpus_per_rep = rand_r(&seed) % 2 ? 1 : 0.01 * (1 + rand_r(&seed) % 99);
		for (unsigned i = 0; i < r.ngpus * r.ncpus; i++)
			near[i] = rand_r(&seed) % 3 == 0;
		if (divide(&p, &r))
			continue;
		check(&p, &r);
		slots_division_fini(&p);
	}
}

static void gives_as_many_slots_as_a_user_expects(void **state)
{
	static const struct {
		unsigned gpus;
		double share;
		unsigned slots, per_gpu;
	} cases[] = {
		{ 1, 0.5, 2, 2 },         { 4, 1, 4, 1 },    { 4, 0.75, 4, 1 },   { 2, 0.1, 20, 10 },
		{ 1, 0.333333333, 3, 3 }, { 1, 0.34, 2, 2 }, { 3, 0.3, 9, 3 },    { 8, 2, 4, 1 },
		{ 3, 2, 1, 1 },           { 4, 4, 1, 1 },    { 1, 0.05, 20, 20 }, { 1, 0.01, 100, 100 },
		{ 2, 0.07, 28, 14 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct slots_request r = { .ngpus = cases[i].gpus, .ncpus = 128, .gpus_per_rep = cases[i].share };
		struct slots_division p;

		assert_int_equal(divide(&p, &r), 0);
		assert_int_equal(p.nslots, cases[i].slots);
		assert_int_equal(p.reps_per_gpu, cases[i].per_gpu);
		for (unsigned slot = 0; slot < p.nslots; slot++)
			assert_int_equal(slots_division_gpu(&p, slot), slot / p.reps_per_gpu * p.gpus_per_slot);
		slots_division_fini(&p);
	}
}

static void says_what_is_left_over(void **state)
{
	struct slots_division p;

	(void)state;
	assert_int_equal(divide(&p, &(struct slots_request){ .ngpus = 3, .ncpus = 7, .gpus_per_rep = 2 }), 0);
	assert_int_equal(p.idle_gpus, 1);
	assert_int_equal(p.idle_cpus, 0);
	slots_division_fini(&p);
	assert_int_equal(divide(&p, &(struct slots_request){ .ngpus = 1, .ncpus = 7, .gpus_per_rep = 0.3 }), 0);
	assert_int_equal(p.idle_cpus, 1);
	assert_true(fabs(p.unused - 0.1) < 1e-9);
	slots_division_fini(&p);
}

static void takes_processors_near_the_gpu(void **state)
{
	/* Processors 0-3 are near GPU 1, 4-7 near GPU 0. */
	bool near[2 * 8];
	struct slots_request r = { .ngpus = 2, .ncpus = 8, .near = near, .gpus_per_rep = 0.5 };
	struct slots_division p;

	(void)state;
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		near[cpu] = cpu >= 4;
		near[8 + cpu] = cpu < 4;
	}
	assert_int_equal(divide(&p, &r), 0);
	assert_int_equal(p.cpus_per_slot, 2);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(p.cpus[i], (i + 4) % 8);
	slots_division_fini(&p);
	/* More than are near: the rest comes from elsewhere, after the others had theirs. */
	r.cpus_per_rep = 4;
	r.gpus_per_rep = 1;
	for (unsigned cpu = 0; cpu < 8; cpu++)
		near[cpu] = cpu == 7;
	assert_int_equal(divide(&p, &r), 0);
	assert_int_equal(p.cpus[3], 7);
	assert_int_equal(p.cpus[0], 4);
	assert_int_equal(p.cpus[4], 0);
	slots_division_fini(&p);
}

static void divides_processors_without_gpus(void **state)
{
	struct slots_division p;

	(void)state;
	assert_int_equal(divide(&p, &(struct slots_request){ .ncpus = 11, .cpus_per_rep = 4 }), 0);
	assert_int_equal(p.nslots, 2);
	assert_int_equal(p.gpus_per_slot, 0);
	assert_int_equal(p.idle_cpus, 3);
	slots_division_fini(&p);
	assert_int_equal(divide(&p, &(struct slots_request){ .ngpus = 2, .ncpus = 9, .parallel = 3 }), 0);
	assert_int_equal(p.nslots, 3);
	assert_int_equal(p.cpus_per_slot, 3);
	assert_int_equal(p.gpus_per_slot, 2);
	assert_int_equal(slots_division_gpu(&p, 2), 0);
	slots_division_fini(&p);
	assert_int_equal(divide(&p, &(struct slots_request){ .ncpus = 5 }), 0);
	assert_int_equal(p.nslots, 1);
	assert_int_equal(p.cpus_per_slot, 5);
	slots_division_fini(&p);
}

static void refuses_with_the_numbers(void **state)
{
	static const struct {
		struct slots_request request;
		const char *message;
	} cases[] = {
		{ { 4, 8, NULL, 0.5, 0, false, 4 }, "4 repetitions in parallel are asked for, but there are 8 slots" },
		{ { 2, 8, NULL, 4, 0, false, 0 },
		  "4 GPUs for a repetition, but this job has only 2: that makes 0 "
		  "slots" },
		{ { 0, 8, NULL, 1, 0, false, 0 }, "1 GPUs for a repetition, but this job has no GPU" },
		{ { 4, 8, NULL, 1.5, 0, false, 0 }, "1.5 GPUs for a repetition: from 1 on it must be a whole number" },
		{ { 4, 8, NULL, -0.5, 0, false, 0 }, "-0.5 GPUs for a repetition: it must be more than 0" },
		{ { 4, 8, NULL, NAN, 0, false, 0 }, "GPUs for a repetition: it must be more than 0" },
		{ { 4, 8, NULL, INFINITY, 0, false, 0 }, "inf GPUs for a repetition: it must be more than 0" },
		{ { 4, 8, NULL, 1e-9, 0, false, 0 }, "1e-09 GPUs for a repetition are more than 4096 repetitions" },
		{ { 4, 8, NULL, 0.001, 0, true, 0 }, "" },
		{ { 4, 3, NULL, 1, 0, false, 0 },
		  "4 slots, but this job may use only 3 processors: less than one "
		  "for each" },
		{ { 4, 8, NULL, 1, 4, false, 0 }, "4 slots of 4 processors need 16, but this job may use only 8" },
		{ { 0, 2, NULL, 0, 4, false, 0 },
		  "4 processors for a repetition, but this job may use only 2: "
		  "that makes 0 slots" },
		{ { 0, 2, NULL, 0, 1, false, 3 }, "3 repetitions in parallel are asked for, but there are 2 slots" },
		{ { 16, 8, NULL, 0.001, 0, true, 0 }, "16000 slots are more than 4096" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct slots_division p;
		int error = divide(&p, &cases[i].request);

		assert_int_equal(error, cases[i].message[0] ? -EINVAL : 0);
		assert_non_null(strstr(text, cases[i].message));
		if (!error)
			slots_division_fini(&p);
	}
}

static void reads_generic_resources(void **state)
{
	static const struct {
		const char *text;
		int count; /* -1: refused */
	} cases[] = {
		{ "4", 4 },
		{ "gpu", 1 },
		{ "gpu:4", 4 },
		{ "gpu:a100:4", 4 },
		{ "gpu:a100", 1 },
		{ "gpu:4(S:0)", 4 },
		{ "gpu:a100:4(S:0-1)", 4 },
		{ "gpu:2(IDX:0,3)", 2 },
		{ "nvme:1,gpu:2", 2 },
		{ "gpu:a:1,gpu:b:2", 3 },
		{ "gres:gpu:2", 2 },
		{ "gres/gpu:2", 2 },
		{ "gpu=3", 3 },
		{ "gpu:0", 0 },
		{ "0", 0 },
		{ "nvme:1", 0 },
		{ "gpu:2(IDX:0,3),gpu:b:1(IDX:1)", 3 },
		{ "", -1 },
		{ "gpu:", -1 },
		{ "gpu:4x", -1 },
		{ "gpu:-1", -1 },
		{ ",", -1 },
		{ "gpu:4,", -1 },
		{ "gpu:4(S:0", -1 },
		{ "4.5", -1 },
		{ "-1", -1 },
		{ "999999999999999999999", -1 },
		{ "gpu:100000", -1 },
		{ "(S:0)", -1 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned count = 77;
		int error = slots_gpus_count(cases[i].text, &count, text, sizeof(text));

		if (cases[i].count < 0 ? !error : error || count != (unsigned)cases[i].count)
			fail_msg("\"%s\" gives %d and %u", cases[i].text, error, count);
	}
	assert_int_equal(slots_gpus_count("gpu:four:x4:5y", &(unsigned){ 0 }, text, sizeof(text)), -EINVAL);
	assert_string_equal(text, "\"gpu:four:x4:5y\" is no number of GPUs: it may be such as 4, gpu:4, gpu:a100:4 or "
				  "gpu:4(S:0-1)");
}

/* What is read from these texts, as one list; "!" and the message when it is refused. */
static const char *ids_of(const char *visible, const char *step, const char *job, const char *wanted)
{
	struct slots_gpus_source source = { visible, step, job, wanted };
	static struct slots_gpus gpus;
	static char all[4096], message[300];
	size_t used = 0;

	if (slots_gpus_read(&gpus, &source, message + 1, sizeof(message) - 1)) {
		message[0] = '!';
		return message;
	}
	all[0] = '\0';
	for (unsigned i = 0; i < gpus.count; i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? " " : "", gpus.ids[i]);
	return all;
}

static void takes_the_ids_that_the_job_was_given(void **state)
{
	(void)state;
	assert_string_equal(ids_of("2,3", "0,1", "4,5", NULL), "2 3");
	assert_string_equal(ids_of(NULL, "0,1", "4,5", NULL), "0 1");
	assert_string_equal(ids_of(NULL, NULL, "4-6,9", NULL), "4 5 6 9");
	assert_string_equal(ids_of(NULL, NULL, NULL, "gpu:3"), "0 1 2");
	assert_string_equal(ids_of(NULL, NULL, NULL, NULL), "");
	assert_string_equal(ids_of("", NULL, "4", NULL), "");
	assert_string_equal(ids_of("NoDevFiles", NULL, NULL, NULL), "");
	assert_string_equal(ids_of("-1", NULL, NULL, NULL), "");
	assert_string_equal(ids_of("1,-1,0", NULL, NULL, NULL), "1");
	assert_string_equal(ids_of(" 1 , 0 ", NULL, NULL, NULL), "1 0");
	assert_string_equal(ids_of("GPU-8932f937-d72c-4106-c12f-20bd9faed9f6,MIG-GPU-1/1/0", NULL, NULL, NULL),
			    "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6 MIG-GPU-1/1/0");
	assert_string_equal(ids_of("5,6,7,8", NULL, NULL, "2"), "5 6");
}

static void refuses_ids_that_are_wrong(void **state)
{
	(void)state;
	assert_string_equal(ids_of("0,0", NULL, NULL, NULL), "!\"0,0\" has the GPU 0 twice");
	assert_string_equal(ids_of("0,x", NULL, NULL, NULL), "!\"x\" in \"0,x\" is no GPU: it may be a number or "
							     "a UUID");
	assert_string_equal(ids_of("0,,1", NULL, NULL, NULL), "!\"\" in \"0,,1\" is no GPU: it may be a number or "
							      "a UUID");
	assert_string_equal(ids_of("0 1", NULL, NULL, NULL), "!\"0 1\" is no list of GPUs separated by commas");
	assert_string_equal(ids_of("3-1", NULL, NULL, NULL), "!\"3-1\" in \"3-1\" is no GPU: it may be a number "
							     "or a UUID");
	assert_string_equal(ids_of("0,1", NULL, NULL, "gpu:4"), "!4 GPUs are asked for, but the job has 2 (\"0,1\")");
	assert_string_equal(ids_of("0-299", NULL, NULL, NULL), "!\"0-299\" has more than 256 GPUs");
	assert_non_null(strstr(ids_of("GPU-01234567890123456789012345678901234567890123456789012345678901234567"
				      "89012345678901",
				      NULL, NULL, NULL),
			       "too long"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_its_rules_for_all_small_requests),
		cmocka_unit_test(keeps_its_rules_whatever_is_near),
		cmocka_unit_test(gives_as_many_slots_as_a_user_expects),
		cmocka_unit_test(says_what_is_left_over),
		cmocka_unit_test(takes_processors_near_the_gpu),
		cmocka_unit_test(divides_processors_without_gpus),
		cmocka_unit_test(refuses_with_the_numbers),
		cmocka_unit_test(reads_generic_resources),
		cmocka_unit_test(takes_the_ids_that_the_job_was_given),
		cmocka_unit_test(refuses_ids_that_are_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
