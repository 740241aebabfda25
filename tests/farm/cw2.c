/* SPDX-License-Identifier: MIT */
/* Files of CW2 as farms: documents, sweeps, names, resources, shares, imports, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "farm/cw2.h"

static char folder[64], said[4096];

static void say(void *arg, const char *line)
{
	size_t used = strlen(said);

	(void)arg;
	snprintf(said + used, sizeof(said) - used, "%s\n", line);
}

static const struct farm_report report = { .say = say };

static int begin(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/xylem-cw2-XXXXXX");
	assert_non_null(mkdtemp(folder));
	said[0] = '\0';
	return 0;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Reads a text as config.yml with the command "run {rep}"; what farm_cw2_read returns. */
static int read_text(struct farm *farm, const char *text)
{
	static char *words[] = { "run", "{rep}" };
	struct farm_words command = { .count = 2, .at = words };
	struct farm_place place = { .host = "horeka-n17", .tool = "/usr/bin/xylem" };
	char path[256];

	said[0] = '\0';
	write_file("config.yml", text);
	snprintf(path, sizeof(path), "%s/config.yml", folder);
	farm_init(farm);
	return farm_cw2_read(farm, path, &command, &place, &report);
}

static void accept(struct farm *farm, const char *text)
{
	int error = read_text(farm, text);

	if (error)
		fail_msg("%d: %s", error, said);
}

static void refuse(const char *text, const char *message)
{
	struct farm farm;
	int error = read_text(&farm, text);

	farm_fini(&farm);
	if (error != -EINVAL || !strstr(said, message))
		fail_msg("%d, not \"%s\":\n%s", error, message, said);
}

/* The command of a piece as one line. */
static const char *command_of(const struct farm *farm, size_t piece)
{
	static char line[2048];
	size_t used = 0;

	assert_true(piece < farm->npieces);
	for (size_t i = 0; i < farm->pieces[piece].argv.count; i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s", i ? " " : "",
					 farm->pieces[piece].argv.at[i]);
	return line;
}

static const char *param_of(const struct farm *farm, size_t piece, const char *name)
{
	for (size_t i = 0; i < farm->pieces[piece].params.count; i++)
		if (!strcmp(farm->pieces[piece].params.at[i].name, name))
			return farm->pieces[piece].params.at[i].json;
	return "none";
}

#define SLURM_HALF \
	"---\nname: SLURM\npartition: gpu\njob-name: half_gpu_job\ntime: 20\nntasks: 1\ncpus-per-task: 8\n" \
	"gpus_per_rep: 0.5\nsbatch_args:\n  gres: \"gpu:1\"\n"

static void runs_two_repetitions_on_one_gpu(void **state)
{
	struct farm farm;
	char expected[512];

	(void)state;
	accept(&farm, SLURM_HALF "---\nname: DEFAULT\nreps_per_job: 2\nreps_in_parallel: 2\n---\nname: exp\npath: "
				 "out\nrepetitions: 4\n");
	assert_int_equal(farm.scheduler, FARM_SLURM);
	assert_string_equal(farm.name, "half_gpu_job");
	assert_int_equal(farm.npieces, 2);
	assert_string_equal(farm.pieces[1].name, "exp__rep2");
	assert_string_equal(farm.pieces[0].resources.partition, "gpu");
	assert_string_equal(farm.pieces[0].resources.gres, "gpu:1");
	assert_int_equal(farm.pieces[0].resources.time_limit_s, 20 * 60);
	assert_int_equal(farm.pieces[0].resources.cpus_per_task, 8);
	snprintf(expected, sizeof(expected),
		 "/usr/bin/xylem slots --reps 2-3 --parallel 2 --gpus-per-rep 0.5 "
		 "--folder "
		 "%s/out/exp/log -- run {rep}",
		 folder);
	assert_string_equal(command_of(&farm, 1), expected);
	farm_fini(&farm);
}

static void spreads_single_gpus_of_a_node(void **state)
{
	struct farm farm;

	(void)state;
	accept(&farm, "---\nname: SLURM\npartition: accelerated\njob-name: single\ntime: 20\nntasks: "
		      "1\ncpus-per-task: 16\n"
		      "gpus_per_rep: 1\nscheduler: horeka\nsbatch_args:\n  gres: \"gpu:4(S:0)\"\n---\nname: exp\npath: "
		      "/out\nrepetitions: 8\n"
		      "reps_per_job: 4\nreps_in_parallel: 4\n");
	assert_int_equal(farm.npieces, 2);
	assert_non_null(strstr(command_of(&farm, 0), "slots --reps 0-3 --parallel 4 --gpus-per-rep 1 --scheduler "
						     "horeka "
						     "--folder /out/exp/log -- run {rep}"));
	farm_fini(&farm);
}

static void expands_sweeps_as_cw2_does(void **state)
{
	static const char *const names[] = {
		"XYZ__lr0.3_g1", "XYZ__lr0.3_g2", "XYZ__lr0.3_g3", "XYZ__lr0.6_g1", "XYZ__lr0.6_g2", "XYZ__lr0.6_g3",
	};
	struct farm farm;

	(void)state;
	/* 6 of the grid, and each of them with three changes: 24. */
	accept(&farm, "---\nname: XYZ\npath: out\nrepetitions: 1\nparams:\n  pretrained: 'imagenet'\n  "
		      "initialization: 'kmeans'\n"
		      "grid:\n  learning_rate: [0.3, 0.6]\n  gamma: [1, 2, 3]\n"
		      "ablative:\n  pretrained: [False]\n  initialization: ['random', 'softmax']\n");
	assert_int_equal(farm.scheduler, FARM_LOCAL);
	assert_string_equal(farm.name, "config");
	assert_int_equal(farm.npieces, 24);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(farm.pieces[i].name, names[i]);
	assert_string_equal(farm.pieces[6].name, "XYZ__lr0.3_g1_pFalse");
	assert_string_equal(farm.pieces[8].name, "XYZ__lr0.3_g1_isoftmax");
	assert_string_equal(param_of(&farm, 0, "pretrained"), "\"imagenet\"");
	assert_string_equal(param_of(&farm, 8, "initialization"), "\"softmax\"");
	assert_string_equal(param_of(&farm, 8, "pretrained"), "\"imagenet\"");
	assert_string_equal(param_of(&farm, 8, "learning_rate"), "0.3");
	assert_non_null(strstr(command_of(&farm, 8), "/out/XYZ/XYZ__lr0.3_g1_isoftmax/log -- "));
	farm_fini(&farm);
}

static void combines_lists_with_grids(void **state)
{
	struct farm farm;

	(void)state;
	accept(&farm, "---\nname: e\npath: out\nrepetitions: 1\nlist:\n  a: [1, 2]\n  b: [3, 4]\ngrid:\n  c: [[5, "
		      "6], 7]\n");
	assert_int_equal(farm.npieces, 4);
	assert_string_equal(farm.pieces[0].name, "e__a1_b3_c_5_6");
	assert_string_equal(farm.pieces[3].name, "e__a2_b4_c7");
	assert_string_equal(param_of(&farm, 0, "c"), "[5,6]");
	farm_fini(&farm);
}

static void sweeps_nested_parameters(void **state)
{
	struct farm farm;

	(void)state;
	accept(&farm, "---\nname: e\npath: out\nrepetitions: 1\nparams: {network: {depth: 2, width: 8}}\n"
		      "grid:\n  network:\n    depth: [3, 4]\n");
	assert_int_equal(farm.npieces, 2);
	assert_string_equal(farm.pieces[0].name, "e__net.d3");
	assert_string_equal(param_of(&farm, 1, "network"), "{\"depth\":4,\"width\":8}");
	assert_non_null(strstr(param_of(&farm, 1, "cw_config"), "\"params\":{\"network\":{\"depth\":4,\"width\":8}}"));
	farm_fini(&farm);
}

static void writes_names_out_where_short_ones_collide(void **state)
{
	struct farm farm;

	(void)state;
	accept(&farm, "---\nname: e\npath: out\nrepetitions: 1\ngrid: {beta: [1], bias: [1]}\n");
	assert_string_equal(farm.pieces[0].name, "e__beta1_bias1");
	farm_fini(&farm);
}

static void merges_defaults_deeply(void **state)
{
	struct farm farm;

	(void)state;
	accept(&farm, "---\nname: DEFAULT\npath: out\nrepetitions: 3\nparams: {a: {x: 1, y: 2}, b: 1}\n"
		      "---\nname: one\nparams: {a: {y: 5}}\n---\nname: two\nrepetitions: 1\n");
	assert_int_equal(farm.npieces, 4);
	assert_string_equal(param_of(&farm, 0, "a"), "{\"x\":1,\"y\":5}");
	assert_string_equal(param_of(&farm, 3, "a"), "{\"x\":1,\"y\":2}");
	assert_string_equal(farm.pieces[3].name, "two");
	farm_fini(&farm);
}

static void imports_other_files(void **state)
{
	struct farm farm;

	(void)state;
	write_file("other.yml", "---\nname: DEFAULT\npath: theirs\nparams: {a: 1, b: 1, c: 1}\n---\nname: "
				"base\nparams: {b: 2}\n");
	accept(&farm, "---\nname: DEFAULT\nrepetitions: 1\n"
		      "---\nname: e\nimport_path: other.yml\nimport_exp: base\nparams: {c: 3}\n---\nname: "
		      "f\nimport_path: other.yml\n");
	assert_int_equal(farm.npieces, 2);
	assert_string_equal(param_of(&farm, 0, "a"), "1");
	assert_string_equal(param_of(&farm, 0, "b"), "2");
	assert_string_equal(param_of(&farm, 0, "c"), "3");
	assert_string_equal(param_of(&farm, 1, "b"), "1");
	assert_non_null(strstr(command_of(&farm, 0), "/theirs/e/log"));
	farm_fini(&farm);
	refuse("---\nname: e\nimport_path: none.yml\n", "No such file");
	refuse("---\nname: e\nimport_path: other.yml\nimport_exp: nobody\n", "there is no such document");
	refuse("---\nname: e\nimport_exp: f\n---\nname: f\nimport_exp: e\n", "never end");
}

static void chooses_the_block_of_the_host(void **state)
{
	struct farm farm;

	(void)state;
	accept(&farm, "---\nname: SLURM\npartition: general\n---\nname: SLURM_horeka\npartition: special\n"
		      "---\nname: SLURM_kluster\npartition: other\n---\nname: e\npath: out\nrepetitions: 1\n");
	assert_int_equal(farm.npieces, 1);
	assert_string_equal(farm.pieces[0].resources.partition, "special");
	farm_fini(&farm);
}

static void takes_all_keys_of_a_slurm_document(void **state)
{
	const struct farm_resources *r;
	struct farm farm;

	(void)state;
	accept(&farm,
	       "---\nname: SLURM\njob-name: j\npartition: p\naccount: acc\nnum_parallel_jobs: 7\nntasks: "
	       "2\ncpus-per-task: 3\n"
	       "mem-per-cpu: 1000\ntime: \"2-12:00:00\"\nvenv: \"my env\"\nsh_lines: [\"module load x\", \"echo "
	       "'hi'\"]\n"
	       "path_to_template: x.sh\nsbatch_args: {constraint: big, gres: gpu, exclusive: }\ngpus_per_rep: 1\n"
	       "---\nname: e\npath: out\nrepetitions: 1\nreps_in_parallel: 2\n");
	r = &farm.pieces[0].resources;
	assert_int_equal(farm.max_simultaneous_jobs, 7);
	assert_int_equal(r->ntasks, 2);
	assert_int_equal(r->time_limit_s, 60 * 3600);
	assert_string_equal(r->gres, "gpu");
	assert_int_equal(r->extra_scheduler.count, 4);
	assert_string_equal(r->extra_scheduler.at[0], "--account=acc");
	assert_string_equal(r->extra_scheduler.at[1], "--mem-per-cpu=1000");
	assert_string_equal(r->extra_scheduler.at[2], "--constraint=big");
	assert_string_equal(r->extra_scheduler.at[3], "--exclusive");
	assert_string_equal(r->extra_script, "source activate 'my env'\nmodule load x\necho 'hi'\n");
	assert_non_null(strstr(said, "config.yml:13: note: path_to_template is not used"));
	/* One GPU for one repetition is no division, so two in parallel see it. */
	assert_non_null(strstr(command_of(&farm, 0), "slots --reps 0-0 --parallel 2 --folder"));
	farm_fini(&farm);
}

static void reads_times_as_sbatch_does(void **state)
{
	static const struct {
		const char *text;
		unsigned seconds;
	} cases[] = {
		{ "30", 1800 }, { "'1:30'", 90 }, { "'1:30:00'", 5400 }, { "1-0", 86400 }, { "'1-2:30'", 95400 }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct farm farm;
		char text[256];

		snprintf(text, sizeof(text), "---\nname: SLURM\ntime: %s\n---\nname: e\npath: o\nrepetitions: 1\n",
			 cases[i].text);
		accept(&farm, text);
		assert_int_equal(farm.pieces[0].resources.time_limit_s, cases[i].seconds);
		farm_fini(&farm);
	}
	refuse("---\nname: SLURM\ntime: soon\n---\nname: e\n", "config.yml:3: time: is neither a number of minutes");
	refuse("---\nname: SLURM\ntime: 0\n---\nname: e\n", "is no time that a job can have");
	refuse("---\nname: SLURM\ntime: '1:2:3:4'\n---\nname: e\n", "time: is neither");
}

static void says_when_slots_and_repetitions_do_not_fit(void **state)
{
	(void)state;
	refuse(SLURM_HALF "---\nname: e\npath: o\nrepetitions: 4\nreps_per_job: 4\nreps_in_parallel: 4\n",
	       "4 repetitions in parallel are asked for, but there are 2 slots");
	refuse("---\nname: SLURM\ngpus_per_rep: 4\nsbatch_args: {gres: 'gpu:2'}\n---\nname: e\npath: "
	       "o\nrepetitions: 4\n",
	       "4 GPUs for a repetition, but this job has only 2: that makes 0 slots");
	refuse("---\nname: SLURM\ngpus_per_rep: 1.5\nsbatch_args: {gres: 'gpu:2'}\n---\nname: e\npath: "
	       "o\nrepetitions: 4\n",
	       "from 1 on it must be a whole number");
	refuse("---\nname: SLURM\ngpus_per_rep: 1\n---\nname: e\npath: o\nrepetitions: 4\n", "gpus_per_rep needs "
											     "gres");
	refuse("---\nname: SLURM\ngpus_per_rep: 1\nsbatch_args: {gres: 'gpu:x:y:-'}\n---\nname: e\npath: "
	       "o\nrepetitions: 4\n",
	       "is no number of GPUs");
	refuse("---\nname: SLURM\nscheduler: horeka\ncpus-per-task: 2\ngpus_per_rep: 0.25\nsbatch_args: {gres: "
	       "'gpu:1'}\n"
	       "---\nname: e\npath: o\nrepetitions: 4\n",
	       "4 slots, but this job may use only 2 processors");
	refuse("---\nname: SLURM\nscheduler: cpu_distribute\n---\nname: e\npath: o\nrepetitions: 4\n",
	       "needs cpus_per_rep");
}

static void refuses_files_that_are_wrong(void **state)
{
	(void)state;
	refuse("---\nname: DEFAULT\n", "there is no experiment");
	refuse("---\nrepetitions: 3\n", "every document of CW2 needs a name");
	refuse("---\nname: e\npath: o\n", "\"e\" has no repetitions");
	refuse("---\nname: e\nrepetitions: 1\n", "\"e\" needs a path");
	refuse("---\nname: a/b\npath: o\nrepetitions: 1\n", "can't be the name of a folder");
	refuse("---\nname: e\npath: o\nrepetitions: many\n", "config.yml:4: repetitions: \"many\" is not a whole "
							     "number");
	refuse("---\nname: e\npath: o\nrepetitions: 0\n", "must be at least 1");
	refuse("---\nname: e\npath: o\nrepetitions: 1\ngrid: {a: 3}\n", "a: must be a list of values");
	refuse("---\nname: e\npath: o\nrepetitions: 1\ngrid: {a: []}\n", "must be a list of values");
	refuse("---\nname: e\npath: o\nrepetitions: 1\ngrid: {}\n", "the sweep is empty");
	refuse("---\nname: e\npath: o\nrepetitions: 1\nlist: {a: [1, 2], b: [1]}\n", "has 1 values, but a has 2");
	refuse("---\nname: e\npath: o\nrepetitions: 1\nparams: 3\n", "params: must be a map");
	refuse("---\nname: SLURM\npartitoin: x\n---\nname: e\n", "did you mean \"partition\"");
	refuse("---\nname: SLURM\nscheduler: fast\n---\nname: e\n", "must be mp, horeka, kluster or cpu_distribute");
	refuse("---\nname: SLURM\nsbatch_args: [x]\n---\nname: e\n", "must be a map of options");
	refuse("---\nname: SLURM\nsbatch_args:\n  gres: \"gpu:1\n---\nname: e\n", "config.yml:");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(runs_two_repetitions_on_one_gpu), TEST(spreads_single_gpus_of_a_node),
		TEST(expands_sweeps_as_cw2_does),      TEST(combines_lists_with_grids),
		TEST(sweeps_nested_parameters),        TEST(writes_names_out_where_short_ones_collide),
		TEST(merges_defaults_deeply),          TEST(imports_other_files),
		TEST(chooses_the_block_of_the_host),   TEST(takes_all_keys_of_a_slurm_document),
		TEST(reads_times_as_sbatch_does),      TEST(says_when_slots_and_repetitions_do_not_fit),
		TEST(refuses_files_that_are_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
