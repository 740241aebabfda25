/* SPDX-License-Identifier: MIT */
/* Programs inside jobs, in folders made as doc/farm-jobs.md says: claims, goals, progress, checkpoints, ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xylem/farm.h>

enum { PIECES = 40, JOBS = 8 };

static char folder[64], message[256];

static const char *path_of(const char *format, ...)
{
	static char path[512];
	va_list args;
	int used = snprintf(path, sizeof(path), "%s/", folder);

	va_start(args, format);
	vsnprintf(path + used, sizeof(path) - (size_t)used, format, args);
	va_end(args);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of("%s", name), "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static const char *read_file(const char *name)
{
	static char text[8192];
	FILE *file = fopen(path_of("%s", name), "r");
	size_t n;

	assert_non_null(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = '\0';
	fclose(file);
	return text;
}

static unsigned count_files(const char *kind)
{
	DIR *stream = opendir(path_of("%s", kind));
	unsigned n = 0;

	assert_non_null(stream);
	for (struct dirent *entry; (entry = readdir(stream));)
		n += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(stream);
	return n;
}

/* A folder with the two pieces a and b, of which b depends on a, and c of another set. */
static int begin(void **state)
{
	static const char *const kinds[] = { "claims", "done", "progress", "ended", "logs", "data" };

	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/xylem-job-XXXXXX");
	assert_non_null(mkdtemp(folder));
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		assert_int_equal(mkdir(path_of("%s", kinds[i]), 0777), 0);
	write_file("pieces.jsonl",
		   "{\"name\":\"c\",\"file\":\"c\",\"set\":\"s2\",\"argv\":[],\"params\":{}}\n"
		   "{\"name\":\"b\",\"file\":\"b\",\"set\":\"s1\",\"argv\":[],\"params\":{},\"depends_on\":[\"a\"]}\n"
		   "{\"name\":\"a\",\"file\":\"a\",\"set\":\"s1\",\"argv\":[],\"depends_on\":[],"
		   "\"params\":{\"x\":-0.5,\"y\":\"q\\\"\\u00e9\",\"z\":[1]},\"goal\":{\"points\":3}}\n");
	setenv("XYLEM_FARM_FOLDER", folder, 1);
	setenv("XYLEM_FARM_SET", "s1", 1);
	setenv("XYLEM_FARM_JOB", "12_3", 1);
	setenv("XYLEM_FARM_SAVE_INTERVAL", "1000", 1);
	setenv("XYLEM_FARM_LOG_INTERVAL", "1000", 1);
	unsetenv("XYLEM_FARM_PIECE");
	unsetenv("XYLEM_FARM_FILE");
	unsetenv("XYLEM_FARM_PARAMS");
	unsetenv("XYLEM_FARM_GOAL");
	signal(SIGTERM, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	return 0;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static struct xy_farm_piece *claim(void)
{
	struct xy_farm_piece *piece;
	int error = xy_farm_claim(&piece, message, sizeof(message));

	if (error)
		fail_msg("%s (%d)", message, error);
	assert_string_equal(message, "");
	return piece;
}

/* Claiming must fail in this way. */
static void refuse(int error, const char *text)
{
	struct xy_farm_piece *piece;

	assert_int_equal(xy_farm_claim(&piece, message, sizeof(message)), error);
	assert_null(piece);
	assert_non_null(strstr(message, text));
	assert_int_equal(xy_farm_claim(&piece, NULL, 0), error);
}

/* The piece of the job script with this goal. */
static struct xy_farm_piece *claim_given(const char *goal)
{
	setenv("XYLEM_FARM_PIECE", "a b", 1);
	setenv("XYLEM_FARM_FILE", "a%20b", 1);
	setenv("XYLEM_FARM_GOAL", goal, 1);
	return claim();
}

static void takes_the_first_piece_that_is_open(void **state)
{
	struct xy_farm_piece *piece = claim();

	(void)state;
	assert_string_equal(xy_farm_name(piece), "a");
	assert_string_equal(xy_farm_folder(piece), path_of("data/a"));
	assert_int_equal(access(xy_farm_folder(piece), W_OK), 0);
	assert_non_null(strstr(read_file("claims/a"), "{\"job\":\"12_3\",\"host\":\""));
	assert_int_equal(count_files("claims"), 1);
	setenv("XYLEM_FARM_JOB", "12_4", 1);
	refuse(-ENOENT, "no piece of the set s1 is open");
	assert_int_equal(xy_farm_done(piece), 0);
	assert_int_equal(xy_farm_done(piece), 0);
	assert_non_null(strstr(read_file("done/a"), "{\"job\":\"12_3\",\"time\":"));
	xy_farm_free(piece);
	piece = claim();
	assert_string_equal(xy_farm_name(piece), "b");
	xy_farm_free(piece);
}

static void goes_on_with_its_own_piece(void **state)
{
	struct xy_farm_piece *piece;

	(void)state;
	/* b is open and stands before a, which this job had before it was requeued. */
	write_file("pieces.jsonl",
		   "{\"name\":\"b\",\"file\":\"b\",\"set\":\"s1\"}\n{\"name\":\"a\",\"file\":\"a\",\"set\":\"s1\"}\n");
	write_file("claims/a", "{\"job\":\"12_3\",\"host\":\"h\",\"pid\":1,\"time\":1}\n");
	piece = claim();
	assert_string_equal(xy_farm_name(piece), "a");
	assert_int_equal(count_files("claims"), 1);
	xy_farm_free(piece);
}

/* A job that does all it can get; its exit status is how many pieces it had. */
static int work_off(unsigned job)
{
	struct xy_farm_piece *piece;
	char id[16];
	int n = 0;

	snprintf(id, sizeof(id), "job_%u", job);
	setenv("XYLEM_FARM_JOB", id, 1);
	while (!xy_farm_claim(&piece, NULL, 0)) {
		char path[256];
		FILE *file;

		snprintf(path, sizeof(path), "%s/ran", xy_farm_folder(piece));
		file = fopen(path, "a");
		if (!file)
			return 101;
		fprintf(file, "x");
		fclose(file);
		if (xy_farm_done(piece))
			return 102;
		xy_farm_free(piece);
		n++;
	}
	return n;
}

static void gives_each_piece_to_one_of_many_jobs(void **state)
{
	FILE *file = fopen(path_of("pieces.jsonl"), "w");
	int total = 0, status;

	(void)state;
	for (unsigned i = 0; i < PIECES; i++)
		fprintf(file, "{\"name\":\"p%u\",\"file\":\"p%u\",\"set\":\"s1\"}\n", i, i);
	fclose(file);
	for (unsigned job = 0; job < JOBS; job++)
		if (fork() == 0)
			_exit(work_off(job));
	for (unsigned job = 0; job < JOBS; job++) {
		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status));
		assert_true(WEXITSTATUS(status) <= PIECES);
		total += WEXITSTATUS(status);
	}
	assert_int_equal(total, PIECES);
	assert_int_equal(count_files("done"), PIECES);
	assert_int_equal(count_files("claims"), PIECES);
	for (unsigned i = 0; i < PIECES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "data/p%u/ran", i);
		assert_string_equal(read_file(name), "x");
	}
}

static void has_parameters_of_two_kinds(void **state)
{
	struct xy_farm_piece *piece = claim();
	const char *text;
	double number;

	(void)state;
	assert_int_equal(xy_farm_number(piece, "x", &number), 0);
	assert_true(number == -0.5);
	assert_int_equal(xy_farm_text(piece, "y", &text), 0);
	assert_string_equal(text, "q\"\xc3\xa9");
	assert_int_equal(xy_farm_number(piece, "y", &number), -EINVAL);
	assert_int_equal(xy_farm_text(piece, "z", &text), -EINVAL);
	assert_int_equal(xy_farm_text(piece, "none", &text), -ENOENT);
	assert_int_equal(xy_farm_number(piece, "none", &number), -ENOENT);
	xy_farm_free(piece);
}

static void says_what_is_wrong_with_the_job(void **state)
{
	(void)state;
	setenv("XYLEM_FARM_PIECE", "a", 1);
	setenv("XYLEM_FARM_FILE", "a", 1);
	setenv("XYLEM_FARM_PARAMS", "{", 1);
	refuse(-EINVAL, "the parameters or the goal of a are no JSON");
	unsetenv("XYLEM_FARM_PARAMS");
	write_file("done/a", "{}\n");
	refuse(-ENOENT, "a is done already");
	unsetenv("XYLEM_FARM_FILE");
	unsetenv("XYLEM_FARM_SET");
	refuse(-EINVAL, "XYLEM_FARM_FILE is not");
	unsetenv("XYLEM_FARM_PIECE");
	refuse(-EINVAL, "XYLEM_FARM_SET is not");
	setenv("XYLEM_FARM_SET", "s1", 1);
	unsetenv("XYLEM_FARM_JOB");
	refuse(-EINVAL, "XYLEM_FARM_JOB is not");
	setenv("XYLEM_FARM_JOB", "1", 1);
	write_file("pieces.jsonl", "{\"name\":\"b\",\"file\":\"b\",\"set\":\"s1\"\n");
	refuse(-EINVAL, "claiming");
	assert_int_equal(remove(path_of("pieces.jsonl")), 0);
	refuse(-ENOENT, "No such file");
	unsetenv("XYLEM_FARM_FOLDER");
	refuse(-ENXIO, "this is no job of a farm");
}

static void reaches_each_kind_of_goal(void **state)
{
	static const struct {
		const char *goal;
		uint64_t points;
		double loss;
		bool reached;
	} cases[] = {
		{ "{\"points\":3}", 2, NAN, false },
		{ "{\"points\":3}", 3, NAN, true },
		{ "{\"loss\":0.1}", 9, 0.11, false },
		{ "{\"loss\":0.1}", 0, 0.1, true },
		{ "{\"loss\":0.1}", 9, NAN, false },
		{ "{\"time\":1000}", 9, 0, false },
		{ "{\"time\":0}", 0, NAN, true },
		{ "{\"command\":[\"false\"]}", 9, 0, false },
		{ "{\"command\":[\"sh\",\"-c\",\"exit 0\"]}", 0, NAN, true },
		{ "{\"command\":[\"./no such command\"]}", 9, 0, false },
		{ "{\"command\":[]}", 9, 0, false },
		{ "{}", 9, 0, false },
		{ "{\"points\":3,\"loss\":0.1}", 1, 0.05, true },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xy_farm_piece *piece = claim_given(cases[i].goal);

		if (xy_farm_is_reached(piece, cases[i].points, cases[i].loss) != cases[i].reached)
			fail_msg("%s", cases[i].goal);
		xy_farm_free(piece);
	}
}

static void asks_the_command_of_a_goal_seldom(void **state)
{
	struct xy_farm_piece *piece;
	char goal[256];

	(void)state;
	snprintf(goal, sizeof(goal), "{\"command\":[\"sh\",\"-c\",\"echo x >>%s/asked; exit 1\"]}", folder);
	piece = claim_given(goal);
	for (unsigned i = 0; i < 20; i++)
		assert_false(xy_farm_is_reached(piece, i, 0));
	assert_string_equal(read_file("asked"), "x\n");
	xy_farm_free(piece);
}

static void keeps_a_goal_that_was_reached(void **state)
{
	struct xy_farm_piece *piece = claim_given("{\"loss\":1}");

	(void)state;
	assert_true(xy_farm_is_reached(piece, 0, 1));
	assert_true(xy_farm_is_reached(piece, 0, 2));
	xy_farm_free(piece);
}

static void writes_progress_at_intervals(void **state)
{
	struct xy_farm_piece *piece = claim_given("{}");
	const char *lines, *overhead;
	double percent;

	(void)state;
	assert_int_equal(xy_farm_progress(piece, 1, 0.5, "say \"x\"\n"), 0);
	lines = read_file("progress/a%20b.jsonl");
	assert_non_null(strstr(lines, ",\"job\":\"12_3\",\"points\":1,\"loss\":0.5,\"cpu\":"));
	assert_non_null(strstr(lines, ",\"memory\":"));
	assert_non_null(strstr(lines, ",\"text\":\"say \\\"x\\\"\\n\"}\n"));
	assert_null(strstr(lines, "overhead"));
	for (unsigned i = 2; i < 100; i++)
		assert_int_equal(xy_farm_progress(piece, i, NAN, NULL), 0);
	assert_ptr_equal(strchr(read_file("progress/a%20b.jsonl"), '\n')[1], 0);
	/* The end brings what was not written yet. The pause is no work, so it counts as overhead. */
	usleep(20000);
	xy_farm_work_begin(piece);
	xy_farm_work_end(piece);
	assert_int_equal(xy_farm_done(piece), 0);
	lines = strchr(read_file("progress/a%20b.jsonl"), '\n') + 1;
	assert_non_null(strstr(lines, "\"points\":99,\"cpu\":"));
	overhead = strstr(lines, "\"overhead\":");
	assert_non_null(overhead);
	percent = atof(overhead + strlen("\"overhead\":"));
	assert_true(percent > 0 && percent <= 100);
	assert_null(strstr(lines, "loss"));
	xy_farm_free(piece);
}

/* What the program used before, such as for a piece before this one, is not counted. */
static void counts_processor_time_from_the_claim_on(void **state)
{
	struct xy_farm_piece *piece;
	struct rusage usage;
	const char *cpu;

	(void)state;
	do
		assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	while (usage.ru_utime.tv_sec == 0 && usage.ru_utime.tv_usec < 300000);
	piece = claim_given("{}");
	usleep(10000);
	assert_int_equal(xy_farm_progress(piece, 1, 0.5, NULL), 0);
	cpu = strstr(read_file("progress/a%20b.jsonl"), "\"cpu\":");
	assert_non_null(cpu);
	assert_true(atof(cpu + strlen("\"cpu\":")) < 500);
	xy_farm_free(piece);
}

static void says_when_progress_cannot_be_written(void **state)
{
	struct xy_farm_piece *piece = claim_given("{}");

	(void)state;
	assert_int_equal(rmdir(path_of("progress")), 0);
	assert_int_equal(xy_farm_progress(piece, 1, 0.5, NULL), -ENOENT);
	assert_int_equal(rmdir(path_of("done")), 0);
	assert_int_equal(xy_farm_done(piece), -ENOENT);
	xy_farm_free(piece);
}

struct saver {
	int calls, result;
};

static int save(void *arg)
{
	struct saver *saver = arg;

	saver->calls++;
	return saver->result;
}

static void saves_on_time(void **state)
{
	struct xy_farm_piece *piece = claim_given("{}");
	struct saver saver = { 0 };

	(void)state;
	assert_int_equal(xy_farm_checkpoint(piece, save, &saver, 0), 0);
	assert_int_equal(saver.calls, 0);
	assert_int_equal(xy_farm_checkpoint(piece, save, &saver, 1e-9), 0);
	assert_int_equal(saver.calls, 1);
	/* What failed is tried again. */
	saver.result = -EIO;
	assert_int_equal(xy_farm_checkpoint(piece, save, &saver, 1e-9), -EIO);
	saver.result = 0;
	assert_int_equal(xy_farm_checkpoint(piece, save, &saver, 0), 0);
	assert_int_equal(saver.calls, 3);
	assert_int_equal(xy_farm_checkpoint(piece, save, &saver, 0), 0);
	assert_int_equal(saver.calls, 3);
	xy_farm_free(piece);
}

static void saves_when_a_signal_has_come(void **state)
{
	struct xy_farm_piece *piece = claim_given("{}");
	struct saver saver = { 0 };

	(void)state;
	raise(SIGUSR1);
	assert_int_equal(xy_farm_checkpoint(piece, save, &saver, 0), 0);
	assert_int_equal(saver.calls, 1);
	assert_int_equal(xy_farm_checkpoint(piece, save, &saver, 0), 0);
	assert_int_equal(saver.calls, 1);
	raise(SIGTERM);
	saver.result = -EIO;
	assert_int_equal(xy_farm_checkpoint(piece, save, &saver, 0), -EIO);
	saver.result = 0;
	assert_int_equal(xy_farm_checkpoint(piece, save, &saver, 0), 1);
	assert_int_equal(saver.calls, 3);
	xy_farm_free(piece);
	assert_ptr_equal(signal(SIGTERM, SIG_DFL), SIG_DFL);
	assert_ptr_equal(signal(SIGUSR1, SIG_DFL), SIG_DFL);
}

static void own_handler(int number)
{
	(void)number;
}

static void leaves_handlers_of_the_program_alone(void **state)
{
	struct xy_farm_piece *piece;
	struct saver saver = { 0 };

	(void)state;
	signal(SIGTERM, own_handler);
	signal(SIGUSR1, SIG_IGN);
	piece = claim_given("{}");
	raise(SIGTERM);
	raise(SIGUSR1);
	assert_int_equal(xy_farm_checkpoint(piece, save, &saver, 0), 0);
	assert_int_equal(saver.calls, 0);
	xy_farm_free(piece);
	assert_ptr_equal(signal(SIGTERM, SIG_DFL), own_handler);
	assert_ptr_equal(signal(SIGUSR1, SIG_DFL), SIG_IGN);
	xy_farm_free(NULL);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(takes_the_first_piece_that_is_open),   TEST(goes_on_with_its_own_piece),
		TEST(gives_each_piece_to_one_of_many_jobs), TEST(has_parameters_of_two_kinds),
		TEST(says_what_is_wrong_with_the_job),      TEST(reaches_each_kind_of_goal),
		TEST(asks_the_command_of_a_goal_seldom),    TEST(keeps_a_goal_that_was_reached),
		TEST(writes_progress_at_intervals),         TEST(counts_processor_time_from_the_claim_on),
		TEST(says_when_progress_cannot_be_written), TEST(saves_on_time),
		TEST(saves_when_a_signal_has_come),         TEST(leaves_handlers_of_the_program_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
