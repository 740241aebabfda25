/* SPDX-License-Identifier: MIT */
/* What a round asks for: which sets need how many jobs within the limits, and what users want of single pieces. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "farm/round.h"

bool farm_round_is_open(const struct farm_record *r)
{
	return (r->step == FARM_WAITING || r->step == FARM_FAILED) && r->job == FARM_NONE;
}

/* The first open piece of a set at or behind *from; FARM_NONE if there is none. Moves *from. */
size_t farm_round_open(const struct farm_state *state, const char *set, size_t *from)
{
	for (; *from < state->farm->npieces; ++*from)
		if (farm_round_is_open(&state->records[*from]) && !strcmp(state->farm->pieces[*from].set, set))
			return (*from)++;
	return FARM_NONE;
}

/* --- what to submit --- */

static struct farm_order *round_order(struct farm_round *round, size_t piece)
{
	const struct farm *farm = round->state->farm;

	for (size_t i = 0; i < round->norders; i++)
		if (!strcmp(farm->pieces[round->orders[i].piece].set, farm->pieces[piece].set))
			return &round->orders[i];
	if (round->norders == round->orders_room) {
		size_t room = round->orders_room + 16;
		struct farm_order *orders = realloc(round->orders, room * sizeof(*orders));

		if (!orders)
			return NULL;
		round->orders = orders;
		round->orders_room = room;
	}
	round->orders[round->norders] = (struct farm_order){ .piece = piece };
	return &round->orders[round->norders++];
}

/* Jobs in the queue that stand for no piece will take one: they count before new ones are submitted. */
static void round_use_spare(struct farm_round *round)
{
	const struct farm_state *state = round->state;

	for (size_t i = 0; i < state->njobs; i++) {
		const struct farm_job *job = &state->jobs[i];

		if (job->ended || job->claimed || job->piece != FARM_NONE)
			continue;
		for (size_t o = 0; o < round->norders; o++)
			if (round->orders[o].count &&
			    !strcmp(state->farm->pieces[round->orders[o].piece].set, job->set)) {
				round->orders[o].count--;
				break;
			}
	}
}

int farm_round_fill_orders(struct farm_round *round)
{
	const struct farm_state *state = round->state;
	size_t living = 0, left = 0;
	uint64_t fails = 0, most = state->farm->max_fails;

	for (size_t i = 0; i < state->njobs; i++)
		living += !state->jobs[i].ended;
	round->norders = 0;
	for (size_t i = 0; i < state->farm->npieces; i++) {
		const struct farm_record *r = &state->records[i];
		struct farm_order *order;

		fails += r->fails;
		left += r->step != FARM_DONE && r->step != FARM_GIVEN_UP && r->step != FARM_BLOCKED;
		if (!farm_round_is_open(r))
			continue;
		order = round_order(round, i);
		if (!order)
			return -ENOMEM;
		order->count++;
	}
	round_use_spare(round);
	round->spent = most && fails > most;
	round->over = !left && !living;
	for (size_t o = 0; o < round->norders; o++) {
		unsigned room = living < state->farm->max_simultaneous_jobs
					? (unsigned)(state->farm->max_simultaneous_jobs - living)
					: 0;

		if (round->spent)
			room = 0;
		if (round->orders[o].count > room)
			round->orders[o].count = room;
		living += round->orders[o].count;
	}
	return 0;
}

int farm_round_submitted(struct farm_round *round, size_t order, const char *id)
{
	struct farm_state *state = round->state;
	const char *set = state->farm->pieces[round->orders[order].piece].set;
	size_t from = round->orders[order].piece, piece = farm_round_open(state, set, &from), job;

	if (!farm_state_add_job(state, id, set))
		return -ENOMEM;
	job = state->njobs - 1;
	state->jobs[job].piece = piece;
	if (piece == FARM_NONE)
		return farm_state_commit(state, &(struct farm_change){ .piece = FARM_NONE,
								       .other_piece = FARM_NONE,
								       .job = job,
								       .other_job = FARM_NONE,
								       .reason = "submitted" });
	state->records[piece].job = job;
	round->orders[order].piece = piece;
	return farm_round_move(round, piece, FARM_SUBMITTED, job, "submitted job %s", id);
}

/* --- what users ask for --- */

int farm_round_cancel(struct farm_round *round, size_t piece)
{
	struct farm_state *state = round->state;
	struct farm_record *r = &state->records[piece];
	size_t job = r->job;
	char *verdict;

	if (r->step == FARM_DONE || r->step == FARM_GIVEN_UP)
		return 0;
	if (job == FARM_NONE || !state->jobs[job].claimed)
		round->hands.hold(round->hands.arg, piece);
	if (job == FARM_NONE)
		return farm_round_move(round, piece, FARM_GIVEN_UP, FARM_NONE, "cancelled by the user");
	verdict = strdup("cancelled by the user");
	if (!verdict)
		return -ENOMEM;
	free(state->jobs[job].verdict);
	state->jobs[job].verdict = verdict;
	round->hands.cancel(round->hands.arg, state->jobs[job].id, false);
	if (state->jobs[job].claimed)
		return farm_round_move(round, piece, FARM_RUNNING, job, "job %s is cancelled by the user",
				       state->jobs[job].id);
	r->job = FARM_NONE;
	state->jobs[job].piece = FARM_NONE;
	return farm_round_move(round, piece, FARM_GIVEN_UP, job, "cancelled by the user");
}

int farm_round_retry(struct farm_round *round, size_t piece)
{
	struct farm_record *r = &round->state->records[piece];
	int error;

	if (r->step != FARM_GIVEN_UP && r->step != FARM_FAILED)
		return 0;
	r->fails = 0;
	error = farm_round_move(round, piece, FARM_WAITING, FARM_NONE, "retried by the user");
	if (!error)
		round->hands.release(round->hands.arg, piece);
	return error;
}
