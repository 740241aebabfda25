/* SPDX-License-Identifier: MIT */
/* Which teams a machine has: the places of its topology, and halves where these have many parts. */
#include "tree_fixture.h"

#include <string.h>

/* "0-1 2-3 0-3": members in rising order without gaps, else with commas. */
static void describe(const struct xy__tree_teams *teams, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < teams->count && used < size; i++) {
		const struct xy__team_set *set = &teams->sets[i];
		bool row = set->members[set->count - 1] - set->members[0] + 1 == set->count;

		used += (size_t)snprintf(text + used, size - used, "%s%u", i ? " " : "", set->members[0]);
		for (unsigned j = row ? set->count - 1 : 1; j < set->count && used < size; j++)
			used += (size_t)snprintf(text + used, size - used, "%c%u", row ? '-' : ',', set->members[j]);
	}
}

static void follow_the_topology(void **state)
{
	static const char *const cases[][2] = {
		{ "cpu:1", "" },
		{ "cuda:3", "" },
		{ "cpu:1 cuda:2", "" },
		{ "cpu:2 cuda:1", "0-1" },
		{ "cpu:3 opencl:1", "0-1 0-2" },
		{ "cpu:4 cuda:2", "0-1 2-3 0-3" },
		{ "topology(core:7)", "0-1 2-3 4-5 4-6 0-3 0-6" },
		{ "topology(numa:2 core:2)", "0-1 2-3 0-3" },
		{ "topology(numa:2 core:3)", "0-1 3-4 0-2 3-5 0-5" },
		{ "topology(numa:3 core:2)", "0-1 2-3 4-5 0-3 0-5" },
		{ "topology(package:1 numa:1 core:2)", "0-1" },
		{ "topology(package:2 l3:2 core:1)", "0-1 2-3 0-3" },
		{ "topology(numa:2 core:1)", "0-1" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xy_machine *machine = fixture_machine(cases[i][0]);
		struct xy__tree_teams *teams = xy__tree_teams_create(machine, NULL);
		char text[256];

		assert_non_null(teams);
		describe(teams, text, sizeof(text));
		if (strcmp(text, cases[i][1]))
			fail_msg("%s has the teams %s, not %s", cases[i][0], text, cases[i][1]);
		xy__tree_teams_destroy(teams);
		xy_machine_destroy(machine);
	}
}

static bool has(const struct xy__team_set *set, unsigned worker)
{
	for (unsigned i = 0; i < set->count; i++)
		if (set->members[i] == worker)
			return true;
	return false;
}

/* How many workers two teams share. */
static unsigned shared(const struct xy__team_set *a, const struct xy__team_set *b)
{
	unsigned count = 0;

	for (unsigned i = 0; i < a->count; i++)
		count += has(b, a->members[i]);
	return count;
}

static void check_sets(const struct xy_machine *machine, const struct xy__tree_teams *teams, unsigned ncpus)
{
	assert_true(teams->count < ncpus);
	for (unsigned i = 0; i < teams->count; i++) {
		const struct xy__team_set *set = &teams->sets[i];

		assert_in_range(set->count, 2, ncpus);
		assert_true(!i || set[-1].count <= set->count);
		for (unsigned j = 0; j < set->count; j++) {
			assert_int_equal(xy_machine_worker(machine, set->members[j])->arch, XY_CPU);
			assert_true(!j || set->members[j - 1] < set->members[j]);
		}
		for (unsigned j = 0; j < i; j++) {
			unsigned both = shared(&teams->sets[j], set);

			assert_true(both == 0 || (both == teams->sets[j].count && both < set->count));
		}
	}
	if (ncpus > 1)
		assert_int_equal(teams->sets[teams->count - 1].count, ncpus);
}

static void nest_and_never_come_twice(void **state)
{
	static const char *const machines[] = {
		"this:1",
		"this:2",
		"this:5",
		"this:12",
		"cpu:33 opencl:2",
		"topology(package:2 l3:3 core:5) cuda:1",
		"topology(package:3 numa:2 l2:4 core:2)",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct xy_machine *machine = fixture_machine(machines[i]);
		struct xy__tree_teams *teams = xy__tree_teams_create(machine, NULL);
		unsigned ncpus = 0;

		for (unsigned w = 0; w < xy_machine_nworkers(machine); w++)
			ncpus += xy_machine_worker(machine, w)->arch == XY_CPU;
		assert_non_null(teams);
		check_sets(machine, teams, ncpus);
		xy__tree_teams_destroy(teams);
		xy_machine_destroy(machine);
	}
}

/* More workers than cores: who share a core are nearer than others, whatever their numbers. */
static void keep_workers_of_a_core_together(void **state)
{
	struct xy_machine *machine = fixture_machine("this");
	unsigned ncores = xy_machine_ncores(machine);
	struct xy__tree_teams *teams;
	char text[24];

	(void)state;
	xy_machine_destroy(machine);
	snprintf(text, sizeof(text), "this:%u", 2 * ncores);
	machine = fixture_machine(text);
	teams = xy__tree_teams_create(machine, NULL);
	assert_non_null(teams);
	for (unsigned i = 0; i < ncores; i++) {
		assert_int_equal(teams->sets[i].count, 2);
		assert_int_equal(teams->sets[i].members[1] - teams->sets[i].members[0], ncores);
	}
	xy__tree_teams_destroy(teams);
	xy_machine_destroy(machine);
}

static void can_be_many(void **state)
{
	struct xy_machine *machine = fixture_machine("topology(numa:100 core:100)");
	struct xy__tree_teams *teams = xy__tree_teams_create(machine, NULL);

	(void)state;
	assert_non_null(teams);
	assert_int_equal(teams->count, 9999);
	assert_int_equal(teams->sets[9998].count, 10000);
	xy__tree_teams_destroy(teams);
	xy_machine_destroy(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follow_the_topology),
		cmocka_unit_test(nest_and_never_come_twice),
		cmocka_unit_test(keep_workers_of_a_core_together),
		cmocka_unit_test(can_be_many),
	};

	return cmocka_run_group_tests_name("teams", tests, NULL, NULL);
}
