/* SPDX-License-Identifier: MIT */
/*
 * Which OpenCL devices there are and which of them are wanted. Loading the implementations can take
 * far longer than everything else that a program does (PoCL brings LLVM: a tenth of a second), so they
 * are left alone when they can't have what is asked for.
 */
#include "drivers/opencl.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SELECT_PLATFORMS = 32 };

/* Where the ICD loaders of OpenCL find the implementations, unless told otherwise: files that name a library. */
static const char select_vendors[] = "/etc/OpenCL/vendors";

/* All devices, in the order of their platforms. */
struct select_list {
	unsigned n;
	cl_device_id ids[XY__OPENCL_DEVICES];
	cl_device_type types[XY__OPENCL_DEVICES];
};

static const struct {
	const char *word;
	cl_device_type type;
} select_words[] = {
	{ "all", CL_DEVICE_TYPE_ALL },
	{ "cpu", CL_DEVICE_TYPE_CPU },
	{ "gpu", CL_DEVICE_TYPE_GPU },
	{ "accelerator", CL_DEVICE_TYPE_ACCELERATOR },
};

/* --- what is installed --- */

/* Does this file name PoCL's library? */
static bool select_is_pocl(const char *file)
{
	char path[512], library[256] = "";
	const char *name;
	FILE *stream;

	snprintf(path, sizeof path, "%s/%s", select_vendors, file);
	stream = fopen(path, "re");
	if (!stream)
		return false;
	if (!fgets(library, sizeof library, stream))
		library[0] = '\0';
	fclose(stream);
	name = strrchr(library, '/');
	return strncmp(name ? name + 1 : library, "libpocl", strlen("libpocl")) == 0;
}

/*
 * Whether PoCL is the only implementation. It has CPUs, unless it was built for other devices too: users of such a
 * build select "gpu". False if unknown, and without any implementation, because then nothing takes time.
 */
static bool select_only_pocl(void)
{
	DIR *folder = opendir(select_vendors);
	const struct dirent *file;
	unsigned pocl = 0, others = 0;

	if (!folder)
		return false;
	while ((file = readdir(folder))) {
		const char *ending = strrchr(file->d_name, '.');

		if (!ending || strcmp(ending, ".icd") != 0)
			continue;
		if (select_is_pocl(file->d_name))
			pocl++;
		else
			others++;
	}
	closedir(folder);
	return pocl && !others;
}

/* Adds the devices of a platform; more than there is room for are left out. */
static cl_int select_add(struct select_list *list, cl_platform_id platform)
{
	cl_uint n = 0;
	cl_int code;

	if (list->n == XY__OPENCL_DEVICES)
		return CL_SUCCESS;
	code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, XY__OPENCL_DEVICES - list->n, list->ids + list->n, &n);
	if (code != CL_SUCCESS)
		return code == CL_DEVICE_NOT_FOUND ? CL_SUCCESS : code;
	if (n > XY__OPENCL_DEVICES - list->n)
		n = XY__OPENCL_DEVICES - list->n;
	for (cl_uint i = 0; i < n; i++, list->n++)
		if (clGetDeviceInfo(list->ids[list->n], CL_DEVICE_TYPE, sizeof list->types[0], &list->types[list->n],
				    NULL) != CL_SUCCESS)
			list->types[list->n] = 0;
	return CL_SUCCESS;
}

/* Implementations make their devices when they are first asked for them, and PoCL shows other threads those that it has
 * made so far: one thread at a time asks, whatever runtime it belongs to. */
static pthread_mutex_t select_lock = PTHREAD_MUTEX_INITIALIZER;

/* A platform that doesn't work is an error only when no other one has devices. */
static int select_all(struct select_list *list, char *error, size_t error_size)
{
	enum { NO_PLATFORM = -1001 }; /* CL_PLATFORM_NOT_FOUND_KHR, of the loader */
	cl_platform_id platforms[SELECT_PLATFORMS];
	cl_uint n = 0;
	cl_int code = clGetPlatformIDs(SELECT_PLATFORMS, platforms, &n);
	cl_int failure = code == NO_PLATFORM ? CL_SUCCESS : code;

	list->n = 0;
	for (cl_uint i = 0; code == CL_SUCCESS && i < n && i < SELECT_PLATFORMS; i++) {
		cl_int added = select_add(list, platforms[i]);

		if (failure == CL_SUCCESS)
			failure = added;
	}
	if (list->n)
		return 0;
	if (failure == CL_SUCCESS) {
		snprintf(error, error_size, "no OpenCL device: %s",
			 n ? "the installed platforms have none" : "no platform is installed");
		return 0;
	}
	snprintf(error, error_size, "OpenCL does not work: %s (%d)", xy__opencl_name(failure), failure);
	return xy__opencl_error(NULL, failure, "OpenCL does not work");
}

/* --- what is wanted --- */

static void select_take(const struct select_list *list, unsigned i, cl_device_id *ids, unsigned *n)
{
	for (unsigned k = 0; k < *n; k++)
		if (ids[k] == list->ids[i])
			return;
	ids[(*n)++] = list->ids[i];
}

/* An item of the text: a word or a number. False: neither. */
static bool select_item(const char *item, const struct select_list *list, cl_device_id *ids, unsigned *n)
{
	char *end;
	unsigned long number;

	for (size_t w = 0; w < sizeof select_words / sizeof select_words[0]; w++) {
		if (strcmp(item, select_words[w].word) != 0)
			continue;
		for (unsigned i = 0; i < list->n; i++)
			if (list->types[i] & select_words[w].type || select_words[w].type == CL_DEVICE_TYPE_ALL)
				select_take(list, i, ids, n);
		return true;
	}
	if (item[0] < '0' || item[0] > '9')
		return false;
	number = strtoul(item, &end, 10);
	if (*end || number >= list->n)
		return false;
	select_take(list, (unsigned)number, ids, n);
	return true;
}

/* Walks over "0, gpu". The text is cut into its items. */
static int select_items(char *text, const struct select_list *list, cl_device_id *ids, unsigned *n, char *error,
			size_t error_size)
{
	for (char *item = text, *next; item; item = next) {
		size_t length;

		next = strchr(item, ',');
		if (next)
			*next++ = '\0';
		item += strspn(item, " \t");
		length = strlen(item);
		while (length && strchr(" \t", item[length - 1]))
			item[--length] = '\0';
		if (select_item(item, list, ids, n))
			continue;
		snprintf(error, error_size, "'%s' is no OpenCL device: all, cpu, gpu, accelerator or %s", item,
			 list->n ? "a number" : "a number, but there is no device");
		if (list->n)
			snprintf(error + strlen(error), error_size - strlen(error), " below %u", list->n);
		return -EINVAL;
	}
	return 0;
}

int xy__opencl_select(const struct xy_driver_config *config, cl_device_id ids[XY__OPENCL_DEVICES], unsigned *n,
		      char *error, size_t error_size)
{
	static const char usual[] = "gpu,accelerator";
	const char *text = config->devices;
	struct select_list list;
	char *copy;
	int status;

	*n = 0;
	error[0] = '\0';
	if (!text[0] && !config->own_vendors && select_only_pocl()) {
		snprintf(error, error_size, "the only OpenCL is PoCL, for CPUs, which are used only on request");
		return 0;
	}
	pthread_mutex_lock(&select_lock);
	status = select_all(&list, error, error_size);
	pthread_mutex_unlock(&select_lock);
	if (status)
		return status;
	copy = strdup(text[0] ? text : usual);
	if (!copy)
		return -ENOMEM;
	status = select_items(copy, &list, ids, n, error, error_size);
	free(copy);
	if (!status && !*n && list.n)
		snprintf(error, error_size, "none of the %u OpenCL devices is %s", list.n,
			 text[0] ? text : "a GPU or an accelerator; CPUs are used only on request");
	return status;
}
