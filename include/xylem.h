/* SPDX-License-Identifier: MIT */
/* Xylem, a task runtime whose scheduler is a tree of components: what applications include. */
#ifndef XYLEM_H
#define XYLEM_H

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that runs, such as "0.1.0". Constant, callable at any time. */
const char *xy_version(void);

#ifdef __cplusplus
}
#endif

#endif
