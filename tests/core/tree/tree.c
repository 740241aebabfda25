/* SPDX-License-Identifier: MIT */
/* Building trees by calls: what is linked, what is refused, what can be asked afterwards. */
#include "tree_fixture.h"

#include <errno.h>
#include <string.h>
#include "core/tree/tree_parts.h"

/* A mapper whose branches have names. */
static const char *const fork_labels[] = { "left", "right", NULL };
static const struct xy_component_ops fork_ops = {
	.name = "fork",
	.flags = XY_MAPS,
	.size = sizeof(struct xy_component),
	.labels = fork_labels,
};

struct fixture {
	struct xy_machine *machine;
	struct xy_registry *registry;
	struct xy_tree *tree;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->machine = fixture_machine("cpu:2 cuda:1");
	f->registry = fixture_registry();
	f->tree = xy_tree_create(f->machine, f->registry);
	*state = f;
	return f->tree ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	xy_tree_destroy(f->tree);
	xy_registry_destroy(f->registry);
	xy_machine_destroy(f->machine);
	free(f);
	return 0;
}

/* fifo(ready) | eager | each worker { fifo(ntasks=2, ready) | best-implementation } */
static void build_by_hand(struct xy_tree *tree, struct xy_machine *machine)
{
	struct xy_component *fifo = xy_tree_add_named(tree, "fifo");
	struct xy_component *eager = xy_tree_add_named(tree, "eager");

	assert_int_equal(xy_component_set(fifo, "ready", "true"), 0);
	assert_int_equal(xy_tree_link(fifo, eager), 0);
	for (unsigned w = 0; w < xy_machine_nworkers(machine); w++) {
		struct xy_component *queue = xy_tree_add_named(tree, "fifo");
		struct xy_component *best = xy_tree_add_named(tree, "best-implementation");

		assert_int_equal(xy_component_set(queue, "ntasks", "2"), 0);
		assert_int_equal(xy_component_set(queue, "ready", "true"), 0);
		assert_int_equal(xy_tree_link(eager, queue), 0);
		assert_int_equal(xy_tree_link(queue, best), 0);
		assert_int_equal(xy_tree_link(best, xy_tree_worker(tree, w)), 0);
	}
}

static void calls_and_text_give_the_same_tree(void **state)
{
	struct fixture *f = *state;
	struct xy_tree *text = fixture_parse("tree-eager-prefetching", f->machine, f->registry);
	char error[1000];

	build_by_hand(f->tree, f->machine);
	assert_false(xy_tree_equal(f->tree, text));
	assert_int_equal(xy_tree_seal(f->tree, error, sizeof(error)), 0);
	assert_true(xy_tree_equal(f->tree, text));
	assert_true(xy_tree_equal(text, f->tree));
	xy_tree_destroy(text);
}

static void tells_trees_apart(void **state)
{
	static const char *const texts[] = {
		"fifo | eager | each worker { }",
		"prio | eager | each worker { }",
		"fifo | eager | each worker { stage }",
		"fifo | eager | each worker { fifo(ntasks=2) }",
		"fifo | eager | each worker { fifo(ntasks=3) }",
		"fifo | eager { worker(id=1), worker(id=0), worker(id=2) }",
		"fifo | eager { stage | eager | each worker { } }",
		"fifo | eager { stage, stage } | eager | each worker { }",
		"fifo | eager { stage | eager | each worker { }, stage | eager | each worker { } }",
		"fifo | eager { stage | eager | each worker { }, stage | work-stealing | each worker { } }",
	};
	enum { N = sizeof(texts) / sizeof(texts[0]) };
	struct fixture *f = *state;
	struct xy_tree *trees[N];

	for (unsigned i = 0; i < N; i++)
		trees[i] = fixture_parse(texts[i], f->machine, f->registry);
	for (unsigned i = 0; i < N; i++)
		for (unsigned j = 0; j < N; j++)
			if (xy_tree_equal(trees[i], trees[j]) != (i == j))
				fail_msg("\"%s\" and \"%s\"", texts[i], texts[j]);
	for (unsigned i = 0; i < N; i++)
		xy_tree_destroy(trees[i]);
	assert_false(xy_tree_equal(NULL, NULL));
}

static void tells_workers_of_other_machines_apart(void **state)
{
	static const char *const texts[] = { "cpu:3", "cpu:2 cuda:1", "cpu:1", "cuda:1", "opencl:1" };
	enum { N = sizeof(texts) / sizeof(texts[0]) };
	struct fixture *f = *state;
	struct xy_machine *machines[N];
	struct xy_tree *trees[N];

	for (unsigned i = 0; i < N; i++) {
		machines[i] = fixture_machine(texts[i]);
		trees[i] = fixture_parse("fifo | eager | each worker { }", machines[i], f->registry);
	}
	for (unsigned i = 0; i < N; i++)
		for (unsigned j = 0; j < N; j++)
			if (xy_tree_equal(trees[i], trees[j]) != (i == j))
				fail_msg("trees on \"%s\" and \"%s\"", texts[i], texts[j]);
	for (unsigned i = 0; i < N; i++) {
		xy_tree_destroy(trees[i]);
		xy_machine_destroy(machines[i]);
	}
}

/* Who is asked first is part of a tree. */
static void tells_the_order_of_parents_apart(void **state)
{
	struct fixture *f = *state;
	struct xy_tree *text = fixture_parse("userchoice { fifo, prio } | stage | eager | each worker { }", f->machine,
					     f->registry);
	struct xy_component *c[5];
	static const char *const kinds[] = { "userchoice", "fifo", "prio", "stage", "eager" };

	for (unsigned i = 0; i < 5; i++)
		c[i] = xy_tree_add_named(f->tree, kinds[i]);
	assert_int_equal(xy_tree_link(c[0], c[1]), 0);
	assert_int_equal(xy_tree_link(c[0], c[2]), 0);
	assert_int_equal(xy_tree_link(c[2], c[3]), 0);
	assert_int_equal(xy_tree_link(c[1], c[3]), 0);
	assert_int_equal(xy_tree_link(c[3], c[4]), 0);
	for (unsigned w = 0; w < 3; w++)
		assert_int_equal(xy_tree_link(c[4], xy_tree_worker(f->tree, w)), 0);
	assert_int_equal(xy_tree_seal(f->tree, NULL, 0), 0);
	assert_false(xy_tree_equal(f->tree, text));
	xy_tree_destroy(text);
}

static void refuses_links_that_make_no_sense(void **state)
{
	struct fixture *f = *state;
	struct xy_tree *other = xy_tree_create(f->machine, f->registry);
	struct xy_component *a = xy_tree_add_named(f->tree, "fifo");
	struct xy_component *b = xy_tree_add_named(f->tree, "eager");
	struct xy_component *stranger = xy_tree_add_named(other, "eager");

	assert_int_equal(xy_tree_link(NULL, b), -EINVAL);
	assert_int_equal(xy_tree_link(a, NULL), -EINVAL);
	assert_int_equal(xy_tree_link(a, a), -EINVAL);
	assert_int_equal(xy_tree_link(a, stranger), -EINVAL);
	assert_int_equal(xy_tree_link(a, b), 0);
	assert_int_equal(xy_tree_link(a, b), -EEXIST);
	assert_int_equal(a->nchildren, 1);
	assert_int_equal(b->nparents, 1);
	xy_tree_destroy(other);
}

static void knows_the_labels_of_a_kind(void **state)
{
	struct fixture *f = *state;
	struct xy_component *fork = xy_tree_add(f->tree, &fork_ops);
	struct xy_component *fifo = xy_tree_add_named(f->tree, "fifo");
	struct xy_component *prio = xy_tree_add_named(f->tree, "prio");
	char label[] = "left";

	assert_int_equal(xy_tree_link_labelled(fifo, prio, "left"), -EINVAL);
	assert_int_equal(xy_tree_link_labelled(fork, fifo, "middle"), -EINVAL);
	assert_int_equal(xy_tree_link_labelled(fork, fifo, ""), -EINVAL);
	assert_int_equal(xy_tree_link_labelled(fork, fifo, label), 0);
	label[0] = 'X';
	assert_string_equal(fifo->label, "left");
	assert_int_equal(xy_tree_link_labelled(fork, prio, "left"), -EEXIST);
	assert_int_equal(xy_tree_link_labelled(fork, prio, "right"), 0);
	assert_int_equal(fork->nchildren, 2);
}

static void makes_one_leaf_for_each_worker(void **state)
{
	struct fixture *f = *state;
	struct xy_component *leaf = xy_tree_worker(f->tree, 2);

	assert_non_null(leaf);
	assert_ptr_equal(xy_tree_worker(f->tree, 2), leaf);
	assert_int_equal(xy__leaf_worker(leaf), 2);
	assert_int_equal(xy__leaf_worker(leaf), 2);
	assert_null(xy_tree_worker(f->tree, 3));
	assert_null(xy_tree_worker(NULL, 0));
	assert_int_equal(xy_tree_ncomponents(f->tree), 1);
}

static void is_constant_after_seal(void **state)
{
	struct fixture *f = *state;
	struct xy_component *fifo, *eager;

	build_by_hand(f->tree, f->machine);
	assert_null(xy_tree_root(f->tree));
	assert_int_equal(xy_tree_seal(f->tree, NULL, 0), 0);
	fifo = xy_tree_component(f->tree, 0);
	eager = xy_tree_component(f->tree, 1);
	assert_ptr_equal(xy_tree_root(f->tree), fifo);
	assert_null(xy_tree_add_named(f->tree, "fifo"));
	assert_int_equal(xy_component_set(fifo, "ntasks", "3"), -EBUSY);
	assert_int_equal(xy_tree_link(eager, fifo), -EBUSY);
	assert_int_equal(xy_tree_seal(f->tree, NULL, 0), -EBUSY);
	assert_ptr_equal(xy_tree_worker(f->tree, 1), f->tree->leaves[1]);
}

static void knows_which_child_leads_to_a_worker(void **state)
{
	struct fixture *f = *state;
	struct xy_tree *tree = fixture_parse("fifo | eager { stage | worker(id=1), worker(id=0), "
					     "stage | eager { worker(id=0), worker(id=2) } }",
					     f->machine, f->registry);
	struct xy_component *eager = xy_tree_component(tree, 1);

	assert_int_equal(xy_component_child_of(eager, 1), 0);
	assert_int_equal(xy_component_child_of(eager, 0), 1);
	assert_int_equal(xy_component_child_of(eager, 2), 2);
	assert_int_equal(xy_component_child_of(eager, 3), -1);
	assert_int_equal(xy_component_child_of(tree->leaves[0], 0), -1);
	assert_int_equal(xy_component_child_of(NULL, 0), -1);
	xy_tree_destroy(tree);
}

/* A tree for the workers 1 and 3 of four; the names are those of the machine. */
static void is_built_for_some_of_the_workers(void **state)
{
	struct fixture *f = *state;
	struct xy_machine *machine = fixture_machine("topology(core:4)");
	const bool present[] = { false, true, false, true };
	const struct xy__tree_site site = {
		.machine = machine, .registry = f->registry, .nshards = 1, .present = present
	};
	char error[512];
	struct xy_tree *tree;

	assert_int_equal(xy__tree_parse(&tree, "tree-ws", &site, error, sizeof error), 0);
	assert_int_equal(xy_tree_root(tree)->nworkers, 2);
	assert_int_equal(xy_tree_root(tree)->workers[0], 1);
	assert_int_equal(xy_tree_root(tree)->workers[1], 3);
	assert_false(xy_tree_has_worker(tree, 0));
	assert_true(xy_tree_has_worker(tree, 3));
	assert_false(xy_tree_has_worker(tree, 4));
	assert_int_equal(xy_component_child_of(xy_tree_root(tree), 0), -1);
	xy_tree_destroy(tree);

	assert_int_equal(xy__tree_parse(&tree, "fifo | eager { worker(id=1), worker(id=3) }", &site, NULL, 0), 0);
	xy_tree_destroy(tree);
	assert_int_equal(
		xy__tree_parse(&tree, "fifo | eager { worker(id=1), worker(id=2) }", &site, error, sizeof error),
		-ENODEV);
	assert_non_null(strstr(error, "this worker is not present"));
	xy_machine_destroy(machine);
}

static void refuses_the_leaf_of_an_absent_worker(void **state)
{
	struct fixture *f = *state;
	struct xy_machine *machine = fixture_machine("topology(core:2)");
	struct xy_tree *tree = xy_tree_create(machine, f->registry);
	struct xy_component *fifo = xy_tree_add_named(tree, "fifo");
	struct xy_component *leaf = xy_tree_add_named(tree, "worker");
	char error[512];

	tree->absent = calloc(2, sizeof *tree->absent);
	tree->absent[1] = true;
	tree->nworkers = 1;
	assert_null(xy_tree_worker(tree, 1));
	assert_int_equal(xy_component_set(leaf, "id", "1"), 0);
	assert_int_equal(xy_tree_link(fifo, leaf), 0);
	assert_int_equal(xy_tree_seal(tree, error, sizeof error), -EINVAL);
	assert_non_null(strstr(error, "an absent worker"));
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
}

static void sums_counters_of_all_agents(void **state)
{
	struct fixture *f = *state;
	const struct xy__tree_site site = { .machine = f->machine, .registry = f->registry, .nshards = 3 };
	struct xy_counters n;
	struct xy_tree *tree;
	struct xy_component *root;

	assert_int_equal(xy__tree_parse(&tree, "tree-eager", &site, NULL, 0), 0);
	root = xy_tree_root(tree);
	for (unsigned i = 0; i < 3; i++) {
		atomic_store(&root->shards[i].pushed, 1u << i);
		atomic_store(&root->shards[i].pulled, 10u << i);
		atomic_store(&root->shards[i].refused, 100u << i);
		atomic_store(&root->shards[i].woken, 1000u << i);
	}
	xy_component_counters(root, &n);
	assert_int_equal(n.pushed, 7);
	assert_int_equal(n.pulled, 70);
	assert_int_equal(n.refused, 700);
	assert_int_equal(n.woken, 7000);
	assert_int_equal(n.depth, 0);
	xy_component_counters(root, NULL);
	xy_component_counters(NULL, &n);
	assert_int_equal(n.pushed, 0);
	xy_tree_destroy(tree);
}

static void answers_null_for_null(void **state)
{
	struct fixture *f = *state;
	struct xy_tree *bare;

	assert_null(xy_tree_create(NULL, f->registry));
	assert_null(xy_tree_add(NULL, &fork_ops));
	assert_null(xy_tree_add(f->tree, NULL));
	assert_null(xy_tree_add_named(NULL, "fifo"));
	assert_null(xy_tree_add_named(f->tree, NULL));
	assert_null(xy_tree_add_named(f->tree, "no-such-kind"));
	assert_null(xy_tree_root(NULL));
	assert_null(xy_tree_component(NULL, 0));
	assert_null(xy_tree_component(f->tree, 0));
	assert_int_equal(xy_tree_ncomponents(NULL), 0);
	assert_null(xy_component_machine(NULL));
	assert_int_equal(xy_tree_seal(NULL, NULL, 0), -EINVAL);
	xy_tree_destroy(NULL);
	bare = xy_tree_create(f->machine, NULL);
	assert_null(xy_tree_add_named(bare, "fifo"));
	assert_null(xy_tree_worker(bare, 0));
	assert_non_null(xy_tree_add(bare, &fork_ops));
	xy_tree_destroy(bare);
}

static void names_components(void **state)
{
	struct fixture *f = *state;
	char name[XY__COMPONENT_NAME];

	xy_tree_add_named(f->tree, "fifo");
	assert_string_equal(xy__component_name(xy_tree_component(f->tree, 0), name), "fifo#0");
	assert_string_equal(xy__component_name(xy_tree_worker(f->tree, 2), name), "worker#1 (cuda0)");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(calls_and_text_give_the_same_tree),
		TEST(tells_trees_apart),
		TEST(tells_workers_of_other_machines_apart),
		TEST(tells_the_order_of_parents_apart),
		TEST(refuses_links_that_make_no_sense),
		TEST(knows_the_labels_of_a_kind),
		TEST(makes_one_leaf_for_each_worker),
		TEST(is_constant_after_seal),
		TEST(knows_which_child_leads_to_a_worker),
		TEST(is_built_for_some_of_the_workers),
		TEST(refuses_the_leaf_of_an_absent_worker),
		TEST(sums_counters_of_all_agents),
		TEST(answers_null_for_null),
		TEST(names_components),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
