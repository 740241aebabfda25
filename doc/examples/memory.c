/* SPDX-License-Identifier: MIT */
/* The program of doc/memory.md: where the copies of a vector are, and what was moved, after each step. It runs on
 * two memory nodes of any computer: the cores are taken as if they were in two NUMA nodes. */
#include <stdio.h>
#include <stdlib.h>
#include <xylem.h>

enum { SIZE = 1 << 20 }; /* of the vector, in bytes */

/* --- the codelets --- */

static int look_cpu(struct xy_call *call)
{
	const char *bytes = xy_pointer(call, 0);

	return bytes[0] == bytes[SIZE - 1] ? 0 : 1;
}

static int count_cpu(struct xy_call *call)
{
	char *bytes = xy_pointer(call, 0);

	for (size_t i = 0; i < SIZE; i++)
		bytes[i]++;
	return 0;
}

static int clear_cpu(struct xy_call *call)
{
	char *bytes = xy_pointer(call, 0);

	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = 0;
	return 0;
}

static const struct xy_codelet look = { .name = "look", .cpu = { look_cpu }, .modes = { XY_R } };
static const struct xy_codelet count = { .name = "count", .cpu = { count_cpu }, .modes = { XY_RW } };
static const struct xy_codelet clear = { .name = "clear", .cpu = { clear_cpu }, .modes = { XY_W } };

/* --- the steps --- */

/* Where the copies are, and the bytes that each node got since the start. */
static void show(struct xy_runtime *rt, struct xy_handle *v, const char *step)
{
	const struct xy_machine *machine = xy_runtime_machine(rt);
	struct xy_node_stats stats[2] = { { 0 } };

	for (unsigned node = 0; node < 2; node++)
		xy_node_stats(rt, node, &stats[node]);
	printf("%-36s valid on", step);
	for (unsigned node = 0; node < 2; node++)
		printf(" %-4s", xy_handle_nodes(v) >> node & 1 ? xy_machine_node(machine, node)->name : "-");
	printf("  came to ram0: %-7llu  to ram1: %llu\n", stats[0].bytes_in, stats[1].bytes_in);
}

/* Has a task run on the core in the second node. */
static void run(struct xy_runtime *rt, struct xy_handle *v, const struct xy_codelet *codelet, const char *step)
{
	unsigned worker = 1;
	int error = xy_submit(
		rt,
		&(struct xy_task_desc){
			.codelet = codelet, .handles = { v }, .workers = &worker, .nworkers = 1, .synchronous = true });

	if (error)
		exit(1);
	if (step)
		show(rt, v, step);
}

int main(void)
{
	char *bytes = calloc(1, SIZE);
	struct xy_runtime *rt;
	struct xy_handle *v;

	if (!bytes || xy_start(&rt, &(struct xy_config){ .machine = "this(numa:2 core:1)",
							 .numa = true,
							 .bind = XY_NO,
							 .arch[XY_CUDA].devices = "none",
							 .arch[XY_OPENCL].devices = "none" }))
		return 1;
	if (xy_vector_register(rt, &v, bytes, SIZE, 1))
		return 1;
	show(rt, v, "registered");
	run(rt, v, &look, "a task reads it in ram1");
	run(rt, v, &look, "another one does");
	run(rt, v, &count, "a task changes it in ram1");
	run(rt, v, &clear, "a task overwrites it in ram1");
	if (xy_acquire(v, XY_R))
		return 1;
	show(rt, v, "the application reads it");
	xy_release(v);
	xy_evict(v, 1);
	xy_fetch(v, 0); /* waits for its turn, which is after that of evict */
	show(rt, v, "the copy in ram1 is given up");
	xy_handle_set_write_through(v, 1u << 0);
	run(rt, v, &count, NULL);
	xy_fetch(v, 0); /* finds it there, or on its way */
	show(rt, v, "changed in ram1 and written through");
	if (xy_unregister(&v))
		return 1;
	free(bytes);
	return xy_stop(&rt) ? 1 : 0;
}
