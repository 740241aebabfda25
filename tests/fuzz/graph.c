/* SPDX-License-Identifier: MIT */
/* Any text as a graph, in whichever format it looks like: it is read, and then consistent, connected, and the same
 * when it is written and read again; or it is refused with the name of the file. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "fuzz.h"

/* The graph as a text, to be freed. */
static char *print(const struct graph *g, size_t *length, int (*write)(const struct graph *g, FILE *file))
{
	char *text = NULL;
	FILE *file = open_memstream(&text, length);

	ALWAYS(file && write(g, file) == 0);
	fclose(file);
	return text;
}

static void look(const struct graph *g)
{
	struct graph_edges edges;
	struct graph again;
	char error[256] = "";
	size_t once_length, twice_length, dot_length;
	char *once = print(g, &once_length, graph_write), *twice, *dot;

	ALWAYS(graph_check(g, error, sizeof(error)) == 0);
	ALWAYS(graph_edges_init(&edges, g) == 0);
	for (size_t i = 0; i < edges.nedges; i++)
		ALWAYS(edges.before[i] < g->ntasks && edges.after[i] < g->ntasks);
	graph_edges_fini(&edges);
	ALWAYS(graph_read_text(&again, once, once_length, "once", error, sizeof(error)) == 0);
	twice = print(&again, &twice_length, graph_write);
	ALWAYS(once_length == twice_length && !memcmp(once, twice, once_length));
	ALWAYS(again.ntasks == g->ntasks && again.ndata == g->ndata);
	graph_fini(&again);
	dot = print(g, &dot_length, graph_write_dot);
	/* Several data between two tasks are one edge, which may be too much. */
	if (graph_read_text(&again, dot, dot_length, "dot", error, sizeof(error)))
		ALWAYS(strstr(error, "expected fewer bytes"));
	else
		ALWAYS(again.ntasks == g->ntasks);
	graph_fini(&again);
	free(once);
	free(twice);
	free(dot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct graph g;
	char error[256] = "";
	int status = graph_read_text(&g, (const char *)data, size, "input", error, sizeof(error));

	ALWAYS(status <= 0 && (status == 0 || !strncmp(error, "input:", 6)));
	ALWAYS(!status || (!g.ntasks && !g.tasks));
	if (!status)
		look(&g);
	graph_fini(&g);
	return 0;
}
