/* SPDX-License-Identifier: MIT */
/*
 * Reads the arguments of a subcommand from its table of options: --name, --name VALUE,
 * --name=VALUE, -o for --out, one operand or two, and -- before an operand that begins with a dash or before a
 * command with its own arguments.
 */
#include <string.h>

#include "tools/tool.h"

/* The option that an argument names, whose value follows '=' if *value is not NULL; -1: none. */
static int arguments_find(const struct tool_command *command, const char *argument, const char **value)
{
	const char *name = !strcmp(argument, "-o") ? "out" : argument + 2;
	size_t length = strcspn(name, "=");

	*value = name[length] ? name + length + 1 : NULL;
	if (argument[1] != '-' && argument + 2 == name)
		return -1;
	for (int i = 0; command->options[i].name; i++)
		if (strlen(command->options[i].name) == length && !strncmp(command->options[i].name, name, length))
			return i;
	return -1;
}

static bool arguments_unknown(const struct tool_command *command, const char *argument)
{
	const char *names[TOOL_NOPTIONS + 2];
	char dashed[TOOL_NOPTIONS + 1][32], suggestion[160];
	unsigned n = 0;

	for (; command->options[n].name; n++) {
		snprintf(dashed[n], sizeof(dashed[n]), "--%s", command->options[n].name);
		names[n] = dashed[n];
	}
	names[n++] = "--help";
	names[n] = NULL;
	tool_suggest(suggestion, sizeof(suggestion), argument, names);
	tool_say("%s: unknown option %s%s", command->name, argument, suggestion);
	return false;
}

/* Takes the option at *argv and its value; leaves *argv at the last thing it took. */
static bool arguments_take(struct tool_arguments *a, const struct tool_command *command, char ***argv)
{
	const char *value;
	int i = arguments_find(command, **argv, &value);

	if (i < 0)
		return arguments_unknown(command, **argv);
	if (a->options[i]) {
		tool_say("%s: --%s is given twice", command->name, command->options[i].name);
		return false;
	}
	if (!command->options[i].value && value) {
		tool_say("%s: --%s takes no value", command->name, command->options[i].name);
		return false;
	}
	if (command->options[i].value && !value) {
		value = (*argv)[1];
		if (!value) {
			tool_say("%s: --%s needs %s", command->name, command->options[i].name,
				 command->options[i].value);
			return false;
		}
		++*argv;
	}
	a->options[i] = value ? value : "";
	return true;
}

bool tool_arguments_parse(struct tool_arguments *a, const struct tool_command *command, char **argv)
{
	bool only_operands = false;

	*a = (struct tool_arguments){ 0 };
	for (; *argv; argv++) {
		if (!only_operands && !strcmp(*argv, "--")) {
			only_operands = true;
			if (command->takes_rest) {
				a->rest = argv + 1;
				break;
			}
		} else if (!only_operands && (*argv)[0] == '-' && (*argv)[1]) {
			if (!arguments_take(a, command, &argv))
				return false;
		} else if (!command->operand) {
			tool_say("%s: takes no argument, but got \"%s\"", command->name, *argv);
			return false;
		} else if (a->operand && command->takes_second && !a->second) {
			a->second = *argv;
		} else if (a->operand) {
			tool_say("%s: takes one %s, but got \"%s\" too (quote it?)", command->name, command->operand,
				 *argv);
			return false;
		} else {
			a->operand = *argv;
		}
	}
	if (command->needs_operand && !a->operand) {
		tool_say("%s: needs %s", command->name, command->operand);
		return false;
	}
	return true;
}
