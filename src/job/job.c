/* SPDX-License-Identifier: MIT */
/* A piece from its claim to its end. */
#include "job/job.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/util/text.h"
#include "farm/claim.h"
#include "farm/files.h"
#include "farm/quote.h"

struct job_sentence {
	char *text;
	size_t size;
};

static void job_say(void *arg, const char *line)
{
	struct job_sentence *sentence = arg;

	xy__text_print(sentence->text, sentence->size, "%s", line);
}

/* Reads a text of JSON into one of the two places of a piece. */
static int job_read_json(struct xy_farm_piece *piece, unsigned place, const char *text)
{
	piece->texts[place] = strdup(text);
	return piece->texts[place] ? farm_files_json(&piece->json[place], piece->texts[place], strlen(text)) : -ENOMEM;
}

/* The piece that the job script has claimed. */
static int job_take_given(struct xy_farm_piece *piece, const struct job_environment *e, char *error, size_t size)
{
	char *path = farm_files_path(e->folder, "done", e->file, "");
	bool done = path && access(path, F_OK) == 0;
	int failed = path ? 0 : -ENOMEM;

	free(path);
	if (done) {
		xy__text_print(error, size, "%s is done already", e->piece);
		return -ENOENT;
	}
	piece->name = strdup(e->piece);
	piece->file = strdup(e->file);
	if (!failed)
		failed = job_read_json(piece, 0, e->params ? e->params : "{}");
	if (!failed)
		failed = job_read_json(piece, 1, e->goal ? e->goal : "{}");
	if (failed == -EINVAL)
		xy__text_print(error, size, "the parameters or the goal of %s are no JSON", e->piece);
	if (failed)
		return failed;
	piece->params_json = &piece->json[0];
	piece->params = piece->json[0].nodes;
	return job_goal_init(&piece->goal, &piece->json[1], piece->json[1].nodes);
}

/* The first open piece of the job's set. */
static int job_take_open(struct xy_farm_piece *piece, const struct job_environment *e, char *error, size_t size)
{
	char host[HOST_NAME_MAX + 1] = "unknown";
	struct job_sentence sentence = { error, size };
	struct farm_report report = { job_say, &sentence };
	struct farm_claimant claimant = {
		.folder = e->folder, .set = e->set, .job = e->job, .host = host, .requeued = true
	};
	struct farm_claimed claimed = { 0 };
	int taken;

	gethostname(host, sizeof(host) - 1);
	taken = farm_claim(&claimant, &claimed, &report);
	if (taken < 0)
		return taken;
	if (taken == 0) {
		xy__text_print(error, size, "no piece of the set %s is open", e->set);
		return -ENOENT;
	}
	piece->name = strdup(claimed.name);
	piece->file = strdup(claimed.file);
	piece->texts[0] = claimed.text;
	piece->json[0] = claimed.json;
	piece->params_json = &piece->json[0];
	piece->params = graph__json_find(&piece->json[0], piece->json[0].nodes, "params");
	return job_goal_init(&piece->goal, &piece->json[0],
			     graph__json_find(&piece->json[0], piece->json[0].nodes, "goal"));
}

/* What both kinds of claims need: texts, the folder of the piece, clocks, handlers. */
static int job_complete(struct xy_farm_piece *piece, const struct job_environment *e, char *error, size_t size)
{
	piece->farm = strdup(e->folder);
	piece->job = strdup(e->job);
	piece->folder = piece->file ? farm_files_path(e->folder, "data", piece->file, "") : NULL;
	if (!piece->farm || !piece->job || !piece->folder || !piece->name || !piece->file)
		return -ENOMEM;
	if (mkdir(piece->folder, 0777) && errno != EEXIST) {
		int failed = errno;

		xy__text_print(error, size, "%s: %s", piece->folder, strerror(failed));
		return -failed;
	}
	piece->save_interval_s = e->save_interval_s;
	piece->log_interval_s = e->log_interval_s;
	piece->claimed_s = xy__now();
	piece->saved_s = piece->claimed_s;
	job_progress_begin(piece);
	job_signal_begin(piece);
	return 0;
}

int xy_farm_claim(struct xy_farm_piece **result, char *error, size_t size)
{
	struct job_environment e;
	struct xy_farm_piece *piece;
	int failed;

	*result = NULL;
	xy__text_print(error, size, "not enough memory");
	failed = job_environment_read(&e, error, size);
	if (failed)
		return failed;
	piece = calloc(1, sizeof(*piece));
	if (!piece)
		return -ENOMEM;
	failed = e.piece ? job_take_given(piece, &e, error, size) : job_take_open(piece, &e, error, size);
	if (!failed)
		failed = job_complete(piece, &e, error, size);
	if (failed) {
		xy_farm_free(piece);
		return failed;
	}
	xy__text_print(error, size, "%s", "");
	*result = piece;
	return 0;
}

void xy_farm_free(struct xy_farm_piece *piece)
{
	if (!piece)
		return;
	job_signal_end(piece);
	for (unsigned i = 0; i < 2; i++) {
		graph__json_fini(&piece->json[i]);
		free(piece->texts[i]);
	}
	free(piece->goal.command);
	free(piece->farm);
	free(piece->job);
	free(piece->name);
	free(piece->file);
	free(piece->folder);
	free(piece);
}

const char *xy_farm_name(const struct xy_farm_piece *piece)
{
	return piece->name;
}

const char *xy_farm_folder(const struct xy_farm_piece *piece)
{
	return piece->folder;
}

int xy_farm_text(const struct xy_farm_piece *piece, const char *name, const char **value)
{
	const struct json_node *node = graph__json_find(piece->params_json, piece->params, name);

	if (!node)
		return -ENOENT;
	if (node->kind != JSON_TEXT)
		return -EINVAL;
	*value = node->text;
	return 0;
}

int xy_farm_number(const struct xy_farm_piece *piece, const char *name, double *value)
{
	const struct json_node *node = graph__json_find(piece->params_json, piece->params, name);

	if (!node)
		return -ENOENT;
	if (node->kind != JSON_NUMBER)
		return -EINVAL;
	*value = node->number;
	return 0;
}

int xy_farm_checkpoint(struct xy_farm_piece *piece, int (*save)(void *arg), void *arg, double interval_s)
{
	bool end = job_signal_came(SIGTERM), warned = job_signal_came(SIGUSR1);
	double now = xy__now();
	int error = 0;

	piece->asked_to_end = piece->asked_to_end || end;
	if (piece->asked_to_end || warned ||
	    now - piece->saved_s >= (interval_s > 0 ? interval_s : piece->save_interval_s)) {
		error = save(arg);
		piece->saved_s = error ? -INFINITY : xy__now();
	}
	return error ? error : piece->asked_to_end;
}

int xy_farm_done(struct xy_farm_piece *piece)
{
	struct xy__buffer text = { 0 };
	int error = -ENOMEM;

	/* The last line of progress tells what came of it; the piece is done also where it can't be written. */
	if (piece->has_news)
		job_progress_write(piece, piece->points, piece->loss, NULL);
	piece->has_news = false;
	xy__buffer_add(&text, "{\"job\":");
	farm_quote_json(&text, piece->job);
	xy__buffer_add(&text, ",\"time\":%lld}\n", (long long)time(NULL));
	if (!text.failed)
		error = farm_files_create(piece->farm, "done", piece->file, piece->job, text.at);
	xy__buffer_fini(&text);
	return error == -EEXIST ? 0 : error;
}
