/* SPDX-License-Identifier: MIT */
/* Reading the state of a farm: records and living jobs into memory, transitions one by one. */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/util/buffer.h"
#include "farm/quote.h"
#include "farm/state.h"

struct farm_job *farm_state_add_job(struct farm_state *state, const char *id, const char *set)
{
	struct farm_job *job;

	if (state->njobs == state->jobs_room) {
		size_t room = state->jobs_room ? 2 * state->jobs_room : 128;
		struct farm_job *jobs = realloc(state->jobs, room * sizeof(*jobs));

		if (!jobs)
			return NULL;
		state->jobs = jobs;
		state->jobs_room = room;
	}
	job = &state->jobs[state->njobs];
	*job = (struct farm_job){ .id = strdup(id), .piece = FARM_NONE, .submitted = state->now };
	if (!job->id)
		return NULL;
	strncpy(job->set, set, sizeof(job->set) - 1);
	state->njobs++;
	return job;
}

void farm_state_sweep_jobs(struct farm_state *state)
{
	size_t kept = 0;

	for (size_t i = 0; i < state->njobs; i++) {
		struct farm_job *job = &state->jobs[i];

		if (job->ended) {
			free(job->id);
			free(job->verdict);
			continue;
		}
		if (job->piece != FARM_NONE && state->records[job->piece].job == i)
			state->records[job->piece].job = kept;
		state->jobs[kept++] = *job;
	}
	state->njobs = kept;
}

static enum farm_step state_step(const char *name)
{
	for (unsigned i = 0; i < FARM_STEPS; i++)
		if (!strcmp(farm_step_name((enum farm_step)i), name))
			return (enum farm_step)i;
	return FARM_WAITING;
}

static char *state_copy(sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	return text ? strdup(text) : NULL;
}

static void state_load_piece(struct farm_state *state, sqlite3_stmt *s, const struct graph__names *names)
{
	struct farm_record *r;
	uint32_t piece;

	if (!graph__names_find(names, (const char *)sqlite3_column_text(s, 0), &piece))
		return;
	r = &state->records[piece];
	r->step = state_step((const char *)sqlite3_column_text(s, 1));
	r->fails = (unsigned)sqlite3_column_int64(s, 2);
	r->starts = (unsigned)sqlite3_column_int64(s, 3);
	r->status = sqlite3_column_int(s, 4);
	r->signal = sqlite3_column_int(s, 5);
	r->last_job = state_copy(s, 7);
	r->since = sqlite3_column_int64(s, 8);
	r->started = sqlite3_column_int64(s, 9);
	r->ended = sqlite3_column_int64(s, 10);
}

static bool state_load_job(struct farm_state *state, sqlite3_stmt *s, const struct graph__names *names)
{
	const char *piece_name = (const char *)sqlite3_column_text(s, 2);
	struct farm_job *job = farm_state_add_job(state, (const char *)sqlite3_column_text(s, 0),
						  (const char *)sqlite3_column_text(s, 1));
	uint32_t piece;

	if (!job)
		return false;
	job->claimed = sqlite3_column_int(s, 3);
	job->verdict = state_copy(s, 5);
	job->submitted = sqlite3_column_int64(s, 6);
	job->started = sqlite3_column_int64(s, 7);
	if (piece_name && graph__names_find(names, piece_name, &piece)) {
		struct farm_record *r = &state->records[piece];

		job->piece = piece;
		if (r->step == FARM_SUBMITTED || r->step == FARM_RUNNING)
			r->job = state->njobs - 1;
	}
	return true;
}

/* Walks over the rows of a query; each is a piece or a job. */
static int state_load_rows(struct farm_state *state, const char *sql, const struct graph__names *names, bool jobs)
{
	sqlite3_stmt *s;
	int code;

	if (sqlite3_prepare_v2(state->base, sql, -1, &s, NULL))
		return farm_state_refuse(state, "reading");
	while ((code = sqlite3_step(s)) == SQLITE_ROW) {
		if (!jobs)
			state_load_piece(state, s, names);
		else if (!state_load_job(state, s, names))
			break;
	}
	code = code == SQLITE_DONE ? 0 : code == SQLITE_ROW ? -ENOMEM : farm_state_refuse(state, "reading");
	sqlite3_finalize(s);
	return code;
}

int farm_state_load(struct farm_state *state)
{
	struct graph__names names = { 0 };
	sqlite3_stmt *s;
	int error = 0;

	for (size_t i = 0; i < state->farm->npieces && !error; i++) {
		state->records[i] = (struct farm_record){ .job = FARM_NONE, .status = -1 };
		error = graph__names_add(&names, state->farm->pieces[i].name, (uint32_t)i);
	}
	if (!error)
		error = state_load_rows(state, "SELECT * FROM piece", &names, false);
	if (!error)
		error = state_load_rows(state, "SELECT * FROM job WHERE ended = 0", &names, true);
	graph__names_fini(&names);
	/* A row whose job is not there was written by nobody: it waits again. */
	for (size_t i = 0; i < state->farm->npieces && !error; i++)
		if (state->records[i].job == FARM_NONE &&
		    (state->records[i].step == FARM_SUBMITTED || state->records[i].step == FARM_RUNNING))
			state->records[i].step = FARM_WAITING;
	if (!error && !sqlite3_prepare_v2(state->base, "SELECT time FROM transition ORDER BY number DESC LIMIT 1", -1,
					  &s, NULL)) {
		if (sqlite3_step(s) == SQLITE_ROW)
			state->now = sqlite3_column_int64(s, 0);
		sqlite3_finalize(s);
	}
	return error;
}

int farm_state_history(struct farm_state *state, const char *piece,
		       void (*see)(void *arg, int64_t time, const char *piece, const char *from, const char *to,
				   const char *job, const char *reason),
		       void *arg)
{
	sqlite3_stmt *s;
	int code;

	if (sqlite3_prepare_v2(
		    state->base,
		    piece ? "SELECT time,piece,step_before,step,job,reason FROM transition WHERE piece = ? ORDER "
			    "BY number"
			  : "SELECT time,piece,step_before,step,job,reason FROM transition ORDER BY number",
		    -1, &s, NULL))
		return farm_state_refuse(state, "reading");
	if (piece)
		sqlite3_bind_text(s, 1, piece, -1, SQLITE_TRANSIENT);
	while ((code = sqlite3_step(s)) == SQLITE_ROW)
		see(arg, sqlite3_column_int64(s, 0), (const char *)sqlite3_column_text(s, 1),
		    (const char *)sqlite3_column_text(s, 2), (const char *)sqlite3_column_text(s, 3),
		    (const char *)sqlite3_column_text(s, 4), (const char *)sqlite3_column_text(s, 5));
	code = code == SQLITE_DONE ? 0 : farm_state_refuse(state, "reading");
	sqlite3_finalize(s);
	return code;
}

/* --- opening for reading --- */

/* Opens the state as it is in the file, for folders that nobody can write: 0 or a code of SQLite. */
static int state_open_immutable(struct farm_state *state, const char *path)
{
	struct xy__buffer address = { 0 };
	int code = SQLITE_NOMEM;

	xy__buffer_add(&address, "file:");
	farm_quote_file(&address, path);
	xy__buffer_add(&address, "?immutable=1");
	if (!address.failed)
		code = sqlite3_open_v2(address.at, &state->base, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
	xy__buffer_fini(&address);
	return code;
}

/* A write-ahead log needs shared memory: where that can neither be written nor is there, and
 * where there is no log, the file is read as it is. */
int farm_state_open_to_read(struct farm_state *state, const char *path)
{
	int code = sqlite3_open_v2(path, &state->base, SQLITE_OPEN_READWRITE, NULL);
	struct stat log;
	char *log_path;
	bool has_log;

	if (!code && !sqlite3_db_readonly(state->base, "main"))
		return 0;
	sqlite3_close(state->base);
	code = sqlite3_open_v2(path, &state->base, SQLITE_OPEN_READONLY, NULL);
	if (code || asprintf(&log_path, "%s-wal", path) < 0)
		return code;
	has_log = !stat(log_path, &log) && log.st_size > 0;
	free(log_path);
	sqlite3_busy_timeout(state->base, FARM_STATE_PATIENCE_MS);
	code = sqlite3_exec(state->base, "SELECT count(*) FROM farm", NULL, NULL, NULL);
	if (has_log || (code != SQLITE_CANTOPEN && code != SQLITE_READONLY))
		return 0;
	sqlite3_close(state->base);
	return state_open_immutable(state, path);
}
