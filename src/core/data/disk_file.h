/* SPDX-License-Identifier: MIT */
/* A file without a name, read and written past the page cache where its file system can. */
#ifndef XYLEM_CORE_DATA_DISK_FILE_H
#define XYLEM_CORE_DATA_DISK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <xylem/driver.h>

enum { XY__DISK_BLOCK = 4096 }; /* direct reads and writes are of whole blocks, from and to whole blocks of memory */

struct xy__disk_file {
	int cached, direct; /* descriptors of the file; direct may be -1 */
};

/* Makes a file in a folder. *bytes, its limit, is set if it is 0. 0 or -errno. */
int xy__disk_file_open(struct xy__disk_file *file, const char *folder, size_t *bytes);
void xy__disk_file_close(struct xy__disk_file *file);

/*
 * Does one copy between RAM and a chunk at `offset` of the file, whose length is a multiple of XY__DISK_BLOCK; 0 or
 * -errno. Any thread.
 */
int xy__disk_copy(const struct xy__disk_file *file, const struct xy_copy *copy, bool writes, size_t offset);

#endif
