/* SPDX-License-Identifier: MIT */
/*
 * The throughput of a device over the size of its pieces. Sizes double while that pays; then the best one is used. A
 * curve that no longer holds is forgotten.
 */
#include "components/throughput.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	THROUGHPUT_REACH = 2,   /* a size is compared with that so many levels below */
	THROUGHPUT_LEAP = 3,    /* levels to go up at once while a larger piece takes no longer */
	THROUGHPUT_FAR = 6,     /* and if it takes exactly as long */
	THROUGHPUT_CERTAIN = 2, /* comparisons in a row without a gain that end the search */
	THROUGHPUT_TRIAL = 3,   /* a trial is so many levels below the best size */
	THROUGHPUT_FALL = 3,    /* a curve that is measured completely ends so many levels above the best one */
};
#define THROUGHPUT_GAIN 1.12   /* the throughput must grow by this to go on */
#define THROUGHPUT_LOSS 1.4    /* a size that is worse than another by this ends the search */
#define THROUGHPUT_BAD 2.0     /* and by this is bad, whatever the noise */
#define THROUGHPUT_FLAT 1.25   /* a time that grows by less is that of the launch */
#define THROUGHPUT_EVEN 1.03   /* and one that grows by less is exactly as long */
#define THROUGHPUT_CLOSE 1.03  /* sizes within this of the best are as good */
#define THROUGHPUT_WORKS 1.5   /* a throughput that grows by less is not ruled by launches */
#define THROUGHPUT_TAIL 1.16   /* pieces may shrink at the end while an item costs at most so much more */
#define THROUGHPUT_FOLLOW 0.4  /* weight of a new measurement for the speed of now, */
#define THROUGHPUT_SLOWLY 0.2  /* and for that of a size, unless there are few */
#define THROUGHPUT_CHANGED 2.0 /* a trial that differs by more shows that the items are others */
#define THROUGHPUT_LONG_US 2e6 /* longer pieces are not tried to complete a curve */

unsigned xy__throughput_level(uint64_t items)
{
	unsigned level = 63u - (unsigned)__builtin_clzll(items);

	return level < XY__THROUGHPUT_LEVELS ? level : XY__THROUGHPUT_LEVELS - 1;
}

static double throughput_items(unsigned level)
{
	return (double)((uint64_t)1 << level);
}

static void throughput_note(struct xy__throughput *t, unsigned level, double us_per_item)
{
	t->us_per_item[level] = us_per_item;
	t->measured |= (uint32_t)1 << level;
	t->least = us_per_item;
	for (uint32_t rest = t->measured; rest; rest &= rest - 1)
		if (t->us_per_item[__builtin_ctz(rest)] < t->least)
			t->least = t->us_per_item[__builtin_ctz(rest)];
}

/* Of the sizes that are about as good as the best one, the largest: pieces shrink at the end in any case. */
static unsigned throughput_best(const struct xy__throughput *t)
{
	double close = t->least * THROUGHPUT_CLOSE;
	unsigned best = t->level;

	for (uint32_t rest = t->measured; rest; rest &= rest - 1)
		if (t->us_per_item[__builtin_ctz(rest)] <= close)
			best = (unsigned)__builtin_ctz(rest);
	return best;
}

/* The next smaller size that was measured, at least some levels below; -1: none. */
static int throughput_before(const struct xy__throughput *t, unsigned level, unsigned below)
{
	uint32_t smaller = level < below ? 0 : t->measured & (((uint32_t)2 << (level - below)) - 1);

	return smaller ? 31 - __builtin_clz(smaller) : -1;
}

double xy__throughput_size(const struct xy__throughput *t, double most)
{
	unsigned back = t->trial && t->level >= THROUGHPUT_TRIAL ? THROUGHPUT_TRIAL : 0;
	double size = throughput_items(t->level - back);
	int last = throughput_before(t, XY__THROUGHPUT_LEVELS - 1, 0);

	/* Too little is left to try it: then a smaller one that was skipped, or none. */
	if (size > most && !t->settled && !(last >= 0 && most >= 2 * throughput_items((unsigned)last)))
		size = throughput_items(throughput_best(t));
	return size < most ? size : most;
}

bool xy__throughput_tries(const struct xy__throughput *t)
{
	return !t->settled && t->level && !(t->measured >> t->level & 1) && t->measured >> (t->level - 1) & 1;
}

bool xy__throughput_is_bad(const struct xy__throughput *t, unsigned level)
{
	return (t->measured >> level & 1) && t->us_per_item[level] > t->least * THROUGHPUT_BAD;
}

double xy__throughput_known_size(const struct xy__throughput *t, double most)
{
	double size = throughput_items(throughput_best(t));

	return size < most ? size : most;
}

double xy__throughput_last_size(const struct xy__throughput *t, double due)
{
	double size = t->tail, least = INFINITY;

	due = due > 0 ? due : 0;
	for (uint32_t rest = t->measured; rest; rest &= rest - 1) {
		unsigned level = (unsigned)__builtin_ctz(rest);
		double us = t->us_per_item[level] * (due + throughput_items(level) / 2);

		if (throughput_items(level) > t->tail)
			break;
		if (us < least) {
			least = us;
			size = throughput_items(level);
		}
	}
	return size;
}

static bool throughput_is_known(const struct xy__throughput *t)
{
	int last, before;

	if (t->settled || t->trial)
		return t->settled && !t->trial;
	last = throughput_before(t, XY__THROUGHPUT_LEVELS - 1, 0);
	before = last > 0 ? throughput_before(t, (unsigned)last, 1) : -1;
	return before >= 0 && t->us_per_item[before] < t->us_per_item[last] * THROUGHPUT_WORKS;
}

static double throughput_tail(const struct xy__throughput *t)
{
	double most = (t->least > t->recent ? t->least : t->recent) * THROUGHPUT_TAIL;
	uint32_t smaller = t->measured & (((uint32_t)1 << t->level) - 1);

	for (; smaller; smaller &= smaller - 1)
		if (t->us_per_item[__builtin_ctz(smaller)] <= most)
			return throughput_items((unsigned)__builtin_ctz(smaller));
	return throughput_items(t->level);
}

/* Between the smallest size for the end and the next one below, which is too small: one that was skipped, or 0. */
static double throughput_finer(const struct xy__throughput *t)
{
	unsigned level = xy__throughput_level((uint64_t)t->tail);
	int below = level ? throughput_before(t, level, 1) : -1;

	return below >= 0 && (unsigned)below + 1 < level ? throughput_items((level + (unsigned)below) / 2) : 0;
}

/* What follows from the measurements, for the many questions between two of them. */
static void throughput_conclude(struct xy__throughput *t)
{
	t->known = throughput_is_known(t);
	t->tail = throughput_tail(t);
	t->finer = throughput_finer(t);
}

/* Whether a level is the last one to measure. */
static bool throughput_ends(struct xy__throughput *t, unsigned level, const struct xy__growth *growth)
{
	double now = t->us_per_item[level], us = now * throughput_items(level);
	int before = throughput_before(t, level, THROUGHPUT_REACH);

	if (level + 1 == XY__THROUGHPUT_LEVELS || level >= growth->most)
		return true;
	if (growth->samples)
		return us > THROUGHPUT_LONG_US ||
		       (us >= growth->least_us && level >= throughput_best(t) + THROUGHPUT_FALL);
	if (us >= growth->least_us && before >= 0 && t->us_per_item[before] < now * THROUGHPUT_GAIN)
		t->without_gain++;
	else
		t->without_gain = 0;
	return t->without_gain == THROUGHPUT_CERTAIN || now > t->least * THROUGHPUT_LOSS;
}

/* How many levels to go up: several, as long as the time is that of the launch. */
static unsigned throughput_step(const struct xy__throughput *t, const struct xy__growth *growth)
{
	int before = throughput_before(t, t->level, 1);
	unsigned step = 1;

	if (!growth->samples && before >= 0) {
		double ratio = t->us_per_item[t->level] * throughput_items(t->level) /
			       (t->us_per_item[before] * throughput_items((unsigned)before));

		step = ratio < THROUGHPUT_EVEN ? THROUGHPUT_FAR : ratio < THROUGHPUT_FLAT ? THROUGHPUT_LEAP : 1;
	}
	return t->level + step <= growth->most ? step : growth->most - t->level;
}

static void throughput_grow(struct xy__throughput *t, const struct xy__growth *growth)
{
	if (t->samples[t->level] < growth->samples)
		return;
	if (throughput_ends(t, t->level, growth)) {
		t->settled = true;
		t->level = throughput_best(t);
		t->recent = t->us_per_item[t->level];
	} else {
		t->level += throughput_step(t, growth);
	}
}

/* What a trial says: earlier measurements hold, or the items of this batch are others and the search begins again. */
static void throughput_try(struct xy__throughput *t, unsigned level, double each, const struct xy__growth *growth)
{
	double known = t->measured >> level & 1 ? t->us_per_item[level] : t->recent;
	double least = fmax(1, fmin(growth->least_us / each, throughput_items(level)));

	t->trial = false;
	if (known > 0 && (each > known * THROUGHPUT_CHANGED || each < known / THROUGHPUT_CHANGED))
		*t = (struct xy__throughput){ .level = xy__throughput_level((uint64_t)least) };
}

/* The best size was chosen by few measurements: more of them may speak for another. A device that has become slow is
 * slow with all sizes. */
static void throughput_review(struct xy__throughput *t)
{
	if (t->us_per_item[t->level] <= t->least * THROUGHPUT_LOSS)
		t->level = throughput_best(t);
}

void xy__throughput_learn(struct xy__throughput *t, uint64_t items, double us, const struct xy__growth *growth)
{
	unsigned level = xy__throughput_level(items);
	double each = us / (double)items, before, weight;
	bool larger;

	if (t->trial)
		throughput_try(t, level, each, growth);
	larger = level < t->level && !(t->measured >> level);
	before = t->us_per_item[level];
	weight = 1.0 / ++t->samples[level];
	throughput_note(t, level, before + (each - before) * (weight > THROUGHPUT_SLOWLY ? weight : THROUGHPUT_SLOWLY));
	if (t->settled && level + 1 >= t->level && t->recent > 0)
		t->recent += (each - t->recent) * THROUGHPUT_FOLLOW;
	else if (!t->settled && level + 1 >= throughput_best(t))
		t->recent = each;
	if (!t->settled && (level == t->level || larger)) {
		t->level = level;
		throughput_grow(t, growth);
	} else if (t->settled && level == t->level) {
		throughput_review(t);
	}
	throughput_conclude(t);
}

void xy__throughput_recall(struct xy__throughput *t, unsigned level, double us, unsigned samples)
{
	throughput_note(t, level, us / throughput_items(level));
	t->samples[level] = samples;
	t->level = level;
}

void xy__throughput_resume(struct xy__throughput *t, const struct xy__growth *growth)
{
	unsigned last = t->level;

	if (!(t->measured >> last & 1))
		return;
	t->level = last < growth->most ? last : growth->most;
	t->recent = t->us_per_item[last];
	t->without_gain = THROUGHPUT_CERTAIN - 1; /* where that run ended, one comparison is enough */
	if (t->measured >> t->level & 1)
		throughput_grow(t, growth);
	xy__throughput_doubt(t);
}

void xy__throughput_name(char *text, size_t size, const char *name, const char *device, unsigned nworkers)
{
	size_t arch = strcspn(device, ":");
	const char *index = device[arch] ? device + arch + 1 : "";
	int n = nworkers > 1 ? snprintf(text, size, "%s.%.*s%s-%u", name, (int)arch, device, index, nworkers)
			     : snprintf(text, size, "%s.%.*s%s", name, (int)arch, device, index);

	if (n < 0 || (size_t)n >= size)
		*text = '\0';
}

void xy__throughput_doubt(struct xy__throughput *t)
{
	t->trial = t->recent > 0;
	throughput_conclude(t);
}
