/* SPDX-License-Identifier: MIT */
/*
 * Failure is a value: a codelet returns it, tasks that need its result are cancelled, everything else goes on, and
 * wait returns it. A task can be retried.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xylem.h>

/* Fails as often as requested. */
static int read_cpu(struct xy_call *call)
{
	int *failures_left = call->arg;

	if (*failures_left > 0) {
		(*failures_left)--;
		return -EIO;
	}
	*(double *)xy_pointer(call, 0) = 42;
	return 0;
}

static int increment_cpu(struct xy_call *call)
{
	*(double *)xy_pointer(call, 0) += 1;
	return 0;
}

static int set_cpu(struct xy_call *call)
{
	*(double *)xy_pointer(call, 0) = 1;
	return 0;
}

static const struct xy_codelet read_it = { .name = "read", .cpu = { read_cpu }, .modes = { XY_W } };
static const struct xy_codelet increment = { .name = "increment", .cpu = { increment_cpu }, .modes = { XY_RW } };
static const struct xy_codelet set = { .name = "set", .cpu = { set_cpu }, .modes = { XY_W } };

static void ended(void *arg, int status)
{
	printf("  %s: %s\n", (const char *)arg, status ? strerror(-status) : "done");
}

static void submit(struct xy_runtime *rt, const struct xy_codelet *codelet, struct xy_handle *h,
		   struct xy_task_desc more)
{
	more.codelet = codelet;
	more.handles[0] = h;
	more.callback = ended;
	more.callback_arg = (void *)codelet->name;
	xy_submit(rt, &more);
}

int main(void)
{
	double x = 0;
	int once = 1, often = 100, status;
	struct xy_runtime *rt;
	struct xy_handle *h;

	if (xy_start(&rt, NULL) || xy_variable_register(rt, &h, &x, sizeof x))
		return 1;

	printf("a task that fails once and may run twice more:\n");
	submit(rt, &read_it, h, (struct xy_task_desc){ .arg = &once, .retries = 2 });
	submit(rt, &increment, h, (struct xy_task_desc){ 0 });
	printf("  wait: %d\n", xy_wait(rt));

	printf("a task that keeps failing, and one that needs its result:\n");
	submit(rt, &read_it, h, (struct xy_task_desc){ .arg = &often, .retries = 2 });
	submit(rt, &increment, h, (struct xy_task_desc){ 0 });
	status = xy_wait(rt);
	printf("  wait: %d, %s\n", status, xy_error(rt));

	printf("a task that writes the data anew makes it good again:\n");
	submit(rt, &set, h, (struct xy_task_desc){ 0 });
	submit(rt, &increment, h, (struct xy_task_desc){ 0 });
	printf("  wait: %d\n", xy_wait(rt));

	status = xy_unregister(&h);
	printf("x = %g\n", x);
	return xy_stop(&rt) || status || x != 2 ? 1 : 0;
}
