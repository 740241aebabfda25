/* SPDX-License-Identifier: MIT */
/*
 * One line to the application's log function, or to stderr as "xylem: ...". Never to stdout.
 */
#ifndef XYLEM_CORE_UTIL_LOG_H
#define XYLEM_CORE_UTIL_LOG_H

struct xy__log {
	void (*function)(void *arg, const char *line); /* NULL: stderr */
	void *arg;
};

/* Formats and writes one line; longer than 1023 characters is cut. Any thread. log may be NULL. */
__attribute__((format(printf, 2, 3))) void xy__log(const struct xy__log *log, const char *format, ...);

#endif
