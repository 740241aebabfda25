/* SPDX-License-Identifier: MIT */
/*
 * block: planes of lines of elements.
 */
#include "core/data/array.h"

static struct xy__array block_array(const struct xy_block *block)
{
	return (struct xy__array){
		3,
		{ block->nx, block->ny, block->nz },
		{ 1, block->ldy, block->ldz },
		block->elem,
	};
}

static unsigned block_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	struct xy__array array = block_array(view);

	return xy__array_part(&array, offsetof(struct xy_block, ptr), parts);
}

static void block_compact(void *view)
{
	struct xy_block *block = view;

	block->ldy = block->nx;
	block->ldz = block->nx * block->ny;
}

static int block_check(const void *view, char *error, size_t error_size)
{
	struct xy__array array = block_array(view);

	return xy__array_check(&array, error, error_size);
}

int xy_block_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_block *block)
{
	struct xy_block view;

	if (block) {
		view = *block;
		view.ldy = view.ldy ? view.ldy : view.nx;
		view.ldz = view.ldz ? view.ldz : view.ldy * view.ny;
	}
	return xy_register(rt, h, &xy_block_interface, block ? &view : NULL);
}

const struct xy_interface xy_block_interface = {
	.name = "block",
	.view_size = sizeof(struct xy_block),
	.parts = block_parts,
	.compact = block_compact,
	.check = block_check,
};
