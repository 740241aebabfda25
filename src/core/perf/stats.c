/* SPDX-License-Identifier: MIT */
/*
 * Robust statistics of measurements. The window is kept twice, as it came and sorted, so that a new value costs
 * two searches and one short move in memory.
 */
#include <math.h>
#include <string.h>

#include "core/perf/stats.h"
#include "core/util/futex.h"

/* Further than this many spreads and this share of the median from it, a value is an outlier. */
#define STATS_FAR 8.0
#define STATS_FAR_SHARE 0.5
/* A median that has moved this far, and by this many spreads, has drifted. */
#define STATS_DRIFT_SHARE 0.25
#define STATS_DRIFT 3.0
#define STATS_MAD_TO_SPREAD 1.4826 /* of a normal distribution */

void xy__moments_add(struct xy__moments *m, double value)
{
	double distance = value - m->mean;

	m->n++;
	m->mean += distance / (double)m->n;
	m->squares += distance * (value - m->mean);
}

struct xy__moments xy__moments_merge(struct xy__moments a, struct xy__moments b)
{
	double n = (double)a.n + (double)b.n, distance = b.mean - a.mean;

	if (!a.n || !b.n)
		return a.n ? a : b;
	return (struct xy__moments){
		.n = a.n + b.n,
		.mean = a.mean + distance * (double)b.n / n,
		.squares = a.squares + b.squares + distance * distance * (double)a.n * (double)b.n / n,
	};
}

double xy__moments_deviation(const struct xy__moments *m)
{
	return m->n ? sqrt(m->squares / (double)m->n) : 0;
}

struct xy__moments xy__moments_of(uint64_t n, double mean, double deviation)
{
	return (struct xy__moments){ .n = n, .mean = mean, .squares = deviation * deviation * (double)n };
}

/* The lower one of two: a first measurement that took long should not count. */
static double stats_middle(const struct xy__stats *s)
{
	return (double)s->sorted[(s->count - 1) / 2];
}

/*
 * The median distance from the median: that of the `half` nearest values which is the furthest. `low` of them are below
 * or are the median itself, the others above; both sides are sorted by their distance, so bisection finds `low`.
 */
static double stats_distance(const struct xy__stats *s, double median)
{
	const float *below = &s->sorted[(s->count - 1) / 2], *above = below + 1;
	int nbelow = (s->count - 1) / 2 + 1, nabove = s->count - nbelow, half = (s->count + 1) / 2;
	int low = half > nabove ? half - nabove : 0, high = half < nbelow ? half : nbelow;
	double distance = 0;

	while (low < high) {
		int middle = (low + high) / 2;

		if (median - (double)below[-middle] < (double)above[half - middle - 1] - median)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		distance = median - (double)below[1 - low];
	if (low < half && (double)above[half - low - 1] - median > distance)
		distance = (double)above[half - low - 1] - median;
	return distance;
}

static void stats_publish(struct xy__stats *s)
{
	uint64_t n = s->base.n + s->gained.n;
	double median = stats_middle(s);

	atomic_store_explicit(&s->spread, STATS_MAD_TO_SPREAD * stats_distance(s, median), memory_order_relaxed);
	atomic_store_explicit(&s->median, median, memory_order_relaxed);
	/* release: pairs with the acquire of readers, which see a median if there are samples */
	atomic_store_explicit(&s->samples, n < UINT32_MAX ? (uint32_t)n : UINT32_MAX, memory_order_release);
}

/* The first of the `count` sorted values that is not less. */
static unsigned stats_find(const struct xy__stats *s, unsigned count, float value)
{
	const float *first = s->sorted;

	/* Without branches that can't be foreseen: half of what is left is passed, or not. */
	for (; count > 1; count -= count / 2)
		first += first[count / 2 - 1] < value ? count / 2 : 0;
	return (unsigned)(first - s->sorted) + (count && *first < value);
}

/* The value takes the place of the oldest one if the window is full. */
static void stats_push(struct xy__stats *s, float value)
{
	unsigned from = s->count, to = stats_find(s, s->count, value);

	if (s->count == XY__STATS_WINDOW) {
		from = stats_find(s, s->count, s->recent[s->next]);
		to -= to > from; /* the old one was below */
	} else {
		s->count++;
	}
	if (to < from)
		memmove(&s->sorted[to + 1], &s->sorted[to], (from - to) * sizeof s->sorted[0]);
	else
		memmove(&s->sorted[from], &s->sorted[from + 1], (to - from) * sizeof s->sorted[0]);
	s->sorted[to] = value;
	s->recent[s->next] = value;
	s->next = (uint8_t)(s->next + 1 < XY__STATS_WINDOW ? s->next + 1 : 0);
}

static bool stats_is_outlier(const struct xy__stats *s, double value)
{
	double median = stats_middle(s), distance = fabs(value - median);

	return distance > STATS_FAR_SHARE * median &&
	       distance > STATS_FAR * STATS_MAD_TO_SPREAD * stats_distance(s, median);
}

/* Forgets the window and takes these values for it. */
static void stats_restart(struct xy__stats *s, const float *values, unsigned n)
{
	s->count = s->next = s->nrejected = 0;
	s->gained = (struct xy__moments){ 0 };
	for (unsigned i = 0; i < n; i++) {
		stats_push(s, values[i]);
		xy__moments_add(&s->gained, (double)values[i]);
	}
}

/* There are enough values now to tell which of them were outliers. */
static void stats_judge(struct xy__stats *s)
{
	float believed[XY__STATS_EARLY];
	unsigned n = 0;

	for (unsigned i = 0; i < XY__STATS_EARLY; i++)
		if (!stats_is_outlier(s, (double)s->recent[i]))
			believed[n++] = s->recent[i];
	s->outliers += XY__STATS_EARLY - n;
	if (n < XY__STATS_EARLY)
		stats_restart(s, believed, n);
}

static enum xy__verdict stats_reject(struct xy__stats *s, double value)
{
	double median = stats_middle(s);

	if (s->nrejected && ((double)s->rejected[0] > median) != (value > median))
		s->nrejected = 0;
	s->rejected[s->nrejected++] = (float)value;
	s->outliers++;
	if (s->nrejected < XY__STATS_RUN)
		return XY__OUTLIER;
	s->outliers -= XY__STATS_RUN;
	s->base = (struct xy__moments){ 0 };
	s->changed = true;
	stats_restart(s, s->rejected, XY__STATS_RUN);
	stats_publish(s);
	s->reference = stats_middle(s);
	s->drifts++;
	return XY__DRIFT;
}

/* Whether the median has moved slowly. */
static bool stats_drifts(struct xy__stats *s)
{
	double median = stats_middle(s), gone = fabs(median - s->reference);

	if (s->count < XY__STATS_WINDOW)
		return false;
	if (s->reference > 0 && (gone < STATS_DRIFT_SHARE * s->reference ||
				 gone < STATS_DRIFT * atomic_load_explicit(&s->spread, memory_order_relaxed)))
		return false;
	s->drifts += s->reference > 0;
	gone = s->reference;
	s->reference = median;
	return gone > 0;
}

static enum xy__verdict stats_add(struct xy__stats *s, double value)
{
	if (s->count >= XY__STATS_EARLY && stats_is_outlier(s, value))
		return stats_reject(s, value);
	s->nrejected = 0;
	stats_push(s, (float)value);
	xy__moments_add(&s->gained, value);
	if (s->count == XY__STATS_EARLY && s->gained.n == XY__STATS_EARLY)
		stats_judge(s);
	stats_publish(s);
	return stats_drifts(s) ? XY__DRIFT : XY__BELIEVED;
}

enum xy__verdict xy__stats_add(struct xy__stats *s, double value)
{
	enum xy__verdict verdict;

	xy__lock_take(&s->lock);
	verdict = stats_add(s, value);
	xy__lock_drop(&s->lock);
	return verdict;
}

/* The window gets values that have about the median and the spread: those of an even one. */
void xy__stats_seed(struct xy__stats *s, double median, double spread, const struct xy__moments *moments)
{
	unsigned n = moments->n < XY__STATS_WINDOW ? (unsigned)moments->n : XY__STATS_WINDOW;

	for (unsigned i = 0; i < n; i++) {
		double place = n > 1 ? 2.0 * i / (n - 1) - 1 : 0; /* from -1 to 1 */
		double value = median + 2 * place * spread / STATS_MAD_TO_SPREAD;

		stats_push(s, (float)fmax(value, median * 0.1));
	}
	s->base = *moments;
	if (!n)
		return;
	stats_publish(s);
	atomic_store_explicit(&s->median, median, memory_order_relaxed);
	atomic_store_explicit(&s->spread, spread, memory_order_relaxed);
	s->reference = n == XY__STATS_WINDOW ? median : 0;
}
