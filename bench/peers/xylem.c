/* SPDX-License-Identifier: MIT */
/*
 * Xylem; the submitting thread is none of the workers. Cells are variables, and dependencies come from
 * the order of submission. The environment is not read, so that a SCHED left over can't mislead.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <xylem.h>
#include "peer.h"

enum { WARM_TASKS = 64 }; /* more than a model's window of measurements */

static struct xy_runtime *runtime;
static struct xy_handle **handles;
static size_t nhandles;
static uint64_t *owned_cells; /* if the runtime has them meanwhile */
static bool owned;

/* What is left to submit of a nested graph; one task at a time uses it. */
struct batch {
	size_t next, n;
};

static int xylem_start(const struct peer_options *options)
{
	owned = options->owned;
	return xy_start(&runtime, &(struct xy_config){
					  .sched = options->sched,
					  .ncpu = options->workers,
					  .help = options->guest ? XY_YES : XY_NO,
					  .window = (unsigned)options->inflight,
					  .models = "none",
					  .ignore_environment = true,
				  });
}

static int xylem_stop(void)
{
	return xy_stop(&runtime);
}

/* Copies a cell to memory of the runtime, or back. */
static int move_owned(struct xy_handle *handle, uint64_t *cell, enum xy_mode mode)
{
	int status = xy_acquire(handle, mode);

	if (status)
		return status;
	if (mode == XY_W)
		*(uint64_t *)xy_handle_pointer(handle) = *cell;
	else
		*cell = *(uint64_t *)xy_handle_pointer(handle);
	return xy_release(handle);
}

static int xylem_share(uint64_t *cells, size_t n)
{
	nhandles = n;
	owned_cells = owned ? cells : NULL;
	handles = calloc(n + 1, sizeof(*handles));
	for (size_t i = 0; handles && i < n; i++) {
		if (xy_variable_register(runtime, &handles[i], owned ? NULL : &cells[i], sizeof(cells[i])))
			return 1;
		if (owned && move_owned(handles[i], &cells[i], XY_W))
			return 1;
	}
	return !handles;
}

static int xylem_unshare(void)
{
	int status = 0;

	for (size_t i = 0; i < nhandles; i++) {
		if (owned_cells)
			status |= move_owned(handles[i], &owned_cells[i], XY_R);
		status |= xy_unregister(&handles[i]);
	}
	free(handles);
	return status;
}

static int run_count(struct xy_call *call)
{
	body_count((size_t)call->arg);
	return 0;
}

static int run_chain(struct xy_call *call)
{
	body_chain(xy_pointer(call, 0), (size_t)call->arg);
	return 0;
}

static int run_corner(struct xy_call *call)
{
	body_wavefront(xy_pointer(call, 0), NULL, NULL);
	return 0;
}

static int run_top(struct xy_call *call)
{
	body_wavefront(xy_pointer(call, 0), xy_pointer(call, 1), NULL);
	return 0;
}

static int run_side(struct xy_call *call)
{
	body_wavefront(xy_pointer(call, 0), NULL, xy_pointer(call, 1));
	return 0;
}

static int run_inside(struct xy_call *call)
{
	body_wavefront(xy_pointer(call, 0), xy_pointer(call, 1), xy_pointer(call, 2));
	return 0;
}

static int run_left_end(struct xy_call *call)
{
	body_stencil(xy_pointer(call, 0), NULL, xy_pointer(call, 1), xy_pointer(call, 2));
	return 0;
}

static int run_right_end(struct xy_call *call)
{
	body_stencil(xy_pointer(call, 0), xy_pointer(call, 2), xy_pointer(call, 1), NULL);
	return 0;
}

static int run_middle(struct xy_call *call)
{
	body_stencil(xy_pointer(call, 0), xy_pointer(call, 2), xy_pointer(call, 1), xy_pointer(call, 3));
	return 0;
}

static int run_alone(struct xy_call *call)
{
	body_stencil(xy_pointer(call, 0), NULL, xy_pointer(call, 1), NULL);
	return 0;
}

static int run_fan(struct xy_call *call)
{
	body_fan(xy_pointer(call, 0));
	return 0;
}

static int run_gate(struct xy_call *call)
{
	body_gate(xy_pointer(call, 0));
	return 0;
}

static int run_ring(struct xy_call *call)
{
	body_ring(xy_pointer(call, 0), xy_pointer(call, 1), xy_pointer(call, 2), xy_pointer(call, 3));
	return 0;
}

static int run_wake(struct xy_call *call)
{
	atomic_store((_Atomic double *)call->arg, bench_now_ns());
	return 0;
}

static const struct xy_codelet count = { .name = "count", .cpu = { run_count } };
static const struct xy_model counted_model = { .name = "count", .kind = XY_MODEL_HISTORY };
static const struct xy_codelet counted = { .name = "count", .cpu = { run_count }, .model = &counted_model };
static int run_batch(struct xy_call *call);
static const struct xy_codelet batch = { .name = "batch", .cpu = { run_batch } };
static const struct xy_codelet chain = { .name = "chain", .cpu = { run_chain }, .modes = { XY_RW } };
static const struct xy_codelet corner = { .name = "corner", .cpu = { run_corner }, .modes = { XY_RW } };
static const struct xy_codelet top = { .name = "top", .cpu = { run_top }, .modes = { XY_RW, XY_R } };
static const struct xy_codelet side = { .name = "side", .cpu = { run_side }, .modes = { XY_RW, XY_R } };
static const struct xy_codelet inside = {
	.name = "inside",
	.cpu = { run_inside },
	.modes = { XY_RW, XY_R, XY_R },
};
static const struct xy_codelet left_end = {
	.name = "left_end",
	.cpu = { run_left_end },
	.modes = { XY_W, XY_R, XY_R },
};
static const struct xy_codelet right_end = {
	.name = "right_end",
	.cpu = { run_right_end },
	.modes = { XY_W, XY_R, XY_R },
};
static const struct xy_codelet middle = {
	.name = "middle",
	.cpu = { run_middle },
	.modes = { XY_W, XY_R, XY_R, XY_R },
};
static const struct xy_codelet alone = { .name = "alone", .cpu = { run_alone }, .modes = { XY_W, XY_R } };
static const struct xy_codelet fan = { .name = "fan", .cpu = { run_fan }, .modes = { XY_R } };
static const struct xy_codelet gate = { .name = "gate", .cpu = { run_gate }, .modes = { XY_RW } };
static const struct xy_codelet ring = {
	.name = "ring",
	.cpu = { run_ring },
	.modes = { XY_RW, XY_R, XY_R, XY_R },
};
static const struct xy_codelet wake = { .name = "wake", .cpu = { run_wake } };

static int xylem_independent(size_t n)
{
	int status = 0;

	for (size_t i = 0; i < n; i++)
		status |= xy_submit(runtime, &(struct xy_task_desc){ .codelet = &count, .arg = (void *)i });
	return xy_wait(runtime) | status;
}

static int xylem_inserted(size_t n)
{
	int status = 0;

	for (size_t i = 0; i < n; i++)
		status |= xy_insert(runtime, &count, xy_arg((void *)i));
	return xy_wait(runtime) | status;
}

static int submit_modelled(size_t i, size_t end)
{
	int status = 0;

	for (; i < end; i++)
		status |= xy_submit(runtime, &(struct xy_task_desc){ .codelet = &counted, .arg = (void *)i });
	return xy_wait(runtime) | status;
}

/* The model is warm after the first tasks: none is waiting to be measured while the others run. */
static int xylem_modelled(size_t n)
{
	size_t first = n < WARM_TASKS ? n : WARM_TASKS;
	int status = submit_modelled(0, first);

	return submit_modelled(first, n) | status;
}

/* Submits a batch and, behind it, itself for the next one. */
static int run_batch(struct xy_call *call)
{
	struct batch *rest = call->arg;
	size_t end = rest->next + PEER_BATCH < rest->n ? rest->next + PEER_BATCH : rest->n;
	int status = 0;

	for (; rest->next < end; rest->next++)
		status |= xy_submit(call->runtime,
				    &(struct xy_task_desc){ .codelet = &count, .arg = (void *)rest->next });
	if (end < rest->n)
		status |= xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &batch, .arg = rest });
	return status;
}

static int xylem_nested(size_t n)
{
	struct batch all = { .n = n };
	int status = xy_submit(runtime, &(struct xy_task_desc){ .codelet = &batch, .arg = &all });

	return xy_wait(runtime) | status;
}

static int chain_submit(size_t i)
{
	return xy_submit(runtime,
			 &(struct xy_task_desc){ .codelet = &chain, .handles = { handles[0] }, .arg = (void *)i });
}

static int xylem_chain(size_t n)
{
	int status = 0;

	for (size_t i = 0; i < n; i++)
		status |= chain_submit(i);
	return xy_wait(runtime) | status;
}

static int wavefront_submit(size_t x, size_t y, size_t length)
{
	struct xy_handle **own = handles + y * length + x;

	if (x && y)
		return xy_submit(runtime, &(struct xy_task_desc){ .codelet = &inside,
								  .handles = { *own, own[-1], *(own - length) } });
	if (x)
		return xy_submit(runtime, &(struct xy_task_desc){ .codelet = &top, .handles = { *own, own[-1] } });
	if (y)
		return xy_submit(runtime,
				 &(struct xy_task_desc){ .codelet = &side, .handles = { *own, *(own - length) } });
	return xy_submit(runtime, &(struct xy_task_desc){ .codelet = &corner, .handles = { *own } });
}

static int xylem_wavefront(size_t length)
{
	int status = 0;

	for (size_t y = 0; y < length; y++)
		for (size_t x = 0; x < length; x++)
			status |= wavefront_submit(x, y, length);
	return xy_wait(runtime) | status;
}

static int stencil_submit(struct xy_handle *to, struct xy_handle **from, bool has_left, bool has_right)
{
	if (has_left && has_right)
		return xy_submit(runtime, &(struct xy_task_desc){ .codelet = &middle,
								  .handles = { to, *from, from[-1], from[1] } });
	if (has_left)
		return xy_submit(runtime,
				 &(struct xy_task_desc){ .codelet = &right_end, .handles = { to, *from, from[-1] } });
	if (has_right)
		return xy_submit(runtime,
				 &(struct xy_task_desc){ .codelet = &left_end, .handles = { to, *from, from[1] } });
	return xy_submit(runtime, &(struct xy_task_desc){ .codelet = &alone, .handles = { to, *from } });
}

static int xylem_stencil(size_t width, size_t steps)
{
	int status = 0;

	for (size_t t = 0; t < steps; t++) {
		struct xy_handle **from = handles + t % 2 * width, **to = handles + (t + 1) % 2 * width;

		for (size_t x = 0; x < width; x++)
			status |= stencil_submit(to[x], from + x, x, x + 1 < width);
	}
	return xy_wait(runtime) | status;
}

static int xylem_fans(size_t number, size_t width)
{
	int status = 0;

	for (size_t i = 0; i < number; i++) {
		status |= chain_submit(i);
		for (size_t j = 0; j < width; j++)
			status |= xy_submit(runtime,
					    &(struct xy_task_desc){ .codelet = &fan, .handles = { handles[0] } });
	}
	return xy_wait(runtime) | status;
}

static int xylem_gated(size_t n)
{
	int status = xy_submit(runtime, &(struct xy_task_desc){ .codelet = &gate, .handles = { handles[0] } });

	for (size_t i = 0; i < n; i++)
		status |= xy_submit(runtime, &(struct xy_task_desc){ .codelet = &ring,
								     .handles = { handles[ring_cell(i)], handles[0],
										  handles[ring_cell(i + PEER_RING - 1)],
										  handles[ring_cell(i + 1)] } });
	bench_all_wait();
	bench_gate_open();
	return xy_wait(runtime) | status;
}

static int xylem_wake(size_t n, double *latency_ns)
{
	int status = 0;

	for (size_t i = 0; i < n && !status; i++) {
		_Atomic double ran = 0;
		double begin;

		bench_wake_pause();
		begin = bench_now_ns();
		status = xy_submit(runtime, &(struct xy_task_desc){ .codelet = &wake, .arg = (void *)&ran });
		status = status ? status : xy_wait(runtime);
		latency_ns[i] = atomic_load(&ran) - begin;
	}
	return status;
}

const struct peer bench_peer = {
	.name = "Xylem",
	.takes_sched = true,
	.takes_owned = true,
	.takes_guest = true,
	.start = xylem_start,
	.stop = xylem_stop,
	.share = xylem_share,
	.unshare = xylem_unshare,
	.independent = xylem_independent,
	.inserted = xylem_inserted,
	.modelled = xylem_modelled,
	.nested = xylem_nested,
	.chain = xylem_chain,
	.wavefront = xylem_wavefront,
	.stencil = xylem_stencil,
	.fans = xylem_fans,
	.gated = xylem_gated,
	.wake = xylem_wake,
};
