/* SPDX-License-Identifier: MIT */
/* Counts of calls, and the faults that strike one of them. Everything is guarded by the lock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { FAULTS = 8, FUNCTIONS = 96, NAME = 48 };

static const char operation[] = "operation"; /* what streams execute: not counted as calls */

static struct fault {
	bool armed;
	char function[NAME]; /* "": any call */
	uint64_t left;       /* so many calls until it strikes */
	enum cudaError error;
} faults[FAULTS];

static struct count {
	const char *function;
	uint64_t calls;
} counts[FUNCTIONS];

static uint64_t calls;

bool double_is_sticky(enum cudaError error)
{
	switch ((int)error) {
	case cudaErrorCudartUnloading:
	case cudaErrorDevicesUnavailable:
	case cudaErrorECCUncorrectable:
	case cudaErrorNvlinkUncorrectable:
	case cudaErrorContained:
	case cudaErrorIllegalAddress:
	case cudaErrorLaunchTimeout:
	case cudaErrorContextIsDestroyed:
	case cudaErrorAssert:
	case cudaErrorHardwareStackError:
	case cudaErrorIllegalInstruction:
	case cudaErrorMisalignedAddress:
	case cudaErrorInvalidAddressSpace:
	case cudaErrorInvalidPc:
	case cudaErrorLaunchFailure:
	case cudaErrorMpsClientTerminated:
	case cudaErrorExternalDevice:
		return true;
	}
	return false;
}

static void count(const char *function)
{
	unsigned i = 0;

	while (i < FUNCTIONS - 1 && counts[i].function && strcmp(counts[i].function, function))
		i++;
	counts[i].function = function;
	counts[i].calls++;
	if (function != operation)
		calls++;
}

static bool matches(const struct fault *fault, const char *function)
{
	return fault->function[0] ? !strcmp(fault->function, function) : strcmp(function, operation) != 0;
}

enum cudaError double_fault(const char *function)
{
	enum cudaError error = cudaSuccess;

	count(strcmp(function, operation) ? function : operation);
	for (struct fault *f = faults; f < faults + FAULTS; f++)
		if (f->armed && matches(f, function) && --f->left == 0) {
			f->armed = false;
			error = f->error;
		}
	return error;
}

/* With the lock. */
static bool arm(const char *function, uint64_t nth, int error)
{
	for (struct fault *f = faults; f < faults + FAULTS; f++)
		if (!f->armed) {
			snprintf(f->function, sizeof f->function, "%s", function ? function : "");
			f->left = nth;
			f->error = (enum cudaError)error;
			f->armed = nth > 0 && error;
			return f->armed;
		}
	return false;
}

/* FUNCTION:NTH:ERROR, several with commas; * is any function. */
void double_faults_from_environment(void)
{
	const char *text = getenv(DOUBLE_VARIABLE("FAIL"));
	char function[NAME];
	unsigned long nth;
	int error, used;

	while (text && sscanf(text, "%47[^:,]:%lu:%d%n", function, &nth, &error, &used) == 3) {
		arm(strcmp(function, "*") ? function : NULL, nth, error);
		text = text[used] == ',' ? text + used + 1 : NULL;
	}
}

void double_faults_reset(void)
{
	memset(faults, 0, sizeof faults);
	memset(counts, 0, sizeof counts);
	calls = 0;
}

/* --- the control interface --- */

bool cudart_double_fail(const char *function, uint64_t nth, int error)
{
	bool armed;

	double_setup();
	pthread_mutex_lock(&double_state.lock);
	armed = arm(function, nth, error);
	pthread_mutex_unlock(&double_state.lock);
	return armed;
}

bool cudart_double_failed(void)
{
	bool all = true;

	pthread_mutex_lock(&double_state.lock);
	for (unsigned i = 0; i < FAULTS; i++)
		all = all && !faults[i].armed;
	pthread_mutex_unlock(&double_state.lock);
	return all;
}

uint64_t cudart_double_calls(const char *function)
{
	uint64_t n = 0;

	pthread_mutex_lock(&double_state.lock);
	for (unsigned i = 0; function && i < FUNCTIONS && counts[i].function; i++)
		if (!strcmp(counts[i].function, function))
			n = counts[i].calls;
	if (!function)
		n = calls;
	pthread_mutex_unlock(&double_state.lock);
	return n;
}
