/* SPDX-License-Identifier: MIT */
/* The message back up, below each kind of component: a task that is given back enters anew and reaches somebody. */
#include "recording.h"

enum { CPU = XY_ON_CPU };

static const double lengths[] = { 10, 11, 12 };

static bool is_single(const struct xy_component_ops *ops)
{
	return !(ops->flags & XY_MAPS);
}

/* fifo | KIND { basin | worker i, ... }; what has one child gets an eager below it */
static struct bed *open_below(const struct xy_component_ops *ops, struct xy_component *basins[3])
{
	struct bed *bed = bed_open("cpu:3");
	struct xy_component *above = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), ops);

	if (is_single(ops))
		above = bed_add(bed, above, &xy__eager_ops);
	for (unsigned i = 0; i < 3; i++) {
		basins[i] = bed_add(bed, above, &basin_ops);
		bed_add_worker(bed, basins[i], i);
	}
	bed_seal(bed);
	return bed;
}

/* In how many basins it is; the last of them into *at. */
static unsigned find(struct xy_component **basins, const struct xy_task *task, unsigned *at)
{
	unsigned found = 0;

	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < recorder(basins[i])->nheld; k++)
			if (recorder(basins[i])->held[k] == task) {
				found++;
				*at = i;
			}
	return found;
}

/* Lets everybody who has room look until the task is in a basin, or a worker has it. */
static unsigned settle(struct bed *bed, struct xy_component **basins, const struct xy_task *task)
{
	unsigned at = 3;

	for (unsigned i = 0; i < 3 && !find(basins, task, &at); i++)
		xy_can_push_parents(basins[i], &bed->workers[i]);
	for (unsigned i = 0; i < 3 && !find(basins, task, &at); i++)
		if (recorder(basins[i])->room && bed_pull(bed, i) == task)
			return i;
	assert_int_equal(find(basins, task, &at), 1);
	return at;
}

static void check_kind(const struct xy_component_ops *ops)
{
	struct xy_component *basins[3];
	struct bed *bed = open_below(ops, basins);
	struct xy_task *task = bed_task_lasting(bed, CPU, lengths);
	bool tried[3] = { false };

	print_message("# %s\n", ops->name);
	for (unsigned i = 0; i < 3; i++)
		recorder(basins[i])->room = 1;
	bed_submit(bed, task);
	for (unsigned round = 0; round < 3; round++) {
		unsigned at = settle(bed, basins, task);

		assert_false(tried[at]);
		tried[at] = true;
		basin_empty(basins[at]);
		recorder(basins[at])->room = 0;
		bed->free_us[at] = 1e9; /* nobody waits for this one */
		if (round < 2)
			xy_give_back(basins[at], task, &bed->workers[at]);
	}
	bed_close(bed);
}

static void a_task_goes_to_somebody_else_below_each_kind(void **state)
{
	/* The first three send a task where it, or what is known of it, says: always to the same branch. The others
	 * want an unlimited queue in each branch, which never refuses. */
	static const char *const others[] = { "userchoice", "perfmodel-select", "in-order",
					      "balance",    "hybrid",           "rehearse" };
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; xy__components[i]; i++) {
		bool checked = !(xy__components[i]->flags & XY_LEAF);

		for (unsigned k = 0; k < sizeof others / sizeof others[0]; k++)
			checked = checked && strcmp(xy__components[i]->name, others[k]);
		if (checked) {
			check_kind(xy__components[i]);
			n++;
		}
	}
	assert_true(n >= 12);
}

/* Who may take it back, as the engine does. */
static struct xy_task *kept;

static void keep(struct xy__tree_engine *engine, struct xy_task *task, struct xy_agent *by)
{
	(void)engine;
	assert_false(
		xy_push(xy_tree_root(((struct bed *)((char *)engine - offsetof(struct bed, engine)))->tree), task, by));
	kept = task;
}

static void what_the_root_refuses_is_kept_by_the_engine(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *root = bed_add(bed, NULL, &xy__userchoice_ops);
	struct xy_component *fifo = bed_add(bed, root, &xy__fifo_ops);
	struct xy_task *task = bed_task_pinned(bed, CPU, 0);

	(void)state;
	bed_add_worker(bed, fifo, 0);
	bed_seal(bed);
	bed->engine.take_back = keep;
	bed_submit(bed, task);
	assert_ptr_equal(bed_pull(bed, 0), task);
	task->extra->workers[0] = 7; /* nobody can run it any more */
	xy_give_back(fifo, task, &bed->workers[0]);
	assert_ptr_equal(kept, task);
	bed_close(bed);
}

static void a_task_that_userchoice_sent_comes_back_to_the_same_branch(void **state)
{
	struct bed *bed = bed_parse("cpu:2", "userchoice { fifo, fifo } | eager | each worker { }");
	struct xy_component *root = xy_tree_root(bed->tree);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	bed_submit(bed, task);
	assert_ptr_equal(bed_pull(bed, 1), task);
	xy_give_back(root->children[0], task, &bed->workers[1]);
	assert_int_equal(root->children[0]->ops->depth(root->children[0], &(size_t){ 0 }), 1);
	bed_close(bed);
}

static void perfmodel_select_decides_anew_when_a_model_is_purged(void **state)
{
	double changing[] = { 10 };
	struct bed *bed = bed_parse("cpu:1", "perfmodel-select { known: fifo, calibrating: fifo, none: fifo } | eager"
					     " | each worker { }");
	struct xy_component *root = xy_tree_root(bed->tree);
	struct xy_task *task = bed_task_lasting(bed, CPU, changing);
	size_t peak;

	(void)state;
	bed_submit(bed, task);
	assert_int_equal(root->children[0]->ops->depth(root->children[0], &peak), 1);
	assert_ptr_equal(bed_pull(bed, 0), task);
	changing[0] = 0;
	xy_give_back(root->children[0], task, &bed->workers[0]);
	assert_int_equal(root->children[1]->ops->depth(root->children[1], &peak), 1);
	assert_true(bed->workers[0].gave_back);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_goes_to_somebody_else_below_each_kind),
		cmocka_unit_test(what_the_root_refuses_is_kept_by_the_engine),
		cmocka_unit_test(a_task_that_userchoice_sent_comes_back_to_the_same_branch),
		cmocka_unit_test(perfmodel_select_decides_anew_when_a_model_is_purged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
