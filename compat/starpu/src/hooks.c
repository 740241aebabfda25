/* SPDX-License-Identifier: MIT */
/*
 * Hooks that a program wants to be called again and again. Workers of Xylem's sleep when they are idle, so a thread
 * calls them, until the last one leaves or the runtime stops.
 */
#include "internal.h"
#include <unistd.h>

#define NHOOKS 16
#define PERIOD_US 1000

struct hook {
	unsigned (*function)(void *arg);
	void *arg;
};

/* Recursive: a hook may remove itself. */
static pthread_mutex_t hooks_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct hook hooks[NHOOKS]; /* with hooks_lock, like the following */
static bool running;

static void *hooks_main(void *unused)
{
	bool more = true;

	(void)unused;
	while (more) {
		more = false;
		pthread_mutex_lock(&hooks_lock);
		for (unsigned i = 0; i < NHOOKS; i++)
			if (hooks[i].function)
				hooks[i].function(hooks[i].arg);
		for (unsigned i = 0; i < NHOOKS; i++)
			more = more || hooks[i].function;
		running = more;
		pthread_mutex_unlock(&hooks_lock);
		if (more)
			usleep(PERIOD_US);
	}
	return NULL;
}

static bool hooks_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	if (running)
		return true;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	running = !pthread_create(&thread, &attr, hooks_main, NULL);
	pthread_attr_destroy(&attr);
	return running;
}

int starpu_progression_hook_register(unsigned (*func)(void *arg), void *arg)
{
	int id = -1;

	pthread_mutex_lock(&hooks_lock);
	for (int i = 0; i < NHOOKS && id < 0 && func; i++)
		if (!hooks[i].function)
			id = i;
	if (id >= 0) {
		hooks[id] = (struct hook){ func, arg };
		if (!hooks_start()) {
			hooks[id].function = NULL;
			id = -1;
		}
	}
	pthread_mutex_unlock(&hooks_lock);
	return id >= 0 ? id : xs_fail(-ENOMEM, "no room for one more hook");
}

void starpu_progression_hook_deregister(int hook_id)
{
	pthread_mutex_lock(&hooks_lock);
	if (hook_id >= 0 && hook_id < NHOOKS)
		hooks[hook_id].function = NULL;
	pthread_mutex_unlock(&hooks_lock);
}

int starpu_idle_hook_register(unsigned (*func)(void *arg), void *arg)
{
	return starpu_progression_hook_register(func, arg);
}

void starpu_idle_hook_deregister(int hook_id)
{
	starpu_progression_hook_deregister(hook_id);
}

void xs_hooks_fini(void)
{
	for (int i = 0; i < NHOOKS; i++)
		starpu_progression_hook_deregister(i);
}
