/* SPDX-License-Identifier: MIT */
/*
 * A thread of the application that waits for one callback.
 */
#include "core/data/signal.h"

#include "core/runtime/engine.h"
#include "core/runtime/runtime.h"

void xy__signal_give(void *arg, int status)
{
	struct xy__signal *signal = arg;

	signal->status = status;
	atomic_store(&signal->done, 1);
	xy__futex_wake(&signal->done, 1);
}

static bool signal_is_given(void *arg)
{
	return atomic_load(&((struct xy__signal *)arg)->done);
}

void xy__signal_await(struct xy__signal *signal, struct xy_runtime *rt)
{
	const struct xy__condition condition = {
		.holds = signal_is_given, .arg = signal, .word = &signal->done, .helps = true
	};

	rt->engine->wait_until(rt, &condition, -1);
}
