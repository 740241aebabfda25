/* SPDX-License-Identifier: MIT */
/*
 * xylem: finds the subcommand, gives help, and makes sure that what was printed arrived.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <xylem.h>
#include "tools/tool.h"

static const struct tool_command *const main_commands[] = {
	&tool_policies, &tool_components, &tool_show, &tool_check, &tool_machine, &tool_env,   &tool_model,
	&tool_pipeline, &tool_farm,       &tool_sim,  &tool_bound, &tool_graph,   &tool_slots, &tool_batch,
};
#define MAIN_NCOMMANDS (sizeof(main_commands) / sizeof(main_commands[0]))

static const char main_exits[] = "Exit status\n"
				 "  0  success\n"
				 "  1  the subject is wrong: a broken rule, an unknown name, an invalid "
				 "value\n"
				 "  2  the arguments or the environment are wrong\n"
				 "  3  system failure: out of memory, a plug-in that can't be loaded, "
				 "output that can't be written\n";

static enum tool_status main_help(void)
{
	printf("usage: xylem COMMAND [ARGUMENT...]\n"
	       "\n"
	       "Inspects scheduling trees, policies and machines of the Xylem task runtime.\n"
	       "\n"
	       "%sCommands%s\n",
	       tool_bold(), tool_plain());
	for (size_t i = 0; i < MAIN_NCOMMANDS; i++)
		printf("  %-12s%s\n", main_commands[i]->name, main_commands[i]->summary);
	printf("\n"
	       "  --help      this text; after a command, help on that command\n"
	       "  --version   the version\n"
	       "\n"
	       "%s",
	       main_exits);
	return TOOL_OK;
}

static enum tool_status main_forward(const struct tool_command *command, char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	return command->forward(argc, argv);
}

static enum tool_status main_help_command(const struct tool_command *command)
{
	if (command->forward)
		return main_forward(command, (char *[]){ (char *)command->name, "--help", NULL });
	printf("usage: xylem %s%s%s\n\n%s", command->name, *command->usage ? " " : "", command->usage, command->help);
	if (command->options[0].name)
		printf("\n%sOptions%s\n", tool_bold(), tool_plain());
	for (const struct tool_option *o = command->options; o->name; o++) {
		char name[40];

		snprintf(name, sizeof(name), "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
		printf("  %-18s%s\n", name, o->help);
	}
	if (command->list)
		printf("\n%s%s%s\n", tool_bold(), command->list, tool_plain());
	for (unsigned i = 0; command->list && command->line(i); i++)
		printf("  %s\n", command->line(i));
	printf("\n%s", main_exits);
	return TOOL_OK;
}

static const struct tool_command *main_find(const char *name)
{
	const char *names[MAIN_NCOMMANDS + 1] = { NULL };
	char suggestion[160];

	for (size_t i = 0; i < MAIN_NCOMMANDS; i++) {
		if (!strcmp(main_commands[i]->name, name))
			return main_commands[i];
		names[i] = main_commands[i]->name;
	}
	tool_suggest(suggestion, sizeof(suggestion), name, names);
	tool_say("unknown command \"%s\"%s", name, suggestion);
	tool_say("see xylem --help");
	return NULL;
}

static bool main_wants_help(char **argv)
{
	for (; *argv && strcmp(*argv, "--"); argv++)
		if (!strcmp(*argv, "--help") || !strcmp(*argv, "-h"))
			return true;
	return false;
}

static enum tool_status main_command(char **argv)
{
	const struct tool_command *command = main_find(argv[0]);
	struct tool_arguments arguments;

	if (!command)
		return TOOL_USAGE;
	if (command->forward)
		return main_forward(command, argv);
	if (main_wants_help(argv + 1))
		return main_help_command(command);
	if (!tool_arguments_parse(&arguments, command, argv + 1)) {
		tool_say("usage: xylem %s%s%s", command->name, *command->usage ? " " : "", command->usage);
		return TOOL_USAGE;
	}
	return command->run(&arguments);
}

static enum tool_status main_run(char **argv)
{
	if (!argv[0]) {
		tool_say("missing command; see xylem --help");
		return TOOL_USAGE;
	}
	if (!strcmp(argv[0], "--version")) {
		printf("xylem %s\n", xy_version());
		return TOOL_OK;
	}
	if (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h"))
		return main_help();
	if (!strcmp(argv[0], "help")) {
		const struct tool_command *command = argv[1] ? main_find(argv[1]) : NULL;

		return command ? main_help_command(command) : argv[1] ? TOOL_USAGE : main_help();
	}
	return main_command(argv);
}

int main(int argc, char **argv)
{
	enum tool_status status;
	bool failed;

	/* A reader that went away is an error of writing, not a signal. */
	signal(SIGPIPE, SIG_IGN);
	if (fcntl(STDOUT_FILENO, F_GETFD) < 0) {
		tool_say("standard output is closed");
		return TOOL_FAILED;
	}
	status = main_run(argv + (argc > 0));
	failed = ferror(stdout);
	errno = 0;
	if (fclose(stdout) || failed) {
		if (errno != EPIPE)
			tool_say("can't write the output: %s", errno ? strerror(errno) : "an error before the end");
		return TOOL_FAILED;
	}
	return status;
}
