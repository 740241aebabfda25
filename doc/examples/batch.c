/* SPDX-License-Identifier: MIT */
/* A batch: the roots of a million numbers are added up, in pieces of the sizes that the policy chooses. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <xylem.h>

static int evaluate(struct xy_batch_piece *piece, struct xy_batch_device *device)
{
	const double *points = piece->arg;
	double *sum = calloc(1, sizeof *sum);

	(void)device;
	piece->result = sum;
	for (uint64_t i = piece->range.start; sum && i < piece->range.stop; i++)
		*sum += sqrt(points[i]);
	return sum ? 0 : -ENOMEM;
}

static int join(void *arg, struct xy_batch_piece *pieces, size_t n)
{
	double sum = 0;

	(void)arg;
	for (size_t i = 0; i < n; i++) {
		sum += *(double *)pieces[i].result;
		free(pieces[i].result);
	}
	printf("the sum is %.0f\n", sum);
	return 0;
}

static void drop(struct xy_batch_piece *piece)
{
	free(piece->result);
}

static const struct xy_batch_ops ops = { .name = "roots", .work = evaluate, .reduce = join, .discard = drop };
static double points[1000000];

int main(void)
{
	struct xy_runtime *rt;
	int error;

	for (int i = 0; i < 1000000; i++)
		points[i] = i;
	if (xy_start(&rt, &(struct xy_config){ .sched = "tree-batch-auto" }))
		return 1;
	error = xy_batch_run(rt, &ops, &(struct xy_batch){ .start = 0, .stop = 1000000, .arg = points });
	xy_stop(&rt);
	return error ? 1 : 0;
}
