/* SPDX-License-Identifier: MIT */
/* A bed with cambium above all workers of a machine. */
#include "cambium_bed.h"

#include "core/lockfree/successors.h"

static struct xy__edge edges[EDGES];
static unsigned nedges;

struct bed *cambium_open_with(const char *machine, const char *option, const char *value, struct xy__cambium **cambium)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *c = option ? bed_add_with(bed, NULL, &xy__cambium_ops, option, value)
					: bed_add(bed, NULL, &xy__cambium_ops);

	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++)
		bed_add_worker(bed, c, i);
	bed_seal(bed);
	*cambium = (struct xy__cambium *)c;
	nedges = 0;
	return bed;
}

struct bed *cambium_open(const char *machine, struct xy__cambium **cambium)
{
	return cambium_open_with(machine, NULL, NULL, cambium);
}

void cambium_follows(struct xy_task *task, struct xy_task *before)
{
	assert_in_range(nedges, 0, EDGES - 1);
	atomic_store(&edges[nedges].target, (uintptr_t)task);
	atomic_fetch_add(&task->missing, 1);
	assert_true(xy__successors_add(&before->successors, &edges[nedges++], xy__task_generation(before)));
}

unsigned cambium_type(struct xy__cambium *c, const float *us, long left)
{
	struct xy__cambium_type *t = &c->types[c->ntypes];

	*t = (struct xy__cambium_type){ .base = c->ntypes, .least_us = INFINITY, .left = left };
	for (unsigned k = 0; k < XY__CAMBIUM_CLASSES; k++) {
		t->us[k] = k < c->nclasses ? us[k] : INFINITY;
		if (t->us[k] < t->least_us) {
			t->least_us = t->us[k];
			t->fast = k;
		}
	}
	return c->ntypes++;
}
