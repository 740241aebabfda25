/* SPDX-License-Identifier: MIT */
/*
 * Unregistered handles. The memory of the last ones is kept for a while, with their names, so that using one of them
 * gives a clear error.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/data/departed.h"
#include "core/data/handle.h"
#include "core/runtime/runtime.h"

static void departed_free(struct xy_handle *h)
{
	if (h)
		free(h->name);
	free(h);
}

void xy__handle_depart(struct xy_handle *h)
{
	struct xy_runtime *rt = h->runtime;
	struct xy_handle **place, *before;

	atomic_store(&h->serves, NULL);
	xy__handle_empty(h);
	xy__lock_take(&rt->handles_lock);
	place = &rt->departed[rt->ndeparted++ % XY__DEPARTED];
	before = *place;
	*place = h;
	xy__lock_drop(&rt->handles_lock);
	departed_free(before);
}

void xy__departed_fini(struct xy_runtime *rt)
{
	for (unsigned i = 0; i < XY__DEPARTED; i++)
		departed_free(rt->departed[i]);
}

bool xy__handle_is_here(const struct xy_handle *h, const char *who)
{
	if (h && !xy__handle_has_left(h))
		return true;
	if (h)
		xy__log(&h->runtime->settings.log, "%s: '%s' has been unregistered", who, xy_handle_name(h));
	else
		xy__log(NULL, "%s: no handle", who);
	return false;
}
