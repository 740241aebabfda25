/* SPDX-License-Identifier: MIT */
/* hello.c in C++17. */
#include <cstdio>
#include <vector>
#include <xylem.h>

static const xy_codelet scale = [] {
	xy_codelet codelet = {};

	codelet.name = "scale";
	codelet.cpu[0] = [](xy_call *call) {
		auto *v = static_cast<double *>(xy_pointer(call, 0));
		const double factor = *static_cast<double *>(call->arg);

		for (size_t i = 0; i < xy_vector_at(call, 0)->n; i++)
			v[i] *= factor;
		return 0;
	};
	return codelet;
}();

int main()
{
	std::vector<double> v = { 1, 2, 3, 4 };
	double factor = 2.5;
	xy_runtime *rt;
	xy_handle *h;

	if (xy_start(&rt, nullptr) || xy_vector_register(rt, &h, v.data(), v.size(), sizeof v[0]))
		return 1;
	xy_insert(rt, &scale, xy_use(h, XY_RW | XY_COMMUTE), xy_copy(&factor, sizeof factor), xy_name("first"));
	xy_unregister(&h); /* waits for the task; the vector is ours again */
	std::printf("%g %g %g %g\n", v[0], v[1], v[2], v[3]);
	return xy_stop(&rt) ? 1 : 0;
}
