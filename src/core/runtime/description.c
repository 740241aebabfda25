/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with the description of a task that was refused, in words: what to do about a handle needs its
 * place and its name.
 */
#include "core/runtime/build.h"
#include "core/data/redux.h"
#include "core/util/message.h"

static void explain_access(const struct xy_runtime *rt, const struct xy_task_desc *desc, unsigned i,
			   struct xy__message *message)
{
	const char *array = desc->naccesses ? "accesses" : "handles";
	const struct xy_handle *h = desc->naccesses ? desc->accesses[i].handle : desc->handles[i];
	unsigned mode = desc->naccesses ? desc->accesses[i].mode : i < XY_NMODES ? desc->codelet->modes[i] : 0;
	const char *objection;

	if (!h)
		xy__message_add(message, "%s[%u] is NULL", array, i);
	else if (!h->runtime)
		xy__message_add(message, "%s[%u], '%s', has been unregistered", array, i, xy_handle_name(h));
	else if (h->runtime != rt)
		xy__message_add(message, "%s[%u], '%s', belongs to another runtime", array, i, xy_handle_name(h));
	else if (!mode && !desc->naccesses)
		xy__message_add(message, "its codelet has no mode for %s[%u], '%s'", array, i, xy_handle_name(h));
	else if (!xy__mode_is_proper(mode))
		xy__message_add(message, "%s[%u], '%s', has no mode that there is", array, i, xy_handle_name(h));
	else if (mode == XY_REDUX && (objection = xy__redux_objection(desc, h)))
		xy__message_add(message, "XY_REDUX on '%s': %s", xy_handle_name(h), objection);
}

/* How many accesses can be looked at; fewer if something else is wrong, which is told. */
static unsigned explain_count(const struct xy_task_desc *desc, struct xy__message *message)
{
	unsigned n = 0, modes = 0;

	if (desc->naccesses && (!desc->accesses || desc->handles[0])) {
		xy__message_add(message, desc->accesses ? "it has both handles and accesses"
							: "it has a number of accesses, but not the accesses");
		return 0;
	}
	if (desc->naccesses)
		return desc->naccesses;
	while (n < XY_NHANDLES && desc->handles[n])
		n++;
	if (n && !desc->codelet) {
		xy__message_add(message, "it has handles, but no codelet that has their modes");
		return 0;
	}
	while (desc->codelet && modes < XY_NMODES && desc->codelet->modes[modes])
		modes++;
	if (n < modes)
		xy__message_add(message, "its codelet has the modes of %u handles, but there %s %u", modes,
				n == 1 ? "is" : "are", n);
	return n;
}

void xy__desc_explain(const struct xy_runtime *rt, const struct xy_task_desc *desc, struct xy__message *message)
{
	unsigned n = explain_count(desc, message);

	for (unsigned i = 0; i < n && !message->used; i++)
		explain_access(rt, desc, i, message);
	if (message->used)
		return;
	if (desc->nworkers && !desc->workers)
		xy__message_add(message, "it has a number of workers, but not the workers");
	else if (desc->arg_size && !desc->arg)
		xy__message_add(message, "its argument has a size, but is NULL");
	else if (desc->length_us < 0)
		xy__message_add(message, "its expected time is negative");
	else if (desc->nafter)
		xy__message_add(message, "a task that it is to come after is NULL or belongs to another runtime");
}
