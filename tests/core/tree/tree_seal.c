/* SPDX-License-Identifier: MIT */
/* Sealing: each rule with a tree that breaks it and what is said about it, and what seal fills in. */
#include "tree_fixture.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include "core/tree/tree_parts.h"
#include "core/tree/tree_rules.h"

/* --- kinds that the library has not --- */

static size_t no_depth(struct xy_component *self, size_t *peak)
{
	(void)self;
	return *peak = 0;
}

/* A reservoir without a pump, one that decides too, and one that pumps and decides. */
static const struct xy_component_ops pond_ops = {
	.name = "pond",
	.flags = XY_STORES,
	.size = sizeof(struct xy_component),
	.depth = no_depth,
};
static const struct xy_component_ops lock_ops = {
	.name = "lock",
	.flags = XY_STORES | XY_MAPS | XY_DECIDES,
	.size = sizeof(struct xy_component),
	.depth = no_depth,
};
static const struct xy_component_ops heart_ops = {
	.name = "heart",
	.flags = XY_STORES | XY_MAPS | XY_PUMPS | XY_DECIDES,
	.size = sizeof(struct xy_component),
	.depth = no_depth,
};
/* A leaf that no worker can have. */
static const struct xy_component_ops bud_ops = {
	.name = "bud",
	.flags = XY_LEAF,
	.size = sizeof(struct xy_component),
};
/* A mapper that never refuses, whatever is below. */
static bool never(const struct xy_component *self)
{
	(void)self;
	return false;
}
static const struct xy_component_ops sponge_ops = {
	.name = "sponge",
	.flags = XY_MAPS,
	.size = sizeof(struct xy_component),
	.is_bounded = never,
};

static int ninits, ninit_fails_at;

static int diary_init(struct xy_component *self)
{
	for (unsigned i = 0; i < self->nchildren; i++)
		assert_true(self->children[i]->ops->flags & XY_LEAF || self->children[i]->level > self->level);
	return ninits == ninit_fails_at ? -EPERM : (ninits++, 0);
}

static void diary_fini(struct xy_component *self)
{
	(void)self;
	ninits--;
}

/* A pass-through that counts who has been set up. */
static const struct xy_component_ops diary_ops = {
	.name = "diary",
	.size = sizeof(struct xy_component),
	.init = diary_init,
	.fini = diary_fini,
};

static const struct xy_component_ops *const kinds[] = {
	&pond_ops, &lock_ops, &heart_ops, &bud_ops, &sponge_ops, &diary_ops,
};

struct fixture {
	struct xy_machine *machine;
	struct xy_registry *registry;
	struct xy_tree *tree;
	char error[4096];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct xy__message nobody;

	xy__message_init(&nobody, NULL, 0);
	f->machine = fixture_machine("topology(numa:2 core:2 pu:1) cuda:1");
	f->registry = fixture_registry();
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		assert_int_equal(xy__registry_add_component(f->registry, kinds[i], "test", &nobody), 0);
	f->tree = xy_tree_create(f->machine, f->registry);
	ninits = 0;
	ninit_fails_at = -1;
	*state = f;
	return 0;
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

/* Seals the fixture's tree, which must break a rule, and looks for what is said. */
static void assert_broken(struct fixture *f, const char *says)
{
	assert_int_equal(xy_tree_seal(f->tree, f->error, sizeof(f->error)), -EINVAL);
	assert_null(xy_tree_root(f->tree));
	if (!strstr(f->error, says))
		fail_msg("expected \"%s\", got: %s", says, f->error);
}

static void assert_text_broken(struct fixture *f, const char *text, const char *says)
{
	struct xy_tree *tree;

	assert_int_equal(xy_tree_parse(&tree, text, f->machine, f->registry, f->error, sizeof(f->error)), -EINVAL);
	assert_null(tree);
	if (strncmp(f->error, says, strlen(says)))
		fail_msg("%s: expected \"%s\", got: %s", text, says, f->error);
	if (strchr(f->error, '\n'))
		fail_msg("%s: more than one rule: %s", text, f->error);
}

static void assert_text_sealed(struct fixture *f, const char *text)
{
	xy_tree_destroy(fixture_parse(text, f->machine, f->registry));
}

static struct xy_component *chain(struct fixture *f, const char *a, const char *b)
{
	struct xy_component *first = xy_tree_add_named(f->tree, a);
	struct xy_component *second = xy_tree_add_named(f->tree, b);

	assert_int_equal(xy_tree_link(first, second), 0);
	return second;
}

static void add_leaves(struct fixture *f, struct xy_component *below)
{
	for (unsigned w = 0; w < xy_machine_nworkers(f->machine); w++)
		assert_int_equal(xy_tree_link(below, xy_tree_worker(f->tree, w)), 0);
}

/* --- the shape --- */

static void refuses_an_empty_tree(void **state)
{
	assert_broken(*state, "the tree has no components");
}

static void refuses_a_cycle(void **state)
{
	struct fixture *f = *state;
	struct xy_component *eager = chain(f, "fifo", "eager");
	struct xy_component *stage = xy_tree_add_named(f->tree, "stage");

	add_leaves(f, eager);
	assert_int_equal(xy_tree_link(eager, stage), 0);
	assert_int_equal(xy_tree_link(stage, eager), 0);
	assert_broken(f, "there is a cycle: stage#2 is below eager#1 is below stage#2");
	xy_tree_destroy(f->tree);
	f->tree = xy_tree_create(f->machine, f->registry);
	eager = chain(f, "stage", "eager");
	add_leaves(f, eager);
	assert_int_equal(xy_tree_link(eager, xy_tree_component(f->tree, 0)), 0);
	assert_broken(f, "there is a cycle: ");
}

static void refuses_several_roots(void **state)
{
	struct fixture *f = *state;
	struct xy_component *eager = chain(f, "fifo", "eager");

	add_leaves(f, eager);
	assert_int_equal(xy_tree_link(xy_tree_add_named(f->tree, "prio"), eager), 0);
	assert_broken(f, "there must be one root, but none of these has a parent: fifo#0, prio#7");
}

static void refuses_a_tree_without_some_workers(void **state)
{
	struct fixture *f = *state;

	assert_text_broken(f, "fifo | eager { worker(id=0), worker(id=2), worker(id=3) }",
			   "cpu1, cuda0 can't be reached");
	assert_text_broken(f, "fifo | worker(id=0)", "cpu1, cpu2, cpu3 and 1 more can't be reached");
}

static void refuses_a_leaf_with_children(void **state)
{
	struct fixture *f = *state;
	struct xy_component *eager = chain(f, "fifo", "eager");

	add_leaves(f, eager);
	assert_int_equal(xy_tree_link(xy_tree_worker(f->tree, 0), xy_tree_add_named(f->tree, "stage")), 0);
	assert_broken(f, "worker#2 (cpu0) is a leaf, but stage#7 is below it");
}

static void refuses_leaves_of_no_worker(void **state)
{
	struct fixture *f = *state;
	struct xy_component *eager = chain(f, "fifo", "eager");

	add_leaves(f, eager);
	assert_int_equal(xy_tree_link(eager, xy_tree_add(f->tree, &bud_ops)), 0);
	assert_broken(f, "bud#7 is a leaf for a worker that the machine does not have");
}

static void refuses_a_leaf_with_a_number_beyond_all_workers(void **state)
{
	struct fixture *f = *state;
	struct xy_component *eager = chain(f, "fifo", "eager"), *leaf = xy_tree_add_named(f->tree, "worker");

	add_leaves(f, eager);
	assert_int_equal(xy_component_set(leaf, "id", "inf"), 0);
	assert_int_equal(xy_tree_link(eager, leaf), 0);
	assert_broken(f, "worker#2 is a leaf for a worker that the machine does not have");
}

static void refuses_two_leaves_of_a_worker(void **state)
{
	struct fixture *f = *state;
	struct xy_component *eager = chain(f, "fifo", "eager"), *leaf;

	add_leaves(f, eager);
	leaf = xy_tree_add_named(f->tree, "worker");
	assert_int_equal(xy_component_set(leaf, "id", "1"), 0);
	assert_int_equal(xy_tree_link(eager, leaf), 0);
	assert_broken(f, "worker#3 (cpu1) and worker#7 (cpu1) are leaves of the same worker");
}

static void refuses_leaves_of_no_team_and_two_of_one(void **state)
{
	struct fixture *f = *state;
	struct xy_component *eager = chain(f, "fifo", "eager"), *leaf;

	add_leaves(f, eager);
	assert_int_equal(xy_tree_link(eager, xy_tree_team(f->tree, 1)), 0);
	assert_null(xy_tree_team(f->tree, 3));
	leaf = xy_tree_add_named(f->tree, "parallel-worker");
	assert_int_equal(xy_component_set(leaf, "id", "3"), 0);
	assert_int_equal(xy_tree_link(eager, leaf), 0);
	assert_broken(f, "parallel-worker#8 is a leaf for a team that the machine does not have");
	assert_int_equal(xy_component_set(leaf, "id", "1"), 0);
	assert_broken(f, "parallel-worker#7 (cpu2, cpu3) and parallel-worker#8 (cpu2, cpu3) are leaves of the same "
			 "team");
	assert_int_equal(xy_component_set(leaf, "id", "2"), 0);
	assert_int_equal(xy_tree_seal(f->tree, NULL, 0), 0);
}

static void a_team_can_get_another_leaf_before_a_second_try(void **state)
{
	struct fixture *f = *state;
	struct xy_component *eager = chain(f, "fifo", "eager"), *leaf = xy_tree_team(f->tree, 2);

	assert_int_equal(xy_tree_link(eager, leaf), 0);
	assert_broken(f, "can't be reached");
	assert_int_equal(xy_component_set(leaf, "id", "1"), 0);
	leaf = xy_tree_add_named(f->tree, "parallel-worker");
	assert_int_equal(xy_component_set(leaf, "id", "2"), 0);
	assert_int_equal(xy_tree_link(eager, leaf), 0);
	add_leaves(f, eager);
	assert_int_equal(xy_tree_seal(f->tree, f->error, sizeof(f->error)), 0);
	assert_ptr_equal(xy_tree_team(f->tree, 2), leaf);
}

/* Members take tasks of a team, but nobody else's. */
static void a_team_is_not_a_way_to_its_members(void **state)
{
	struct fixture *f = *state;

	assert_text_broken(f, "fifo | eager { each team { }, worker(id=4) }",
			   "cpu0, cpu1, cpu2 and 1 more can't be reached");
	assert_text_broken(f, "pond | eager { each worker { }, random { each team { } } }",
			   "pond#0 holds its tasks until they are pulled, but pulls of parallel-worker#8 (cpu0, cpu1), "
			   "parallel-worker#9 (cpu2, cpu3), parallel-worker#10 (cpu0…cpu3) don't come through");
	assert_text_broken(f, "pond | eager { random { each worker { } }, each team { } }",
			   "pond#0 holds its tasks until they are pulled, but pulls of worker#3 (cpu0)");
	assert_text_sealed(f, "pond | eager { each worker { }, each team { } }");
	assert_text_sealed(f, "fifo | random { each worker { }, eager { each team { } } }");
}

static void fills_in_the_teams(void **state)
{
	struct fixture *f = *state;
	struct xy_tree *tree = fixture_parse("fifo | random { each worker { }, fifo | eager { each team { stage } }, "
					     "stage | parallel-worker(id=2) }",
					     f->machine, f->registry);
	struct xy_component *random = xy_tree_root(tree)->children[0], *teams = random->children[5];
	struct xy_component *stage = random->children[6];

	assert_int_equal(random->archs, XY_ON_CPU | XY_ON_CUDA | XY_ON_TEAM);
	assert_int_equal(random->nworkers, 5);
	assert_int_equal(random->nteams, 3);
	assert_int_equal(random->children[0]->archs, XY_ON_CPU);
	assert_int_equal(random->children[0]->nteams, 0);
	assert_int_equal(teams->archs, XY_ON_TEAM);
	assert_int_equal(teams->nteams, 3);
	assert_int_equal(teams->nworkers, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(teams->workers[i], i);
	assert_int_equal(stage->nteams, 1);
	assert_ptr_equal(stage->teams[0], xy_tree_team(tree, 2));
	assert_ptr_equal(stage->children[0], xy_tree_team(tree, 2));
	assert_int_equal(stage->children[0]->nmembers, 4);
	assert_int_equal(xy_tree_team(tree, 1)->nmembers, 2);
	assert_int_equal(xy_tree_team(tree, 1)->members[0], 2);
	assert_true(stage->takes_pushes);
	assert_int_equal(xy_component_child_of(random, 0), 0);
	assert_int_equal(xy_component_child_of(teams, 0), -1);
	xy_tree_destroy(tree);
}

static void refuses_ends_that_are_no_workers(void **state)
{
	struct fixture *f = *state;
	struct xy_component *eager = chain(f, "fifo", "eager");

	add_leaves(f, eager);
	assert_int_equal(xy_tree_link(eager, xy_tree_add_named(f->tree, "stage")), 0);
	assert_broken(f, "stage#7 has nothing below it");
}

static void refuses_several_children_of_a_kind_that_maps_not(void **state)
{
	assert_text_broken(*state, "fifo { stage, stage } | eager | each worker { }",
			   "fifo#0 has 2 components below it, but fifo can't choose between them");
}

static void refuses_options_out_of_range(void **state)
{
	struct fixture *f = *state;
	struct xy_component *eager = chain(f, "fifo", "eager");
	const struct xy_component *fifo = xy_tree_component(f->tree, 0);

	add_leaves(f, eager);
	assert_string_equal(fifo->ops->options[0].name, "ntasks");
	*(unsigned *)((char *)fifo + fifo->ops->options[0].offset) = 0;
	assert_broken(f, "fifo#0 has ntasks=0, which must be a whole number from 1 to inf");
}

static void refuses_too_many_levels(void **state)
{
	struct fixture *f = *state;
	struct xy_component *last = xy_tree_add_named(f->tree, "fifo"), *next;

	for (unsigned i = 0; i < 100000; i++, last = next) {
		next = xy_tree_add_named(f->tree, "stage");
		assert_int_equal(xy_tree_link(last, next), 0);
	}
	next = xy_tree_add_named(f->tree, "eager");
	assert_int_equal(xy_tree_link(last, next), 0);
	add_leaves(f, next);
	assert_broken(f, "the tree has 100003 levels; the limit is 64");
}

static void refuses_more_locks_than_an_agent_can_hold(void **state)
{
	assert_text_broken(*state,
			   "fifo|fifo|fifo|fifo|fifo|fifo|fifo|fifo|fifo|fifo|fifo|fifo|fifo|fifo|"
			   "fifo|fifo|fifo|eager|each worker{}",
			   "18 components that store or decide are above one another, 16 are the limit");
}

static void reports_every_broken_rule(void **state)
{
	struct fixture *f = *state;
	struct xy_component *fork = chain(f, "stage", "stage");
	unsigned lines = 1;

	assert_int_equal(xy_tree_link(fork, xy_tree_worker(f->tree, 0)), 0);
	assert_int_equal(xy_tree_link(fork, xy_tree_worker(f->tree, 1)), 0);
	xy_tree_add_named(f->tree, "fifo");
	assert_broken(f, "stage#1 has 2 components below it");
	assert_non_null(strstr(f->error, "\nfifo#4 has nothing below it"));
	assert_non_null(strstr(f->error, "\ncpu2, cpu3, cuda0 can't be reached"));
	assert_non_null(strstr(f->error, "\nthere must be one root"));
	for (const char *c = f->error; *c; c++)
		lines += *c == '\n';
	assert_int_equal(lines, 4);
}

static void cuts_a_message_that_does_not_fit(void **state)
{
	struct fixture *f = *state;
	char small[10];

	assert_int_equal(xy_tree_seal(f->tree, small, sizeof(small)), -EINVAL);
	assert_string_equal(small, "the tree ");
	assert_int_equal(xy_tree_seal(f->tree, small, 1), -EINVAL);
	assert_string_equal(small, "");
	assert_int_equal(xy_tree_seal(f->tree, NULL, 100), -EINVAL);
	small[0] = 'x';
	assert_int_equal(xy_tree_seal(f->tree, small, 0), -EINVAL);
	assert_int_equal(small[0], 'x');
}

/* --- the flow --- */

static void needs_an_unbounded_reservoir_above_what_refuses(void **state)
{
	static const char *const broken[][2] = {
		{ "fifo(ntasks=3) | eager | each worker { }", "fifo#0 can refuse a task" },
		{ "prio(length_us=100) | eager | each worker { }", "prio#0 can refuse a task" },
		{ "eager | each worker { fifo(ntasks=2) }", "fifo#1, fifo#3, fifo#5 and 2 more can refuse" },
		{ "eager | each worker { }", "worker#1 (cpu0), worker#2 (cpu1), worker#3 (cpu2) and 2 more" },
		{ "random { fifo | eager | each worker { }, stage | parallel-worker(id=0) }",
		  "parallel-worker#9 (cpu0, cpu1) can refuse a task" },
		{ "userchoice { fifo | eager | each worker { }, stage | prio(ntasks=1) | eager | each worker "
		  "{ } }",
		  "prio#9 can refuse a task" },
	};
	struct fixture *f = *state;

	for (unsigned i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
		assert_text_broken(f, broken[i][0], broken[i][1]);
	assert_text_sealed(f, "fifo | fifo(ntasks=3) | eager | each worker { }");
	assert_text_sealed(f, "stage | fifo | eager | each worker { fifo(ntasks=2) }");
	assert_text_sealed(f, "userchoice | each worker { prio }");
	assert_text_sealed(f, "random | each worker { fifo }");
	assert_text_sealed(f, "sponge | each worker { fifo(ntasks=1) }");
}

static void needs_a_pump_above_a_decision(void **state)
{
	struct fixture *f = *state;

	assert_text_broken(f, "pond | random | each worker { }",
			   "pond#0 holds its tasks until they are pulled, but pulls of worker#2 (cpu0), "
			   "worker#3 (cpu1), worker#4 (cpu2) and 2 more don't come through");
	/* the can_push that a decision makes of a pull passes the reservoirs below */
	assert_text_broken(f, "pond | fifo | random | each worker { }", "pond#0 holds its tasks");
	assert_text_broken(f,
			   "pond | eager { random { worker(id=0), worker(id=1), worker(id=2) }, "
			   "worker(id=3), worker(id=4) }",
			   "pond#0 holds its tasks until they are pulled, but pulls of worker#3 (cpu0)");
	assert_text_broken(f, "lock | each worker { fifo }", "lock#0 holds its tasks");
	assert_text_sealed(f, "pond | eager | each worker { }");
	assert_text_sealed(f, "pond | eager | each worker { pond }");
	assert_text_sealed(f, "fifo | random | each worker { pond }");
	assert_text_sealed(f, "pond | eager { random | each worker { }, stage | eager | each worker { } }");
	assert_text_sealed(f, "heart | each worker { fifo(ntasks=1) }");
}

static void needs_a_reservoir_between_a_decision_and_pulls(void **state)
{
	struct fixture *f = *state;

	assert_text_broken(f, "fifo | random | eager | each worker { }",
			   "random#1 decides and pushes tasks down to eager#2, but worker#3 (cpu0), "
			   "worker#4 (cpu1), worker#5 (cpu2) and 2 more below would have to pull them");
	assert_text_broken(f,
			   "fifo | random { stage | eager { fifo | worker(id=0), worker(id=1) }, worker(id=2), "
			   "worker(id=3), worker(id=4) }",
			   "random#1 decides and pushes tasks down to stage#2, but worker#6 (cpu1) below");
	assert_text_broken(f, "heart | eager | each worker { }", "heart#0 decides and pushes tasks down");
	assert_text_broken(f,
			   "fifo | random { fifo | worker(id=0), eager { worker(id=1), worker(id=2) }, worker(id=3), "
			   "worker(id=4) }",
			   "random#1 decides and pushes tasks down to eager#4, but worker#5 (cpu1), worker#6 (cpu2) "
			   "below");
	assert_text_sealed(f, "fifo | random | fifo | eager | each worker { }");
	assert_text_sealed(f, "fifo | random | random | each worker { best-implementation }");
	assert_text_sealed(f, "fifo | random | each node { fifo(ntasks=3) | eager | each worker { } }");
	assert_text_sealed(f, "fifo | random | eager | each worker { fifo(ntasks=3) }");
}

static void takes_every_policy(void **state)
{
	static const char *const machines[] = { "cpu:1", "cpu:8", "cpu:2 cuda:2 opencl:1", "cuda:1" };
	struct fixture *f = *state;
	const struct xy_policy *policy;

	for (unsigned i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct xy_machine *machine = fixture_machine(machines[i]);

		for (unsigned j = 0; (policy = xy_registry_policy_at(f->registry, j)); j++)
			xy_tree_destroy(fixture_parse(policy->name, machine, f->registry));
		xy_machine_destroy(machine);
	}
}

/* --- what it fills in --- */

static void fills_in_the_places(void **state)
{
	struct fixture *f = *state;
	struct xy_tree *tree = fixture_parse("fifo | eager { stage | stage | worker(id=4), "
					     "worker(id=0), eager { worker(id=3), worker(id=0), worker(id=1) }, "
					     "fifo | worker(id=2) }",
					     f->machine, f->registry);
	struct xy_component *eager = xy_tree_component(tree, 1), *inner = xy_tree_component(tree, 6);

	assert_int_equal(xy_tree_root(tree)->level, 0);
	assert_int_equal(tree->leaves[4]->level, 4);
	assert_int_equal(tree->leaves[0]->level, 3);
	assert_int_equal(inner->level, 2);
	assert_int_equal(eager->nworkers, 5);
	assert_int_equal(inner->nworkers, 3);
	assert_int_equal(inner->workers[0], 0);
	assert_int_equal(inner->workers[1], 1);
	assert_int_equal(inner->workers[2], 3);
	assert_int_equal(eager->archs, XY_ON_CPU | XY_ON_CUDA);
	assert_int_equal(inner->archs, XY_ON_CPU);
	assert_int_equal(tree->leaves[4]->archs, XY_ON_CUDA);
	assert_true(xy_tree_root(tree)->takes_pushes);
	assert_true(eager->takes_pushes);
	assert_false(inner->takes_pushes);
	assert_false(tree->leaves[0]->takes_pushes);
	for (unsigned i = 0; i < tree->ncomponents; i++)
		assert_int_equal((uintptr_t)tree->components[i]->shards % 64, 0);
	xy_tree_destroy(tree);
}

static void lengths_count_only_below_what_predicts(void **state)
{
	struct fixture *f = *state;
	struct xy_tree *tree = fixture_parse("fifo | mct | each worker { prio | best-implementation }", f->machine,
					     f->registry);

	for (unsigned i = 0; i < tree->ncomponents; i++) {
		const struct xy_component *c = tree->components[i];

		assert_int_equal(c->predicted, strcmp(c->ops->name, "fifo") && strcmp(c->ops->name, "mct"));
	}
	xy_tree_destroy(tree);
}

static void can_be_repaired_and_sealed_again(void **state)
{
	struct fixture *f = *state;
	struct xy_component *eager = chain(f, "fifo", "eager");

	assert_int_equal(xy_tree_link(eager, xy_tree_worker(f->tree, 0)), 0);
	assert_broken(f, "can't be reached");
	for (unsigned w = 1; w < xy_machine_nworkers(f->machine); w++)
		assert_int_equal(xy_tree_link(eager, xy_tree_worker(f->tree, w)), 0);
	assert_int_equal(xy_tree_seal(f->tree, f->error, sizeof(f->error)), 0);
	assert_string_equal(f->error, "");
}

static void sets_up_from_the_leaves_and_undoes_on_failure(void **state)
{
	struct fixture *f = *state;
	struct xy_component *eager = chain(f, "fifo", "eager"), *diary;

	for (unsigned w = 0; w < xy_machine_nworkers(f->machine); w++) {
		diary = xy_tree_add(f->tree, &diary_ops);
		assert_int_equal(xy_tree_link(eager, diary), 0);
		assert_int_equal(xy_tree_link(diary, xy_tree_worker(f->tree, w)), 0);
	}
	for (ninit_fails_at = 0; ninit_fails_at < 5; ninit_fails_at++) {
		assert_int_equal(xy_tree_seal(f->tree, f->error, sizeof(f->error)), -EPERM);
		assert_non_null(strstr(f->error, "can't be set up: Operation not permitted"));
		assert_null(xy_tree_root(f->tree));
		assert_int_equal(ninits, 0);
	}
	assert_int_equal(xy_tree_seal(f->tree, f->error, sizeof(f->error)), 0);
	assert_int_equal(ninits, 5);
	xy_tree_destroy(f->tree);
	f->tree = NULL;
	assert_int_equal(ninits, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(refuses_an_empty_tree),
		TEST(refuses_a_cycle),
		TEST(refuses_several_roots),
		TEST(refuses_a_tree_without_some_workers),
		TEST(refuses_a_leaf_with_children),
		TEST(refuses_leaves_of_no_worker),
		TEST(refuses_a_leaf_with_a_number_beyond_all_workers),
		TEST(refuses_two_leaves_of_a_worker),
		TEST(refuses_leaves_of_no_team_and_two_of_one),
		TEST(a_team_can_get_another_leaf_before_a_second_try),
		TEST(a_team_is_not_a_way_to_its_members),
		TEST(fills_in_the_teams),
		TEST(refuses_ends_that_are_no_workers),
		TEST(refuses_several_children_of_a_kind_that_maps_not),
		TEST(refuses_options_out_of_range),
		TEST(refuses_too_many_levels),
		TEST(refuses_more_locks_than_an_agent_can_hold),
		TEST(reports_every_broken_rule),
		TEST(cuts_a_message_that_does_not_fit),
		TEST(needs_an_unbounded_reservoir_above_what_refuses),
		TEST(needs_a_pump_above_a_decision),
		TEST(needs_a_reservoir_between_a_decision_and_pulls),
		TEST(takes_every_policy),
		TEST(fills_in_the_places),
		TEST(lengths_count_only_below_what_predicts),
		TEST(can_be_repaired_and_sealed_again),
		TEST(sets_up_from_the_leaves_and_undoes_on_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
