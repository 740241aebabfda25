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
#include "core/machine/config.h"
#include "core/util/arch.h"

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
	(void)state;
	for (struct xy__variables each = { 0 }; xy__variables_next(&each);)
		unsetenv(each.now.name);
	unsetenv("XYLEM_LIMIT_CUDA");
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

	(void)state;
	assert_int_equal(xy__settings_init(&s, NULL), 0);
	assert_string_equal(s.sched, "");
	assert_string_equal(s.machine, "");
	assert_string_equal(s.plugins, "");
	assert_int_equal(s.ncpu, -1);
	assert_true(s.bind);
	assert_false(s.help);
	assert_int_equal(s.window, 2048);
	assert_true(s.watchdog_s == 0);
	assert_int_equal(s.seed, 1);
	assert_false(s.profile);
	assert_true(s.sigusr1);
	assert_null(s.log.function);
	assert_string_equal(s.drivers, "");
	assert_false(s.numa);
	assert_true(s.prefetch);
	for (unsigned arch = XY__ARCH_DEVICES; arch < XY_NARCH; arch++) {
		assert_string_equal(s.arch[arch].devices, "");
		assert_int_equal(s.arch[arch].workers, 1);
		assert_int_equal(s.arch[arch].ahead, 2);
		assert_int_equal(s.arch[arch].streams, 1);
		assert_true(xy__limit(&s.arch[arch].limit, 0) == SIZE_MAX);
	}
	xy__settings_fini(&s);
}

static const struct xy_config program = {
	.sched = "fifo | each worker { }",
	.machine = "this",
	.ncpu = 3,
	.bind = XY_NO,
	.window = 7,
	.watchdog_s = 2.5,
	.seed = 11,
	.plugins = "./a.so:./b.so",
	.profile = true,
	.drivers = "/a:/b",
	.arch[XY_CUDA].devices = "0,2",
	.arch[XY_OPENCL].devices = "none",
	.arch[XY_CUDA].workers = 4,
	.arch[XY_CUDA].ahead = XY_NONE,
	.arch[XY_OPENCL].ahead = 5,
	.arch[XY_CUDA].streams = 3,
	.arch[XY_CUDA].limit = "1G,512M",
	.arch[XY_OPENCL].limit = "3K",
	.prefetch = XY_NO,
	.numa = true,
};

static void takes_what_the_program_says(void **state)
{
	struct xy__settings s;

	(void)state;
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
	assert_string_equal(s.drivers, "/a:/b");
	assert_string_equal(s.arch[XY_CUDA].devices, "0,2");
	assert_string_equal(s.arch[XY_OPENCL].devices, "none");
	assert_int_equal(s.arch[XY_CUDA].workers, 4);
	assert_int_equal(s.arch[XY_OPENCL].workers, 1);
	assert_int_equal(s.arch[XY_CUDA].ahead, 0);
	assert_int_equal(s.arch[XY_OPENCL].ahead, 5);
	assert_int_equal(s.arch[XY_CUDA].streams, 3);
	assert_false(s.prefetch);
	assert_true(s.numa);
	assert_int_equal(captured.lines, 0);
	xy__settings_fini(&s);
}

static void limits_one_device_or_all(void **state)
{
	struct xy__settings s;

	(void)state;
	assert_int_equal(init(&s, program), 0);
	assert_int_equal(xy__limit(&s.arch[XY_CUDA].limit, 0), 1 << 30);
	assert_int_equal(xy__limit(&s.arch[XY_CUDA].limit, 1), 512 << 20);
	assert_true(xy__limit(&s.arch[XY_CUDA].limit, 2) == SIZE_MAX);
	assert_int_equal(xy__limit(&s.arch[XY_OPENCL].limit, 0), 3 << 10);
	assert_int_equal(xy__limit(&s.arch[XY_OPENCL].limit, 63), 3 << 10);
	xy__settings_fini(&s);
	setenv("XYLEM_CUDA_LIMIT", "100", 1);
	assert_int_equal(init(&s, program), 0);
	assert_int_equal(xy__limit(&s.arch[XY_CUDA].limit, 1), 100);
	xy__settings_fini(&s);
}

static void lets_the_environment_win(void **state)
{
	struct xy_config config = program;
	struct xy__settings s;

	(void)state;
	setenv("SCHED", "tree-eager", 1);
	setenv("XYLEM_MACHINE", "this ", 1);
	setenv("XYLEM_NCPU", "100000", 1);
	setenv("XYLEM_BIND", "1", 1);
	setenv("XYLEM_HELP", "1", 1);
	setenv("XYLEM_WINDOW", "1073741824", 1);
	setenv("XYLEM_WATCHDOG", "0.125", 1);
	setenv("XYLEM_SEED", "18446744073709551615", 1);
	setenv("XYLEM_PLUGINS", "./c.so", 1);
	setenv("XYLEM_PROFILE", "0", 1);
	setenv("XYLEM_SIGUSR1", "0", 1);
	setenv("XYLEM_NUMA", "0", 1);
	setenv("XYLEM_PREFETCH", "1", 1);
	setenv("XYLEM_DRIVERS", "/c", 1);
	setenv("XYLEM_CUDA_DEVICES", "1", 1);
	setenv("XYLEM_OPENCL_DEVICES", "all", 1);
	setenv("XYLEM_CUDA_WORKERS", "16", 1);
	setenv("XYLEM_CUDA_AHEAD", "16", 1);
	setenv("XYLEM_OPENCL_AHEAD", "0", 1);
	setenv("XYLEM_OPENCL_LIMIT", "1,2", 1);
	assert_int_equal(init(&s, program), 0);
	assert_string_equal(s.sched, "tree-eager");
	assert_string_equal(s.machine, "this ");
	assert_string_equal(s.plugins, "./c.so");
	assert_int_equal(s.ncpu, 100000);
	assert_true(s.bind && s.help);
	assert_int_equal(s.window, 1u << 30);
	assert_true(s.watchdog_s == 0.125);
	assert_true(s.seed == UINT64_MAX);
	assert_false(s.profile);
	assert_false(s.sigusr1);
	assert_false(s.numa);
	assert_true(s.prefetch);
	assert_string_equal(s.drivers, "/c");
	assert_string_equal(s.arch[XY_CUDA].devices, "1");
	assert_string_equal(s.arch[XY_OPENCL].devices, "all");
	assert_int_equal(s.arch[XY_CUDA].workers, 16);
	assert_int_equal(s.arch[XY_CUDA].ahead, 16);
	assert_int_equal(s.arch[XY_OPENCL].ahead, 0);
	assert_int_equal(s.arch[XY_OPENCL].limit.count, 2);
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

	(void)state;
	for (struct xy__variables each = { 0 }; xy__variables_next(&each);) {
		setenv(each.now.name, "", 1);
		assert_null(xy__variable_value(&each.now));
	}
	assert_int_equal(init(&s, program), 0);
	assert_string_equal(s.sched, program.sched);
	assert_int_equal(s.window, 7);
	xy__settings_fini(&s);
}

static void names_the_variable_that_is_wrong(void **state)
{
	static const char *const wrong[][2] = {
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
		{ "XYLEM_CALIBRATE", "3" },
		{ "XYLEM_CALIBRATE_SAMPLES", "0" },
		{ "XYLEM_SIGUSR1", "true" },
		{ "XYLEM_NUMA", "2" },
		{ "XYLEM_PREFETCH", "no" },
		{ "XYLEM_CUDA_WORKERS", "0" },
		{ "XYLEM_CUDA_WORKERS", "17" },
		{ "XYLEM_CUDA_AHEAD", "17" },
		{ "XYLEM_CUDA_AHEAD", "-1" },
		{ "XYLEM_OPENCL_AHEAD", "two" },
		{ "XYLEM_CUDA_LIMIT", "0" },
		{ "XYLEM_CUDA_LIMIT", "1T" },
		{ "XYLEM_CUDA_LIMIT", "1G," },
		{ "XYLEM_CUDA_LIMIT", ",1G" },
		{ "XYLEM_CUDA_LIMIT", "1G 2G" },
		{ "XYLEM_OPENCL_LIMIT", "17179869184G" },
		{ "XYLEM_OPENCL_LIMIT", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
					"1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct xy__variables each = { 0 };
		const struct xy__variable *v = &each.now;
		struct xy__settings s;
		char begins[512];

		clean(NULL);
		setenv(wrong[i][0], wrong[i][1], 1);
		assert_int_equal(init(&s, program), -EINVAL);
		assert_int_equal(captured.lines, 1);
		do
			assert_true(xy__variables_next(&each));
		while (strcmp(v->name, wrong[i][0]));
		snprintf(begins, sizeof(begins), "%s=%s: expected %s\n", v->name, wrong[i][1], v->values);
		assert_string_equal(captured.text, begins);
		assert_false(xy__variable_allows(v, wrong[i][1]));
	}
}

static void suggests_the_variable_that_was_meant(void **state)
{
	struct xy__settings s;

	(void)state;
	setenv("XYLEM_WNDOW", "5", 1);
	setenv("XYLEM_SCHED", "eager", 1);
	setenv("XYLEM_LIMIT_CUDA", "20K", 1);
	setenv("XYLEM_SOMETHING_ELSE", "", 1);
	setenv("XYLEM_", "", 1);
	assert_int_equal(init(&s, program), 0);
	assert_int_equal(captured.lines, 5);
	assert_non_null(strstr(captured.text, "XYLEM_LIMIT_CUDA is set but is not a variable of Xylem: "
					      "did you mean XYLEM_CUDA_LIMIT?\n"));
	assert_non_null(strstr(captured.text, "XYLEM_WNDOW is set but is not a variable of Xylem: "
					      "did you mean XYLEM_WINDOW?\n"));
	assert_non_null(strstr(captured.text, "XYLEM_SCHED is set but is not a variable of Xylem: "
					      "did you mean SCHED?\n"));
	assert_non_null(strstr(captured.text, "XYLEM_SOMETHING_ELSE is set but is not a variable of Xylem: "
					      "see xylem env\n"));
	assert_non_null(strstr(captured.text, "XYLEM_ is set"));
	assert_int_equal(s.window, 7);
	xy__settings_fini(&s);
}

static void is_silent_about_variables_that_the_tool_gives_to_programs(void **state)
{
	struct xy__settings s;

	(void)state;
	for (const struct xy__given_variable *v = xy__given_variables; v->name; v++)
		setenv(v->name, "1", 1);
	assert_int_equal(init(&s, program), 0);
	assert_int_equal(captured.lines, 0);
	xy__settings_fini(&s);
}

static void refuses_a_wrong_field_of_the_program(void **state)
{
	static const struct {
		const char *name;
		struct xy_config config;
	} wrong[] = {
		{ "ncpu", { .ncpu = 100001 } },
		{ "window", { .window = (1u << 30) + 1 } },
		{ "window", { .window = XY_NONE } },
		{ "calibrate", { .calibrate = (enum xy_calibrate)9 } },
		{ "calibrate_samples", { .calibrate_samples = XY_NONE } },
		{ "sim_noise", { .sim_noise = -0.5 } },
		{ "profile", { .profile = (enum xy_switch)3 } },
		{ "arch[XY_CUDA].workers", { .arch[XY_CUDA].workers = XY_NONE } },
		{ "watchdog_s", { .watchdog_s = -1 } },
		{ "watchdog_s", { .watchdog_s = NAN } },
		{ "watchdog_s", { .watchdog_s = INFINITY } },
		{ "bind", { .bind = (enum xy_switch)9 } },
		{ "prefetch", { .prefetch = (enum xy_switch)9 } },
		{ "arch[XY_CUDA].workers", { .arch[XY_CUDA].workers = 17 } },
		{ "arch[XY_CUDA].ahead", { .arch[XY_CUDA].ahead = XY_NONE - 1 } },
		{ "arch[XY_OPENCL].ahead", { .arch[XY_OPENCL].ahead = 17 } },
		{ "arch[XY_HIP].streams", { .arch[XY_HIP].streams = 17 } },
		{ "arch[XY_CUDA].limit", { .arch[XY_CUDA].limit = "all" } },
		{ "arch[XY_OPENCL].limit", { .arch[XY_OPENCL].limit = "1K,0" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct xy__settings s;

		clean(NULL);
		assert_int_equal(init(&s, wrong[i].config), -EINVAL);
		assert_int_equal(captured.lines, 1);
		assert_non_null(strstr(captured.text, wrong[i].name));
	}
}

static void says_when_a_number_of_cpus_is_not_used(void **state)
{
	static const char *const machines[] = { "cpu:2", "this:2", "this cuda:2", "this", " ", "this(numa:2 core:1)" };

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct xy__settings s;

		clean(NULL);
		setenv("XYLEM_NCPU", "4", 1);
		setenv("XYLEM_MACHINE", machines[i], 1);
		assert_int_equal(init(&s, (struct xy_config){ 0 }), 0);
		assert_int_equal(captured.lines, i < 2 ? 1 : 0);
		if (i < 2) {
			assert_non_null(strstr(captured.text, "XYLEM_NCPU"));
			assert_non_null(strstr(captured.text, machines[i]));
		}
		xy__settings_fini(&s);
	}
}

static void may_have_no_cpus(void **state)
{
	struct xy__settings s;

	(void)state;
	assert_int_equal(init(&s, (struct xy_config){ .ncpu = XY_NONE }), 0);
	assert_int_equal(s.ncpu, 0);
	xy__settings_fini(&s);
	setenv("XYLEM_NCPU", "0", 1);
	assert_int_equal(init(&s, program), 0);
	assert_int_equal(s.ncpu, 0);
	xy__settings_fini(&s);
	assert_int_equal(captured.lines, 0);
}

static void has_one_way_to_say_none(void **state)
{
	struct xy_config none = {
		.machines = "none",
		.plugins = "none",
		.record = "none",
		.sim = "none",
		.models = "none",
		.ncpu = XY_NONE,
		.bind = XY_NO,
		.numa = XY_NO,
		.prefetch = XY_NO,
		.profile = XY_NO,
		.sigusr1 = XY_NO,
		.sim_shared = XY_NO,
		.arch[XY_CUDA] = { .devices = "none", .ahead = XY_NONE, .limit = "none" },
	};
	struct xy__settings s;

	(void)state;
	assert_int_equal(init(&s, none), 0);
	assert_string_equal(s.machines, "");
	assert_string_equal(s.plugins, "");
	assert_string_equal(s.record, "");
	assert_string_equal(s.sim, "");
	assert_string_equal(s.models, "");
	assert_int_equal(s.ncpu, 0);
	assert_false(s.bind || s.numa || s.prefetch || s.profile || s.sigusr1 || s.sim_shared);
	assert_string_equal(s.arch[XY_CUDA].devices, "none");
	assert_int_equal(s.arch[XY_CUDA].ahead, 0);
	assert_true(xy__limit(&s.arch[XY_CUDA].limit, 0) == SIZE_MAX);
	assert_int_equal(s.arch[XY_OPENCL].ahead, xy__archs[XY_OPENCL].ahead);
	xy__settings_fini(&s);
}

static void has_settings_for_each_architecture_with_devices(void **state)
{
	static const char *const words[] = { "DEVICES", "WORKERS", "AHEAD", "LIMIT" };

	(void)state;
	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		for (unsigned i = 0; i < 4; i++) {
			unsigned found = 0;
			char name[64];

			snprintf(name, sizeof(name), "XYLEM_%s_%s", xy__archs[arch].capitals, words[i]);
			for (struct xy__variables each = { 0 }; xy__variables_next(&each);)
				found += !strcmp(each.now.name, name);
			assert_int_equal(found, arch >= XY__ARCH_DEVICES);
		}
}

static void keeps_copies_of_texts(void **state)
{
	char sched[] = "tree-eager", devices[] = "0,1";
	struct xy__settings s;

	(void)state;
	assert_int_equal(init(&s, (struct xy_config){ .sched = sched, .arch[XY_OPENCL].devices = devices }), 0);
	sched[0] = devices[0] = '?';
	assert_string_equal(s.sched, "tree-eager");
	assert_string_equal(s.arch[XY_OPENCL].devices, "0,1");
	xy__settings_fini(&s);
}

static void describes_every_variable(void **state)
{
	(void)state;
	for (struct xy__variables each = { 0 }; xy__variables_next(&each);) {
		const struct xy__variable *v = &each.now;

		assert_true(strcmp(v->name, "SCHED") == 0 || strncmp(v->name, "XYLEM_", 6) == 0);
		assert_true(v->initial[0] && v->values[0] && v->meaning[0]);
	}
}

static void finds_the_folder_of_models(void **state)
{
	struct xy_config config = { .ignore_environment = true };
	struct xy__settings s;

	(void)state;
	unsetenv("XYLEM_MODELS");
	setenv("HOME", "/home/me", 1);
	setenv("XDG_DATA_HOME", "/data", 1);
	assert_int_equal(xy__settings_init(&s, &config), 0);
	assert_string_equal(s.models, "");
	assert_true(*s.host && s.calibrate == 1 && s.calibrate_samples == 10);
	xy__settings_fini(&s);
	assert_int_equal(xy__settings_init(&s, NULL), 0);
	assert_string_equal(s.models, "/data/xylem/models");
	xy__settings_fini(&s);
	unsetenv("XDG_DATA_HOME");
	assert_int_equal(xy__settings_init(&s, NULL), 0);
	assert_string_equal(s.models, "/home/me/.local/share/xylem/models");
	xy__settings_fini(&s);
	setenv("XYLEM_MODELS", "none", 1);
	setenv("XYLEM_HOST", "a/b.c", 1);
	setenv("XYLEM_CALIBRATE", "2", 1);
	assert_int_equal(xy__settings_init(&s, NULL), 0);
	assert_string_equal(s.models, "");
	assert_string_equal(s.host, "a_b_c");
	assert_int_equal(s.calibrate, 2);
	xy__settings_fini(&s);
	unsetenv("XYLEM_HOST");
	unsetenv("XYLEM_CALIBRATE");
	config = (struct xy_config){
		.models = "/m", .calibrate = XY_CALIBRATE_NO, .calibrate_samples = 3, .ignore_environment = true
	};
	assert_int_equal(xy__settings_init(&s, &config), 0);
	assert_string_equal(s.models, "/m");
	assert_true(s.calibrate == 0 && s.calibrate_samples == 3);
	xy__settings_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(has_defaults, clean),
		cmocka_unit_test_setup(takes_what_the_program_says, clean),
		cmocka_unit_test_setup(limits_one_device_or_all, clean),
		cmocka_unit_test_setup(lets_the_environment_win, clean),
		cmocka_unit_test_setup(finds_the_folder_of_models, clean),
		cmocka_unit_test_setup(takes_an_empty_variable_as_unset, clean),
		cmocka_unit_test_setup(names_the_variable_that_is_wrong, clean),
		cmocka_unit_test_setup(suggests_the_variable_that_was_meant, clean),
		cmocka_unit_test_setup(is_silent_about_variables_that_the_tool_gives_to_programs, clean),
		cmocka_unit_test_setup(refuses_a_wrong_field_of_the_program, clean),
		cmocka_unit_test_setup(says_when_a_number_of_cpus_is_not_used, clean),
		cmocka_unit_test_setup(may_have_no_cpus, clean),
		cmocka_unit_test_setup(has_one_way_to_say_none, clean),
		cmocka_unit_test_setup(has_settings_for_each_architecture_with_devices, clean),
		cmocka_unit_test_setup(keeps_copies_of_texts, clean),
		cmocka_unit_test_setup(describes_every_variable, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
