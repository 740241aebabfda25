/* SPDX-License-Identifier: MIT */
/*
 * Performance models and predictions: how long a task is expected to take on a worker, how many joules, how
 * long its data is under way. The kind of a prediction is explicit; no number ever stands for "I don't know".
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
	XY_PREDICTION_UNKNOWN, /* it has one that needs measurements first */
	XY_PREDICTION_VALUE    /* us is the expected time */
};

struct xy_prediction {
	enum xy_prediction_kind kind;
	unsigned samples;      /* measurements that it rests on; 0: somebody said so */
	union {                /* 0 unless kind is XY_PREDICTION_VALUE */
		double us;     /* microseconds */
		double joules; /* of an energy model */
	};
	double spread;         /* like a standard deviation, in the unit of the value; 0 also when not known */
};

/* --- models --- */

enum xy_model_kind {
	XY_MODEL_ARCH,         /* per_arch says it */
	XY_MODEL_WORKER,       /* per_worker says it */
	XY_MODEL_HISTORY,      /* as tasks with the same footprint took before */
	XY_MODEL_LINEAR,       /* a * size^b: a line in logarithms */
	XY_MODEL_NONLINEAR,    /* a * size^b + c */
	XY_MODEL_MULTIPLE,     /* c0 + c1 * terms[0] + c2 * terms[1] + ... */
	XY_NMODEL_KINDS
};

#define XY_NTERMS 8            /* of a multiple regression */

/*
 * How the time, or the energy, of a codelet's tasks is predicted: for each architecture and implementation by
 * itself. Several codelets may share one. It is constant until all runtimes that saw it have stopped. Functions
 * must be quick, are called by any thread, also with locks held, and call nothing but what asks about the task.
 *
 * The kinds from XY_MODEL_HISTORY on are measured: see XYLEM_CALIBRATE. LINEAR and NONLINEAR use the history
 * of a footprint where there is enough of it.
 */
struct xy_model {
	const char *name;      /* of its file; needed for kinds that are measured */
	enum xy_model_kind kind;
	/* Microseconds, or joules. What is not a positive number means that it is not known. */
	double (*per_arch)(const struct xy_task *task, enum xy_arch arch, unsigned implementation);
	double (*per_worker)(const struct xy_task *task, unsigned worker, unsigned implementation);
	/* Optional: what tasks that take equally long have in common. Default: the shapes of their data, in
	 * order; for XY_MODEL_MULTIPLE: the terms. */
	uint32_t (*footprint)(const struct xy_task *task);
	/* Optional: the size that regressions use, positive. Default: bytes of all its data. */
	double (*size)(const struct xy_task *task);
	/* For XY_MODEL_MULTIPLE: fills in nterms of them. */
	void (*terms)(const struct xy_task *task, double *terms);
	unsigned nterms;
};

/* Tells the energy model of the task's codelet what this call has used. Inside the call. 0, or -EINVAL without an
 * energy model that is measured, or when joules is not a positive number. */
int xy_call_energy(struct xy_call *call, double joules);

/* --- what a model's functions may ask about a task --- */

/* The arg of its description, or the copy of it; and how many handles it has. */
void *xy_task_argument(const struct xy_task *task);
unsigned xy_task_nhandles(const struct xy_task *task);
/* The i-th handle; NULL when there is none. */
const struct xy_handle *xy_task_handle(const struct xy_task *task, unsigned i);

/* --- the bus --- */

/* How long so many bytes are under way from one memory node to another; the links are measured when a runtime with
 * devices starts for the first time. Unknown without a place to store models, or for a node that is not there. */
struct xy_prediction xy_bus_time_us(const struct xy_runtime *rt, unsigned from, unsigned to, size_t bytes);

/* --- how far calibration goes --- */

enum xy_calibrate {
	XY_CALIBRATE_DEFAULT,  /* as YES */
	XY_CALIBRATE_NO,       /* 0: nothing is measured or stored; few samples have to do */
	XY_CALIBRATE_YES,      /* 1: measured and stored; unknown with less than the least number of samples */
	XY_CALIBRATE_ANEW      /* 2: the same, and what is stored counts no more */
};

#ifdef __cplusplus
}
#endif
#endif
