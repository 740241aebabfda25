/* SPDX-License-Identifier: MIT */
/*
 * Handles: their records, access modes, acquiring, and order.
 */
#include "shapes.h"

static pthread_mutex_t handles_lock = PTHREAD_MUTEX_INITIALIZER;
static struct _starpu_data_state *handles; /* with handles_lock */

struct _starpu_data_state *xs_handle_wrap(struct xy_handle *xy, struct starpu_data_interface_ops *ops, int home_node)
{
	struct _starpu_data_state *h = calloc(1, sizeof *h);

	if (!h) {
		xs_fail(-ENOMEM, "no memory for a handle");
		return NULL;
	}
	h->xy = xy;
	h->ops = ops;
	h->shape = xs_shape_of(ops);
	h->home_node = home_node;
	h->sequential = atomic_load(&xs_global.sequential);
	h->initialised = home_node >= 0;
	pthread_rwlock_init(&h->lock, NULL);
	pthread_mutex_lock(&handles_lock);
	h->next = handles;
	if (handles)
		handles->previous = h;
	handles = h;
	pthread_mutex_unlock(&handles_lock);
	return h;
}

void xs_handle_free(struct _starpu_data_state *h)
{
	pthread_mutex_lock(&handles_lock);
	if (h->next)
		h->next->previous = h->previous;
	*(h->previous ? &h->previous->next : &handles) = h->next;
	pthread_mutex_unlock(&handles_lock);
	if (h->counted)
		starpu_memory_deallocate(STARPU_MAIN_RAM, h->counted);
	xs_opaque_fini(h);
	xs_reduction_free(h);
	pthread_rwlock_destroy(&h->lock);
	free(h->coordinates);
	free(h->children);
	free(h);
}

unsigned xs_handles_on(unsigned node, struct _starpu_data_state **on, unsigned room)
{
	unsigned n = 0;

	pthread_mutex_lock(&handles_lock);
	for (struct _starpu_data_state *h = handles; h; h = h->next) {
		if (!starpu_data_test_if_allocated_on_node(h, node))
			continue;
		if (n < room)
			on[n] = h;
		n++;
	}
	pthread_mutex_unlock(&handles_lock);
	return n;
}

bool xs_handles_release(void)
{
	struct _starpu_data_state *h;
	unsigned n = 0;

	do {
		pthread_mutex_lock(&handles_lock);
		for (h = handles; h && atomic_load(&h->acquired) <= 0; h = h->next)
			;
		pthread_mutex_unlock(&handles_lock);
		if (h)
			starpu_data_release(h);
		n += h != NULL;
	} while (h);
	if (n)
		xs_fail(-EBUSY, "starpu_shutdown: data was acquired %u times without being released", n);
	return n;
}

void xs_handles_fini(void)
{
	unsigned n = 0;

	while (handles) {
		struct _starpu_data_state *h = handles;

		if (!h->parent && !h->foreign)
			xy_unregister(&h->xy);
		n += !h->foreign;
		xs_plans_free(h);
		xs_handle_free(h);
	}
	if (n)
		xs_note("starpu_shutdown: %u handles were not unregistered", n);
}

void *xs_view(const struct _starpu_data_state *h)
{
	return h->shape ? (void *)xy_handle_view(h->xy) : h->views;
}

enum xy_mode xs_mode(enum starpu_data_access_mode mode)
{
	if (mode & STARPU_SCRATCH)
		return XY_SCRATCH;
	if (mode & STARPU_REDUX)
		return XY_REDUX;
	if ((mode & STARPU_COMMUTE) && (mode & STARPU_W))
		return (enum xy_mode)(XY_RW | XY_COMMUTE);
	return (enum xy_mode)(mode & STARPU_RW);
}

/* StarPU aborts when a task reads data that nothing wrote. Without the order of submission, or by way of its parts,
 * it may be written later. */
static void access_unwritten(struct _starpu_data_state *h)
{
	if (!atomic_exchange(&h->initialised, true) && atomic_load(&h->sequential) && !h->parent && !h->plans &&
	    !h->children)
		xs_fail(-EINVAL, "'%s' is read, but nothing wrote it", xy_handle_name(h->xy));
}

int xs_access(struct _starpu_data_state *h, enum starpu_data_access_mode mode, enum xy_mode *xy_mode)
{
	*xy_mode = xs_mode(mode);
	/* Additions to the program's own data are made one after the other, in the
   * data itself. */
	if (*xy_mode == XY_REDUX && !h->shape)
		*xy_mode = (enum xy_mode)(XY_RW | XY_COMMUTE);
	if (!*xy_mode)
		return xs_fail(-EINVAL, "handle '%s' is used without an access mode", xy_handle_name(h->xy));
	if (*xy_mode == XY_REDUX && !xs_reduction_combines(h))
		return xs_fail(-EINVAL, "handle '%s' is used with STARPU_REDUX, but has no reduction methods",
			       xy_handle_name(h->xy));
	if (h->plan || h->plans) {
		int error = xs_plans_prepare(h, mode);

		if (error)
			return error;
	}
	if (h->copy && (mode & (STARPU_W | STARPU_REDUX)))
		xs_copy_forget(h);
	if (!atomic_load_explicit(&h->initialised, memory_order_relaxed) && !(mode & STARPU_SCRATCH)) {
		if (h->reduction && (mode & (STARPU_R | STARPU_REDUX)))
			xs_initialise(h);
		if (mode & STARPU_R)
			access_unwritten(h);
		else if (mode & (STARPU_W | STARPU_REDUX))
			atomic_store_explicit(&h->initialised, true, memory_order_relaxed);
	}
	return 0;
}

/* --- leaving --- */

static bool handle_check(const struct _starpu_data_state *h, const char *who)
{
	if (h)
		return true;
	xs_fail(-EINVAL, "%s: no handle", who);
	return false;
}

void starpu_data_unregister(starpu_data_handle_t handle)
{
	int error;

	if (!handle_check(handle, "starpu_data_unregister"))
		return;
	if (handle->copies > 1) {
		handle->copies--;
		return;
	}
	xs_copy_forget(handle);
	if (handle->children && handle->nchildren)
		xs_unpartition(handle);
	xs_plans_free(handle);
	xs_disk_store(handle, false);
	error = handle->foreign ? 0 : xy_unregister(&handle->xy);
	if (error == -EDEADLK) {
		xs_fail(error, "starpu_data_unregister: a codelet or callback can't wait; "
			       "use _unregister_submit");
		return;
	}
	xs_handle_free(handle);
}

void starpu_data_unregister_no_coherency(starpu_data_handle_t handle)
{
	starpu_data_unregister(handle);
}

/* All tasks that use the handle have ended: the record is not needed any more.
 */
static void handle_left(void *arg, int status)
{
	struct _starpu_data_state *h = arg;

	if (!status) {
		xs_disk_store(h, true);
		xy_release(h->xy);
	}
	xs_handle_free(h);
}

void starpu_data_unregister_submit(starpu_data_handle_t handle)
{
	struct xy_handle *xy;
	int error;

	if (!handle_check(handle, "starpu_data_unregister_submit"))
		return;
	if (handle->copies > 1) {
		handle->copies--;
		return;
	}
	xs_copy_forget(handle);
	xs_plans_free(handle);
	xy = handle->xy;
	handle->foreign = true; /* it unregisters itself, from here on */
	error = xy_acquire_callback(xy, XY_RW, handle_left, handle);
	if (!error)
		error = xy_unregister_submit(&xy);
	if (error)
		xs_fail(error, "starpu_data_unregister_submit: %s", strerror(-error));
}

void starpu_data_invalidate_submit(starpu_data_handle_t handle)
{
	int error;

	if (!handle_check(handle, "starpu_data_invalidate_submit"))
		return;
	xs_copy_forget(handle);
	if (handle->plans)
		xs_plans_prepare(handle, STARPU_W);
	error = xy_invalidate(handle->xy);
	if (error)
		xs_fail(error, "starpu_data_invalidate_submit: %s", strerror(-error));
	else
		atomic_store(&handle->initialised, false);
}

/* Later tasks come after it in any case: there is nothing to wait for. */
void starpu_data_invalidate(starpu_data_handle_t handle)
{
	starpu_data_invalidate_submit(handle);
}

void starpu_data_deinitialize(starpu_data_handle_t handle)
{
	starpu_data_invalidate_submit(handle);
}

void starpu_data_deinitialize_submit(starpu_data_handle_t handle)
{
	starpu_data_invalidate_submit(handle);
}

/* --- acquiring --- */

static enum starpu_data_access_mode acquire_mode(enum starpu_data_access_mode mode)
{
	return mode & STARPU_SCRATCH ? STARPU_W : mode;
}

int starpu_data_acquire(starpu_data_handle_t handle, enum starpu_data_access_mode mode)
{
	enum xy_mode xy_mode;
	int error;

	if (!handle_check(handle, "starpu_data_acquire"))
		return -EINVAL;
	if (xs_thread.task)
		return xs_fail(-EDEADLK, "starpu_data_acquire: a codelet or callback can't wait for data");
	error = xs_access(handle, acquire_mode(mode), &xy_mode);
	if (!error)
		error = xy_acquire(handle->xy, xy_mode);
	if (!error)
		atomic_fetch_add(&handle->acquired, 1);
	if (!error && !handle->shape)
		error = xs_opaque_allocate(handle);
	return error;
}

int starpu_data_acquire_on_node(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode)
{
	(void)node;
	return starpu_data_acquire(handle, mode);
}

/* Callbacks of acquires that this thread is in. */
static XS_THREAD_LOCAL unsigned in_callbacks;

struct acquisition {
	void (*callback)(void *);
	void *arg;
	struct _starpu_data_state *handle;
};

static void acquired(void *arg, int status)
{
	struct acquisition a = *(struct acquisition *)arg;

	free(arg);
	if (!status && !a.handle->shape)
		status = xs_opaque_allocate(a.handle);
	if (status)
		xs_fail(status, "starpu_data_acquire_cb: %s", strerror(-status));
	else {
		atomic_fetch_add(&a.handle->acquired, 1);
		in_callbacks++;
		a.callback(a.arg);
		in_callbacks--;
	}
	atomic_fetch_sub(&xs_global.nsubmitted, 1);
}

int starpu_data_acquire_on_node_cb_sequential_consistency(starpu_data_handle_t handle, int node,
							  enum starpu_data_access_mode mode, void (*callback)(void *),
							  void *arg, int sequential_consistency)
{
	struct acquisition *a = malloc(sizeof *a);
	enum xy_mode xy_mode;
	int error;

	(void)node;
	(void)sequential_consistency;
	if (!a)
		return -ENOMEM;
	*a = (struct acquisition){ callback, arg, handle };
	error = xs_access(handle, acquire_mode(mode), &xy_mode);
	atomic_fetch_add(&xs_global.nsubmitted, 1);
	if (!error)
		error = xy_acquire_callback(handle->xy, xy_mode, acquired, a);
	if (error) {
		atomic_fetch_sub(&xs_global.nsubmitted, 1);
		free(a);
	}
	return error;
}

int starpu_data_acquire_on_node_cb_sequential_consistency_quick(starpu_data_handle_t handle, int node,
								enum starpu_data_access_mode mode,
								void (*callback)(void *), void *arg,
								int sequential_consistency, int quick)
{
	(void)quick;
	return starpu_data_acquire_on_node_cb_sequential_consistency(handle, node, mode, callback, arg,
								     sequential_consistency);
}

int starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(starpu_data_handle_t handle, int node,
								      enum starpu_data_access_mode mode,
								      void (*callback)(void *), void *arg,
								      int sequential_consistency, int quick,
								      long *pre_sync_jobid, long *post_sync_jobid)
{
	if (pre_sync_jobid)
		*pre_sync_jobid = -1;
	if (post_sync_jobid)
		*post_sync_jobid = -1;
	return starpu_data_acquire_on_node_cb_sequential_consistency_quick(handle, node, mode, callback, arg,
									   sequential_consistency, quick);
}

struct arrival {
	struct _starpu_data_state *handle;
	void (*callback)(void *);
	void *arg;
};

static void arrived(void *arg)
{
	struct arrival a = *(struct arrival *)arg;

	free(arg);
	starpu_data_release(a.handle);
	if (a.callback)
		a.callback(a.arg);
}

int starpu_data_get_on_node_cb_prio(starpu_data_handle_t handle, int node, enum starpu_is_prefetch is_prefetch,
				    void (*callback)(void *), void *arg, int prio)
{
	struct arrival *a = malloc(sizeof *a);
	int error;

	(void)is_prefetch;
	(void)prio;
	if (!a)
		return -ENOMEM;
	*a = (struct arrival){ handle, callback, arg };
	if (node > 0)
		starpu_data_fetch_on_node(handle, (unsigned)node, 1);
	error = starpu_data_acquire_on_node_cb(handle, node, STARPU_R, arrived, a);
	if (error)
		free(a);
	return error;
}

int starpu_data_acquire_cb_sequential_consistency(starpu_data_handle_t handle, enum starpu_data_access_mode mode,
						  void (*callback)(void *), void *arg, int sequential_consistency)
{
	return starpu_data_acquire_on_node_cb_sequential_consistency(handle, STARPU_MAIN_RAM, mode, callback, arg,
								     sequential_consistency);
}

int starpu_data_acquire_on_node_cb(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode,
				   void (*callback)(void *), void *arg)
{
	return starpu_data_acquire_on_node_cb_sequential_consistency(handle, node, mode, callback, arg, 1);
}

int starpu_data_acquire_cb(starpu_data_handle_t handle, enum starpu_data_access_mode mode, void (*callback)(void *),
			   void *arg)
{
	return starpu_data_acquire_on_node_cb(handle, STARPU_MAIN_RAM, mode, callback, arg);
}

/* An attempt: the caller takes the data if it was there at once, and else the
 * callback gives it back. */
struct attempt {
	_Atomic int state; /* 0, 1: acquired, 2: given up */
	struct xy_handle *xy;
};

static void attempted(void *arg, int status)
{
	struct attempt *attempt = arg;

	if (status) {
		if (atomic_exchange(&attempt->state, 3) == 2)
			free(attempt);
	} else if (atomic_exchange(&attempt->state, 1) == 2) {
		xy_release(attempt->xy);
		free(attempt);
	}
}

int starpu_data_acquire_try(starpu_data_handle_t handle, enum starpu_data_access_mode mode)
{
	struct attempt *attempt = calloc(1, sizeof *attempt);
	enum xy_mode xy_mode;
	int error, state;

	if (!attempt)
		return -ENOMEM;
	attempt->xy = handle->xy;
	error = xs_access(handle, acquire_mode(mode), &xy_mode);
	if (!error)
		error = xy_acquire_callback(handle->xy, xy_mode, attempted, attempt);
	if (error) {
		free(attempt);
		return error;
	}
	state = atomic_exchange(&attempt->state, 2);
	if (state)
		free(attempt);
	if (state == 1)
		atomic_fetch_add(&handle->acquired, 1);
	return state == 1 ? 0 : state ? -EINVAL : -EAGAIN;
}

int starpu_data_acquire_on_node_try(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode)
{
	(void)node;
	return starpu_data_acquire_try(handle, mode);
}

/* What this thread has released early, because it could not wait. */
static XS_THREAD_LOCAL struct _starpu_data_state *lowered;

void starpu_data_release(starpu_data_handle_t handle)
{
	int error;

	if (handle && handle == lowered) {
		lowered = NULL;
		return;
	}
	if (!handle_check(handle, "starpu_data_release"))
		return;
	/* Before others get the data, and may unregister it. */
	atomic_fetch_sub(&handle->acquired, 1);
	error = xy_release(handle->xy);
	if (error)
		xs_fail(error, "starpu_data_release: the data is not acquired");
}

void starpu_data_release_on_node(starpu_data_handle_t handle, int node)
{
	(void)node;
	starpu_data_release(handle);
}

/* The mode is lowered by releasing the data and acquiring it again: tasks that
 * were submitted meanwhile come first. A callback can't wait for that: it gives the data up now. */
/* starpu_data_acquire, without a log line where it can't wait. */
static int acquire_again(starpu_data_handle_t handle, enum starpu_data_access_mode mode)
{
	return xs_thread.task || in_callbacks ? -EDEADLK : starpu_data_acquire(handle, mode);
}

void starpu_data_release_to(starpu_data_handle_t handle, enum starpu_data_access_mode down_to_mode)
{
	int error;

	starpu_data_release(handle);
	error = down_to_mode == STARPU_NONE ? 0 : acquire_again(handle, down_to_mode);
	if (error == -EDEADLK)
		lowered = handle;
	else if (error)
		xs_fail(error, "starpu_data_release_to: %s", strerror(-error));
}

void starpu_data_release_to_on_node(starpu_data_handle_t handle, enum starpu_data_access_mode down_to_mode, int node)
{
	(void)node;
	starpu_data_release_to(handle, down_to_mode);
}

/* --- arbiters: commuting accesses take their handles in an order that can't deadlock, with or without one --- */

struct starpu_arbiter {
	int unused;
};

starpu_arbiter_t starpu_arbiter_create(void)
{
	return calloc(1, sizeof(struct starpu_arbiter));
}

void starpu_data_assign_arbiter(starpu_data_handle_t handle, starpu_arbiter_t arbiter)
{
	(void)handle;
	(void)arbiter;
}

void starpu_arbiter_destroy(starpu_arbiter_t arbiter)
{
	free(arbiter);
}

/* --- order --- */

void starpu_data_set_sequential_consistency_flag(starpu_data_handle_t handle, unsigned flag)
{
	atomic_store(&handle->sequential, flag != 0);
	for (unsigned i = 0; i < handle->nchildren; i++)
		starpu_data_set_sequential_consistency_flag(handle->children[i], flag);
}

unsigned starpu_data_get_sequential_consistency_flag(starpu_data_handle_t handle)
{
	return atomic_load(&handle->sequential);
}

unsigned starpu_data_get_default_sequential_consistency_flag(void)
{
	return atomic_load(&xs_global.sequential);
}

void starpu_data_set_default_sequential_consistency_flag(unsigned flag)
{
	atomic_store(&xs_global.sequential, flag != 0);
}

void starpu_data_set_ooc_flag(starpu_data_handle_t handle, unsigned flag)
{
	handle->ooc = flag;
}

unsigned starpu_data_get_ooc_flag(starpu_data_handle_t handle)
{
	return handle->ooc;
}

/* --- names and pointers --- */

void starpu_data_set_name(starpu_data_handle_t handle, const char *name)
{
	xy_handle_set_name(handle->xy, name);
}

const char *starpu_data_get_name(starpu_data_handle_t handle)
{
	return xy_handle_name(handle->xy);
}

void starpu_data_set_coordinates_array(starpu_data_handle_t handle, unsigned dimensions, int dims[])
{
	int *copy = realloc(handle->coordinates, (dimensions + 1) * sizeof *copy);

	if (!copy)
		return;
	memcpy(copy, dims, dimensions * sizeof *copy);
	handle->coordinates = copy;
	handle->ncoordinates = dimensions;
}

void starpu_data_set_coordinates(starpu_data_handle_t handle, unsigned dimensions, ...)
{
	int dims[dimensions + 1];
	va_list list;

	va_start(list, dimensions);
	for (unsigned i = 0; i < dimensions; i++)
		dims[i] = va_arg(list, int);
	va_end(list);
	starpu_data_set_coordinates_array(handle, dimensions, dims);
}

unsigned starpu_data_get_coordinates_array(starpu_data_handle_t handle, unsigned dimensions, int dims[])
{
	for (unsigned i = 0; i < dimensions && i < handle->ncoordinates; i++)
		dims[i] = handle->coordinates[i];
	return handle->ncoordinates;
}

void starpu_data_set_user_data(starpu_data_handle_t handle, void *user_data)
{
	handle->user_data = user_data;
}

void *starpu_data_get_user_data(starpu_data_handle_t handle)
{
	return handle->user_data;
}

void starpu_data_set_sched_data(starpu_data_handle_t handle, void *sched_data)
{
	handle->sched_data = sched_data;
}

void *starpu_data_get_sched_data(starpu_data_handle_t handle)
{
	return handle->sched_data;
}

struct starpu_data_interface_ops *starpu_data_get_interface_ops(starpu_data_handle_t handle)
{
	return handle->ops;
}

enum starpu_data_interface_id starpu_data_get_interface_id(starpu_data_handle_t handle)
{
	return handle->ops->interfaceid;
}

void *starpu_data_get_interface_on_node(starpu_data_handle_t handle, unsigned memory_node)
{
	return handle->shape ? (void *)xy_handle_view(handle->xy) : xs_opaque_view(handle, memory_node);
}

void *starpu_data_handle_to_pointer(starpu_data_handle_t handle, unsigned node)
{
	if (!handle->shape && handle->ops->to_pointer)
		return handle->ops->to_pointer(xs_opaque_view(handle, node), node);
	if (!handle->shape)
		return handle->ops->handle_to_pointer ? handle->ops->handle_to_pointer(handle, node) : NULL;
	return node == STARPU_MAIN_RAM ? xs_shape_pointer(handle->shape, xy_handle_view(handle->xy)) : NULL;
}

void *starpu_data_get_local_ptr(starpu_data_handle_t handle)
{
	return starpu_data_handle_to_pointer(handle, STARPU_MAIN_RAM);
}

size_t starpu_data_get_size(starpu_data_handle_t handle)
{
	if (!handle->shape)
		return handle->ops->get_size ? handle->ops->get_size(handle) : 0;
	return xy_handle_size(handle->xy);
}

size_t starpu_data_get_alloc_size(starpu_data_handle_t handle)
{
	if (!handle->shape && handle->ops->get_alloc_size)
		return handle->ops->get_alloc_size(handle);
	if (handle->ops == &starpu_interface_vector_ops)
		return starpu_vector_get_allocsize(handle);
	if (handle->ops == &starpu_interface_matrix_ops)
		return starpu_matrix_get_allocsize(handle);
	return starpu_data_get_size(handle);
}

size_t starpu_data_get_max_size(starpu_data_handle_t handle)
{
	return !handle->shape && handle->ops->get_max_size ? handle->ops->get_max_size(handle)
							   : starpu_data_get_size(handle);
}

void starpu_data_display_memory_stats(void)
{
	for (unsigned node = 0; node < xs_global.nnodes; node++)
		fprintf(stderr, "memory node %u: %zu bytes used\n", node, starpu_memory_get_used(node));
}

static int pointer_is_inside(starpu_data_handle_t handle, unsigned node, const void *ptr)
{
	const char *start = starpu_data_handle_to_pointer(handle, node), *at = ptr;

	return start && at >= start && at < start + starpu_data_get_size(handle);
}

int starpu_data_pointer_is_inside(starpu_data_handle_t handle, unsigned node, void *ptr)
{
	if (!handle->shape && handle->ops->pointer_is_inside)
		return handle->ops->pointer_is_inside(xs_opaque_view(handle, node), node, ptr);
	return pointer_is_inside(handle, node, ptr);
}

int starpu_data_get_home_node(starpu_data_handle_t handle)
{
	return handle->home_node;
}

starpu_data_handle_t starpu_data_lookup(const void *ptr)
{
	struct _starpu_data_state *h;

	pthread_mutex_lock(&handles_lock);
	for (h = handles; h; h = h->next)
		if (!h->foreign && h->shape && xs_shape_pointer(h->shape, xy_handle_view(h->xy)) == ptr && ptr)
			break;
	pthread_mutex_unlock(&handles_lock);
	return h;
}

/* --- content as bytes: in main memory, acquired or not, as StarPU does it --- */

int starpu_data_pack_node(starpu_data_handle_t handle, unsigned node, void **ptr, starpu_ssize_t *count)
{
	size_t size;

	if (!handle->shape)
		return handle->ops->pack_data ? handle->ops->pack_data(handle, node, ptr, count) : -ENOTSUP;
	size = handle->foreign ? xy_handle_size(handle->xy) : xs_shape_bytes(handle->shape, xs_view(handle));
	*count = (starpu_ssize_t)size;
	if (!ptr)
		return 0;
	if (starpu_malloc(ptr, size ? size : 1))
		return -ENOMEM;
	return handle->foreign ? xy_pack(handle->xy, *ptr, size)
			       : xs_shape_move(handle->shape, xs_view(handle), *ptr, size, true);
}

int starpu_data_pack(starpu_data_handle_t handle, void **ptr, starpu_ssize_t *count)
{
	return starpu_data_pack_node(handle, STARPU_MAIN_RAM, ptr, count);
}

int starpu_data_peek_node(starpu_data_handle_t handle, unsigned node, void *ptr, size_t count)
{
	bool empty;
	int error = 0;

	if (!handle->shape)
		return handle->ops->peek_data ? handle->ops->peek_data(handle, node, ptr, count) : -ENOTSUP;
	if (handle->foreign)
		return xy_unpack(handle->xy, ptr, count);
	/* Data without memory gets it when it is acquired. */
	empty = !xs_shape_pointer(handle->shape, xs_view(handle));
	if (empty)
		error = starpu_data_acquire(handle, STARPU_W);
	if (error)
		return error;
	error = xs_shape_move(handle->shape, xs_view(handle), ptr, count, false);
	if (empty)
		starpu_data_release(handle);
	return error;
}

int starpu_data_peek(starpu_data_handle_t handle, void *ptr, size_t count)
{
	return starpu_data_peek_node(handle, STARPU_MAIN_RAM, ptr, count);
}

int starpu_data_unpack_node(starpu_data_handle_t handle, unsigned node, void *ptr, size_t count)
{
	int error;

	if (!handle->shape)
		return handle->ops->unpack_data && !xs_opaque_allocate(handle)
			       ? handle->ops->unpack_data(handle, node, ptr, count)
			       : -ENOTSUP;
	error = starpu_data_peek_node(handle, node, ptr, count);
	starpu_free_noflag(ptr, count);
	return error;
}

int starpu_data_unpack(starpu_data_handle_t handle, void *ptr, size_t count)
{
	return starpu_data_unpack_node(handle, STARPU_MAIN_RAM, ptr, count);
}

/* --- the other interface --- */

struct xy_handle *xy_from_starpu(starpu_data_handle_t handle)
{
	return handle ? handle->xy : NULL;
}

starpu_data_handle_t starpu_from_xy(struct xy_handle *handle)
{
	const struct xy_interface *interface = handle ? xy_handle_interface(handle) : NULL;
	struct starpu_data_interface_ops *ops = interface == &xy_variable_interface ? &starpu_interface_variable_ops
						: interface == &xy_vector_interface ? &starpu_interface_vector_ops
						: interface == &xy_matrix_interface ? &starpu_interface_matrix_ops
										    : NULL;
	struct _starpu_data_state *h;

	if (!ops) {
		xs_fail(-ENOTSUP, "starpu_from_xy: only variables, vectors and matrices");
		return NULL;
	}
	h = xs_handle_wrap(handle, ops, STARPU_MAIN_RAM);
	if (h)
		h->foreign = h->slow = true;
	return h;
}

struct xy_runtime *xy_starpu_runtime(void)
{
	return xs_global.rt;
}
