/* SPDX-License-Identifier: MIT */
/*
 * The runtimes, with the policies that are compared.
 */
#include <string.h>
#include <unistd.h>
#include "driver.h"

#define PATH_SIZE 4096

const struct subject subjects[MAX_SUBJECTS] = {
	[XYLEM_EAGER] = { "Xylem", "tree-eager", "xylem", NULL, NULL },
	[XYLEM_PREFETCHING] = { "Xylem", "tree-eager-prefetching", "xylem", NULL, NULL },
	[XYLEM_WS] = { "Xylem", "tree-ws", "xylem", NULL, NULL },
	[XYLEM_HELP] = { "Xylem", "tree-ws", "xylem", NULL, "--guest" },
	[XYLEM_DEFAULT] = { "Xylem", NULL, "xylem", NULL, NULL },
	[STARPU_MODULAR] = { "StarPU", "modular-eager", "starpu", "libstarpu-dev", NULL },
	[STARPU_EAGER] = { "StarPU", "eager", "starpu", "libstarpu-dev", NULL },
	[STARPU_LWS] = { "StarPU", "lws", "starpu", "libstarpu-dev", NULL },
	[OPENMP_GCC] = { "OpenMP (gcc)", NULL, "openmp-gcc", "gcc", NULL },
	[OPENMP_CLANG] = { "OpenMP (clang)", NULL, "openmp-clang", "clang libomp-dev", NULL },
	[TBB] = { "oneTBB", NULL, "tbb", "libtbb-dev g++", NULL },
	[TASKFLOW] = { "Taskflow", NULL, "taskflow", "libtaskflow-cpp-dev, configure --with-taskflow", NULL },
};

bool subject_is_xylem(unsigned subject)
{
	return !strcmp(subjects[subject].runtime, "Xylem");
}

bool subject_is_starpu(unsigned subject)
{
	return !strcmp(subjects[subject].runtime, "StarPU");
}

/* Valid until the next call but three. */
const char *subject_name(unsigned subject)
{
	static char names[4][64];
	static unsigned next;
	const struct subject *s = &subjects[subject];
	const char *sched = s->sched ? s->sched : subject_is_xylem(subject) ? "default" : "";
	char *name = names[next++ % 4];

	snprintf(name, sizeof(names[0]), "%s%s%s%s", s->runtime, *sched ? " " : "", sched, s->extra ? ", help" : "");
	return name;
}

static const char *program_path(unsigned subject)
{
	static char paths[MAX_SUBJECTS][PATH_SIZE];

	snprintf(paths[subject], PATH_SIZE, "%s/%s", settings.peers, subjects[subject].program);
	return paths[subject];
}

bool subject_is_here(unsigned subject)
{
	return access(program_path(subject), X_OK) == 0;
}

struct command subject_command_sched(unsigned subject, const char *const *arguments, unsigned workers,
				     const char *sched)
{
	static char number[16];
	struct command command = { .arguments = { program_path(subject) } };
	unsigned n = 1;

	snprintf(number, sizeof(number), "%u", workers);
	while (*arguments)
		command.arguments[n++] = *arguments++;
	command.arguments[n++] = "--workers";
	command.arguments[n++] = number;
	if (subjects[subject].extra)
		command.arguments[n++] = subjects[subject].extra;
	if (sched) {
		command.arguments[n++] = "--sched";
		command.arguments[n++] = sched;
	}
	return command;
}

struct command subject_command(unsigned subject, const char *const *arguments, unsigned workers)
{
	return subject_command_sched(subject, arguments, workers, subjects[subject].sched);
}

void subjects_print_missing(void)
{
	const char *before = "";

	for (unsigned i = 0; i < MAX_SUBJECTS; i++) {
		if (!subject_is_here(i) && strcmp(before, subjects[i].program))
			printf("Missing: %s%s%s.\n", subjects[i].runtime,
			       subjects[i].package ? ", Debian: " : ", not built",
			       subjects[i].package ? subjects[i].package : "");
		before = subjects[i].program;
	}
	if (!settings.valgrind)
		printf("Missing: valgrind, Debian: valgrind; instructions are not counted.\n");
}
