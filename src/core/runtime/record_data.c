/* SPDX-License-Identifier: MIT */
/*
 * Data of recorded tasks. Graphs have no partitions: passing content between a handle and its parts is recorded as
 * tasks without a kernel that read the one and write the other, when either is used.
 */
#include <stdlib.h>
#include <string.h>

#include "core/data/partition.h"
#include "core/runtime/record.h"

static uint32_t data_find(struct xy__record *r, struct xy_handle *h)
{
	uint32_t parent = h->child_of ? data_find(r, h->child_of->parent) : XY__RECORD_NONE;
	struct xy__record_pair *pair = xy__record_find(r, &r->handles, (uintptr_t)h);

	if (!pair || pair->last != XY__RECORD_NONE)
		return pair ? pair->last : XY__RECORD_NONE;
	if (!xy__record_room(r, &r->data, r->ndata, &r->data_room, sizeof *r->data))
		return XY__RECORD_NONE;
	r->data[r->ndata] = (struct xy__record_datum){
		.name = h->name ? strdup(h->name) : NULL,
		.bytes = h->size_bytes,
		.parent = parent,
		.plan = h->child_of,
		.first_part = XY__RECORD_NONE,
		.next_part = XY__RECORD_NONE,
	};
	return pair->last = r->ndata++;
}

/* The parts give their content back. */
static void data_join(struct xy__record *r, uint32_t datum)
{
	uint32_t first = r->data[datum].first_part;

	if (first == XY__RECORD_NONE)
		return;
	for (uint32_t part = first; part != XY__RECORD_NONE; part = r->data[part].next_part) {
		data_join(r, part);
		r->data[part].cut = false;
	}
	r->data[datum].first_part = XY__RECORD_NONE;
	if (!xy__record_add(r))
		return;
	for (uint32_t part = first; part != XY__RECORD_NONE; part = r->data[part].next_part)
		xy__record_access(r, part, XY_R);
	xy__record_access(r, datum, XY_RW);
}

/* A part, and what it is a part of, gets its content; parts of another way to cut give it back before. */
static void data_cut(struct xy__record *r, uint32_t datum)
{
	struct xy__record_datum *d = &r->data[datum];
	uint32_t parent = d->parent;

	if (d->cut || parent == XY__RECORD_NONE)
		return;
	data_cut(r, parent);
	if (r->data[parent].first_part != XY__RECORD_NONE && r->data[r->data[parent].first_part].plan != d->plan)
		data_join(r, parent);
	d->cut = true;
	d->next_part = r->data[parent].first_part;
	r->data[parent].first_part = datum;
	if (!xy__record_add(r))
		return;
	xy__record_access(r, parent, XY_RW);
	xy__record_access(r, datum, XY_W);
}

uint32_t xy__record_use(struct xy__record *r, struct xy_handle *h)
{
	uint32_t datum = data_find(r, h);

	if (datum != XY__RECORD_NONE) {
		data_cut(r, datum);
		data_join(r, datum);
	}
	return datum;
}
