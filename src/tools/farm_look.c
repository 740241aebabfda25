/* SPDX-License-Identifier: MIT */
/* xylem farm status, log and history: they only read. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "farm/files.h"
#include "farm/status.h"
#include "tools/farm.h"

/* Opens the state of a farm for reading; says so if it was never run. */
static enum tool_status look_open(struct farm_session_data *data, const struct farm_arguments *arguments,
				  struct farm_state *state)
{
	enum tool_status status = farm_load(data, arguments);
	int error;

	if (status != TOOL_OK)
		return status;
	error = farm_state_open(state, &data->farm, true, &farm_report);
	if (error == -ENOENT)
		tool_say("farm: %s was not run yet: `xylem farm run %s` starts it", data->farm.name, arguments->file);
	return error == -ENOENT ? TOOL_WRONG : farm_status_of(error);
}

/* --- status --- */

static bool look_write_page(const char *path, const struct xy__buffer *page)
{
	int error = farm_files_replace(path, page->at, page->length);

	if (error)
		tool_say("farm: %s: %s", path, strerror(-error));
	return !error;
}

/* On a terminal from its top, without breaking lines that are too long for it. */
static void look_draw(const struct xy__buffer *text, bool redraws)
{
	printf("%s%s%s", redraws ? "\033[H\033[J\033[?7l" : "", text->at, redraws ? "\033[?7h" : "");
}

static enum tool_status look_print(struct farm_state *state, const struct farm_arguments *arguments)
{
	struct farm_status_style style = { .colour = tool_has_colour(), .all = arguments->all };
	struct xy__buffer text = { 0 };
	struct farm_status status;
	struct winsize size;
	bool good;

	if (farm_status_init(&status, state, (int64_t)time(NULL)))
		return TOOL_FAILED;
	if (arguments->watch && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size)) {
		style.width = size.ws_col;
		style.height = size.ws_row;
	}
	if (arguments->html)
		farm_status_page(&status, &text);
	else if (arguments->json)
		farm_status_json(&status, &text);
	else
		farm_status_table(&status, &style, &text);
	good = !text.failed;
	if (good && arguments->html)
		good = look_write_page(arguments->html, &text);
	else if (good)
		look_draw(&text, arguments->watch && isatty(STDOUT_FILENO));
	fflush(stdout);
	xy__buffer_fini(&text);
	farm_status_fini(&status);
	return good ? TOOL_OK : TOOL_FAILED;
}

enum tool_status farm_status(const struct farm_arguments *arguments)
{
	struct farm_session_data data;
	struct farm_state state;
	enum tool_status status = look_open(&data, arguments, &state);
	struct timespec pause = { .tv_sec = 2 };

	if (status == TOOL_OK) {
		status = look_print(&state, arguments);
		/* Until Ctrl-C or until the output is gone. */
		while (arguments->watch && status == TOOL_OK && !ferror(stdout) && !nanosleep(&pause, NULL)) {
			status = farm_status_of(farm_state_reload(&state));
			if (status == TOOL_OK)
				status = look_print(&state, arguments);
		}
		farm_state_close(&state);
	}
	farm_unload(&data);
	return status;
}

/* --- log --- */

static bool look_copy(const char *path)
{
	size_t length;
	char *text = farm_files_read(path, &length);

	if (text)
		fwrite(text, 1, length, stdout);
	free(text);
	return text;
}

/* The log of a piece's last job, where it is now; to be freed. */
static char *look_log(const struct farm_state *state, size_t piece)
{
	const struct farm_record *r = &state->records[piece];
	const char *job = r->last_job;
	char *path = job ? farm_files_path_of(state->farm->folder, "logs", job, ".out") : NULL;

	if (path && access(path, F_OK)) {
		free(path);
		path = farm_files_path_of(state->farm->folder, "old_logs", job, ".out");
	}
	return path;
}

enum tool_status farm_log(const struct farm_arguments *arguments)
{
	struct farm_session_data data;
	struct farm_state state;
	enum tool_status status = look_open(&data, arguments, &state);
	bool opened = status == TOOL_OK;

	for (size_t i = 0; opened && !arguments->names.count && i < data.farm.npieces; i++) {
		char *path = look_log(&state, i);

		if (path)
			printf("%-30s %s\n", data.farm.pieces[i].name, path);
		free(path);
	}
	for (size_t n = 0; opened && n < arguments->names.count; n++) {
		size_t piece = farm_find_piece(&data.farm, arguments->names.at[n]);
		char *path = piece == FARM_NONE ? NULL : look_log(&state, piece);

		if (piece == FARM_NONE) {
			status = TOOL_WRONG;
		} else if (!path || !look_copy(path)) {
			tool_say("farm: %s has no log%s", arguments->names.at[n], path ? " any more" : " yet");
			status = TOOL_WRONG;
		}
		free(path);
	}
	if (opened)
		farm_state_close(&state);
	farm_unload(&data);
	return status;
}

/* --- history --- */

static void look_transition(void *arg, int64_t time, const char *piece, const char *from, const char *to,
			    const char *job, const char *reason)
{
	time_t when = (time_t)time;
	char text[32] = "";
	struct tm local;

	(void)arg;
	if (localtime_r(&when, &local))
		strftime(text, sizeof(text), "%F %T", &local);
	if (piece)
		printf("%s  %s: %s -> %s: %s\n", text, piece, from ? from : "", to ? to : "", reason);
	else
		printf("%s  job %s: %s\n", text, job ? job : "?", reason);
}

enum tool_status farm_history(const struct farm_arguments *arguments)
{
	struct farm_session_data data;
	struct farm_state state;
	enum tool_status status = look_open(&data, arguments, &state);
	bool opened = status == TOOL_OK;

	if (opened && !arguments->names.count)
		status = farm_status_of(farm_state_history(&state, NULL, look_transition, NULL));
	for (size_t n = 0; opened && n < arguments->names.count; n++) {
		if (farm_find_piece(&data.farm, arguments->names.at[n]) == FARM_NONE)
			status = TOOL_WRONG;
		else if (farm_state_history(&state, arguments->names.at[n], look_transition, NULL))
			status = TOOL_FAILED;
	}
	if (opened)
		farm_state_close(&state);
	farm_unload(&data);
	return status;
}
