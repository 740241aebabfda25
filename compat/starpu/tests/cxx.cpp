/* SPDX-License-Identifier: MIT */
/* A program in C++. */
#include <starpu.h>
#include <vector>

static void twice(void *buffers[], void *)
{
	auto *v = reinterpret_cast<double *>(STARPU_VECTOR_GET_PTR(buffers[0]));

	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i] *= 2;
}

int main()
{
	struct starpu_codelet cl;
	std::vector<double> v(100, 1.5);
	starpu_data_handle_t handle;

	starpu_codelet_init(&cl);
	cl.cpu_funcs[0] = twice;
	cl.nbuffers = 1;
	cl.modes[0] = STARPU_RW;
	cl.name = "twice";
	if (starpu_init(nullptr))
		return 1;
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(v.data()), v.size(), sizeof(v[0]));
	for (int i = 0; i < 3; i++)
		if (starpu_task_insert(&cl, STARPU_RW, handle, 0))
			return 1;
	starpu_data_unregister(handle);
	starpu_shutdown();
	return v[99] == 12 ? 0 : 1;
}
