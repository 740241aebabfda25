/* SPDX-License-Identifier: MIT */
/* Showing trees: expressions that read back, drawings as people see them, valid dot and JSON. */
#include "tree_fixture.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

static const char *const fork_labels[] = { "known", "none", NULL };
struct fork {
	struct xy_component base;
	char path[XY_OPTION_TEXT_SIZE];
	unsigned id; /* its own: only the option of leaves names a worker */
};
static const struct xy_option fork_options[] = {
	{ .name = "path", .help = "a text", .type = XY_OPTION_TEXT, .offset = offsetof(struct fork, path) },
	{ .name = "id", .help = "a number", .type = XY_OPTION_UNSIGNED, .offset = offsetof(struct fork, id), .max = 9 },
	{ 0 }
};
static const struct xy_component_ops fork_ops = {
	.name = "fork",
	.flags = XY_MAPS,
	.size = sizeof(struct fork),
	.options = fork_options,
	.labels = fork_labels,
};

struct fixture {
	struct xy_registry *registry;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct xy__message nobody;

	xy__message_init(&nobody, NULL, 0);
	f->registry = fixture_registry();
	assert_int_equal(xy__registry_add_component(f->registry, &fork_ops, "test", &nobody), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	xy_registry_destroy(f->registry);
	free(f);
	return 0;
}

/* The expression of the tree of a text on a machine, after checking that it reads back. */
static char *expression(struct fixture *f, const char *text, const char *machine_text)
{
	struct xy_machine *machine = fixture_machine(machine_text);
	struct xy_tree *tree = fixture_parse(text, machine, f->registry), *again;
	char *printed = fixture_print(tree, XY_TREE_EXPRESSION, 0), *twice;

	again = fixture_parse(printed, machine, f->registry);
	twice = fixture_print(again, XY_TREE_EXPRESSION, 0);
	if (!xy_tree_equal(tree, again))
		fail_msg("%s on %s became %s", text, machine_text, printed);
	assert_string_equal(printed, twice);
	free(twice);
	xy_tree_destroy(again);
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
	return printed;
}

static const char *const machines[] = {
	"cpu:1",
	"cpu:2",
	"cpu:7",
	"cuda:2",
	"cpu:3 cuda:2 opencl:1",
	"topology(numa:2 core:4 pu:1)",
	"topology(numa:3 core:1 pu:1) cuda:3",
};

static const char *const shapes[] = {
	"userchoice { fifo, prio } | stage | eager | each worker { }",
	"userchoice { fifo | eager, prio | eager } | each worker { best-implementation }",
	"prio | fork { known: random, none: stage } | eager | each worker { prio(ntasks=30) }",
	"fork { known: fifo | eager | each worker { } }",
	"fifo | eager | each node { fifo(ntasks=4) | eager | each worker { best-implementation } }",
	"fifo | eager | each arch { fifo(ntasks=4) | eager | each worker { best-implementation } }",
	"fifo | eager | each arch { eager | each node { eager | each worker { stage | stage } } }",
	"fifo | eager | each node { stage | eager { stage, prio(ntasks=2) } | eager | each worker { } }",
	"fifo | eager { fifo(ntasks=3) | worker(id=0), each worker { best-implementation } }",
	"fifo | eager { each worker { stage }, each worker { prio(ntasks=2) }, stage | eager | each worker {} }",
	"fifo | eager | each worker { eager { stage, fifo(ntasks=1) | stage } }",
	"userchoice { fifo { stage }, fifo | userchoice { fifo, prio } | eager { stage } } | work-stealing | "
	"each worker { stage | stage }",
	"eager-prio { fork { known: stage, none: stage } | eager { stage, stage }, stage } | stage | eager | "
	"each worker { }",
	"fifo | eager | each node { stage } | eager | each worker { }",
	"fifo | eager { each worker { }, each team { } }",
	"fifo | eager { each team { stage }, each worker { fifo(ntasks=2) }, each team { prio(ntasks=3) | stage } }",
	"fifo | random { each worker { stage }, each node { fifo | eager { each worker { stage }, each team { } } } }",
	"fifo | random { each worker { }, fifo | eager { stage, stage } | stage | eager { each team { }, each worker "
	"{ stage } } }",
	"userchoice { fifo | eager | each worker { }, prio | eager { each worker { stage }, each team { stage } } }",
	"fifo(ntasks=inf) | eager { stage, stage } | eager { stage, stage } | eager | each worker { }",
};

static void expressions_read_back_on_every_machine(void **state)
{
	struct fixture *f = *state;
	const struct xy_policy *policy;

	for (unsigned i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		for (unsigned j = 0; (policy = xy_registry_policy_at(f->registry, j)); j++)
			free(expression(f, policy->name, machines[i]));
		for (unsigned j = 0; j < sizeof(shapes) / sizeof(shapes[0]); j++)
			free(expression(f, shapes[j], machines[i]));
	}
}

static void folds_and_joins_as_people_would(void **state)
{
	static const struct {
		const char *text, *machine;
	} cases[] = {
		{ "fifo | eager | each worker { fifo(ntasks=2) | best-implementation }\n", "cpu:4 cuda:2" },
		{ "fifo | eager | each worker { best-implementation }\n", "cpu:1" },
		{ "fifo | eager | each node { fifo(ntasks=4) | eager | each worker { stage } }\n",
		  "topology(numa:2 core:4 pu:1)" },
		{ "fifo | eager | each arch { fifo(ntasks=4) | eager | each worker { } }\n", "cpu:4 cuda:2" },
		{ "fork { known: fifo | eager, none: prio } | stage | eager | each worker { }\n", "cpu:4" },
		{ "fork { known: fifo | eager, none: prio | eager } | each worker { stage }\n", "cpu:4" },
		{ "fork(path=a/b.yml) { known: fifo, none: prio } | eager | each worker { }\n", "cpu:4" },
		{ "fork(id=7) { known: fifo, none: prio } | eager | each worker { }\n", "cpu:4" },
		{ "fork(path=\"a b (c).yml\") { known: fifo, none: prio } | eager | each worker { }\n", "cpu:4" },
		{ "fifo | eager { stage | worker(id=0), each worker { stage } }\n", "cpu:4" },
		{ "fifo | eager { worker(id=1), worker(id=0) }\n", "cpu:2" },
		{ "fifo | eager { each worker { }, each team { } }\n", "cpu:5 cuda:1" },
		{ "fifo | eager { each team { stage }, each worker { stage } }\n", "topology(numa:2 core:3)" },
		{ "fifo | eager { each worker { }, parallel-worker(id=1), stage | parallel-worker(id=0) }\n", "cpu:4" },
		{ "fifo | eager | each worker { eager { stage, fifo(ntasks=1, length_us=0.5) } }\n", "cpu:2" },
		{ "fifo | random { fifo | eager | each worker { }, fifo | eager | each worker { stage }, "
		  "fifo | eager | each worker { } }\n",
		  "cpu:3" },
		{ "fifo | eager | each package { fifo(ntasks=4) | eager "
		  "| each cache { stage | eager | each worker { } } }\n",
		  "topology(package:2 l3:2 core:2)" },
		{ "let n1 = fifo | eager | each worker { } in userchoice { n1, prio | n1 }\n", "cpu:3" },
		{ "fifo | eager { worker(id=0), userchoice { fifo, prio } | eager { worker(id=1), worker(id=2) } }\n",
		  "cpu:3" },
		{ "fifo | eager { worker(id=0), stage, stage } | eager { worker(id=1), worker(id=2) }\n", "cpu:3" },
	};
	struct fixture *f = *state;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *printed = expression(f, cases[i].text, cases[i].machine);

		assert_string_equal(printed, cases[i].text);
		free(printed);
	}
}

/* Four branches that meet in pairs. */
static void names_what_has_several_parents(void **state)
{
	struct fixture *f = *state;
	struct xy_machine *machine = fixture_machine("cpu:2");
	struct xy_tree *tree = xy_tree_create(machine, f->registry);
	struct xy_component *fifo = xy_tree_add_named(tree, "fifo"), *eager = xy_tree_add_named(tree, "eager");
	struct xy_component *meet[2] = { xy_tree_add_named(tree, "eager"), xy_tree_add_named(tree, "eager") };
	char *text, *drawing, *json;
	struct xy_tree *again;

	assert_int_equal(xy_tree_link(fifo, eager), 0);
	for (unsigned i = 0; i < 4; i++) {
		struct xy_component *stage = xy_tree_add_named(tree, "stage");

		assert_int_equal(xy_tree_link(eager, stage), 0);
		assert_int_equal(xy_tree_link(stage, meet[i / 2]), 0);
		assert_int_equal(xy_tree_link(meet[i % 2], xy_tree_worker(tree, i / 2)), 0);
	}
	assert_int_equal(xy_tree_seal(tree, NULL, 0), 0);
	text = fixture_print(tree, XY_TREE_EXPRESSION, 0);
	assert_string_equal(text, "let n1 = eager | each worker { } in let n2 = eager | each worker { } in "
				  "fifo | eager { stage | n1, stage | n1, stage | n2, stage | n2 }\n");
	again = fixture_parse(text, machine, f->registry);
	assert_true(xy_tree_equal(tree, again));
	xy_tree_destroy(again);
	free(text);
	drawing = fixture_print(tree, XY_TREE_DRAWING, 0);
	assert_non_null(strstr(drawing, "eager#2  (drawn above)"));
	free(drawing);
	json = fixture_print(tree, XY_TREE_JSON, 0);
	assert_non_null(strstr(json, "\"expression\": \"let n1 = "));
	free(json);
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
}

/* n1 is a component here. */
static void gives_names_that_mean_nothing_else(void **state)
{
	static const struct xy_component_ops taken = { .name = "n1", .size = sizeof(struct xy_component) };
	struct fixture *f = *state;
	struct xy__message nobody;
	char *printed;

	xy__message_init(&nobody, NULL, 0);
	assert_int_equal(xy__registry_add_component(f->registry, &taken, "test", &nobody), 0);
	printed = expression(f, "let n = fifo | eager | each worker { } in userchoice { n, prio | n }", "cpu:3");
	assert_string_equal(printed, "let n2 = fifo | eager | each worker { } in userchoice { n2, prio | n2 }\n");
	free(printed);
}

static void refuses_kinds_that_the_registry_has_not(void **state)
{
	static const struct xy_component_ops ops = { .name = "stage", .size = sizeof(struct xy_component) };
	struct fixture *f = *state;
	struct xy_machine *machine = fixture_machine("cpu:1");
	struct xy_component *fifo, *stage;
	struct xy_tree *tree;

	tree = xy_tree_create(machine, f->registry);
	fifo = xy_tree_add_named(tree, "fifo");
	stage = xy_tree_add(tree, &ops);
	assert_int_equal(xy_tree_link(fifo, stage), 0);
	assert_int_equal(xy_tree_link(stage, xy_tree_worker(tree, 0)), 0);
	assert_int_equal(xy_tree_seal(tree, NULL, 0), 0);
	assert_int_equal(xy_tree_print(tree, stderr, XY_TREE_EXPRESSION, 0), -ENOTSUP);
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
}

static void refuses_null_and_what_is_not_sealed(void **state)
{
	struct fixture *f = *state;
	struct xy_machine *machine = fixture_machine("cpu:1");
	struct xy_tree *tree = fixture_parse("tree-eager", machine, f->registry);
	struct xy_tree *open = xy_tree_create(machine, f->registry);
	FILE *full = fopen("/dev/full", "w");

	assert_int_equal(xy_tree_print(NULL, stderr, XY_TREE_DRAWING, 0), -EINVAL);
	assert_int_equal(xy_tree_print(tree, NULL, XY_TREE_DRAWING, 0), -EINVAL);
	assert_int_equal(xy_tree_print(open, stderr, XY_TREE_DRAWING, 0), -EINVAL);
	assert_int_equal(xy_tree_print(tree, stderr, (enum xy_tree_format)9, 0), -EINVAL);
	if (full) {
		setvbuf(full, NULL, _IONBF, 0);
		assert_int_equal(xy_tree_print(tree, full, XY_TREE_DRAWING, 0), -EIO);
		fclose(full);
	}
	xy_tree_destroy(open);
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
}

static void draws_for_people(void **state)
{
	static const struct {
		const char *text, *machine, *drawing;
	} cases[] = {
		{ "tree-eager-prefetching", "cpu:12",
		  "fifo#0(ready)\n"
		  "└─ eager#1\n"
		  "   └─ fifo(ntasks=2, ready)  × 12 workers cpu0…cpu11\n"
		  "      └─ best-implementation\n"
		  "         └─ worker\n" },
		{ "fifo | eager | each node { fifo(ntasks=4) | eager | each worker { } }",
		  "topology(numa:2 core:3 pu:1)",
		  "fifo#0\n"
		  "└─ eager#1\n"
		  "   └─ fifo(ntasks=4)  × 2, workers cpu0…cpu5\n"
		  "      └─ eager\n"
		  "         └─ worker  × 6 workers cpu0…cpu5\n" },
		{ "fork { known: fifo, none: prio } | stage | eager | each worker { }", "cpu:1 cuda:2",
		  "fork#0\n"
		  "├─ known: fifo#1\n"
		  "│  └─ stage#3\n"
		  "│     └─ eager#4\n"
		  "│        └─ worker  × 3 workers cpu0, cuda0, cuda1\n"
		  "└─ none: prio#2\n"
		  "   └─ stage#3  (drawn above)\n" },
		{ "fifo | eager { each worker { }, each team { stage } }", "topology(numa:2 core:4)",
		  "fifo#0\n"
		  "└─ eager#1\n"
		  "   ├─ worker  × 8 workers cpu0…cpu7\n"
		  "   ├─ stage  × 4 teams of 2, cpu0…cpu7\n"
		  "   │  └─ parallel-worker\n"
		  "   ├─ stage  × 2 teams of 4, cpu0…cpu7\n"
		  "   │  └─ parallel-worker\n"
		  "   └─ stage#22\n"
		  "      └─ parallel-worker#23 cpu0…cpu7\n" },
		/* Alike but for the component that the last stage shares. */
		{ "fifo | eager { let r = stage | worker(id=0) in eager { stage | r, stage | r }, "
		  "let p = stage | stage | worker(id=1) in eager { p, stage | p } }",
		  "cpu:2",
		  "fifo#0\n"
		  "└─ eager#1\n"
		  "   ├─ eager#4\n"
		  "   │  ├─ stage#5\n"
		  "   │  │  └─ stage#2\n"
		  "   │  │     └─ worker#3 cpu0\n"
		  "   │  └─ stage#6\n"
		  "   │     └─ stage#2  (drawn above)\n"
		  "   └─ eager#10\n"
		  "      ├─ stage#7\n"
		  "      │  └─ stage#8\n"
		  "      │     └─ worker#9 cpu1\n"
		  "      └─ stage#11\n"
		  "         └─ stage#7  (drawn above)\n" },
		{ "fifo | eager { stage | worker(id=1), worker(id=0) }", "cpu:2",
		  "fifo#0\n"
		  "└─ eager#1\n"
		  "   ├─ stage#2\n"
		  "   │  └─ worker#3 cpu1\n"
		  "   └─ worker#4 cpu0\n" },
	};
	struct fixture *f = *state;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xy_machine *machine = fixture_machine(cases[i].machine);
		struct xy_tree *tree = fixture_parse(cases[i].text, machine, f->registry);
		char *drawing = fixture_print(tree, XY_TREE_DRAWING, 0);

		assert_string_equal(drawing, cases[i].drawing);
		free(drawing);
		xy_tree_destroy(tree);
		xy_machine_destroy(machine);
	}
}

static void draws_sums_of_counters(void **state)
{
	struct fixture *f = *state;
	struct xy_machine *machine = fixture_machine("cpu:2");
	struct xy_tree *tree = fixture_parse("fifo | eager | each worker { best-implementation }", machine,
					     f->registry);
	char *drawing, *dot;

	/* a pull is counted where it begins, and once for those that it passes through */
	atomic_store(&tree->components[0]->shards->pushed, 12);
	atomic_store(&tree->components[2]->shards->pulled, 5);
	atomic_store(&tree->components[4]->shards->pulled, 6);
	atomic_store(&tree->components[4]->shards->woken, 1);
	drawing = fixture_print(tree, XY_TREE_DRAWING, XY_PRINT_COUNTERS);
	assert_string_equal(drawing, "fifo#0                                             pushed 12 pulled 11\n"
				     "└─ eager#1                                         pulled 11\n"
				     "   └─ best-implementation  × 2 workers cpu0, cpu1  pulled 11 woken 1\n"
				     "      └─ worker                                    -\n");
	free(drawing);
	drawing = fixture_print(tree, XY_TREE_DRAWING, XY_PRINT_COUNTERS | XY_PRINT_COLOUR);
	assert_non_null(strstr(drawing, "\033[1;36mfifo\033[0m#0                                             "
					"pushed 12 pulled 11\n"));
	free(drawing);
	dot = fixture_print(tree, XY_TREE_DOT, XY_PRINT_COUNTERS);
	assert_non_null(strstr(dot, "pushed 12, pulled 11"));
	free(dot);
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
}

/* --- dot --- */

static void writes_dot_with_a_shape_for_each_role(void **state)
{
	struct fixture *f = *state;
	struct xy_machine *machine = fixture_machine("cpu:2");
	struct xy_tree *tree = fixture_parse("fifo | eager | each worker { fifo(ntasks=7) | best-implementation }",
					     machine, f->registry);
	char *dot = fixture_print(tree, XY_TREE_DOT, 0);

	assert_string_equal(dot, "digraph tree {\n"
				 "\tordering=out;\n"
				 "\tnode [shape=box, fontname=\"sans-serif\"];\n"
				 "\tedge [fontname=\"sans-serif\", fontsize=11];\n"
				 "\tc0 [style=filled, fillcolor=lightblue, label=\"fifo#0\\n\"];\n"
				 "\tc1 [style=rounded, label=\"eager#1\\n\"];\n"
				 "\tc2 [style=filled, fillcolor=lightblue, label=\"fifo#2\\n(ntasks=7)\"];\n"
				 "\tc3 [style=solid, label=\"best-implementation#3\\n\"];\n"
				 "\tc4 [shape=ellipse, label=\"worker#4 (cpu0)\\n\"];\n"
				 "\tc5 [style=filled, fillcolor=lightblue, label=\"fifo#5\\n(ntasks=7)\"];\n"
				 "\tc6 [style=solid, label=\"best-implementation#6\\n\"];\n"
				 "\tc7 [shape=ellipse, label=\"worker#7 (cpu1)\\n\"];\n"
				 "\tc0 -> c1;\n"
				 "\tc1 -> c2;\n"
				 "\tc1 -> c5;\n"
				 "\tc2 -> c3;\n"
				 "\tc3 -> c4;\n"
				 "\tc5 -> c6;\n"
				 "\tc6 -> c7;\n"
				 "\t{ rank=same; c4; c7; }\n"
				 "}\n");
	free(dot);
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
}

static void writes_dot_that_graphviz_reads(void **state)
{
	struct fixture *f = *state;

	if (system("dot -V 2>/dev/null") != 0)
		skip();
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct xy_machine *machine = fixture_machine("cpu:2 cuda:1");
		struct xy_tree *tree = fixture_parse(shapes[i], machine, f->registry);
		FILE *dot = popen("dot -Tplain >/dev/null", "w");

		assert_non_null(dot);
		assert_int_equal(xy_tree_print(tree, dot, XY_TREE_DOT, i % 2 ? XY_PRINT_COUNTERS : 0), 0);
		assert_int_equal(pclose(dot), 0);
		xy_tree_destroy(tree);
		xy_machine_destroy(machine);
	}
}

/* --- JSON: a reader that knows the grammar and nothing else --- */

static const char *json_value(const char *s);

static const char *json_space(const char *s)
{
	return s ? s + strspn(s, " \n\t\r") : NULL;
}

static const char *json_token(const char *s, const char *token)
{
	s = json_space(s);
	return s && !strncmp(s, token, strlen(token)) ? s + strlen(token) : NULL;
}

static const char *json_string(const char *s)
{
	s = json_token(s, "\"");
	while (s && *s != '"')
		s = (unsigned char)*s < ' ' || *s == '\\' ? NULL : s + 1;
	return s ? s + 1 : NULL;
}

/* Elements up to the closing bracket, with names before them in an object. */
static const char *json_elements(const char *s, char end)
{
	const char close[2] = { end, '\0' };
	const char *rest = json_token(s, close);

	while (s && !rest) {
		if (end == '}')
			s = json_token(json_string(json_space(s)), ":");
		s = json_value(s);
		rest = json_token(s, close);
		if (!rest)
			s = json_token(s, ",");
	}
	return rest;
}

static const char *json_value(const char *s)
{
	char *end;

	s = json_space(s);
	if (!s)
		return NULL;
	if (*s == '{' || *s == '[')
		return json_elements(s + 1, *s == '{' ? '}' : ']');
	if (*s == '"')
		return json_string(s);
	if (json_token(s, "null"))
		return s + 4;
	if (json_token(s, "true"))
		return s + 4;
	if (json_token(s, "false"))
		return s + 5;
	if (*s != '-' && (*s < '0' || *s > '9'))
		return NULL;
	strtod(s, &end);
	return end > s ? end : NULL;
}

static bool is_json(const char *text)
{
	const char *end = json_space(json_value(text));

	return end && !*end;
}

static void writes_valid_json(void **state)
{
	struct fixture *f = *state;

	assert_true(is_json("{\"a\": [1, {}, null], \"b\": \"c\"}"));
	assert_false(is_json("{\"a\": [1, ]}"));
	assert_false(is_json("{\"a\": inf}"));
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct xy_machine *machine = fixture_machine("cpu:2 cuda:1");
		struct xy_tree *tree = fixture_parse(shapes[i], machine, f->registry);
		char *json = fixture_print(tree, XY_TREE_JSON, i % 2 ? XY_PRINT_COUNTERS : 0);

		if (!is_json(json))
			fail_msg("%s", json);
		free(json);
		xy_tree_destroy(tree);
		xy_machine_destroy(machine);
	}
}

static void writes_everything_as_json(void **state)
{
	struct fixture *f = *state;
	struct xy_machine *machine = fixture_machine("cpu:1");
	struct xy_tree *tree = fixture_parse("fork { known: fifo } | worker(id=0)", machine, f->registry);
	char *json = fixture_print(tree, XY_TREE_JSON, XY_PRINT_COUNTERS);

	assert_string_equal(
		json,
		"{\n"
		"  \"expression\": \"fork { known: fifo | each worker { } }\",\n"
		"  \"root\": 0,\n"
		"  \"workers\": [\n"
		"    {\"id\": 0, \"name\": \"cpu0\", \"arch\": \"cpu\", \"node\": 0, \"leaf\": 2}\n"
		"  ],\n"
		"  \"components\": [\n"
		"    {\"id\": 0, \"component\": \"fork\", \"level\": 0, \"options\": {\"path\": \"\", \"id\": 0}, "
		"\"parents\": [], \"children\": [1], \"workers\": [0], "
		"\"counters\": {\"pushed\": 0, \"pulled\": 0, \"refused\": 0, "
		"\"woken\": 0, \"depth\": 0, \"peak\": 0}},\n"
		"    {\"id\": 1, \"component\": \"fifo\", \"level\": 1, \"label\": \"known\", \"options\": {"
		"\"ntasks\": \"inf\", \"length_us\": \"inf\", \"ready\": false}, \"parents\": [0], \"children\": [2], "
		"\"workers\": [0], "
		"\"counters\": {\"pushed\": 0, \"pulled\": 0, \"refused\": 0, \"woken\": 0, \"depth\": 0, "
		"\"peak\": 0}},\n"
		"    {\"id\": 2, \"component\": \"worker\", \"level\": 2, \"options\": {\"id\": 0}, \"parents\": [1], "
		"\"children\": [], \"workers\": [0], \"counters\": {\"pushed\": 0, \"pulled\": 0, \"refused\": 0, "
		"\"woken\": 0, \"depth\": 0, \"peak\": 0}}\n"
		"  ]\n"
		"}\n");
	free(json);
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
}

static void prints_large_trees(void **state)
{
	struct fixture *f = *state;
	struct xy_machine *machine = fixture_machine("cpu:2000 cuda:50");
	struct xy_tree *tree = fixture_parse("tree-eager-prefetching", machine, f->registry);

	for (unsigned format = XY_TREE_EXPRESSION; format <= XY_TREE_JSON; format++)
		free(fixture_print(tree, format, 0));
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(expressions_read_back_on_every_machine),
		TEST(folds_and_joins_as_people_would),
		TEST(names_what_has_several_parents),
		TEST(gives_names_that_mean_nothing_else),
		TEST(refuses_kinds_that_the_registry_has_not),
		TEST(refuses_null_and_what_is_not_sealed),
		TEST(draws_for_people),
		TEST(draws_sums_of_counters),
		TEST(writes_dot_with_a_shape_for_each_role),
		TEST(writes_dot_that_graphviz_reads),
		TEST(writes_valid_json),
		TEST(writes_everything_as_json),
		TEST(prints_large_trees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
