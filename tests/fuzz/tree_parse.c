/* SPDX-License-Identifier: MIT */
/* Any text as an expression: it is read or explained; a tree that it gives can be shown in all
 * formats, and its expression reads as the same tree and prints the same again. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tree/registry.h"
#include "core/tree/tree.h"
#include "fuzz.h"

struct valve {
	struct xy_component base;
	bool ready;
	double share;
	char path[XY_OPTION_TEXT_SIZE];
};

static const char *const fork_labels[] = { "known", "none", NULL };
static const struct xy_component_ops fork_ops = {
	.name = "fork",
	.flags = XY_MAPS,
	.size = sizeof(struct xy_component),
	.labels = fork_labels,
};
static const struct xy_option valve_options[] = {
	{ .name = "ready", .type = XY_OPTION_BOOL, .offset = offsetof(struct valve, ready), .initial = 1 },
	{ .name = "share", .type = XY_OPTION_DOUBLE, .offset = offsetof(struct valve, share), .min = -1e9, .max = 1e9 },
	{ .name = "path", .type = XY_OPTION_TEXT, .offset = offsetof(struct valve, path) },
	{ 0 }
};
static const struct xy_component_ops valve_ops = {
	.name = "valve",
	.size = sizeof(struct valve),
	.options = valve_options,
};

static struct xy_registry *registry;
static struct xy_machine *machine;

static void begin(void)
{
	struct xy__message nobody;

	xy__message_init(&nobody, NULL, 0);
	ALWAYS(!xy_machine_create(&machine, "topology(numa:2 core:1 pu:1) cuda:1", NULL, 0));
	ALWAYS(!xy_registry_create(&registry, NULL, NULL, 0));
	ALWAYS(!xy__registry_add_component(registry, &fork_ops, "test", &nobody));
	ALWAYS(!xy__registry_add_component(registry, &valve_ops, "test", &nobody));
}

static char *print(const struct xy_tree *tree, enum xy_tree_format format, int *rc)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ALWAYS(out);
	*rc = xy_tree_print(tree, out, format, XY_PRINT_COUNTERS);
	fclose(out);
	return text;
}

static void check_expression(const struct xy_tree *tree)
{
	struct xy_tree *again;
	char error[2000], *text, *twice;
	int rc;

	text = print(tree, XY_TREE_EXPRESSION, &rc);
	ALWAYS(!rc);
	ALWAYS(!xy_tree_parse(&again, text, machine, registry, error, sizeof(error)));
	ALWAYS(xy_tree_equal(tree, again));
	twice = print(again, XY_TREE_EXPRESSION, &rc);
	ALWAYS(!rc && !strcmp(text, twice));
	free(twice);
	xy_tree_destroy(again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xy_tree *tree;
	char *text, error[300] = "";
	int rc;

	if (!registry)
		begin();
	text = malloc(size + 1);
	ALWAYS(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (text[strspn(text, " \t\r\n")] != '@') {
		rc = xy_tree_parse(&tree, text, machine, registry, error, sizeof(error));
		ALWAYS(rc == 0 || rc == -EINVAL || rc == -ENOENT);
		ALWAYS(!rc == !error[0] && !rc == !!tree);
		if (tree) {
			check_expression(tree);
			for (unsigned format = XY_TREE_DRAWING; format <= XY_TREE_JSON; format++) {
				free(print(tree, format, &rc));
				ALWAYS(!rc);
			}
		}
		xy_tree_destroy(tree);
	}
	free(text);
	return 0;
}
