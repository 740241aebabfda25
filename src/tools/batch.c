/* SPDX-License-Identifier: MIT */
/*
 * xylem batch tune: runs a program whose batches try all sizes of pieces, and prints what each device reached with
 * which size, and settings for tree-batch-hybrid.
 */
#include "tools/batch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TUNE_RUNS = 3, TUNE_MOST_RUNS = 100 };

#define TUNE_POLICY "prio | balance(sweep) | each node { prio | eager | each worker { best-implementation } }"

struct tune {
	const char *svg, *out;
	unsigned runs;
	char **program;
	char folder[64];
};

/* --- running the program --- */

static double tune_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* In the child: the program, with the settings that make it measure. Its output must not be taken for ours. */
static void tune_exec(const struct tune *tune)
{
	setenv("SCHED", TUNE_POLICY, 1);
	setenv("XYLEM_MODELS", tune->folder, 1);
	setenv("XYLEM_CALIBRATE", "1", 1);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(tune->program[0], tune->program);
	tool_say("%s: %s", tune->program[0], strerror(errno));
	_exit(127);
}

/* Waits, with a line of progress on a terminal. */
static int tune_await(pid_t pid, unsigned run, const struct tune *tune)
{
	bool terminal = isatty(STDERR_FILENO);
	double begin = tune_now();
	int status = 0;
	pid_t ended;

	while ((ended = waitpid(pid, &status, terminal ? WNOHANG : 0)) == 0 || (ended < 0 && errno == EINTR)) {
		if (!terminal)
			continue;
		fprintf(stderr, "\rrun %u of at most %u: %.0f s ", run + 1, tune->runs, tune_now() - begin);
		nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
	}
	if (terminal)
		fprintf(stderr, "\r\033[K");
	return status;
}

static enum tool_status tune_run(const struct tune *tune, unsigned run)
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		tune_exec(tune);
	if (pid < 0) {
		tool_say("can't start %s: %s", tune->program[0], strerror(errno));
		return TOOL_FAILED;
	}
	status = tune_await(pid, run, tune);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return TOOL_OK;
	if (WIFSIGNALED(status))
		tool_say("%s was ended by signal %d (%s): nothing is tuned", tune->program[0], WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		tool_say("%s ended with exit status %d: nothing is tuned", tune->program[0], WEXITSTATUS(status));
	return TOOL_WRONG;
}

/* --- what it measured --- */

static void tune_table(const struct batch_curve *curve)
{
	printf("%s%s on %s%s", tool_bold(), curve->batch, curve->device, tool_plain());
	if (curve->nworkers > 1)
		printf(", %u workers", curve->nworkers);
	printf("\n%12s %16s %14s %8s\n", "items", "us per piece", "items/s", "pieces");
	for (unsigned i = 0; i < curve->npoints; i++)
		printf("%12.0f %16.4g %14.4g %8llu%s\n", curve->points[i].items, curve->points[i].us,
		       batch_rate(curve, i), curve->points[i].samples, i == curve->best ? "  best" : "");
	if (curve->best + 1 == curve->npoints)
		printf("Larger pieces may be faster still: the batch is too short to try them.\n");
	putchar('\n');
}

/* Of the curves of one batch, a list with an entry for each device. */
static void tune_list(FILE *out, const char *before, const char *name, const struct batch_curve *of, unsigned n)
{
	fprintf(out, "%s%s=", before, name);
	for (unsigned i = 0; i < n; i++) {
		double size = of[i].points[of[i].best].items;
		bool cpu = !strcmp(of[i].device, "cpu");

		fprintf(out, "%s", i ? "," : "");
		if (strstr(name, "DEVICES"))
			fprintf(out, "%s", of[i].device);
		else if (strstr(name, "SIZES"))
			fprintf(out, "%.0f", size);
		else if (strstr(name, "CAPACITIES")) /* a device has the next piece while it does one */
			fprintf(out, "%.0f", size * of[i].nworkers * (cpu ? 1 : 2));
		else
			fprintf(out, "%u", n - i);
	}
	fputc('\n', out);
}

static void tune_settings(FILE *out, const char *before, const struct batch_curves *curves)
{
	for (unsigned i = 0, n; i < curves->n; i += n) {
		const struct batch_curve *of = &curves->of[i];

		for (n = 1; i + n < curves->n && !strcmp(of[n].batch, of->batch); n++)
			;
		fprintf(out, "# %s\n%sSCHED=tree-batch-hybrid\n", of->batch, before);
		tune_list(out, before, "XYLEM_BATCH_DEVICES", of, n);
		tune_list(out, before, "XYLEM_BATCH_SIZES", of, n);
		tune_list(out, before, "XYLEM_BATCH_CAPACITIES", of, n);
		tune_list(out, before, "XYLEM_BATCH_PRIORITIES", of, n);
	}
}

static enum tool_status tune_write(const struct batch_curves *curves, const char *path)
{
	FILE *out = fopen(path, "w");
	bool failed;

	if (!out) {
		tool_say("%s: %s", path, strerror(errno));
		return TOOL_FAILED;
	}
	tune_settings(out, "export ", curves);
	failed = ferror(out);
	if (fclose(out) || failed) {
		tool_say("%s: can't be written", path);
		return TOOL_FAILED;
	}
	return TOOL_OK;
}

static enum tool_status tune_print(const struct tune *tune, const struct batch_curves *curves)
{
	enum tool_status status = TOOL_OK;

	for (unsigned i = 0; i < curves->n; i++)
		tune_table(&curves->of[i]);
	tune_settings(stdout, "", curves);
	if (tune->svg)
		status = batch_plot(curves, tune->svg);
	return status == TOOL_OK && tune->out ? tune_write(curves, tune->out) : status;
}

static unsigned tune_count(const struct batch_curves *curves)
{
	unsigned n = 0;

	for (unsigned i = 0; i < curves->n; i++)
		n += curves->of[i].npoints;
	return n;
}

/* Runs it until a run tries no new size. */
static enum tool_status tune_measure(const struct tune *tune, struct batch_curves *curves)
{
	enum tool_status status = TOOL_OK;
	unsigned before = 0, now = 0;

	for (unsigned run = 0; run < tune->runs && status == TOOL_OK && (!run || now > before); run++) {
		before = now;
		status = tune_run(tune, run);
		if (status == TOOL_OK) {
			batch_curves_fini(curves);
			status = batch_curves_read(curves, tune->folder);
			now = tune_count(curves);
		}
	}
	if (status == TOOL_OK && !now) {
		tool_say("%s has measured no batch: it must run one that has a name, and use the environment",
			 tune->program[0]);
		return TOOL_WRONG;
	}
	return status;
}

static enum tool_status tune_all(struct tune *tune)
{
	const char *temporary = getenv("TMPDIR");
	struct batch_curves curves = { 0 };
	enum tool_status status;

	if (snprintf(tune->folder, sizeof(tune->folder), "%.40s/xylem-tune-XXXXXX",
		     temporary && *temporary ? temporary : "/tmp") < 0 ||
	    !mkdtemp(tune->folder)) {
		tool_say("%s: %s", tune->folder, strerror(errno));
		return TOOL_FAILED;
	}
	status = tune_measure(tune, &curves);
	if (status == TOOL_OK)
		status = tune_print(tune, &curves);
	batch_curves_fini(&curves);
	batch_folder_remove(tune->folder);
	return status;
}

/* --- arguments --- */

static bool tune_number(const char *text, unsigned *number)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*number = (unsigned)value;
	if (end != text && !*end && value >= 1 && value <= TUNE_MOST_RUNS)
		return true;
	tool_say("--runs takes a number from 1 to %d, not \"%s\"", TUNE_MOST_RUNS, text);
	return false;
}

/* Options, then the program with its own. */
static bool tune_arguments(struct tune *tune, char **argv)
{
	tune->runs = TUNE_RUNS;
	for (; *argv && **argv == '-'; argv += 2) {
		if (!strcmp(*argv, "--")) {
			argv++;
			break;
		}
		if (strcmp(*argv, "--svg") && strcmp(*argv, "--out") && strcmp(*argv, "--runs")) {
			tool_say("unknown option \"%s\"; there are --svg, --out and --runs", *argv);
			return false;
		}
		if (!argv[1]) {
			tool_say("%s needs a value", *argv);
			return false;
		}
		if (!strcmp(*argv, "--svg"))
			tune->svg = argv[1];
		else if (!strcmp(*argv, "--out"))
			tune->out = argv[1];
		else if (!tune_number(argv[1], &tune->runs))
			return false;
	}
	tune->program = argv;
	if (!*argv)
		tool_say("the program is missing");
	return *argv;
}

static enum tool_status batch_forward(int argc, char **argv)
{
	struct tune tune = { 0 };

	(void)argc;
	for (char **at = argv + 1; *at && (at == argv + 1 || **at == '-') && strcmp(*at, "--"); at++)
		if (!strcmp(*at, "--help") || !strcmp(*at, "-h")) {
			printf("usage: xylem batch %s\n\n%s", tool_batch.usage, tool_batch.help);
			return TOOL_OK;
		}
	if (!argv[1] || strcmp(argv[1], "tune") || !tune_arguments(&tune, argv + 2)) {
		tool_say("usage: xylem batch %s", tool_batch.usage);
		return TOOL_USAGE;
	}
	return tune_all(&tune);
}

const struct tool_command tool_batch = {
	.name = "batch",
	.usage = "tune [--svg FILE] [--out FILE] [--runs N] PROGRAM [ARGUMENT...]",
	.summary = "find the piece sizes that suit the devices of a batch",
	.help = "Runs PROGRAM so that its batches try pieces of 1, 2, 4 and more items on each device, three of each\n"
		"size, all devices at once. Prints for each device how many items per second it processed with each\n"
		"size, and the settings with which tree-batch-hybrid uses the best ones. A size counts as best if no\n"
		"other is more than 3 % faster.\n"
		"\n"
		"The batch must have a name, and be long enough for large pieces. The program runs again, up to three\n"
		"times, while there are sizes that no run has tried. Its standard output goes to standard error.\n"
		"XYLEM_BATCH_DEVICES, XYLEM_NCPU and other variables select what is measured.\n"
		"\n"
		"Options\n"
		"  --svg FILE        draw the curves\n"
		"  --out FILE        write the settings for a shell: source FILE, then run the program\n"
		"  --runs N          run the program at most N times (3)\n",
	.forward = batch_forward,
};
