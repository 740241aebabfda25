/* SPDX-License-Identifier: MIT */
/* What the tests of trees share: a registry, machines from text, trees that must be right. */
#ifndef TESTS_CORE_TREE_FIXTURE_H
#define TESTS_CORE_TREE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "core/tree/registry.h"
#include "core/tree/tree.h"

static inline struct xy_machine *fixture_machine(const char *text)
{
	struct xy_machine *machine;
	char error[512] = "";

	if (xy_machine_create(&machine, text, error, sizeof(error)))
		fail_msg("machine \"%s\": %s", text, error);
	return machine;
}

static inline struct xy_registry *fixture_registry(void)
{
	struct xy_registry *registry;
	char error[512] = "";

	if (xy_registry_create(&registry, NULL, error, sizeof(error)))
		fail_msg("registry: %s", error);
	return registry;
}

static inline struct xy_tree *fixture_parse(const char *text, const struct xy_machine *machine,
					    const struct xy_registry *registry)
{
	struct xy_tree *tree;
	char error[2048] = "";

	if (xy_tree_parse(&tree, text, machine, registry, error, sizeof(error)))
		fail_msg("\"%s\": %s", text, error);
	return tree;
}

/* The tree in a format; the caller frees the text. */
static inline char *fixture_print(const struct xy_tree *tree, enum xy_tree_format format, unsigned flags)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(xy_tree_print(tree, out, format, flags), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

#endif
