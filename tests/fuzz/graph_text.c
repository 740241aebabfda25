/* SPDX-License-Identifier: MIT */
/* Any text as the name of a graph: it is built, consistent, and the same when it is built again; or it is refused with
 * a reason, and nothing is left. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "fuzz.h"

enum { TEXT = 120, MOST = 19 };

/* Whether some number is so large that the graph may have many tasks: those take too long here. */
static bool has_large_number(const char *text)
{
	unsigned number = 0;

	for (; *text; text++) {
		number = isdigit((unsigned char)*text) ? 10 * number + (unsigned)(*text - '0') : 0;
		if (number > MOST)
			return true;
	}
	return false;
}

static char *print(const struct graph *g, size_t *length)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, length);

	ALWAYS(file && graph_write(g, file) == 0);
	fclose(file);
	return text;
}

static void look(const struct graph *g, const char *text)
{
	size_t once_length, twice_length;
	char error[256], *once, *twice;
	struct graph again;

	ALWAYS(g->ntasks > 0 && graph_check(g, error, sizeof error) == 0);
	ALWAYS(graph_make(&again, text, error, sizeof error) == 0);
	once = print(g, &once_length);
	twice = print(&again, &twice_length);
	ALWAYS(once_length == twice_length && !memcmp(once, twice, once_length));
	free(once);
	free(twice);
	graph_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT], error[256] = "";
	struct graph g;
	int status;

	if (size >= sizeof text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (has_large_number(text))
		return 0;
	status = graph_make(&g, text, error, sizeof error);
	ALWAYS(status <= 0 && (status == 0) == (*error == '\0'));
	if (status == 0)
		look(&g, text);
	else
		ALWAYS(!g.ntasks && !g.tasks);
	graph_fini(&g);
	return 0;
}
