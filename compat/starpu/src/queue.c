/* SPDX-License-Identifier: MIT */
/*
 * Consumers that wait for several queues at once: a signal of any of them sets the waiter's flag.
 */
#include "internal.h"

int starpu_pthread_queue_init(starpu_pthread_queue_t *q)
{
	q->queue = NULL;
	q->allocqueue = q->nqueue = 0;
	return pthread_mutex_init(&q->mutex, NULL);
}

static void waiter_wake(starpu_pthread_wait_t *w)
{
	pthread_mutex_lock(&w->mutex);
	w->block = 0;
	pthread_cond_broadcast(&w->cond);
	pthread_mutex_unlock(&w->mutex);
}

static int queue_wake(starpu_pthread_queue_t *q, unsigned most)
{
	pthread_mutex_lock(&q->mutex);
	for (unsigned i = 0; i < q->nqueue && i < most; i++)
		waiter_wake(q->queue[i]);
	pthread_mutex_unlock(&q->mutex);
	return 0;
}

/* Wakes all: which of the waiters looks at this queue first is not known. */
int starpu_pthread_queue_signal(starpu_pthread_queue_t *q)
{
	return queue_wake(q, UINT_MAX);
}

int starpu_pthread_queue_broadcast(starpu_pthread_queue_t *q)
{
	return queue_wake(q, UINT_MAX);
}

int starpu_pthread_queue_destroy(starpu_pthread_queue_t *q)
{
	free(q->queue);
	q->queue = NULL;
	return pthread_mutex_destroy(&q->mutex);
}

int starpu_pthread_wait_init(starpu_pthread_wait_t *w)
{
	int error = pthread_mutex_init(&w->mutex, NULL);

	w->block = 1;
	return error ? error : pthread_cond_init(&w->cond, NULL);
}

int starpu_pthread_queue_register(starpu_pthread_wait_t *w, starpu_pthread_queue_t *q)
{
	int error = 0;

	pthread_mutex_lock(&q->mutex);
	if (q->nqueue == q->allocqueue) {
		starpu_pthread_wait_t **grown = realloc(q->queue, (2 * q->allocqueue + 4) * sizeof *grown);

		if (grown) {
			q->queue = grown;
			q->allocqueue = 2 * q->allocqueue + 4;
		} else {
			error = ENOMEM;
		}
	}
	if (!error)
		q->queue[q->nqueue++] = w;
	pthread_mutex_unlock(&q->mutex);
	return error;
}

int starpu_pthread_queue_unregister(starpu_pthread_wait_t *w, starpu_pthread_queue_t *q)
{
	int error = ENOENT;

	pthread_mutex_lock(&q->mutex);
	for (unsigned i = 0; i < q->nqueue && error; i++)
		if (q->queue[i] == w) {
			q->queue[i] = q->queue[--q->nqueue];
			error = 0;
		}
	pthread_mutex_unlock(&q->mutex);
	return error;
}

int starpu_pthread_wait_reset(starpu_pthread_wait_t *w)
{
	pthread_mutex_lock(&w->mutex);
	w->block = 1;
	pthread_mutex_unlock(&w->mutex);
	return 0;
}

int starpu_pthread_wait_wait(starpu_pthread_wait_t *w)
{
	pthread_mutex_lock(&w->mutex);
	while (w->block)
		pthread_cond_wait(&w->cond, &w->mutex);
	pthread_mutex_unlock(&w->mutex);
	return 0;
}

int starpu_pthread_wait_timedwait(starpu_pthread_wait_t *w, const struct timespec *abstime)
{
	int error = 0;

	pthread_mutex_lock(&w->mutex);
	while (w->block && !error)
		error = pthread_cond_timedwait(&w->cond, &w->mutex, abstime);
	pthread_mutex_unlock(&w->mutex);
	return error;
}

int starpu_pthread_wait_destroy(starpu_pthread_wait_t *w)
{
	pthread_cond_destroy(&w->cond);
	return pthread_mutex_destroy(&w->mutex);
}
