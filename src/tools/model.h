/* SPDX-License-Identifier: MIT */
/* Plots of models. */
#ifndef XYLEM_TOOLS_MODEL_H
#define XYLEM_TOOLS_MODEL_H

#include "core/perf/file.h"
#include "tools/tool.h"

/* Time over size, both logarithmic: to stdout as characters, or to a file as SVG. */
enum tool_status tool_model_text(const struct xy__model_file *file);
enum tool_status tool_model_svg(const struct xy__model_file *file, const char *path);

#endif
