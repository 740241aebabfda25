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

	(void) state;
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
	assert_string_not_equal(xy_policy_default(devices), xy_policy_default(NULL));
	xy_machine_destroy(plain);
	xy_machine_destroy(devices);
	xy_registry_destroy(registry);
}

static void resolves_aliases_of_policies(void **state)
{
	struct xy_registry *registry = fixture_registry();

	(void) state;
	assert_ptr_equal(xy_registry_policy(registry, "modular-eager"),
			 xy_registry_policy(registry, "tree-eager"));
	assert_non_null(xy_registry_policy(registry, "modular-random-prio-prefetching"));
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

	(void) state;
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

	(void) state;
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
	static const struct { const char *plugins; int error; const char *says; } cases[] = {
		{ "./nowhere.so", -ENOENT, "can't be loaded" },
		{ PLUGIN("good") ":./nowhere.so", -ENOENT, "./nowhere.so" },
		{ PLUGIN("no_plugin"), -EPROTO, "does not define xy_plugin" },
		{ PLUGIN("other_abi"), -EPROTO, "was made for ABI" },
		{ PLUGIN("taken_name"), -EEXIST, "there is a component of that name" },
		{ PLUGIN("good") ":" PLUGIN("good"), -EEXIST, "test-pipe" },
	};
	struct xy_registry *registry;
	char error[1024];

	(void) state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		registry = (struct xy_registry *)1;
		assert_int_equal(xy_registry_create(&registry, cases[i].plugins, error, sizeof(error)),
				 cases[i].error);
		assert_null(registry);
		if (!strstr(error, cases[i].says))
			fail_msg("%s: %s", cases[i].plugins, error);
		assert_int_equal(xy_registry_create(&registry, cases[i].plugins, NULL, 0), cases[i].error);
	}
}

static size_t no_depth(struct xy_component *self, size_t *peak)
{
	(void) self;
	return *peak = 0;
}

struct odd {
	struct xy_component base;
	unsigned number;
};

/* Kinds that break the contract in one way each. */
static void refuses_kinds_that_break_the_contract(void **state)
{
	static const size_t number = offsetof(struct odd, number), size = sizeof(struct odd);
	const struct xy_option outside[] = {
		{ .name = "n", .type = XY_OPTION_UNSIGNED, .offset = size, .max = 1 }, { 0 } };
	const struct xy_option in_base[] = {
		{ .name = "n", .type = XY_OPTION_UNSIGNED, .offset = 0, .max = 1 }, { 0 } };
	const struct xy_option bad_name[] = {
		{ .name = "a b", .type = XY_OPTION_UNSIGNED, .offset = number, .max = 1 }, { 0 } };
	const struct xy_option bad_initial[] = {
		{ .name = "n", .type = XY_OPTION_UNSIGNED, .offset = number, .initial = 2, .max = 1 }, { 0 } };
	const struct xy_option bad_type[] = {
		{ .name = "n", .type = (enum xy_option_type)7, .offset = number, .max = 1 }, { 0 } };
	const struct xy_component_ops kinds[] = {
		{ .name = NULL, .size = size },
		{ .name = "", .size = size },
		{ .name = "1st", .size = size },
		{ .name = "with space", .size = size },
		{ .name = "each", .size = size },
		{ .name = "small", .size = 8 },
		{ .name = "stores", .size = size, .flags = XY_STORES },
		{ .name = "pumps", .size = size, .flags = XY_PUMPS, .depth = no_depth },
		{ .name = "leaf", .size = size, .flags = XY_LEAF | XY_MAPS },
		{ .name = "label", .size = size, .labels = (const char *const[]){ "a:b", NULL } },
		{ .name = "outside", .size = size, .options = outside },
		{ .name = "in-base", .size = size, .options = in_base },
		{ .name = "bad-name", .size = size, .options = bad_name },
		{ .name = "bad-initial", .size = size, .options = bad_initial },
		{ .name = "bad-type", .size = size, .options = bad_type },
	};
	struct xy_registry *registry = fixture_registry();
	struct xy_machine *machine = fixture_machine("cpu:1");
	struct xy_tree *tree = xy_tree_create(machine, registry);
	struct xy__message error;
	char text[256];

	(void) state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		xy__message_init(&error, text, sizeof(text));
		assert_int_equal(xy__registry_add_component(registry, &kinds[i], "test", &error), -EPROTO);
		assert_non_null(strstr(text, "test: the component"));
		assert_null(xy_tree_add(tree, &kinds[i]));
	}
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
	xy_registry_destroy(registry);
}

static void suggests_names_that_are_near(void **state)
{
	static const struct { const char *wanted, *says; } cases[] = {
		{ "tree-egaer", "; did you mean \"tree-eager\"?" },
		{ "ws", "; did you mean \"tree-ws\" or \"tree-ws-nodes\"?" },
		{ "lws", "; did you mean \"tree-ws\"?" },
		{ "TREE-WS", "; did you mean \"tree-ws\"?" },
		{ "quantum", "" },
	};
	struct xy_registry *registry = fixture_registry();
	struct xy__nearest nearest;
	struct xy__message message;
	char text[256];

	(void) state;
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
