/* SPDX-License-Identifier: MIT */
/*
 * What is known of a quantity that is measured again and again: median and spread of the last measurements, mean
 * and deviation of all that are believed. A value far from the others is counted and not believed; when such
 * values come in a row, it is the world that has changed.
 *
 * Locking key: (l) lock, (a) atomic: written with the lock, read without.
 */
#ifndef XYLEM_CORE_PERF_STATS_H
#define XYLEM_CORE_PERF_STATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	XY__STATS_WINDOW = 31, /* measurements that the median is of */
	XY__STATS_EARLY = 8,   /* before this many, nothing is called an outlier */
	XY__STATS_RUN = 8      /* this many consecutive outliers on one side are a drift */
};

/* Sums of values, in a form that loses no precision. */
struct xy__moments {
	uint64_t n;
	double mean, squares; /* of the distances from the mean */
};

struct xy__stats {
	_Atomic double median;    /* (a) 0 without samples */
	_Atomic double spread;    /* (a) like a standard deviation, but outliers don't matter */
	_Atomic uint32_t samples; /* (a) believed, or UINT32_MAX */
	_Atomic int lock;
	uint8_t count, next;            /* (l) of recent: how many, where the next goes */
	uint8_t nrejected;              /* (l) */
	bool changed;                   /* (l) began anew: what was there at first counts no more */
	unsigned drifts;                /* (l) since the beginning */
	uint64_t outliers;              /* (l) likewise, without those that were there at first */
	float recent[XY__STATS_WINDOW]; /* (l) as they came */
	float sorted[XY__STATS_WINDOW]; /* (l) sorted */
	float rejected[XY__STATS_RUN];  /* (l) the last run of outliers */
	_Atomic double reference;       /* (a) the median at the last drift check; 0: never */
	struct xy__moments base;        /* (l) what was there at first */
	struct xy__moments gained;      /* (l) measured since */
};

enum xy__verdict { XY__BELIEVED, XY__OUTLIER, XY__DRIFT };

/* Takes a value, which is positive and finite. */
enum xy__verdict xy__stats_add(struct xy__stats *stats, double value);

/* Starts with stored statistics; stats is all zero. */
void xy__stats_seed(struct xy__stats *stats, double median, double spread, const struct xy__moments *moments);

void xy__moments_add(struct xy__moments *moments, double value);
struct xy__moments xy__moments_merge(struct xy__moments a, struct xy__moments b);
double xy__moments_deviation(const struct xy__moments *moments);
/* The moments of n values with this mean and deviation. */
struct xy__moments xy__moments_of(uint64_t n, double mean, double deviation);

#endif
