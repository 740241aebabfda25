/* SPDX-License-Identifier: MIT */
/* Components that keep their lock in virtual time, where nobody could wait for it. */
#include "sim_bed.h"

#include <errno.h>
#include <string.h>
#include <xylem/component.h>

/* Each third call of a verb ends without dropping the lock. */
struct forgetful {
	struct xy_component base;
	struct xy_lock lock;
	struct xy_queue queue;
	unsigned pushes, pulls;
	bool in_pull; /* option */
};

static struct forgetful *forgetful(struct xy_component *self)
{
	return (struct forgetful *)self;
}

static bool forgetful_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy_offer offer = xy_offer_of(task);
	struct forgetful *f = forgetful(self);

	xy_lock_take(&f->lock, self, by);
	xy_queue_insert(&f->queue, task);
	if (f->in_pull || ++f->pushes % 3)
		xy_lock_drop(&f->lock, self, by);
	xy_can_pull_children(self, &offer, by);
	return true;
}

static struct xy_task *forgetful_pull(struct xy_component *self, struct xy_agent *by)
{
	struct forgetful *f = forgetful(self);
	struct xy_task *task;

	xy_lock_take(&f->lock, self, by);
	task = xy_queue_take(&f->queue, by);
	if (!f->in_pull || ++f->pulls % 3)
		xy_lock_drop(&f->lock, self, by);
	return task;
}

static size_t forgetful_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&forgetful(self)->queue);
	return xy_queue_count(&forgetful(self)->queue);
}

static const struct xy_option forgetful_options[] = { { "in_pull", "pull keeps the lock, not push", XY_OPTION_BOOL,
							offsetof(struct forgetful, in_pull), .initial = 0 },
						      { 0 } };

static const struct xy_component_ops forgetful_ops = {
	.name = "forgetful",
	.summary = "keeps its lock now and then",
	.flags = XY_STORES,
	.size = sizeof(struct forgetful),
	.options = forgetful_options,
	.push = forgetful_push,
	.pull = forgetful_pull,
	.depth = forgetful_depth,
};

static const struct xy_component_ops *const components[] = { &forgetful_ops, NULL };

/* The debug build notices at the end of the verb, the others when the lock is wanted again. */
static void is_named(const char *sched, const char *verb)
{
	struct sim_bed *bed = sim_start(sim_two_cores, sched, &(struct xy_config){ .components = components });
	char kept[64];

	snprintf(kept, sizeof kept, "keeps the lock of forgetful#0, taken in %s, ", verb);
	for (unsigned i = 0; i < 20; i++)
		SIM_SUBMIT(bed, i, 10, .codelet = &sim_plain);
	assert_int_equal(xy_wait(bed->rt), -EPROTO);
	assert_true(strstr(xy_error(bed->rt), kept) ||
		    (strstr(xy_error(bed->rt), "forgetful#0") && strstr(xy_error(bed->rt), "\"drop your lock\"")));
	assert_int_equal(bed->nended, 20);
	assert_int_equal(sim_stop(bed, 1), 0);
}

static void a_lock_that_push_keeps_stops_no_simulation(void **state)
{
	(void)state;
	is_named("forgetful | eager | each worker { }", "push");
}

static void a_lock_that_pull_keeps_stops_no_simulation(void **state)
{
	(void)state;
	is_named("forgetful(in_pull) | eager | each worker { }", "pull");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_that_push_keeps_stops_no_simulation),
		cmocka_unit_test(a_lock_that_pull_keeps_stops_no_simulation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
