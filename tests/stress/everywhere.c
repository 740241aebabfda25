/* SPDX-License-Identifier: MIT */
/*
 * Data in all places at once, against a sequential model: random programs on CPUs, two CUDA and two HIP devices of the
 * test doubles and two OpenCL devices of PoCL, whose data is the application's in RAM or on a device, or the runtime's
 * with little RAM and a disk; with accesses in RAM and anywhere, partitions, and streams for short kernels.
 * XYLEM_TEST_SEED=n runs the program of one seed alone.
 */
#include "everywhere_hip.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/insert.h>
#include <xylem/interface.h>
#include <xylem/memory.h>
#include <xylem/partition.h>

#include "../core/data/bed.h"
#include "../double/cudart_double.h"

int cudaSetDevice(int device);
int cudaMalloc(void **memory, size_t bytes);
int cudaFree(void *memory);

enum { DATA = 10, MOST = 1024, STEPS = 250, THREADS = 2, PIECES = 5 };

/* Where a datum has its memory. */
enum home { HOME_RUNTIME, HOME_RAM, HOME_CUDA, HOME_HIP, NHOMES };

struct datum {
	struct xy_handle *handle;
	enum home home;
	uint32_t *memory; /* in RAM, or an address of the device */
	struct xy_plan *plan;
	unsigned npieces;
	size_t n;
	uint32_t model[MOST];
};

struct program {
	struct helper *h;
	uint64_t random;
	unsigned step;
	bool opencl, right;
	struct datum data[DATA];
	pthread_t thread;
};

static unsigned any(struct program *p, unsigned n)
{
	return helper_below(&p->random, n);
}

static void expect(struct program *p, bool right, const char *what)
{
	if (!right && p->right)
		print_error("step %u: %s\n", p->step, what);
	p->right &= right;
}

/* --- codelets --- */

/* The call with its first buffer left out, and another argument. */
static struct xy_call rest_of(struct xy_call *call, struct bed_arg *arg)
{
	struct xy_call rest = *call;

	rest.buffers++;
	rest.nbuffers--;
	rest.arg = arg;
	return rest;
}

/* y[i] = 3 y[i] + x[0], with x in RAM. */
#define FIRST(arch, add) \
	static int first_##arch(struct xy_call *call) \
	{ \
		struct bed_arg arg = { *(uint32_t *)xy_pointer(call, 0) }; \
		struct xy_call rest = rest_of(call, &arg); \
\
		return (add)(&rest); \
	}
FIRST(cpu, bed_add.cpu[0])
FIRST(cuda, bed_add.cuda[0])
FIRST(hip, everywhere_hip_add)
FIRST(opencl, bed_add.opencl[0])

/* In RAM, whoever runs it. */
static int bump_host(struct xy_call *call)
{
	uint32_t *numbers = xy_pointer(call, 0);

	if (xy_call_node(call, 0))
		return -EFAULT;
	for (size_t i = 0; i < xy_vector_at(call, 0)->n; i++)
		numbers[i] += ((const struct bed_arg *)call->arg)->k;
	return 0;
}

/* Wherever it is: only there. */
static int look_host(struct xy_call *call)
{
	return xy_pointer(call, 0) && xy_call_node(call, 0) < xy_machine_nnodes(xy_runtime_machine(call->runtime))
		       ? 0
		       : -EFAULT;
}

#define HOST(f) .cpu = { f }, .cuda = { f }, .hip = { f }, .opencl = { f }
static const struct xy_codelet first = {
	.name = "first",
	.cpu = { first_cpu },
	.cuda = { first_cuda },
	.hip = { first_hip },
	.opencl = { first_opencl },
	.modes = { XY_R | XY_IN_RAM, XY_RW },
};
static const struct xy_codelet bump = { .name = "bump", HOST(bump_host), .modes = { XY_RW | XY_IN_RAM } };
static const struct xy_codelet look = { .name = "look", HOST(look_host), .modes = { XY_R | XY_ANYWHERE } };
static struct xy_codelet set, add, axpy, copy; /* those of the bed, for HIP too */

static void codelets_init(void)
{
	set = bed_set;
	set.hip[0] = everywhere_hip_set;
	add = bed_add;
	add.hip[0] = everywhere_hip_add;
	axpy = bed_axpy;
	axpy.hip[0] = everywhere_hip_axpy;
	copy = bed_copy;
	copy.hip[0] = everywhere_hip_copy;
}

/* --- data --- */

static uint32_t *home_readable(const struct datum *d)
{
	if (d->home == HOME_CUDA)
		return cudart_double_readable(d->memory);
	return d->home == HOME_HIP ? everywhere_hip_readable(d->memory) : d->memory;
}

static uint32_t *home_allocate(enum home home, unsigned device, size_t bytes)
{
	void *memory = NULL;

	if (home == HOME_CUDA && (cudaSetDevice((int)device) || cudaMalloc(&memory, bytes)))
		return NULL;
	if (home == HOME_HIP)
		memory = everywhere_hip_allocate(device, bytes);
	return home == HOME_RAM ? malloc(bytes) : memory;
}

static void home_free(const struct datum *d)
{
	if (d->home == HOME_CUDA)
		cudaFree(d->memory);
	else if (d->home == HOME_HIP)
		everywhere_hip_free(d->memory);
	else
		free(d->memory);
}

static void datum_begin(struct program *p, struct datum *d)
{
	unsigned device = any(p, 2);
	uint32_t *numbers;

	d->home = (enum home)any(p, NHOMES);
	d->memory = home_allocate(d->home, device, d->n * sizeof *d->memory);
	expect(p, d->memory || d->home == HOME_RUNTIME, "no memory");
	memset(d->model, 0, sizeof d->model);
	numbers = d->memory ? home_readable(d) : NULL;
	for (size_t i = 0; i < d->n && numbers; i++)
		numbers[i] = d->model[i] = any(p, 1000);
	expect(p,
	       !xy_vector_register(p->h->rt, &d->handle, d->home == HOME_RAM ? d->memory : NULL, d->n,
				   sizeof *d->memory),
	       "registering failed");
	if (d->home == HOME_CUDA || d->home == HOME_HIP) {
		struct xy_vector view = { .ptr = d->memory, .n = d->n, .elem = sizeof *d->memory };
		unsigned node = bed_node(p->h, d->home == HOME_CUDA ? XY_CUDA : XY_HIP, device);

		expect(p, !xy_handle_set_home(d->handle, node, &view), "xy_handle_set_home failed");
	}
}

static bool is_model(const struct datum *d, const uint32_t *numbers)
{
	return !memcmp(numbers, d->model, d->n * sizeof *numbers);
}

static void datum_end(struct program *p, struct datum *d)
{
	if (d->plan)
		expect(p, !xy_plan_destroy(&d->plan), "xy_plan_destroy failed");
	if (any(p, 2)) {
		expect(p, !xy_unregister(&d->handle), "xy_unregister failed");
	} else {
		expect(p, !xy_unregister_submit(&d->handle), "xy_unregister_submit failed");
		expect(p, !xy_wait(p->h->rt), "a task failed");
	}
	expect(p, d->home == HOME_RUNTIME || is_model(d, home_readable(d)), "what came home is wrong");
	home_free(d);
}

/* --- steps --- */

static struct xy_term maybe_short(struct program *p)
{
	return xy_length_us(any(p, 2) ? 10 : 0);
}

/* Another datum of the same size. */
static struct datum *other_of(struct program *p, const struct datum *d)
{
	size_t index = (size_t)(d - p->data);

	return &p->data[(index + 2 * (1 + any(p, DATA / 2 - 1))) % DATA];
}

static void step_task(struct program *p, struct datum *d)
{
	struct datum *o = other_of(p, d);
	struct bed_arg arg = { any(p, 1000) };
	struct xy_term k = xy_copy(&arg, sizeof arg), length = maybe_short(p);
	struct xy_runtime *rt = p->h->rt;
	uint32_t x0 = o->model[0];
	unsigned kind = any(p, 7);
	int error;

	for (size_t i = 0; i < d->n; i++)
		switch (kind) {
		case 0:
			d->model[i] = arg.k + (uint32_t)i;
			break;
		case 1:
			d->model[i] = 3 * d->model[i] + arg.k;
			break;
		case 2:
			d->model[i] = 3 * d->model[i] + arg.k * o->model[i];
			break;
		case 3:
			d->model[i] = o->model[i] + arg.k;
			break;
		case 4:
			d->model[i] = 3 * d->model[i] + x0;
			break;
		case 5:
			d->model[i] += arg.k;
			break;
		default:
			break;
		}
	error = kind == 0   ? xy_insert(rt, &set, xy_w(d->handle), k, length)
		: kind == 1 ? xy_insert(rt, &add, xy_rw(d->handle), k, length)
		: kind == 2 ? xy_insert(rt, &axpy, xy_r(o->handle), xy_rw(d->handle), k, length)
		: kind == 3 ? xy_insert(rt, &copy, xy_r(o->handle), xy_w(d->handle), k, length)
		: kind == 4 ? xy_insert(rt, &first, xy_use(o->handle, XY_R | XY_IN_RAM), xy_rw(d->handle), length)
		: kind == 5 ? xy_insert(rt, &bump, xy_use(d->handle, XY_RW | XY_IN_RAM), k, length)
			    : xy_insert(rt, &look, xy_use(d->handle, XY_R | XY_ANYWHERE), length);
	expect(p, !error, "a task was refused");
}

static void step_pieces(struct program *p, struct datum *d)
{
	const struct xy_filter filter = { .ops = &xy_filter_blocks, .n = 2 + any(p, PIECES - 1) };
	size_t begin = 0;

	if (d->plan && !any(p, 4))
		expect(p, !xy_plan_destroy(&d->plan), "xy_plan_destroy failed");
	if (!d->plan) {
		expect(p, !xy_plan_create(d->handle, &filter, &d->plan), "xy_plan_create failed");
		d->npieces = filter.n;
	}
	expect(p, !xy_plan_begin(d->plan, XY_RW), "xy_plan_begin failed");
	for (unsigned i = 0; i < d->npieces; i++) {
		struct xy_handle *piece = xy_plan_child(d->plan, i);
		size_t n = xy_handle_size(piece) / sizeof(uint32_t);

		for (unsigned times = any(p, 3); times; times--) {
			struct bed_arg arg = { any(p, 1000) };

			expect(p, !xy_insert(p->h->rt, &add, xy_rw(piece), xy_copy(&arg, sizeof arg), maybe_short(p)),
			       "a task on a piece was refused");
			for (size_t k = begin; k < begin + n; k++)
				d->model[k] = 3 * d->model[k] + arg.k;
		}
		begin += n;
	}
	expect(p, !xy_plan_end(d->plan), "xy_plan_end failed");
}

static void step_acquire(struct program *p, struct datum *d)
{
	unsigned mode = 1 + any(p, 3);
	uint32_t *numbers;

	expect(p, !xy_acquire(d->handle, (enum xy_mode)mode), "xy_acquire failed");
	numbers = xy_handle_pointer(d->handle);
	expect(p, !(mode & XY_R) || is_model(d, numbers), "what was acquired is wrong");
	for (size_t i = 0; i < d->n && mode & XY_W; i++)
		numbers[i] = d->model[i] = any(p, 1000);
	expect(p, !xy_release(d->handle), "xy_release failed");
}

/* On a device of the doubles, where the host can look. */
static void step_acquire_on(struct program *p, struct datum *d)
{
	bool cuda = any(p, 2);
	const struct xy_vector *view;
	const void *found = NULL;
	int error = xy_acquire_on(d->handle, XY_R, bed_node(p->h, cuda ? XY_CUDA : XY_HIP, any(p, 2)), &found);

	expect(p, !error || error == -ENOMEM, "xy_acquire_on failed");
	if (error)
		return;
	view = found;
	expect(p, is_model(d, cuda ? cudart_double_readable(view->ptr) : everywhere_hip_readable(view->ptr)),
	       "what was acquired on a device is wrong");
	expect(p, !xy_release(d->handle), "xy_release failed");
}

static void step_hint(struct program *p, struct datum *d)
{
	unsigned nnodes = xy_machine_nnodes(xy_runtime_machine(p->h->rt)), node = any(p, nnodes);

	switch (any(p, 4)) {
	case 0:
		expect(p, !xy_prefetch(d->handle, node), "xy_prefetch failed");
		break;
	case 1:
		expect(p, !node || !xy_evict(d->handle, node), "xy_evict failed");
		break;
	case 2:
		expect(p, !xy_advise(d->handle, (enum xy_advice)any(p, 3)), "xy_advise failed");
		break;
	default:
		xy_handle_set_write_through(d->handle, any(p, 4) ? 0 : (uint64_t)1 << node);
	}
}

static void *program_run(void *arg)
{
	struct program *p = arg;

	for (unsigned i = 0; i < DATA; i++) {
		p->data[i].n = i % 2 ? 100 : MOST;
		datum_begin(p, &p->data[i]);
	}
	for (p->step = 1; p->step <= STEPS && p->right; p->step++) {
		struct datum *d = &p->data[any(p, DATA)];
		unsigned kind = any(p, 20);

		if (kind < 12) {
			step_task(p, d);
		} else if (kind < 14) {
			step_pieces(p, d);
		} else if (kind < 15) {
			step_acquire(p, d);
		} else if (kind < 16) {
			step_acquire_on(p, d);
		} else if (kind < 19) {
			step_hint(p, d);
		} else {
			datum_end(p, d);
			datum_begin(p, d);
		}
	}
	for (unsigned i = 0; i < DATA; i++)
		datum_end(p, &p->data[i]);
	return NULL;
}

/* --- runtimes --- */

static struct helper *start(uint64_t *random, bool opencl)
{
	static const char *const policies[] = { "tree-eager",  "tree-eager-prefetching",  "tree-ws",
						"tree-random", "tree-random-prefetching", "tree-prio-prefetching" };
	static char limits[XY_NARCH][32];
	struct xy_config config = {
		.sched = policies[helper_below(random, HELPER_COUNT(policies))],
		.ncpu = 1 + helper_below(random, 2),
		.drivers = DRIVERS,
		.limit_ram = helper_below(random, 2) ? "24K" : NULL,
		.disk = ".:4M",
		.seed = helper_random(random),
	};

	for (unsigned arch = XY_CUDA; arch < XY_NARCH; arch++) {
		snprintf(limits[arch], sizeof limits[arch], "%u", 12000 + helper_below(random, 30000));
		config.arch[arch].devices = arch == XY_OPENCL && !opencl ? "none" : "0,1";
		config.arch[arch].limit = helper_below(random, 4) ? limits[arch] : NULL;
		config.arch[arch].streams = 1 + helper_below(random, 3);
	}
	if (!config.limit_ram)
		config.disk = NULL;
	cudart_double_reset();
	return helper_start_with(&config);
}

static void run_seed(uint64_t seed)
{
	static struct program programs[THREADS];
	uint64_t random = seed;
	bool opencl = bed_has_opencl();
	struct helper *h;

	print_message("# XYLEM_TEST_SEED=%llu\n", (unsigned long long)seed);
	h = start(&random, opencl);
	for (unsigned i = 0; i < THREADS; i++) {
		programs[i] = (struct program){ .h = h, .random = helper_random(&random), .right = true };
		assert_int_equal(pthread_create(&programs[i].thread, NULL, program_run, &programs[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(programs[i].thread, NULL), 0);
	for (unsigned i = 0; i < THREADS; i++)
		assert_true(programs[i].right);
	assert_int_equal(helper_stop(h), 0);
}

static void programs_compute_what_the_model_does(void **state)
{
	const char *one = getenv("XYLEM_TEST_SEED");

	(void)state;
	codelets_init();
	if (one)
		run_seed(strtoull(one, NULL, 0));
	for (unsigned i = 1; i <= helper_scale(12) && !one; i++)
		run_seed(i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_compute_what_the_model_does),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
