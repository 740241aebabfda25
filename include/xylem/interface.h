/* SPDX-License-Identifier: MIT */
/*
 * For authors of data interfaces. An interface defines the view that codelets have of a handle (a struct with pointers
 * and sizes) and the arrays it consists of; from this the runtime allocates, copies, packs and partitions. doc/data.md
 * has a complete example: complex numbers in two arrays.
 */
#ifndef XYLEM_INTERFACE_H
#define XYLEM_INTERFACE_H

#include <stddef.h>
#include <xylem/data.h>
#include <xylem/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XY_NPARTS 4 /* arrays of an interface */

/* One array of a view: rows of contiguous bytes, rows of rows, and so on. */
struct xy_part {
	size_t pointer;              /* offset of its address in the view: offsetof(...) */
	size_t row_bytes;            /* 0: the array is empty */
	unsigned ndims;              /* dimensions above the row: 0 for a plain array */
	size_t count[XY_NDIMS - 1];  /* number of rows, planes, ... : the innermost first */
	size_t stride[XY_NDIMS - 1]; /* bytes from the start of one to the next */
};

struct xy_interface {
	const char *name;
	size_t view_size;
	/*
	 * Describes the arrays of a view, whatever its pointers; returns their number. Counts and row_bytes are equal
	 * in all views of a handle that have one layout, strides may differ; rows don't overlap, and a stride is at
	 * least the extent of the dimensions below it. Only arrays are moved to other memory, and only their pointers
	 * are set there: any other pointer in the view is that of the registered view everywhere. Where there is other
	 * memory, an interface that packs content but has no array is refused.
	 */
	unsigned (*parts)(const void *view, struct xy_part parts[XY_NPARTS]);
	/*
	 * Sets the sizes of a view to those without gaps, the layout of copies on devices. NULL: there are never gaps.
	 */
	void (*compact)(void *view);
	/* Optional: 0, -EINVAL or -EOVERFLOW for a view to be registered, with a sentence. */
	int (*check)(const void *view, char *error, size_t error_size);
	/*
	 * Optional, all three or none: the content as bytes. Their number depends on the sizes of the view alone.
	 * Default: the arrays in order, without gaps.
	 */
	size_t (*packed_bytes)(const void *view);
	void (*pack)(const void *view, void *bytes);
	void (*unpack)(void *view, const void *bytes);
	/*
	 * Optional, all three or none: a layout of its own on the devices of an architecture. `layout` gets a view
	 * without gaps, whose pointers mean nothing, and changes its sizes to those on such devices; or it returns
	 * false: the layout there is that of RAM. `parts` may return other arrays for that view. The converters are
	 * called with memory in RAM for both views, when content goes from RAM to such a device or comes back: by any
	 * thread, for one handle or several at a time. They return 0 or -errno; with an error, the tasks that need the
	 * content fail. None of the three may call the runtime.
	 */
	bool (*layout)(void *view, enum xy_arch arch);
	int (*to_device)(void *device_view, const void *view, enum xy_arch arch);
	int (*from_device)(void *view, const void *device_view, enum xy_arch arch);
};

extern const struct xy_interface xy_variable_interface, xy_vector_interface, xy_matrix_interface, xy_block_interface,
	xy_tensor_interface, xy_ndim_interface, xy_csr_interface, xy_bcsr_interface, xy_coo_interface,
	xy_void_interface;

/*
 * Registers data of any interface. The view is copied; its pointers are the application's memory, or all NULL: then
 * the runtime allocates zeroed memory at first use. 0, -EINVAL, -EOVERFLOW, -ENOMEM.
 */
int xy_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_interface *interface, const void *view);

/*
 * Declares arrays that tasks read but never write: bit i for the i-th part of the interface (csr and bcsr: 1 << 1 is
 * colind, 1 << 2 rowptr). They are copied to a device once, and never back to RAM; tasks with XY_W get them too. Call
 * it before the first task, for memory of the application. 0 or -EINVAL.
 */
int xy_handle_set_constant(struct xy_handle *h, unsigned arrays);

/*
 * Makes memory of the application on a device that of a handle, which was registered without memory and not used yet: a
 * view of the same sizes with what codelets get there as pointers, such as addresses from cudaMalloc or cl_mem of the
 * runtime's context. Its content counts as written. xy_unregister brings the content back there, and the memory is the
 * application's again; it does not count against the device's limit. 0, or -EINVAL, -EBUSY, -ENOMEM with one log line.
 */
int xy_handle_set_home(struct xy_handle *h, unsigned node, const void *view);

/* The interface it was registered with. */
const struct xy_interface *xy_handle_interface(const struct xy_handle *h);

/* The view in RAM. Its pointers may be used between xy_acquire and xy_release. */
const void *xy_handle_view(const struct xy_handle *h);

#ifdef __cplusplus
}
#endif
#endif
