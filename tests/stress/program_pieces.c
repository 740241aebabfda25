/* SPDX-License-Identifier: MIT */
/* The steps of a random program that cut data into pieces, and pieces into smaller ones; see program.h. */
#include "program.h"

#include <xylem/partition.h>

/* The i-th of the pieces into which the filter cuts it. */
static struct program_data piece_of(const struct program_data *d, struct xy_handle *handle, unsigned i, unsigned n)
{
	size_t each = d->n / n, longer = d->n % n;

	return (struct program_data){ .id = d->id,
				      .handle = handle,
				      .n = each + (i < longer),
				      .model = d->model + each * i + (i < longer ? i : longer) };
}

static void work_on_piece(struct program *p, struct program_data *piece)
{
	static const struct xy_codelet *const codelets[] = { &bed_set,  &bed_add,     &bed_axpy,
							     &bed_copy, &bed_scratch, &bed_bump };
	unsigned nnodes = xy_machine_nnodes(xy_runtime_machine(p->rt)), what = program_below(p, 10);

	if (what == 0)
		program_acquire(p, piece, program_any_mode(p));
	else if (what == 1)
		program_check(p, !xy_prefetch(piece->handle, program_any_node(p)), "a piece could not be prefetched");
	else if (what == 2)
		program_check(p, nnodes == 1 || !xy_evict(piece->handle, 1), "a piece could not be evicted");
	else
		program_submit(p, codelets[program_below(p, HELPER_COUNT(codelets))],
			       (struct program_data *const[]){ piece, piece, piece }, 0);
}

/* Cuts it, and works on the pieces; some of those may be cut again. */
static void cut(struct program *p, struct program_data *d, unsigned depth)
{
	struct xy_filter filter = { .ops = &xy_filter_blocks, .n = 2 + program_below(p, 3) };
	int error = xy_partition(d->handle, &filter, NULL, 0);

	program_expect(p, error, "xy_partition");
	if (error)
		return;
	for (unsigned n = 1 + program_below(p, 10); n; n--) {
		unsigned i = program_below(p, filter.n);
		struct program_data piece = piece_of(d, xy_handle_child(d->handle, i), i, filter.n);

		if (depth && program_below(p, 8) == 0)
			cut(p, &piece, depth - 1);
		else
			work_on_piece(p, &piece);
	}
	error = xy_unpartition(d->handle);
	program_expect(p, error, "xy_unpartition");
}

void program_partition(struct program *p)
{
	cut(p, program_any_data(p), 1);
}

/* Makes the plan of the data if it has none yet. */
static bool have_plan(struct program *p, struct program_data *d)
{
	struct xy_filter filter = { .ops = &xy_filter_blocks, .n = 2 + program_below(p, 3) };
	int error = d->plan ? 0 : xy_plan_create(d->handle, &filter, &d->plan);

	program_expect(p, error, "xy_plan_create");
	return !error;
}

static struct program_data planned(const struct program_data *d, unsigned i)
{
	return piece_of(d, xy_plan_child(d->plan, i), i, xy_plan_nchildren(d->plan));
}

static void begin(struct program *p, struct program_data *d, enum xy_mode mode)
{
	int error = xy_plan_begin(d->plan, mode);

	program_expect(p, error, "xy_plan_begin");
}

static void end(struct program *p, struct program_data *d)
{
	int error = xy_plan_end(d->plan);

	program_expect(p, error, "xy_plan_end");
}

/* Partitions asynchronously and works on the pieces; the data's plan is reused. */
void program_plan(struct program *p)
{
	struct program_data *d = program_any_data(p);

	if (!have_plan(p, d))
		return;
	begin(p, d, XY_RW);
	for (unsigned n = 1 + program_below(p, 8), count = xy_plan_nchildren(d->plan); n; n--) {
		struct program_data piece = planned(d, program_below(p, count));

		if (program_below(p, 12) == 0)
			cut(p, &piece, 0);
		else
			work_on_piece(p, &piece);
	}
	end(p, d);
}

/* Reads a whole or its pieces; writes the pieces of another one. */
static void read_together(struct program *p, struct program_data *from, struct program_data *to)
{
	unsigned nfrom = xy_plan_nchildren(from->plan), i = program_below(p, nfrom), what = program_below(p, 6);
	struct program_data piece = planned(from, i), other, *free = program_any_like(p, from);

	if (what == 0) {
		program_acquire(p, &piece, XY_R);
	} else if (what == 1) {
		program_acquire(p, from, XY_R);
	} else if (what == 2) {
		program_check(p, !xy_prefetch(piece.handle, program_any_node(p)), "a piece could not be prefetched");
	} else if (what == 3 && free != from && free != to) {
		program_submit(p, &bed_axpy, (struct program_data *const[]){ from, free, free }, 0);
	} else if (xy_plan_nchildren(to->plan) == nfrom) {
		other = planned(to, i);
		program_submit(p, program_below(p, 2) ? &bed_axpy : &bed_copy,
			       (struct program_data *const[]){ &piece, &other, &other }, 0);
	}
}

/* A plan for reading, beside which its parent is read too. */
void program_share(struct program *p)
{
	struct program_data *from = program_any_data(p), *to = program_any_like(p, from);

	if (from == to || !have_plan(p, from) || !have_plan(p, to))
		return;
	begin(p, from, XY_R);
	begin(p, to, XY_RW);
	for (unsigned n = 1 + program_below(p, 10); n; n--)
		read_together(p, from, to);
	if (program_below(p, 2)) {
		end(p, from);
		end(p, to);
	} else {
		end(p, to);
		end(p, from);
	}
}
