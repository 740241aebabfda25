/* SPDX-License-Identifier: MIT */
/* The description of a farm: its memory, its pieces, and what must hold before anything is submitted. */
#include "farm/farm.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "farm/quote.h"
#include "farm/script.h"
#include "graph/read.h"

#define FARM_FILE_MAX 200 /* bytes of a file name, so that there is room for an ending */

struct farm_block {
	struct farm_block *next;
	max_align_t bytes[];
};

void farm_say(const struct farm_report *report, const char *format, ...)
{
	char line[2000];
	va_list list;

	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	/* What files say may hold line breaks, or worse for a terminal. */
	for (char *at = line; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = ' ';
	report->say(report->arg, line);
}

void farm_init(struct farm *farm)
{
	*farm = (struct farm){
		.scheduler = FARM_SLURM,
		.max_simultaneous_jobs = 100,
		.max_fails_per_job = 50,
		.interval_s = 60,
		.save_interval_s = 300,
		.log_interval_s = 30,
		.kill_on_error = "srun: error:",
	};
}

void farm_fini(struct farm *farm)
{
	while (farm->blocks) {
		struct farm_block *block = farm->blocks;

		farm->blocks = block->next;
		free(block);
	}
	free(farm->pieces);
	*farm = (struct farm){ 0 };
}

void *farm_alloc(struct farm *farm, size_t size)
{
	struct farm_block *block = size <= SIZE_MAX - sizeof(*block) ? calloc(1, sizeof(*block) + size) : NULL;

	if (!block) {
		farm->failed = true;
		return NULL;
	}
	block->next = farm->blocks;
	farm->blocks = block;
	return block->bytes;
}

char *farm_text(struct farm *farm, const char *format, ...)
{
	va_list list, again;
	char *text;
	int length;

	va_start(list, format);
	va_copy(again, list);
	length = vsnprintf(NULL, 0, format, list);
	text = length < 0 ? NULL : farm_alloc(farm, (size_t)length + 1);
	if (text)
		vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	va_end(list);
	return text;
}

/* Room for one more item of a list that grows by doubling: lists are full at powers of two. */
static void *farm_grow(struct farm *farm, void *at, size_t count, size_t size)
{
	void *grown;

	if (count & (count - 1))
		return at;
	grown = farm_alloc(farm, (count ? 2 * count : 1) * size);
	if (grown && count)
		memcpy(grown, at, count * size);
	return grown;
}

void farm_words_add(struct farm *farm, struct farm_words *words, const char *word)
{
	char **at = farm_grow(farm, words->at, words->count, sizeof(*at));
	char *copy = farm_text(farm, "%s", word);

	if (!at || !copy)
		return;
	words->at = at;
	words->at[words->count++] = copy;
}

void farm_values_add(struct farm *farm, struct farm_values *values, struct farm_value value)
{
	struct farm_value *at = farm_grow(farm, values->at, values->count, sizeof(*at));

	if (!at)
		return;
	values->at = at;
	values->at[values->count++] = value;
}

struct farm_piece *farm_add(struct farm *farm, const struct farm_piece *piece)
{
	if (farm->npieces == farm->npieces_room) {
		size_t room = farm->npieces_room ? 2 * farm->npieces_room : 64;
		struct farm_piece *pieces = realloc(farm->pieces, room * sizeof(*pieces));

		if (!pieces) {
			farm->failed = true;
			return NULL;
		}
		farm->pieces = pieces;
		farm->npieces_room = room;
	}
	farm->pieces[farm->npieces] = *piece;
	return &farm->pieces[farm->npieces++];
}

static const char *farm_share_word(enum farm_share share)
{
	static const char *const words[] = { NULL, "mp", "horeka", "kluster", "cpu_distribute" };

	return words[share];
}

/* The words of `xylem slots` for repetitions first to last, then the command. */
static struct farm_words farm_slots(struct farm *farm, const struct farm_piece *piece, const struct farm_repetitions *r,
				    const char *tool, unsigned first)
{
	struct farm_words words = { 0 };
	unsigned per_job = r->per_job ? r->per_job : 1, last = first + per_job < r->count ? first + per_job : r->count;
	const char *share = farm_share_word(r->share);
	struct {
		bool said;
		const char *option;
		char *value;
	} options[] = {
		{ true, "--reps", farm_text(farm, "%u-%u", first, last - 1) },
		{ r->parallel, "--parallel", farm_text(farm, "%u", r->parallel) },
		{ r->gpus_per_rep > 0, "--gpus-per-rep", farm_text(farm, "%g", r->gpus_per_rep) },
		{ r->cpus_per_rep, "--cpus-per-rep", farm_text(farm, "%u", r->cpus_per_rep) },
		{ share, "--scheduler", (char *)share },
		{ r->folder, "--folder", r->folder },
	};

	farm_words_add(farm, &words, tool);
	farm_words_add(farm, &words, "slots");
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (!options[i].said || !options[i].value)
			continue;
		farm_words_add(farm, &words, options[i].option);
		farm_words_add(farm, &words, options[i].value);
	}
	if (r->mps)
		farm_words_add(farm, &words, "--mps");
	farm_words_add(farm, &words, "--");
	for (size_t i = 0; i < piece->argv.count; i++)
		farm_words_add(farm, &words, piece->argv.at[i]);
	return words;
}

void farm_add_repetitions(struct farm *farm, const struct farm_piece *piece, const struct farm_repetitions *repetitions,
			  const char *tool)
{
	struct farm_repetitions r = *repetitions;
	unsigned per_job = r.per_job ? r.per_job : 1;

	if (!r.count)
		r.count = 1;
	for (unsigned first = 0; first < r.count; first += per_job) {
		struct farm_piece slice = *piece;

		if (r.count > per_job)
			slice.name = farm_text(farm, "%s__rep%u", piece->name, first);
		slice.argv = farm_slots(farm, piece, &r, tool, first);
		farm_add(farm, &slice);
		if (r.count - first <= per_job)
			break;
	}
}

/* --- checks --- */

static int farm_refuse(const struct farm_piece *piece, const struct farm_report *report, const char *what)
{
	farm_say(report, "%s:%u: %s: %s", piece->source, piece->line, piece->name ? piece->name : "?", what);
	return -EINVAL;
}

static int farm_check_piece(struct farm *farm, struct farm_piece *piece, const struct farm_report *report)
{
	struct xy__buffer file = { 0 };
	int error = 0;

	if (!piece->name || !*piece->name)
		return farm_refuse(piece, report, "the name is empty");
	if (farm_quote_has_control(piece->name))
		return farm_refuse(piece, report, "a control character, such as a line break, is in the name");
	if (!piece->argv.count || !*piece->argv.at[0])
		return farm_refuse(piece, report, "the command is missing");
	farm_quote_file(&file, piece->name);
	if (file.failed)
		farm->failed = true;
	else if (file.length > FARM_FILE_MAX)
		error = farm_refuse(piece, report, "the name is too long for a file");
	else
		piece->file = farm_text(farm, "%s", file.at);
	xy__buffer_fini(&file);
	return error;
}

static int farm_check_names(struct farm *farm, struct graph__names *names, const struct farm_report *report)
{
	int error = 0;

	for (size_t i = 0; i < farm->npieces && !error; i++) {
		uint32_t other;

		error = farm_check_piece(farm, &farm->pieces[i], report);
		if (error)
			break;
		if (graph__names_find(names, farm->pieces[i].name, &other)) {
			bool sweep = farm->pieces[other].line == farm->pieces[i].line;

			farm_say(report, "%s:%u: %s: this name is there twice, first in line %u%s",
				 farm->pieces[i].source, farm->pieces[i].line, farm->pieces[i].name,
				 farm->pieces[other].line,
				 sweep ? ": a name with parameters needs all that differ in the sweep" : "");
			return -EINVAL;
		}
		error = graph__names_add(names, farm->pieces[i].name, (uint32_t)i);
	}
	return error;
}

/* Adds the pieces of an entry that has a sweep or repetitions. False if there is none of that name. */
static bool farm_check_entry(struct farm *farm, struct farm_words *words, const char *entry)
{
	bool found = false;

	for (size_t i = 0; i < farm->npieces; i++) {
		if (!farm->pieces[i].entry || strcmp(farm->pieces[i].entry, entry))
			continue;
		farm_words_add(farm, words, farm->pieces[i].name);
		found = true;
	}
	return found;
}

/* Replaces dependencies on an entry by dependencies on all its pieces. */
static void farm_check_entries(struct farm *farm, const struct graph__names *names)
{
	for (size_t i = 0; i < farm->npieces; i++) {
		struct farm_words words = { 0 }, *old = &farm->pieces[i].depends_on;
		bool changed = false;
		uint32_t other;

		for (size_t j = 0; j < old->count; j++) {
			if (!graph__names_find(names, old->at[j], &other) && farm_check_entry(farm, &words, old->at[j]))
				changed = true;
			else
				farm_words_add(farm, &words, old->at[j]);
		}
		if (changed)
			*old = words;
	}
}

static int farm_check_needs(struct farm *farm, const struct graph__names *names, const struct farm_report *report)
{
	for (size_t i = 0; i < farm->npieces; i++) {
		struct farm_piece *piece = &farm->pieces[i];

		piece->needs = farm_alloc(farm, (piece->depends_on.count + 1) * sizeof(*piece->needs));
		if (!piece->needs)
			return -ENOMEM;
		for (size_t j = 0; j < piece->depends_on.count; j++) {
			uint32_t other;

			if (!graph__names_find(names, piece->depends_on.at[j], &other)) {
				farm_say(report, "%s:%u: %s: depends on \"%s\", which is not there", piece->source,
					 piece->line, piece->name, piece->depends_on.at[j]);
				return -EINVAL;
			}
			piece->needs[j] = other;
		}
	}
	return 0;
}

/* A dependency of a piece that is left over, too: each of them has one. */
static size_t farm_cycle_next(const struct farm *farm, const bool *left_over, size_t at)
{
	const struct farm_piece *piece = &farm->pieces[at];

	for (size_t j = 0; j < piece->depends_on.count; j++)
		if (left_over[piece->needs[j]])
			return piece->needs[j];
	return at;
}

/* Names a cycle, given the pieces that form cycles or wait for one. */
static void farm_say_cycle(const struct farm *farm, const bool *left_over, const struct farm_report *report)
{
	struct xy__buffer text = { 0 };
	size_t at = 0, first;

	while (!left_over[at])
		at++;
	/* Following dependencies long enough ends inside a cycle; once around it from there names it. */
	for (size_t step = 0; step < farm->npieces; step++)
		at = farm_cycle_next(farm, left_over, at);
	first = at;
	do {
		xy__buffer_add(&text, "%s%s", text.length ? " -> " : "", farm->pieces[at].name);
		at = farm_cycle_next(farm, left_over, at);
	} while (at != first && text.length < 400);
	farm_say(report, "%s:%u: depends_on has a cycle: %s -> %s", farm->pieces[first].source,
		 farm->pieces[first].line, text.failed ? "" : text.at, farm->pieces[first].name);
	xy__buffer_fini(&text);
}

/* Takes away, again and again, the pieces that wait for nothing: what is left waits for itself. */
static int farm_check_cycles(struct farm *farm, const struct farm_report *report)
{
	size_t n = farm->npieces, left = n, gone;
	bool *left_over = calloc(n + 1, sizeof(*left_over));
	int error = 0;

	if (!left_over)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		left_over[i] = true;
	do {
		gone = 0;
		for (size_t i = 0; i < n; i++) {
			bool waits = false;

			for (size_t j = 0; j < farm->pieces[i].depends_on.count && !waits; j++)
				waits = left_over[farm->pieces[i].needs[j]];
			if (left_over[i] && !waits) {
				left_over[i] = false;
				gone++;
			}
		}
		left -= gone;
	} while (gone && left);
	if (left) {
		farm_say_cycle(farm, left_over, report);
		error = -EINVAL;
	}
	free(left_over);
	return error;
}

int farm_check(struct farm *farm, const struct farm_report *report)
{
	struct graph__names names = { 0 };
	int error = farm->failed ? -ENOMEM : 0;

	if (!error && !farm->npieces) {
		farm_say(report, "%s: there are no jobs", farm->file ? farm->file : "farm");
		return -EINVAL;
	}
	if (!error && farm->npieces > UINT32_MAX - 1)
		error = -EINVAL;
	if (!error)
		error = farm_check_names(farm, &names, report);
	if (!error)
		farm_check_entries(farm, &names);
	if (!error)
		error = farm_check_needs(farm, &names, report);
	if (!error)
		error = farm_check_cycles(farm, report);
	if (!error)
		error = farm_script_name_sets(farm);
	graph__names_fini(&names);
	if (!error && farm->failed)
		error = -ENOMEM;
	if (error == -ENOMEM)
		farm_say(report, "there is not enough memory for the farm");
	return error;
}
