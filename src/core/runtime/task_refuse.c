/* SPDX-License-Identifier: MIT */
/* Explains why a task's description was refused: names the position and the name of a handle. */
#include "core/runtime/task_refuse.h"

#include "core/runtime/task_build.h"
#include "core/data/redux.h"
#include "core/runtime/division.h"
#include "core/runtime/group.h"
#include "core/util/message.h"

static void explain_access(const struct xy_runtime *rt, const struct xy_task_desc *desc, unsigned i,
			   struct xy__message *message)
{
	const char *array = desc->accesses ? "accesses" : "handles";
	const struct xy_handle *h = desc->accesses ? desc->accesses[i].handle : desc->handles[i];
	unsigned mode = desc->accesses ? desc->accesses[i].mode : desc->codelet->modes[i];
	const char *objection;

	if (!h)
		xy__message_add(message, "%s[%u] is NULL", array, i);
	else if (xy__handle_has_left(h))
		xy__message_add(message, "%s[%u], '%s', has been unregistered", array, i, xy_handle_name(h));
	else if (!xy__handle_serves(h, rt))
		xy__message_add(message, "%s[%u], '%s', belongs to another runtime", array, i, xy_handle_name(h));
	else if (!mode && !desc->accesses)
		xy__message_add(message, "its codelet has no mode for %s[%u], '%s'", array, i, xy_handle_name(h));
	else if (!xy__mode_is_proper(mode))
		xy__message_add(message, "%s[%u], '%s', has an invalid access mode", array, i, xy_handle_name(h));
	else if (mode == XY_REDUX && (objection = xy__redux_objection(desc, h)))
		xy__message_add(message, "XY_REDUX on '%s': %s", xy_handle_name(h), objection);
}

/* The number of accesses to examine; fewer if there is another fault, which is reported. */
static unsigned explain_count(const struct xy_task_desc *desc, struct xy__message *message)
{
	unsigned n = 0, modes = 0;

	if (desc->accesses && desc->handles[0]) {
		xy__message_add(message, "it has both handles and accesses");
		return 0;
	}
	if (desc->accesses) {
		while (desc->accesses[n].handle)
			n++;
		return n + (desc->accesses[n].mode != 0); /* a handle that is missing */
	}
	while (n < XY_NHANDLES && desc->handles[n])
		n++;
	if (n && !desc->codelet) {
		xy__message_add(message, "it has handles, but no codelet to declare their modes");
		return 0;
	}
	while (desc->codelet && modes < XY_NHANDLES && desc->codelet->modes[modes])
		modes++;
	if (n < modes)
		xy__message_add(message, "its codelet has the modes of %u handles, but there %s %u", modes,
				n == 1 ? "is" : "are", n);
	return n;
}

static void explain_workers(const struct xy_runtime *rt, const struct xy_task_desc *desc, struct xy__message *message)
{
	if (desc->nworkers && !desc->workers)
		xy__message_add(message, "nworkers is set, but workers is NULL");
	for (unsigned i = 0; i < desc->nworkers && !message->used; i++)
		if (desc->workers[i] >= rt->nworkers)
			xy__message_add(message,
					"it is restricted to worker %u, but the machine has %u worker%s, from 0",
					desc->workers[i], rt->nworkers, rt->nworkers == 1 ? "" : "s");
}

void xy__task_refuse_reason(const struct xy_runtime *rt, const struct xy_task_desc *desc, struct xy__message *message)
{
	unsigned n = explain_count(desc, message);

	for (unsigned i = 0; i < n && !message->used; i++)
		explain_access(rt, desc, i, message);
	if (!message->used)
		explain_workers(rt, desc, message);
	if (message->used)
		return;
	if (desc->group && desc->tag)
		xy__message_add(message, "it has both a group and a tag");
	else if (desc->group && desc->group->runtime != rt)
		xy__message_add(message, "its group belongs to another runtime");
	else if (desc->context && desc->context->runtime != rt)
		xy__message_add(message, "its context belongs to another runtime");
	else if (desc->arg_size && !desc->arg)
		xy__message_add(message, "arg_size is set, but arg is NULL");
	else if (!(desc->length_us >= 0 && desc->length_us <= XY__LENGTH_MAX_US))
		xy__message_add(message, "length_us is %g: it must be from 0 to %g", desc->length_us,
				XY__LENGTH_MAX_US);
	else if (!(desc->deadline_s >= 0))
		xy__message_add(message, "its deadline is negative or not a number");
	else if (desc->range.stop && xy__division_objection(desc))
		xy__message_add(message, "%s", xy__division_objection(desc));
	else if (desc->nafter)
		xy__message_add(message, "a task in after is NULL or belongs to another runtime");
}
