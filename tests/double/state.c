/* SPDX-License-Identifier: MIT */
/*
 * What the double is, as the environment says, and the frame of every entry point. Who is told that a
 * device is lost can rely on its being at rest: nothing of it is executed any more.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"

static const size_t arena_bytes = (size_t)16 << 30; /* addresses, not memory */

struct double_state double_state = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.progress = PTHREAD_COND_INITIALIZER,
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local int current;
static _Thread_local enum cudaError last_error;
static _Thread_local bool stream_thread;

uint64_t double_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static double number(const char *variable, double otherwise)
{
	const char *text = getenv(variable);

	return text && *text ? strtod(text, NULL) : otherwise;
}

/* Bytes with an optional K, M or G. */
static size_t memory_from_environment(void)
{
	const char *text = getenv(DOUBLE_VARIABLE("MEMORY"));
	char *end;
	double bytes;

	if (!text || !*text)
		return (size_t)1 << 30;
	bytes = strtod(text, &end);
	return (size_t)(bytes * (*end == 'G' ? 1 << 30 : *end == 'M' ? 1 << 20 : *end == 'K' ? 1 << 10 : 1));
}

static void topology(double linked, double island)
{
	double_state.linked = linked >= 1 && linked < DOUBLE_DEVICES ? (unsigned)linked : 1;
	double_state.island = island >= 1 && island < DOUBLE_DEVICES ? (unsigned)island : DOUBLE_DEVICES;
	memset(double_state.links, 0, sizeof double_state.links);
}

static void settings_from_environment(void)
{
	double_state.bytes_per_us = number(DOUBLE_VARIABLE("GBPS"), 0) * 1e3;
	double_state.launch_us = number(DOUBLE_VARIABLE("LAUNCH_US"), 0);
	topology(number(DOUBLE_VARIABLE("LINKED"), 1), number(DOUBLE_VARIABLE("ISLAND"), 0));
	for (unsigned i = 0; i < double_state.ndevices; i++)
		double_state.devices[i].limit = memory_from_environment();
}

/* As CUDA does: a list of numbers that ends at the first that is none of a device. */
static void visible_from_environment(void)
{
	const char *text = getenv(DOUBLE_VISIBLE);
	struct double_state *s = &double_state;

	if (!text) {
		for (unsigned i = 0; i < s->ndevices; i++)
			s->visible[s->nvisible++] = &s->devices[i];
		return;
	}
	while (s->nvisible < DOUBLE_DEVICES) {
		char *end;
		long i = strtol(text, &end, 10);

		if (end == text || i < 0 || i >= (long)s->ndevices)
			break;
		s->visible[s->nvisible++] = &s->devices[i];
		if (*end != ',')
			break;
		text = end + 1;
	}
}

static void setup(void)
{
	double n = number(DOUBLE_VARIABLE("DEVICES"), 2);
	size_t bytes = memory_from_environment();

	double_state.peers = number(DOUBLE_VARIABLE("PEERS"), 1) != 0;
	while (double_state.ndevices < n && double_state.ndevices < DOUBLE_DEVICES) {
		struct double_device *device = &double_state.devices[double_state.ndevices];

		device->number = double_state.ndevices;
		if (!double_arena(device, bytes > arena_bytes ? bytes : arena_bytes))
			break;
		double_state.ndevices++;
	}
	settings_from_environment();
	visible_from_environment();
	double_faults_from_environment();
	double_kernels_from_environment();
}

void double_setup(void)
{
	pthread_once(&once, setup);
}

/* --- the frame of a call --- */

struct double_device *double_ordinal(int ordinal)
{
	double_setup();
	return ordinal >= 0 && ordinal < (int)double_state.nvisible ? double_state.visible[ordinal] : NULL;
}

struct double_device *double_current(void)
{
	return double_ordinal(current);
}

bool double_are_peers(const struct double_device *a, const struct double_device *b)
{
	return a != b && double_state.peers && a->number / double_state.island == b->number / double_state.island;
}

int *double_current_ordinal(void)
{
	return &current;
}

int double_ordinal_of(const struct double_device *device)
{
	for (unsigned i = 0; i < double_state.nvisible; i++)
		if (double_state.visible[i] == device)
			return (int)i;
	return -1;
}

void double_is_stream_thread(void)
{
	stream_thread = true;
}

/* With the lock. */
static enum cudaError lose(struct double_device *device, enum cudaError error)
{
	if (!device->lost) {
		device->lost = error;
		pthread_cond_broadcast(&double_state.progress);
	}
	return error;
}

enum cudaError double_begin_any(const char *function)
{
	double_setup();
	pthread_mutex_lock(&double_state.lock);
	return double_breaks_capture(function) ? cudaErrorStreamCaptureUnsupported : double_fault(function);
}

enum cudaError double_begin(const char *function, struct double_device *device)
{
	enum cudaError error = double_begin_any(function);

	if (!device)
		return error ? error : cudaErrorNoDevice;
	if (double_is_sticky(error))
		lose(device, error);
	if (!device->lost)
		return error;
	while (device->running && !stream_thread)
		pthread_cond_wait(&double_state.progress, &double_state.lock);
	return device->lost;
}

enum cudaError double_end(enum cudaError error)
{
	pthread_mutex_unlock(&double_state.lock);
	if (error)
		last_error = error;
	return error;
}

bool double_operation_fails(struct double_device *device)
{
	enum cudaError error = double_fault("operation");

	if (error)
		lose(device, error);
	return device->lost != cudaSuccess;
}

/* The error of a lost device stays whoever reads it. */
static enum cudaError last(void)
{
	struct double_device *device = double_current();
	enum cudaError error = last_error;

	pthread_mutex_lock(&double_state.lock);
	if (device && device->lost)
		error = device->lost;
	pthread_mutex_unlock(&double_state.lock);
	return error;
}

enum cudaError cudaPeekAtLastError(void)
{
	return last();
}

enum cudaError cudaGetLastError(void)
{
	enum cudaError error = last();

	last_error = cudaSuccess;
	return error;
}

/* --- the control interface --- */

void cudart_double_reset(void)
{
	double_setup();
	pthread_mutex_lock(&double_state.lock);
	settings_from_environment();
	double_faults_reset();
	for (unsigned i = 0; i < double_state.ndevices; i++)
		double_state.devices[i].lost = cudaSuccess;
	double_state.holds_copies = double_state.holds_host = false;
	pthread_cond_broadcast(&double_state.progress);
	memset(double_state.traffic, 0, sizeof double_state.traffic);
	pthread_mutex_unlock(&double_state.lock);
	last_error = cudaSuccess;
}

void cudart_double_set_memory(unsigned device, size_t bytes)
{
	double_setup();
	pthread_mutex_lock(&double_state.lock);
	if (device < double_state.ndevices)
		double_state.devices[device].limit = bytes;
	pthread_mutex_unlock(&double_state.lock);
}

void cudart_double_set_delays(double gigabytes_per_second, double launch_us)
{
	double_setup();
	pthread_mutex_lock(&double_state.lock);
	double_state.bytes_per_us = gigabytes_per_second * 1e3;
	double_state.launch_us = launch_us;
	pthread_mutex_unlock(&double_state.lock);
}

void cudart_double_set_topology(unsigned linked, unsigned island)
{
	double_setup();
	pthread_mutex_lock(&double_state.lock);
	topology(linked, island);
	pthread_mutex_unlock(&double_state.lock);
}

void cudart_double_hold_copies(bool hold)
{
	double_setup();
	pthread_mutex_lock(&double_state.lock);
	double_state.holds_copies = hold;
	pthread_cond_broadcast(&double_state.progress);
	pthread_mutex_unlock(&double_state.lock);
}

void cudart_double_hold_host_memory(bool hold)
{
	double_setup();
	pthread_mutex_lock(&double_state.lock);
	double_state.holds_host = hold;
	pthread_cond_broadcast(&double_state.progress);
	pthread_mutex_unlock(&double_state.lock);
}

size_t cudart_double_device_bytes(unsigned device)
{
	size_t bytes;

	double_setup();
	pthread_mutex_lock(&double_state.lock);
	bytes = device < double_state.ndevices ? double_state.devices[device].used : 0;
	pthread_mutex_unlock(&double_state.lock);
	return bytes;
}

void cudart_double_traffic(enum cudart_double_direction direction, struct cudart_double_traffic *traffic)
{
	pthread_mutex_lock(&double_state.lock);
	*traffic = double_state.traffic[direction];
	pthread_mutex_unlock(&double_state.lock);
}
