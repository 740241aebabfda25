/* SPDX-License-Identifier: MIT */
/*
 * For tests of reductions on CPUs: amounts that are added up and multiplied, and that tell how that came about.
 */
#ifndef XYLEM_TESTS_CORE_DATA_AMOUNT_H
#define XYLEM_TESTS_CORE_DATA_AMOUNT_H

#include "../../helper.h"

/* Only `value` is reduced. */
struct amount {
	uint64_t value;
	unsigned depth;    /* combines on the longest way from a leaf */
	unsigned combines; /* in all */
};

extern _Atomic int ninits, ncombines; /* calls of zero and sum */

extern const struct xy_codelet zero, one;    /* init */
extern const struct xy_codelet sum, product; /* combine */
int sum_body(struct xy_call *call);

/* With a uint64_t as argument: */
extern const struct xy_codelet add, multiply; /* XY_REDUX */
extern const struct xy_codelet set;           /* XY_W */
extern const struct xy_codelet is;            /* XY_R: fails with -ERANGE if the value is another */
int add_body(struct xy_call *call);
int multiply_body(struct xy_call *call);

static inline struct amount *amount(struct xy_call *call, unsigned i)
{
	return xy_pointer(call, i);
}

void submit(struct helper *h, const struct xy_codelet *codelet, struct xy_handle *handle, uint64_t x);

/* A handle that is summed up. */
struct xy_handle *register_sum(struct helper *h, struct amount *a);

/* Adds 1 and waits until all workers are in it, so that each gets a replica. Its argument is a pointer to this. */
struct meeting {
	_Atomic int inside;
	int all;
};
extern const struct xy_codelet meet;

#endif
