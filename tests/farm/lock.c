/* SPDX-License-Identifier: MIT */
/* The lock of a farm: refused while its owner lives, here or on another computer, and taken over when it is gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "farm/lock.h"

static char folder[] = "/tmp/xylem-lock-XXXXXX", path[64], said[2000];

static void note(void *arg, const char *line)
{
	(void)arg;
	snprintf(said, sizeof(said), "%s", line);
}

static const struct farm_report report = { .say = note };

/* Leaves a lock as a manager on another computer has it, touched some seconds ago. */
static void leave(const char *host, long age_s)
{
	struct timespec times[2] = { { .tv_sec = time(NULL) - age_s }, { .tv_sec = time(NULL) - age_s } };
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fprintf(file, "{\"host\":\"%s\",\"pid\":123,\"user\":0,\"since\":1}\n", host);
	fclose(file);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void a_second_manager_is_refused_and_told_the_owner(void **state)
{
	struct farm_lock first, second;

	(void)state;
	assert_int_equal(farm_lock(&first, folder, "here", 300, &report), 0);
	assert_int_equal(farm_lock(&second, folder, "here", 300, &report), -EBUSY);
	assert_non_null(strstr(said, "on here manages this farm"));
	farm_lock_release(&first);
	assert_int_equal(farm_lock(&second, folder, "here", 300, &report), 0);
	farm_lock_release(&second);
}

static void an_owner_elsewhere_lives_while_it_touches_the_lock(void **state)
{
	struct farm_lock lock;

	(void)state;
	leave("there", 10);
	assert_int_equal(farm_lock(&lock, folder, "here", 300, &report), -EBUSY);
	assert_non_null(strstr(said, "process 123 on there"));
	leave("there", 1000);
	assert_int_equal(farm_lock(&lock, folder, "here", 300, &report), 0);
	assert_non_null(strstr(said, "taking over from process 123 on there"));
	farm_lock_release(&lock);
}

static void a_dead_owner_here_is_replaced_at_once(void **state)
{
	struct farm_lock lock;

	(void)state;
	leave("here", 0);
	assert_int_equal(farm_lock(&lock, folder, "here", 300, &report), 0);
	assert_non_null(strstr(said, "taking over"));
	farm_lock_release(&lock);
}

static void an_owner_notices_that_another_took_over(void **state)
{
	struct farm_lock lock;

	(void)state;
	assert_int_equal(farm_lock(&lock, folder, "here", 300, &report), 0);
	assert_int_equal(farm_lock_touch(&lock, &report), 0);
	leave("there", 0);
	assert_int_equal(farm_lock_touch(&lock, &report), -EBUSY);
	assert_non_null(strstr(said, "another manager took over"));
	farm_lock_release(&lock);
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/lock", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_second_manager_is_refused_and_told_the_owner),
		cmocka_unit_test(an_owner_elsewhere_lives_while_it_touches_the_lock),
		cmocka_unit_test(a_dead_owner_here_is_replaced_at_once),
		cmocka_unit_test(an_owner_notices_that_another_took_over),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
