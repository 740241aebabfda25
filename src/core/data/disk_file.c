/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing a file past the page cache, which would keep in RAM what was to leave it. What does not begin at
 * a block, in the file or in memory, goes through the cache.
 */
#include "core/data/disk_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int file_make(const char *folder)
{
	char *path;
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	if (asprintf(&path, "%s/xylem-XXXXXX", folder) < 0)
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

/* Opens the file again, past the cache; -1 if its file system can't. */
static int file_direct(int fd)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
}

static int file_room(int fd, size_t *bytes)
{
	struct statvfs info;

	if (fstatvfs(fd, &info))
		return -errno;
	*bytes = (size_t)info.f_bavail * info.f_frsize;
	return 0;
}

int xy__disk_file_open(struct xy__disk_file *file, const char *folder, size_t *bytes)
{
	int error = 0;

	errno = ENOMEM;
	file->cached = file_make(folder);
	if (file->cached < 0)
		return -errno;
	if (!*bytes)
		error = file_room(file->cached, bytes);
	if (error)
		close(file->cached);
	else
		file->direct = file_direct(file->cached);
	return error;
}

void xy__disk_file_close(struct xy__disk_file *file)
{
	if (file->direct >= 0)
		close(file->direct);
	close(file->cached);
}

/* All bytes, however many calls it takes. */
static int file_move(int fd, bool writes, char *memory, size_t bytes, size_t offset)
{
	while (bytes) {
		ssize_t n = writes ? pwrite(fd, memory, bytes, (off_t)offset) : pread(fd, memory, bytes, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO; /* the file ends before what was written to it */
		memory += n;
		bytes -= (size_t)n;
		offset += (size_t)n;
	}
	return 0;
}

/* Less than a block, up to the end of a chunk. */
static int file_move_rest(int fd, bool writes, char *memory, size_t bytes, size_t offset)
{
	_Alignas(XY__DISK_BLOCK) char block[XY__DISK_BLOCK];
	int error;

	if (writes) {
		memcpy(block, memory, bytes);
		memset(block + bytes, 0, sizeof block - bytes);
		return file_move(fd, writes, block, sizeof block, offset);
	}
	error = file_move(fd, writes, block, sizeof block, offset);
	if (!error)
		memcpy(memory, block, bytes);
	return error;
}

/* A row; `last`: nothing else is in its last block. */
static int file_row(const struct xy__disk_file *file, bool writes, char *memory, size_t bytes, size_t offset, bool last)
{
	size_t whole = bytes / XY__DISK_BLOCK * XY__DISK_BLOCK;
	int error;

	if (file->direct < 0 || !last || offset % XY__DISK_BLOCK || (uintptr_t)memory % XY__DISK_BLOCK)
		return file_move(file->cached, writes, memory, bytes, offset);
	error = file_move(file->direct, writes, memory, whole, offset);
	if (!error && whole < bytes)
		error = file_move_rest(file->direct, writes, memory + whole, bytes - whole, offset + whole);
	return error;
}

int xy__disk_copy(const struct xy__disk_file *file, const struct xy_copy *copy, bool writes, size_t offset)
{
	const struct xy_place *ram = writes ? &copy->from : &copy->to, *disk = writes ? &copy->to : &copy->from;
	size_t ram_row = writes ? copy->from_row : copy->to_row, disk_row = writes ? copy->to_row : copy->from_row;
	size_t ram_plane = writes ? copy->from_plane : copy->to_plane;
	size_t disk_plane = writes ? copy->to_plane : copy->from_plane;
	bool alone = copy->nplanes == 1 && copy->nrows == 1 && !disk->offset;
	int error = 0;

	for (size_t plane = 0; plane < copy->nplanes && !error; plane++)
		for (size_t row = 0; row < copy->nrows && !error; row++)
			error = file_row(
				file, writes, (char *)ram->memory + ram->offset + plane * ram_plane + row * ram_row,
				copy->row_bytes, offset + disk->offset + plane * disk_plane + row * disk_row, alone);
	return error;
}
