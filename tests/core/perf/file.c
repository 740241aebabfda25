/* SPDX-License-Identifier: MIT */
/* Model files: our own, StarPU's, broken ones, and the folder that processes share. */
#include "../../helper.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/perf/store.h"
#include "folder.h"

static char lines[4][512];
static unsigned nlines;

static void keep_line(void *arg, const char *line)
{
	(void)arg;
	snprintf(lines[nlines++ % 4], sizeof lines[0], "%s", line);
}

static const struct xy__log keeping = { .function = keep_line };

static void read_data(const char *name, struct xy__model_file *file)
{
	char path[1024], error[256] = "";

	snprintf(path, sizeof path, "%s/%s", PERF_DATA, name);
	if (xy__store_load_path(path, file, error, sizeof error))
		fail_msg("%s: %s", name, error);
}

static const struct xy__row *row_of(const struct xy__model_file *file, enum xy_arch arch, uint32_t footprint)
{
	struct xy__row like = { .arch = arch, .footprint = footprint };
	const struct xy__row *row = xy__model_file_find(file, &like);

	assert_non_null(row);
	return row;
}

/* --- StarPU's --- */

static void reads_a_small_file_of_starpu(void **state)
{
	struct xy__model_file file;

	(void)state;
	read_data("add_scal.mirage", &file);
	assert_true(file.foreign);
	assert_int_equal(file.kind, XY_MODEL_HISTORY);
	assert_int_equal(file.nrows, 1);
	assert_int_equal(file.rows[0].arch, XY_CPU);
	assert_int_equal(file.rows[0].footprint, 0x50d9324f);
	assert_int_equal(file.rows[0].samples, 106);
	assert_true(fabs(file.rows[0].mean - 154.0344) < 1e-4 && fabs(file.rows[0].spread - 33.39691) < 1e-4);
	assert_true(file.rows[0].size == 25);
	xy__model_file_fini(&file);
	read_data("null.idgraf", &file);
	assert_int_equal(file.nrows, 0);
	xy__model_file_fini(&file);
}

static void takes_the_devices_of_a_kind_together(void **state)
{
	struct xy__model_file file;
	const struct xy__row *row;

	(void)state;
	read_data("chol_model_gemm.mirage", &file);
	row = row_of(&file, XY_CPU, 0x24c84a50);
	assert_true(fabs(row->mean - 87780.2) < 0.1);
	assert_int_equal(row->samples, 3292);
	row = row_of(&file, XY_CUDA, 0x24c84a50);
	assert_true(fabs(row->mean - 2821) < 10);
	assert_true(row->samples > 30000);
	xy__model_file_fini(&file);
}

static void flags_rows_that_nobody_measured(void **state)
{
	struct xy__model_file file;

	(void)state;
	read_data("chol_model_gemm.mirage", &file);
	assert_true(row_of(&file, XY_CPU, 0x6e96d715)->synthetic); /* tile 32: a thousandth of 320 */
	assert_false(row_of(&file, XY_CPU, 0xd46431bb)->synthetic);
	assert_false(row_of(&file, XY_CUDA, 0x24c84a50)->synthetic);
	xy__model_file_fini(&file);
	read_data("chol_model_syrk.mirage", &file); /* all of it is half of gemm */
	for (unsigned i = 0; i < file.nrows; i++)
		assert_true(file.rows[i].synthetic);
	xy__model_file_fini(&file);
	read_data("starpu_sgemm_gemm.mirage", &file); /* multiples of the cube of 960 */
	assert_true(row_of(&file, XY_CPU, 0x492beed5)->synthetic);
	assert_true(row_of(&file, XY_CUDA, 0xa7cdf15b)->synthetic);
	assert_false(row_of(&file, XY_CPU, 0x24c84a50)->synthetic);
	assert_false(row_of(&file, XY_CPU, 0x0b0b0ce8)->synthetic);
	xy__model_file_fini(&file);
}

static void reads_lines_that_are_swapped(void **state)
{
	struct xy__model_file file;

	(void)state;
	read_data("starpu_dlu_lu_model_gemm.idgraf", &file);
	assert_true(file.nrows >= 6);
	assert_true(row_of(&file, XY_CUDA, file.rows[0].footprint)->mean > 0);
	xy__model_file_fini(&file);
}

/* --- our own --- */

static const char sample[] = "xylem model 1\nname gemm\nhost here\nkind multiple\nsaved 1700000000\n"
			     "# a comment\n"
			     "row cpu 0 0000abcd 1024 190.5 2.25 191 3 4697 3 1 1700000000 2 -3.5\n"
			     "row cuda 3 ffffffff 0 1e-05 0 1e+06 0 1 0 0 0 7 8\n"
			     "end\n";

static void prints_what_it_reads(void **state)
{
	struct xy__model_file file;
	struct xy__buffer once = { 0 }, twice = { 0 };
	char error[256] = "";

	(void)state;
	assert_int_equal(xy__model_file_read(&file, sample, error, sizeof error), 0);
	assert_string_equal(file.name, "gemm");
	assert_int_equal(file.saved, 1700000000);
	assert_int_equal(file.nrows, 2);
	assert_true(file.rows[0].terms[1] == -3.5);
	xy__model_file_print(&file, &once);
	xy__model_file_fini(&file);
	assert_int_equal(xy__model_file_read(&file, once.at, error, sizeof error), 0);
	xy__model_file_print(&file, &twice);
	xy__model_file_fini(&file);
	assert_string_equal(once.at, twice.at);
	assert_non_null(strstr(once.at, "row cpu 0 0000abcd 1024 190.5 2.25 191 3 4697 3 1 1700000000 2 -3.5\n"));
	xy__buffer_fini(&once);
	xy__buffer_fini(&twice);
}

static void tells_the_line_that_is_wrong(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "", "line 1: empty" },
		{ "something\n", "line 1: neither" },
		{ "xylem model 2\n", "line 1: neither" },
		{ "xylem model 1\nkind history\n", "line 2: the end is missing" },
		{ "xylem model 1\nend\n", "line 2: the type of model is missing" },
		{ "xylem model 1\nkind worker\nend\n", "line 2: not a type of measured model" },
		{ "xylem model 1\nkind history\nend\nmore\n", "line 4: unexpected text" },
		{ "xylem model 1\nkind history\n\nrow cpu 0 1 2 3 4 5 6 7 8\nend\n", "line 4: a number" },
		{ "xylem model 1\nkind history\nrow gpu 0 1 2 3 4 5 6 7 8 9 0\nend\n", "line 3: no such arch" },
		{ "xylem model 1\nkind history\nrow cpu 4 1 2 3 4 5 6 7 8 9 0\nend\n", "line 3: no such impl" },
		{ "xylem model 1\nkind history\nrow cpu 0 xyz 2 3 4 5 6 7 8 9 0\nend\n", "line 3: no footprint" },
		{ "xylem model 1\nkind history\nrow cpu 0 1 2 nan 4 5 6 7 8 9 0\nend\n", "line 3: a number" },
		{ "xylem model 1\nkind history\nrow cpu 0 1 2 0 4 5 6 7 8 9 0\nend\n", "line 3: a row without" },
		{ "xylem model 1\nkind history\nrow cpu 0 1 2 3 4 5 6 7 8 9 0 x\nend\n", "line 3: a term" },
		{ "xylem model 1\nkind history\nrow cpu 0 1 2 3 4 5 6 7 8 9 0\nrow cpu 0 1 2 3 4 5 6 7 8 9 0\nend\n",
		  "line 4: the same row" },
		{ "45\n1\n", "line 2: no number of devices" },
		{ "45\n1\n1\n0\n0\n1\n1\n1\n0 0 0 0 nan nan 0 0 0\n0\n0\n", "line 11: no coefficients a" },
		{ "45\n0\n7\n", "line 3: unexpected text" },
	};

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(cases); i++) {
		struct xy__model_file file;
		char error[256] = "";

		assert_int_equal(xy__model_file_read(&file, cases[i].text, error, sizeof error), -EINVAL);
		if (strncmp(error, cases[i].error, strlen(cases[i].error)))
			fail_msg("\"%s\" instead of \"%s\"", error, cases[i].error);
	}
}

/* --- the folder --- */

static int set_up(void **state)
{
	nlines = 0;
	return make_folder(state);
}

static struct xy__store here(void)
{
	return (struct xy__store){ .folder = folder, .host = "here", .log = &keeping };
}

static int merge_one_more(void *arg, const struct xy__model_file *stored, struct xy__model_file *result)
{
	struct xy__row *row = xy__model_file_add(result);

	(void)arg;
	*row = (struct xy__row){ .footprint = 1, .size = 1, .median = 1, .mean = 1, .samples = 1 };
	row->samples += stored ? stored->rows[0].samples : 0;
	result->kind = XY_MODEL_HISTORY;
	strcpy(result->name, "count");
	strcpy(result->host, "here");
	return 0;
}

static void loses_nothing_when_processes_store_at_once(void **state)
{
	enum { PROCESSES = 4, ROUNDS = 20 };
	struct xy__store store = here();
	struct xy__model_file file;

	(void)state;
	for (int i = 0; i < PROCESSES; i++)
		if (!fork()) {
			int failed = 0;

			for (int j = 0; j < ROUNDS; j++)
				failed |= xy__store_update(&store, "count", merge_one_more, NULL) != 0;
			_exit(failed);
		}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(xy__store_load(&store, "count", ".model", &file), 0);
	assert_int_equal(file.rows[0].samples, PROCESSES * ROUNDS);
	xy__model_file_fini(&file);
}

static void write_text(const char *name, const char *text)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static bool exists(const char *name)
{
	char path[512];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return !access(path, F_OK);
}

static void sets_a_corrupt_file_aside(void **state)
{
	struct xy__store store = here();
	struct xy__model_file file;

	(void)state;
	write_text("gemm.here.model", "xylem model 1\nkind history\nrow cpu\nend\n");
	assert_int_equal(xy__store_load(&store, "gemm", ".model", &file), -EINVAL);
	assert_int_equal(nlines, 1);
	assert_non_null(strstr(lines[0], "gemm.here.model, line 3: "));
	assert_true(exists("gemm.here.model.bad") && !exists("gemm.here.model"));
	assert_int_equal(xy__store_load(&store, "gemm", ".model", &file), -ENOENT);
	/* another one, found only when something is stored */
	write_text("gemm.here.model", "xylem");
	assert_int_equal(xy__store_update(&store, "gemm", merge_one_more, NULL), 0);
	assert_true(exists("gemm.here.model.bad") && exists("gemm.here.model.bad.1"));
	assert_int_equal(xy__store_load(&store, "gemm", ".model", &file), 0);
	assert_int_equal(file.rows[0].samples, 1);
	xy__model_file_fini(&file);
	assert_int_equal(nlines, 2);
}

static void names_are_no_paths(void **state)
{
	struct xy__store store = here();
	char path[XY__STORE_PATH];

	(void)state;
	assert_true(xy__store_path(&store, "../a b/%", ".model", path));
	assert_string_equal(path + strlen(folder), "/%2E.%2Fa%20b%2F%25.here.model");
	assert_false(xy__store_path(&store, "", ".model", path));
}

static void makes_the_folder_and_says_when_it_can_not(void **state)
{
	struct xy__store store = here();
	char deep[512];

	(void)state;
	snprintf(deep, sizeof deep, "%s/a/b/c", folder);
	store.folder = deep;
	assert_int_equal(xy__store_update(&store, "x", merge_one_more, NULL), 0);
	assert_true(exists("a/b/c/x.here.model"));
	write_text("file", "");
	snprintf(deep, sizeof deep, "%s/file/c", folder);
	assert_int_equal(xy__store_update(&store, "x", merge_one_more, NULL), -ENOTDIR);
	assert_int_equal(nlines, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_small_file_of_starpu),
		cmocka_unit_test(takes_the_devices_of_a_kind_together),
		cmocka_unit_test(flags_rows_that_nobody_measured),
		cmocka_unit_test(reads_lines_that_are_swapped),
		cmocka_unit_test(prints_what_it_reads),
		cmocka_unit_test(tells_the_line_that_is_wrong),
		cmocka_unit_test_setup_teardown(loses_nothing_when_processes_store_at_once, set_up, remove_folder),
		cmocka_unit_test_setup_teardown(sets_a_corrupt_file_aside, set_up, remove_folder),
		cmocka_unit_test_setup_teardown(names_are_no_paths, set_up, remove_folder),
		cmocka_unit_test_setup_teardown(makes_the_folder_and_says_when_it_can_not, set_up, remove_folder),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
