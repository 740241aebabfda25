/* SPDX-License-Identifier: MIT */
/* Which stream a task is launched on, and the time that it is charged with. */
#include "core/runtime/streams.h"

unsigned xy__streams_choose(const struct xy__streams *streams, bool is_short)
{
	unsigned best = 0;

	for (unsigned i = 1; is_short && i < streams->count; i++)
		if (streams->each[i].launched < streams->each[best].launched)
			best = i;
	return best;
}

/* Shares out the time that has passed. */
static void streams_account(struct xy__streams *streams, double now_s)
{
	unsigned busy = 0;

	for (unsigned i = 0; i < streams->count; i++)
		busy += streams->each[i].launched > 0;
	for (unsigned i = 0; i < streams->count; i++)
		if (streams->each[i].launched)
			streams->each[i].served_s += (now_s - streams->until_s) / busy;
	streams->until_s = now_s;
}

void xy__streams_launch(struct xy__streams *streams, unsigned stream, double now_s)
{
	streams_account(streams, now_s);
	streams->each[stream].launched++;
}

double xy__streams_end(struct xy__streams *streams, unsigned stream, double now_s)
{
	double served_s;

	streams_account(streams, now_s);
	served_s = streams->each[stream].served_s;
	streams->each[stream].served_s = 0;
	streams->each[stream].launched--;
	return served_s;
}
