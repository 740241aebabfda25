/* SPDX-License-Identifier: MIT */
/* Any text as a model file or a bus file: it is read or refused with its line; what is read prints as a text that
 * reads the same. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/perf/bus.h"
#include "core/perf/file.h"
#include "fuzz.h"

static void try_model(const char *text)
{
	struct xy__buffer once = { 0 }, twice = { 0 };
	struct xy__model_file file;
	char error[256] = "";
	int status = xy__model_file_read(&file, text, error, sizeof error);

	ALWAYS(status == 0 || (status == -EINVAL && !strncmp(error, "line ", 5)));
	if (status)
		return;
	for (unsigned i = 0; i < file.nrows; i++)
		ALWAYS(file.rows[i].median > 0 && file.rows[i].samples && file.rows[i].spread >= 0);
	if (!file.foreign && *file.name && *file.host) {
		xy__model_file_print(&file, &once);
		xy__model_file_fini(&file);
		ALWAYS(!once.failed && !xy__model_file_read(&file, once.at, error, sizeof error));
		xy__model_file_print(&file, &twice);
		ALWAYS(!strcmp(once.at, twice.at));
	}
	xy__model_file_fini(&file);
	xy__buffer_fini(&once);
	xy__buffer_fini(&twice);
}

static void try_bus(const char *text)
{
	static const char *const names[] = { "ram0", "cuda0" };
	struct xy__bus bus;
	char error[256] = "";
	int status;

	ALWAYS(!xy__bus_init(&bus, 2));
	status = xy__bus_read(&bus, names, text, error, sizeof error);
	ALWAYS(status == 0 || ((status == -EINVAL || status == -ESTALE) && !strncmp(error, "line ", 5)));
	xy__bus_fini(&bus);
	if (!xy__bus_read_starpu(&bus, text, text, error, sizeof error)) {
		ALWAYS(bus.nnodes && bus.nnodes <= XY__BUS_NODES);
		xy__bus_fini(&bus);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	ALWAYS(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	try_model(text);
	try_bus(text);
	free(text);
	return 0;
}
