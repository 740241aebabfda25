/* SPDX-License-Identifier: MIT */
/*
 * The manager's round. Invariant: a claim is removed only after its job was missing in a queue that was read after the
 * claim, so no piece is ever in two jobs at once.
 */
#include "farm/round.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct farm_queued *farm_queue_add(struct farm_queue *queue)
{
	if (queue->count == queue->room) {
		size_t room = queue->room ? 2 * queue->room : 256;
		struct farm_queued *at = realloc(queue->at, room * sizeof(*at));

		if (!at)
			return NULL;
		queue->at = at;
		queue->room = room;
	}
	queue->at[queue->count] = (struct farm_queued){ 0 };
	return &queue->at[queue->count++];
}

void farm_queue_fini(struct farm_queue *queue)
{
	free(queue->at);
	*queue = (struct farm_queue){ 0 };
}

/* What one round needs to find things by name. */
struct round_index {
	struct graph__names jobs;  /* of the state */
	struct graph__names queue; /* of the queue, without jobs that ended */
	struct graph__names over;  /* ended jobs that the queue still shows */
	struct graph__names ends;
};

static void round_index_fini(struct round_index *index)
{
	graph__names_fini(&index->jobs);
	graph__names_fini(&index->queue);
	graph__names_fini(&index->over);
	graph__names_fini(&index->ends);
}

static int round_index_init(struct round_index *index, const struct farm_state *state, const struct farm_seen *seen)
{
	uint32_t there;
	int error = 0;

	*index = (struct round_index){ 0 };
	for (size_t i = 0; i < state->njobs && !error; i++)
		error = graph__names_add(&index->jobs, state->jobs[i].id, (uint32_t)i);
	for (size_t i = 0; i < seen->queue->count && !error; i++) {
		struct graph__names *names = seen->queue->at[i].ended ? &index->over : &index->queue;

		if (!graph__names_find(names, seen->queue->at[i].id, &there))
			error = graph__names_add(names, seen->queue->at[i].id, (uint32_t)i);
	}
	for (size_t i = 0; i < seen->nends && !error; i++)
		if (!graph__names_find(&index->ends, seen->ends[i].job, &there))
			error = graph__names_add(&index->ends, seen->ends[i].job, (uint32_t)i);
	return error;
}

/* Moves a piece to another step in one transaction, together with a job unless that is FARM_NONE. */
int farm_round_move(struct farm_round *round, size_t piece, enum farm_step to, size_t job, const char *format, ...)
{
	struct farm_state *state = round->state;
	struct farm_record *r = &state->records[piece];
	struct farm_change change = {
		.piece = piece, .other_piece = FARM_NONE, .job = job, .other_job = FARM_NONE, .from = r->step
	};
	char reason[320];
	va_list list;

	va_start(list, format);
	vsnprintf(reason, sizeof(reason), format, list);
	va_end(list);
	change.reason = reason;
	r->step = to;
	r->since = state->now;
	return farm_state_commit(state, &change);
}

/* --- done --- */

static int round_finish(struct farm_round *round, size_t piece)
{
	struct farm_state *state = round->state;
	struct farm_record *r = &state->records[piece];
	size_t job = r->job;

	r->ended = state->now;
	r->job = FARM_NONE;
	r->status = 0;
	r->signal = 0;
	if (job == FARM_NONE)
		return farm_round_move(round, piece, FARM_DONE, FARM_NONE, "its file in done/ is there");
	/* A job that only stood for the piece is free for another. */
	state->jobs[job].piece = state->jobs[job].claimed ? piece : FARM_NONE;
	return farm_round_move(round, piece, FARM_DONE, job, "job %s finished it", state->jobs[job].id);
}

static int round_see_done(struct farm_round *round, const struct farm_seen *seen)
{
	int error = 0;

	for (size_t i = 0; i < round->state->farm->npieces && !error; i++)
		if (seen->done[i] && round->state->records[i].step != FARM_DONE)
			error = round_finish(round, i);
	return error;
}

/* --- claims --- */

/* A job took a piece. The piece that it stood for goes to the job that stood for this one. */
static int round_take(struct farm_round *round, size_t piece, size_t job)
{
	struct farm_state *state = round->state;
	struct farm_record *r = &state->records[piece];
	size_t stood_for = state->jobs[job].piece, other = r->job;
	struct farm_change change = {
		.piece = piece, .other_piece = FARM_NONE, .job = job, .other_job = FARM_NONE, .from = r->step
	};
	char reason[160];
	int error = 0;

	if (state->jobs[job].claimed)
		stood_for = FARM_NONE;
	if (stood_for == piece)
		stood_for = FARM_NONE;
	if (other == job)
		other = FARM_NONE;
	if (stood_for != FARM_NONE && other == FARM_NONE) {
		state->records[stood_for].job = FARM_NONE;
		state->jobs[job].piece = FARM_NONE;
		error = farm_round_move(round, stood_for, FARM_WAITING, job, "job %s took another piece",
					state->jobs[job].id);
	} else if (other != FARM_NONE) {
		state->jobs[other].piece = stood_for;
		if (stood_for != FARM_NONE)
			state->records[stood_for].job = other;
		change.other_piece = stood_for;
		change.other_job = other;
	}
	if (error)
		return error;
	state->jobs[job].piece = piece;
	state->jobs[job].claimed = true;
	state->jobs[job].started = state->now;
	if (r->step == FARM_GIVEN_UP && !state->jobs[job].verdict) {
		/* It was cancelled while this job was about to take it. */
		state->jobs[job].verdict = strdup("cancelled by the user");
		round->hands.cancel(round->hands.arg, state->jobs[job].id, false);
	}
	r->job = job;
	r->starts++;
	r->started = r->since = state->now;
	r->step = FARM_RUNNING;
	free(r->last_job);
	r->last_job = strdup(state->jobs[job].id);
	snprintf(reason, sizeof(reason), "job %s claimed it", state->jobs[job].id);
	change.reason = reason;
	return r->last_job ? farm_state_commit(state, &change) : -ENOMEM;
}

static bool round_was_suspect(const struct farm_round *round, const struct farm_claim *claim)
{
	for (size_t i = 0; i < round->nsuspects; i++)
		if (round->suspects[i].piece == claim->piece && !strcmp(round->suspects[i].job, claim->job))
			return true;
	return false;
}

/* A claim by a job that neither the state nor the queue knows: once it may be young, twice its job is gone. */
static int round_suspect(struct farm_round *round, const struct farm_claim *claim, struct farm_claim *suspects,
			 size_t *nsuspects)
{
	int error;

	if (!round_was_suspect(round, claim)) {
		suspects[(*nsuspects)++] = *claim;
		return 0;
	}
	error = farm_round_move(round, claim->piece, round->state->records[claim->piece].step, FARM_NONE,
				"removed the claim of job %s, which is in no queue", claim->job);
	if (!error)
		round->hands.release(round->hands.arg, claim->piece);
	return error;
}

static int round_see_claims(struct farm_round *round, const struct farm_seen *seen, const struct round_index *index)
{
	struct farm_claim *suspects = calloc(seen->nclaims + 1, sizeof(*suspects));
	size_t nsuspects = 0;
	int error = suspects ? 0 : -ENOMEM;

	for (size_t i = 0; i < seen->nclaims && !error; i++) {
		const struct farm_claim *claim = &seen->claims[i];
		uint32_t job, queued;

		if (graph__names_find(&index->jobs, claim->job, &job))
			error = round_take(round, claim->piece, job);
		else if (!seen->done[claim->piece] && !graph__names_find(&index->queue, claim->job, &queued) &&
			 round->state->records[claim->piece].step != FARM_GIVEN_UP)
			error = round_suspect(round, claim, suspects, &nsuspects);
	}
	free(round->suspects);
	round->suspects = suspects;
	round->nsuspects = nsuspects;
	return error;
}

/* --- jobs that left --- */

/* Counts a failure of a piece; it is given up when it failed too often. */
static int round_fail(struct farm_round *round, size_t piece, size_t job, const char *why)
{
	struct farm_state *state = round->state;
	struct farm_record *r = &state->records[piece];
	unsigned most = state->farm->max_fails_per_job;

	r->fails++;
	r->ended = state->now;
	if (r->fails > most)
		return farm_round_move(round, piece, FARM_GIVEN_UP, job,
				       "job %s %s; that is failure %u and max_fails_per_job is %u", state->jobs[job].id,
				       why, r->fails, most);
	return farm_round_move(round, piece, FARM_FAILED, job, "job %s %s", state->jobs[job].id, why);
}

/* Why a job ended, from its own report or from the queue. */
static void round_explain(const struct farm_job *job, const struct farm_end *end, const char *cause, char *why,
			  size_t size)
{
	if (job->verdict)
		snprintf(why, size, "was ended: %s", job->verdict);
	else if (end && end->signal)
		snprintf(why, size, "ended: signal %d (%s) ended its command", end->signal, strsignal(end->signal));
	else if (end && *end->reason)
		snprintf(why, size, "ended with status %d: %s", end->status, end->reason);
	else if (end)
		snprintf(why, size, "ended with status %d", end->status);
	else
		snprintf(why, size, "vanished %s its start%s%s%s", job->claimed ? "after" : "before",
			 *cause ? " (" : "", cause, *cause ? ")" : "");
}

/* The job of a piece that it had claimed is over. */
static int round_end_claimed(struct farm_round *round, size_t job, const struct farm_end *end, const char *why)
{
	struct farm_state *state = round->state;
	size_t piece = state->jobs[job].piece;
	struct farm_record *r = &state->records[piece];
	const struct farm_job *j = &state->jobs[job];

	r->job = FARM_NONE;
	r->status = end ? end->status : -1;
	r->signal = end ? end->signal : 0;
	if (j->verdict && !strncmp(j->verdict, "cancelled", 9))
		return farm_round_move(round, piece, FARM_GIVEN_UP, job, "job %s was cancelled by the user", j->id);
	if (end && !j->verdict && !end->signal && end->status == 75)
		return farm_round_move(round, piece, FARM_WAITING, job, "job %s saved its work and asks to go on",
				       j->id);
	if (end && !j->verdict && !end->signal && (end->status == 126 || end->status == 127)) {
		r->fails++;
		return farm_round_move(round, piece, FARM_GIVEN_UP, job, "job %s can't start the command: %s", j->id,
				       *end->reason ? end->reason : "it was not found");
	}
	return round_fail(round, piece, job, why);
}

/* A job that never claimed anything is over. */
static int round_end_unclaimed(struct farm_round *round, size_t job, const struct farm_end *end, const char *why)
{
	struct farm_state *state = round->state;
	size_t piece = state->jobs[job].piece;
	struct farm_change change = {
		.piece = FARM_NONE, .other_piece = FARM_NONE, .job = job, .other_job = FARM_NONE, .reason = why
	};

	if (piece == FARM_NONE)
		return farm_state_commit(state, &change);
	state->records[piece].job = FARM_NONE;
	state->jobs[job].piece = FARM_NONE;
	if (end && !end->had_piece && !end->status)
		return farm_round_move(round, piece, FARM_WAITING, job, "job %s found nothing open",
				       state->jobs[job].id);
	if (state->jobs[job].verdict)
		return farm_round_move(round, piece, FARM_WAITING, job, "job %s %s", state->jobs[job].id, why);
	return round_fail(round, piece, job, why);
}

static int round_end(struct farm_round *round, size_t job, const struct farm_end *end, const char *cause)
{
	struct farm_state *state = round->state;
	size_t piece = state->jobs[job].piece;
	bool running = state->jobs[job].claimed && piece != FARM_NONE && state->records[piece].step == FARM_RUNNING;
	char why[240];
	int error;

	state->jobs[job].ended = true;
	round_explain(&state->jobs[job], end, cause, why, sizeof(why));
	if (running)
		error = round_end_claimed(round, job, end, why);
	else if (!state->jobs[job].claimed)
		error = round_end_unclaimed(round, job, end, why);
	else
		error = farm_state_commit(state, &(struct farm_change){ .piece = FARM_NONE,
									.other_piece = FARM_NONE,
									.job = job,
									.other_job = FARM_NONE,
									.reason = "it left the queue" });
	if (error)
		return error;
	/* The claim of a piece that is given up stays, so that no other job takes it. */
	if (running && state->records[piece].step != FARM_GIVEN_UP)
		round->hands.release(round->hands.arg, piece);
	if (end)
		round->hands.forget(round->hands.arg, state->jobs[job].id);
	return 0;
}

static int round_see_ends(struct farm_round *round, const struct farm_seen *seen, const struct round_index *index)
{
	struct farm_state *state = round->state;
	int error = 0;

	for (size_t i = 0; i < state->njobs && !error; i++) {
		const struct farm_end *end = NULL;
		const char *cause = "";
		uint32_t at;

		if (state->jobs[i].ended || graph__names_find(&index->queue, state->jobs[i].id, &at))
			continue;
		if (graph__names_find(&index->over, state->jobs[i].id, &at))
			cause = seen->queue->at[at].cause;
		if (graph__names_find(&index->ends, state->jobs[i].id, &at))
			end = &seen->ends[at];
		error = round_end(round, i, end, cause);
	}
	return error;
}

/* --- jobs that nobody wrote down, blocked pieces, kill rules --- */

/* A manager that was killed between submitting and writing leaves jobs that only the queue knows. */
static int round_adopt(struct farm_round *round, const struct farm_seen *seen, const struct round_index *index)
{
	struct farm_state *state = round->state;
	int error = 0;

	for (size_t i = 0; i < seen->queue->count && !error; i++) {
		const struct farm_queued *queued = &seen->queue->at[i];
		size_t from = 0, piece, job;
		uint32_t known;

		if (queued->ended || graph__names_find(&index->jobs, queued->id, &known))
			continue;
		piece = farm_round_open(state, queued->set, &from);
		if (!farm_state_add_job(state, queued->id, queued->set))
			return -ENOMEM;
		job = state->njobs - 1;
		state->jobs[job].piece = piece;
		if (piece == FARM_NONE) {
			error = farm_state_commit(
				state,
				&(struct farm_change){ .piece = FARM_NONE,
						       .other_piece = FARM_NONE,
						       .job = job,
						       .other_job = FARM_NONE,
						       .reason = "found in the queue; no piece is open for it" });
			continue;
		}
		state->records[piece].job = job;
		error = farm_round_move(round, piece, FARM_SUBMITTED, job, "found job %s in the queue", queued->id);
	}
	return error;
}

static size_t round_missing(const struct farm_state *state, size_t piece)
{
	const struct farm_piece *p = &state->farm->pieces[piece];

	for (size_t i = 0; i < p->depends_on.count; i++)
		if (state->records[p->needs[i]].step != FARM_DONE)
			return p->needs[i];
	return FARM_NONE;
}

static int round_see_blocked(struct farm_round *round)
{
	struct farm_state *state = round->state;
	int error = 0;

	for (size_t i = 0; i < state->farm->npieces && !error; i++) {
		const struct farm_record *r = &state->records[i];
		size_t missing;

		if (r->step != FARM_BLOCKED && !(farm_round_is_open(r) && state->farm->pieces[i].depends_on.count))
			continue;
		missing = round_missing(state, i);
		if (r->step == FARM_BLOCKED && missing == FARM_NONE)
			error = farm_round_move(round, i, FARM_WAITING, FARM_NONE, "its dependencies are done");
		else if (r->step != FARM_BLOCKED && missing != FARM_NONE)
			error = farm_round_move(round, i, FARM_BLOCKED, FARM_NONE, "it waits for %s",
						state->farm->pieces[missing].name);
	}
	return error;
}

static void round_hold(struct farm_round *round, const struct farm_seen *seen)
{
	for (size_t i = 0; i < round->state->farm->npieces; i++)
		if (round->state->records[i].step == FARM_GIVEN_UP && !seen->claimed[i])
			round->hands.hold(round->hands.arg, i);
}

static int round_kill(struct farm_round *round, const struct farm_seen *seen)
{
	struct farm_state *state = round->state;
	int error = 0;

	for (size_t i = 0; i < seen->nkills && !error; i++) {
		struct farm_job *job = &state->jobs[seen->kills[i].job];

		if (job->ended || job->verdict || job->piece == FARM_NONE)
			continue;
		job->verdict = strdup(seen->kills[i].reason);
		if (!job->verdict)
			return -ENOMEM;
		error = farm_round_move(round, job->piece, state->records[job->piece].step, seen->kills[i].job,
					"job %s is ended: %s", job->id, job->verdict);
		if (!error)
			round->hands.cancel(round->hands.arg, job->id, true);
	}
	return error;
}

int farm_round(struct farm_round *round, const struct farm_seen *seen)
{
	struct round_index index;
	int error = round_index_init(&index, round->state, seen);

	if (!error)
		error = round_adopt(round, seen, &index);
	if (!error) {
		/* Adopted jobs may have claims. */
		round_index_fini(&index);
		error = round_index_init(&index, round->state, seen);
	}
	if (!error)
		error = round_see_claims(round, seen, &index);
	if (!error)
		error = round_see_done(round, seen);
	if (!error)
		error = round_see_ends(round, seen, &index);
	if (!error)
		error = round_kill(round, seen);
	if (!error)
		error = round_see_blocked(round);
	round_index_fini(&index);
	if (error)
		return error;
	round_hold(round, seen);
	farm_state_sweep_jobs(round->state);
	return farm_round_fill_orders(round);
}

void farm_round_fini(struct farm_round *round)
{
	free(round->orders);
	free(round->suspects);
	*round = (struct farm_round){ 0 };
}
