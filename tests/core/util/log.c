/* SPDX-License-Identifier: MIT */
/* Log lines reach the program's function or stderr, whole and one at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/util/log.h"

struct capture {
	unsigned lines;
	char last[2048];
};

static void capture_line(void *arg, const char *line)
{
	struct capture *c = arg;

	c->lines++;
	snprintf(c->last, sizeof(c->last), "%s", line);
}

/* What the log writes to stderr when it has no function. */
static void log_to_stderr(const struct xy__log *log, const char *message, char *text, size_t size)
{
	int ends[2], saved = dup(STDERR_FILENO);
	ssize_t n;

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	xy__log(log, "%s", message);
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = read(ends[0], text, size - 1);
	close(ends[0]);
	assert_true(n >= 0);
	text[n] = '\0';
}

static void gives_the_line_to_the_function(void **state)
{
	struct capture c = { 0 };
	struct xy__log log = { capture_line, &c };

	(void)state;
	xy__log(&log, "%s is %d", "answer", 42);
	assert_int_equal(c.lines, 1);
	assert_string_equal(c.last, "answer is 42");
}

static void writes_to_stderr_without_a_function(void **state)
{
	struct xy__log log = { 0 };
	char text[256];

	(void)state;
	log_to_stderr(&log, "hello", text, sizeof(text));
	assert_string_equal(text, "xylem: hello\n");
	log_to_stderr(NULL, "", text, sizeof(text));
	assert_string_equal(text, "xylem: \n");
}

static void cuts_a_line_that_is_too_long(void **state)
{
	struct capture c = { 0 };
	struct xy__log log = { capture_line, &c };
	char text[3000];

	(void)state;
	memset(text, 'a', sizeof(text));
	text[1023] = '\0';
	xy__log(&log, "%s", text);
	assert_string_equal(c.last, text);
	text[1023] = 'a';
	text[2999] = '\0';
	xy__log(&log, "%s", text);
	assert_int_equal(strlen(c.last), 1023);
	assert_string_equal(c.last + 1019, "a...");
	log_to_stderr(NULL, text, c.last, sizeof(c.last));
	assert_int_equal(strlen(c.last), strlen("xylem: ") + 1023 + 1);
}

static void does_not_cut_inside_a_character(void **state)
{
	struct capture c = { 0 };
	struct xy__log log = { capture_line, &c };
	char text[2001];

	(void)state;
	for (size_t i = 0; i < 2000; i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	text[2000] = '\0';
	for (size_t shift = 0; shift < 2; shift++) {
		size_t length;

		xy__log(&log, "%.*s%s", (int)shift, "x", text);
		length = strlen(c.last);
		assert_true(length >= 1022 && length <= 1023);
		assert_string_equal(c.last + length - 5, "\xc3\xa9...");
	}
}

static void keeps_a_message_on_one_line(void **state)
{
	struct capture c = { 0 };
	struct xy__log log = { capture_line, &c };

	(void)state;
	xy__log(&log, "a\nxylem: b\tc\x1b[31m\x7f");
	assert_string_equal(c.last, "a xylem: b c [31m ");
}

static void leaves_errno_alone(void **state)
{
	int saved = dup(STDERR_FILENO);

	(void)state;
	close(STDERR_FILENO);
	errno = ENOTTY;
	xy__log(NULL, "nobody reads this");
	assert_int_equal(errno, ENOTTY);
	dup2(saved, STDERR_FILENO);
	close(saved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_the_line_to_the_function), cmocka_unit_test(writes_to_stderr_without_a_function),
		cmocka_unit_test(cuts_a_line_that_is_too_long),   cmocka_unit_test(does_not_cut_inside_a_character),
		cmocka_unit_test(keeps_a_message_on_one_line),    cmocka_unit_test(leaves_errno_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
