/* SPDX-License-Identifier: MIT */
/*
 * Reads the text of a machine file. The lines are gone over once for what stands alone, once for workers, once for
 * what names others, once for models, so their order has no meaning; everything that is wrong is collected.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/platform_parts.h"
#include "core/util/arch.h"

#define READ_SPEED_MAX 1e6

/* When a kind of line is read. */
enum read_pass { READ_ALONE, READ_WORKERS, READ_OTHERS, READ_MODELS };

static bool read_machine(struct xy__xym_reader *r)
{
	struct xy__platform *p = r->p;

	if (p->name[0])
		return xy__xym_wrong(r, "the machine has a name already");
	return xy__xym_name(r, p->name, sizeof p->name, "a machine") && xy__xym_ended(r);
}

static bool read_topology(struct xy__xym_reader *r)
{
	if (r->topology_line)
		return xy__xym_wrong(r, "there is a topology already, in line %u", r->topology_line);
	if (xy__lines_ended(&r->lines))
		return xy__xym_wrong(r, "expected a topology such as package:2 core:6");
	r->topology_line = r->lines.number;
	free(r->p->topology);
	r->p->topology = strdup(r->lines.at);
	r->no_memory |= !r->p->topology;
	return true;
}

static bool read_ram(struct xy__xym_reader *r)
{
	double bytes;

	if (r->ram_bytes)
		return xy__xym_wrong(r, "the size of main memory is already given");
	if (!xy__xym_size(r, &bytes, "the size of each node of main memory") || !xy__xym_ended(r))
		return false;
	r->ram_bytes = (unsigned long long)bytes;
	return true;
}

static bool read_arch(struct xy__xym_reader *r, enum xy_arch *arch)
{
	char names[XY_NARCH][XY__PLATFORM_WORD], word[XY__PLATFORM_WORD], words[80];

	for (unsigned i = 0; i < XY_NARCH; i++)
		snprintf(names[i], sizeof names[i], "%s", xy__archs[i].name);
	xy__arch_list(words, sizeof words, "");
	if (!xy__xym_word(r, word, sizeof word, words))
		return false;
	for (unsigned i = 0; i < XY_NARCH; i++)
		if (!strcmp(word, names[i])) {
			*arch = (enum xy_arch)i;
			return true;
		}
	return xy__xym_unknown(r, "architecture", word, names[0], sizeof names[0], XY_NARCH);
}

static bool read_speed(struct xy__xym_reader *r, double *speed)
{
	char word[XY__PLATFORM_WORD];

	if (xy__lines_ended(&r->lines))
		return true;
	if (!xy__xym_word(r, word, sizeof word, "speed"))
		return false;
	if (strcmp(word, "speed"))
		return xy__xym_wrong(r, "expected speed and a number, not \"%s\"", word);
	if (!xy__lines_quantity(&r->lines, speed) || !(*speed > 0 && *speed <= READ_SPEED_MAX))
		return xy__xym_wrong(r, "expected a speed relative to a CPU core: a number above 0, such as 15");
	return xy__xym_ended(r);
}

/* The class exists even if the rest of its line is wrong, so that its uses cause no further messages. */
static bool read_class(struct xy__xym_reader *r)
{
	struct xy__platform *p = r->p;
	struct xy__platform_class *class = &p->classes[p->nclasses];

	if (p->nclasses == XY__PLATFORM_CLASSES)
		return xy__xym_wrong(r, "too many classes (%d at most)", XY__PLATFORM_CLASSES);
	*class = (struct xy__platform_class){ .speed = 1 };
	if (!xy__xym_name(r, class->name, sizeof class->name, "a class"))
		return false;
	for (unsigned i = 0; i < p->nclasses; i++)
		if (!strcmp(p->classes[i].name, class->name))
			return xy__xym_wrong(r, "there is a class \"%s\" already", class->name);
	p->nclasses++;
	return read_arch(r, &class->arch) && read_speed(r, &class->speed);
}

static bool read_kernel_time(struct xy__xym_reader *r, const char *name, struct xy__platform_point *point)
{
	unsigned class;
	int status;

	if (!xy__xym_class(r, &class) || !xy__xym_time(r, &point->us, "the time of a kernel"))
		return false;
	if (!(point->us > 0))
		return xy__xym_wrong(r, "the time of a kernel must be above 0");
	status = xy__kernels_add(r->p->kernels, name, class, point);
	r->no_memory |= status == -ENOMEM;
	if (status == -EEXIST)
		return xy__xym_wrong(r, "the time of %s on %s with %.0f bytes is already given", name,
				     r->p->classes[class].name, point->bytes);
	return !status || xy__xym_wrong(r, "too many kernels (%d at most)", XY__PLATFORM_KERNELS);
}

static bool read_kernel(struct xy__xym_reader *r)
{
	struct xy__platform_point point = { .samples = 0 };
	char name[XY__PLATFORM_KERNEL];

	if (!xy__xym_name(r, name, sizeof name, "a kernel") ||
	    !xy__xym_size(r, &point.bytes, "the size of all data of a task"))
		return false;
	do
		if (!read_kernel_time(r, name, &point))
			return false;
	while (!xy__lines_ended(&r->lines));
	return true;
}

static const struct read_kind {
	char name[XY__PLATFORM_WORD];
	enum read_pass pass;
	bool (*read)(struct xy__xym_reader *r);
} read_kinds[] = {
	{ "machine", READ_ALONE, read_machine },
	{ "topology", READ_ALONE, read_topology },
	{ "ram", READ_ALONE, read_ram },
	{ "class", READ_ALONE, read_class },
	{ "link", READ_ALONE, xy__xym_read_link },
	{ "workers", READ_WORKERS, xy__xym_read_workers },
	{ "devices", READ_WORKERS, xy__xym_read_devices },
	{ "route", READ_OTHERS, xy__xym_read_route },
	{ "kernel", READ_OTHERS, read_kernel },
	{ "models", READ_MODELS, xy__xym_read_models },
};
enum { READ_NKINDS = sizeof read_kinds / sizeof read_kinds[0] };

static void read_line(struct xy__xym_reader *r, enum read_pass pass)
{
	char word[64];
	unsigned kind = 0;

	xy__lines_word(&r->lines, word, sizeof word);
	while (kind < READ_NKINDS && strcmp(word, read_kinds[kind].name))
		kind++;
	if (kind == READ_NKINDS && pass == READ_ALONE)
		xy__xym_unknown(r, "kind of line", word, read_kinds[0].name, sizeof read_kinds[0], READ_NKINDS);
	else if (kind < READ_NKINDS && read_kinds[kind].pass == pass)
		read_kinds[kind].read(r);
}

static void read_lines(struct xy__xym_reader *r, const char *text, enum read_pass pass)
{
	xy__lines_init(&r->lines, text);
	while (xy__lines_next(&r->lines) && !r->no_memory)
		read_line(r, pass);
	if (*r->lines.next && !r->no_memory && pass == READ_ALONE)
		xy__xym_wrong(r, "this line is too long: at most %zu characters", sizeof r->lines.line - 1);
}

/* Goes over the lines, and makes what others need in between. */
static void read_passes(struct xy__xym_reader *r, const char *text)
{
	struct xy__platform *p = r->p;

	read_lines(r, text, READ_ALONE);
	if (!p->topology) {
		p->topology = strdup("");
		r->no_memory |= !p->topology;
	}
	if (!p->name[0] && !r->nproblems)
		xy__xym_wrong(r, "the machine has no name: expected a line such as \"machine mirage\"");
	read_lines(r, text, READ_WORKERS);
	if (r->no_memory || !xy__xym_make_nodes(r))
		return;
	p->kernels = xy__kernels_create(p->nclasses);
	p->routes = calloc((size_t)p->nnodes * p->nnodes, sizeof *p->routes);
	r->general = calloc((size_t)p->nnodes * p->nnodes, sizeof *r->general);
	r->no_memory |= !p->kernels || !p->routes || !r->general;
	if (!r->no_memory)
		read_lines(r, text, READ_OTHERS);
	if (!r->no_memory)
		read_lines(r, text, READ_MODELS);
	if (!r->no_memory)
		r->no_memory = !xy__kernels_seal(p->kernels);
}

static int read_compare(const void *a, const void *b)
{
	const struct xy__xym_problem *x = a, *y = b;

	if (x->skipped != y->skipped)
		return x->skipped - y->skipped;
	return (x->line > y->line) - (x->line < y->line);
}

/* Writes what is wrong, by line, then what was left out. */
static void read_report(struct xy__xym_reader *r, struct xy__buffer *problems)
{
	if (r->nproblems)
		qsort(r->problems, r->nproblems, sizeof *r->problems, read_compare);
	for (unsigned i = 0; i < r->nproblems; i++) {
		if (problems)
			xy__buffer_add(problems, "%s, line %u: %s%s\n", r->path,
				       r->problems[i].line ? r->problems[i].line : 1, r->problems[i].text,
				       r->problems[i].skipped ? "; skipped" : "");
		free(r->problems[i].text);
	}
	free(r->problems);
}

int xy__platform_read_text(struct xy__platform **p, const char *text, const char *path, struct xy__buffer *problems)
{
	struct xy__xym_reader r = { .path = path };
	int status = 0;

	*p = NULL;
	r.p = calloc(1, sizeof *r.p);
	if (r.p)
		read_passes(&r, text);
	if (!r.p || r.no_memory)
		status = -ENOMEM;
	else if (r.nproblems > r.nskipped)
		status = -EINVAL;
	read_report(&r, problems);
	free(r.general);
	if (status == -ENOMEM && problems)
		xy__buffer_add(problems, "%s: not enough memory\n", path);
	if (status)
		xy__platform_destroy(r.p);
	else
		*p = r.p;
	return status;
}
