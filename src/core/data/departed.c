/* SPDX-License-Identifier: MIT */
/*
 * Handles that have been unregistered. The memory of the last ones is kept for a while, with their names and without a
 * runtime, so that who uses one of them is told so.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	char *name = h->name;

	xy__handle_empty(h);
	memset(h, 0, sizeof *h);
	h->name = name;
	h->former = rt;
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
	if (h && h->runtime)
		return true;
	if (h)
		xy__log(&h->former->settings.log, "%s: '%s' has been unregistered", who, xy_handle_name(h));
	else
		xy__log(NULL, "%s: no handle", who);
	return false;
}
