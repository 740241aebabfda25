/* SPDX-License-Identifier: MIT */
/*
 * Parallel regions and what their threads share: barriers, single, master, critical, loops and sections.
 */
#include "omp.h"

static _Thread_local struct omp_thread *current;
static struct omp_region initial_region;
static struct omp_task initial_task;
static struct omp_thread initial_thread;
static bool started;

struct omp_thread *xs_omp_thread(void)
{
	return current ? current : &initial_thread;
}

void xs_omp_bind(struct omp_thread *thread)
{
	current = thread;
}

void xs_omp_region_init(struct omp_region *region, struct omp_thread *master, unsigned nthreads)
{
	*region = (struct omp_region){ .master = master, .nthreads = nthreads };
	pthread_mutex_init(&region->lock, NULL);
	pthread_cond_init(&region->cond, NULL);
	region->ready_end = &region->ready;
	if (master) {
		region->level = master->region->level + 1;
		region->active_level = master->region->active_level + (nthreads > 1);
	}
}

void xs_omp_region_fini(struct omp_region *region)
{
	pthread_cond_destroy(&region->cond);
	pthread_mutex_destroy(&region->lock);
}

int starpu_omp_init(void)
{
	int error = starpu_init(NULL);

	if (error)
		return error;
	if (!started) {
		initial_thread = (struct omp_thread){ .region = &initial_region, .task = &initial_task };
		xs_omp_region_init(&initial_region, NULL, 1);
		started = true;
	}
	return xs_omp_api_init();
}

void starpu_omp_shutdown(void)
{
	if (!started) {
		xs_fail(-EINVAL, "starpu_omp_shutdown without starpu_omp_init");
		return;
	}
	starpu_omp_taskwait();
	started = false;
	starpu_shutdown();
}

/* --- barriers --- */

static bool barrier_is_full(const struct omp_region *region)
{
	return region->arrived == region->nthreads && !region->pending;
}

static void barrier_open(struct omp_region *region)
{
	region->arrived = 0;
	region->barriers++;
	pthread_cond_broadcast(&region->cond);
}

void starpu_omp_barrier(void)
{
	struct omp_thread *thread = xs_omp_thread();
	struct omp_region *region = thread->region;
	unsigned mine;

	pthread_mutex_lock(&region->lock);
	mine = region->barriers;
	region->arrived++;
	while (region->barriers == mine)
		if (barrier_is_full(region))
			barrier_open(region);
		else if (!xs_omp_run_one(thread))
			pthread_cond_wait(&region->cond, &region->lock);
	pthread_mutex_unlock(&region->lock);
}

/* --- regions --- */

struct member {
	pthread_t id;
	struct omp_thread thread;
	struct omp_task task;
	const struct starpu_omp_parallel_region_attr *attr;
	bool there;
};

static void member_run(struct member *m)
{
	unsigned n = m->attr->cl.nbuffers > 0 ? (unsigned)m->attr->cl.nbuffers : 0;
	void *buffers[n + 1];
	struct omp_thread *outer = current;
	struct xs_thread outer_thread = xs_thread;

	for (unsigned i = 0; i < n; i++)
		buffers[i] = xs_view(m->attr->handles[i]);
	xs_omp_bind(&m->thread);
	xs_thread = (struct xs_thread){ NULL, NULL, (int)m->thread.number, xs_global.generation, 0 };
	m->attr->cl.cpu_funcs[0](buffers, m->attr->cl_arg);
	starpu_omp_barrier();
	xs_thread = outer_thread;
	xs_omp_bind(outer);
}

/* Begins when the team is complete. */
static void *member_main(void *arg)
{
	struct member *m = arg;

	pthread_mutex_lock(&m->thread.region->lock);
	pthread_mutex_unlock(&m->thread.region->lock);
	member_run(m);
	return NULL;
}

void starpu_omp_parallel_region(const struct starpu_omp_parallel_region_attr *attr)
{
	struct omp_thread *master = xs_omp_thread();
	unsigned n = attr->if_clause ? xs_omp_team_size(master, attr->num_threads) : 1;
	struct member *members = calloc(n, sizeof *members);
	struct omp_region region;

	if (!members || !attr->cl.cpu_funcs[0]) {
		xs_fail(members ? -EINVAL : -ENOMEM, "starpu_omp_parallel_region: %s",
			members ? "the codelet has no function for CPUs" : "no memory");
		free(members);
		return;
	}
	xs_omp_region_init(&region, master, n);
	for (unsigned i = 0; i < n; i++) {
		members[i].attr = attr;
		members[i].task.final = master->task->final;
		members[i].thread = (struct omp_thread){ .region = &region, .number = i, .task = &members[i].task };
	}
	/* A thread that can't be started is missing at the barriers, too. */
	pthread_mutex_lock(&region.lock);
	for (unsigned i = 1; i < n; i++)
		members[i].there = !pthread_create(&members[i].id, NULL, member_main, &members[i]);
	for (unsigned i = 1; i < n; i++)
		region.nthreads -= !members[i].there;
	pthread_mutex_unlock(&region.lock);
	member_run(&members[0]);
	for (unsigned i = 1; i < n; i++)
		if (members[i].there)
			pthread_join(members[i].id, NULL);
	xs_omp_region_fini(&region);
	if (attr->cl_arg_free)
		free(attr->cl_arg);
	free(members);
}

/* --- one thread of the team --- */

int starpu_omp_master_inline(void)
{
	return xs_omp_thread()->number == 0;
}

void starpu_omp_master(void (*f)(void *arg), void *arg)
{
	if (starpu_omp_master_inline())
		f(arg);
}

int starpu_omp_single_inline(void)
{
	struct omp_thread *thread = xs_omp_thread();
	struct omp_region *region = thread->region;

	thread->singles++;
	pthread_mutex_lock(&region->lock);
	thread->executor = region->singles < thread->singles;
	if (thread->executor)
		region->singles++;
	pthread_mutex_unlock(&region->lock);
	return thread->executor;
}

void starpu_omp_single(void (*f)(void *arg), void *arg, int nowait)
{
	if (starpu_omp_single_inline())
		f(arg);
	if (!nowait)
		starpu_omp_barrier();
}

void *starpu_omp_single_copyprivate_inline_begin(void *data)
{
	struct omp_region *region = xs_omp_thread()->region;

	if (starpu_omp_single_inline()) {
		region->copied = data; /* the barrier orders it before the others' reads */
		return NULL;
	}
	starpu_omp_barrier();
	return region->copied;
}

void starpu_omp_single_copyprivate_inline_end(void)
{
	if (xs_omp_thread()->executor)
		starpu_omp_barrier();
	starpu_omp_barrier();
}

void starpu_omp_single_copyprivate(void (*f)(void *arg, void *data, unsigned long long data_size), void *arg,
				   void *data, unsigned long long data_size)
{
	void *from = starpu_omp_single_copyprivate_inline_begin(data);

	if (!from)
		f(arg, data, data_size);
	else
		memcpy(data, from, data_size);
	starpu_omp_single_copyprivate_inline_end();
}

/* --- critical sections, by name --- */

struct critical {
	struct critical *next;
	pthread_mutex_t lock;
	char name[];
};

static pthread_mutex_t critical_lock = PTHREAD_MUTEX_INITIALIZER, unnamed = PTHREAD_MUTEX_INITIALIZER,
		       atomic_lock = PTHREAD_MUTEX_INITIALIZER;
static struct critical *criticals;

static pthread_mutex_t *critical_of(const char *name)
{
	struct critical *c;

	if (!name)
		return &unnamed;
	pthread_mutex_lock(&critical_lock);
	for (c = criticals; c && strcmp(c->name, name); c = c->next)
		;
	if (!c && (c = malloc(sizeof *c + strlen(name) + 1))) {
		strcpy(c->name, name);
		pthread_mutex_init(&c->lock, NULL);
		c->next = criticals;
		criticals = c;
	}
	pthread_mutex_unlock(&critical_lock);
	return c ? &c->lock : &unnamed;
}

void starpu_omp_critical_inline_begin(const char *name)
{
	pthread_mutex_lock(critical_of(name));
}

void starpu_omp_critical_inline_end(const char *name)
{
	pthread_mutex_unlock(critical_of(name));
}

void starpu_omp_critical(void (*f)(void *arg), void *arg, const char *name)
{
	starpu_omp_critical_inline_begin(name);
	f(arg);
	starpu_omp_critical_inline_end(name);
}

void starpu_omp_atomic_fallback_inline_begin(void)
{
	pthread_mutex_lock(&atomic_lock);
}

void starpu_omp_atomic_fallback_inline_end(void)
{
	pthread_mutex_unlock(&atomic_lock);
}

/* --- loops --- */

/* With the lock held: the loop that this thread comes to now. */
static struct omp_loop *loop_enter(struct omp_thread *thread, unsigned long long iterations, unsigned long long chunk,
				   int schedule)
{
	struct omp_region *region = thread->region;
	unsigned long number = ++thread->loops;
	struct omp_loop *loop;

	for (loop = region->loops; loop && loop->number != number; loop = loop->next)
		;
	if (!loop && (loop = calloc(1, sizeof *loop))) {
		xs_omp_schedule(&schedule, &chunk);
		*loop = (struct omp_loop){ region->loops, number, iterations, chunk, 0, 0, region->nthreads, schedule };
		region->loops = loop;
	}
	return loop;
}

static void loop_leave(struct omp_thread *thread)
{
	struct omp_region *region = thread->region;
	struct omp_loop **at = &region->loops;

	if (--thread->loop->left) {
		thread->loop = NULL;
		return;
	}
	while (*at != thread->loop)
		at = &(*at)->next;
	*at = thread->loop->next;
	free(thread->loop);
	thread->loop = NULL;
}

/* One block for each thread, or chunks in turn. */
static bool loop_static(struct omp_thread *thread, const struct omp_loop *loop)
{
	unsigned long long n = thread->region->nthreads, least = loop->iterations / n, longer = loop->iterations % n;

	if (loop->chunk) {
		thread->first = (thread->static_next * n + thread->number) * loop->chunk;
		thread->count = loop->chunk;
	} else {
		thread->first = thread->number * least + (thread->number < longer ? thread->number : longer);
		thread->count = thread->static_next ? 0 : least + (thread->number < longer);
	}
	thread->static_next++;
	if (thread->first >= loop->iterations)
		return false;
	if (thread->count > loop->iterations - thread->first)
		thread->count = loop->iterations - thread->first;
	return thread->count > 0;
}

static bool loop_dynamic(struct omp_thread *thread, struct omp_loop *loop)
{
	unsigned long long left = loop->iterations - loop->taken, chunk = loop->chunk ? loop->chunk : 1;

	if (loop->schedule == starpu_omp_sched_guided && left / thread->region->nthreads > chunk)
		chunk = left / thread->region->nthreads;
	thread->first = loop->taken;
	thread->count = chunk < left ? chunk : left;
	loop->taken += thread->count;
	return thread->count > 0;
}

/* With the lock held: iterations of a chunk that called no ordered function have had their turn. */
static void loop_pass(struct omp_thread *thread, unsigned long long until)
{
	if (!thread->is_ordered)
		return;
	while (thread->loop->ordered < thread->ordered)
		pthread_cond_wait(&thread->region->cond, &thread->region->lock);
	if (thread->loop->ordered < until)
		thread->loop->ordered = until;
	pthread_cond_broadcast(&thread->region->cond);
}

/* With the lock held. */
static bool loop_next(struct omp_thread *thread)
{
	struct omp_loop *loop = thread->loop;
	bool is_static = loop->schedule != starpu_omp_sched_dynamic && loop->schedule != starpu_omp_sched_guided;
	bool more = is_static ? loop_static(thread, loop) : loop_dynamic(thread, loop);

	thread->ordered = thread->first;
	if (!more)
		loop_leave(thread);
	return more;
}

int starpu_omp_for_inline_first(unsigned long long nb_iterations, unsigned long long chunk, int schedule, int ordered,
				unsigned long long *_first_i, unsigned long long *_nb_i)
{
	struct omp_thread *thread = xs_omp_thread();
	bool more = false;

	pthread_mutex_lock(&thread->region->lock);
	thread->loop = loop_enter(thread, nb_iterations, chunk, schedule);
	thread->static_next = 0;
	thread->is_ordered = ordered != 0;
	if (thread->loop)
		more = loop_next(thread);
	pthread_mutex_unlock(&thread->region->lock);
	*_first_i = thread->first;
	*_nb_i = thread->count;
	return more;
}

int starpu_omp_for_inline_next(unsigned long long nb_iterations, unsigned long long chunk, int schedule, int ordered,
			       unsigned long long *_first_i, unsigned long long *_nb_i)
{
	struct omp_thread *thread = xs_omp_thread();
	bool more;

	(void)nb_iterations;
	(void)chunk;
	(void)schedule;
	(void)ordered;
	if (!thread->loop)
		return 0;
	pthread_mutex_lock(&thread->region->lock);
	loop_pass(thread, thread->first + thread->count);
	more = loop_next(thread);
	pthread_mutex_unlock(&thread->region->lock);
	*_first_i = thread->first;
	*_nb_i = thread->count;
	return more;
}

int starpu_omp_for_inline_first_alt(unsigned long long nb_iterations, unsigned long long chunk, int schedule,
				    int ordered, unsigned long long *_begin_i, unsigned long long *_end_i)
{
	int more = starpu_omp_for_inline_first(nb_iterations, chunk, schedule, ordered, _begin_i, _end_i);

	*_end_i += *_begin_i;
	return more;
}

int starpu_omp_for_inline_next_alt(unsigned long long nb_iterations, unsigned long long chunk, int schedule,
				   int ordered, unsigned long long *_begin_i, unsigned long long *_end_i)
{
	int more = starpu_omp_for_inline_next(nb_iterations, chunk, schedule, ordered, _begin_i, _end_i);

	*_end_i += *_begin_i;
	return more;
}

void starpu_omp_for(void (*f)(unsigned long long _first_i, unsigned long long _nb_i, void *arg), void *arg,
		    unsigned long long nb_iterations, unsigned long long chunk, int schedule, int ordered, int nowait)
{
	unsigned long long first, n;
	int more = starpu_omp_for_inline_first(nb_iterations, chunk, schedule, ordered, &first, &n);

	while (more) {
		f(first, n, arg);
		more = starpu_omp_for_inline_next(nb_iterations, chunk, schedule, ordered, &first, &n);
	}
	if (!nowait)
		starpu_omp_barrier();
}

void starpu_omp_for_alt(void (*f)(unsigned long long _begin_i, unsigned long long _end_i, void *arg), void *arg,
			unsigned long long nb_iterations, unsigned long long chunk, int schedule, int ordered,
			int nowait)
{
	unsigned long long begin, end;
	int more = starpu_omp_for_inline_first_alt(nb_iterations, chunk, schedule, ordered, &begin, &end);

	while (more) {
		f(begin, end, arg);
		more = starpu_omp_for_inline_next_alt(nb_iterations, chunk, schedule, ordered, &begin, &end);
	}
	if (!nowait)
		starpu_omp_barrier();
}

void starpu_omp_ordered_inline_begin(void)
{
	struct omp_thread *thread = xs_omp_thread();

	if (!thread->loop) {
		xs_fail(-EINVAL, "starpu_omp_ordered outside a loop");
		return;
	}
	pthread_mutex_lock(&thread->region->lock);
	while (thread->loop->ordered != thread->ordered)
		pthread_cond_wait(&thread->region->cond, &thread->region->lock);
	pthread_mutex_unlock(&thread->region->lock);
}

void starpu_omp_ordered_inline_end(void)
{
	struct omp_thread *thread = xs_omp_thread();

	if (!thread->loop)
		return;
	pthread_mutex_lock(&thread->region->lock);
	thread->loop->ordered = ++thread->ordered;
	pthread_cond_broadcast(&thread->region->cond);
	pthread_mutex_unlock(&thread->region->lock);
}

void starpu_omp_ordered(void (*f)(void *arg), void *arg)
{
	starpu_omp_ordered_inline_begin();
	f(arg);
	starpu_omp_ordered_inline_end();
}

/* --- sections --- */

struct sections {
	void (**functions)(void *arg);
	void **args;
	void (*combined)(unsigned long long section_num, void *arg);
	void *arg;
};

static void sections_run(unsigned long long first, unsigned long long n, void *arg)
{
	const struct sections *s = arg;

	for (unsigned long long i = first; i < first + n; i++)
		if (s->combined)
			s->combined(i, s->arg);
		else
			s->functions[i](s->args[i]);
}

void starpu_omp_sections(unsigned long long nb_sections, void (**section_f)(void *arg), void **section_arg, int nowait)
{
	struct sections s = { section_f, section_arg, NULL, NULL };

	starpu_omp_for(sections_run, &s, nb_sections, 1, starpu_omp_sched_dynamic, 0, nowait);
}

void starpu_omp_sections_combined(unsigned long long nb_sections,
				  void (*section_f)(unsigned long long section_num, void *arg), void *section_arg,
				  int nowait)
{
	struct sections s = { NULL, NULL, section_f, section_arg };

	starpu_omp_for(sections_run, &s, nb_sections, 1, starpu_omp_sched_dynamic, 0, nowait);
}
