/* SPDX-License-Identifier: MIT */
/*
 * Lists of GPU ids and SLURM's generic resources.
 */
#include "farm/slots_gpus.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/util/text.h"

/* --- generic resources --- */

/* The length of the first element of a list; commas in parentheses separate nothing. */
static size_t gpus_element(const char *text)
{
	size_t length = 0;
	unsigned depth = 0;

	for (; text[length] && (text[length] != ',' || depth > 0); length++) {
		depth += text[length] == '(';
		depth -= text[length] == ')' && depth > 0;
	}
	return length;
}

/* One element without what stands in parentheses: "gpu", "gpu:TYPE", "gpu:N", "gpu:TYPE:N". */
static bool gpus_gres(const char *element, unsigned *count)
{
	const char *rest, *number = strrchr(element, ':');
	uint64_t n = 1;

	if (!strncmp(element, "gres:", 5) || !strncmp(element, "gres/", 5))
		return gpus_gres(element + 5, count);
	if (strncmp(element, "gpu", 3) || (element[3] && element[3] != ':' && element[3] != '='))
		return isalpha((unsigned char)element[0]) != 0; /* another resource */
	if (element[3] == '=')
		number = element + 3;
	if (number && isdigit((unsigned char)number[1])) {
		rest = number + 1;
		if (!xy__text_unsigned(&rest, SLOTS_GPUS_MAX, &n) || *rest)
			return false;
	} else if (number && !isalpha((unsigned char)number[1])) {
		return false;
	}
	*count += (unsigned)n;
	return *count <= SLOTS_GPUS_MAX;
}

int slots_gpus_count(const char *text, unsigned *count, char *error, size_t size)
{
	const char *at = text, *rest = text;
	uint64_t number;

	*count = 0;
	if (xy__text_unsigned(&rest, SLOTS_GPUS_MAX, &number) && !*rest) {
		*count = (unsigned)number;
		return 0;
	}
	for (;;) {
		size_t length = gpus_element(at), plain = strcspn(at, "(");
		char element[128];

		if (plain > length)
			plain = length;
		snprintf(element, sizeof(element), "%.*s", (int)plain, at);
		if (plain == 0 || plain >= sizeof(element) || (plain < length && at[length - 1] != ')') ||
		    !gpus_gres(element, count))
			break;
		at += length;
		if (!*at)
			return 0;
		at++;
	}
	xy__text_print(error, size,
		       "\"%s\" is no number of GPUs: it may be such as 4, gpu:4, gpu:a100:4 or "
		       "gpu:4(S:0-1)",
		       text);
	return -EINVAL;
}

/* --- ids --- */

static int gpus_add(struct slots_gpus *gpus, const char *id, const char *text, char *error, size_t size)
{
	if (gpus->count == SLOTS_GPUS_MAX) {
		xy__text_print(error, size, "\"%s\" has more than %d GPUs", text, SLOTS_GPUS_MAX);
		return -EINVAL;
	}
	for (unsigned i = 0; i < gpus->count; i++)
		if (!strcmp(gpus->ids[i], id)) {
			xy__text_print(error, size, "\"%s\" has the GPU %s twice", text, id);
			return -EINVAL;
		}
	snprintf(gpus->ids[gpus->count++], SLOTS_GPUS_ID, "%s", id);
	return 0;
}

/* A number, a range of numbers, or a UUID. */
static int gpus_take(struct slots_gpus *gpus, const char *id, const char *text, char *error, size_t size)
{
	const char *rest = id;
	uint64_t first, last;
	int failed = 0;

	if (!strncmp(id, "GPU-", 4) || !strncmp(id, "MIG-", 4))
		return gpus_add(gpus, id, text, error, size);
	if (xy__text_unsigned(&rest, INT32_MAX, &first)) {
		last = first;
		if (!*rest ||
		    (*rest++ == '-' && xy__text_unsigned(&rest, INT32_MAX, &last) && !*rest && last >= first)) {
			for (uint64_t i = first; i <= last && !failed; i++) {
				char number[24];

				snprintf(number, sizeof(number), "%llu", (unsigned long long)i);
				failed = gpus_add(gpus, number, text, error, size);
			}
			return failed;
		}
	}
	xy__text_print(error, size, "\"%s\" in \"%s\" is no GPU: it may be a number or a UUID", id, text);
	return -EINVAL;
}

/* A list of ids. As in CUDA, -1 ends it; SLURM says NoDevFiles where there is none. */
static int gpus_list(struct slots_gpus *gpus, const char *text, char *error, size_t size)
{
	const char *at = text + strspn(text, " ");
	int failed = 0;

	if (!*at || !strcmp(at, "NoDevFiles") || !strcmp(at, "none") || !strcmp(at, "void"))
		return 0;
	for (; !failed; at++) {
		char id[SLOTS_GPUS_ID];
		size_t length;

		at += strspn(at, " ");
		length = strcspn(at, ", ");
		if (length >= sizeof(id)) {
			xy__text_print(error, size, "\"%s\" has an id that is too long", text);
			return -EINVAL;
		}
		snprintf(id, sizeof(id), "%.*s", (int)length, at);
		if (!strcmp(id, "-1"))
			return 0;
		failed = gpus_take(gpus, id, text, error, size);
		at += length;
		at += strspn(at, " ");
		if (!*at)
			break;
		if (*at != ',') {
			xy__text_print(error, size, "\"%s\" is no list of GPUs separated by commas", text);
			return -EINVAL;
		}
	}
	return failed;
}

int slots_gpus_read(struct slots_gpus *gpus, const struct slots_gpus_source *source, char *error, size_t size)
{
	const char *ids = source->visible ? source->visible : source->step ? source->step : source->job;
	unsigned wanted = 0;
	int failed = source->wanted ? slots_gpus_count(source->wanted, &wanted, error, size) : 0;

	gpus->count = 0;
	if (!failed && ids)
		failed = gpus_list(gpus, ids, error, size);
	if (failed || !source->wanted)
		return failed;
	if (!ids)
		for (unsigned i = 0; i < wanted; i++)
			snprintf(gpus->ids[gpus->count++], SLOTS_GPUS_ID, "%u", i);
	if (wanted > gpus->count) {
		xy__text_print(error, size, "%u GPUs are asked for, but the job has %u (\"%s\")", wanted, gpus->count,
			       ids);
		return -EINVAL;
	}
	gpus->count = wanted;
	return 0;
}
