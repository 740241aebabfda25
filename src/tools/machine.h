/* SPDX-License-Identifier: MIT */
/* Shared by the machine listings. */
#ifndef XYLEM_TOOLS_MACHINE_H
#define XYLEM_TOOLS_MACHINE_H

#include "tools/tool.h"

void tool_machine_headline(const char *text);

/* "15.6 GiB" */
void tool_machine_size(char text[16], unsigned long long bytes);

/* The memory nodes with their workers; false without memory. */
bool tool_machine_memory(const struct xy_machine *m);

/* xylem machine with a machine file, --check or --list. */
enum tool_status tool_machine_file(const struct tool_arguments *arguments);

/* xylem machine import --starpu FOLDER HOST. */
enum tool_status tool_machine_import(const char *folder, const char *host);

#endif
