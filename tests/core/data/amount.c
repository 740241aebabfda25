/* SPDX-License-Identifier: MIT */
/* Amounts; see amount.h. */
#include "amount.h"

#include <errno.h>

_Atomic int ninits, ncombines;

static void amount_join(struct amount *to, const struct amount *from)
{
	to->depth = (to->depth > from->depth ? to->depth : from->depth) + 1;
	to->combines += from->combines + 1;
}

static int zero_body(struct xy_call *call)
{
	*amount(call, 0) = (struct amount){ .value = 0 };
	atomic_fetch_add(&ninits, 1);
	return call->arg || call->nbuffers != 1 ? -ERANGE : 0;
}

static int one_body(struct xy_call *call)
{
	*amount(call, 0) = (struct amount){ .value = 1 };
	return 0;
}

int sum_body(struct xy_call *call)
{
	amount(call, 0)->value += amount(call, 1)->value;
	amount_join(amount(call, 0), amount(call, 1));
	atomic_fetch_add(&ncombines, 1);
	return 0;
}

static int product_body(struct xy_call *call)
{
	amount(call, 0)->value *= amount(call, 1)->value;
	amount_join(amount(call, 0), amount(call, 1));
	return 0;
}

const struct xy_codelet zero = { .name = "zero", .cpu = { zero_body }, .modes = { XY_W } };
const struct xy_codelet one = { .name = "one", .cpu = { one_body }, .modes = { XY_W } };
const struct xy_codelet sum = { .name = "sum", .cpu = { sum_body }, .modes = { XY_RW, XY_R } };
const struct xy_codelet product = {
	.name = "product",
	.cpu = { product_body },
	.modes = { XY_RW | XY_COMMUTE, XY_R },
};

int add_body(struct xy_call *call)
{
	amount(call, 0)->value += *(uint64_t *)call->arg;
	return 0;
}

int multiply_body(struct xy_call *call)
{
	amount(call, 0)->value *= *(uint64_t *)call->arg;
	return 0;
}

static int set_body(struct xy_call *call)
{
	*amount(call, 0) = (struct amount){ .value = *(uint64_t *)call->arg };
	return 0;
}

static int is_body(struct xy_call *call)
{
	return amount(call, 0)->value == *(uint64_t *)call->arg ? 0 : -ERANGE;
}

const struct xy_codelet add = { .name = "add", .cpu = { add_body }, .modes = { XY_REDUX } };
const struct xy_codelet multiply = { .name = "multiply", .cpu = { multiply_body }, .modes = { XY_REDUX } };
const struct xy_codelet set = { .name = "set", .cpu = { set_body }, .modes = { XY_W } };
const struct xy_codelet is = { .name = "is", .cpu = { is_body }, .modes = { XY_R } };

void submit(struct helper *h, const struct xy_codelet *codelet, struct xy_handle *handle, uint64_t x)
{
	HELPER_SUBMIT(h, .codelet = codelet, .handles = { handle }, .arg = &x, .arg_size = sizeof x);
}

struct xy_handle *register_sum(struct helper *h, struct amount *a)
{
	struct xy_handle *handle;

	assert_int_equal(xy_variable_register(h->rt, &handle, a, sizeof *a), 0);
	assert_int_equal(xy_handle_set_reduction(handle, &zero, &sum), 0);
	return handle;
}

static int meet_body(struct xy_call *call)
{
	struct meeting *meeting = *(struct meeting **)call->arg;

	amount(call, 0)->value += 1;
	helper_add(&meeting->inside);
	return helper_body_reach(&meeting->inside, meeting->all);
}

const struct xy_codelet meet = { .name = "meet", .cpu = { meet_body }, .modes = { XY_REDUX } };
