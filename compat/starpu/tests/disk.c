/* SPDX-License-Identifier: MIT */
/* Data that begins and ends in files, with each kind of disk. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <starpu.h>
#include <starpu_disk.h>

#define N 1000

static char folder[64];

static void add_one(void *buffers[], void *arg)
{
	int *values = (int *)STARPU_VECTOR_GET_PTR(buffers[0]);
	unsigned n = STARPU_VECTOR_GET_NX(buffers[0]);

	(void)arg;
	for (unsigned i = 0; i < n; i++)
		values[i]++;
}

static struct starpu_codelet add_cl = { .cpu_funcs = { add_one }, .nbuffers = 1, .modes = { STARPU_RW } };

static void write_file(const char *name, int first)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	out = fopen(path, "wb");
	assert(out);
	for (int i = 0; i < N; i++) {
		int value = first + i;

		assert(fwrite(&value, sizeof value, 1, out) == 1);
	}
	fclose(out);
}

static void check_file(const char *name, int first)
{
	char path[128];
	FILE *in;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	in = fopen(path, "rb");
	assert(in);
	for (int i = 0; i < N; i++) {
		int value;

		assert(fread(&value, sizeof value, 1, in) == 1 && value == first + i);
	}
	fclose(in);
	unlink(path);
}

static void try(struct starpu_disk_ops *ops)
{
	struct starpu_conf conf;
	starpu_data_handle_t a, b;
	void *file_a, *file_b;
	int node;

	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.ncuda = conf.nopencl = 0;
	assert(!starpu_init(&conf));
	assert(starpu_disk_register(ops, (void *)"/nowhere/at/all", STARPU_DISK_SIZE_MIN) == -ENOENT);
	assert(starpu_disk_register(ops, folder, 1) == -EINVAL);
	node = starpu_disk_register(ops, folder, STARPU_DISK_SIZE_MIN);
	assert(node > 0 && starpu_node_get_kind((unsigned)node) == STARPU_DISK_RAM);
	assert(starpu_memory_nodes_get_count() == (unsigned)node + 1);
	write_file("a", 10);
	write_file("b", 500);
	assert(!starpu_disk_open((unsigned)node, (void *)"missing", N * sizeof(int)));
	file_a = starpu_disk_open((unsigned)node, (void *)"a", N * sizeof(int));
	file_b = starpu_disk_open((unsigned)node, (void *)"b", N * sizeof(int));
	assert(file_a && file_b);
	starpu_vector_data_register(&a, node, (uintptr_t)file_a, N, sizeof(int));
	starpu_vector_data_register(&b, node, (uintptr_t)file_b, N, sizeof(int));
	assert(starpu_data_get_home_node(a) == node);
	for (int i = 0; i < 3; i++)
		assert(!starpu_task_insert(&add_cl, STARPU_RW, a, 0));
	assert(!starpu_data_cpy(b, a, 0, NULL, NULL));
	starpu_data_unregister(a);
	starpu_data_unregister_submit(b);
	starpu_task_wait_for_all();
	starpu_disk_close((unsigned)node, file_a, N * sizeof(int));
	starpu_disk_close((unsigned)node, file_b, N * sizeof(int));
	starpu_shutdown();
	check_file("a", 13);
	check_file("b", 13);
}

int main(void)
{
	snprintf(folder, sizeof folder, "/tmp/xylem-disk-XXXXXX");
	assert(_starpu_mkdtemp(folder));
	try(&starpu_disk_stdio_ops);
	try(&starpu_disk_unistd_ops);
	try(&starpu_disk_unistd_o_direct_ops);
	return rmdir(folder);
}
