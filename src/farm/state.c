/* SPDX-License-Identifier: MIT */
/* The state of a farm in SQLite: opening it, and one transaction for each transition. */
#include "farm/state.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define STATE_VERSION 1

struct farm_statements {
	sqlite3_stmt *begin, *commit, *rollback, *piece, *job, *transition;
};

static const char state_schema[] =
	"CREATE TABLE IF NOT EXISTS farm (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS piece (name TEXT PRIMARY KEY, step TEXT NOT NULL, fails INTEGER NOT NULL,"
	" starts INTEGER NOT NULL, status INTEGER, signal INTEGER, job TEXT, last_job TEXT, since INTEGER NOT NULL,"
	" started INTEGER NOT NULL, ended INTEGER NOT NULL) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS job (id TEXT PRIMARY KEY, resources TEXT NOT NULL, piece TEXT, claimed "
	"INTEGER NOT NULL,"
	" ended INTEGER NOT NULL, verdict TEXT, submitted INTEGER NOT NULL, started INTEGER NOT NULL, left INTEGER)"
	" WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS transition (number INTEGER PRIMARY KEY, time INTEGER NOT NULL, piece TEXT,"
	" step_before TEXT, step TEXT, job TEXT, reason TEXT NOT NULL);";

const char *farm_step_name(enum farm_step step)
{
	static const char *const names[] = {
		"waiting", "blocked", "submitted", "running", "done", "failed", "given up"
	};

	return names[step];
}

int farm_state_refuse(struct farm_state *state, const char *doing)
{
	int code = sqlite3_errcode(state->base);
	const char *folder = state->farm->folder;

	switch (code & 0xff) {
	case SQLITE_FULL:
		farm_say(state->report, "%s/state.sqlite: %s: the disk is full", folder, doing);
		return -ENOSPC;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_CANTOPEN:
		farm_say(state->report, "%s/state.sqlite: %s: it is read-only or its folder can't be written", folder,
			 doing);
		return -EROFS;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		farm_say(state->report, "%s/state.sqlite: %s: it is damaged (%s)", folder, doing,
			 sqlite3_errmsg(state->base));
		return -EILSEQ;
	case SQLITE_NOMEM:
		farm_say(state->report, "%s/state.sqlite: %s: no memory", folder, doing);
		return -ENOMEM;
	default:
		if (sqlite3_system_errno(state->base) == ENOSPC) {
			farm_say(state->report, "%s/state.sqlite: %s: the disk is full", folder, doing);
			return -ENOSPC;
		}
		farm_say(state->report, "%s/state.sqlite: %s: %s", folder, doing, sqlite3_errmsg(state->base));
		return -EIO;
	}
}

/* Whether a write-ahead log is safe there: its shared memory needs one computer, so only on known local disks. */
static bool state_is_local(const char *folder)
{
	static const unsigned long local[] = {
		0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010
	}; /* ext, XFS, Btrfs, tmpfs, overlay, ZFS, F2FS */
	struct statfs fs;

	if (statfs(folder, &fs))
		return false;
	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		if ((unsigned long)fs.f_type == local[i])
			return true;
	return false;
}

static int state_execute(struct farm_state *state, const char *sql, const char *doing)
{
	return sqlite3_exec(state->base, sql, NULL, NULL, NULL) ? farm_state_refuse(state, doing) : 0;
}

static int state_prepare(struct farm_state *state)
{
	struct farm_statements *s = state->statements;
	struct {
		sqlite3_stmt **statement;
		const char *sql;
	} all[] = {
		{ &s->begin, "BEGIN IMMEDIATE" },
		{ &s->commit, "COMMIT" },
		{ &s->rollback, "ROLLBACK" },
		{ &s->piece, "INSERT OR REPLACE INTO piece VALUES (?,?,?,?,?,?,?,?,?,?,?)" },
		{ &s->job, "INSERT OR REPLACE INTO job VALUES (?,?,?,?,?,?,?,?,?)" },
		{ &s->transition,
		  "INSERT INTO transition (time,piece,step_before,step,job,reason) VALUES (?,?,?,?,?,?)" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (sqlite3_prepare_v2(state->base, all[i].sql, -1, all[i].statement, NULL))
			return farm_state_refuse(state, "preparing");
	return 0;
}

/* Runs a prepared statement to its end and makes it ready again. */
static int state_run(struct farm_state *state, sqlite3_stmt *statement)
{
	int code = sqlite3_step(statement);

	/* The code of an error stays readable after the reset. */
	sqlite3_reset(statement);
	return code == SQLITE_DONE ? 0 : farm_state_refuse(state, "writing");
}

static void state_bind_text(sqlite3_stmt *statement, int column, const char *text)
{
	if (text)
		sqlite3_bind_text(statement, column, text, -1, SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(statement, column);
}

static int state_write_piece(struct farm_state *state, size_t piece)
{
	const struct farm_record *r = piece == FARM_NONE ? NULL : &state->records[piece];
	sqlite3_stmt *s = state->statements->piece;

	if (!r)
		return 0;
	state_bind_text(s, 1, state->farm->pieces[piece].name);
	state_bind_text(s, 2, farm_step_name(r->step));
	sqlite3_bind_int64(s, 3, r->fails);
	sqlite3_bind_int64(s, 4, r->starts);
	sqlite3_bind_int64(s, 5, r->status);
	sqlite3_bind_int64(s, 6, r->signal);
	state_bind_text(s, 7, r->job == FARM_NONE ? NULL : state->jobs[r->job].id);
	state_bind_text(s, 8, r->last_job);
	sqlite3_bind_int64(s, 9, r->since);
	sqlite3_bind_int64(s, 10, r->started);
	sqlite3_bind_int64(s, 11, r->ended);
	return state_run(state, s);
}

static int state_write_job(struct farm_state *state, size_t job)
{
	const struct farm_job *j = job == FARM_NONE ? NULL : &state->jobs[job];
	sqlite3_stmt *s = state->statements->job;

	if (!j)
		return 0;
	state_bind_text(s, 1, j->id);
	state_bind_text(s, 2, j->set);
	state_bind_text(s, 3, j->piece == FARM_NONE ? NULL : state->farm->pieces[j->piece].name);
	sqlite3_bind_int64(s, 4, j->claimed);
	sqlite3_bind_int64(s, 5, j->ended);
	state_bind_text(s, 6, j->verdict);
	sqlite3_bind_int64(s, 7, j->submitted);
	sqlite3_bind_int64(s, 8, j->started);
	if (j->ended)
		sqlite3_bind_int64(s, 9, state->now);
	else
		sqlite3_bind_null(s, 9);
	return state_run(state, s);
}

static int state_write_transition(struct farm_state *state, const struct farm_change *change)
{
	sqlite3_stmt *s = state->statements->transition;
	bool piece = change->piece != FARM_NONE;

	sqlite3_bind_int64(s, 1, state->now);
	state_bind_text(s, 2, piece ? state->farm->pieces[change->piece].name : NULL);
	state_bind_text(s, 3, piece ? farm_step_name(change->from) : NULL);
	state_bind_text(s, 4, piece ? farm_step_name(state->records[change->piece].step) : NULL);
	state_bind_text(s, 5, change->job == FARM_NONE ? NULL : state->jobs[change->job].id);
	state_bind_text(s, 6, change->reason);
	return state_run(state, s);
}

int farm_state_commit(struct farm_state *state, const struct farm_change *change)
{
	struct farm_statements *s = state->statements;
	int error = state_run(state, s->begin);

	if (error)
		return error;
	error = state_write_piece(state, change->piece);
	if (!error)
		error = state_write_piece(state, change->other_piece);
	if (!error)
		error = state_write_job(state, change->job);
	if (!error)
		error = state_write_job(state, change->other_job);
	if (!error)
		error = state_write_transition(state, change);
	if (state->hook)
		state->hook(state->hook_arg, ++state->points);
	if (!error)
		error = state_run(state, s->commit);
	if (state->hook)
		state->hook(state->hook_arg, ++state->points);
	if (error && !sqlite3_get_autocommit(state->base)) {
		sqlite3_step(s->rollback);
		sqlite3_reset(s->rollback);
	}
	return error;
}

void farm_state_set_time(struct farm_state *state, int64_t now)
{
	if (now < state->now && !state->stands_still)
		farm_say(state->report,
			 "the clock went back by %" PRId64 " s; times in the history stand still until then",
			 state->now - now);
	state->stands_still = now < state->now;
	state->now = state->stands_still ? state->now : now;
}

/* --- opening --- */

static void state_read_text(struct farm_state *state, const char *key, char *value, size_t size)
{
	sqlite3_stmt *s;

	*value = '\0';
	if (sqlite3_prepare_v2(state->base, "SELECT value FROM farm WHERE key = ?", -1, &s, NULL))
		return;
	state_bind_text(s, 1, key);
	if (sqlite3_step(s) == SQLITE_ROW)
		snprintf(value, size, "%s", (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
}

static int state_write_text(struct farm_state *state, const char *key, const char *value)
{
	sqlite3_stmt *s;
	int error;

	if (sqlite3_prepare_v2(state->base, "INSERT OR REPLACE INTO farm VALUES (?,?)", -1, &s, NULL))
		return farm_state_refuse(state, "writing");
	state_bind_text(s, 1, key);
	state_bind_text(s, 2, value);
	error = state_run(state, s);
	sqlite3_finalize(s);
	return error;
}

/* What identifies the farm: written the first time, compared afterwards. */
static int state_identify(struct farm_state *state, bool read_only)
{
	char file[4096], version[16], name[16];
	unsigned char bytes[3];
	int error = 0;

	state_read_text(state, "version", version, sizeof(version));
	state_read_text(state, "file", file, sizeof(file));
	state_read_text(state, "id", state->id, sizeof(state->id));
	if (*version && atoi(version) != STATE_VERSION) {
		farm_say(state->report, "%s/state.sqlite: has version %s, but this xylem reads %d", state->farm->folder,
			 version, STATE_VERSION);
		return -EPROTO;
	}
	if (*file && strcmp(file, state->farm->file)) {
		farm_say(state->report, "%s belongs to the farm of %s: give this one another name or folder",
			 state->farm->folder, file);
		return -EEXIST;
	}
	if (*state->id || read_only)
		return 0;
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return -EIO;
	snprintf(state->id, sizeof(state->id), "%02x%02x%02x", bytes[0], bytes[1], bytes[2]);
	snprintf(name, sizeof(name), "%d", STATE_VERSION);
	error = state_write_text(state, "version", name);
	if (!error)
		error = state_write_text(state, "file", state->farm->file);
	return error ? error : state_write_text(state, "id", state->id);
}

/* Small pages: a transition changes a row in each of three tables, and whole pages are written. */
static int state_create(struct farm_state *state)
{
	int error = state_execute(
		state,
		state_is_local(state->farm->folder)
			? "PRAGMA page_size=1024; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
			  "PRAGMA wal_autocheckpoint=20000"
			: "PRAGMA page_size=1024; PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=NORMAL",
		"opening");

	if (!error)
		error = state_execute(state, "BEGIN IMMEDIATE", "opening");
	if (error)
		return error;
	error = state_execute(state, state_schema, "creating");
	if (!error)
		error = state_identify(state, false);
	if (!error)
		error = state_execute(state, "COMMIT", "creating");
	if (error && !sqlite3_get_autocommit(state->base))
		sqlite3_exec(state->base, "ROLLBACK", NULL, NULL, NULL);
	return error;
}

int farm_state_open(struct farm_state *state, const struct farm *farm, bool read_only, const struct farm_report *report)
{
	char *path;
	int error;

	*state = (struct farm_state){ .farm = farm, .report = report };
	if (asprintf(&path, "%s/state.sqlite", farm->folder) < 0)
		return -ENOMEM;
	if (read_only && access(path, F_OK)) {
		error = -errno;
		free(path);
		return error;
	}
	error = read_only ? farm_state_open_to_read(state, path)
			  : sqlite3_open_v2(path, &state->base, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
	free(path);
	state->statements = calloc(1, sizeof(*state->statements));
	state->records = calloc(farm->npieces + 1, sizeof(*state->records));
	if (error)
		error = farm_state_refuse(state, "opening");
	else if (!state->statements || !state->records)
		error = -ENOMEM;
	if (!error)
		sqlite3_busy_timeout(state->base, FARM_STATE_PATIENCE_MS);
	if (!error)
		error = read_only ? state_identify(state, true) : state_create(state);
	if (!error && !read_only)
		error = state_prepare(state);
	if (!error)
		error = farm_state_load(state);
	if (error)
		farm_state_close(state);
	return error;
}

static void state_forget(struct farm_state *state)
{
	for (size_t i = 0; i < state->njobs; i++) {
		free(state->jobs[i].id);
		free(state->jobs[i].verdict);
	}
	state->njobs = 0;
	for (size_t i = 0; state->records && i < state->farm->npieces; i++)
		free(state->records[i].last_job);
	if (state->records)
		memset(state->records, 0, state->farm->npieces * sizeof(*state->records));
}

int farm_state_reload(struct farm_state *state)
{
	state_forget(state);
	return farm_state_load(state);
}

void farm_state_close(struct farm_state *state)
{
	struct farm_statements *s = state->statements;

	state_forget(state);
	if (s) {
		sqlite3_finalize(s->begin);
		sqlite3_finalize(s->commit);
		sqlite3_finalize(s->rollback);
		sqlite3_finalize(s->piece);
		sqlite3_finalize(s->job);
		sqlite3_finalize(s->transition);
	}
	sqlite3_close(state->base);
	free(s);
	free(state->records);
	free(state->jobs);
	*state = (struct farm_state){ 0 };
}
