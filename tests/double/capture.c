/* SPDX-License-Identifier: MIT */
/*
 * Captures: what they forbid, not what they record. There is one at a time, and what is begun on its stream runs as
 * ever. Beside calls that only begin something on a stream, all calls are forbidden: more than CUDA documents, since it
 * does not list them. A forbidden call fails, and the capture is invalid.
 */
#include <string.h>

#include "internal.h"

static struct {
	struct CUstream_st *stream; /* (l) NULL: none */
	pthread_t thread;           /* (l) that began it */
	enum cudaStreamCaptureMode mode;
	bool invalid;
} capture; /* (l) */

static _Thread_local enum cudaStreamCaptureMode thread_mode;

static bool is_allowed(const char *function)
{
	static const char *const allowed[] = { "GetDevice", "SetDevice",   "GetDeviceCount", "PointerGetAttributes",
					       "Memcpy",    "EventRecord", "StreamWaitEvent" };
	const char *name = function + strlen(DOUBLE_PREFIX);

	for (unsigned i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
		if (strncmp(name, allowed[i], strlen(allowed[i])) == 0)
			return i != 4 || strstr(name, "Async"); /* copies that wait are not */
	return false;
}

bool double_breaks_capture(const char *function)
{
	bool own, forbidden;

	if (!capture.stream || is_allowed(function))
		return false;
	own = pthread_equal(capture.thread, pthread_self());
	forbidden = (thread_mode == cudaStreamCaptureModeGlobal && capture.mode == cudaStreamCaptureModeGlobal) ||
		    (thread_mode != cudaStreamCaptureModeRelaxed && own &&
		     capture.mode != cudaStreamCaptureModeRelaxed);
	capture.invalid |= forbidden;
	return forbidden;
}

enum cudaError cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	enum cudaStreamCaptureMode before = thread_mode;

	thread_mode = *mode;
	*mode = before;
	return cudaSuccess;
}

enum cudaError cudaStreamBeginCapture(struct CUstream_st *stream, enum cudaStreamCaptureMode mode)
{
	enum cudaError error = double_begin(__func__, double_current());

	if (!error && ((uintptr_t)stream <= 1 || capture.stream))
		error = cudaErrorStreamCaptureUnsupported;
	if (!error) {
		capture.stream = stream;
		capture.thread = pthread_self();
		capture.mode = mode;
		capture.invalid = false;
	}
	return double_end(error);
}

/* Without a graph. */
enum cudaError cudaStreamEndCapture(struct CUstream_st *stream, struct CUgraph_st **graph)
{
	enum cudaError error = cudaSuccess;

	double_setup();
	pthread_mutex_lock(&double_state.lock);
	*graph = NULL;
	if (!stream || capture.stream != stream)
		error = cudaErrorInvalidValue;
	else if (capture.invalid)
		error = cudaErrorStreamCaptureInvalidated;
	if (capture.stream == stream)
		capture.stream = NULL;
	return double_end(error);
}
