/* SPDX-License-Identifier: MIT */
/* The parts of `xylem farm`. */
#ifndef XYLEM_TOOLS_FARM_H
#define XYLEM_TOOLS_FARM_H

#include "farm/read.h"
#include "tools/tool.h"

extern const char farm_example[];

/* Arguments behind the subcommand: options are words that begin with a dash. */
struct farm_arguments {
	const char *file;          /* farm.yml */
	struct farm_words names;   /* pieces */
	struct farm_words command; /* behind "--", of a repetition in a file of CW2 */
	bool watch, json, all, once, cw2;
	const char *html;
};

/* A farm that was read, and where. */
struct farm_session_data {
	struct farm farm;
	struct farm_place place;
	char host[256], tool[4096];
};

extern const struct farm_report farm_report;

/* Reads the farm. TOOL_OK, or another status after a message; farm_unload in any case. */
enum tool_status farm_load(struct farm_session_data *data, const struct farm_arguments *arguments);
void farm_unload(struct farm_session_data *data);

/* The number of a piece, or FARM_NONE after a message. */
size_t farm_find_piece(const struct farm *farm, const char *name);

/* The status for an error of the farm's functions. */
enum tool_status farm_status_of(int error);

enum tool_status farm_run(const struct farm_arguments *arguments);
enum tool_status farm_status(const struct farm_arguments *arguments);
enum tool_status farm_log(const struct farm_arguments *arguments);
enum tool_status farm_history(const struct farm_arguments *arguments);
enum tool_status farm_cancel(const struct farm_arguments *arguments);
enum tool_status farm_retry(const struct farm_arguments *arguments);
enum tool_status farm_cleanup(const struct farm_arguments *arguments);

#endif
