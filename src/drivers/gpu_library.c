/* SPDX-License-Identifier: MIT */
/*
 * Handles of the libraries beside the run-time library: one for each launch queue, made when a codelet first asks for
 * it, with the stream of the queue. The library that the program has loaded comes first, because its functions get the
 * handle.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "drivers/gpu.h"

/* The library that has its functions, into the handle; NULL if it is not there or has others. */
static void *library_open(const struct xy__gpu_library *library, struct gpu_library *handle)
{
	static const int modes[] = { RTLD_NOW | RTLD_NOLOAD, RTLD_NOW };

	for (unsigned mode = 0; mode < 2; mode++)
		for (unsigned i = 0; library->files[i]; i++) {
			void *object = dlopen(library->files[i], modes[mode]);

			if (!object)
				continue;
			*(void **)&handle->create = dlsym(object, library->create);
			*(void **)&handle->set_stream = dlsym(object, library->set_stream);
			*(void **)&handle->destroy = dlsym(object, library->destroy);
			if (handle->create && handle->set_stream && handle->destroy)
				return object;
			dlclose(object);
		}
	return NULL;
}

static int library_make(const struct xy__gpu_library *library, struct gpu_library *handle, struct CUstream_st *stream)
{
	void *object = library_open(library, handle), *made = NULL;
	int status;

	if (!object)
		return xy__gpu_fail(-ENOSYS, "%s can't be loaded: there is no %s", library->title, library->files[0]);
	status = handle->create(&made);
	if (!status) {
		status = handle->set_stream(made, stream);
		if (status)
			handle->destroy(made);
	}
	if (status)
		return xy__gpu_fail(-EIO, "%s has no handle for this worker: error %d", library->title, status);
	handle->made = made; /* the library stays loaded, as the run-time library does */
	return 0;
}

void *xy__gpu_library(const struct xy_gpu_services *services, unsigned which)
{
	struct gpu_queue *queue = (struct gpu_queue *)services;
	struct gpu_library *handle = &queue->libraries[which];

	if (!handle->made && !xy__gpu_dialect.libraries_beside[which].title)
		xy__gpu_fail(-ENOSYS, "%s has no such library", xy__gpu_dialect.title);
	else if (!handle->made)
		library_make(&xy__gpu_dialect.libraries_beside[which], handle, queue->stream);
	return handle->made;
}

void xy__gpu_libraries_destroy(struct gpu_queue *queue)
{
	for (unsigned i = 0; i < XY_GPU_NLIBRARIES; i++)
		if (queue->libraries[i].made)
			queue->libraries[i].destroy(queue->libraries[i].made);
}
