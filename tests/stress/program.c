/* SPDX-License-Identifier: MIT */
/* Random programs and their model; see program.h. */
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t sizes[PROGRAM_SIZES] = { 17, 256, PROGRAM_MOST_NUMBERS };

unsigned program_below(struct program *p, unsigned n)
{
	return helper_below(&p->random, n);
}

static bool is_well(struct program *p)
{
	bool well;

	pthread_mutex_lock(&p->lock);
	well = !p->why[0];
	pthread_mutex_unlock(&p->lock);
	return well;
}

void program_check(struct program *p, bool right, const char *format, ...)
{
	va_list arguments;

	if (right)
		return;
	pthread_mutex_lock(&p->lock);
	if (!p->why[0]) {
		int n = snprintf(p->why, sizeof p->why, "step %u, %s: ", p->nsteps, p->step);

		va_start(arguments, format);
		vsnprintf(p->why + n, sizeof p->why - (size_t)n, format, arguments);
		va_end(arguments);
	}
	pthread_mutex_unlock(&p->lock);
}

/* What a call returned. Where calls may fail, those that did have done nothing. */
void program_expect(struct program *p, int error, const char *call)
{
	program_check(p, !error || p->faulty, "%s returned %d", call, error);
}

static void check_content(struct program *p, const struct program_data *d, const uint32_t *found,
			  const uint32_t *expected)
{
	if (xy_is_simulated(p->rt)) /* nothing was computed */
		return;
	for (size_t i = 0; i < d->n; i++)
		if (found[i] != expected[i]) {
			program_check(p, false, "data %u, element %zu of %zu is %u instead of %u", d->id, i, d->n,
				      found[i], expected[i]);
			return;
		}
}

/* --- data --- */

struct program_data *program_any_data(struct program *p)
{
	return &p->data[program_below(p, PROGRAM_DATA)];
}

/* Of the same size. */
struct program_data *program_any_like(struct program *p, const struct program_data *d)
{
	unsigned size = d->id % PROGRAM_SIZES;

	return &p->data[program_below(p, PROGRAM_DATA / PROGRAM_SIZES) * PROGRAM_SIZES + size];
}

unsigned program_any_node(struct program *p)
{
	return program_below(p, xy_machine_nnodes(xy_runtime_machine(p->rt)));
}

static void data_register(struct program *p, struct program_data *d)
{
	int error;

	d->memory = program_below(p, 2) ? malloc(d->n * sizeof *d->memory) : NULL;
	for (size_t i = 0; i < d->n; i++) {
		d->model[i] = d->memory ? program_below(p, 1000) : 0;
		if (d->memory)
			d->memory[i] = d->model[i];
	}
	error = xy_vector_register(p->rt, &d->handle, d->memory, d->n, sizeof *d->model);
	program_expect(p, error, "xy_vector_register");
	xy_handle_set_name(d->handle, "data");
	error = xy_handle_set_reduction(d->handle, &bed_zero, &bed_join);
	program_expect(p, error, "xy_handle_set_reduction");
}

static void data_unregister(struct program *p, struct program_data *d)
{
	int error = d->plan ? xy_plan_destroy(&d->plan) : 0;

	program_expect(p, error, "xy_plan_destroy");
	error = d->handle ? xy_unregister(&d->handle) : 0;
	program_expect(p, error, "xy_unregister");
	if (d->memory && !error)
		check_content(p, d, d->memory, d->model);
	free(d->memory);
	d->memory = NULL;
}

/* --- tasks --- */

static void model_run(const struct xy_codelet *codelet, uint32_t k, uint32_t *a, uint32_t *b, uint32_t *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (codelet == &bed_set)
			a[i] = k + (uint32_t)i;
		else if (codelet == &bed_add)
			a[i] = 3 * a[i] + k;
		else if (codelet == &bed_bump || codelet == &bed_more)
			a[i] = a[i] + k;
		else if (codelet == &bed_collect)
			a[i] = a[i] + k * b[i];
		else if (codelet == &bed_axpy)
			b[i] = 3 * b[i] + k * a[i];
		else if (codelet == &bed_copy)
			b[i] = a[i] + k;
		else if (codelet == &bed_scratch)
			b[i] = 3 * b[i] + k;
		else
			c[i] = c[i] + a[i] + k * b[i];
}

void program_submit(struct program *p, const struct xy_codelet *codelet, struct program_data *const d[3],
		    enum xy_mode last)
{
	struct bed_arg arg = { program_below(p, 1000) };
	unsigned nworkers = xy_machine_nworkers(xy_runtime_machine(p->rt));
	unsigned workers[2] = { program_below(p, nworkers), program_below(p, nworkers) };
	struct xy_access accesses[4] = { 0 };
	struct xy_task_desc desc = { .codelet = codelet,
				     .accesses = accesses,
				     .arg = &arg,
				     .arg_size = sizeof arg,
				     .priority = (int)program_below(p, 5),
				     .workers = workers,
				     .nworkers = program_below(p, 3) };
	unsigned n = 0;
	int error;

	p->step = codelet->name;
	for (; n < 3 && codelet->modes[n]; n++)
		accesses[n] = (struct xy_access){ d[n]->handle, codelet->modes[n] };
	accesses[n - 1].mode |= last;
	model_run(codelet, arg.k, d[0]->model, d[1]->model, d[2]->model, d[0]->n);
	error = xy_submit(p->rt, &desc);
	if (error == -ENODEV && p->faulty) { /* all that it was to run on is lost, but the CPUs are not */
		desc.nworkers = 0;
		error = xy_submit(p->rt, &desc);
	}
	program_check(p, !error, "xy_submit returned %d", error);
}

/* Any codelet on any data, some of it twice. */
static void step_task(struct program *p)
{
	static const struct xy_codelet *const codelets[] = { &bed_set,  &bed_add,     &bed_axpy,
							     &bed_copy, &bed_scratch, &bed_sum };
	struct program_data *a = program_any_data(p), *d[3] = { a, program_any_like(p, a), program_any_like(p, a) };

	program_submit(p, codelets[program_below(p, HELPER_COUNT(codelets))], d, 0);
}

/* Several tasks that add to one handle. */
static void step_commute(struct program *p)
{
	struct program_data *sum = program_any_data(p);

	for (unsigned n = 2 + program_below(p, 4); n; n--) {
		struct program_data *d[3] = { program_any_like(p, sum), program_any_like(p, sum), sum };

		if (program_below(p, 2))
			program_submit(p, &bed_sum, d, XY_COMMUTE);
		else
			program_submit(p, &bed_bump, (struct program_data *const[]){ sum, sum, sum }, 0);
	}
}

/* Several tasks that add to one handle by reduction, each to its worker's private copy. */
static void step_redux(struct program *p)
{
	struct program_data *sum = program_any_data(p), *d[3] = { sum, sum, sum };

	for (unsigned n = 2 + program_below(p, 6); n; n--) {
		do
			d[1] = program_any_like(p, sum);
		while (d[1] == sum);
		program_submit(p, program_below(p, 2) ? &bed_more : &bed_collect, d, 0);
	}
}

/* Long enough a chain to be moved about. */
static void step_chain(struct program *p)
{
	struct program_data *d = program_any_data(p);

	for (unsigned n = 2 + program_below(p, 6); n; n--)
		program_submit(p, &bed_add, (struct program_data *const[]){ d, d, d }, 0);
}

/* --- the application --- */

/* What the application does with data that it holds. */
static void use(struct program *p, const struct program_data *d, enum xy_mode mode, uint32_t k, uint32_t *content,
		const uint32_t *expected)
{
	if (!content) {
		program_check(p, false, "data %u has no memory while it is held", d->id);
		return;
	}
	if (mode & XY_R)
		check_content(p, d, content, expected);
	for (size_t i = 0; (mode & XY_W) && i < d->n; i++)
		content[i] = (mode & XY_R ? 5 * content[i] : (uint32_t)i) + k;
}

static void model_use(struct program_data *d, enum xy_mode mode, uint32_t k)
{
	for (size_t i = 0; (mode & XY_W) && i < d->n; i++)
		d->model[i] = (mode & XY_R ? 5 * d->model[i] : (uint32_t)i) + k;
}

enum xy_mode program_any_mode(struct program *p)
{
	static const enum xy_mode modes[] = { XY_R, XY_R, XY_W, XY_RW };

	return modes[program_below(p, HELPER_COUNT(modes))];
}

void program_acquire(struct program *p, struct program_data *d, enum xy_mode mode)
{
	uint32_t k = program_below(p, 1000);
	int error = xy_acquire(d->handle, mode);

	program_expect(p, error, "xy_acquire");
	if (error)
		return;
	use(p, d, mode, k, xy_handle_pointer(d->handle), d->model);
	model_use(d, mode, k);
	error = xy_release(d->handle);
	program_expect(p, error, "xy_release");
}

static void step_acquire(struct program *p)
{
	struct program_data *d = program_any_data(p);

	program_acquire(p, d, program_any_mode(p));
}

/* Carries the content from one to another as bytes. */
static void step_pack(struct program *p)
{
	struct program_data *from = program_any_data(p), *to = program_any_like(p, from);
	size_t size = from->n * sizeof *from->model;
	uint32_t *bytes = malloc(size);
	int error = xy_acquire(from->handle, XY_R);

	program_expect(p, error, "xy_acquire to pack");
	if (!error) {
		error = xy_pack(from->handle, bytes, size);
		program_check(p, !error, "xy_pack returned %d", error);
		check_content(p, from, bytes, from->model);
		xy_release(from->handle);
		error = xy_acquire(to->handle, XY_W);
		program_expect(p, error, "xy_acquire to unpack");
	}
	if (!error) {
		error = xy_unpack(to->handle, bytes, size);
		program_check(p, !error, "xy_unpack returned %d", error);
		memmove(to->model, from->model, size);
		xy_release(to->handle);
	}
	free(bytes);
}

/* An acquire that has a callback. The data may be registered anew by the time the model is looked at. */
struct later {
	struct program *program;
	const struct program_data *data;
	struct xy_handle *handle;
	enum xy_mode mode;
	uint32_t k;
	uint32_t expected[PROGRAM_MOST_NUMBERS];
};

static void later_called(void *arg, int status)
{
	struct later *later = arg;
	struct program *p = later->program;

	program_check(p, !status || p->faulty, "a callback was told %d", status);
	if (!status) {
		use(p, later->data, later->mode, later->k, xy_handle_pointer(later->handle), later->expected);
		program_check(p, !xy_release(later->handle), "xy_release in a callback failed");
	}
	free(later);
	atomic_fetch_sub(&p->callbacks, 1);
}

static void step_acquire_callback(struct program *p)
{
	struct program_data *d = program_any_data(p);
	struct later *later = malloc(sizeof *later);
	int error;

	later->program = p;
	later->data = d;
	later->handle = d->handle;
	later->mode = program_any_mode(p);
	if (p->faulty && later->mode == XY_RW) /* may come to nothing when the model has it already */
		later->mode = XY_R;
	later->k = program_below(p, 1000);
	memcpy(later->expected, d->model, d->n * sizeof *d->model);
	model_use(d, later->mode, later->k);
	atomic_fetch_add(&p->callbacks, 1);
	error = xy_acquire_callback(d->handle, later->mode, later_called, later);
	program_expect(p, error, "xy_acquire_callback");
	if (error) {
		atomic_fetch_sub(&p->callbacks, 1);
		free(later);
	}
}

static void step_register_again(struct program *p)
{
	struct program_data *d = program_any_data(p);

	data_unregister(p, d);
	if (is_well(p))
		data_register(p, d);
}

static void step_wait(struct program *p)
{
	int error = xy_wait_for(p->rt, 30);

	program_check(p, !error || (p->faulty && error != -ETIMEDOUT), "xy_wait returned %d: %s", error,
		      xy_error(p->rt));
}

/* --- hints --- */

static void step_prefetch(struct program *p)
{
	struct program_data *d = program_any_data(p);
	int error = xy_prefetch(d->handle, program_any_node(p));

	program_expect(p, error, "xy_prefetch");
}

static void step_fetch(struct program *p)
{
	struct program_data *d = program_any_data(p);
	int error = xy_fetch(d->handle, program_any_node(p));

	program_expect(p, error, "xy_fetch");
}

static void step_evict(struct program *p)
{
	struct program_data *d = program_any_data(p);
	unsigned node = program_any_node(p);
	int error = node ? xy_evict(d->handle, node) : 0;

	program_expect(p, error, "xy_evict");
}

/* Whoever comes next writes it. */
static void step_invalidate(struct program *p)
{
	struct program_data *d = program_any_data(p), *from = program_any_like(p, d);
	int error = xy_invalidate(d->handle);

	program_expect(p, error, "xy_invalidate");
	if (program_below(p, 2))
		step_evict(p);
	if (program_below(p, 2) && from != d)
		program_submit(p, &bed_copy, (struct program_data *const[]){ from, d, d }, 0);
	else
		program_submit(p, &bed_set, (struct program_data *const[]){ d, d, d }, 0);
}

static void step_advise(struct program *p)
{
	static const enum xy_advice advices[] = { XY_ADVICE_NORMAL, XY_ADVICE_KEEP, XY_ADVICE_WONT_USE };
	struct program_data *d = program_any_data(p);
	int error = xy_advise(d->handle, advices[program_below(p, HELPER_COUNT(advices))]);

	program_expect(p, error, "xy_advise");
}

static void step_write_through(struct program *p)
{
	struct program_data *d = program_any_data(p);
	unsigned nnodes = xy_machine_nnodes(xy_runtime_machine(p->rt));
	int error = xy_handle_set_write_through(d->handle, program_below(p, 2) ? program_below(p, 1u << nnodes) : 0);

	program_expect(p, error, "xy_handle_set_write_through");
}

static void step_stats(struct program *p)
{
	unsigned node = program_any_node(p);
	struct xy_node_stats stats;
	int error = xy_node_stats(p->rt, node, &stats);

	program_expect(p, error, "xy_node_stats");
	program_check(p,
		      (!stats.lost || p->faulty) && (!stats.limit_bytes || (stats.used_bytes <= stats.limit_bytes &&
									    stats.most_bytes <= stats.limit_bytes)),
		      "node %u has %zu bytes and had %zu of %zu, lost %d", node, stats.used_bytes, stats.most_bytes,
		      stats.limit_bytes, stats.lost);
}

/* --- programs --- */

static const struct step {
	const char *name;
	void (*run)(struct program *p);
	unsigned weight;
} steps[] = {
	{ "a task", step_task, 60 },
	{ "tasks that commute", step_commute, 5 },
	{ "tasks that reduce", step_redux, 5 },
	{ "a chain", step_chain, 5 },
	{ "a partition", program_partition, 3 },
	{ "a plan", program_plan, 5 },
	{ "plans that share", program_share, 4 },
	{ "an acquire", step_acquire, 5 },
	{ "an acquire with a callback", step_acquire_callback, 5 },
	{ "packing", step_pack, 3 },
	{ "another registration", step_register_again, 3 },
	{ "a wait", step_wait, 1 },
	{ "a prefetch", step_prefetch, 6 },
	{ "a fetch", step_fetch, 2 },
	{ "an eviction", step_evict, 6 },
	{ "an invalidation", step_invalidate, 3 },
	{ "an advice", step_advise, 5 },
	{ "a mask", step_write_through, 4 },
	{ "a look at the memory", step_stats, 4 },
};

static void any_step(struct program *p)
{
	unsigned sum = 0, at;

	for (unsigned i = 0; i < HELPER_COUNT(steps); i++)
		sum += steps[i].weight;
	at = program_below(p, sum);
	for (unsigned i = 0; i < HELPER_COUNT(steps); i++) {
		if (at < steps[i].weight) {
			p->step = steps[i].name;
			steps[i].run(p);
			return;
		}
		at -= steps[i].weight;
	}
}

void program_init(struct program *p, struct xy_runtime *rt, uint64_t seed)
{
	memset(p, 0, sizeof *p);
	p->rt = rt;
	p->random = seed;
	p->step = "the beginning";
	pthread_mutex_init(&p->lock, NULL);
	for (unsigned i = 0; i < PROGRAM_DATA; i++) {
		p->data[i].id = i;
		p->data[i].n = sizes[i % PROGRAM_SIZES];
		p->data[i].model = malloc(p->data[i].n * sizeof(uint32_t));
		data_register(p, &p->data[i]);
	}
}

void program_run(struct program *p, unsigned nsteps)
{
	for (; p->nsteps < nsteps && is_well(p); p->nsteps++)
		any_step(p);
	p->step = "the end";
	for (unsigned i = 0; i < PROGRAM_DATA; i++) {
		struct program_data *d = &p->data[i];
		int error = d->memory || !d->handle ? 0 : xy_acquire(d->handle, XY_R);

		program_expect(p, error, "xy_acquire");
		if (!d->memory && d->handle && !error) {
			check_content(p, d, xy_handle_pointer(d->handle), d->model);
			xy_release(d->handle);
		}
		data_unregister(p, d);
	}
	program_check(p, !atomic_load(&p->callbacks), "%d callbacks were not called", atomic_load(&p->callbacks));
}

bool program_fini(struct program *p)
{
	for (unsigned i = 0; i < PROGRAM_DATA; i++)
		free(p->data[i].model);
	pthread_mutex_destroy(&p->lock);
	if (p->why[0])
		print_error("%s\n", p->why);
	return !p->why[0];
}
