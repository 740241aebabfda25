/* SPDX-License-Identifier: MIT */
/*
 * Asking components for their tasks. A component that never drops its lock does not answer; no other thread can drop
 * it while the runtime is halted, so all are asked by a probe, which is left behind.
 */
#include "core/runtime/shown.h"

#include <errno.h>
#include <stdlib.h>

#include "core/runtime/probe.h"
#include "core/runtime/stuck.h"

struct shown_writer {
	FILE *out;
	struct xy_component *component;
};

static void shown_write(void *arg, const struct xy_task *task)
{
	const struct shown_writer *writer = arg;
	const struct xy__shown shown = { writer->component, (struct xy_task *)task };

	fwrite(&shown, sizeof shown, 1, writer->out);
}

static void shown_ask(struct xy_runtime *rt, void *subject, FILE *out)
{
	const struct xy_tree *tree = subject;

	(void)rt;
	for (unsigned i = 0; i < tree->ncomponents; i++) {
		struct xy_component *c = tree->components[i];
		struct shown_writer writer = { out, c };
		size_t peak;

		if (c->ops->each_task)
			c->ops->each_task(c, shown_write, &writer);
		else if (c->ops->depth && c->ops->depth(c, &peak))
			shown_write(&writer, NULL);
	}
}

int xy__shown_list(struct xy_runtime *rt, struct xy_tree *tree, struct xy__shown_list *list)
{
	char *bytes = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&bytes, &size);
	int error;

	*list = (struct xy__shown_list){ 0 };
	if (!out)
		return -ENOMEM;
	error = xy__probe(rt, shown_ask, tree, rt->halt_limit_s, out);
	if (error)
		xy__stuck_unanswered(rt, error);
	if (fclose(out) && !error)
		error = -ENOMEM;
	if (error) {
		free(bytes);
		return error;
	}
	list->at = (struct xy__shown *)(void *)bytes;
	list->count = size / sizeof *list->at;
	return 0;
}
