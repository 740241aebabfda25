/* SPDX-License-Identifier: MIT */
/* Progress: the ends of files that jobs append to, and sums over them. */
#include "farm/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "farm/files.h"

#define PROGRESS_TAIL 8192

static bool progress_parse(char *line, struct farm_progress *progress)
{
	struct json json;
	bool good = !farm_files_json(&json, line, strlen(line)) && json.count && json.nodes->kind == JSON_OBJECT;

	if (good) {
		*progress = (struct farm_progress){
			.time = farm_files_number(&json, json.nodes, "time", 0),
			.points = farm_files_number(&json, json.nodes, "points", NAN),
			.loss = farm_files_number(&json, json.nodes, "loss", NAN),
			.cpu = farm_files_number(&json, json.nodes, "cpu", NAN),
			.memory = farm_files_number(&json, json.nodes, "memory", NAN),
			.overhead = farm_files_number(&json, json.nodes, "overhead", NAN),
		};
		snprintf(progress->text, sizeof(progress->text), "%s", farm_files_text(&json, json.nodes, "text"));
	}
	graph__json_fini(&json);
	return good;
}

bool farm_progress_last(const struct farm *farm, size_t piece, struct farm_progress *progress)
{
	char *path = farm_files_path(farm->folder, "progress", farm->pieces[piece].file, ".jsonl"),
	     text[PROGRESS_TAIL + 1];
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	struct stat stat;
	ssize_t n = -1;
	char *line;

	*progress = (struct farm_progress){ 0 };
	free(path);
	if (fd < 0)
		return false;
	if (!fstat(fd, &stat))
		n = pread(fd, text, PROGRESS_TAIL, stat.st_size > PROGRESS_TAIL ? stat.st_size - PROGRESS_TAIL : 0);
	close(fd);
	/* The last whole line that can be read: a job may be killed within one. */
	while (n > 0) {
		text[n] = '\0';
		while (n > 0 && text[n - 1] == '\n')
			text[--n] = '\0';
		line = strrchr(text, '\n');
		line = line ? line + 1 : text;
		n = line - text;
		if (*line && progress_parse(line, progress))
			return true;
	}
	return false;
}

struct farm_progress *farm_progress_read(const struct farm *farm, size_t piece, size_t max, size_t *count)
{
	char *path = farm_files_path(farm->folder, "progress", farm->pieces[piece].file, ".jsonl"), *text, *line, *rest;
	struct farm_progress *all = NULL;
	size_t length, lines = 0, at = 0, kept = 0;

	*count = 0;
	text = path ? farm_files_read(path, &length) : NULL;
	free(path);
	if (!text)
		return NULL;
	for (char *c = text; *c; c++)
		lines += *c == '\n';
	all = calloc(max + 2, sizeof(*all));
	for (line = strtok_r(text, "\n", &rest); line && all; line = strtok_r(NULL, "\n", &rest), at++) {
		/* Each line if there are few, else those where the count passes a multiple; always the last. */
		if (lines > max && at * max / lines == (at + 1) * max / lines && *rest)
			continue;
		if (kept <= max && progress_parse(line, &all[kept]))
			kept++;
	}
	free(text);
	*count = kept;
	return all;
}

/* A number that one row of a query has; NAN without one. */
static double progress_query(struct farm_state *state, const char *sql)
{
	sqlite3_stmt *s;
	double value = NAN;

	if (sqlite3_prepare_v2(state->base, sql, -1, &s, NULL))
		return NAN;
	if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL)
		value = sqlite3_column_double(s, 0);
	sqlite3_finalize(s);
	return value;
}

void farm_progress_sum(struct farm_state *state, const struct farm_progress *progress, int64_t now,
		       struct farm_summary *summary)
{
	double first = progress_query(state, "SELECT min(time) FROM transition"), cpu = 0, overhead = 0, work_s = 0;
	size_t ncpu = 0, noverhead = 0;
	bool lives = false;

	*summary = (struct farm_summary){
		.points = NAN, .points_per_s = NAN, .cpu = NAN, .memory_max = NAN, .overhead = NAN
	};
	for (size_t i = 0; i < state->farm->npieces; i++) {
		const struct farm_record *r = &state->records[i];
		const struct farm_progress *p = &progress[i];

		summary->counts[r->step]++;
		summary->starts += r->starts;
		summary->fails += r->fails;
		lives |= r->step != FARM_DONE && r->step != FARM_GIVEN_UP;
		if (!p->time)
			continue;
		summary->last_progress = fmax(summary->last_progress, p->time);
		if (!isnan(p->points)) {
			summary->points = p->points + (isnan(summary->points) ? 0 : summary->points);
			work_s += r->started && p->time > (double)r->started ? p->time - (double)r->started : 0;
		}
		summary->memory_max = fmax(summary->memory_max, p->memory);
		if (r->step == FARM_RUNNING && !isnan(p->cpu)) {
			cpu += p->cpu;
			ncpu++;
		}
		if (r->step == FARM_RUNNING && !isnan(p->overhead)) {
			overhead += p->overhead;
			noverhead++;
		}
	}
	if (ncpu)
		summary->cpu = cpu / (double)ncpu;
	if (noverhead)
		summary->overhead = overhead / (double)noverhead;
	if (work_s > 0)
		summary->points_per_s = summary->points / work_s;
	summary->elapsed_s = isnan(first) ? 0 : (double)(lives ? now : state->now) - first;
	summary->start_delay_s = progress_query(state, "SELECT avg(started - submitted) FROM job WHERE started > 0");
}

void farm_progress_manager(const struct farm *farm, char *text, size_t size)
{
	char *path, *content;
	struct json json = { 0 };
	struct stat stat;
	size_t length;

	*text = '\0';
	if (asprintf(&path, "%s/lock", farm->folder) < 0)
		return;
	content = farm_files_read(path, &length);
	if (content && length && !farm_files_json(&json, content, length) && !lstat(path, &stat)) {
		const char *host = farm_files_text(&json, json.nodes, "host");
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		char here[256] = "";
		bool gone = false;

		gethostname(here, sizeof(here) - 1);
		if (fd >= 0) {
			gone = !strcmp(host, here) && !flock(fd, LOCK_EX | LOCK_NB);
			close(fd);
		}
		if (!gone)
			snprintf(text, size, "process %.0f on %s, last round %.0f s ago",
				 farm_files_number(&json, json.nodes, "pid", 0), host,
				 difftime(time(NULL), stat.st_mtime));
	}
	graph__json_fini(&json);
	free(content);
	free(path);
}
