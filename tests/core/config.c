/* SPDX-License-Identifier: MIT */
/* Settings: defaults, what the program and the environment say, and what is wrong with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xylem/tree.h>
#include "core/config.h"

static struct {
	unsigned lines;
	char text[2048];
} captured;

static void capture(void *arg, const char *line)
{
	size_t used = strlen(captured.text);

	assert_ptr_equal(arg, &captured);
	captured.lines++;
	snprintf(captured.text + used, sizeof(captured.text) - used, "%s\n", line);
}

/* Runs each test in an environment without our variables. */
static int clean(void **state)
{
	(void) state;
	for (const struct xy__variable *v = xy__variables; v->name; v++)
		unsetenv(v->name);
	unsetenv("XYLEM_WNDOW");
	unsetenv("XYLEM_SCHED");
	unsetenv("XYLEM_SOMETHING_ELSE");
	unsetenv("XYLEM_");
	memset(&captured, 0, sizeof(captured));
	return 0;
}

static int init(struct xy__settings *s, struct xy_config config)
{
	config.log = capture;
	config.log_arg = &captured;
	return xy__settings_init(s, &config);
}

static void has_defaults(void **state)
{
	struct xy__settings s;

	(void) state;
	assert_int_equal(xy__settings_init(&s, NULL), 0);
	assert_string_equal(s.sched, xy_policy_default());
	assert_string_equal(s.machine, "");
	assert_string_equal(s.plugins, "");
	assert_int_equal(s.ncpu, 0);
	assert_true(s.bind);
	assert_int_equal(s.window, 2048);
	assert_true(s.watchdog_s == 0);
	assert_int_equal(s.seed, 1);
	assert_false(s.profile);
	assert_true(s.sigusr1);
	assert_null(s.log.function);
	xy__settings_fini(&s);
}

static const struct xy_config program = {
	.sched = "fifo | each worker { }",
	.machine = "this",
	.ncpu = 3,
	.bind = XY_BIND_NO,
	.window = 7,
	.watchdog_s = 2.5,
	.seed = 11,
	.plugins = "./a.so:./b.so",
	.profile = true,
};

static void takes_what_the_program_says(void **state)
{
	struct xy__settings s;

	(void) state;
	assert_int_equal(init(&s, program), 0);
	assert_string_equal(s.sched, program.sched);
	assert_string_equal(s.machine, "this");
	assert_string_equal(s.plugins, program.plugins);
	assert_int_equal(s.ncpu, 3);
	assert_false(s.bind);
	assert_int_equal(s.window, 7);
	assert_true(s.watchdog_s == 2.5);
	assert_int_equal(s.seed, 11);
	assert_true(s.profile);
	assert_int_equal(captured.lines, 0);
	xy__settings_fini(&s);
}

static void lets_the_environment_win(void **state)
{
	struct xy_config config = program;
	struct xy__settings s;

	(void) state;
	setenv("SCHED", "tree-eager", 1);
	setenv("XYLEM_MACHINE", "this ", 1);
	setenv("XYLEM_NCPU", "100000", 1);
	setenv("XYLEM_BIND", "1", 1);
	setenv("XYLEM_WINDOW", "1073741824", 1);
	setenv("XYLEM_WATCHDOG", "0.125", 1);
	setenv("XYLEM_SEED", "18446744073709551615", 1);
	setenv("XYLEM_PLUGINS", "./c.so", 1);
	setenv("XYLEM_PROFILE", "0", 1);
	setenv("XYLEM_SIGUSR1", "0", 1);
	assert_int_equal(init(&s, program), 0);
	assert_string_equal(s.sched, "tree-eager");
	assert_string_equal(s.machine, "this ");
	assert_string_equal(s.plugins, "./c.so");
	assert_int_equal(s.ncpu, 100000);
	assert_true(s.bind);
	assert_int_equal(s.window, 1u << 30);
	assert_true(s.watchdog_s == 0.125);
	assert_true(s.seed == UINT64_MAX);
	assert_false(s.profile);
	assert_false(s.sigusr1);
	assert_int_equal(captured.lines, 0);
	xy__settings_fini(&s);

	config.ignore_environment = true;
	setenv("XYLEM_WINDOW", "nonsense", 1);
	setenv("XYLEM_WNDOW", "1", 1);
	assert_int_equal(init(&s, config), 0);
	assert_string_equal(s.sched, program.sched);
	assert_int_equal(s.window, 7);
	assert_true(s.sigusr1);
	assert_int_equal(captured.lines, 0);
	xy__settings_fini(&s);
}

static void takes_an_empty_variable_as_unset(void **state)
{
	struct xy__settings s;

	(void) state;
	for (const struct xy__variable *v = xy__variables; v->name; v++) {
		setenv(v->name, "", 1);
		assert_null(xy__variable_value(v));
	}
	assert_int_equal(init(&s, program), 0);
	assert_string_equal(s.sched, program.sched);
	assert_int_equal(s.window, 7);
	xy__settings_fini(&s);
}

static void names_the_variable_that_is_wrong(void **state)
{
	static const char *const wrong[][2] = {
		{ "XYLEM_NCPU", "0" },
		{ "XYLEM_NCPU", "100001" },
		{ "XYLEM_NCPU", "two" },
		{ "XYLEM_NCPU", "-1" },
		{ "XYLEM_NCPU", " 1" },
		{ "XYLEM_NCPU", "1 " },
		{ "XYLEM_NCPU", "99999999999999999999999" },
		{ "XYLEM_BIND", "yes" },
		{ "XYLEM_BIND", "2" },
		{ "XYLEM_BIND", "10" },
		{ "XYLEM_WINDOW", "0" },
		{ "XYLEM_WINDOW", "1073741825" },
		{ "XYLEM_WINDOW", "1e3" },
		{ "XYLEM_WATCHDOG", "-1" },
		{ "XYLEM_WATCHDOG", "inf" },
		{ "XYLEM_WATCHDOG", "nan" },
		{ "XYLEM_WATCHDOG", "10s" },
		{ "XYLEM_WATCHDOG", "1e10" },
		{ "XYLEM_SEED", "18446744073709551616" },
		{ "XYLEM_SEED", "0x10" },
		{ "XYLEM_PROFILE", "on" },
		{ "XYLEM_SIGUSR1", "true" },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct xy__variable *v = xy__variables;
		struct xy__settings s;
		char begins[128];

		clean(NULL);
		setenv(wrong[i][0], wrong[i][1], 1);
		assert_int_equal(init(&s, program), -EINVAL);
		assert_int_equal(captured.lines, 1);
		while (strcmp(v->name, wrong[i][0]))
			v++;
		snprintf(begins, sizeof(begins), "%s=%s: it may be %s\n", v->name, wrong[i][1],
			 v->values);
		assert_string_equal(captured.text, begins);
		assert_false(xy__variable_allows(v, wrong[i][1]));
	}
}

static void suggests_the_variable_that_was_meant(void **state)
{
	struct xy__settings s;

	(void) state;
	setenv("XYLEM_WNDOW", "5", 1);
	setenv("XYLEM_SCHED", "eager", 1);
	setenv("XYLEM_SOMETHING_ELSE", "", 1);
	setenv("XYLEM_", "", 1);
	assert_int_equal(init(&s, program), 0);
	assert_int_equal(captured.lines, 4);
	assert_non_null(strstr(captured.text, "XYLEM_WNDOW is set but is no variable of Xylem: "
			       "did you mean XYLEM_WINDOW?\n"));
	assert_non_null(strstr(captured.text, "XYLEM_SCHED is set but is no variable of Xylem: "
			       "did you mean SCHED?\n"));
	assert_non_null(strstr(captured.text,
			       "XYLEM_SOMETHING_ELSE is set but is no variable of Xylem: "
			       "see xylem env\n"));
	assert_non_null(strstr(captured.text, "XYLEM_ is set"));
	assert_int_equal(s.window, 7);
	xy__settings_fini(&s);
}

static void refuses_a_wrong_field_of_the_program(void **state)
{
	const struct xy_config wrong[] = {
		{ .ncpu = 100001 }, { .window = (1u << 30) + 1 }, { .watchdog_s = -1 },
		{ .watchdog_s = NAN }, { .watchdog_s = INFINITY }, { .bind = (enum xy_bind) 9 },
	};
	static const char *const names[] = { "ncpu",	   "window",	 "watchdog_s",
					     "watchdog_s", "watchdog_s", "bind" };

	(void) state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct xy__settings s;

		clean(NULL);
		assert_int_equal(init(&s, wrong[i]), -EINVAL);
		assert_int_equal(captured.lines, 1);
		assert_non_null(strstr(captured.text, names[i]));
	}
}

static void says_when_a_number_of_cpus_is_not_used(void **state)
{
	static const char *const machines[] = { "cpu:2", "this:2", "this cuda:2", "this", " " };

	(void) state;
	for (unsigned i = 0; i < 5; i++) {
		struct xy__settings s;

		clean(NULL);
		setenv("XYLEM_NCPU", "4", 1);
		setenv("XYLEM_MACHINE", machines[i], 1);
		assert_int_equal(init(&s, (struct xy_config) { 0 }), 0);
		assert_int_equal(captured.lines, i < 2 ? 1 : 0);
		if (i < 2) {
			assert_non_null(strstr(captured.text, "XYLEM_NCPU"));
			assert_non_null(strstr(captured.text, machines[i]));
		}
		xy__settings_fini(&s);
	}
}

static void keeps_copies_of_texts(void **state)
{
	char sched[] = "tree-eager";
	struct xy__settings s;

	(void) state;
	assert_int_equal(init(&s, (struct xy_config) { .sched = sched }), 0);
	sched[0] = '?';
	assert_string_equal(s.sched, "tree-eager");
	xy__settings_fini(&s);
}

static void describes_every_variable(void **state)
{
	(void) state;
	for (const struct xy__variable *v = xy__variables; v->name; v++) {
		assert_true(strcmp(v->name, "SCHED") == 0 || strncmp(v->name, "XYLEM_", 6) == 0);
		assert_true(v->initial[0] && v->values[0] && v->meaning[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(has_defaults, clean),
		cmocka_unit_test_setup(takes_what_the_program_says, clean),
		cmocka_unit_test_setup(lets_the_environment_win, clean),
		cmocka_unit_test_setup(takes_an_empty_variable_as_unset, clean),
		cmocka_unit_test_setup(names_the_variable_that_is_wrong, clean),
		cmocka_unit_test_setup(suggests_the_variable_that_was_meant, clean),
		cmocka_unit_test_setup(refuses_a_wrong_field_of_the_program, clean),
		cmocka_unit_test_setup(says_when_a_number_of_cpus_is_not_used, clean),
		cmocka_unit_test_setup(keeps_copies_of_texts, clean),
		cmocka_unit_test_setup(describes_every_variable, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
