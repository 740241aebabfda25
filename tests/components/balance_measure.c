/* SPDX-License-Identifier: MIT */
/* What devices that are alike learn from each other under balance. */
#include "recording.h"

#include "components/balance/balance.h"

enum { LEVEL = 6, SMALLER = (1 << LEVEL) - 1 };

static const char expression[] = "prio | balance | each node { fifo | eager | each worker { } }";

static struct xy__balance *balance_of(struct bed *bed)
{
	return (struct xy__balance *)xy_tree_root(bed->tree)->children[0];
}

/* Two devices of one speed have measured all smaller sizes. */
static struct xy__balance_subject *two_that_are_alike(struct xy__balance *b)
{
	struct xy__balance_subject *s = &b->subjects[b->nsubjects++];

	assert_int_equal(b->cutter.all.count, 2);
	for (unsigned i = 0; i < 2; i++) {
		s->of[i] = (struct xy__throughput){ .measured = SMALLER, .level = LEVEL, .least = 1, .recent = 1 };
		for (unsigned level = 0; level < LEVEL; level++)
			s->of[i].us_per_item[level] = 1;
	}
	return s;
}

static void only_one_of_several_tries_a_size(void **state)
{
	struct bed *bed = bed_parse("cuda:2", expression);
	struct xy__balance *b = balance_of(bed);
	struct xy__balance_subject *s = two_that_are_alike(b);

	(void)state;
	assert_false(xy__balance_should_wait(b, s, 1));
	b->of[0].trying = LEVEL + 1;
	assert_true(xy__balance_should_wait(b, s, 1));
	s->of[1].settled = true; /* it uses its best size */
	assert_false(xy__balance_should_wait(b, s, 1));
	s->of[1].settled = false;
	b->sweep = true; /* each measures all sizes */
	assert_false(xy__balance_should_wait(b, s, 1));
	b->sweep = false;
	b->of[0].trying = LEVEL; /* another size */
	assert_false(xy__balance_should_wait(b, s, 1));
	b->of[0].trying = LEVEL + 1;
	s->of[0].measured |= 1 << LEVEL; /* it was good */
	s->of[0].us_per_item[LEVEL] = 1;
	assert_false(xy__balance_should_wait(b, s, 1));
	bed_close(bed);
}

static void a_size_that_was_bad_for_one_is_not_tried_by_the_other(void **state)
{
	struct bed *bed = bed_parse("cuda:2", expression);
	struct xy__balance *b = balance_of(bed);
	struct xy__balance_subject *s = two_that_are_alike(b);
	struct xy_task *task = bed_task_divisible(bed, XY_ON_CUDA, 1000);

	(void)state;
	s->like = task->extra->division->like = bed;
	s->of[0].measured |= 1 << LEVEL;
	s->of[0].us_per_item[LEVEL] = 10;
	s->of[0].settled = true;
	task->extra->division->start = 1; /* it has begun */
	assert_ptr_equal(xy__balance_subject(b, task), s);
	assert_true(s->of[1].measured >> LEVEL & 1);
	assert_true(s->of[1].us_per_item[LEVEL] == 10);
	assert_true(xy__throughput_is_bad(&s->of[1], LEVEL));
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_one_of_several_tries_a_size),
		cmocka_unit_test(a_size_that_was_bad_for_one_is_not_tried_by_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
