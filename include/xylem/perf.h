/* SPDX-License-Identifier: MIT */
/*
 * Performance models and predictions: the expected duration of a task on a worker, its energy, the time of its
 * transfers. The kind of a prediction is explicit; no magic number stands for "unknown".
 */
#ifndef XYLEM_PERF_H
#define XYLEM_PERF_H

#include <stddef.h>
#include <stdint.h>
#include <xylem/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xy_runtime;
struct xy_task;
struct xy_call;
struct xy_handle;

/* --- predictions --- */

enum xy_prediction_kind {
	XY_PREDICTION_NONE,    /* the task has no model */
	XY_PREDICTION_UNKNOWN, /* it has one that still needs measurements */
	XY_PREDICTION_VALUE    /* us is the expected time */
};

struct xy_prediction {
	enum xy_prediction_kind kind;
	unsigned samples;      /* measurements it is based on; 0: given by the user */
	union {                /* 0 unless kind is XY_PREDICTION_VALUE */
		double us;     /* microseconds */
		double joules; /* of an energy model */
	};
	double spread; /* like a standard deviation, in the unit of the value; 0 if unknown */
};

/* --- models --- */

enum xy_model_kind {
	XY_MODEL_ARCH,      /* by per_arch */
	XY_MODEL_WORKER,    /* by per_worker */
	XY_MODEL_HISTORY,   /* the time of earlier tasks with the same footprint */
	XY_MODEL_LINEAR,    /* a * size^b: a line in logarithms */
	XY_MODEL_NONLINEAR, /* a * size^b + c */
	XY_MODEL_MULTIPLE,  /* c0 + c1 * terms[0] + c2 * terms[1] + ... */
	XY_NMODEL_KINDS
};

#define XY_NTERMS 8 /* of a multiple regression */

/*
 * Predicts the duration, or the energy, of a codelet's tasks, separately for each architecture and implementation.
 * Several codelets may share one. It must not change until all runtimes that used it have stopped. Functions must
 * be fast, are called by any thread, even with locks held, and may only call queries about the task.
 *
 * The kinds from XY_MODEL_HISTORY on are measured: see XYLEM_CALIBRATE. LINEAR and NONLINEAR use the history
 * of a footprint if it has enough samples.
 */
struct xy_model {
	const char *name; /* of its file; required for measured kinds */
	enum xy_model_kind kind;
	/* Microseconds, or joules. Anything but a positive number means unknown. */
	double (*per_arch)(const struct xy_task *task, enum xy_arch arch, unsigned implementation);
	double (*per_worker)(const struct xy_task *task, unsigned worker, unsigned implementation);
	/*
	 * Optional: identifies tasks that take equally long. Default: the shapes of their data, in order; for
	 * XY_MODEL_MULTIPLE: the terms.
	 */
	uint32_t (*footprint)(const struct xy_task *task);
	/*
	 * Optional: the size for regressions, positive. Default: the bytes of all its data, or without data the items
	 * of a divisible task, or of a piece of one, which are part of the default footprint too.
	 */
	double (*size)(const struct xy_task *task);
	/* For XY_MODEL_MULTIPLE: fills in nterms terms. */
	void (*terms)(const struct xy_task *task, double *terms);
	unsigned nterms;
};

/*
 * Reports the energy of this call to the codelet's energy model. Only inside the call. 0, or -EINVAL without a
 * measured energy model, or if joules is not a positive number.
 */
int xy_call_energy(struct xy_call *call, double joules);

/*
 * Adds a measurement that the program made itself to a model of a measured kind, as if a task like this one had taken
 * that many microseconds, or joules, there. The task may have been created only for this call; the model need not be
 * its codelet's. 0, or -EINVAL for a model that is not measured, no such worker or implementation, or a value that is
 * not a positive number. Any thread.
 */
int xy_task_measured(const struct xy_task *task, const struct xy_model *model, unsigned worker, unsigned implementation,
		     double value);

/* --- queries about a task, for a model's functions --- */

/* The arg of its description, or its copy; and its number of handles. */
void *xy_task_argument(const struct xy_task *task);
unsigned xy_task_nhandles(const struct xy_task *task);
/* The i-th handle; NULL past the last. */
const struct xy_handle *xy_task_handle(const struct xy_task *task, unsigned i);

/* The items from start up to, not including, stop. */
struct xy_range {
	uint64_t start, stop;
};

/* The items of a divisible task that are left, or those of a piece; { 0, 0 } for any other task. */
struct xy_range xy_task_range(const struct xy_task *task);

/* --- the bus --- */

/*
 * The transfer time of this many bytes between two memory nodes; the links are measured when a runtime with devices
 * first starts. Unknown without a models folder, or for a node that does not exist.
 */
struct xy_prediction xy_bus_time_us(const struct xy_runtime *rt, unsigned from, unsigned to, size_t bytes);

/* --- calibration --- */

enum xy_calibrate {
	XY_CALIBRATE_DEFAULT, /* as YES */
	XY_CALIBRATE_NO,      /* 0: nothing is measured or stored; any number of samples suffices */
	XY_CALIBRATE_YES,     /* 1: measured and stored; unknown below the minimum number of samples */
	XY_CALIBRATE_ANEW     /* 2: like YES, but discards stored samples */
};

#ifdef __cplusplus
}
#endif
#endif
