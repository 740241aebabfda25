/* SPDX-License-Identifier: MIT */
/*
 * The command line tool: one file per subcommand, each with one const struct tool_command at its
 * end. Results go to stdout, failures to stderr; the exit status is an enum tool_status.
 */
#ifndef XYLEM_TOOLS_TOOL_H
#define XYLEM_TOOLS_TOOL_H

#include <stdbool.h>
#include <xylem/tree.h>
#include "core/machine/config.h"

enum tool_status {
	TOOL_OK = 0,
	TOOL_WRONG = 1,       /* the subject of the command is wrong */
	TOOL_USAGE = 2,       /* the arguments are */
	TOOL_FAILED = 3,      /* the world failed: memory, a file, a plug-in, the output */
	TOOL_UNFINISHED = 75, /* only commands that run others: nothing failed, run it again to go on */
};

/* --- subcommands --- */

#define TOOL_NOPTIONS 24

struct tool_option {
	const char *name;  /* without the dashes; NULL ends the table */
	const char *value; /* name of its value, NULL: takes none */
	const char *help;
};

/* The given arguments: strings belong to argv. */
struct tool_arguments {
	const char *operand;                /* NULL: none */
	const char *second;                 /* likewise */
	const char *options[TOOL_NOPTIONS]; /* by option: its value, "" for one without, NULL: not given */
	char *const *rest;                  /* behind "--", ends with NULL; NULL: there is no "--" */
};

struct tool_command {
	const char *name;
	const char *operand; /* its name in messages, NULL: takes none */
	bool takes_second;   /* two operands are allowed */
	bool needs_operand;
	bool takes_rest;     /* what follows "--" is a command of its own */
	const char *usage;   /* behind "xylem NAME " */
	const char *summary; /* one line */
	const char *help;    /* paragraphs, each line ended */
	struct tool_option options[TOOL_NOPTIONS + 1];
	const char *list;                /* the headline of a list behind the options, NULL: none */
	const char *(*line)(unsigned i); /* its lines; NULL after the last */
	enum tool_status (*run)(const struct tool_arguments *arguments);
	/* Instead of all that follows the usage: reads its own arguments, argv[0] is the command. */
	enum tool_status (*forward)(int argc, char **argv);
};

extern const struct tool_command tool_policies, tool_components, tool_show, tool_check, tool_machine, tool_env,
	tool_model, tool_pipeline, tool_farm, tool_sim, tool_bound, tool_slots, tool_graph, tool_batch;

/* Reads what follows the subcommand; says what is wrong and returns false otherwise. */
bool tool_arguments_parse(struct tool_arguments *arguments, const struct tool_command *command, char **argv);

/* The options that several subcommands have. */
#define TOOL_OPTION_MACHINE \
	{ \
		"machine", "TEXT", "instead of XYLEM_MACHINE or this computer, such as \"cpu:4 cuda:2\" or @mirage" \
	}

/* --- what a runtime would have --- */

/* Settings, machine and kinds, as xy_start would find them. */
struct tool_world {
	struct xy__settings settings;
	struct xy_machine *machine;
	struct xy_registry *registry;
};

/* Makes a world; machine replaces what the settings say unless NULL. Says what is wrong itself. */
enum tool_status tool_world_init(struct tool_world *world, const char *machine);
void tool_world_fini(struct tool_world *world);

/* The tree of a text in a world, or NULL with the reasons on stderr and in *status. */
struct xy_tree *tool_world_tree(const struct tool_world *world, const char *text, enum tool_status *status);

/* The status for an error number of the library: whether the text or the world was wrong. */
enum tool_status tool_status_of(int error);

/* --- output --- */

/* One line to stderr, as "xylem: ...". */
__attribute__((format(printf, 1, 2))) void tool_say(const char *format, ...);

/* Prints each line of a text to stderr, like tool_say. */
void tool_say_lines(const char *text);

/* `; did you mean "a"?` for the names of a list that are near to word, or "". */
void tool_suggest(char *text, size_t size, const char *word, const char *const *names);

/* Whether stdout is a terminal with colours. */
bool tool_has_colour(void);
/* Begin and end of a headline: escape sequences on such a terminal, "" otherwise. */
const char *tool_bold(void);
const char *tool_plain(void);

#endif
