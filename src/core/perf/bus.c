/* SPDX-License-Identifier: MIT */
/*
 * Links between memory nodes, and their texts.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/perf/bus.h"
#include "core/perf/lines.h"
#include "core/util/text.h"

int xy__bus_init(struct xy__bus *bus, unsigned nnodes)
{
	*bus = (struct xy__bus){ .nnodes = nnodes, .links = calloc((size_t)nnodes * nnodes, sizeof *bus->links) };
	return bus->links ? 0 : -ENOMEM;
}

void xy__bus_fini(struct xy__bus *bus)
{
	free(bus->links);
	*bus = (struct xy__bus){ 0 };
}

bool xy__bus_time(const struct xy__bus *bus, unsigned from, unsigned to, size_t bytes, double *us)
{
	const struct xy__link *link;

	*us = 0;
	if (from == to || !bytes)
		return true;
	if (!bus->links || from >= bus->nnodes || to >= bus->nnodes)
		return false;
	link = xy__bus_link(bus, from, to);
	if (!(link->mb_per_s > 0))
		return false;
	*us = link->latency_us + (double)bytes / link->mb_per_s;
	return true;
}

void xy__bus_complete(struct xy__bus *bus)
{
	for (unsigned from = 1; from < bus->nnodes; from++)
		for (unsigned to = 1; to < bus->nnodes; to++) {
			const struct xy__link *out = xy__bus_link(bus, from, 0), *in = xy__bus_link(bus, 0, to);
			struct xy__link *link = xy__bus_link(bus, from, to);

			if (from == to || link->mb_per_s > 0 || !(out->mb_per_s > 0) || !(in->mb_per_s > 0))
				continue;
			link->latency_us = out->latency_us + in->latency_us;
			link->mb_per_s = 1 / (1 / out->mb_per_s + 1 / in->mb_per_s);
		}
}

/* The node named by the next word; nnodes if unknown. */
static unsigned bus_node(const struct xy__bus *bus, const char *const *names, struct xy__lines *lines)
{
	char word[64];
	unsigned i = bus->nnodes;

	if (xy__lines_word(lines, word, sizeof word))
		for (i = 0; i < bus->nnodes && strcmp(word, names[i]); i++)
			;
	return i;
}

static int bus_line(struct xy__bus *bus, const char *const *names, struct xy__lines *l)
{
	struct xy__link link;
	unsigned from, to;
	char word[64];

	xy__lines_word(l, word, sizeof word);
	if (!strcmp(word, "host"))
		return xy__lines_word(l, word, sizeof word) && xy__lines_ended(l) ? 0 : -EINVAL;
	if (!strcmp(word, "nodes")) {
		for (unsigned i = 0; i < bus->nnodes; i++)
			if (bus_node(bus, names, l) != i)
				return -ESTALE;
		return xy__lines_ended(l) ? 0 : -ESTALE;
	}
	from = bus_node(bus, names, l);
	to = bus_node(bus, names, l);
	if (strcmp(word, "link") || from == bus->nnodes || to == bus->nnodes || from == to ||
	    !xy__lines_quantity(l, &link.latency_us) || !xy__lines_quantity(l, &link.mb_per_s) || !xy__lines_ended(l))
		return -EINVAL;
	*xy__bus_link(bus, from, to) = link;
	return 0;
}

int xy__bus_read(struct xy__bus *bus, const char *const *names, const char *text, char *error, size_t error_size)
{
	struct xy__lines l;
	int status = -EINVAL;

	xy__lines_init(&l, text);
	if (xy__lines_next(&l) && xy__lines_expect(&l, "xylem") && xy__lines_expect(&l, "bus") &&
	    xy__lines_expect(&l, "1") && xy__lines_ended(&l))
		for (status = 0; !status && xy__lines_next(&l);) {
			if (!strcmp(l.at, "end"))
				return 0;
			status = bus_line(bus, names, &l);
		}
	status = status ? status : -EINVAL;
	xy__text_print(error, error_size, "line %u: %s", l.number ? l.number : 1,
		       status == -ESTALE ? "it is for other memory nodes" : "its content is not that of a bus file");
	return status;
}

void xy__bus_print(const struct xy__bus *bus, const char *const *names, const char *host, struct xy__buffer *text)
{
	xy__buffer_add(text, "xylem bus 1\nhost %s\nnodes", host);
	for (unsigned i = 0; i < bus->nnodes; i++)
		xy__buffer_add(text, " %s", names[i]);
	xy__buffer_add(text, "\n# from to latency in us, bandwidth in MB/s\n");
	for (unsigned from = 0; from < bus->nnodes; from++)
		for (unsigned to = 0; to < bus->nnodes; to++) {
			const struct xy__link *link = xy__bus_link(bus, from, to);

			if (!(link->mb_per_s > 0))
				continue;
			xy__buffer_add(text, "link %s %s ", names[from], names[to]);
			xy__number_print(text, link->latency_us);
			xy__buffer_add(text, " ");
			xy__number_print(text, link->mb_per_s);
			xy__buffer_add(text, "\n");
		}
	xy__buffer_add(text, "end\n");
}

/* --- StarPU's --- */

/* Reads a matrix into rows of XY__BUS_NODES; returns its size, 0 when it is none. What follows a "nan" is not used. */
static unsigned starpu_matrix(const char *text, double *values, unsigned *line)
{
	struct xy__lines l;
	unsigned n = 0;

	xy__lines_init(&l, text);
	for (unsigned row = 0; row < (n ? n : 1); row++) {
		unsigned column = 0;
		bool ok = xy__lines_next(&l);

		*line = l.number;
		while (ok && !xy__lines_ended(&l) && column < XY__BUS_NODES) {
			double value;

			ok = xy__lines_number(&l, &value);
			if (!ok || isnan(value))
				break;
			values[row * XY__BUS_NODES + column++] = value;
		}
		if (!ok || (row && column != n))
			return 0;
		n = column;
	}
	return n;
}

int xy__bus_read_starpu(struct xy__bus *bus, const char *bandwidth, const char *latency, char *error, size_t error_size)
{
	double *values = calloc(2 * (size_t)XY__BUS_NODES * XY__BUS_NODES, sizeof *values);
	double *latencies = values + XY__BUS_NODES * XY__BUS_NODES;
	unsigned line = 1, n = values ? starpu_matrix(bandwidth, values, &line) : 0;
	int status = values ? 0 : -ENOMEM;

	if (values && (!n || starpu_matrix(latency, latencies, &line) != n)) {
		xy__text_print(error, error_size, "line %u: not a square of numbers", line);
		status = -EINVAL;
	}
	if (!status)
		status = xy__bus_init(bus, n);
	for (unsigned i = 0; !status && i < n * n; i++) {
		double speed = values[i / n * XY__BUS_NODES + i % n], us = latencies[i / n * XY__BUS_NODES + i % n];

		if (speed > 0 && isfinite(speed) && us >= 0 && isfinite(us))
			bus->links[i] = (struct xy__link){ .latency_us = us, .mb_per_s = speed };
	}
	free(values);
	return status;
}
