/* SPDX-License-Identifier: MIT */
/* Reader of StarPU's model files. */
#ifndef XYLEM_CORE_PERF_STARPU_H
#define XYLEM_CORE_PERF_STARPU_H

#include "core/perf/file.h"
#include "core/perf/lines.h"

/* StarPU's format; the text has been seen to be of it. */
int xy__starpu_read(struct xy__model_file *file, struct xy__lines *lines, char *error, size_t error_size);

#endif
