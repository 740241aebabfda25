/* SPDX-License-Identifier: MIT */
/* The view of the submitted graph: what follows a task, what is remembered, and what waits for slow workers. */
#include "cambium_bed.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA, MOST = 700, NLENGTHS = 5 };

/* On the workers of cpu:3 cuda:1. */
static const double lengths[NLENGTHS][4] = {
	{ 30, 30, 30, 10 }, { 10, 10, 10, 40 }, { 7, 7, 7, 7 }, { 100, 100, 100, 25 }, { 3, 3, 3, 9 },
};

/* A graph of tasks, its edges from lower to higher numbers, and what is known by counting. */
static struct {
	unsigned n;
	struct xy_task *tasks[MOST];
	unsigned lengths[MOST]; /* NLENGTHS: it takes no time */
	bool after[MOST][MOST]; /* [i][k]: k waits for i, directly or not */
	bool edge[MOST][MOST];
	unsigned waits[MOST]; /* direct predecessors */
} graph;

/* Adds a task that follows some of the last `reach` ones. */
static void graph_add(struct bed *bed, unsigned length, unsigned reach, unsigned most)
{
	unsigned i = graph.n++;

	assert_in_range(i, 0, MOST - 1);
	graph.lengths[i] = length;
	graph.tasks[i] = bed_task_lasting(bed, CPU | CUDA, lengths[length % NLENGTHS]);
	if (length == NLENGTHS)
		graph.tasks[i]->codelet = 0;
	for (unsigned k = 0; k < most && i && reach; k++) {
		unsigned before = i - 1 - xy_agent_random(&bed->application) % (i < reach ? i : reach);

		if (graph.edge[before][i])
			continue;
		graph.edge[before][i] = true;
		graph.waits[i]++;
		cambium_follows(graph.tasks[i], graph.tasks[before]);
		for (unsigned b = 0; b < i; b++)
			graph.after[b][i] |= b == before || graph.after[b][before];
	}
}

static void graph_clear(void)
{
	memset(&graph, 0, sizeof graph);
}

static void graph_random(struct bed *bed, unsigned n, unsigned roots)
{
	graph_clear();
	for (unsigned i = 0; i < n; i++)
		graph_add(bed, xy_agent_random(&bed->application) % (NLENGTHS + (i >= roots)), i < roots ? 0 : 40, 3);
}

/* Those that wait for nothing are ready. */
static void graph_submit(struct bed *bed)
{
	for (unsigned i = 0; i < graph.n; i++)
		if (!graph.waits[i])
			bed_submit(bed, graph.tasks[i]);
}

static double least_us(unsigned i)
{
	return graph.lengths[i] == NLENGTHS ? 0 : fmin(lengths[graph.lengths[i]][0], lengths[graph.lengths[i]][3]);
}

static double price_us(const struct xy__cambium *c, unsigned i)
{
	if (graph.lengths[i] == NLENGTHS)
		return 0;
	return fmin(lengths[graph.lengths[i]][0] * c->prices[0], lengths[graph.lengths[i]][3] * c->prices[1]);
}

/* The longest path after each task. */
static const double *paths_us(void)
{
	static double longest[MOST];

	for (unsigned k = graph.n; k-- > 0;) {
		longest[k] = 0;
		for (unsigned next = k + 1; next < graph.n; next++)
			if (graph.edge[k][next])
				longest[k] = fmax(longest[k], least_us(next) + longest[next]);
	}
	return longest;
}

static double path_us(unsigned i)
{
	return paths_us()[i];
}

/* The price of all tasks that are marked. */
static double area_us(const struct xy__cambium *c, const bool *marked)
{
	double sum = 0;

	for (unsigned i = 0; i < graph.n; i++)
		sum += marked[i] ? price_us(c, i) : 0;
	return sum;
}

static const struct xy__cambium_node *node(const struct xy__cambium *c, unsigned i)
{
	return xy__cambium_find(&c->view, graph.tasks[i]);
}

/* Each task after those that are ready is there, with the longest path and all the work that follow it. */
static void assert_view(const struct xy__cambium *c)
{
	const double *paths = paths_us();

	assert_int_equal(c->view.n, graph.n);
	for (unsigned i = 0; i < graph.n; i++) {
		assert_non_null(node(c, i));
		assert_ptr_equal(node(c, i)->task, graph.tasks[i]);
		assert_near(node(c, i)->path_us, paths[i]);
		assert_near(node(c, i)->area_us, area_us(c, graph.after[i]));
	}
}

static void knows_paths_and_work_that_follow(void **state)
{
	static const unsigned sizes[] = { 1, 2, 20, 63, 64, 65, 130, 257, MOST };
	struct xy__cambium *c;

	(void)state;
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct bed *bed = cambium_open("cpu:3 cuda:1", &c);

		bed->application.random = sizes[i];
		graph_random(bed, sizes[i], 1 + sizes[i] / 10);
		graph_submit(bed);
		xy__cambium_look(c, 0);
		assert_view(c);
		xy__cambium_look(c, 0); /* again, with the memory and the types of the last one */
		xy__cambium_look(c, 0);
		assert_view(c);
		bed_close(bed);
	}
}

static void finds_each_of_very_many_tasks(void **state)
{
	enum { MANY = 3000 };
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:3 cuda:1", &c);
	struct xy_task *tasks[MANY];

	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		tasks[i] = bed_task_lasting(bed, CPU | CUDA, lengths[i % NLENGTHS]);
		bed_submit(bed, tasks[i]);
		bed_forget(bed);
	}
	xy__cambium_look(c, 0);
	assert_int_equal(c->view.n, MANY);
	for (unsigned i = 0; i < MANY; i++) {
		assert_non_null(xy__cambium_find(&c->view, tasks[i]));
		assert_ptr_equal(xy__cambium_find(&c->view, tasks[i])->task, tasks[i]);
	}
	assert_null(xy__cambium_find(&c->view, bed_task(bed, CPU)));
	bed_close(bed);
}

/* Descendants in common count once: 4 tasks of 7 us on 4 workers. */
static void work_in_common_counts_once(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:3 cuda:1", &c);

	(void)state;
	graph_clear();
	for (unsigned i = 0; i < 5; i++)
		graph.tasks[i] = bed_task_lasting(bed, CPU | CUDA, lengths[2]);
	for (unsigned i = 1; i < 4; i++) {
		cambium_follows(graph.tasks[i], graph.tasks[0]);
		cambium_follows(graph.tasks[4], graph.tasks[i]);
	}
	bed_submit(bed, graph.tasks[0]);
	xy__cambium_look(c, 0);
	assert_near(node(c, 0)->path_us, 14);
	assert_near(node(c, 0)->area_us, 7);
	assert_near(node(c, 1)->area_us, 7. / 4);
	assert_near(node(c, 4)->path_us, 0);
	assert_near(node(c, 4)->area_us, 0);
	bed_close(bed);
}

/* For a task that arrives later, its successors tell. */
static void what_follows_a_new_task_is_known_from_its_successors(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:3 cuda:1", &c);
	struct xy_task *late = bed_task_lasting(bed, CPU | CUDA, lengths[0]), *unknown;
	struct xy__cambium_node known;
	bool seen;

	(void)state;
	graph_random(bed, 60, 5);
	graph_submit(bed);
	xy__cambium_look(c, 0);
	unknown = bed_task_lasting(bed, CPU | CUDA, lengths[0]);
	known = xy__cambium_know(c, graph.tasks[3], &seen);
	assert_true(seen);
	assert_near(known.path_us, path_us(3));
	cambium_follows(unknown, late);
	known = xy__cambium_know(c, late, &seen);
	assert_false(seen);
	assert_near(known.path_us, 0);
	for (unsigned i = 0; i < 60; i++)
		if (graph.lengths[i] < NLENGTHS && graph.waits[i]) {
			cambium_follows(graph.tasks[i], late);
			known = xy__cambium_know(c, late, &seen);
			assert_false(seen);
			assert_near(known.path_us, path_us(i) + least_us(i));
			assert_near(known.area_us, area_us(c, graph.after[i]) + price_us(c, i));
			break;
		}
	bed_close(bed);
}

static void looks_at_as_many_tasks_as_it_may(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open_with("cpu:3 cuda:1", "nodes", "50", &c);

	(void)state;
	graph_random(bed, 200, 30);
	graph_submit(bed);
	xy__cambium_look(c, 0);
	assert_int_equal(c->view.n, 50);
	/* nearest first: all that are ready, and what follows them */
	for (unsigned i = 0; i < 30; i++)
		assert_non_null(node(c, i));
	bed_close(bed);
}

/* The tails of all tasks that take so long, the longest first. */
static unsigned sorted_tails(const struct xy__cambium *c, unsigned length, double *tails, unsigned *type)
{
	const double *paths = paths_us();
	unsigned n = 0;

	for (unsigned i = 0; i < graph.n; i++)
		if (graph.lengths[i] == length) {
			double tail = fmax(paths[i], area_us(c, graph.after[i]));
			unsigned k = n++;

			for (; k && tails[k - 1] < tail; k--)
				tails[k] = tails[k - 1];
			tails[k] = tail;
			*type = node(c, i)->type;
		}
	return n;
}

/* The tasks of a type that most follows, up to 32 of them: first those with the longest tail. */
static void the_longest_tails_of_each_type_are_known(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:3 cuda:1", &c);
	double tails[MOST];

	(void)state;
	graph_random(bed, MOST, 70);
	graph_submit(bed);
	xy__cambium_look(c, 0);
	xy__cambium_look(c, 0); /* without what was known before */
	for (unsigned length = 0; length < NLENGTHS; length++) {
		unsigned type = 0, n = sorted_tails(c, length, tails, &type);

		assert_in_range(n, XY__CAMBIUM_TOPS + 1, MOST);
		assert_int_equal(c->types[type].left, n);
		assert_int_equal(c->types[type].ntops, XY__CAMBIUM_TOPS);
		for (unsigned i = 0; i < XY__CAMBIUM_TOPS; i++)
			assert_near(c->types[type].tops[i], tails[i]);
	}
	for (unsigned i = 0; i < c->ntypes; i++)
		assert_int_equal(c->types[i].base, i);
	bed_close(bed);
}

static void a_task_that_has_begun_is_not_in_the_next_view(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	struct xy_task *first;

	(void)state;
	graph_clear();
	for (unsigned i = 0; i < 10; i++)
		graph_add(bed, 2, i && i < 5, 1);
	graph_submit(bed);
	first = bed_pull(bed, 1);
	assert_ptr_equal(first, graph.tasks[0]);
	assert_true(node(c, 0)->begun);
	xy__cambium_look(c, 0);
	assert_null(node(c, 0));
	/* what follows it can't be seen while it runs, and is remembered as it was */
	for (unsigned i = 1; i < 10; i++) {
		assert_non_null(node(c, i));
		assert_int_equal(node(c, i)->age, i < 5);
		assert_near(node(c, i)->path_us, i < 5 ? 7. * (4 - i) : 0);
	}
	assert_int_equal(c->view.remembered, 4);
	bed_close(bed);
}

/* A task that never appears again, because it was cancelled, is forgotten one day. */
static void what_is_not_seen_for_long_is_forgotten(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	unsigned looks = 0;

	(void)state;
	graph_clear();
	graph_add(bed, 2, 0, 0);
	graph_add(bed, 2, 1, 1);
	graph_add(bed, 2, 0, 0);
	graph_submit(bed);
	assert_ptr_equal(bed_pull(bed, 1), graph.tasks[0]);
	for (; node(c, 1) && looks < 100; looks++)
		xy__cambium_look(c, 0);
	assert_in_range(looks, 2, 99);
	assert_int_equal(c->view.n, 1);
	bed_close(bed);
}

/* A task's memory serves another task. */
static void a_task_of_another_generation_is_unknown(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);

	(void)state;
	graph_clear();
	graph_add(bed, 2, 0, 0);
	assert_null(node(c, 0));
	graph_submit(bed);
	xy__cambium_look(c, 0);
	assert_non_null(node(c, 0));
	graph.tasks[0]->generation++;
	assert_null(node(c, 0));
	bed_close(bed);
}

/* --- what waits for slow workers --- */

/* What has not started, and waits neither for one of these tasks nor for another one. */
static double free_us(const struct xy__cambium *c, const unsigned *slow, unsigned nslow, unsigned task,
		      const bool *started)
{
	static bool marked[MOST];

	for (unsigned i = 0; i < graph.n; i++) {
		marked[i] = !started[i] && !graph.after[task][i];
		for (unsigned k = 0; k < nslow; k++)
			marked[i] &= !graph.after[slow[k]][i];
	}
	return area_us(c, marked);
}

/* A worker begins a task. */
static void begin(struct xy__cambium *c, unsigned i, unsigned worker, bool slow)
{
	xy__cambium_hold(c, graph.tasks[i], worker, slow);
	xy__cambium_forget(c, graph.tasks[i]);
	for (unsigned t = 0; t < c->ntypes; t++)
		for (unsigned g = 0; g < c->types[t].ngroups; g++)
			for (struct xy_task *task = c->types[t].groups[g].first, *before = NULL; task;
			     before = task, task = task->next)
				if (task == graph.tasks[i]) {
					xy__cambium_remove(c, t, g, task, before);
					return;
				}
	fail_msg("task %u is not there", i);
}

static void free_work_waits_for_no_slow_worker(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:3 cuda:1", &c);
	bool started[MOST] = { false };
	unsigned slow[2] = { 0 }, n = 0;

	(void)state;
	graph_random(bed, 400, 20);
	graph_submit(bed);
	xy__cambium_look(c, 0);
	for (unsigned i = 0; i < 20; i++)
		assert_near(xy__cambium_free_us(c, graph.tasks[i], 0), free_us(c, slow, 0, i, started));
	xy__cambium_hold(c, bed_task(bed, CPU), 2, true); /* what is unknown holds nothing */
	for (unsigned i = 0; i < 2; i++) {
		slow[n] = i;
		started[i] = true;
		begin(c, i, n++, true);
		assert_near(xy__cambium_free_us(c, graph.tasks[19], 0), free_us(c, slow, n, 19, started));
	}
	/* a fast worker holds nothing back, and the slow one is done */
	started[19] = true;
	begin(c, 19, 3, false);
	assert_near(xy__cambium_free_us(c, graph.tasks[18], 0), free_us(c, slow, 2, 18, started));
	started[18] = true;
	begin(c, 18, 1, false);
	assert_near(xy__cambium_free_us(c, graph.tasks[17], 0), free_us(c, slow, 1, 17, started));
	bed_close(bed);
}

/* What waits for a task that a slow worker began before the view was made waits until that should end. */
static void a_new_view_still_knows_what_waits_for_slow_workers(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:3 cuda:1", &c);
	struct xy_task *stranger;
	bool started[MOST] = { false };
	unsigned slow = 0;
	double held, all;

	(void)state;
	graph_random(bed, 300, 20);
	graph_submit(bed);
	xy__cambium_look(c, 0);
	started[slow] = true;
	c->ends_us[0] = 100;
	c->ends_us[2] = 500; /* with something that it is fast on */
	begin(c, slow, 0, true);
	stranger = bed_task_lasting(bed, CPU | CUDA, lengths[2]);
	held = free_us(c, &slow, 1, slow, started);
	assert_near(xy__cambium_free_us(c, stranger, 0), held);
	xy__cambium_look(c, 50);
	held = free_us(c, &slow, 1, slow, started); /* the prices may be others */
	assert_near(xy__cambium_free_us(c, stranger, 50), held);
	xy__cambium_look(c, 60); /* and on to the next one */
	assert_near(xy__cambium_free_us(c, stranger, 60), free_us(c, &slow, 1, slow, started));
	xy__cambium_look(c, 100);
	all = xy__cambium_free_us(c, stranger, 100);
	assert_true(all > held + 1);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_paths_and_work_that_follow),
		cmocka_unit_test(finds_each_of_very_many_tasks),
		cmocka_unit_test(work_in_common_counts_once),
		cmocka_unit_test(what_follows_a_new_task_is_known_from_its_successors),
		cmocka_unit_test(looks_at_as_many_tasks_as_it_may),
		cmocka_unit_test(the_longest_tails_of_each_type_are_known),
		cmocka_unit_test(a_task_that_has_begun_is_not_in_the_next_view),
		cmocka_unit_test(what_is_not_seen_for_long_is_forgotten),
		cmocka_unit_test(a_task_of_another_generation_is_unknown),
		cmocka_unit_test(free_work_waits_for_no_slow_worker),
		cmocka_unit_test(a_new_view_still_knows_what_waits_for_slow_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
