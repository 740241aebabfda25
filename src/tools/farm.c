/* SPDX-License-Identifier: MIT */
/* xylem farm: resumable jobs on a cluster. Finds the subcommand and reads its arguments. */
#include "tools/farm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/util/nearest.h"
#include "farm/cw2.h"
#include "farm/files.h"
#include "farm/job.h"
#include "farm/local.h"
#include "farm/state.h"

static const char farm_help[] =
	"usage: xylem farm init\n"
	"       xylem farm run FARM.yml [--once]\n"
	"       xylem farm run --cw2 CONFIG.yml [-- COMMAND...]\n"
	"       xylem farm status FARM.yml [--watch | --json | --html FILE] [--all]\n"
	"       xylem farm log | history | cancel | retry FARM.yml [PIECE...]\n"
	"       xylem farm cleanup FARM.yml [--all]\n"
	"\n"
	"Runs many resumable pieces of work as jobs of SLURM, PBS or this computer, and restarts jobs that died.\n"
	"The state is in the folder NAME.farm beside the file, from which a stopped manager resumes.\n"
	"\n"
	"  init      print a commented example of a farm.yml\n"
	"  run       submit missing jobs and watch until all pieces are done; Ctrl-C leaves the jobs running\n"
	"  status    show the state of the farm; --all lists every piece, --watch keeps redrawing\n"
	"  log       print the output of the named pieces, or without names the paths of the output files\n"
	"  history   print every transition of pieces, with its reason\n"
	"  cancel    end the jobs of the named pieces, or of all, and give the pieces up\n"
	"  retry     queue the named pieces, or all, again if they failed or were given up\n"
	"  cleanup   remove logs and scripts of ended jobs; --all: the whole folder, with the data of the pieces\n"
	"\n"
	"Options\n"
	"  --once        run one round and exit, for cron\n"
	"  --cw2         the file is a CW2 configuration: documents SLURM, DEFAULT and experiments. It names no\n"
	"                program, so the first run gives the command of a repetition after --; {parameter}, {rep},\n"
	"                {slot} and {folder} in it are replaced\n"
	"  --watch       redraw every two seconds\n"
	"  --json        print JSON\n"
	"  --html FILE   a page with plots\n"
	"\n"
	"Exit status\n"
	"  0  success; for run: every piece is done, or Ctrl-C ended it\n"
	"  1  the file is invalid, or pieces were given up\n"
	"  2  the arguments are wrong\n"
	"  3  system failure: a disk, a scheduler, another manager\n";

static void farm_report_line(void *arg, const char *line)
{
	(void)arg;
	tool_say("farm: %s", line);
}

const struct farm_report farm_report = { .say = farm_report_line };

enum tool_status farm_status_of(int error)
{
	return !error ? TOOL_OK : error == -EINVAL ? TOOL_WRONG : TOOL_FAILED;
}

/* A file of CW2; the command of a run is kept for the other subcommands. */
static int farm_load_cw2(struct farm_session_data *data, const struct farm_arguments *arguments)
{
	int error = farm_cw2_read(&data->farm, arguments->file, &arguments->command, &data->place, &farm_report);

	if (!error && arguments->command.count)
		error = farm_files_make(data->farm.folder, &farm_report);
	if (!error && arguments->command.count)
		error = farm_cw2_keep(&data->farm, &arguments->command, &farm_report);
	return error;
}

enum tool_status farm_load(struct farm_session_data *data, const struct farm_arguments *arguments)
{
	ssize_t n = readlink("/proc/self/exe", data->tool, sizeof(data->tool) - 1);

	data->tool[n > 0 ? n : 0] = '\0';
	if (n <= 0)
		snprintf(data->tool, sizeof(data->tool), "xylem");
	if (gethostname(data->host, sizeof(data->host) - 1))
		snprintf(data->host, sizeof(data->host), "localhost");
	data->host[sizeof(data->host) - 1] = '\0';
	data->place = (struct farm_place){ .host = data->host, .tool = data->tool };
	farm_init(&data->farm);
	return farm_status_of(arguments->cw2 ? farm_load_cw2(data, arguments)
					     : farm_read(&data->farm, arguments->file, &data->place, &farm_report));
}

void farm_unload(struct farm_session_data *data)
{
	farm_fini(&data->farm);
}

size_t farm_find_piece(const struct farm *farm, const char *name)
{
	struct xy__nearest nearest;
	struct xy__message message;
	char suggestion[512];

	xy__nearest_init(&nearest, name, strlen(name));
	for (size_t i = 0; i < farm->npieces; i++) {
		if (!strcmp(farm->pieces[i].name, name))
			return i;
		xy__nearest_look(&nearest, farm->pieces[i].name);
	}
	xy__message_init(&message, suggestion, sizeof(suggestion));
	xy__nearest_say(&nearest, &message);
	tool_say("farm: there is no piece \"%s\"%s", name, suggestion);
	return FARM_NONE;
}

/* --- inside of jobs --- */

static enum tool_status farm_job(int argc, char **argv)
{
	char host[256] = "";
	struct farm_claimant claimant = { .host = host };
	int status;

	if (argc < 4) {
		tool_say("farm job: needs FOLDER SET JOB; job scripts call it");
		return TOOL_USAGE;
	}
	gethostname(host, sizeof(host) - 1);
	claimant.folder = argv[1];
	claimant.set = argv[2];
	claimant.job = argv[3];
	claimant.requeued = argc > 4 && !strcmp(argv[4], "--requeued");
	fflush(stdout);
	status = farm_job_run(&claimant, &farm_report);
	/* The scheduler sees the status of the command itself. */
	return (enum tool_status)status;
}

static enum tool_status farm_supervise(int argc, char **argv)
{
	struct farm_local_order order;

	if (argc != 9) {
		tool_say("farm supervise: the manager of a farm calls it");
		return TOOL_USAGE;
	}
	order = (struct farm_local_order){ .folder = argv[1],
					   .job = argv[2],
					   .script = argv[3],
					   .cores = argv[4],
					   .gpus = argv[5],
					   .time_limit_s = (unsigned)strtoul(argv[6], NULL, 10),
					   .warning_s = (unsigned)strtoul(argv[7], NULL, 10),
					   .memory_bytes = strtoull(argv[8], NULL, 10) };
	return (enum tool_status)farm_local_supervise(&order, &farm_report);
}

/* --- arguments --- */

enum { ONCE = 1, CW2 = 2, WATCH = 4, JSON = 8, HTML = 16, ALL = 32, NAMES = 64 };

static const struct {
	const char *name;
	unsigned takes;
	enum tool_status (*run)(const struct farm_arguments *arguments);
} farm_commands[] = {
	{ "run", ONCE | CW2, farm_run },        { "status", WATCH | JSON | HTML | ALL | CW2, farm_status },
	{ "log", NAMES | CW2, farm_log },       { "history", NAMES | CW2, farm_history },
	{ "cancel", NAMES | CW2, farm_cancel }, { "retry", NAMES | CW2, farm_retry },
	{ "cleanup", ALL | CW2, farm_cleanup },
};
#define FARM_NCOMMANDS (sizeof(farm_commands) / sizeof(farm_commands[0]))

/* Takes an option; false after a message. */
static bool farm_option(struct farm_arguments *a, const char *command, unsigned takes, char ***argv)
{
	const struct {
		const char *name;
		unsigned bit;
		bool *flag;
	} flags[] = {
		{ "--once", ONCE, &a->once }, { "--cw2", CW2, &a->cw2 }, { "--watch", WATCH, &a->watch },
		{ "--json", JSON, &a->json }, { "--all", ALL, &a->all },
	};
	const char *names[8];
	char suggestion[160];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (!(takes & flags[i].bit))
			continue;
		if (!strcmp(**argv, flags[i].name)) {
			*flags[i].flag = true;
			return true;
		}
		names[n++] = flags[i].name;
	}
	if (takes & HTML) {
		if (!strcmp(**argv, "--html") && (*argv)[1]) {
			a->html = *++*argv;
			return true;
		}
		names[n++] = "--html";
	}
	names[n] = NULL;
	tool_suggest(suggestion, sizeof(suggestion), **argv, names);
	if (!strcmp(**argv, "--html"))
		tool_say("farm %s: --html needs FILE", command);
	else
		tool_say("farm %s: there is no option %s%s", command, **argv, suggestion);
	return false;
}

static enum tool_status farm_command(size_t command, char **argv, struct farm *memory)
{
	struct farm_arguments arguments = { 0 };
	const char *name = farm_commands[command].name;
	bool options = true;

	for (; *argv; argv++) {
		if (options && !strcmp(*argv, "--")) {
			options = false;
		} else if (options && (*argv)[0] == '-' && (*argv)[1]) {
			if (!farm_option(&arguments, name, farm_commands[command].takes, &argv))
				return TOOL_USAGE;
		} else if (!options && arguments.file && arguments.cw2 && (farm_commands[command].takes & ONCE)) {
			farm_words_add(memory, &arguments.command, *argv);
		} else if (!arguments.file) {
			arguments.file = *argv;
		} else if (farm_commands[command].takes & NAMES) {
			farm_words_add(memory, &arguments.names, *argv);
		} else {
			tool_say("farm %s: one file only, but got \"%s\" too", name, *argv);
			return TOOL_USAGE;
		}
	}
	if (!arguments.file) {
		tool_say("farm %s: needs FARM.yml; `xylem farm init` prints an example", name);
		return TOOL_USAGE;
	}
	return farm_commands[command].run(&arguments);
}

static enum tool_status farm_unknown(const char *word)
{
	const char *names[FARM_NCOMMANDS + 2] = { "init" };
	char suggestion[160];

	for (size_t i = 0; i < FARM_NCOMMANDS; i++)
		names[i + 1] = farm_commands[i].name;
	tool_suggest(suggestion, sizeof(suggestion), word, names);
	tool_say("farm: there is no command \"%s\"%s", word, suggestion);
	tool_say("see xylem farm --help");
	return TOOL_USAGE;
}

static enum tool_status farm_forward(int argc, char **argv)
{
	enum tool_status status;
	struct farm memory;

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			fputs(farm_help, stdout);
			return TOOL_OK;
		}
	if (argc < 2) {
		fputs(farm_help, stderr);
		return TOOL_USAGE;
	}
	if (!strcmp(argv[1], "job"))
		return farm_job(argc - 1, argv + 1);
	if (!strcmp(argv[1], "supervise"))
		return farm_supervise(argc - 1, argv + 1);
	if (!strcmp(argv[1], "init")) {
		fputs(farm_example, stdout);
		return TOOL_OK;
	}
	for (size_t i = 0; i < FARM_NCOMMANDS; i++) {
		if (strcmp(argv[1], farm_commands[i].name))
			continue;
		farm_init(&memory);
		status = farm_command(i, argv + 2, &memory);
		farm_fini(&memory);
		return status;
	}
	return farm_unknown(argv[1]);
}

const struct tool_command tool_farm = {
	.name = "farm",
	.usage = "COMMAND [FARM.yml]",
	.summary = "run resumable jobs on SLURM, PBS or this computer",
	.forward = farm_forward,
};
