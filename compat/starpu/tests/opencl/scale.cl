/* SPDX-License-Identifier: MIT */
#include "scale.h"
kernel void scale(uint nx, global float *v, uint offset, float factor)
{
	v = (global float *)((global char *)v + offset);
	if (get_global_id(0) < nx)
		SCALE(v[get_global_id(0)], factor);
}
kernel void add(uint nx, uint ny, uint ld, global float *m, uint offset, float by)
{
	uint x = get_global_id(0), y = get_global_id(1);

	m = (global float *)((global char *)m + offset);
	if (x < nx && y < ny)
		m[y * ld + x] += by * (float)(y + 1);
}
