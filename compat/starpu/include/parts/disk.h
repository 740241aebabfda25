/* SPDX-License-Identifier: MIT */
/* Disks: data that begins and ends in a file. While it is registered, its content is in memory. */
#ifndef XYLEM_STARPU_DISK_H
#define XYLEM_STARPU_DISK_H

#include <sys/types.h>
#include <parts/worker.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a disk stores data. The calls that do not wait, and those for whole objects, may be NULL: they are not used. */
struct starpu_disk_ops {
	void *(*plug)(void *parameter, starpu_ssize_t size);
	void (*unplug)(void *base);
	int (*bandwidth)(unsigned node, void *base);
	void *(*alloc)(void *base, size_t size);
	void (*free)(void *base, void *obj, size_t size);
	void *(*open)(void *base, void *pos, size_t size);
	void (*close)(void *base, void *obj, size_t size);
	int (*read)(void *base, void *obj, void *buf, off_t offset, size_t size);
	int (*write)(void *base, void *obj, const void *buf, off_t offset, size_t size);
	int (*full_read)(void *base, void *obj, void **ptr, size_t *size, unsigned dst_node);
	int (*full_write)(void *base, void *obj, void *ptr, size_t size);
	void *(*async_write)(void *base, void *obj, void *buf, off_t offset, size_t size);
	void *(*async_read)(void *base, void *obj, void *buf, off_t offset, size_t size);
	void *(*async_full_read)(void *base, void *obj, void **ptr, size_t *size, unsigned dst_node);
	void *(*async_full_write)(void *base, void *obj, void *ptr, size_t size);
	void *(*copy)(void *base_src, void *obj_src, off_t offset_src, void *base_dst, void *obj_dst, off_t offset_dst,
		      size_t size);
	void (*wait_request)(void *async_channel);
	int (*test_request)(void *async_channel);
	void (*free_request)(void *async_channel);
};
/* Files of a folder, named by the parameter; the three differ in the calls that read and write. */
extern struct starpu_disk_ops starpu_disk_stdio_ops;
extern struct starpu_disk_ops starpu_disk_unistd_ops;
extern struct starpu_disk_ops starpu_disk_unistd_o_direct_ops;

#define STARPU_DISK_SIZE_MIN (16 * 1024 * 1024)
/* The memory node of a disk, as the home of data; or -ENOENT if it can't be written, -EINVAL, -ENOSPC. */
int starpu_disk_register(struct starpu_disk_ops *func, void *parameter, starpu_ssize_t size);
/* An object for a file that is there, as the pointer of data whose home is the disk; NULL without it. */
void *starpu_disk_open(unsigned node, void *pos, size_t size);
void starpu_disk_close(unsigned node, void *obj, size_t size);
extern int starpu_disk_swap_node;

#ifdef __cplusplus
}
#endif
#endif
