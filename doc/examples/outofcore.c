/* SPDX-License-Identifier: MIT */
/* Sums up vectors that have three times as much data as RAM may hold. */
#include <stdio.h>
#include <xylem.h>

enum { NVECTORS = 48, N = 1 << 16 };

static int fill_cpu(struct xy_call *call)
{
	double *v = xy_pointer(call, 0);

	for (size_t i = 0; i < xy_vector_at(call, 0)->n; i++)
		v[i] = (double)i;
	return 0;
}

static int add_cpu(struct xy_call *call)
{
	double *sum = xy_pointer(call, 0);
	const double *v = xy_pointer(call, 1);

	for (size_t i = 0; i < xy_vector_at(call, 0)->n; i++)
		sum[i] += v[i];
	return 0;
}

static const struct xy_codelet fill = { .name = "fill", .cpu = { fill_cpu } };
static const struct xy_codelet add = { .name = "add", .cpu = { add_cpu } };

int main(void)
{
	struct xy_handle *sum, *v[NVECTORS];
	struct xy_node_stats ram, disk;
	struct xy_runtime *rt;
	double last;
	int node;

	if (xy_start(&rt, &(struct xy_config){ .limit_ram = "8M", .sched = "tree-eager-prefetching" }))
		return 1;
	node = xy_disk_add(rt, ".", 64 << 20); /* or XYLEM_DISK=.:64M */
	if (node < 0 || xy_vector_register(rt, &sum, NULL, N, sizeof(double)))
		return 1;
	for (unsigned i = 0; i < NVECTORS; i++) {
		if (xy_vector_register(rt, &v[i], NULL, N, sizeof(double)))
			return 1;
		xy_insert(rt, &fill, xy_w(v[i]));
	}
	for (unsigned i = 0; i < NVECTORS; i++)
		xy_insert(rt, &add, xy_rw(sum), xy_r(v[i]));
	if (xy_acquire(sum, XY_R))
		return 1;
	last = ((double *)xy_handle_pointer(sum))[N - 1];
	xy_release(sum);
	xy_node_stats(rt, 0, &ram);
	xy_node_stats(rt, (unsigned)node, &disk);
	printf("last sum %.0f, at most %zu MiB of %zu in RAM, %s\n", last, ram.most_bytes >> 20, ram.limit_bytes >> 20,
	       disk.bytes_in && disk.bytes_out ? "the rest on disk" : "nothing on disk");
	xy_unregister(&sum);
	for (unsigned i = 0; i < NVECTORS; i++)
		xy_unregister(&v[i]);
	return xy_stop(&rt) ? 1 : 0;
}
