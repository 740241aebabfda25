/* SPDX-License-Identifier: MIT */
/* Any text either makes a machine whose parts fit together or is refused with a reason. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xylem/machine.h>
#include "fuzz.h"

#define TEXT_MAX 256

static void expect(int condition, const char *what, const char *text)
{
	if (condition)
		return;
	fprintf(stderr, "\"%s\": %s\n", text, what);
	abort();
}

/* Whether a number from 1000 to 999999 is in the text: right, but it would take long. */
static int is_large(const char *text)
{
	while (*text) {
		size_t digits = strspn(text, "0123456789");

		if (digits > 3 && digits < 7)
			return 1;
		text += digits ? digits : 1;
	}
	return 0;
}

static void look(const struct xy_machine *m, const char *text)
{
	unsigned n = xy_machine_nworkers(m), deepest = 0;

	expect(n >= 1 && n <= 100000, "number of workers", text);
	expect(xy_machine_nnodes(m) >= 1, "number of nodes", text);
	expect(xy_machine_is_here(m) == (xy_machine_ncores(m) > 0), "cores", text);
	for (unsigned w = 0; w < n; w++) {
		const struct xy_worker_info *info = xy_machine_worker(m, w);
		char name[16];

		snprintf(name, sizeof(name), "%s%u", xy_arch_name(info->arch), info->index);
		expect(!strcmp(name, info->name), "name", text);
		expect(w == 0 || info->arch > info[-1].arch ||
			       (info->arch == info[-1].arch && info->index == info[-1].index + 1),
		       "order", text);
		expect(info->node < xy_machine_nnodes(m), "node", text);
		expect(info->speed > 0, "speed", text);
		expect((info->device >= 0) == (info->arch != XY_CPU), "device", text);
		expect(xy_machine_node(m, info->node)->arch == info->arch, "kind of node", text);
		expect((info->pu >= 0) == xy_machine_is_here(m), "processor", text);
		if (w == 0)
			continue;
		expect(xy_machine_distance(m, 0, w) == xy_machine_distance(m, w, 0), "symmetry", text);
		if (xy_machine_distance(m, 0, w) > deepest)
			deepest = xy_machine_distance(m, 0, w);
	}
	expect(deepest <= 18, "depth", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT_MAX], error[TEXT_MAX + 256] = "";
	struct xy_machine *m;
	int status;

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (is_large(text))
		return 0;
	status = xy_machine_create(&m, text, error, sizeof(error));
	if (status == 0) {
		look(m, text);
		xy_machine_destroy(m);
	} else {
		expect(!m, "a machine in spite of the error", text);
		expect(status == -EINVAL || status == -ERANGE, "error number", text);
		expect(strstr(error, "column ") != NULL, "no column", text);
	}
	return 0;
}
