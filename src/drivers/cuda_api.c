/* SPDX-License-Identifier: MIT */
/* Finds libcudart and its functions, once; it stays loaded, as CUDA has threads of its own. */
#include "drivers/cuda_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define API_FUNCTION(name) { #name, offsetof(struct xy__cuda_api, name) }
static const struct {
	const char *name;
	size_t offset;
} api_functions[] = {
	API_FUNCTION(cudaGetDeviceCount), API_FUNCTION(cudaGetDeviceProperties),
	API_FUNCTION(cudaDeviceGetAttribute), API_FUNCTION(cudaSetDevice), API_FUNCTION(cudaMemGetInfo),
	API_FUNCTION(cudaDeviceCanAccessPeer), API_FUNCTION(cudaDeviceEnablePeerAccess),
	API_FUNCTION(cudaGetLastError), API_FUNCTION(cudaPeekAtLastError), API_FUNCTION(cudaGetErrorName),
	API_FUNCTION(cudaGetErrorString), API_FUNCTION(cudaMalloc), API_FUNCTION(cudaFree),
	API_FUNCTION(cudaHostAlloc), API_FUNCTION(cudaFreeHost), API_FUNCTION(cudaHostRegister),
	API_FUNCTION(cudaHostUnregister), API_FUNCTION(cudaPointerGetAttributes),
	API_FUNCTION(cudaStreamCreateWithFlags),
	API_FUNCTION(cudaStreamDestroy), API_FUNCTION(cudaStreamQuery), API_FUNCTION(cudaStreamSynchronize),
	API_FUNCTION(cudaEventCreateWithFlags), API_FUNCTION(cudaEventDestroy), API_FUNCTION(cudaEventRecord),
	API_FUNCTION(cudaEventQuery), API_FUNCTION(cudaMemcpyAsync), API_FUNCTION(cudaMemcpy2DAsync),
	API_FUNCTION(cudaMemcpy3DAsync), API_FUNCTION(cudaMemcpyPeerAsync), API_FUNCTION(cudaMemcpy3DPeerAsync),
};

static pthread_once_t api_once = PTHREAD_ONCE_INIT;
static struct xy__cuda_api api;      /* constant after api_load, as is what follows */
static int api_error;
static char api_why[256];

/* Does the linker say that there is no such file, and not that something is wrong with it? */
static bool api_is_absent(const char *name, const char *said)
{
	return strncmp(said, name, strlen(name)) == 0 && said[strlen(name)] == ':' && strstr(said, strerror(ENOENT));
}

static void api_refuse(int error, const char *format, const char *what)
{
	api_error = error;
	snprintf(api_why, sizeof api_why, format, what);
}

/* Two versions in one process would not know each other's errors: the program's own comes first. What is wrong with a
 * file counts only if no other one can be had. */
static void *api_open(void)
{
	static const char *const names[] = { "libcudart.so.13", "libcudart.so.12", "libcudart.so" };
	static const int modes[] = { RTLD_NOW | RTLD_NOLOAD, RTLD_NOW };

	api_refuse(-ENOENT, "CUDA is not installed: there is no %s or .12", names[0]);
	for (unsigned mode = 0; mode < 2; mode++)
		for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
			void *library = dlopen(names[i], modes[mode]);
			const char *said = library ? NULL : dlerror();

			if (library)
				return library;
			if (mode && api_error == -ENOENT && said && !api_is_absent(names[i], said))
				api_refuse(-ELIBACC, "CUDA can't be loaded: %s", said);
		}
	return NULL;
}

static void api_load(void)
{
	void *library = api_open();

	if (!library)
		return;
	api_error = 0;
	for (unsigned i = 0; i < sizeof api_functions / sizeof api_functions[0]; i++) {
		void *function = dlsym(library, api_functions[i].name);

		if (!function) {
			api_refuse(-ENOSYS, "this libcudart has no %s", api_functions[i].name);
			return;
		}
		*(void **)((char *)&api + api_functions[i].offset) = function;
	}
}

const struct xy__cuda_api *xy__cuda_api(int *error, const char **why)
{
	pthread_once(&api_once, api_load);
	*error = api_error;
	*why = api_why;
	return api_error ? NULL : &api;
}
