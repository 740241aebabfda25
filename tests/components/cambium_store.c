/* SPDX-License-Identifier: MIT */
/* cambium's types of tasks, the tasks in order of rank, and the workers by class. */
#include "cambium_bed.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA, TASKS = 400 };

/* --- types --- */

static unsigned type_of(struct bed *bed, struct xy__cambium *c, const double *lengths)
{
	return xy__cambium_type_of(c, bed_task_lasting(bed, CPU | CUDA, lengths));
}

static void tasks_that_take_equally_long_are_of_one_type(void **state)
{
	static const double a[] = { 100, 10 }, almost_a[] = { 100.5, 10.05 }, b[] = { 200, 10 }, c_[] = { 100, 20 };
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	unsigned first = type_of(bed, c, a), second, third;

	(void)state;
	assert_int_equal(type_of(bed, c, a), first);
	assert_int_equal(type_of(bed, c, almost_a), first);
	second = type_of(bed, c, b);
	third = type_of(bed, c, c_);
	assert_int_equal(c->ntypes, 3);
	assert_true(first != second && second != third && third != first);
	assert_near(c->types[second].us[0], 200);
	assert_near(c->types[second].us[1], 10);
	assert_near(c->types[second].least_us, 10);
	assert_int_equal(c->types[second].fast, 1);
	assert_int_equal(c->types[second].base, second);
	assert_int_equal(type_of(bed, c, almost_a), first);
	assert_int_equal(type_of(bed, c, c_), third);
	bed_close(bed);
}

static void where_nothing_is_known_a_task_takes_as_long_as_elsewhere(void **state)
{
	static const double a[] = { 100, 0 }, unknown[] = { 0, 0 };
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	struct xy_task *cores = bed_task_lasting(bed, CPU, a);
	unsigned type = type_of(bed, c, a);

	(void)state;
	assert_near(c->types[type].us[1], 100);
	type = xy__cambium_type_of(c, cores);
	assert_near(c->types[type].us[0], 100);
	assert_true(isinf(c->types[type].us[1]));
	for (unsigned i = 0; i < 100; i++) /* what others take on average */
		type_of(bed, c, a);
	type = type_of(bed, c, unknown);
	assert_true(c->types[type].us[0] > 90 && c->types[type].us[0] <= 100);
	assert_near(c->types[type].us[0], c->types[type].us[1]);
	bed_close(bed);
}

static void what_takes_no_time_has_no_type(void **state)
{
	static const double a[] = { 100, 10 };
	static const unsigned flags[] = { XY__TASK_ACQUIRE, XY__TASK_DATA, XY__TASK_CLOSES };
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	struct xy_task *task = bed_task_lasting(bed, CPU, a);

	(void)state;
	task->codelet = 0;
	assert_int_equal(xy__cambium_type_of(c, task), XY__CAMBIUM_NOTYPE);
	for (unsigned i = 0; i < 3; i++) {
		task = bed_task_lasting(bed, CPU, a);
		task->flags |= (typeof(task->flags))flags[i];
		assert_int_equal(xy__cambium_type_of(c, task), XY__CAMBIUM_NOTYPE);
	}
	assert_int_equal(xy__cambium_type_of(c, bed_task_lasting(bed, XY_ON_OPENCL, a)), XY__CAMBIUM_NOTYPE);
	assert_int_equal(c->ntypes, 0);
	bed_close(bed);
}

/* With too many types, a task is of the one that is nearest. */
static void tasks_of_too_many_types_go_to_the_nearest(void **state)
{
	static double lengths[XY__CAMBIUM_TYPES + 2][2];
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);

	(void)state;
	for (unsigned i = 0; i < XY__CAMBIUM_TYPES; i++) {
		lengths[i][0] = exp2(i % 16);
		lengths[i][1] = exp2(i / 16);
		assert_int_equal(type_of(bed, c, lengths[i]), i);
	}
	lengths[XY__CAMBIUM_TYPES][0] = exp2(5.3);
	lengths[XY__CAMBIUM_TYPES][1] = exp2(6.7);
	assert_int_equal(type_of(bed, c, lengths[XY__CAMBIUM_TYPES]), 7 * 16 + 5);
	lengths[XY__CAMBIUM_TYPES + 1][0] = exp2(15);
	lengths[XY__CAMBIUM_TYPES + 1][1] = exp2(30);
	assert_int_equal(type_of(bed, c, lengths[XY__CAMBIUM_TYPES + 1]), 15 * 16 + 15);
	assert_int_equal(c->ntypes, XY__CAMBIUM_TYPES);
	bed_close(bed);
}

/* --- groups --- */

static struct {
	unsigned n;
	struct {
		struct xy_task *task;
		float path_us, area_us;
	} tasks[TASKS];
} model;

static int model_compare(unsigned a, unsigned b)
{
	float rank_a = model.tasks[a].path_us, rank_b = model.tasks[b].path_us;
	float tail_a = fmaxf(rank_a, model.tasks[a].area_us), tail_b = fmaxf(rank_b, model.tasks[b].area_us);

	if (rank_a != rank_b)
		return rank_a < rank_b ? -1 : 1;
	if (tail_a != tail_b)
		return tail_a < tail_b ? -1 : 1;
	return model.tasks[a].task->priority - model.tasks[b].task->priority;
}

static unsigned model_find(const struct xy_task *task)
{
	unsigned i = 0;

	while (i < model.n && model.tasks[i].task != task)
		i++;
	assert_in_range(i, 0, model.n - 1);
	return i;
}

/* By rank, then by tail, then by priority; equals together, the oldest first. */
static void assert_groups(const struct xy__cambium *c, unsigned type)
{
	const struct xy__cambium_type *t = &c->types[type];
	unsigned count = 0, last = 0;

	for (unsigned g = 0; g < t->ngroups; g++) {
		struct xy_task *task = t->groups[g].first;
		unsigned head = model_find(task);

		assert_non_null(task);
		assert_near(t->groups[g].rank_us, model.tasks[head].path_us + t->least_us);
		assert_near(t->groups[g].tail_us, fmaxf(model.tasks[head].path_us, model.tasks[head].area_us));
		assert_true(!g || model_compare(last, head) < 0);
		for (; task; task = task->next, count++) {
			unsigned i = model_find(task);

			assert_int_equal(model_compare(head, i), 0);
			assert_true(task == t->groups[g].first || i > last);
			assert_true(task->next || task == t->groups[g].last);
			last = i;
		}
	}
	assert_int_equal(count, t->ntasks);
	assert_near(c->backlog_us[t->fast], count * t->least_us);
}

/* What is left of one type does not depend on another. */
static void the_backlog_of_a_class_is_of_all_types(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	unsigned a = cambium_type(c, (float[]){ 100, 10 }, 1), b = cambium_type(c, (float[]){ 100, 20 }, 1);
	struct xy_task *task = bed_task(bed, CPU | CUDA);

	(void)state;
	assert_true(xy__cambium_insert(c, b, bed_task(bed, CPU | CUDA), 0, 0));
	assert_true(xy__cambium_insert(c, a, task, 0, 0));
	assert_near(c->backlog_us[1], 30);
	xy__cambium_remove(c, a, 0, task, NULL);
	assert_near(c->backlog_us[1], 20);
	bed_close(bed);
}

static void model_insert(struct bed *bed, struct xy__cambium *c, unsigned type)
{
	unsigned i = model.n++, random = xy_agent_random(&bed->application);

	model.tasks[i].task = bed_task(bed, CPU | CUDA);
	model.tasks[i].task->priority = (int)(random % 3) - 1;
	model.tasks[i].path_us = (float)(random / 3 % 5) * 10;
	model.tasks[i].area_us = (float)(random / 15 % 4) * 15;
	assert_true(xy__cambium_insert(c, type, model.tasks[i].task, model.tasks[i].path_us, model.tasks[i].area_us));
}

static void tasks_are_in_order_of_rank(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	unsigned type = cambium_type(c, (float[]){ 100, 10 }, 1), left;

	(void)state;
	model.n = 0;
	while (model.n < TASKS) {
		struct xy__cambium_type *t = &c->types[type];
		unsigned group, place;
		struct xy_task *task, *before = NULL;

		model_insert(bed, c, type);
		assert_groups(c, type);
		if (model.n % 3)
			continue;
		group = xy_agent_random(&bed->application) % t->ngroups;
		place = xy_agent_random(&bed->application) % 3;
		for (task = t->groups[group].first; place && task->next; place--, task = task->next)
			before = task;
		left = t->ntasks - 1;
		xy__cambium_remove(c, type, group, task, before);
		assert_int_equal(t->ntasks, left);
		assert_groups(c, type);
	}
	while (c->types[type].ntasks)
		xy__cambium_remove(c, type, 0, c->types[type].groups[0].first, NULL);
	assert_int_equal(c->types[type].ngroups, 0);
	assert_near(c->backlog_us[1], 0);
	bed_close(bed);
}

static void all_tasks_can_be_taken_out_at_once(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	bool found[100] = { false };
	unsigned count = 0;

	(void)state;
	model.n = 0;
	for (unsigned i = 0; i < 3; i++)
		cambium_type(c, (float[]){ 100, 10 * (float)(i + 1) }, 5);
	while (model.n < 100)
		model_insert(bed, c, model.n % 3);
	for (struct xy_task *task = xy__cambium_empty(c); task; task = task->next, count++) {
		assert_false(found[model_find(task)]);
		found[model_find(task)] = true;
	}
	assert_int_equal(count, 100);
	assert_null(xy__cambium_empty(c));
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(c->types[i].ngroups, 0);
		assert_int_equal(c->types[i].ntasks, 0);
		assert_int_equal(c->types[i].left, 0);
	}
	assert_near(c->backlog_us[1], 0);
	bed_close(bed);
}

/* --- workers --- */

static void workers_are_sorted_by_class(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:3 cuda:2 opencl:1", &c);

	(void)state;
	assert_int_equal(c->nclasses, 3);
	for (unsigned k = 0; k < 3; k++) {
		assert_int_equal(c->counts[k], 3 - k);
		assert_int_equal(c->first_of_class[k + 1] - c->first_of_class[k], 3 - k);
		assert_ptr_equal(c->seats[k], c->by_class[c->first_of_class[k]]);
		assert_near(c->prices[k], 1. / 6);
		for (unsigned i = c->first_of_class[k]; i < c->first_of_class[k + 1]; i++) {
			assert_int_equal(c->by_class[i]->worker, i);
			assert_int_equal(c->classes[i], k);
		}
	}
	/* the cores share a node, the devices have one each */
	assert_int_equal(c->first_node[1] - c->first_node[0], 1);
	assert_int_equal(c->first_node[2] - c->first_node[1], 2);
	assert_int_equal(c->first_node[3] - c->first_node[2], 1);
	assert_int_equal(c->by_node[1]->worker, 3);
	assert_int_equal(c->by_node[2]->worker, 4);
	assert_int_equal(c->by_node[3]->worker, 5);
	bed_close(bed);
}

/* Classes beyond the limit count as the last one. */
static void workers_of_too_many_classes_share_the_last(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open(
		"cpu:1 cuda:1*3 cuda:1*4 cuda:1*5 opencl:1*6 opencl:1*7 hip:1*8 hip:1*9 hip:2*10", &c);

	(void)state;
	assert_int_equal(c->nclasses, XY__CAMBIUM_CLASSES);
	assert_int_equal(c->first_of_class[c->nclasses], 10);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(c->classes[i], i < 7 ? i : 7);
	assert_int_equal(c->counts[7], 3);
	bed_close(bed);
}

/* Workers in teams are not for cambium to choose. */
static void teams_are_of_no_class(void **state)
{
	static const double lengths[] = { 10, 10, 10, 10 };
	struct bed *bed = bed_open("topology(core:4)");
	struct xy_component *self = bed_add(bed, NULL, &xy__cambium_ops);
	struct xy__cambium *c = (struct xy__cambium *)self;

	(void)state;
	assert_int_equal(xy_tree_link(self, xy_tree_team(bed->tree, 0)), 0);
	for (unsigned i = 0; i < 4; i++)
		bed_add_worker(bed, self, i);
	bed_seal(bed);
	assert_int_equal(c->nclasses, 1);
	assert_int_equal(c->counts[0], 4);
	assert_int_equal(c->first_of_class[1], 4);
	/* a team asks only for what teams can run */
	bed_submit(bed, bed_task_lasting(bed, CPU, lengths));
	bed->workers[0].team = xy_tree_team(bed->tree, 0);
	assert_null(xy_pull(self, &bed->workers[0]));
	bed->workers[0].team = NULL;
	assert_non_null(bed_pull(bed, 0));
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_that_take_equally_long_are_of_one_type),
		cmocka_unit_test(where_nothing_is_known_a_task_takes_as_long_as_elsewhere),
		cmocka_unit_test(what_takes_no_time_has_no_type),
		cmocka_unit_test(tasks_of_too_many_types_go_to_the_nearest),
		cmocka_unit_test(tasks_are_in_order_of_rank),
		cmocka_unit_test(the_backlog_of_a_class_is_of_all_types),
		cmocka_unit_test(all_tasks_can_be_taken_out_at_once),
		cmocka_unit_test(workers_are_sorted_by_class),
		cmocka_unit_test(workers_of_too_many_classes_share_the_last),
		cmocka_unit_test(teams_are_of_no_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
