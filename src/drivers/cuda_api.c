/* SPDX-License-Identifier: MIT */
/* Finds libcudart and its functions, once; it stays loaded, as CUDA has threads of its own. */
#include "drivers/cuda_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

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
static char api_why[160];

/* Two versions in one process would not know each other's errors: the program's own comes first. */
static void *api_open(void)
{
	static const char *const names[] = { "libcudart.so.13", "libcudart.so.12", "libcudart.so" };
	static const int modes[] = { RTLD_NOW | RTLD_NOLOAD, RTLD_NOW };

	for (unsigned mode = 0; mode < 2; mode++)
		for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
			void *library = dlopen(names[i], modes[mode]);

			if (library)
				return library;
		}
	return NULL;
}

static void api_load(void)
{
	void *library = api_open();

	if (!library) {
		api_error = -ENOENT;
		snprintf(api_why, sizeof api_why, "CUDA is not installed: there is no libcudart.so.13 or .12");
		return;
	}
	for (unsigned i = 0; i < sizeof api_functions / sizeof api_functions[0]; i++) {
		void *function = dlsym(library, api_functions[i].name);

		if (!function) {
			api_error = -ENOSYS;
			snprintf(api_why, sizeof api_why, "this libcudart has no %s", api_functions[i].name);
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
