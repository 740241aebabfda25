/* SPDX-License-Identifier: MIT */
/* What an audit says: which component broke which rule with which task. Each component is reported once per rule. */
#include "core/tree/audit.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "core/task/task.h"
#include "core/tree/tree_parts.h"
#include "core/util/futex.h"
#include "core/util/log.h"
#include "core/util/message.h"

const char *xy__rule_name(enum xy__rule rule)
{
	static const char *const names[XY__NRULES] = {
		[XY__RULE_TWICE] = "give a task once",
		[XY__RULE_REFUSED] = "store a task or refuse it",
		[XY__RULE_LOST] = "lose no task",
		[XY__RULE_SILENT] = "offer what you store",
		[XY__RULE_RELOCKED] = "take a lock once",
		[XY__RULE_KEPT_LOCK] = "drop your lock",
		[XY__RULE_LOCK_ORDER] = "locks nest downwards",
		[XY__RULE_UPWARDS] = "push to your children",
		[XY__RULE_WORKER] = "give a task to a worker that can run it",
		[XY__RULE_SLOW] = "do not block",
	};

	return names[rule];
}

/* The file that the component came from; the library's own and the program's have none. */
static const char *report_origin(const struct xy_component *c)
{
	Dl_info theirs, ours;

	if (!dladdr(c->ops, &theirs) || !dladdr(&xy__audit_always, &ours) || !theirs.dli_fname)
		return "an unknown file";
	if (theirs.dli_fbase == ours.dli_fbase)
		return "the library";
	return theirs.dli_fname;
}

static void report_task(struct xy__message *text, const struct xy_component *c, const struct xy_task *task)
{
	const struct xy_codelet *codelet = xy__task_codelet(task);
	bool named = atomic_load_explicit(&((struct xy_task *)task)->codelet, memory_order_relaxed) & XY__NAMED;
	const char *name = named     ? atomic_load_explicit(&((struct xy_task *)task)->name, memory_order_relaxed)
			   : codelet ? codelet->name
				     : NULL;
	uint32_t owner = atomic_load_explicit(&((struct xy_task *)task)->owner, memory_order_relaxed);
	const struct xy_component *last = xy__owner_in(c->tree, owner);
	unsigned worker = (owner >> 1) - 1;

	xy__message_add(text, ": task '%s' (number %lu), ", name ? name : "unnamed",
			(unsigned long)atomic_load_explicit(&((struct xy_task *)task)->number, memory_order_relaxed));
	if (last)
		xy__message_add(text, "last taken by %s#%u", last->ops->name, last->id);
	else if (!(owner & 1))
		xy__message_add(text, "which no component has taken");
	else if (owner == xy__owner_worker(-1))
		xy__message_add(text, "last taken by the application");
	else
		xy__message_add(text, "last taken by worker %s", xy_machine_worker(c->tree->machine, worker)->name);
}

static void report_keep(struct xy__audit *audit, const char *line)
{
	xy__lock_take(&audit->lock);
	if (!*audit->first)
		memcpy(audit->first, line, strlen(line) + 1);
	xy__lock_drop(&audit->lock);
}

void xy__audit_report(enum xy__rule rule, const struct xy_component *c, const struct xy_task *task,
		      const char *sentence, ...)
{
	struct xy__audit *audit = c->tree->audit;
	char name[XY__COMPONENT_NAME], line[XY__AUDIT_TEXT], details[XY__AUDIT_TEXT / 2];
	struct xy__message text;
	va_list arguments;

	va_start(arguments, sentence);
	vsnprintf(details, sizeof details, sentence, arguments);
	va_end(arguments);
	atomic_fetch_add(&audit->nbroken, 1);
	if (atomic_fetch_or(&audit->said[c->id], 1u << rule) >> rule & 1)
		return;
	xy__message_init(&text, line, sizeof line);
	xy__message_add(&text, "%s of %s breaks the rule \"%s\": %s", xy__component_name(c, name), report_origin(c),
			xy__rule_name(rule), details);
	if (task)
		report_task(&text, c, task);
	report_keep(audit, line);
	if (audit->tell)
		audit->tell(audit->tell_arg, rule, line);
	else
		xy__log(NULL, "%s", line);
}

unsigned xy_tree_broken_rules(const struct xy_tree *tree, char *first, size_t size)
{
	struct xy__audit *audit = tree ? tree->audit : NULL;

	if (first && size)
		*first = '\0';
	if (!audit)
		return 0;
	xy__lock_take(&audit->lock);
	if (first && size)
		snprintf(first, size, "%s", audit->first);
	xy__lock_drop(&audit->lock);
	return atomic_load(&audit->nbroken);
}
