/* SPDX-License-Identifier: MIT */
/*
 * Why a tree could not be built. The first call that fails is the reason, since the calls after it fail because of it;
 * a build function that knows better says so.
 */
#include <stdarg.h>
#include <stdio.h>

#include "core/tree/tree_parts.h"

static void fault_set(struct xy_tree *tree, int error, const char *format, va_list arguments)
{
	vsnprintf(tree->why, sizeof(tree->why), format, arguments);
	tree->fault = error;
}

int xy_tree_fail(struct xy_tree *tree, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (tree && format)
		fault_set(tree, error, format, arguments);
	va_end(arguments);
	return error;
}

int xy__tree_note(struct xy_tree *tree, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (tree && !tree->fault)
		fault_set(tree, error, format, arguments);
	va_end(arguments);
	return error;
}
