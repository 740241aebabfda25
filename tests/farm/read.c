/* SPDX-License-Identifier: MIT */
/* farm.yml: sweeps, defaults, imports, quoting, and a message with the line for whatever is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "farm/quote.h"
#include "farm/read.h"
#include "farm/script.h"

static char said[4000];
static char folder[] = "/tmp/xylem-farm-XXXXXX";

static void note(void *arg, const char *line)
{
	(void)arg;
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s\n", line);
}

static const struct farm_report report = { .say = note };
static const struct farm_place place = { .host = "login3.cluster", .tool = "/usr/bin/xylem" };

static void write_file(const char *name, const char *text)
{
	char path[200];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int read_text(struct farm *farm, const char *text)
{
	char path[200];

	write_file("farm.yml", text);
	said[0] = '\0';
	farm_init(farm);
	snprintf(path, sizeof(path), "%s/farm.yml", folder);
	return farm_read(farm, path, &place, &report);
}

static void refuses(const char *text, const char *message)
{
	struct farm farm;

	assert_int_equal(read_text(&farm, text), -EINVAL);
	if (!strstr(said, message))
		fail_msg("no \"%s\" in \"%s\"", message, said);
	farm_fini(&farm);
}

static void accepts(struct farm *farm, const char *text)
{
	if (read_text(farm, text))
		fail_msg("%s", said);
}

#define JOB "jobs: [{name: a, command: run}]\n"

static void unknown_keys_have_a_line_and_the_nearest_key(void **state)
{
	(void)state;
	refuses("name: x\nmax_simultaneus_jobs: 3\n" JOB,
		"farm.yml:2: there is no key \"max_simultaneus_jobs\"; did you mean "
		"\"max_simultaneous_jobs\"?");
	refuses("name: x\njobs:\n  - {name: a, comand: run}\n",
		"farm.yml:3: there is no key \"comand\"; did you mean \"command\"");
	refuses("name: x\nDEFAULT: {corse: 3}\n" JOB, "did you mean \"cores\"");
	refuses("name: x\nname: y\n" JOB, "farm.yml:2: name: this key is there twice");
}

static void wrong_values_are_refused(void **state)
{
	(void)state;
	refuses("name: x\ncores: many\n" JOB, "farm.yml:2: cores: \"many\" is not a whole number");
	refuses("name: x\ncores: 2\nnodes: 3\ncores_per_node: 2\n" JOB, "cores is given, too");
	refuses("name: x\nnodes: 3\n" JOB, "nodes and cores_per_node are given together");
	refuses("name: x\nmemory: much\n" JOB, "is no amount of memory");
	refuses("name: x\nscheduler: lsf\n" JOB, "must be slurm, pbs or local");
	refuses("name: x\nkill_on_error: \"/(/\"\n" JOB, "no extended regular expression");
	refuses("name: x\nextra_env_vars: {\"A B\": c}\n" JOB, "can't be the name of an environment variable");
	refuses("name: x\nextra_scheduler: [\"--a\\nb\"]\n" JOB, "control character");
	refuses("name: x\ninterval: soon\n" JOB, "is no time");
	refuses("name: x\n", "the key jobs is missing");
	refuses(JOB, "the farm needs a name");
	refuses("name: x\njobs: []\n", "must be a list of jobs");
	refuses("name: x\ngpus_per_rep: 1.5\n" JOB, "a fraction below 1 or a whole number");
	refuses("a: [\n", "farm.yml:2: ");
}

static void a_missing_command_an_empty_sweep_and_cycles_are_refused(void **state)
{
	(void)state;
	refuses("name: x\njobs:\n  - {name: a}\n", "farm.yml:3: the job \"a\" has no command");
	refuses("name: x\njobs: [{name: a, command: ''}]\n", "the command is missing");
	refuses("name: x\njobs: {name: a, command: run, grid: {p: []}}\n", "p: the sweep is empty");
	refuses("name: x\njobs: {name: a, command: run, grid: {}}\n", "the sweep is empty");
	refuses("name: x\njobs:\n  - {name: a, command: r, depends_on: b}\n  - {name: b, command: r, depends_on: [c]}\n"
		"  - {name: c, command: r, depends_on: a}\n",
		"depends_on has a cycle: a -> b -> c -> a");
	refuses("name: x\njobs: [{name: a, command: r, depends_on: nobody}]\n",
		"depends on \"nobody\", which is not there");
	refuses("name: x\njobs:\n  - {name: a, command: r}\n  - {name: a, command: r}\n",
		"farm.yml:4: a: this name is there twice, first in line 3");
	refuses("name: x\njobs:\n  - {name: 'a{b}', command: c, grid: {b: [1, 2], d: [3, 4]}}\n",
		"a1: this name is there twice, first in line 3: a name with parameters needs all that differ");
	refuses("name: x\njobs: [{name: \"a\\nb\", command: r}]\n", "control character");
	refuses("name: x\njobs: {name: a, command: run, list: {p: [1, 2], q: [1]}}\n",
		"q: has 1 values but p has 2: lists must be equally long");
	refuses("name: x\njobs: {name: a, command: 'run {pp}', params: {p: 1}}\n",
		"there is no such parameter; did you mean \"p\"");
}

static void sweeps_expand(void **state)
{
	struct farm farm;

	(void)state;
	accepts(&farm, "name: x\njobs: {name: e, command: 'run {a} {b}', grid: {a: [1, 2], b: [x y, z]}}\n");
	assert_int_equal(farm.npieces, 4);
	assert_string_equal(farm.pieces[1].name, "e__a1_bz");
	assert_int_equal(farm.pieces[0].argv.count, 3);
	assert_string_equal(farm.pieces[0].argv.at[2], "x y");
	farm_fini(&farm);
	accepts(&farm, "name: x\njobs: {name: '{a}-{b}', command: run, list: {a: [1, 2], b: [3, 4]}}\n");
	assert_int_equal(farm.npieces, 2);
	assert_string_equal(farm.pieces[1].name, "2-4");
	farm_fini(&farm);
	/* The base and each change alone, times the grid. */
	accepts(&farm, "name: x\njobs: {name: e, command: run, params: {a: 0, b: 0}, grid: {g: [1, 2, 3, 4, 5, 6]},\n"
		       "  ablative: {a: [1, 2], b: [3]}}\n");
	assert_int_equal(farm.npieces, 24);
	assert_string_equal(farm.pieces[0].name, "e__g1");
	assert_string_equal(farm.pieces[3].name, "e__g1_b3");
	assert_string_equal(farm.pieces[3].params.at[0].text, "0");
	farm_fini(&farm);
}

static void a_dependency_on_a_sweep_is_one_on_all_its_pieces(void **state)
{
	struct farm farm;

	(void)state;
	accepts(&farm, "name: x\njobs:\n  - {name: e, command: run, grid: {a: [1, 2, 3]}}\n"
		       "  - {name: sum, command: run, depends_on: [e, e__a1]}\n");
	assert_int_equal(farm.pieces[3].depends_on.count, 4);
	assert_int_equal(farm.pieces[3].needs[2], 2);
	farm_fini(&farm);
}

static void defaults_are_deep_and_hosts_have_blocks(void **state)
{
	struct farm farm;

	(void)state;
	accepts(&farm,
		"name: x\ncores: 2\npartition: slow\nSLURM_login: {partition: fast}\nSLURM_other: {partition: none}\n"
		"DEFAULT: {params: {a: 1, b: {c: 2, d: 3}}, memory: 1G}\n"
		"jobs:\n  - {name: p, command: run, params: {b: {c: 5}}}\n  - {name: q, command: run, cores: 4, "
		"memory: 2G}\n");
	assert_string_equal(farm.pieces[0].resources.partition, "fast");
	assert_string_equal(farm.pieces[0].resources.memory, "1G");
	assert_int_equal(farm.pieces[0].resources.cores, 2);
	assert_string_equal(farm.pieces[0].params.at[1].json, "{\"c\":5,\"d\":3}");
	assert_int_equal(farm.pieces[1].resources.cores, 4);
	assert_string_not_equal(farm.pieces[0].set, farm.pieces[1].set);
	farm_fini(&farm);
}

static void imports_merge_and_have_no_cycles(void **state)
{
	struct farm farm;

	(void)state;
	write_file("base.yml", "cores: 3\nDEFAULT: {params: {a: 1}}\n");
	write_file("more.yml", "import: base.yml\nmemory: 5G\n");
	accepts(&farm, "name: x\nimport: [more.yml]\njobs: {name: p, command: 'run {a}'}\n");
	assert_int_equal(farm.pieces[0].resources.cores, 3);
	assert_string_equal(farm.pieces[0].resources.memory, "5G");
	assert_string_equal(farm.pieces[0].argv.at[1], "1");
	farm_fini(&farm);
	write_file("base.yml", "import: farm.yml\n");
	refuses("name: x\nimport: more.yml\n" JOB, "imports itself");
	refuses("name: x\nimport: nothing.yml\n" JOB, "No such file");
	write_file("more.yml", "coores: 3\n");
	refuses("name: x\nimport: more.yml\n" JOB, "more.yml:1: there is no key \"coores\"");
}

static void repetitions_call_slots(void **state)
{
	struct farm farm;

	(void)state;
	accepts(&farm, "name: x\nscheduler: horeka\nrepetitions: 5\nreps_per_job: 2\ngpus_per_rep: 0.5\ngres: gpu:2\n"
		       "sbatch_args: {account: me}\njobs: {name: p, command: run}\n");
	assert_int_equal(farm.scheduler, FARM_SLURM);
	assert_int_equal(farm.npieces, 3);
	assert_string_equal(farm.pieces[2].name, "p__rep4");
	assert_string_equal(farm.pieces[2].argv.at[0], "/usr/bin/xylem");
	assert_string_equal(farm.pieces[2].argv.at[1], "slots");
	assert_string_equal(farm.pieces[2].argv.at[3], "4-4");
	assert_string_equal(farm.pieces[0].argv.at[3], "0-1");
	assert_string_equal(farm.pieces[0].resources.extra_scheduler.at[0], "--account=me");
	assert_string_equal(farm.pieces[0].argv.at[farm.pieces[0].argv.count - 2], "--");
	farm_fini(&farm);
	accepts(&farm, "name: x\nrepetitions: 2\ngpus_per_rep: 0.5\nmps: true\njobs: {name: p, command: run}\n");
	assert_string_equal(farm.pieces[0].argv.at[farm.pieces[0].argv.count - 3], "--mps");
	farm_fini(&farm);
}

static void names_become_file_names(void **state)
{
	struct farm farm;

	(void)state;
	accepts(&farm, "name: x\njobs: [{name: \"a b/c'\\\"\", command: run}, {name: .hidden, command: run}]\n");
	assert_string_equal(farm.pieces[0].file, "a%20b%2Fc%27%22");
	assert_string_equal(farm.pieces[1].file, "%2Ehidden");
	farm_fini(&farm);
}

/* What a real shell makes of a quoted word is the word. */
static void a_shell_returns(const char *shell, const char *value)
{
	struct xy__buffer quoted = { 0 };
	char command[2000], read_back[600] = "";
	FILE *output;

	farm_quote_shell(&quoted, value);
	write_file("script.sh", "printf %s ");
	snprintf(command, sizeof(command), "%s/script.sh", folder);
	output = fopen(command, "a");
	assert_non_null(output);
	fputs(quoted.at, output);
	fclose(output);
	snprintf(command, sizeof(command), "%s %s/script.sh", shell, folder);
	output = popen(command, "r");
	assert_non_null(output);
	read_back[fread(read_back, 1, sizeof(read_back) - 1, output)] = '\0';
	pclose(output);
	assert_string_equal(read_back, value);
	xy__buffer_fini(&quoted);
}

static void a_shell_sees_values_as_they_are(void **state)
{
	static const char letters[] = "ab '\"$`\\;&|<>()#*?[]{}~!\n\t=%^-";
	unsigned seed = 1;

	(void)state;
	a_shell_returns("sh", "");
	a_shell_returns("sh", "a 'b' \"c\" $HOME `id` $(id) \\ ; rm -rf / #\n*");
	for (int i = 0; i < 60; i++) {
		char value[40];
		size_t length = (size_t)rand_r(&seed) % (sizeof(value) - 1);

		for (size_t j = 0; j < length; j++)
			value[j] = letters[(size_t)rand_r(&seed) % (sizeof(letters) - 1)];
		value[length] = '\0';
		a_shell_returns(i % 2 ? "sh" : "bash", value);
	}
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_keys_have_a_line_and_the_nearest_key),
		cmocka_unit_test(wrong_values_are_refused),
		cmocka_unit_test(a_missing_command_an_empty_sweep_and_cycles_are_refused),
		cmocka_unit_test(sweeps_expand),
		cmocka_unit_test(a_dependency_on_a_sweep_is_one_on_all_its_pieces),
		cmocka_unit_test(defaults_are_deep_and_hosts_have_blocks),
		cmocka_unit_test(imports_merge_and_have_no_cycles),
		cmocka_unit_test(repetitions_call_slots),
		cmocka_unit_test(names_become_file_names),
		cmocka_unit_test(a_shell_sees_values_as_they_are),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
