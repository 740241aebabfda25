/* SPDX-License-Identifier: MIT */
/* Devices shared by processes: together they stay within the capacity, and one that dies gives its share back. */
#include "recording.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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
	assert_int_equal(device, 0); /* no row of the table is wasted */
	assert_int_equal(xy__share_device(other, "cuda:0"), device);
	assert_int_equal(xy__share_device(other, "cpu"), 1);
	assert_true(xy__share_take(share, (unsigned)device, 60, 100));
	assert_false(xy__share_take(other, (unsigned)device, 60, 100));
	assert_true(xy__share_take(other, (unsigned)device, 40, 100));
	xy__share_give(share, (unsigned)device, 60);
	assert_true(xy__share_take(other, (unsigned)device, 60, 100));
	xy__share_leave(other);
	assert_true(xy__share_take(share, (unsigned)device, 100, 100));
	/* One that leaves does not remove what the first one uses. */
	other = join(name);
	assert_false(xy__share_take(other, (unsigned)device, 1, 100));
	xy__share_leave(other);
	xy__share_leave(share);
	/* The last one has removed it: a new one is empty. */
	share = join(name);
	assert_true(xy__share_take(share, (unsigned)xy__share_device(share, "cuda:0"), 100, 100));
	xy__share_leave(share);
}

/* A process that takes what there is of a device, says so, and waits to be killed. */
static pid_t start_rank(const char *name, const char *device, uint64_t n)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		int error;
		struct xy__share *share = xy__share_join(name, &error);

		if (!share || !xy__share_take(share, (unsigned)xy__share_device(share, device), n, n))
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

/* The ticks that the mapper asked for find out that a rank is gone. The piece that a worker gets then. */
static struct xy_task *tick_until_pulled(struct bed *bed, unsigned worker)
{
	struct xy_component *mapper = xy_tree_component(bed->tree, 1);
	struct xy_task *piece = NULL;

	for (unsigned i = 0; i < 10000 && !piece; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		mapper->ops->tick(mapper, &bed->workers[worker]);
		piece = bed_pull(bed, worker);
	}
	assert_non_null(piece);
	return piece;
}

static void a_rank_that_is_killed_gives_its_share_back(void **state)
{
	const char *name = table_name();
	struct xy__share *keeper = join(name), *other;
	char text[256];
	struct bed *bed;
	struct xy_task *piece;
	pid_t rank = start_rank(name, "cpu", 10);

	(void)state;
	snprintf(text, sizeof text,
		 "prio | hybrid(devices=cpu, batch_sizes=10, share=%s) | each node { fifo | eager | each worker { } }",
		 name);
	bed = bed_parse("cpu:1", text);
	bed_submit(bed, bed_task_divisible(bed, XY_ON_CPU, 20));
	assert_null(bed_pull(bed, 0));
	assert_int_equal(kill(rank, SIGKILL), 0);
	assert_int_equal(waitpid(rank, NULL, 0), rank);
	piece = tick_until_pulled(bed, 0);
	assert_int_equal(xy_task_range(piece).stop, 10);
	/* Now this process has it all. Who asks waits for its turn, so that must leave again. */
	other = join(name);
	assert_false(xy__share_take(other, (unsigned)xy__share_device(other, "cpu"), 1, 10));
	xy__share_leave(other);
	bed_end(bed, piece, 0, 0);
	assert_ptr_equal(bed_pull(bed, 0), bed->tasks[0]);
	bed_end(bed, bed->tasks[0], 0, 0);
	assert_true(xy__share_take(keeper, (unsigned)xy__share_device(keeper, "cpu"), 10, 10));
	bed_close(bed);
	xy__share_leave(keeper);
}

/* Both want all of a device, again and again. False if this process was stopped for so long that a turn was lost. */
static bool take_turns(struct xy__share *first, struct xy__share *second, unsigned device)
{
	bool fair;

	assert_true(xy__share_take(first, device, 10, 10));
	assert_false(xy__share_take(second, device, 10, 10));
	xy__share_give(first, device, 10);
	fair = !xy__share_take(first, device, 10, 10);
	if (fair)
		fair = xy__share_take(second, device, 10, 10);
	if (fair)
		xy__share_give(second, device, 10);
	else
		xy__share_give(first, device, 10);
	return fair;
}

static void the_rank_that_has_waited_longest_goes_first(void **state)
{
	const char *name = table_name();
	struct xy__share *first = join(name), *second = join(name);
	unsigned device = (unsigned)xy__share_device(first, "cuda:0"), fair = 0;

	(void)state;
	for (unsigned i = 0; i < 50 && !fair; i++) {
		/* Nobody waits any more. */
		nanosleep(&(struct timespec){ .tv_nsec = 60000000 }, NULL);
		fair = take_turns(first, second, device);
	}
	assert_true(fair);
	/* The first was refused then, and did not ask again. */
	nanosleep(&(struct timespec){ .tv_nsec = 60000000 }, NULL);
	assert_true(xy__share_take(second, device, 10, 10));
	xy__share_leave(first);
	xy__share_leave(second);
}

/* It may die at any point, also with the lock in its hands. */
static void ranks_may_die_while_they_take(void **state)
{
	enum { ROUNDS = 200 };
	const char *name = table_name();
	struct xy__share *keeper = join(name);
	unsigned device = (unsigned)xy__share_device(keeper, "cuda:0");

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		pid_t rank = fork();
		bool taken = false;

		if (!rank) {
			int error;
			struct xy__share *share = xy__share_join(name, &error);

			for (;;)
				if (share && xy__share_take(share, device, 5, 10))
					xy__share_give(share, device, 5);
		}
		assert_true(rank > 0);
		nanosleep(&(struct timespec){ .tv_nsec = (long)(i % 20) * 100000 }, NULL);
		assert_int_equal(kill(rank, SIGKILL), 0);
		assert_int_equal(waitpid(rank, NULL, 0), rank);
		for (unsigned k = 0; k < 1000 && !taken; k++) {
			taken = xy__share_take(keeper, device, 10, 10);
			if (!taken)
				nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		}
		assert_true(taken);
		xy__share_give(keeper, device, 10);
	}
	xy__share_leave(keeper);
}

/* Joins and leaves again and again. Whether nobody else ever had what it had taken. */
static bool come_and_go(const char *name, _Atomic bool *taken)
{
	enum { ROUNDS = 2000 };

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct xy__share *share = join(name);
		unsigned device = (unsigned)xy__share_device(share, "cuda:0");
		bool alone = true;

		if (xy__share_take(share, device, 10, 10)) {
			alone = !atomic_exchange(taken, true);
			sched_yield();
			atomic_store(taken, false);
			xy__share_give(share, device, 10);
		}
		xy__share_leave(share);
		if (!alone)
			return false;
	}
	return true;
}

/* The last one that leaves removes the table: another may have opened it just before, and must not use it then. */
static void ranks_that_come_and_go_share_one_table(void **state)
{
	enum { RANKS = 4 };
	const char *name = table_name();
	_Atomic bool *taken = mmap(NULL, sizeof *taken, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t ranks[RANKS];

	(void)state;
	assert_ptr_not_equal(taken, MAP_FAILED);
	for (unsigned i = 0; i < RANKS; i++) {
		ranks[i] = fork();
		assert_true(ranks[i] >= 0);
		if (!ranks[i])
			_exit(!come_and_go(name, taken));
	}
	for (unsigned i = 0; i < RANKS; i++) {
		int status;

		assert_int_equal(waitpid(ranks[i], &status, 0), ranks[i]);
		assert_int_equal(status, 0);
	}
	munmap((void *)taken, sizeof *taken);
}

/* What a process leaves that is killed while it makes the table: no size yet, or nothing in it. */
static void a_table_that_was_not_finished_is_made_anew(void **state)
{
	const char *name = table_name();
	char path[64];

	(void)state;
	snprintf(path, sizeof path, "/xylem-batch-%u-%s", (unsigned)getuid(), name);
	for (unsigned i = 0; i < 2; i++) {
		struct xy__share *share = join(name), *other;
		struct stat status;
		int fd;

		fd = shm_open(path, O_RDWR, 0600);
		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &status), 0);
		close(fd);
		xy__share_leave(share);
		fd = shm_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
		assert_true(fd >= 0);
		assert_int_equal(ftruncate(fd, i ? status.st_size : 0), 0);
		close(fd);
		share = join(name);
		other = join(name);
		assert_true(xy__share_take(share, (unsigned)xy__share_device(share, "cuda:0"), 10, 10));
		assert_false(xy__share_take(other, (unsigned)xy__share_device(other, "cuda:0"), 10, 10));
		xy__share_leave(other);
		xy__share_leave(share);
	}
}

/* Then nobody can look up which processes are alive, and what they have taken stays theirs. */
static void a_process_that_can_open_no_file_buries_nobody(void **state)
{
	const char *name = table_name();
	struct xy__share *taker = join(name), *other = join(name), *leaver = join(name);
	struct rlimit limit, none;

	(void)state;
	assert_true(xy__share_take(taker, (unsigned)xy__share_device(taker, "cuda:0"), 10, 10));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	xy__share_leave(leaver);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_false(xy__share_take(other, (unsigned)xy__share_device(other, "cuda:0"), 1, 10));
	xy__share_leave(other);
	xy__share_leave(taker);
}

static void balance_shares_devices_but_not_cpus(void **state)
{
	const char *name = table_name();
	struct xy__share *keeper = join(name);
	char text[256];
	struct bed *bed;
	struct xy_task *piece;
	pid_t rank = start_rank(name, "cuda:0 pieces", 1);

	(void)state;
	snprintf(text, sizeof text, "prio | balance(share=%s) | each node { fifo | eager | each worker { } }", name);
	bed = bed_parse("cpu:1 cuda:1", text);
	bed_submit(bed, bed_task_divisible(bed, XY_ON_CPU | XY_ON_CUDA, 20));
	assert_null(bed_pull(bed, 1));
	piece = bed_pull(bed, 0);
	assert_non_null(piece);
	assert_int_equal(kill(rank, SIGKILL), 0);
	assert_int_equal(waitpid(rank, NULL, 0), rank);
	tick_until_pulled(bed, 1);
	assert_false(xy__share_take(keeper, (unsigned)xy__share_device(keeper, "cuda:0 pieces"), 1, 1));
	bed_close(bed);
	xy__share_leave(keeper);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_stay_within_the_capacity),
		cmocka_unit_test(a_rank_that_is_killed_gives_its_share_back),
		cmocka_unit_test(the_rank_that_has_waited_longest_goes_first),
		cmocka_unit_test(ranks_may_die_while_they_take),
		cmocka_unit_test(ranks_that_come_and_go_share_one_table),
		cmocka_unit_test(a_table_that_was_not_finished_is_made_anew),
		cmocka_unit_test(a_process_that_can_open_no_file_buries_nobody),
		cmocka_unit_test(balance_shares_devices_but_not_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
