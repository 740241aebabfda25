/* SPDX-License-Identifier: MIT */
/*
 * Drivers: workers have their own threads, so running a driver is to wait until the program ends it.
 */
#include "internal.h"

#define ONCE_US 200

static pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t driver_cond = PTHREAD_COND_INITIALIZER;
static bool ended; /* with driver_lock */

static int driver_check(const struct starpu_driver *d)
{
	if (!d)
		return xs_fail(-EINVAL, "no driver is given");
	switch (d->type) {
	case STARPU_CPU_WORKER:
	case STARPU_CUDA_WORKER:
	case STARPU_OPENCL_WORKER:
	case STARPU_HIP_WORKER:
		return 0;
	default:
		return xs_fail(-EINVAL, "there is no driver for workers of type %d", (int)d->type);
	}
}

void xs_drivers_start(void)
{
	pthread_mutex_lock(&driver_lock);
	ended = false;
	pthread_mutex_unlock(&driver_lock);
}

int starpu_driver_run(struct starpu_driver *d)
{
	int error = driver_check(d);

	if (error)
		return error;
	pthread_mutex_lock(&driver_lock);
	while (!ended)
		pthread_cond_wait(&driver_cond, &driver_lock);
	pthread_mutex_unlock(&driver_lock);
	return 0;
}

int starpu_driver_init(struct starpu_driver *d)
{
	return driver_check(d);
}

int starpu_driver_run_once(struct starpu_driver *d)
{
	int error = driver_check(d);

	if (!error)
		starpu_usleep(ONCE_US);
	return error;
}

int starpu_driver_deinit(struct starpu_driver *d)
{
	return driver_check(d);
}

void starpu_drivers_request_termination(void)
{
	pthread_mutex_lock(&driver_lock);
	ended = true;
	pthread_cond_broadcast(&driver_cond);
	pthread_mutex_unlock(&driver_lock);
}
