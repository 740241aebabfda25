/* SPDX-License-Identifier: MIT */
/* Claims: two listings say which pieces are taken, and a link decides between jobs that want the same one. */
#include "farm/claim.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "farm/files.h"
#include "farm/quote.h"

/* The names of a folder's files. */
struct claim_names {
	struct graph__names names;
	char **texts;
	size_t count, room;
};

static void claim_names_fini(struct claim_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->texts[i]);
	free(names->texts);
	graph__names_fini(&names->names);
}

static int claim_names_add(struct claim_names *names, const char *name)
{
	if (names->count == names->room) {
		size_t room = names->room ? 2 * names->room : 64;
		char **texts = realloc(names->texts, room * sizeof(*texts));

		if (!texts)
			return -ENOMEM;
		names->texts = texts;
		names->room = room;
	}
	names->texts[names->count] = strdup(name);
	if (!names->texts[names->count])
		return -ENOMEM;
	names->count++;
	return graph__names_add(&names->names, names->texts[names->count - 1], (uint32_t)names->count - 1);
}

static int claim_names_read(struct claim_names *names, const char *folder, const char *kind)
{
	char *path = farm_files_path(folder, kind, "", "");
	DIR *stream = path ? opendir(path) : NULL;
	struct dirent *entry;
	int error = stream ? 0 : path ? -errno : -ENOMEM;

	while (stream && !error && (entry = readdir(stream)))
		if (entry->d_name[0] != '.')
			error = claim_names_add(names, entry->d_name);
	if (stream)
		closedir(stream);
	free(path);
	return error;
}

static bool claim_has(const struct claim_names *names, const char *file)
{
	uint32_t number;

	return graph__names_find(&names->names, file, &number);
}

/* Whether a claim holds the job's own id. */
static bool claim_is_own(const struct farm_claimant *claimant, const char *file)
{
	char *path = farm_files_path(claimant->folder, "claims", file, ""), *text;
	struct json json = { 0 };
	bool own = false;
	size_t length;

	text = path ? farm_files_read(path, &length) : NULL;
	if (text && !farm_files_json(&json, text, length))
		own = !strcmp(farm_files_text(&json, json.nodes, "job"), claimant->job);
	graph__json_fini(&json);
	free(text);
	free(path);
	return own;
}

static int claim_take(const struct farm_claimant *claimant, const char *file)
{
	struct xy__buffer text = { 0 };
	int error;

	xy__buffer_add(&text, "{\"job\":");
	farm_quote_json(&text, claimant->job);
	xy__buffer_add(&text, ",\"host\":");
	farm_quote_json(&text, claimant->host);
	xy__buffer_add(&text, ",\"pid\":%ld,\"time\":%lld}\n", (long)getpid(), (long long)time(NULL));
	error = text.failed ? -ENOMEM : farm_files_create(claimant->folder, "claims", file, claimant->job, text.at);
	xy__buffer_fini(&text);
	return error;
}

static bool claim_is_ready(const struct farm_claimed *piece, const struct claim_names *done)
{
	const struct json_node *needs = graph__json_find(&piece->json, piece->json.nodes, "depends_on");

	for (const struct json_node *need = graph__json_first(&piece->json, needs); need;
	     need = graph__json_next(&piece->json, need))
		if (need->kind == JSON_TEXT && !claim_has(done, need->text))
			return false;
	return true;
}

void farm_claimed_fini(struct farm_claimed *claimed)
{
	graph__json_fini(&claimed->json);
	free(claimed->text);
	*claimed = (struct farm_claimed){ 0 };
}

/* Whether the job has or gets this piece: as its own claim from before, or as an open one. 1, 0 or -errno. */
static int claim_try(const struct farm_claimant *claimant, const struct farm_claimed *piece,
		     const struct claim_names *claims, const struct claim_names *done, bool own)
{
	int error;

	if (strcmp(farm_files_text(&piece->json, piece->json.nodes, "set"), claimant->set) ||
	    claim_has(done, piece->file))
		return 0;
	if (own)
		return claim_has(claims, piece->file) && claim_is_own(claimant, piece->file);
	if (claim_has(claims, piece->file) || !claim_is_ready(piece, done))
		return 0;
	error = claim_take(claimant, piece->file);
	return error == -EEXIST ? 0 : error ? error : 1;
}

/* Looks at one line of pieces.jsonl: 1 if the job has its piece, 0 if not, -errno. */
static int claim_line(const struct farm_claimant *claimant, const char *line, const struct claim_names *claims,
		      const struct claim_names *done, bool own, struct farm_claimed *claimed)
{
	char wanted[64];
	int error;

	snprintf(wanted, sizeof(wanted), "\"set\":\"%s\"", claimant->set);
	if (!strstr(line, wanted))
		return 0;
	*claimed = (struct farm_claimed){ .text = strdup(line) };
	if (!claimed->text)
		return -ENOMEM;
	error = farm_files_json(&claimed->json, claimed->text, strlen(claimed->text));
	if (!error) {
		claimed->name = farm_files_text(&claimed->json, claimed->json.nodes, "name");
		claimed->file = farm_files_text(&claimed->json, claimed->json.nodes, "file");
		error = claim_try(claimant, claimed, claims, done, own);
	}
	if (error <= 0)
		farm_claimed_fini(claimed);
	return error;
}

/* Looks at all lines, which end with a zero byte each: for a claim of the job's own, or for an open piece. */
static int claim_lines(const struct farm_claimant *claimant, const char *text, size_t length, bool own,
		       const struct claim_names *claims, const struct claim_names *done, struct farm_claimed *claimed)
{
	const char *end = text + length;
	int error = 0;

	for (const char *line = text; line < end && !error; line += strlen(line) + 1)
		error = claim_line(claimant, line, claims, done, own, claimed);
	return error;
}

int farm_claim(const struct farm_claimant *claimant, struct farm_claimed *claimed, const struct farm_report *report)
{
	struct claim_names claims = { 0 }, done = { 0 };
	char *path, *text = NULL;
	size_t length = 0;
	int error = 0;

	if (asprintf(&path, "%s/pieces.jsonl", claimant->folder) < 0)
		return -ENOMEM;
	text = farm_files_read(path, &length);
	if (!text)
		error = -errno;
	if (!error)
		error = claim_names_read(&claims, claimant->folder, "claims");
	if (!error)
		error = claim_names_read(&done, claimant->folder, "done");
	if (error)
		farm_say(report, "%s: %s", claimant->folder, strerror(-error));
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\n')
			text[i] = '\0';
	/* A job holds one claim at most, so its own comes before open ones, wherever it stands. */
	for (int own = claimant->requeued; own >= 0 && !error; own--) {
		error = claim_lines(claimant, text, length, own, &claims, &done, claimed);
		if (error < 0)
			farm_say(report, "%s: claiming: %s", claimant->folder, strerror(-error));
	}
	claim_names_fini(&claims);
	claim_names_fini(&done);
	free(text);
	free(path);
	return error;
}
