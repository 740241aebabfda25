/* SPDX-License-Identifier: MIT */
/*
 * Reads the text of a machine. A mistake is reported with its column and what could stand there.
 */
#include <errno.h>
#include <string.h>

#include "core/machine/machine_layout.h"
#include "core/machine/topology.h"
#include "core/util/arch.h"
#include "core/util/message.h"
#include "core/util/nearest.h"
#include "core/util/text.h"

#define LAYOUT_WORD_MAX 15
#define LAYOUT_SHOWN_MAX 80
#define LAYOUT_SPEED_MAX 1e6

struct layout_reader {
	struct xy__machine_layout *layout;
	const char *text, *at;
	char *error;
	size_t error_size;
};

unsigned xy__machine_layout_devices(const struct xy__machine_layout *layout)
{
	unsigned count = 0;

	for (unsigned arch = XY__ARCH_DEVICES; arch < XY_NARCH; arch++)
		count += layout->count[arch];
	return count;
}

int xy__machine_fail(int code, const char *text, const char *at, const char *sentence, char *error, size_t error_size)
{
	size_t length = strlen(text);

	/* The reason must not be cut off behind a long text. */
	xy__text_print(error, error_size, "machine \"%.*s%s\", column %zu: %s", LAYOUT_SHOWN_MAX, text,
		       length > LAYOUT_SHOWN_MAX ? "..." : "", (size_t)(at - text) + 1, sentence);
	return code;
}

static int layout_fail(const struct layout_reader *r, int code, const char *at, const char *sentence)
{
	return xy__machine_fail(code, r->text, at, sentence, r->error, r->error_size);
}

static unsigned layout_room(const struct xy__machine_layout *layout)
{
	unsigned room = XY__CORES_MAX;

	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		room -= layout->count[arch];
	return room;
}

static int layout_add(struct layout_reader *r, const char *at, struct xy__machine_item item)
{
	struct xy__machine_layout *layout = r->layout;

	if (item.count > layout_room(layout))
		return layout_fail(r, -ERANGE, at, "a machine has at most 100000 workers");
	if (layout->nitems == XY__ITEMS_MAX)
		return layout_fail(r, -ERANGE, at, "too many items (64 at most)");
	layout->items[layout->nitems++] = item;
	layout->count[item.arch] += item.count;
	return 0;
}

/* "(numa:2 core:4)" behind "topology" or "this". */
static int layout_topology(struct layout_reader *r, enum xy__machine_cores cores)
{
	const char *open = r->at++;
	unsigned depth = 1;

	if (*open != '(')
		return layout_fail(r, -EINVAL, open, "expected '(' and a topology such as numa:2 core:4");
	for (; depth > 0; r->at++) {
		if (*r->at == '\0')
			return layout_fail(r, -EINVAL, open, "this parenthesis is not closed");
		depth += *r->at == '(';
		depth -= *r->at == ')';
	}
	r->layout->all = true;
	r->layout->cores = cores;
	r->layout->topology = open + 1;
	r->layout->topology_end = r->at - 1;
	return 0;
}

/* "2*15" behind "cuda:". */
static int layout_item(struct layout_reader *r, enum xy_arch arch)
{
	struct xy__machine_item item = { .arch = arch, .speed = xy__archs[arch].speed };
	const char *start = r->at;
	uint64_t count;

	if (!xy__text_unsigned(&r->at, XY__CORES_MAX, &count))
		return r->at == start ? layout_fail(r, -EINVAL, start, "expected a number of workers")
				      : layout_fail(r, -ERANGE, start, "a machine has at most 100000 workers");
	if (*r->at == '*') {
		const char *speed = ++r->at;

		if (!xy__text_double(&r->at, &item.speed))
			return layout_fail(r, -EINVAL, speed, "expected a speed relative to a CPU core, such as 15");
		if (item.speed <= 0 || item.speed > LAYOUT_SPEED_MAX)
			return layout_fail(r, -ERANGE, speed, "a speed must be above 0 and at most 1000000");
	}
	item.count = (unsigned)count;
	return layout_add(r, start, item);
}

/* "this", "this:3" or "this(numa:2 core:1)". */
static int layout_this(struct layout_reader *r)
{
	r->layout->devices = true;
	if (*r->at == '(')
		return layout_topology(r, XY__CORES_ARRANGED);
	r->layout->cores = XY__CORES_HERE;
	if (*r->at == ':') {
		r->at++;
		return layout_item(r, XY_CPU);
	}
	r->layout->all = true;
	return 0;
}

static int layout_unknown(const struct layout_reader *r, const char *start, const char *word)
{
	struct xy__nearest nearest;
	struct xy__message message;
	char sentence[160];

	xy__nearest_init(&nearest, word, strlen(word));
	xy__nearest_look(&nearest, "this");
	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		xy__nearest_look(&nearest, xy__archs[arch].name);
	xy__nearest_look(&nearest, "topology");
	xy__message_init(&message, sentence, sizeof(sentence));
	xy__message_add(&message, "expected this, ");
	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		xy__message_add(&message, "%s:N, ", xy__archs[arch].name);
	xy__message_add(&message, "topology(...) or @FILE");
	xy__nearest_say(&nearest, &message);
	return layout_fail(r, -EINVAL, start, sentence);
}

static void layout_read_word(struct layout_reader *r, char word[LAYOUT_WORD_MAX + 1])
{
	size_t length = 0;

	while (length < LAYOUT_WORD_MAX && *r->at && !strchr(" \t:(", *r->at))
		word[length++] = *r->at++;
	word[length] = '\0';
}

static int layout_word(struct layout_reader *r)
{
	struct xy__machine_layout *layout = r->layout;
	const char *start = r->at;
	char word[LAYOUT_WORD_MAX + 1];
	bool is_this, is_topology, is_cpu;

	layout_read_word(r, word);
	is_this = !strcmp(word, "this");
	is_topology = !strcmp(word, "topology");
	is_cpu = !strcmp(word, "cpu");
	if ((is_this || is_topology || is_cpu) &&
	    (layout->all || layout->cores != XY__CORES_FLAT || (layout->count[XY_CPU] > 0 && !is_cpu)))
		return layout_fail(r, -EINVAL, start, "the CPUs are described already, by this, cpu: or topology()");
	if (is_topology)
		return layout_topology(r, XY__CORES_TEXT);
	if (is_this)
		return layout_this(r);
	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		if (!strcmp(word, xy_arch_name((enum xy_arch)arch))) {
			if (*r->at != ':')
				return layout_fail(r, -EINVAL, r->at, "expected ':' and a number of workers");
			r->at++;
			return layout_item(r, (enum xy_arch)arch);
		}
	return layout_unknown(r, start, word);
}

static int layout_words(struct layout_reader *r)
{
	for (;;) {
		int error;

		r->at += strspn(r->at, " \t");
		if (*r->at == '\0')
			return 0;
		error = layout_word(r);
		if (error)
			return error;
		if (*r->at && !strchr(" \t", *r->at))
			return layout_fail(r, -EINVAL, r->at, "expected a space");
	}
}

/* Combines the words. */
static void layout_conclude(struct xy__machine_layout *layout)
{
	if (layout->nitems == 0 && !layout->topology) {
		layout->all = layout->devices = true;
		layout->cores = XY__CORES_HERE;
	}
	for (unsigned i = 0; i < layout->nitems; i++)
		layout->devices = layout->devices && layout->items[i].arch == XY_CPU;
	layout->here = xy__machine_layout_devices(layout) == 0 && layout->cores != XY__CORES_TEXT;
	if (layout->here && layout->cores == XY__CORES_FLAT)
		layout->cores = XY__CORES_HERE;
}

int xy__machine_layout_read(struct xy__machine_layout *layout, const char *text, int ncpu, unsigned nothers,
			    char *error, size_t error_size)
{
	struct layout_reader r = { layout, text, text, error, error_size };
	bool this;
	int status;

	*layout = (struct xy__machine_layout){ 0 };
	status = layout_words(&r);
	if (status)
		return status;
	layout_conclude(layout);
	this = layout->cores == XY__CORES_HERE || layout->cores == XY__CORES_ARRANGED;
	if (layout->all && this && ncpu >= 0) {
		layout->all = false;
		status = layout_add(&r, text,
				    (struct xy__machine_item){ XY_CPU, (unsigned)ncpu, xy__archs[XY_CPU].speed });
	}
	if (!status && nothers > layout_room(layout))
		status = layout_fail(&r, -ERANGE, text, "a machine has at most 100000 workers");
	if (!status && !layout->all && layout_room(layout) == XY__CORES_MAX && nothers == 0)
		status = layout_fail(&r, -EINVAL, text,
				     ncpu == 0 && this ? "a machine needs a worker: there is no device, "
							 "and the number of CPU workers is set to 0"
						       : "a machine needs a worker");
	return status;
}
