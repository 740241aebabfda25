/* SPDX-License-Identifier: MIT */
/* What is known by name: kinds, policies, aliases, plug-ins good and bad. */
#include "tree_fixture.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define PLUGIN(name) "tests/plugins/.libs/" name ".so"

static void knows_the_kinds_and_policies_in_order(void **state)
{
	struct xy_machine *plain = fixture_machine("cpu:2"), *devices = fixture_machine("cpu:1 opencl:1");
	struct xy_registry *registry = fixture_registry();
	const struct xy_component_ops *kind;
	const struct xy_policy *policy;
	unsigned i;

	(void)state;
	for (i = 0; (kind = xy_registry_component_at(registry, i)); i++) {
		assert_ptr_equal(xy_registry_component(registry, kind->name), kind);
		if (i)
			assert_true(strcmp(xy_registry_component_at(registry, i - 1)->name, kind->name) < 0);
	}
	assert_true(i > 0);
	assert_null(xy_registry_component_at(registry, i));
	for (i = 0; (policy = xy_registry_policy_at(registry, i)); i++) {
		assert_ptr_equal(xy_registry_policy(registry, policy->name), policy);
		if (i)
			assert_true(strcmp(xy_registry_policy_at(registry, i - 1)->name, policy->name) < 0);
	}
	assert_true(i >= 10);
	assert_non_null(xy_registry_policy(registry, xy_policy_default(NULL)));
	assert_non_null(xy_registry_policy(registry, xy_policy_default(devices)));
	assert_string_equal(xy_policy_default(plain), xy_policy_default(NULL));
	assert_string_equal(xy_policy_default(devices), "tree-cambium");
	xy_machine_destroy(plain);
	xy_machine_destroy(devices);
	xy_registry_destroy(registry);
}

static void resolves_aliases_of_policies(void **state)
{
	struct xy_registry *registry = fixture_registry();

	(void)state;
	assert_ptr_equal(xy_registry_policy(registry, "modular-eager"), xy_registry_policy(registry, "tree-eager"));
	assert_non_null(xy_registry_policy(registry, "modular-random-prio-prefetching"));
	assert_ptr_equal(xy_registry_policy(registry, "modular-prandom"),
			 xy_registry_policy(registry, "tree-parallel-random"));
	assert_ptr_equal(xy_registry_policy(registry, "modular-prandom-prio"),
			 xy_registry_policy(registry, "tree-parallel-random-prio"));
	assert_ptr_equal(xy_registry_policy(registry, "modular-pheft"),
			 xy_registry_policy(registry, "tree-parallel-heft"));
	assert_ptr_equal(xy_registry_policy(registry, "modular-gemm"), xy_registry_policy(registry, "tree-heteroprio"));
	assert_non_null(xy_registry_policy(registry, "modular-gemm"));
	assert_null(xy_registry_policy(registry, "modular-"));
	assert_null(xy_registry_policy(registry, "modular-nothing"));
	assert_null(xy_registry_policy(registry, "modular-tree-eager"));
	assert_null(xy_registry_component(registry, "modular-fifo"));
	xy_registry_destroy(registry);
}

static void answers_null_for_null(void **state)
{
	struct xy_registry *registry = fixture_registry();
	char error[100];

	(void)state;
	assert_null(xy_registry_component(NULL, "fifo"));
	assert_null(xy_registry_component(registry, NULL));
	assert_null(xy_registry_policy(NULL, "tree-eager"));
	assert_null(xy_registry_policy(registry, NULL));
	assert_null(xy_registry_component_at(NULL, 0));
	assert_null(xy_registry_policy_at(NULL, 0));
	assert_int_equal(xy_registry_create(NULL, NULL, error, sizeof(error)), -EINVAL);
	assert_int_equal(xy_registry_create(NULL, NULL, NULL, 0), -EINVAL);
	xy_registry_destroy(NULL);
	xy_registry_destroy(registry);
}

static void loads_plugins(void **state)
{
	struct xy_machine *machine = fixture_machine("cpu:2");
	struct xy_registry *registry;
	struct xy_tree *tree;
	char error[512] = "";

	(void)state;
	assert_int_equal(xy_registry_create(&registry, ":" PLUGIN("good") ":", error, sizeof(error)), 0);
	assert_string_equal(error, "");
	assert_non_null(xy_registry_component(registry, "test-pipe"));
	tree = fixture_parse("test-policy", machine, registry);
	assert_int_equal(xy_tree_ncomponents(tree), 6);
	xy_tree_destroy(tree);
	xy_registry_destroy(registry);
	xy_machine_destroy(machine);
}

static void refuses_bad_plugins(void **state)
{
	static const struct {
		const char *plugins;
		int error;
		const char *says;
	} cases[] = {
		{ "./nowhere.so", -ENOENT, "can't be loaded" },
		{ PLUGIN("good") ":./nowhere.so", -ENOENT, "./nowhere.so" },
		{ PLUGIN("no_plugin"), -EPROTO, "does not define xy_plugin" },
		{ PLUGIN("other_abi"), -EPROTO, "was made for ABI" },
		{ PLUGIN("taken_name"), -EEXIST, "there is already a component of that name" },
		{ PLUGIN("good") ":" PLUGIN("good"), -EEXIST, "test-pipe" },
	};
	struct xy_registry *registry;
	char error[1024];

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		registry = (struct xy_registry *)1;
		assert_int_equal(xy_registry_create(&registry, cases[i].plugins, error, sizeof(error)), cases[i].error);
		assert_null(registry);
		if (!strstr(error, cases[i].says))
			fail_msg("%s: %s", cases[i].plugins, error);
		assert_int_equal(xy_registry_create(&registry, cases[i].plugins, NULL, 0), cases[i].error);
	}
}

static size_t no_depth(struct xy_component *self, size_t *peak)
{
	(void)self;
	return *peak = 0;
}

struct odd {
	struct xy_component base;
	unsigned number, last;
};

/* One option and the end of the table. */
#define OPTIONS(...) ((const struct xy_option[]){ { .name = "n", .max = 1, __VA_ARGS__ }, { 0 } })

/* Kinds that break the contract in one way each, and kinds that nearly do. */
static void refuses_kinds_that_break_the_contract(void **state)
{
	enum { NUMBER = offsetof(struct odd, number), LAST = offsetof(struct odd, last), SIZE = sizeof(struct odd) };
	const struct xy_option bad_name[] = { { .name = "a b", .type = XY_OPTION_UNSIGNED, .offset = NUMBER }, { 0 } };
	const char *const no_name = "has a name that can't be written in an expression";
	const char *const outside = "has an option outside its instance";
	const char *const out_of_range = "has an option whose initial value is out of range";
	const struct {
		struct xy_component_ops ops;
		const char *says; /* NULL: it is taken */
	} kinds[] = {
		{ { .name = NULL, .size = SIZE }, no_name },
		{ { .name = "", .size = SIZE }, no_name },
		{ { .name = "1st", .size = SIZE }, no_name },
		{ { .name = "with space", .size = SIZE }, no_name },
		{ { .name = "each", .size = SIZE }, no_name },
		{ { .name = "small", .size = sizeof(struct xy_component) - 1 }, "is smaller than struct xy_component" },
		{ { .name = "large", .size = ((size_t)16 << 20) + 1 }, "is larger than 16 MiB" },
		{ { .name = "absurd", .size = SIZE_MAX - 1 }, "is larger than 16 MiB" },
		{ { .name = "largest", .size = (size_t)16 << 20 }, NULL },
		{ { .name = "least", .size = sizeof(struct xy_component) }, NULL },
		{ { .name = "stores", .size = SIZE, .flags = XY_STORES }, "stores tasks but has no depth" },
		{ { .name = "pumps", .size = SIZE, .flags = XY_PUMPS, .depth = no_depth }, "pumps but stores nothing" },
		{ { .name = "leaf", .size = SIZE, .flags = XY_LEAF | XY_MAPS },
		  "is a leaf that also maps, pumps or decides" },
		{ { .name = "label", .size = SIZE, .labels = (const char *const[]){ "a:b", NULL } }, "label" },
		{ { .name = "bool-ok", .size = SIZE, .options = OPTIONS(.type = XY_OPTION_BOOL, .offset = LAST + 3) },
		  NULL },
		{ { .name = "last", .size = SIZE, .options = OPTIONS(.type = XY_OPTION_UNSIGNED, .offset = LAST) },
		  NULL },
		{ { .name = "outside", .size = SIZE, .options = OPTIONS(.type = XY_OPTION_UNSIGNED, .offset = SIZE) },
		  outside },
		{ { .name = "beyond",
		    .size = SIZE - 1,
		    .options = OPTIONS(.type = XY_OPTION_UNSIGNED, .offset = LAST) },
		  outside },
		{ { .name = "askew",
		    .size = SIZE,
		    .options = OPTIONS(.type = XY_OPTION_UNSIGNED, .offset = NUMBER + 1) },
		  outside },
		{ { .name = "text", .size = SIZE, .options = OPTIONS(.type = XY_OPTION_TEXT, .offset = NUMBER) },
		  outside },
		{ { .name = "in-base",
		    .size = SIZE,
		    .options = OPTIONS(.type = XY_OPTION_UNSIGNED,
				       .offset = sizeof(struct xy_component) - sizeof(unsigned)) },
		  outside },
		{ { .name = "bad-name", .size = SIZE, .options = bad_name },
		  "has an option with a name that can't be written" },
		{ { .name = "too-much",
		    .size = SIZE,
		    .options = OPTIONS(.type = XY_OPTION_UNSIGNED, .offset = NUMBER, .initial = 2) },
		  out_of_range },
		{ { .name = "too-little",
		    .size = SIZE,
		    .options = OPTIONS(.type = XY_OPTION_UNSIGNED, .offset = NUMBER, .min = 1) },
		  out_of_range },
		{ { .name = "most",
		    .size = SIZE,
		    .options = OPTIONS(.type = XY_OPTION_UNSIGNED, .offset = NUMBER, .initial = 1, .min = 1) },
		  NULL },
		{ { .name = "bad-type",
		    .size = SIZE,
		    .options = OPTIONS(.type = (enum xy_option_type)7, .offset = NUMBER) },
		  "has an option of an unknown type" },
	};
	struct xy_registry *registry = fixture_registry();
	struct xy_machine *machine = fixture_machine("cpu:1");
	struct xy_tree *tree = xy_tree_create(machine, registry);
	struct xy__message error;
	char text[256];

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int wanted = kinds[i].says ? -EPROTO : 0;

		xy__message_init(&error, text, sizeof(text));
		assert_int_equal(xy__registry_add_component(registry, &kinds[i].ops, "test", &error), wanted);
		if (kinds[i].says && (!strstr(text, "test: the component") || !strstr(text, kinds[i].says)))
			fail_msg("\"%s\": %s", kinds[i].ops.name, text);
		assert_int_equal(xy_tree_add(tree, &kinds[i].ops) == NULL, kinds[i].says != NULL);
	}
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
	xy_registry_destroy(registry);
}

static void suggests_names_that_are_near(void **state)
{
	static const struct {
		const char *wanted, *says;
	} cases[] = {
		{ "tree-egaer", "; did you mean \"tree-eager\"?" },
		{ "ws", "; did you mean \"tree-ws\", \"tree-ws-caches\" or \"tree-ws-nodes\"?" },
		{ "dmdas", "; did you mean \"tree-dmdas\", \"tree-dmda\" or \"tree-dmdap\"?" },
		{ "prio", "; did you mean \"tree-prio\", \"tree-eager-prio\" or \"tree-heft-prio\"?" },
		{ "lws", "; did you mean \"tree-ws\"?" },
		{ "gemm", "; did you mean \"modular-gemm\"?" },
		{ "modular-gem", "; did you mean \"modular-gemm\"?" },
		{ "TREE-WS", "; did you mean \"tree-ws\"?" },
		{ "quantum", "" },
	};
	struct xy_registry *registry = fixture_registry();
	struct xy__nearest nearest;
	struct xy__message message;
	char text[256];

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xy__message_init(&message, text, sizeof(text));
		xy__nearest_init(&nearest, cases[i].wanted, strlen(cases[i].wanted));
		xy__registry_look_policies(registry, &nearest);
		assert_int_equal(xy__nearest_say(&nearest, &message), cases[i].says[0] != '\0');
		assert_string_equal(text, cases[i].says);
	}
	xy_registry_destroy(registry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_the_kinds_and_policies_in_order),
		cmocka_unit_test(resolves_aliases_of_policies),
		cmocka_unit_test(answers_null_for_null),
		cmocka_unit_test(loads_plugins),
		cmocka_unit_test(refuses_bad_plugins),
		cmocka_unit_test(refuses_kinds_that_break_the_contract),
		cmocka_unit_test(suggests_names_that_are_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
