/* SPDX-License-Identifier: MIT */
/*
 * Xylem for applications: runtimes, codelets, tasks, data handles, machines.
 * Authors of components include <xylem/component.h> and <xylem/tree.h> as well.
 */
#ifndef XYLEM_H
#define XYLEM_H

#include <xylem/batch.h>
#include <xylem/context.h>
#include <xylem/data.h>
#include <xylem/group.h>
#include <xylem/insert.h>
#include <xylem/machine.h>
#include <xylem/memory.h>
#include <xylem/partition.h>
#include <xylem/perf.h>
#include <xylem/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "major.minor.patch" of the library in use. */
const char *xy_version(void);

#ifdef __cplusplus
}
#endif
#endif
