/* SPDX-License-Identifier: MIT */
/*
 * void: no data at all, only dependencies.
 */
#include <xylem/interface.h>

/* So that xy_pointer gives NULL. */
struct void_view {
	void *ptr;
};

static unsigned void_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	(void)view;
	(void)parts;
	return 0;
}

int xy_void_register(struct xy_runtime *rt, struct xy_handle **h)
{
	return xy_register(rt, h, &xy_void_interface, &(struct void_view){ 0 });
}

const struct xy_interface xy_void_interface = {
	.name = "void",
	.view_size = sizeof(struct void_view),
	.parts = void_parts,
};
