/* SPDX-License-Identifier: MIT */
/* What the settings say about batches, as defaults of the components that divide them. */
#ifndef XYLEM_CORE_RUNTIME_BATCH_DEFAULTS_H
#define XYLEM_CORE_RUNTIME_BATCH_DEFAULTS_H

struct xy_runtime;

/* Gives the runtime's registry the defaults. rt->batch is to be freed after the registry. 0 or -ENOMEM. */
int xy__batch_defaults_init(struct xy_runtime *rt);

#endif
