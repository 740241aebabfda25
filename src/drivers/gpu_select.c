/* SPDX-License-Identifier: MIT */
/* Selects devices: "" and "all", "none", or numbers as in "0,2". */
#include "drivers/gpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* These codes mean that there is no device, which is not an error: no GPU, or no kernel driver for one. */
static bool select_is_empty(enum cudaError code)
{
	return code == cudaSuccess || code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver ||
	       code == cudaErrorStubLibrary;
}

static int select_count(int *count, char *error, size_t error_size)
{
	const struct xy__gpu_api *api;
	enum cudaError code;
	const char *why;
	int status;

	*count = 0;
	api = xy__gpu_api(&status, &why);
	if (!api) {
		snprintf(error, error_size, "%s", why);
		return status == -ENOENT ? 0 : status;
	}
	code = api->cudaGetDeviceCount(count);
	if (code == cudaSuccess && *count > 0)
		return 0;
	*count = 0;
	api->cudaGetLastError();
	snprintf(error, error_size, "%s %s: %s (%s, %d)", xy__gpu_dialect.title,
		 select_is_empty(code) ? "has no device here" : "does not work", api->cudaGetErrorString(code),
		 api->cudaGetErrorName(code), (int)code);
	return select_is_empty(code) ? 0 : xy__gpu_errno(code);
}

static void select_take(int ordinal, int *ordinals, unsigned *n)
{
	for (unsigned i = 0; i < *n; i++)
		if (ordinals[i] == ordinal)
			return;
	if (*n < XY__GPU_DEVICES)
		ordinals[(*n)++] = ordinal;
}

/* A number at *text, with the comma after it; -1 without one. */
static int select_number(const char **text)
{
	const char *digits = *text + strspn(*text, " \t");
	char *end;
	long number;

	if (*digits < '0' || *digits > '9')
		return -1;
	number = strtol(digits, &end, 10);
	end += strspn(end, " \t");
	if ((*end && *end != ',') || number > 9999 || (*end == ',' && !end[1]))
		return -1;
	*text = *end ? end + 1 : end;
	return (int)number;
}

static bool select_is(const char *text, const char *word)
{
	return strcmp(text, word) == 0;
}

int xy__gpu_select(const char *text, int ordinals[XY__GPU_DEVICES], unsigned *n, char *error, size_t error_size)
{
	const char *rest = text;
	int count, status;

	*n = 0;
	error[0] = '\0';
	if (select_is(text, "none")) {
		snprintf(error, error_size, "no %s device is selected", xy__gpu_dialect.title);
		return 0;
	}
	status = select_count(&count, error, error_size);
	if (status)
		return status;
	if (!*text || select_is(text, "all")) {
		for (int i = 0; i < count; i++)
			select_take(i, ordinals, n);
		return 0;
	}
	while (*rest) {
		int number = select_number(&rest);

		if (number < 0) {
			*n = 0;
			snprintf(error, error_size,
				 "'%s' is not a selection of %s devices: use all, none or numbers such as 0,2", text,
				 xy__gpu_dialect.title);
			return -EINVAL;
		}
		if (count && number >= count) {
			*n = 0;
			snprintf(error, error_size, "no %s device %d: numbers are below %d", xy__gpu_dialect.title,
				 number, count);
			return -EINVAL;
		}
		if (count)
			select_take(number, ordinals, n);
	}
	return 0;
}
