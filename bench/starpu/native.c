/* SPDX-License-Identifier: MIT */
/*
 * The first two graphs of graphs.c by Xylem's own calls, to count the instructions that StarPU's interface adds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xylem.h>

static int nothing(struct xy_call *call)
{
	(void)call;
	return 0;
}

static const struct xy_codelet empty = { .name = "empty", .cpu = { nothing } };
static const struct xy_codelet update = { .name = "update", .cpu = { nothing }, .modes = { XY_RW } };

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	struct xy_runtime *rt;
	struct xy_handle *h;
	int value = 0, error;

	if (!n || (strcmp(argv[1], "independent") && strcmp(argv[1], "chain"))) {
		fprintf(stderr, "usage: native independent|chain TASKS\n");
		return 2;
	}
	error = xy_start(&rt, NULL);
	if (!error)
		error = xy_variable_register(rt, &h, &value, sizeof value);
	for (unsigned long i = 0; i < n && !error; i++)
		error = strcmp(argv[1], "chain") ? xy_insert(rt, &empty) : xy_insert(rt, &update, xy_rw(h));
	if (!error)
		error = xy_wait(rt);
	if (error) {
		fprintf(stderr, "%s\n", strerror(-error));
		return 1;
	}
	xy_unregister(&h);
	return xy_stop(&rt) != 0;
}
