/* SPDX-License-Identifier: MIT */
/*
 * perfmodel-select: sends a task down one of three branches, by what is known of how long it takes.
 */
#include <errno.h>
#include <string.h>
#include "components/estimate.h"
#include "components/spread.h"

static const char *const select_labels[] = { "known", "calibrating", "none", NULL };

/* The label for each kind of prediction. */
static const unsigned select_order[] = {
	[XY_PREDICTION_VALUE] = 0,
	[XY_PREDICTION_UNKNOWN] = 1,
	[XY_PREDICTION_NONE] = 2,
};

/* All (c), but for the turn in spread. */
struct select {
	struct xy_component base;
	struct xy_component *branches[3]; /* by label */
	struct xy__estimate estimate;
	struct xy__spread spread; /* for offers */
};

static bool select_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct select *s = (struct select *)self;
	struct xy__forecast forecast;
	struct xy_component *branch;

	xy__forecast_init(&forecast, &s->estimate, task);
	branch = s->branches[select_order[xy__forecast_kind(&forecast)]];
	if (xy_task_can_run_below(task, branch))
		return xy_push(branch, task, by);
	for (unsigned i = 0; i < self->nchildren; i++)
		if (xy_task_can_run_below(task, self->children[i]))
			return xy_push(self->children[i], task, by);
	return false;
}

static struct xy_task *select_pull(struct xy_component *self, struct xy_agent *by)
{
	xy_can_push_parents(self, by);
	return NULL;
}

static bool select_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	return xy__spread_offer(self, &((struct select *)self)->spread, offer, by);
}

/* The branch with a label, else the one with its number; the last if there are fewer branches. */
static struct xy_component *select_branch(const struct xy_component *self, unsigned label)
{
	bool labelled = false;

	for (unsigned i = 0; i < self->nchildren; i++) {
		const char *name = self->children[i]->label;

		labelled |= name != NULL;
		if (name && !strcmp(name, select_labels[label]))
			return self->children[i];
	}
	return self->children[labelled || label >= self->nchildren ? self->nchildren - 1 : label];
}

static void select_fini(struct xy_component *self)
{
	xy__spread_fini(&((struct select *)self)->spread);
	xy__estimate_fini(&((struct select *)self)->estimate);
}

static int select_init(struct xy_component *self)
{
	struct select *s = (struct select *)self;

	for (unsigned label = 0; label < 3; label++)
		s->branches[label] = select_branch(self, label);
	if (xy__estimate_init(&s->estimate, self) || xy__spread_init(&s->spread, self)) {
		select_fini(self);
		return -ENOMEM;
	}
	return 0;
}

const struct xy_component_ops xy__perfmodel_select_ops = {
	.name = "perfmodel-select",
	.summary = "sends a task to a branch by the state of its performance model",
	.manual = "The branch `known` gets tasks whose duration is known on each worker below that can run\n"
		  "them, with each implementation; `calibrating` those that still need measurements; `none`\n"
		  "those without a model, unless their length was given at submission. Without labels, the\n"
		  "branches have this order. A missing label means the last branch.\n"
		  "\n"
		  "  perfmodel-select { known: mct | each worker { prio | best-implementation },\n"
		  "                     calibrating: eager-calibration | each worker { },\n"
		  "                     none: prio | eager | each worker { best-implementation } }\n"
		  "\n"
		  "The branches may share their lower parts, or be separate down to the workers, which then\n"
		  "ask in the order of the branches.\n",
	.flags = XY_MAPS | XY_DECIDES | XY_SHARES,
	.size = sizeof(struct select),
	.labels = select_labels,
	.init = select_init,
	.fini = select_fini,
	.push = select_push,
	.pull = select_pull,
	.can_pull = select_can_pull,
};
