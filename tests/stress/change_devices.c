/* SPDX-License-Identifier: MIT */
/*
 * Policies, workers and contexts change while devices have tasks and copies in flight: CUDA devices of the test double,
 * OpenCL devices of PoCL, and those of the simulator. Each task changes its data so that the result is right only if
 * all ran once, in the order of their submission. Prints its seeds; with one as its argument it runs that alone.
 */
#include "../core/data/bed.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../double/cudart_double.h"

enum { VECTORS = 6, N = 50, CHANGES = 25, MOST_WAITING = 100, MOST_TASKS = 20000, MOST_WORKERS = 16 };

static const char *const policies[] = {
	"tree-eager",
	"tree-prio-prefetching",
	"tree-ws",
	"tree-dmdas",
	"tree-cambium",
	"tree-random-prefetching",
	"tree-heteroprio",
	"tree-heft2",
	"fifo | eager | each node { fifo(ntasks=4) | eager | each worker { best-implementation } }",
};

/* Locking key: (c) constant, (a) atomic, (l) lock. */
struct scene {
	struct helper *h;                       /* (c) */
	struct xy_handle *handles[VECTORS];     /* (c) */
	uint32_t memory[VECTORS][N];            /* the runtime's */
	uint32_t model[VECTORS][N];             /* the submitter's */
	unsigned long submitted[VECTORS];       /* the submitter's: tasks that write each */
	_Atomic unsigned long written[VECTORS]; /* (a) how many of them have ended */
	_Atomic unsigned long ended, failed;    /* (a) tasks */
	_Atomic unsigned long disordered; /* (a) in virtual time: tasks that ended before one that they depend on */
	_Atomic bool over;                /* (a) */
	pthread_mutex_t lock;             /* held while tasks are submitted to the context, or it is destroyed */
	struct xy_context *context;       /* (l), the changer writes; or NULL */
	uint64_t seed;                    /* (c) */
	unsigned nworkers;                /* (c) */
};

/* --- tasks --- */

/* The n-th task that writes a vector. */
struct errand {
	struct scene *scene;
	unsigned vector;
	unsigned long n;
};

static void count(void *arg, int status)
{
	struct errand *errand = arg;
	struct scene *scene = errand->scene;

	if (atomic_fetch_add(&scene->written[errand->vector], 1) != errand->n)
		atomic_fetch_add(&scene->disordered, 1);
	free(errand);
	atomic_fetch_add(&scene->failed, status != 0);
	atomic_fetch_add(&scene->ended, 1);
}

static void model_add(uint32_t *y, uint32_t k)
{
	for (unsigned i = 0; i < N; i++)
		y[i] = 3 * y[i] + k;
}

static void model_axpy(const uint32_t *x, uint32_t *y, uint32_t k)
{
	for (unsigned i = 0; i < N; i++)
		y[i] = 3 * y[i] + k * x[i];
}

static void submit_one(struct scene *scene, uint64_t *random)
{
	unsigned x = helper_below(random, VECTORS), y = helper_below(random, VECTORS);
	unsigned worker = helper_below(random, scene->nworkers);
	struct bed_arg arg = { 1 + helper_below(random, 1000) };
	struct errand *errand = malloc(sizeof *errand);
	struct xy_task_desc desc = {
		.codelet = x == y ? &bed_add : &bed_axpy,
		.handles = { scene->handles[x], x == y ? NULL : scene->handles[y] },
		.arg = &arg,
		.arg_size = sizeof arg,
		.priority = (int)helper_below(random, 4),
		.workers = &worker,
		.nworkers = helper_below(random, 10) == 0,
		.callback = count,
		.callback_arg = errand,
		.length_us = 1 + helper_below(random, 40),
	};

	assert_non_null(errand);
	*errand = (struct errand){ scene, y, scene->submitted[y]++ };
	if (x == y)
		model_add(scene->model[x], arg.k);
	else
		model_axpy(scene->model[x], scene->model[y], arg.k);
	pthread_mutex_lock(&scene->lock);
	desc.context = helper_below(random, 2) ? scene->context : NULL;
	assert_int_equal(xy_submit(scene->h->rt, &desc), 0);
	pthread_mutex_unlock(&scene->lock);
}

/* --- changes --- */

/* A context comes, or goes. */
static int change_context(struct scene *scene, const unsigned *workers, unsigned n, const char *policy)
{
	const struct xy_context_desc desc = { .policy = policy, .workers = workers, .nworkers = n };
	struct xy_context *context = scene->context;
	int error = context ? 0 : xy_context_create(scene->h->rt, &desc, &context);

	if (error)
		return error;
	pthread_mutex_lock(&scene->lock);
	scene->context = scene->context ? NULL : context;
	pthread_mutex_unlock(&scene->lock);
	return scene->context ? 0 : xy_context_destroy(&context);
}

static int change_one(struct scene *scene, uint64_t *random)
{
	const char *policy = policies[helper_below(random, HELPER_COUNT(policies))];
	unsigned workers[MOST_WORKERS], n = 0;

	for (unsigned i = 0; i < scene->nworkers; i++)
		if (helper_below(random, 2))
			workers[n++] = i;
	switch (helper_below(random, 6)) {
	case 0:
		return xy_worker_remove(scene->h->rt, helper_below(random, scene->nworkers));
	case 1:
		return xy_worker_add(scene->h->rt, helper_below(random, scene->nworkers));
	case 2:
		return xy_set_workers(scene->h->rt, workers, n);
	case 3:
		return change_context(scene, workers, n, policy);
	default:
		return xy_set_policy(scene->h->rt, policy);
	}
}

/* All workers are in the main context again. */
static int change_back(struct scene *scene)
{
	unsigned workers[MOST_WORKERS];
	int error = scene->context ? change_context(scene, NULL, 0, NULL) : 0;

	for (unsigned i = 0; i < scene->nworkers; i++)
		workers[i] = i;
	return error ? error : xy_set_workers(scene->h->rt, workers, scene->nworkers);
}

static void *change_all(void *arg)
{
	struct scene *scene = arg;
	uint64_t random = scene->seed * 7919;

	for (unsigned i = 0; i < helper_scale(CHANGES); i++) {
		int error = change_one(scene, &random);

		if (error) {
			fprintf(stderr, "seed %llu: change %u: %d\n", (unsigned long long)scene->seed, i, error);
			abort();
		}
		for (unsigned k = helper_below(&random, 400); k; k--)
			sched_yield();
	}
	if (change_back(scene))
		abort();
	atomic_store(&scene->over, true);
	return NULL;
}

/* --- runs --- */

static struct scene *scene_create(struct helper *h, uint64_t seed)
{
	struct scene *scene = calloc(1, sizeof *scene);

	assert_non_null(scene);
	printf("# seed %llu\n", (unsigned long long)seed);
	scene->seed = seed;
	scene->h = h;
	scene->nworkers = xy_machine_nworkers(xy_runtime_machine(h->rt));
	assert_true(scene->nworkers <= MOST_WORKERS);
	pthread_mutex_init(&scene->lock, NULL);
	for (unsigned v = 0; v < VECTORS; v++) {
		for (unsigned i = 0; i < N; i++)
			scene->memory[v][i] = scene->model[v][i] = 100 * v + i;
		scene->handles[v] = bed_vector(h, scene->memory[v], N);
	}
	return scene;
}

static void scene_end(struct scene *scene, unsigned long total)
{
	assert_int_equal(helper_wait(scene->h), 0);
	assert_int_equal(scene->ended, total);
	assert_int_equal(scene->failed, 0);
	for (unsigned v = 0; v < VECTORS; v++)
		bed_unregister(scene->h, &scene->handles[v]);
}

static void scene_free(struct scene *scene)
{
	pthread_mutex_destroy(&scene->lock);
	free(scene);
}

static void run_with_changes(uint64_t seed)
{
	const struct xy_config config = {
		.sched = policies[seed % HELPER_COUNT(policies)],
		.arch[XY_CUDA].workers = 1 + seed % 2,
		.arch[XY_CUDA].ahead = seed % 3 ? 0 : 3,
		.arch[XY_CUDA].limit = seed % 2 ? "700" : NULL, /* three vectors */
		.seed = seed,
	};
	struct helper *h = bed_start(2, &config, bed_has_opencl());
	struct scene *scene = scene_create(h, seed);
	uint64_t random = seed;
	pthread_t thread;
	unsigned long total = 0;

	helper_forget(h);
	cudart_double_set_delays(0.02, 30);
	assert_int_equal(pthread_create(&thread, NULL, change_all, scene), 0);
	while (!atomic_load(&scene->over) && total < MOST_TASKS) {
		if (total - atomic_load(&scene->ended) < MOST_WAITING) {
			submit_one(scene, &random);
			total++;
		} else {
			sched_yield();
		}
	}
	pthread_join(thread, NULL);
	scene_end(scene, total);
	assert_memory_equal(scene->memory, scene->model, sizeof scene->model);
	assert_int_equal(bed_stop(h, HELPER_ANY_LINES), 0);
	scene_free(scene);
}

static void loses_nothing_while_devices_have_tasks_in_flight(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++)
		run_with_changes(seed);
}

/* No kernel runs there: all tasks end once and in order, and a run can be repeated. */
static double simulate_with_changes(uint64_t seed)
{
	struct helper *h = helper_start_with(&(struct xy_config){
		.sim = "cpu:3 cuda:2", .sched = policies[seed % HELPER_COUNT(policies)], .seed = seed });
	struct scene *scene = scene_create(h, seed);
	uint64_t random = seed;
	unsigned long total = 0;
	double now_s;

	for (unsigned i = 0; i < CHANGES; i++) {
		for (unsigned n = helper_below(&random, MOST_WAITING); n; n--, total++)
			submit_one(scene, &random);
		xy_wait_for(h->rt, 1e-6 * helper_below(&random, 300));
		assert_int_equal(change_one(scene, &random), 0);
	}
	assert_int_equal(change_back(scene), 0);
	scene_end(scene, total);
	assert_int_equal(scene->disordered, 0);
	now_s = xy_now(h->rt);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
	scene_free(scene);
	return now_s;
}

static void loses_nothing_in_virtual_time_and_can_be_repeated(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++)
		assert_true(simulate_with_changes(seed) == simulate_with_changes(seed));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loses_nothing_while_devices_have_tasks_in_flight),
		cmocka_unit_test(loses_nothing_in_virtual_time_and_can_be_repeated),
	};

	bed_guard();
	if (argc > 1) {
		run_with_changes(strtoull(argv[1], NULL, 10));
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
