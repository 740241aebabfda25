/* SPDX-License-Identifier: MIT */
/* Devices shared by processes: together they stay within the capacity, and one that dies gives its share back. */
#include "recording.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "components/share.h"

static const char *table_name(void)
{
	static char name[32];

	snprintf(name, sizeof name, "test-%ld", (long)getppid() * 100000 + getpid() % 100000);
	return name;
}

/* Its name, as a child of this process sees it, is the one that it was given. */
static struct xy__share *join(const char *name)
{
	struct xy__share *share;
	int error;

	share = xy__share_join(name, &error);
	if (!share)
		fail_msg("xy__share_join: %s", strerror(-error));
	return share;
}

static void processes_stay_within_the_capacity(void **state)
{
	const char *name = table_name();
	struct xy__share *share = join(name), *other = join(name);
	int device = xy__share_device(share, "cuda:0");

	(void)state;
	assert_true(device >= 0);
	assert_int_equal(xy__share_device(other, "cuda:0"), device);
	assert_int_not_equal(xy__share_device(other, "cpu"), device);
	assert_true(xy__share_take(share, (unsigned)device, 60, 100));
	assert_false(xy__share_take(other, (unsigned)device, 60, 100));
	assert_true(xy__share_take(other, (unsigned)device, 40, 100));
	xy__share_give(share, (unsigned)device, 60);
	assert_true(xy__share_take(other, (unsigned)device, 60, 100));
	xy__share_leave(other);
	assert_true(xy__share_take(share, (unsigned)device, 100, 100));
	xy__share_leave(share);
	/* The last one has removed it: a new one is empty. */
	share = join(name);
	assert_true(xy__share_take(share, (unsigned)xy__share_device(share, "cuda:0"), 100, 100));
	xy__share_leave(share);
}

/* A process that takes what there is, says so, and waits to be killed; with `locked` it dies with the lock held. */
static pid_t start_rank(const char *name)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		int error;
		struct xy__share *share = xy__share_join(name, &error);

		if (!share || !xy__share_take(share, (unsigned)xy__share_device(share, "cpu"), 10, 10))
			_exit(1);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void a_rank_that_is_killed_gives_its_share_back(void **state)
{
	const char *name = table_name();
	struct xy__share *keeper = join(name);
	char text[256];
	struct bed *bed;
	struct xy_task *piece;
	pid_t rank = start_rank(name);

	(void)state;
	snprintf(text, sizeof text,
		 "prio | hybrid(devices=cpu, batch_sizes=10, share=%s) | each node { fifo | eager | each worker { } }",
		 name);
	bed = bed_parse("cpu:1", text);
	bed_submit(bed, bed_task_divisible(bed, XY_ON_CPU, 20));
	assert_null(bed_pull(bed, 0));
	assert_int_equal(kill(rank, SIGKILL), 0);
	assert_int_equal(waitpid(rank, NULL, 0), rank);
	/* What a tick does, which hybrid asked for. */
	xy_tree_component(bed->tree, 1)->ops->tick(xy_tree_component(bed->tree, 1), &bed->workers[0]);
	piece = bed_pull(bed, 0);
	assert_non_null(piece);
	assert_int_equal(xy_task_range(piece).stop, 10);
	/* Now this process has it all. */
	assert_false(xy__share_take(keeper, (unsigned)xy__share_device(keeper, "cpu"), 1, 10));
	bed_end(bed, piece, 0, 0);
	assert_ptr_equal(bed_pull(bed, 0), bed->tasks[0]);
	bed_end(bed, bed->tasks[0], 0, 0);
	assert_true(xy__share_take(keeper, (unsigned)xy__share_device(keeper, "cpu"), 10, 10));
	bed_close(bed);
	xy__share_leave(keeper);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_stay_within_the_capacity),
		cmocka_unit_test(a_rank_that_is_killed_gives_its_share_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
