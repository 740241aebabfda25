/* SPDX-License-Identifier: MIT */
/* Reading expressions: what they build, and where and how they are said to be wrong. */
#include "tree_fixture.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "core/tree/tree_parts.h"

/* A mapper whose branches have names, and a kind with an option that can stand alone. */
struct valve {
	struct xy_component base;
	bool ready;
	char path[XY_OPTION_TEXT_SIZE];
};
static const char *const fork_labels[] = { "known", "calibrating", "none", NULL };
static const struct xy_component_ops fork_ops = {
	.name = "fork",
	.flags = XY_MAPS,
	.size = sizeof(struct xy_component),
	.labels = fork_labels,
};
static const struct xy_option valve_options[] = {
	{ .name = "ready", .type = XY_OPTION_BOOL, .offset = offsetof(struct valve, ready) },
	{ .name = "path", .type = XY_OPTION_TEXT, .offset = offsetof(struct valve, path) },
	{ 0 }
};
static const struct xy_component_ops valve_ops = {
	.name = "valve",
	.size = sizeof(struct valve),
	.options = valve_options,
};

struct fixture {
	struct xy_machine *machine;
	struct xy_registry *registry;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct xy__message nobody;

	xy__message_init(&nobody, NULL, 0);
	f->machine = fixture_machine("topology(numa:2 core:2 pu:1) cuda:1");
	f->registry = fixture_registry();
	assert_int_equal(xy__registry_add_component(f->registry, &fork_ops, "test", &nobody), 0);
	assert_int_equal(xy__registry_add_component(f->registry, &valve_ops, "test", &nobody), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	xy_registry_destroy(f->registry);
	xy_machine_destroy(f->machine);
	free(f);
	return 0;
}

/* Every link of the tree, "0>1 1>2": components by id, in order of parents and children. */
static void links(const struct xy_tree *tree, char *text, size_t size)
{
	struct xy__message m;

	xy__message_init(&m, text, size);
	for (unsigned i = 0; i < tree->ncomponents; i++)
		for (unsigned j = 0; j < tree->components[i]->nchildren; j++)
			xy__message_add(&m, "%s%u>%u", m.used ? " " : "", i, tree->components[i]->children[j]->id);
}

static void builds_what_it_says(void **state)
{
	static const struct {
		const char *text, *kinds, *links;
	} cases[] = {
		{ "fifo|eager|each worker{}", "fifo eager worker worker worker worker worker",
		  "0>1 1>2 1>3 1>4 1>5 1>6" },
		{ "fifo | eager | each worker { stage }",
		  "fifo eager stage worker stage worker stage worker stage worker stage worker",
		  "0>1 1>2 1>4 1>6 1>8 1>10 2>3 4>5 6>7 8>9 10>11" },
		{ "userchoice { fifo, prio } | stage | eager | each worker { }",
		  "userchoice fifo prio stage eager worker worker worker worker worker",
		  "0>1 0>2 1>3 2>3 3>4 4>5 4>6 4>7 4>8 4>9" },
		{ "fifo | eager { stage { stage }, eager { stage, stage } } | eager | each worker { }",
		  "fifo eager stage stage eager stage stage eager worker worker worker worker worker",
		  "0>1 1>2 1>4 2>3 3>7 4>5 4>6 5>7 6>7 7>8 7>9 7>10 7>11 7>12" },
		/* groups: nodes 0 (cpu0, cpu1), 1 (cpu2, cpu3), 2 (cuda0) */
		{ "fifo | eager | each node { eager | each worker { } }",
		  "fifo eager eager worker worker eager worker worker eager worker",
		  "0>1 1>2 1>5 1>8 2>3 2>4 5>6 5>7 8>9" },
		{ "fifo | eager | each arch { eager | each node { eager | each worker { } } }",
		  "fifo eager eager eager worker worker eager worker worker eager eager worker",
		  "0>1 1>2 1>9 2>3 2>6 3>4 3>5 6>7 6>8 9>10 10>11" },
		{ "fifo | eager | each arch { stage } | eager | each worker { }",
		  "fifo eager stage stage eager worker worker worker worker worker",
		  "0>1 1>2 1>3 2>4 3>4 4>5 4>6 4>7 4>8 4>9" },
		{ "fifo | eager { each worker { }, stage } | eager | each worker { }",
		  "fifo eager worker worker worker worker worker stage eager",
		  "0>1 1>2 1>3 1>4 1>5 1>6 1>7 7>8 8>2 8>3 8>4 8>5 8>6" },
		{ "fifo | eager | each worker { eager { stage, stage } | each worker { stage } }", NULL, NULL },
		{ "fifo | eager { worker(id=1), worker(id=0), worker(id=4), worker(id=2), worker(id=3) }",
		  "fifo eager worker worker worker worker worker", "0>1 1>2 1>3 1>4 1>5 1>6" },
	};
	struct fixture *f = *state;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xy_tree *tree = fixture_parse(cases[i].text, f->machine, f->registry);
		char kinds[1000], shape[1000];
		struct xy__message m;

		xy__message_init(&m, kinds, sizeof(kinds));
		for (unsigned j = 0; j < tree->ncomponents; j++)
			xy__message_add(&m, "%s%s", j ? " " : "", tree->components[j]->ops->name);
		links(tree, shape, sizeof(shape));
		if (cases[i].kinds) {
			assert_string_equal(kinds, cases[i].kinds);
			assert_string_equal(shape, cases[i].links);
		}
		xy_tree_destroy(tree);
	}
}

/* Pairs of texts that give equal trees. */
static void names_stand_for_one_sub_tree(void **state)
{
	static const char *const cases[][2] = {
		{ "fifo() | eager | each worker { }", "fifo | eager | each worker { }" },
		{ "let q = fifo in q | eager | each worker { }", "fifo | eager | each worker { }" },
		{ "let w = each worker { stage } in fifo | eager | w", "fifo | eager | each worker { stage }" },
		{ "let q = stage | eager | each worker { } in userchoice { fifo | q, prio | q }",
		  "userchoice { fifo, prio } | stage | eager | each worker { }" },
		{ "let q = stage in userchoice { fifo | q, prio | q } | eager | each worker { }",
		  "userchoice { fifo, prio } | stage | eager | each worker { }" },
		{ "let q = fifo in let r = q | eager | each worker { } in q", "fifo | eager | each worker { }" },
		{ "let q = fork in q { known: fifo, none: prio } | eager | each worker { }",
		  "fork { known: fifo, none: prio } | eager | each worker { }" },
		{ "fifo | eager | each node { let q = stage in eager { stage | q, stage | q } | eager"
		  " | each worker { } }",
		  "fifo | eager | each node { eager { stage, stage } | stage | eager | each worker { } }" },
		{ "userchoice { tree-eager, modular-prio }",
		  "userchoice { fifo(ready) | eager | each worker { best-implementation }, "
		  "prio | eager | each worker { best-implementation } }" },
	};
	struct fixture *f = *state;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xy_tree *a = fixture_parse(cases[i][0], f->machine, f->registry);
		struct xy_tree *b = fixture_parse(cases[i][1], f->machine, f->registry);

		if (!xy_tree_equal(a, b))
			fail_msg("\"%s\" is not \"%s\"", cases[i][0], cases[i][1]);
		xy_tree_destroy(a);
		xy_tree_destroy(b);
	}
}

/* Two packages of two caches of two cores, and a device. */
static void goes_over_parts_of_the_machine(void **state)
{
	static const struct {
		const char *text, *links;
	} cases[] = {
		{ "fifo | eager | each package { eager | each worker { } }",
		  "0>1 1>2 1>7 1>12 2>3 2>4 2>5 2>6 7>8 7>9 7>10 7>11 12>13" },
		{ "fifo | eager | each numa { eager | each worker { } }",
		  "0>1 1>2 1>7 1>12 2>3 2>4 2>5 2>6 7>8 7>9 7>10 7>11 12>13" },
		{ "fifo | eager | each cache { eager | each worker { } }",
		  "0>1 1>2 1>5 1>8 1>11 1>14 2>3 2>4 5>6 5>7 8>9 8>10 11>12 11>13 14>15" },
		{ "fifo | eager | each core { eager | each worker { } }",
		  "0>1 1>2 1>4 1>6 1>8 1>10 1>12 1>14 1>16 1>18 2>3 4>5 6>7 8>9 10>11 12>13 14>15 16>17 18>19" },
		{ "fifo | eager | each package { eager | each cache { eager | each worker { } } }",
		  "0>1 1>2 1>9 1>16 2>3 2>6 3>4 3>5 6>7 6>8 9>10 9>13 10>11 10>12 13>14 13>15 16>17 17>18" },
	};
	struct fixture *f = *state;
	struct xy_machine *machine = fixture_machine("topology(package:2 [numa] l3:2 l2:1 core:2) cuda:1");

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xy_tree *tree = fixture_parse(cases[i].text, machine, f->registry);
		char shape[1000];

		links(tree, shape, sizeof(shape));
		assert_string_equal(shape, cases[i].links);
		xy_tree_destroy(tree);
	}
	xy_machine_destroy(machine);
}

/* On a machine with a core in each of two memory nodes, whose only team is made of both. */
static void goes_over_the_teams_inside_a_part(void **state)
{
	struct fixture *f = *state;
	struct xy_machine *machine = fixture_machine("topology(numa:2 core:1)");
	struct xy_tree *tree = fixture_parse("fifo | eager | each node { eager { each worker { }, each team { } } }",
					     machine, f->registry);
	char shape[1000];

	links(tree, shape, sizeof(shape));
	assert_string_equal(shape, "0>1 1>2 1>4 2>3 4>5");
	xy_tree_destroy(tree);
	tree = fixture_parse("fifo | eager { each worker { }, each team { } }", machine, f->registry);
	links(tree, shape, sizeof(shape));
	assert_string_equal(shape, "0>1 1>2 1>3 1>4");
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
}

static int build_nothing(struct xy_tree *tree, void *arg)
{
	(void)tree;
	(void)arg;
	return 0;
}

static void policies_do_not_stand_in_themselves(void **state)
{
	static const struct xy_policy endless = { .name = "endless", .expression = "fifo | endless" };
	static const struct xy_policy built = { .name = "built", .build = build_nothing };
	struct fixture *f = *state;
	struct xy__message nobody;
	struct xy_tree *tree;
	char error[1000];

	xy__message_init(&nobody, NULL, 0);
	assert_int_equal(xy__registry_add_policy(f->registry, &endless, "test", &nobody), 0);
	assert_int_equal(xy__registry_add_policy(f->registry, &built, "test", &nobody), 0);
	assert_int_equal(xy_tree_parse(&tree, "endless", f->machine, f->registry, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "policies are nested too deeply"));
	assert_int_equal(xy_tree_parse(&tree, "fifo | built", f->machine, f->registry, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "column 8: this policy is built by calls"));
}

static void reads_options_and_labels(void **state)
{
	struct fixture *f = *state;
	struct xy_tree *tree = fixture_parse("fork { known: fifo, none : prio(length_us=inf, ntasks=inf) } | "
					     "valve(ready) | valve(ready=false, path=a/b-1.yml) | valve | "
					     "eager | each worker { fifo(ntasks = 7) }",
					     f->machine, f->registry);
	const struct xy_component *root = xy_tree_root(tree);

	assert_string_equal(root->children[0]->label, "known");
	assert_string_equal(root->children[1]->label, "none");
	assert_true(((struct valve *)xy_tree_component(tree, 3))->ready);
	assert_false(((struct valve *)xy_tree_component(tree, 4))->ready);
	assert_string_equal(((struct valve *)xy_tree_component(tree, 4))->path, "a/b-1.yml");
	assert_false(((struct valve *)xy_tree_component(tree, 5))->ready);
	xy_tree_destroy(tree);
}

static void says_where_and_what_is_wrong(void **state)
{
	static const struct {
		const char *text;
		int error, column;
		const char *says;
	} cases[] = {
		{ "", -EINVAL, 1, "the name of a component" },
		{ "   ", -EINVAL, 4, "the name of a component" },
		{ "fifo |", -EINVAL, 7, "the name of a component" },
		{ "| fifo", -EINVAL, 1, "the name of a component" },
		{ "fifo || eager", -EINVAL, 7, "the name of a component" },
		{ "fifo ; eager", -EINVAL, 6, "'|' or the end is needed" },
		{ "fifo }", -EINVAL, 6, "'|' or the end is needed" },
		{ "fifo | prios | each worker { }", -ENOENT, 8, "no component \"prios\"; did you mean \"prio\"" },
		{ "fifo | eagr | each worker { }", -ENOENT, 8, "no component \"eagr\"; did you mean \"eager\"?" },
		{ "fifo | zzzzzzz", -ENOENT, 8, "; there are balance, " },
		{ "fifo(ntask=3) | eager", -ENOENT, 6, "\"fifo\" has no option \"ntask\"; did you mean \"ntasks\"?" },
		{ "fifo(zz=3) | eager", -ENOENT, 6, "\"fifo\" has no option \"zz\"; it has ntasks, length_us" },
		{ "stage(zz=3) | eager", -ENOENT, 7, "\"stage\" has no option \"zz\"; it has none" },
		{ "fifo(,) | eager", -EINVAL, 6, "the name of an option is needed" },
		{ "fifo(ntasks=) | eager", -EINVAL, 13, "a value is needed after '='" },
		{ "fifo(ntasks) | eager", -EINVAL, 6, "needs a value" },
		{ "fifo(ntasks=x) | eager", -EINVAL, 6, "ntasks is a whole number from 1 to inf, not x" },
		{ "fifo(ntasks=0) | eager", -EINVAL, 6, "ntasks is a whole number from 1 to inf, not 0" },
		{ "fifo(ntasks=1,ntasks=1) | eager", -EINVAL, 15, "set twice" },
		{ "fifo(ntasks=1 length_us=1) | eager", -EINVAL, 15, "')' or ','" },
		{ "fifo(ntasks=1 | eager", -EINVAL, 15, "')' or ','" },
		{ "valve(path=a[0])", -EINVAL, 13, "')' or ',' is needed after an option" },
		{ "valve(path)", -EINVAL, 7, "this option needs a value" },
		{ "valve(ready=maybe)", -EINVAL, 7, "ready is true or false, not maybe" },
		{ "fifo { }", -EINVAL, 8, "the name of a component" },
		{ "eager { fifo, }", -EINVAL, 15, "the name of a component" },
		{ "eager { fifo", -EINVAL, 13, "'}', ',' or '|'" },
		{ "each worker { fifo, fifo }", -EINVAL, 19, "'}' or '|'" },
		{ "fork { knwn: fifo }", -ENOENT, 8, "\"fork\" has no branch \"knwn\"; did you mean \"known\"?" },
		{ "fork { zzzzzz: fifo }", -ENOENT, 8, "; it has known, calibrating, none" },
		{ "eager { known: fifo }", -ENOENT, 9, "\"eager\" has no branch \"known\"; its branches have no" },
		{ "fork { known: fifo, known: fifo }", -EINVAL, 28, "fork#0 has a branch with this label already" },
		{ "fork { known: each worker { } }", -EINVAL, 15, "\"each\" makes several" },
		{ "each { fifo }", -EINVAL, 6, "\"worker\", \"team\", \"node\", \"arch\", \"package\"" },
		{ "each cpu { fifo }", -EINVAL, 6, "\"worker\", \"team\", \"node\", \"arch\", \"package\"" },
		{ "fifo | each worker", -EINVAL, 19, "'{' is needed" },
		{ "fifo | eager { each worker { }, parallel-worker }", -EINVAL, 33,
		  "needs its number: parallel-worker(id=0)" },
		{ "fifo | eager { each worker { }, parallel-worker(id=99) }", -EINVAL, 33, "no such team" },
		{ "fifo | eager { each worker { }, parallel-worker(id=0) | fifo }", -EINVAL, 57,
		  "nothing can be below" },
		{ "fifo | eager { each worker { }, each team { } | fifo }", -EINVAL, 49, "nothing can be below" },
		{ "fifo | eager { each team { }, each team { } }", -EINVAL, 31, "is below eager#1 already" },
		{ "fifo | each node { }", -EINVAL, 20, "only \"each worker\" and \"each team\" may be empty" },
		{ "fifo | eager | each worker { } | fifo", -EINVAL, 34, "everything above it ends in a worker" },
		{ "fifo | worker(id=0) | fifo", -EINVAL, 23, "everything above it ends in a worker" },
		{ "fifo | worker(id=0) { fifo }", -EINVAL, 8, "a leaf has nothing below it" },
		{ "fifo | worker", -EINVAL, 8, "needs its number" },
		{ "fifo | worker(id=5)", -EINVAL, 8, "the workers 0 to 4" },
		{ "fifo | worker(id=inf)", -EINVAL, 8, "the workers 0 to 4" },
		{ "fifo | worker(id=-1)", -EINVAL, 8, "the workers 0 to 4" },
		{ "fifo | eager { each worker { }, each worker { } }", -EINVAL, 33,
		  "worker#2 (cpu0) is below eager#1 already" },
		{ "fifo | \xc3\xa4\xc3\xb6 | ", -EINVAL, 8, "the name of a component" },
		{ "fifo \xc3\xa4\xc3\xb6 | ", -EINVAL, 6, "'|' or the end" },
		{ "let |", -EINVAL, 5, "a name is needed after \"let\"" },
		{ "let 1 = fifo in fifo", -EINVAL, 5, "a name is needed after \"let\"" },
		{ "let q fifo in q", -EINVAL, 7, "'=' is needed after the name" },
		{ "let q = fifo, q", -EINVAL, 13, "'|' or \"in\" is needed here" },
		{ "let q = fifo in", -EINVAL, 16, "the name of a component" },
		{ "let in = fifo in in", -EINVAL, 5, "this is a word of the language" },
		{ "let each = fifo in each", -EINVAL, 5, "this is a word of the language" },
		{ "let fifo = prio in fifo", -EINVAL, 5, "this is the name of a component" },
		{ "let tree-ws = prio in tree-ws", -EINVAL, 5, "this is the name of a policy" },
		{ "let q = fifo in let q = prio in q", -EINVAL, 21, "this name is defined already" },
		{ "let q = q in q", -ENOENT, 9, "no component \"q\"" },
		{ "eager { let q = fifo in q, q }", -ENOENT, 28, "no component \"q\"" },
		{ "let q = fifo in q(ntasks=2)", -EINVAL, 18, "'|' or the end is needed" },
		{ "let q = worker(id=0) in fifo | q | fifo", -EINVAL, 36, "everything above it ends in a worker" },
		{ "let q = worker(id=0) in fifo | q { fifo }", -EINVAL, 32, "nothing can be below this" },
		{ "let q = fifo | eager | each worker { } in random { q, q }", -EINVAL, 55,
		  "is below random#7 already" },
		{ "let q = fork in q { knwn: fifo }", -ENOENT, 21, "\"fork\" has no branch \"knwn\"" },
		{ "fifo | tree-eager(ntask=2)", -ENOENT, 19, "\"fifo\" has no option \"ntask\"" },
		{ "tree-eager(ntasks=2, ntasks=3)", -EINVAL, 22, "this option is set twice" },
		{ "fifo | tree-eager { fifo }", -EINVAL, 8, "a policy has no branches" },
		{ "fifo | tree-eager | stage", -EINVAL, 21, "everything above it ends in a worker" },
		{ "fifo | tree-egaer", -ENOENT, 8, "did you mean \"tree-eager\"" },
		{ "@", -ENOENT, 0, "the file  can't be opened" },
		{ "@/nonexistent/file", -ENOENT, 0, "the file /nonexistent/file can't be opened: No such file" },
	};
	struct fixture *f = *state;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xy_tree *tree = (struct xy_tree *)1;
		char error[1000], column[20];
		int rc = xy_tree_parse(&tree, cases[i].text, f->machine, f->registry, error, sizeof(error));

		snprintf(column, sizeof(column), "column %d: ", cases[i].column);
		assert_null(tree);
		if (rc != cases[i].error || !strstr(error, cases[i].says) ||
		    (cases[i].column && strncmp(error, column, strlen(column))))
			fail_msg("\"%s\": %d: %s", cases[i].text, rc, error);
	}
}

static void shows_the_place(void **state)
{
	struct fixture *f = *state;
	struct xy_tree *tree;
	char error[1000], text[400];

	assert_int_equal(xy_tree_parse(&tree, "fifo |\teagr |", f->machine, f->registry, error, sizeof(error)),
			 -ENOENT);
	assert_string_equal(error, "column 8: Xylem has no component \"eagr\"; did you mean \"eager\"?\n"
				   "  fifo | eagr |\n"
				   "         ^");
	assert_int_equal(xy_tree_parse(&tree, "fifo\n| eagr\n| x", f->machine, f->registry, error, sizeof(error)),
			 -ENOENT);
	assert_string_equal(error, "line 2, column 3: Xylem has no component \"eagr\"; did you mean "
				   "\"eager\"?\n"
				   "  | eagr\n"
				   "    ^");
	/* around the place only */
	memset(text, ' ', sizeof(text));
	memcpy(text + 200, "zzzz", 4);
	memcpy(text + 300, "\x01\x7f", 2);
	text[399] = '\0';
	memcpy(text, "fifo |", 6);
	assert_int_equal(xy_tree_parse(&tree, text, f->machine, f->registry, error, sizeof(error)), -ENOENT);
	assert_non_null(strstr(error, "column 201: "));
	assert_int_equal(strlen(strrchr(error, '\n')), 1 + 2 + 3 + 60 + 1);
	memcpy(text + 200, "fifo", 4);
	assert_int_equal(xy_tree_parse(&tree, text, f->machine, f->registry, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "??"));
	/* characters are shown whole: the last one begins before the end of what is shown */
	memset(text, ' ', sizeof(text));
	memcpy(text, "zzzz", 4);
	memcpy(text + 57, "é…é", 7);
	text[100] = '\0';
	assert_int_equal(xy_tree_parse(&tree, text, f->machine, f->registry, error, sizeof(error)), -ENOENT);
	assert_non_null(strstr(error, " é…...\n"));
}

static void says_so_when_a_single_name_is_unknown(void **state)
{
	struct fixture *f = *state;
	struct xy_tree *tree;
	char error[1000], last[64];
	unsigned n = 0;

	assert_int_equal(xy_tree_parse(&tree, " tree-egaer ", f->machine, f->registry, error, sizeof(error)), -ENOENT);
	assert_string_equal(error, "there is no policy and no component \"tree-egaer\"; did you mean "
				   "\"tree-eager\"?");
	assert_int_equal(xy_tree_parse(&tree, "quantum", f->machine, f->registry, error, sizeof(error)), -ENOENT);
	assert_non_null(strstr(error, "; the policies are tree-"));
	while (xy_registry_policy_at(f->registry, n))
		n++;
	snprintf(last, sizeof(last), ", %s", xy_registry_policy_at(f->registry, n - 1)->name);
	assert_string_equal(error + strlen(error) - strlen(last), last);
	assert_int_equal(xy_tree_parse(&tree, "eager", f->machine, f->registry, error, sizeof(error)), -EINVAL);
	assert_ptr_equal(strstr(error, "\"eager\" is a component, not a policy; did you mean \"tree-eager\""), error);
	assert_null(strchr(error, '\n'));
	assert_int_equal(xy_tree_parse(&tree, "stage", f->machine, f->registry, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "stage#0 has nothing below it"));
}

static void refuses_null(void **state)
{
	struct fixture *f = *state;
	struct xy_tree *tree;
	char error[100];

	assert_int_equal(xy_tree_parse(NULL, "tree-eager", f->machine, f->registry, error, 100), -EINVAL);
	assert_int_equal(xy_tree_parse(&tree, NULL, f->machine, f->registry, error, 100), -EINVAL);
	assert_int_equal(xy_tree_parse(&tree, "tree-eager", NULL, f->registry, error, 100), -EINVAL);
	assert_int_equal(xy_tree_parse(&tree, "tree-eager", f->machine, NULL, error, 100), -EINVAL);
	assert_non_null(strstr(error, "needs a text, a machine and a registry"));
	assert_int_equal(xy_tree_parse(&tree, "eagr|", f->machine, f->registry, NULL, 0), -ENOENT);
	assert_null(tree);
}

/* --- limits --- */

static void refuses_braces_that_are_too_deep(void **state)
{
	struct fixture *f = *state;
	char text[100 * 6 + 1] = "", error[1000];
	struct xy_tree *tree;

	for (unsigned i = 0; i < 100; i++)
		strcat(text, "eager{");
	assert_int_equal(xy_tree_parse(&tree, text, f->machine, f->registry, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "column 390: the braces are nested too deeply: 64 levels"));
}

static void refuses_text_that_is_too_long(void **state)
{
	struct fixture *f = *state;
	size_t length = XY__MAX_EXPRESSION + 1;
	char *text = malloc(length + 1), error[1000];
	struct xy_tree *tree;

	memset(text, ' ', length);
	text[length] = '\0';
	assert_int_equal(xy_tree_parse(&tree, text, f->machine, f->registry, error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "the expression has 1048577 bytes; the limit is 1048576");
	free(text);
}

static void refuses_too_many_links(void **state)
{
	struct fixture *f = *state;
	struct xy_machine *machine = fixture_machine("cpu:500");
	size_t branches = 10000, at = 0;
	char *text = malloc(branches * 6 + 100), error[1000];
	struct xy_tree *tree;

	at += (size_t)sprintf(text, "fifo | eager { ");
	for (size_t i = 0; i < branches; i++)
		at += (size_t)sprintf(text + at, "stage%s", i + 1 < branches ? "," : " }");
	sprintf(text + at, " | each worker { stage }");
	assert_int_equal(xy_tree_parse(&tree, text, machine, f->registry, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "more links than the 1048576 that are the limit"));
	free(text);
	xy_machine_destroy(machine);
}

static void builds_trees_for_thousands_of_workers(void **state)
{
	struct fixture *f = *state;
	struct xy_machine *machine = fixture_machine("cpu:4000 cuda:100");
	struct xy_tree *tree = fixture_parse("tree-eager-prefetching", machine, f->registry);

	assert_int_equal(xy_tree_ncomponents(tree), 2 + 3 * 4100);
	assert_int_equal(xy_tree_root(tree)->nworkers, 4100);
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
}

/* --- files --- */

/* Writes a file in the current folder and parses it. */
static int parse_file(struct fixture *f, const void *content, size_t length, struct xy_tree **tree, char *error,
		      size_t size)
{
	char path[] = "tree_parse_XXXXXX", text[64];
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, length), (ssize_t)length);
	close(fd);
	snprintf(text, sizeof(text), " @%s", path);
	rc = xy_tree_parse(tree, text, f->machine, f->registry, error, size);
	unlink(path);
	return rc;
}

static void reads_files_with_comments(void **state)
{
	static const char content[] = "# what it is for\n"
				      "fifo        # everything waits here\r\n"
				      "| eager     # | not this\n"
				      "| each worker { }#";
	struct fixture *f = *state;
	struct xy_tree *tree, *same = fixture_parse("fifo | eager | each worker { }", f->machine, f->registry);
	char error[1000];

	assert_int_equal(parse_file(f, content, strlen(content), &tree, error, sizeof(error)), 0);
	assert_true(xy_tree_equal(tree, same));
	xy_tree_destroy(tree);
	assert_int_equal(parse_file(f, "#\ntree-eager#x\n", 15, &tree, error, sizeof(error)), 0);
	xy_tree_destroy(tree);
	xy_tree_destroy(same);
}

static void says_which_line_of_a_file_is_wrong(void **state)
{
	struct fixture *f = *state;
	struct xy_tree *tree;
	char error[1000];

	assert_int_equal(parse_file(f, "fifo\n| eagr\n", 12, &tree, error, sizeof(error)), -ENOENT);
	assert_int_equal(strncmp(error, "tree_parse_", 11), 0);
	assert_non_null(strstr(error, ", line 2, column 3: "));
	assert_int_equal(parse_file(f, "fifo\0| eager", 12, &tree, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, ", column 5: '|' or the end is needed here\n  fifo?| eager\n"));
	assert_int_equal(parse_file(f, "", 0, &tree, error, sizeof(error)), -EINVAL);
	assert_int_equal(xy_tree_parse(&tree, "@.", f->machine, f->registry, error, sizeof(error)), -EISDIR);
}

static void names_the_policy_that_is_wrong(void **state)
{
	static const struct xy_policy policy = { .name = "bad", .expression = "fifo | eager { fifo" };
	struct fixture *f = *state;
	struct xy__message nobody;
	struct xy_tree *tree;
	char error[1000];

	xy__message_init(&nobody, NULL, 0);
	assert_int_equal(xy__registry_add_policy(f->registry, &policy, "test", &nobody), 0);
	assert_int_equal(xy_tree_parse(&tree, "bad", f->machine, f->registry, error, sizeof(error)), -EINVAL);
	assert_int_equal(strncmp(error, "policy bad, column 20: ", 23), 0);
	assert_int_equal(xy_tree_parse(&tree, "fifo | bad", f->machine, f->registry, error, sizeof(error)), -EINVAL);
	assert_int_equal(strncmp(error, "policy bad, column 20: ", 23), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(builds_what_it_says),
		TEST(goes_over_parts_of_the_machine),
		TEST(goes_over_the_teams_inside_a_part),
		TEST(names_stand_for_one_sub_tree),
		TEST(policies_do_not_stand_in_themselves),
		TEST(reads_options_and_labels),
		TEST(says_where_and_what_is_wrong),
		TEST(shows_the_place),
		TEST(says_so_when_a_single_name_is_unknown),
		TEST(refuses_null),
		TEST(refuses_braces_that_are_too_deep),
		TEST(refuses_text_that_is_too_long),
		TEST(refuses_too_many_links),
		TEST(builds_trees_for_thousands_of_workers),
		TEST(reads_files_with_comments),
		TEST(says_which_line_of_a_file_is_wrong),
		TEST(names_the_policy_that_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
