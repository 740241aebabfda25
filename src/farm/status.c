/* SPDX-License-Identifier: MIT */
/* The table and the JSON of a farm's state. */
#include "farm/status.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "farm/quote.h"

#define STATUS_NAME 40u       /* columns of a name, */
#define STATUS_NAME_LEAST 20u /* on a small terminal, */
#define STATUS_REST 74u       /* of the numbers, */
#define STATUS_TEXT 30u       /* and of what a job says */

int farm_status_init(struct farm_status *status, struct farm_state *state, int64_t now)
{
	*status = (struct farm_status){ .state = state, .now = now };
	status->progress = calloc(state->farm->npieces + 1, sizeof(*status->progress));
	if (!status->progress)
		return -ENOMEM;
	for (size_t i = 0; i < state->farm->npieces; i++)
		if (state->records[i].starts)
			farm_progress_last(state->farm, i, &status->progress[i]);
	farm_progress_sum(state, status->progress, now, &status->summary);
	farm_progress_manager(state->farm, status->manager, sizeof(status->manager));
	return 0;
}

void farm_status_fini(struct farm_status *status)
{
	free(status->progress);
	*status = (struct farm_status){ 0 };
}

void farm_status_time(double seconds, char *text, size_t size)
{
	unsigned long s = seconds > 0 ? (unsigned long)seconds : 0;

	if (s >= 86400)
		snprintf(text, size, "%lud %02lu:%02lu", s / 86400, s / 3600 % 24, s / 60 % 60);
	else
		snprintf(text, size, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
}

/* --- texts in columns: each character has one, and all are plain ASCII or UTF-8 --- */

static bool status_is_character(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

static size_t status_columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += status_is_character(*text);
	return n;
}

/* Adds so many characters; what would move the cursor becomes a blank. Returns the rest. */
static const char *status_add(struct xy__buffer *buffer, const char *text, size_t n)
{
	for (; *text; text++) {
		if (status_is_character(*text) && n-- == 0)
			break;
		xy__buffer_add(buffer, "%c", (unsigned char)*text < ' ' || *text == 127 ? ' ' : *text);
	}
	return text;
}

/* Names often differ at their end only: a long one loses its middle. */
static void status_text(struct xy__buffer *buffer, const char *text, size_t width)
{
	size_t n = status_columns(text), head = width / 3;

	if (n <= width) {
		status_add(buffer, text, n);
		return;
	}
	text = status_add(buffer, text, head);
	xy__buffer_add(buffer, "…");
	for (size_t skipped = n - width + 1; skipped || !status_is_character(*text); text++)
		skipped -= status_is_character(*text);
	status_add(buffer, text, width);
}

/* --- the table --- */

static const char *status_colour(const struct farm_status_style *style, enum farm_step step)
{
	static const char *const colours[] = { "\033[2m",  "\033[2m",  "\033[33m",  "\033[36m",
					       "\033[32m", "\033[31m", "\033[1;31m" };

	return style->colour ? colours[step] : "";
}

static void status_bar(const struct farm_status *status, const struct farm_status_style *style,
		       struct xy__buffer *buffer)
{
	static const struct {
		enum farm_step step;
		char letter;
	} parts[] = {
		{ FARM_DONE, '#' },     { FARM_RUNNING, '>' }, { FARM_SUBMITTED, '+' },
		{ FARM_GIVEN_UP, 'x' }, { FARM_FAILED, '!' },
	};
	size_t n = status->state->farm->npieces, width = 50, used = 0, seen = 0;
	const char *plain = style->colour ? "\033[0m" : "";

	xy__buffer_add(buffer, "[");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		size_t end;

		seen += status->summary.counts[parts[i].step];
		end = seen * width / n;
		xy__buffer_add(buffer, "%s", status_colour(style, parts[i].step));
		for (; used < end; used++)
			xy__buffer_add(buffer, "%c", parts[i].letter);
		xy__buffer_add(buffer, "%s", plain);
	}
	for (; used < width; used++)
		xy__buffer_add(buffer, ".");
	xy__buffer_add(buffer, "] %zu of %zu done\n", status->summary.counts[FARM_DONE], n);
}

static void status_head(const struct farm_status *status, const struct farm_status_style *style,
			struct xy__buffer *buffer)
{
	static const char *const schedulers[] = { "slurm", "pbs", "local" };
	const struct farm *farm = status->state->farm;
	const struct farm_summary *s = &status->summary;
	const char *separator = "";
	char time[32];

	xy__buffer_add(buffer, "%s%s%s: %zu piece%s on %s, %s\n", style->colour ? "\033[1m" : "", farm->name,
		       style->colour ? "\033[0m" : "", farm->npieces, farm->npieces == 1 ? "" : "s",
		       schedulers[farm->scheduler], farm->folder);
	status_bar(status, style, buffer);
	for (unsigned i = 0; i < FARM_STEPS; i++) {
		if (!s->counts[i])
			continue;
		xy__buffer_add(buffer, "%s%s%zu %s%s", separator, status_colour(style, (enum farm_step)i), s->counts[i],
			       farm_step_name((enum farm_step)i), style->colour ? "\033[0m" : "");
		separator = ", ";
	}
	farm_status_time(s->elapsed_s, time, sizeof(time));
	xy__buffer_add(buffer, "; %zu start%s, %zu failure%s, %s", s->starts, s->starts == 1 ? "" : "s", s->fails,
		       s->fails == 1 ? "" : "s", time);
	if (!isnan(s->start_delay_s))
		xy__buffer_add(buffer, ", jobs start after %.0f s", s->start_delay_s);
	if (!isnan(s->points))
		xy__buffer_add(buffer, "\npoints %.0f", s->points);
	if (!isnan(s->points_per_s))
		xy__buffer_add(buffer, " (%.3g/s for a job)", s->points_per_s);
	if (!isnan(s->cpu))
		xy__buffer_add(buffer, ", CPU %.0f %%", s->cpu);
	if (!isnan(s->memory_max))
		xy__buffer_add(buffer, ", memory at most %.0f MB", s->memory_max / 1e6);
	xy__buffer_add(buffer, "\nmanager: %s\n",
		       *status->manager ? status->manager
		       : s->counts[FARM_DONE] + s->counts[FARM_GIVEN_UP] == farm->npieces
			       ? "none; nothing is left to do"
			       : "none; `xylem farm run` goes on");
}

static bool status_is_shown(const struct farm_record *r, const struct farm_status_style *style)
{
	return style->all || r->step == FARM_RUNNING || r->step == FARM_FAILED || r->step == FARM_GIVEN_UP;
}

/* A number in a column of 8, or nothing. */
static void status_number(struct xy__buffer *buffer, double value, const char *unit)
{
	char text[32];

	if (isnan(value))
		xy__buffer_add(buffer, "%9s", "");
	else {
		snprintf(text, sizeof(text), "%.4g%s", value, unit);
		xy__buffer_add(buffer, "%9s", text);
	}
}

static void status_row(const struct farm_status *status, const struct farm_status_style *style, size_t i, size_t width,
		       struct xy__buffer *buffer)
{
	const struct farm_record *r = &status->state->records[i];
	const struct farm_progress *p = &status->progress[i];
	const char *name = status->state->farm->pieces[i].name;
	char time[32];

	farm_status_time((double)(status->now - r->since), time, sizeof(time));
	status_text(buffer, name, width);
	for (size_t n = status_columns(name); n < width; n++)
		xy__buffer_add(buffer, " ");
	xy__buffer_add(buffer, "  %s%-9s%s  %-10s %6u %6u %9s", status_colour(style, r->step), farm_step_name(r->step),
		       style->colour ? "\033[0m" : "",
		       r->job != FARM_NONE ? status->state->jobs[r->job].id
		       : r->last_job       ? r->last_job
					   : "",
		       r->starts, r->fails, r->since ? time : "");
	if (p->time) {
		status_number(buffer, p->points, "");
		status_number(buffer, p->loss, "");
		status_number(buffer, p->cpu, "%");
		if (*p->text) {
			xy__buffer_add(buffer, "  ");
			status_text(buffer, p->text, STATUS_TEXT);
		}
	}
	xy__buffer_add(buffer, "\n");
}

void farm_status_table(const struct farm_status *status, const struct farm_status_style *style,
		       struct xy__buffer *buffer)
{
	const struct farm_state *state = status->state;
	size_t shown = 0, hidden = 0, width = 5, lines = style->height > 8 ? style->height - 8 : SIZE_MAX;
	size_t most = style->width < STATUS_REST + STATUS_NAME && style->width ? STATUS_NAME_LEAST : STATUS_NAME;

	status_head(status, style, buffer);
	for (size_t i = 0; i < state->farm->npieces; i++)
		if (status_is_shown(&state->records[i], style) && status_columns(state->farm->pieces[i].name) > width)
			width = status_columns(state->farm->pieces[i].name);
	width = width > most ? most : width;
	for (size_t i = 0; i < state->farm->npieces; i++) {
		if (!status_is_shown(&state->records[i], style))
			continue;
		if (!shown)
			xy__buffer_add(buffer, "\n%-*s  %-9s  %-10s %6s %6s %9s%9s%9s%9s\n", (int)width, "PIECE",
				       "STATE", "JOB", "STARTS", "FAILS", "SINCE", "POINTS", "LOSS", "CPU");
		if (shown < lines) {
			status_row(status, style, i, width, buffer);
			shown++;
		} else {
			hidden++;
		}
	}
	if (hidden)
		xy__buffer_add(buffer, "and %zu more\n", hidden);
}

/* --- JSON --- */

static void status_json_number(struct xy__buffer *buffer, const char *name, double value)
{
	xy__buffer_add(buffer, ",\"%s\":", name);
	farm_quote_number(buffer, value);
}

static void status_json_piece(const struct farm_status *status, size_t i, struct xy__buffer *buffer)
{
	const struct farm_record *r = &status->state->records[i];
	const struct farm_progress *p = &status->progress[i];

	xy__buffer_add(buffer, "{\"name\":");
	farm_quote_json(buffer, status->state->farm->pieces[i].name);
	xy__buffer_add(buffer, ",\"state\":\"%s\",\"job\":", farm_step_name(r->step));
	if (r->job != FARM_NONE || r->last_job)
		farm_quote_json(buffer, r->job != FARM_NONE ? status->state->jobs[r->job].id : r->last_job);
	else
		xy__buffer_add(buffer, "null");
	xy__buffer_add(buffer,
		       ",\"starts\":%u,\"fails\":%u,\"status\":%d,\"signal\":%d,\"since\":%lld,\"started\":%lld,"
		       "\"ended\":%lld",
		       r->starts, r->fails, r->status, r->signal, (long long)r->since, (long long)r->started,
		       (long long)r->ended);
	if (p->time) {
		xy__buffer_add(buffer, ",\"progress\":{\"time\":");
		farm_quote_number(buffer, p->time);
		status_json_number(buffer, "points", p->points);
		status_json_number(buffer, "loss", p->loss);
		status_json_number(buffer, "cpu", p->cpu);
		status_json_number(buffer, "memory", p->memory);
		status_json_number(buffer, "overhead", p->overhead);
		xy__buffer_add(buffer, ",\"text\":");
		farm_quote_json(buffer, p->text);
		xy__buffer_add(buffer, "}");
	}
	xy__buffer_add(buffer, "}");
}

void farm_status_json(const struct farm_status *status, struct xy__buffer *buffer)
{
	const struct farm *farm = status->state->farm;
	const struct farm_summary *s = &status->summary;

	xy__buffer_add(buffer, "{\"name\":");
	farm_quote_json(buffer, farm->name);
	xy__buffer_add(buffer, ",\"folder\":");
	farm_quote_json(buffer, farm->folder);
	xy__buffer_add(buffer, ",\"manager\":");
	if (*status->manager)
		farm_quote_json(buffer, status->manager);
	else
		xy__buffer_add(buffer, "null");
	xy__buffer_add(buffer, ",\"counts\":{");
	for (unsigned i = 0; i < FARM_STEPS; i++)
		xy__buffer_add(buffer, "%s\"%s\":%zu", i ? "," : "", farm_step_name((enum farm_step)i), s->counts[i]);
	xy__buffer_add(buffer, "},\"starts\":%zu,\"fails\":%zu", s->starts, s->fails);
	status_json_number(buffer, "elapsed", s->elapsed_s);
	status_json_number(buffer, "start_delay", s->start_delay_s);
	status_json_number(buffer, "points", s->points);
	status_json_number(buffer, "points_per_second", s->points_per_s);
	status_json_number(buffer, "cpu", s->cpu);
	status_json_number(buffer, "memory", s->memory_max);
	status_json_number(buffer, "overhead", s->overhead);
	xy__buffer_add(buffer, ",\"pieces\":[");
	for (size_t i = 0; i < farm->npieces; i++) {
		xy__buffer_add(buffer, "%s\n", i ? "," : "");
		status_json_piece(status, i, buffer);
	}
	xy__buffer_add(buffer, "\n]}\n");
}
