/* SPDX-License-Identifier: MIT */
/*
 * variable: some bytes.
 */
#include "core/data/array.h"

static struct xy__array variable_array(const struct xy_variable *variable)
{
	return (struct xy__array){ 1, { 1 }, { 1 }, variable->size };
}

static unsigned variable_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	struct xy__array array = variable_array(view);

	return xy__array_part(&array, offsetof(struct xy_variable, ptr), parts);
}

static int variable_check(const void *view, char *error, size_t error_size)
{
	struct xy__array array = variable_array(view);

	return xy__array_check(&array, error, error_size);
}

int xy_variable_register(struct xy_runtime *rt, struct xy_handle **h, void *ptr, size_t size)
{
	return xy_register(rt, h, &xy_variable_interface, &(struct xy_variable){ ptr, size });
}

const struct xy_interface xy_variable_interface = {
	.name = "variable",
	.view_size = sizeof(struct xy_variable),
	.parts = variable_parts,
	.check = variable_check,
};
