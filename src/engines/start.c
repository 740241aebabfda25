/* SPDX-License-Identifier: MIT */
/* Gives the runtime its engines: core knows only their table of functions. */
#include "core/runtime/runtime.h"
#include "engines/engines.h"

int xy_start(struct xy_runtime **out, const struct xy_config *config)
{
	static const struct xy__engine_ops *const engines[] = { &xy__threads_engine, &xy__sim_engine, NULL };

	return xy__runtime_start(out, config, engines);
}
