/* SPDX-License-Identifier: MIT */
/* Registers a shape with named sizes in C++17, and prints its content's size and the strides it got. */
#include <cstdio>
#include <xylem.h>
#include <xylem/interface.h>

int main()
{
	short data[60];
	xy_block block = {};
	xy_runtime *rt;
	xy_handle *h;

	block.ptr = data;
	block.nx = 2;
	block.ny = 3;
	block.nz = 2;
	block.ldy = 5;
	block.elem = sizeof data[0];
	if (xy_start(&rt, nullptr) || xy_block_register(rt, &h, &block))
		return 1;
	const auto *view = static_cast<const xy_block *>(xy_handle_view(h));
	std::printf("%zu %zu %zu\n", xy_handle_size(h), view->ldy, view->ldz);
	return xy_unregister(&h) || xy_stop(&rt) ? 1 : 0;
}
