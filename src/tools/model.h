/* SPDX-License-Identifier: MIT */
/* Plots of models, and models as files for others. */
#ifndef XYLEM_TOOLS_MODEL_H
#define XYLEM_TOOLS_MODEL_H

#include "core/perf/file.h"
#include "tools/tool.h"

/* Time over size, both logarithmic: to stdout as characters, or to a file as SVG. */
enum tool_status tool_model_text(const struct xy__model_file *file);
enum tool_status tool_model_svg(const struct xy__model_file *file, const char *path);

/* Writes the files of sched-pipeline, as the arguments behind "export" say. */
enum tool_status tool_model_export(const struct xy__settings *settings, int argc, char **argv);

#endif
