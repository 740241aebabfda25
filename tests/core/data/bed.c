/* SPDX-License-Identifier: MIT */
/*
 * The devices and codelets of tests of data.
 */
#include "bed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/cuda.h>

#include "bed_opencl.h"
#include "../../double/cudart_double.h"

/* --- what the codelets do --- */

/* One for all: operands, and what to do with them. */
struct work {
	void (*body)(const struct work *work);
	uint32_t *a, *b, *c;
	size_t n;
	uint32_t k;
};

static void work_set(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->a[i] = w->k + (uint32_t)i;
}

static void work_add(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->a[i] = 3 * w->a[i] + w->k;
}

static void work_axpy(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->b[i] = 3 * w->b[i] + w->k * w->a[i];
}

static void work_copy(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->b[i] = w->a[i] + w->k;
}

static void work_scratch(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->a[i] = 3 * w->b[i];
	for (size_t i = 0; i < w->n; i++)
		w->b[i] = w->a[i] + w->k;
}

static void work_bump(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->a[i] += w->k;
}

static void work_sum(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->c[i] = w->c[i] + w->a[i] + w->k * w->b[i];
}

static void work_zero(const struct work *w)
{
	memset(w->a, 0, w->n * sizeof *w->a);
}

static void work_join(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->a[i] += w->b[i];
}

static void work_more(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->a[i] += w->k;
}

static void work_collect(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->a[i] += w->k * w->b[i];
}

static struct work work_of(struct xy_call *call, void (*body)(const struct work *work))
{
	return (struct work){
		.body = body,
		.a = xy_pointer(call, 0),
		.b = call->nbuffers > 1 ? xy_pointer(call, 1) : NULL,
		.c = call->nbuffers > 2 ? xy_pointer(call, 2) : NULL,
		.n = xy_vector_at(call, 0)->n,
		.k = call->arg ? ((const struct bed_arg *)call->arg)->k : 1,
	};
}

/* A kernel of the double: addresses of the device have to be made readable. */
static void work_kernel(void *args)
{
	struct work *w = args;

	w->a = cudart_double_readable(w->a);
	w->b = w->b ? cudart_double_readable(w->b) : NULL;
	w->c = w->c ? cudart_double_readable(w->c) : NULL;
	w->body(w);
}

static int work_cuda(struct xy_call *call, void (*body)(const struct work *work))
{
	struct work w = work_of(call, body);

	return xy_cuda_check(call, cudart_double_launch(xy_cuda_stream(call), work_kernel, &w, sizeof w));
}

static int work_cpu(struct xy_call *call, void (*body)(const struct work *work))
{
	struct work w = work_of(call, body);

	body(&w);
	return 0;
}

#define CODELET(what, ...) \
	static int what##_cpu(struct xy_call *call) \
	{ \
		return work_cpu(call, work_##what); \
	} \
	static int what##_cuda(struct xy_call *call) \
	{ \
		return work_cuda(call, work_##what); \
	} \
	static int what##_opencl(struct xy_call *call) \
	{ \
		return bed_opencl(call, #what); \
	} \
	const struct xy_codelet bed_##what = { \
		.name = #what, \
		.cpu = { what##_cpu }, \
		.cuda = { what##_cuda }, \
		.opencl = { what##_opencl }, \
		.modes = { __VA_ARGS__ }, \
	}

CODELET(set, XY_W);
CODELET(add, XY_RW);
CODELET(axpy, XY_R, XY_RW);
CODELET(copy, XY_R, XY_W);
CODELET(scratch, XY_SCRATCH, XY_RW);
CODELET(bump, XY_RW | XY_COMMUTE);
CODELET(sum, XY_R, XY_R, XY_RW);
CODELET(zero, XY_W);
CODELET(join, XY_RW, XY_R);
CODELET(more, XY_REDUX);
CODELET(collect, XY_REDUX, XY_R);

/* --- the runtime --- */

void bed_guard(void)
{
	setenv("POCL_DEVICES", "pthread pthread", 1);
	setenv("POCL_CACHE_DIR", "tests/pocl-cache", 0);
	setenv("CUDART_DOUBLE_DEVICES", "2", 1);
	helper_guard();
}

struct helper *bed_start(unsigned ncpu, const struct xy_config *config, bool opencl)
{
	struct xy_config c = config ? *config : (struct xy_config){ 0 };

	cudart_double_reset();
	c.ncpu = ncpu;
	c.bind = XY_NO;
	c.arch[XY_CUDA].devices = c.arch[XY_CUDA].devices ? c.arch[XY_CUDA].devices : "0,1";
	c.arch[XY_OPENCL].devices = opencl ? "0,1" : "none";
	return helper_start_with(&c);
}

int bed_stop(struct helper *h, unsigned lines)
{
	struct cudart_double_live live;
	int status = helper_stop_lines(h, lines);

	cudart_double_live(&live);
	assert_int_equal(live.device_bytes, 0);
	assert_int_equal(live.host_bytes, 0);
	assert_int_equal(live.streams, 0);
	assert_int_equal(live.events, 0);
	assert_int_equal(live.pools, 0);
	return status;
}

static int find(struct helper *h, enum xy_arch arch, unsigned index)
{
	const struct xy_machine *machine = xy_runtime_machine(h->rt);

	for (unsigned i = 0; i < xy_machine_nworkers(machine); i++)
		if (xy_machine_worker(machine, i)->arch == arch && index-- == 0)
			return (int)i;
	return -1;
}

unsigned bed_worker(struct helper *h, enum xy_arch arch, unsigned index)
{
	int worker = find(h, arch, index);

	assert_true(worker >= 0);
	return (unsigned)worker;
}

unsigned bed_node(struct helper *h, enum xy_arch arch, unsigned index)
{
	return xy_machine_worker(xy_runtime_machine(h->rt), bed_worker(h, arch, index))->node;
}

struct xy_node_stats bed_stats(struct helper *h, unsigned node)
{
	struct xy_node_stats stats;

	assert_int_equal(xy_node_stats(h->rt, node, &stats), 0);
	return stats;
}

bool bed_has_opencl(void)
{
	struct xy_config c = {
		.ncpu = 1, .arch[XY_OPENCL].devices = "0,1", .arch[XY_CUDA].devices = "none", .bind = XY_NO
	};
	struct helper *h;
	int error;
	bool has;

	h = helper_try(&c, &error);
	has = !error;
	helper_stop_lines(h, has ? 0 : 1);
	return has;
}

/* --- tasks and data --- */

static void submit(struct helper *h, const unsigned *worker, const struct xy_codelet *codelet, uint32_t k,
		   struct xy_handle *const handles[3])
{
	struct bed_arg arg = { k };

	helper_submit(h, &(struct xy_task_desc){ .codelet = codelet,
						 .handles = { handles[0], handles[1], handles[2] },
						 .arg = &arg,
						 .arg_size = sizeof arg,
						 .workers = worker,
						 .nworkers = worker ? 1 : 0 });
}

void bed_submit(struct helper *h, const struct xy_codelet *codelet, uint32_t k, struct xy_handle *a,
		struct xy_handle *b, struct xy_handle *c)
{
	submit(h, NULL, codelet, k, (struct xy_handle *const[]){ a, b, c });
}

void bed_submit_on(struct helper *h, unsigned worker, const struct xy_codelet *codelet, uint32_t k, struct xy_handle *a,
		   struct xy_handle *b, struct xy_handle *c)
{
	submit(h, &worker, codelet, k, (struct xy_handle *const[]){ a, b, c });
}

struct xy_handle *bed_vector(struct helper *h, uint32_t *ptr, size_t n)
{
	struct xy_handle *v;

	assert_int_equal(xy_vector_register(h->rt, &v, ptr, n, sizeof(uint32_t)), 0);
	return v;
}

void bed_unregister(struct helper *h, struct xy_handle **v)
{
	(void)h;
	assert_int_equal(xy_unregister(v), 0);
	assert_null(*v);
}
