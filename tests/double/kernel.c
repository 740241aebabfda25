/* SPDX-License-Identifier: MIT */
/*
 * Kernels: what nvcc's objects register when a program starts, and the functions of the host that are
 * run in their place. A kernel is found by its name; one without a body here can't be launched.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { KERNELS = 256, TABLES = 16, NESTED = 4 };

/* What cudaKernel_t points to. */
struct CUkern_st {
	const void *function; /* the stub in the program */
	const char *name;
};

static struct CUkern_st registered[KERNELS];              /* (l) */
static unsigned nregistered;                              /* (l) */
static const struct cudart_double_kernel *tables[TABLES]; /* (l) */
static unsigned ntables;                                  /* (l) */

/* Between <<<>>> and the stub. */
struct configuration {
	struct dim3 grid, block;
	size_t shared_bytes;
	struct CUstream_st *stream;
};
static _Thread_local struct configuration configurations[NESTED];
static _Thread_local unsigned nconfigurations;

/* --- bodies --- */

static bool add_table(const struct cudart_double_kernel *kernels)
{
	if (!kernels || ntables == TABLES)
		return false;
	tables[ntables++] = kernels;
	return true;
}

bool cudart_double_add_kernels(const struct cudart_double_kernel *kernels)
{
	bool added;

	double_setup();
	pthread_mutex_lock(&double_state.lock);
	added = add_table(kernels);
	pthread_mutex_unlock(&double_state.lock);
	return added;
}

/* Shared objects, separated by colons. */
void double_kernels_from_environment(void)
{
	const char *variable = getenv(DOUBLE_VARIABLE("KERNELS"));
	char *list = variable ? strdup(variable) : NULL, *rest = list, *path;

	while (rest && (path = strsep(&rest, ":"))) {
		void *object = *path ? dlopen(path, RTLD_NOW) : NULL;

		if (*path && (!object || !add_table(dlsym(object, "cudart_double_kernels"))))
			fprintf(stderr, "cudart double: no kernels in %s: %s\n", path, object ? "no table" : dlerror());
	}
	free(list);
}

static const struct cudart_double_kernel *find_body(const char *name)
{
	for (unsigned i = 0; i < ntables; i++)
		for (const struct cudart_double_kernel *k = tables[i]; k->name; k++)
			if (!strcmp(k->name, name))
				return k;
	return NULL;
}

void double_run_kernel(struct double_operation *o)
{
	void *args[CUDART_DOUBLE_NARGS];
	char *next = o->arg;

	if (!o->body) {
		o->function(o->arg);
		return;
	}
	for (unsigned i = 0; i < CUDART_DOUBLE_NARGS && o->body->sizes[i]; i++) {
		args[i] = next;
		next += (o->body->sizes[i] + 15) / 16 * 16;
	}
	o->body->body(&o->grid, args);
}

/* --- launching --- */

static enum cudaError queue_kernel(struct double_operation *o, struct CUstream_st *stream)
{
	o->kind = DOUBLE_KERNEL;
	o->us = double_state.launch_us;
	if (double_queue(stream, o))
		return cudaSuccess;
	free(o->arg);
	return cudaErrorMemoryAllocation;
}

static enum cudaError launch(const struct CUkern_st *kernel, const struct configuration *c, void **args)
{
	struct CUstream_st *stream = double_stream(c->stream);
	struct double_operation o = { .body = kernel ? find_body(kernel->name) : NULL };
	size_t bytes = 0;
	char *next;

	if (!stream || stream->device != double_current())
		return cudaErrorInvalidResourceHandle;
	if (!o.body)
		return cudaErrorInvalidDeviceFunction;
	if (!c->grid.x || !c->grid.y || !c->grid.z || !c->block.x || !c->block.y || !c->block.z ||
	    (size_t)c->block.x * c->block.y * c->block.z > 1024)
		return cudaErrorInvalidConfiguration;
	for (unsigned i = 0; i < CUDART_DOUBLE_NARGS && o.body->sizes[i]; i++)
		bytes += (o.body->sizes[i] + 15) / 16 * 16;
	o.arg = next = malloc(bytes + 1);
	if (!next)
		return cudaErrorMemoryAllocation;
	for (unsigned i = 0; i < CUDART_DOUBLE_NARGS && o.body->sizes[i]; i++) {
		memcpy(next, args[i], o.body->sizes[i]);
		next += (o.body->sizes[i] + 15) / 16 * 16;
	}
	o.grid = (struct cudart_double_grid){ { c->grid.x, c->grid.y, c->grid.z },
					      { c->block.x, c->block.y, c->block.z },
					      c->shared_bytes };
	return queue_kernel(&o, stream);
}

/* With the lock. */
static struct CUkern_st *find_kernel(const void *function)
{
	for (unsigned i = 0; i < nregistered; i++)
		if (registered[i].function == function)
			return &registered[i];
	return NULL;
}

enum cudaError cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **args,
				size_t shared_bytes, struct CUstream_st *stream)
{
	enum cudaError error = double_begin(__func__, double_current());
	struct configuration c = { grid, block, shared_bytes, stream };

	return double_end(error ? error : launch(find_kernel(function), &c, args));
}

enum cudaError cudaLaunchHostFunc(struct CUstream_st *stream, void (*function)(void *), void *arg)
{
	enum cudaError error = double_begin(__func__, (uintptr_t)stream > 1 ? stream->device : double_current());
	struct double_operation o = { .kind = DOUBLE_FUNCTION, .function = function, .arg = arg };

	if (!error && !double_queue(double_stream(stream), &o))
		error = cudaErrorMemoryAllocation;
	return double_end(error);
}

int cudart_double_launch(struct CUstream_st *stream, void (*function)(void *args), const void *args, size_t size)
{
	enum cudaError error = double_begin(DOUBLE_PREFIX "LaunchKernel", double_current());
	struct double_operation o = { .function = function, .arg = error ? NULL : malloc(size + 1) };
	struct CUstream_st *s = error ? NULL : double_stream(stream);

	if (!error && (!s || s->device != double_current()))
		error = cudaErrorInvalidResourceHandle;
	if (!error && !o.arg)
		error = cudaErrorMemoryAllocation;
	if (error) {
		free(o.arg);
		return double_end(error);
	}
	if (size)
		memcpy(o.arg, args, size);
	return double_end(queue_kernel(&o, s));
}

/* --- what nvcc's objects call --- */

void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *function, char *device_function, const char *name, int limit,
			    void *thread, void *block, void *block_size, void *grid_size, int *warp);
void __cudaRegisterVar(void **handle, char *variable, char *address, const char *name, int external, size_t size,
		       int constant, int global);
unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared_bytes,
				     struct CUstream_st *stream);
enum cudaError __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared_bytes, void *stream);
enum cudaError __cudaGetKernel(struct CUkern_st **kernel, const void *function);
enum cudaError __cudaLaunchKernel(struct CUkern_st *kernel, struct dim3 grid, struct dim3 block, void **args,
				  size_t shared_bytes, struct CUstream_st *stream);

void **__cudaRegisterFatBinary(void *binary)
{
	void **handle = malloc(sizeof *handle);

	if (handle)
		*handle = binary;
	return handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
	free(handle);
}

char __cudaInitModule(void **handle)
{
	(void)handle;
	return 0;
}

void __cudaRegisterFunction(void **handle, const char *function, char *device_function, const char *name, int limit,
			    void *thread, void *block, void *block_size, void *grid_size, int *warp)
{
	(void)handle, (void)device_function, (void)limit;
	(void)thread, (void)block, (void)block_size, (void)grid_size, (void)warp;
	pthread_mutex_lock(&double_state.lock);
	if (nregistered < KERNELS)
		registered[nregistered++] = (struct CUkern_st){ .function = function, .name = name };
	pthread_mutex_unlock(&double_state.lock);
}

/* Variables of devices exist for programs that have some; nothing reads or writes them here. */
void __cudaRegisterVar(void **handle, char *variable, char *address, const char *name, int external, size_t size,
		       int constant, int global)
{
	(void)handle, (void)variable, (void)address, (void)name;
	(void)external, (void)size, (void)constant, (void)global;
}

unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared_bytes,
				     struct CUstream_st *stream)
{
	if (nconfigurations == NESTED)
		return 1;
	configurations[nconfigurations++] = (struct configuration){ grid, block, shared_bytes, stream };
	return 0;
}

enum cudaError __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared_bytes, void *stream)
{
	struct configuration *c;

	if (!nconfigurations)
		return cudaErrorInvalidConfiguration;
	c = &configurations[--nconfigurations];
	*grid = c->grid;
	*block = c->block;
	*shared_bytes = c->shared_bytes;
	*(struct CUstream_st **)stream = c->stream;
	return cudaSuccess;
}

enum cudaError __cudaGetKernel(struct CUkern_st **kernel, const void *function)
{
	double_setup();
	pthread_mutex_lock(&double_state.lock);
	*kernel = find_kernel(function);
	pthread_mutex_unlock(&double_state.lock);
	return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

enum cudaError __cudaLaunchKernel(struct CUkern_st *kernel, struct dim3 grid, struct dim3 block, void **args,
				  size_t shared_bytes, struct CUstream_st *stream)
{
	enum cudaError error = double_begin(DOUBLE_PREFIX "LaunchKernel", double_current());
	struct configuration c = { grid, block, shared_bytes, stream };

	return double_end(error ? error : launch(kernel, &c, args));
}
