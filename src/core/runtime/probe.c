/* SPDX-License-Identifier: MIT */
/*
 * A probe belongs to two: the thread that asks and the one that waits for it. The last to leave frees it.
 */
#include "core/runtime/probe.h"

#include "core/runtime/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* Locking key: (c) constant after start, (a) atomic, (o) the asking thread, until it is done. */
struct probe {
	struct xy_runtime *rt;                                        /* (c) */
	void (*ask)(struct xy_runtime *rt, void *subject, FILE *out); /* (c) */
	void *subject;                                                /* (c) */
	char *text;                                                   /* (o) what was written */
	size_t size;                                                  /* (o) */
	int error;                                                    /* (o) 0, or -ENOMEM: the text is not whole */
	_Atomic int done;                                             /* (a) futex */
	_Atomic int owners;                                           /* (a) */
};

static void probe_leave(struct probe *probe)
{
	if (atomic_fetch_sub(&probe->owners, 1) > 1)
		return;
	free(probe->text);
	free(probe);
}

static void *probe_main(void *arg)
{
	struct probe *probe = arg;
	struct xy_runtime *rt = probe->rt;
	FILE *out = open_memstream(&probe->text, &probe->size);

	probe->error = out ? 0 : -ENOMEM;
	if (out) {
		probe->ask(rt, probe->subject, out);
		if (fclose(out))
			probe->error = -ENOMEM;
	}
	atomic_fetch_sub(&rt->probes, 1); /* before it is done: the asker may free the tree next */
	atomic_store(&probe->done, 1);
	xy__futex_wake(&probe->done, 1);
	probe_leave(probe);
	return NULL;
}

/* A detached thread that gets no signals. */
static int probe_start(struct probe *probe)
{
	pthread_attr_t attributes;
	sigset_t all, old;
	pthread_t thread;
	int error;

	error = pthread_attr_init(&attributes);
	if (error)
		return -error;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	atomic_fetch_add(&probe->rt->probes, 1);
	error = pthread_create(&thread, &attributes, probe_main, probe);
	if (error)
		atomic_fetch_sub(&probe->rt->probes, 1);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attributes);
	return -error;
}

int xy__probe(struct xy_runtime *rt, void (*ask)(struct xy_runtime *rt, void *subject, FILE *out), void *subject,
	      double seconds, FILE *out)
{
	struct probe *probe;
	double end = xy__now() + seconds, left = seconds;
	int error;

	if (rt->engine->is_simulated) { /* one thread: no lock is stuck, and none may be added */
		ask(rt, subject, out);
		return 0;
	}
	probe = calloc(1, sizeof *probe);
	if (!probe)
		return -ENOMEM;
	*probe = (struct probe){ .rt = rt, .ask = ask, .subject = subject };
	atomic_store(&probe->owners, 2);
	error = probe_start(probe);
	if (error) {
		free(probe);
		return error;
	}
	while (!atomic_load(&probe->done) && left > 0) {
		xy__futex_wait(&probe->done, 0, left);
		left = end - xy__now();
	}
	error = atomic_load(&probe->done) ? probe->error : -ETIMEDOUT;
	if (!error && probe->size)
		fwrite(probe->text, 1, probe->size, out);
	probe_leave(probe);
	return error;
}

bool xy__probe_settle(struct xy_runtime *rt, double seconds)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	double end = xy__now() + seconds;

	while (atomic_load(&rt->probes)) {
		if (xy__now() >= end)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}
