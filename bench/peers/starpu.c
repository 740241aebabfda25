/* SPDX-License-Identifier: MIT */
/*
 * StarPU, with its CPU workers only; the submitting thread is none of them. Cells are variables, and
 * dependencies come from the order of submission.
 */
#include <starpu.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "peer.h"

static starpu_data_handle_t *handles;
static size_t nhandles;

static int starpu_peer_start(const struct peer_options *options)
{
	struct starpu_conf conf;

	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_SCHED");
	if (starpu_conf_init(&conf))
		return 1;
	conf.precedence_over_environment_variables = 1;
	conf.sched_policy_name = options->sched;
	conf.ncpus = (int)options->workers;
	conf.ncuda = 0;
	conf.nopencl = 0;
	conf.nmic = 0;
	conf.nmpi_ms = 0;
	return starpu_init(&conf) || starpu_cpu_worker_get_count() != options->workers;
}

static int starpu_peer_stop(void)
{
	starpu_shutdown();
	return 0;
}

static int starpu_peer_share(uint64_t *cells, size_t n)
{
	nhandles = n;
	handles = calloc(n + 1, sizeof(*handles));
	if (!handles)
		return 1;
	for (size_t i = 0; i < n; i++)
		starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&cells[i], sizeof(cells[i]));
	return 0;
}

static int starpu_peer_unshare(void)
{
	for (size_t i = 0; i < nhandles; i++)
		starpu_data_unregister(handles[i]);
	free(handles);
	return 0;
}

static uint64_t *cell(void **buffers, unsigned i)
{
	return (uint64_t *)STARPU_VARIABLE_GET_PTR(buffers[i]);
}

static void run_count(void **buffers, void *arg)
{
	(void)buffers;
	body_count((size_t)arg);
}

static void run_chain(void **buffers, void *arg)
{
	body_chain(cell(buffers, 0), (size_t)arg);
}

static void run_corner(void **buffers, void *arg)
{
	(void)arg;
	body_wavefront(cell(buffers, 0), NULL, NULL);
}

static void run_top(void **buffers, void *arg)
{
	(void)arg;
	body_wavefront(cell(buffers, 0), cell(buffers, 1), NULL);
}

static void run_side(void **buffers, void *arg)
{
	(void)arg;
	body_wavefront(cell(buffers, 0), NULL, cell(buffers, 1));
}

static void run_inside(void **buffers, void *arg)
{
	(void)arg;
	body_wavefront(cell(buffers, 0), cell(buffers, 1), cell(buffers, 2));
}

static void run_left_end(void **buffers, void *arg)
{
	(void)arg;
	body_stencil(cell(buffers, 0), NULL, cell(buffers, 1), cell(buffers, 2));
}

static void run_right_end(void **buffers, void *arg)
{
	(void)arg;
	body_stencil(cell(buffers, 0), cell(buffers, 2), cell(buffers, 1), NULL);
}

static void run_middle(void **buffers, void *arg)
{
	(void)arg;
	body_stencil(cell(buffers, 0), cell(buffers, 2), cell(buffers, 1), cell(buffers, 3));
}

static void run_alone(void **buffers, void *arg)
{
	(void)arg;
	body_stencil(cell(buffers, 0), NULL, cell(buffers, 1), NULL);
}

static void run_fan(void **buffers, void *arg)
{
	(void)arg;
	body_fan(cell(buffers, 0));
}

static void run_gate(void **buffers, void *arg)
{
	(void)arg;
	body_gate(cell(buffers, 0));
}

static void run_ring(void **buffers, void *arg)
{
	(void)arg;
	body_ring(cell(buffers, 0), cell(buffers, 1), cell(buffers, 2), cell(buffers, 3));
}

static void run_wake(void **buffers, void *arg)
{
	(void)buffers;
	atomic_store((_Atomic double *)arg, bench_now_ns());
}

static struct starpu_codelet count = { .cpu_funcs = { run_count }, .nbuffers = 0 };
static struct starpu_codelet chain = { .cpu_funcs = { run_chain }, .nbuffers = 1, .modes = { STARPU_RW } };
static struct starpu_codelet corner = {
	.cpu_funcs = { run_corner },
	.nbuffers = 1,
	.modes = { STARPU_RW },
};
static struct starpu_codelet top = {
	.cpu_funcs = { run_top },
	.nbuffers = 2,
	.modes = { STARPU_RW, STARPU_R },
};
static struct starpu_codelet side = {
	.cpu_funcs = { run_side },
	.nbuffers = 2,
	.modes = { STARPU_RW, STARPU_R },
};
static struct starpu_codelet inside = {
	.cpu_funcs = { run_inside },
	.nbuffers = 3,
	.modes = { STARPU_RW, STARPU_R, STARPU_R },
};
static struct starpu_codelet left_end = {
	.cpu_funcs = { run_left_end },
	.nbuffers = 3,
	.modes = { STARPU_W, STARPU_R, STARPU_R },
};
static struct starpu_codelet right_end = {
	.cpu_funcs = { run_right_end },
	.nbuffers = 3,
	.modes = { STARPU_W, STARPU_R, STARPU_R },
};
static struct starpu_codelet middle = {
	.cpu_funcs = { run_middle },
	.nbuffers = 4,
	.modes = { STARPU_W, STARPU_R, STARPU_R, STARPU_R },
};
static struct starpu_codelet alone = {
	.cpu_funcs = { run_alone },
	.nbuffers = 2,
	.modes = { STARPU_W, STARPU_R },
};
static struct starpu_codelet fan = { .cpu_funcs = { run_fan }, .nbuffers = 1, .modes = { STARPU_R } };
static struct starpu_codelet gate = { .cpu_funcs = { run_gate }, .nbuffers = 1, .modes = { STARPU_RW } };
static struct starpu_codelet ring = {
	.cpu_funcs = { run_ring },
	.nbuffers = 4,
	.modes = { STARPU_RW, STARPU_R, STARPU_R, STARPU_R },
};
static struct starpu_codelet wake = { .cpu_funcs = { run_wake }, .nbuffers = 0 };

/* Submits a task with the handles of up to four cells, as many as the codelet has. */
static int submit(struct starpu_codelet *codelet, void *arg, const size_t *used)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = codelet;
	task->cl_arg = arg;
	for (int i = 0; i < codelet->nbuffers; i++)
		task->handles[i] = handles[used[i]];
	return starpu_task_submit(task);
}

static int starpu_peer_independent(size_t n)
{
	int status = 0;

	for (size_t i = 0; i < n; i++)
		status |= submit(&count, (void *)i, NULL);
	return starpu_task_wait_for_all() | status;
}

static int starpu_peer_chain(size_t n)
{
	int status = 0;

	for (size_t i = 0; i < n; i++)
		status |= submit(&chain, (void *)i, (size_t[]){ 0 });
	return starpu_task_wait_for_all() | status;
}

static int wavefront_submit(size_t x, size_t y, size_t length)
{
	size_t own = y * length + x;

	if (x && y)
		return submit(&inside, NULL, (size_t[]){ own, own - 1, own - length });
	if (x)
		return submit(&top, NULL, (size_t[]){ own, own - 1 });
	if (y)
		return submit(&side, NULL, (size_t[]){ own, own - length });
	return submit(&corner, NULL, (size_t[]){ own });
}

static int starpu_peer_wavefront(size_t length)
{
	int status = 0;

	for (size_t y = 0; y < length; y++)
		for (size_t x = 0; x < length; x++)
			status |= wavefront_submit(x, y, length);
	return starpu_task_wait_for_all() | status;
}

static int stencil_submit(size_t to, size_t from, bool has_left, bool has_right)
{
	if (has_left && has_right)
		return submit(&middle, NULL, (size_t[]){ to, from, from - 1, from + 1 });
	if (has_left)
		return submit(&right_end, NULL, (size_t[]){ to, from, from - 1 });
	if (has_right)
		return submit(&left_end, NULL, (size_t[]){ to, from, from + 1 });
	return submit(&alone, NULL, (size_t[]){ to, from });
}

static int starpu_peer_stencil(size_t width, size_t steps)
{
	int status = 0;

	for (size_t t = 0; t < steps; t++) {
		size_t from = t % 2 * width, to = (t + 1) % 2 * width;

		for (size_t x = 0; x < width; x++)
			status |= stencil_submit(to + x, from + x, x, x + 1 < width);
	}
	return starpu_task_wait_for_all() | status;
}

static int starpu_peer_fans(size_t number, size_t width)
{
	int status = 0;

	for (size_t i = 0; i < number; i++) {
		status |= submit(&chain, (void *)i, (size_t[]){ 0 });
		for (size_t j = 0; j < width; j++)
			status |= submit(&fan, NULL, (size_t[]){ 0 });
	}
	return starpu_task_wait_for_all() | status;
}

static int starpu_peer_gated(size_t n)
{
	int status = submit(&gate, NULL, (size_t[]){ 0 });

	for (size_t i = 0; i < n; i++)
		status |= submit(&ring, NULL,
				 (size_t[]){ ring_cell(i), 0, ring_cell(i + PEER_RING - 1), ring_cell(i + 1) });
	bench_all_wait();
	bench_gate_open();
	return starpu_task_wait_for_all() | status;
}

static int starpu_peer_wake(size_t n, double *latency_ns)
{
	int status = 0;

	for (size_t i = 0; i < n && !status; i++) {
		_Atomic double ran = 0;
		double begin;

		bench_wake_pause();
		begin = bench_now_ns();
		status = submit(&wake, (void *)&ran, NULL) || starpu_task_wait_for_all();
		latency_ns[i] = atomic_load(&ran) - begin;
	}
	return status;
}

const struct peer bench_peer = {
	.name = "StarPU",
	.takes_sched = true,
	.start = starpu_peer_start,
	.stop = starpu_peer_stop,
	.share = starpu_peer_share,
	.unshare = starpu_peer_unshare,
	.independent = starpu_peer_independent,
	.chain = starpu_peer_chain,
	.wavefront = starpu_peer_wavefront,
	.stencil = starpu_peer_stencil,
	.fans = starpu_peer_fans,
	.gated = starpu_peer_gated,
	.wake = starpu_peer_wake,
};
