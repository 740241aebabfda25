/* SPDX-License-Identifier: MIT */
/* Finds the library and its functions once. It stays loaded, because it has threads of its own. */
#include "drivers/gpu_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define API_FUNCTION(name) \
	{ \
#name, offsetof(struct xy__gpu_api, cuda##name), false \
	}
#define API_OPTIONAL(name) \
	{ \
#name, offsetof(struct xy__gpu_api, cuda##name), true \
	}
static const struct {
	const char *name;
	size_t offset;
	bool optional;
} api_functions[] = {
	API_FUNCTION(GetDeviceCount),
	API_FUNCTION(GetDeviceProperties),
	API_FUNCTION(DeviceGetAttribute),
	API_FUNCTION(GetDevice),
	API_FUNCTION(SetDevice),
	API_FUNCTION(MemGetInfo),
	API_FUNCTION(DeviceCanAccessPeer),
	API_FUNCTION(DeviceEnablePeerAccess),
	API_FUNCTION(GetLastError),
	API_FUNCTION(PeekAtLastError),
	API_FUNCTION(GetErrorName),
	API_FUNCTION(GetErrorString),
	API_FUNCTION(Malloc),
	API_FUNCTION(Free),
	API_FUNCTION(HostAlloc),
	API_FUNCTION(FreeHost),
	API_FUNCTION(HostRegister),
	API_FUNCTION(HostUnregister),
	API_FUNCTION(PointerGetAttributes),
	API_FUNCTION(StreamCreateWithFlags),
	API_FUNCTION(StreamDestroy),
	API_FUNCTION(StreamQuery),
	API_FUNCTION(StreamSynchronize),
	API_FUNCTION(EventCreateWithFlags),
	API_FUNCTION(EventDestroy),
	API_FUNCTION(EventRecord),
	API_FUNCTION(EventQuery),
	API_FUNCTION(MemcpyAsync),
	API_FUNCTION(Memcpy2DAsync),
	API_FUNCTION(Memcpy3DAsync),
	API_FUNCTION(MemcpyPeerAsync),
	API_FUNCTION(Memcpy3DPeerAsync),
	API_OPTIONAL(DeviceGetPCIBusId),
	API_OPTIONAL(ThreadExchangeStreamCaptureMode),
	API_OPTIONAL(MemPoolCreate),
	API_OPTIONAL(MemPoolDestroy),
	API_OPTIONAL(MemPoolSetAttribute),
	API_OPTIONAL(MemPoolSetAccess),
	API_OPTIONAL(MallocFromPoolAsync),
	API_OPTIONAL(FreeAsync),
	API_OPTIONAL(EventElapsedTime),
};

static pthread_once_t api_once = PTHREAD_ONCE_INIT;
static struct xy__gpu_api api; /* constant after api_load, as is what follows */
static int api_error;
static char api_why[256];

/* Whether the linker reports a missing file, not a broken one. */
static bool api_is_absent(const char *name, const char *said)
{
	return strncmp(said, name, strlen(name)) == 0 && said[strlen(name)] == ':' && strstr(said, strerror(ENOENT));
}

static void api_refuse(int error, const char *format, const char *who, const char *what)
{
	api_error = error;
	snprintf(api_why, sizeof api_why, format, who, what);
}

/* The program's own version comes first: two versions in one process don't see each other's errors. A broken file is
 * an error only if no other one can be loaded. */
static void *api_open(void)
{
	static const int modes[] = { RTLD_NOW | RTLD_NOLOAD, RTLD_NOW };
	const char *const *names = xy__gpu_dialect.libraries;

	api_refuse(-ENOENT, "%s is not installed: there is no %s", xy__gpu_dialect.title, names[0]);
	for (unsigned mode = 0; mode < 2; mode++)
		for (unsigned i = 0; names[i]; i++) {
			void *library = dlopen(names[i], modes[mode]);
			const char *said = library ? NULL : dlerror();

			if (library)
				return library;
			if (mode && api_error == -ENOENT && said && !api_is_absent(names[i], said))
				api_refuse(-ELIBACC, "%s can't be loaded: %s", xy__gpu_dialect.title, said);
		}
	return NULL;
}

static void *api_symbol(void *library, const char *name)
{
	char symbol[64];

	snprintf(symbol, sizeof symbol, "%s%s", xy__gpu_dialect.prefix, name);
	return dlsym(library, symbol);
}

/* The function under its own name, else under that of CUDA. *needed: the library must have it. */
static void *api_find(void *library, const char *name, bool *needed)
{
	void *function = NULL;

	*needed = true;
	for (unsigned i = 0; xy__gpu_dialect.names[i][0]; i++) {
		const char *const *pair = xy__gpu_dialect.names[i];

		if (strcmp(pair[0], name))
			continue;
		*needed = pair[1];
		function = pair[1] ? api_symbol(library, pair[1]) : NULL;
	}
	return function || !*needed ? function : api_symbol(library, name);
}

static void api_load(void)
{
	void *library = api_open();

	if (!library)
		return;
	api_error = 0;
	api.device_memory = xy__gpu_dialect.device_memory(library);
	for (unsigned i = 0; i < sizeof api_functions / sizeof api_functions[0]; i++) {
		bool needed;
		void *function = api_find(library, api_functions[i].name, &needed);

		if (!function && needed && !api_functions[i].optional) {
			api_refuse(-ENOSYS, "this library has no %s%s", xy__gpu_dialect.prefix, api_functions[i].name);
			return;
		}
		*(void **)((char *)&api + api_functions[i].offset) = function;
	}
}

const struct xy__gpu_api *xy__gpu_api(int *error, const char **why)
{
	pthread_once(&api_once, api_load);
	*error = api_error;
	*why = api_why;
	return api_error ? NULL : &api;
}
