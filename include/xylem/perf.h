/* SPDX-License-Identifier: MIT */
/*
 * Predictions: how long a task is expected to take on a worker. The kind is explicit; no number
 * ever stands for "I don't know".
 */
#ifndef XYLEM_PERF_H
#define XYLEM_PERF_H

#ifdef __cplusplus
extern "C" {
#endif

enum xy_prediction_kind {
	XY_PREDICTION_NONE,    /* the task has no model */
	XY_PREDICTION_UNKNOWN, /* it has one that needs measurements first */
	XY_PREDICTION_VALUE    /* us is the expected time */
};

struct xy_prediction {
	enum xy_prediction_kind kind;
	double us;             /* microseconds; 0 unless kind is XY_PREDICTION_VALUE */
};

#ifdef __cplusplus
}
#endif
#endif
