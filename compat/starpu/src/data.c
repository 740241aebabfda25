/* SPDX-License-Identifier: MIT */
/*
 * Handles: their records, access modes, acquiring, where copies are, and
 * reductions.
 */
#include "internal.h"

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
	xs_opaque_fini(h);
	xs_reduction_free(h);
	pthread_rwlock_destroy(&h->lock);
	free(h->coordinates);
	free(h->children);
	free(h);
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

int xs_access(struct _starpu_data_state *h, enum starpu_data_access_mode mode, enum xy_mode *xy_mode)
{
	*xy_mode = xs_mode(mode);
	/* Additions to the program's own data are made one after the other, in the
   * data itself. */
	if (*xy_mode == XY_REDUX && !h->shape)
		*xy_mode = (enum xy_mode)(XY_RW | XY_COMMUTE);
	if (!*xy_mode)
		return xs_fail(-EINVAL, "handle '%s' is used without an access mode", xy_handle_name(h->xy));
	if (*xy_mode == XY_REDUX && !h->reduction)
		return xs_fail(-EINVAL, "handle '%s' is used with STARPU_REDUX, but has no reduction methods",
			       xy_handle_name(h->xy));
	if (h->plan || h->plans)
		return xs_plans_prepare(h, mode);
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
	if (handle->children && handle->nchildren)
		xs_unpartition(handle);
	xs_plans_free(handle);
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

	if (!status)
		xy_release(h->xy);
	xs_handle_free(h);
}

void starpu_data_unregister_submit(starpu_data_handle_t handle)
{
	struct xy_handle *xy;
	int error;

	if (!handle_check(handle, "starpu_data_unregister_submit"))
		return;
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
	int error = xy_invalidate(handle->xy);

	if (error)
		xs_fail(error, "starpu_data_invalidate_submit: %s", strerror(-error));
}

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
	if (!error && !handle->shape)
		error = xs_opaque_allocate(handle);
	return error;
}

int starpu_data_acquire_on_node(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode)
{
	(void)node;
	return starpu_data_acquire(handle, mode);
}

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
	else
		a.callback(a.arg);
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
	return state == 1 ? 0 : state ? -EINVAL : -EAGAIN;
}

int starpu_data_acquire_on_node_try(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode)
{
	(void)node;
	return starpu_data_acquire_try(handle, mode);
}

void starpu_data_release(starpu_data_handle_t handle)
{
	int error = handle_check(handle, "starpu_data_release") ? xy_release(handle->xy) : 0;

	if (error)
		xs_fail(error, "starpu_data_release: the data is not acquired");
}

void starpu_data_release_on_node(starpu_data_handle_t handle, int node)
{
	(void)node;
	starpu_data_release(handle);
}

/* The mode is lowered by releasing the data and acquiring it again: tasks that
 * were submitted meanwhile come first. */
void starpu_data_release_to(starpu_data_handle_t handle, enum starpu_data_access_mode down_to_mode)
{
	int error;

	starpu_data_release(handle);
	error = down_to_mode == STARPU_NONE ? 0 : starpu_data_acquire(handle, down_to_mode);
	if (error)
		xs_fail(error, "starpu_data_release_to: %s", strerror(-error));
}

/* --- arbiters: commuting accesses need none here --- */

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

/* --- where copies are --- */

static bool node_check(unsigned node)
{
	return node < xs_global.nnodes;
}

int starpu_data_fetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async)
{
	if (!node_check(node))
		return xs_fail(-EINVAL, "there is no memory node %u", node);
	if (xs_global.nnodes == 1)
		return 0;
	return async ? xy_prefetch(handle->xy, node) : xy_fetch(handle->xy, node);
}

int starpu_data_prefetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async)
{
	return starpu_data_fetch_on_node(handle, node, async);
}

int starpu_data_prefetch_on_node_prio(starpu_data_handle_t handle, unsigned node, unsigned async, int prio)
{
	(void)prio;
	return starpu_data_fetch_on_node(handle, node, async);
}

int starpu_data_idle_prefetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async)
{
	return starpu_data_fetch_on_node(handle, node, async);
}

int starpu_data_idle_prefetch_on_node_prio(starpu_data_handle_t handle, unsigned node, unsigned async, int prio)
{
	(void)prio;
	return starpu_data_fetch_on_node(handle, node, async);
}

int starpu_data_request_allocation(starpu_data_handle_t handle, unsigned node)
{
	return starpu_data_fetch_on_node(handle, node, 1);
}

unsigned starpu_data_is_on_node(starpu_data_handle_t handle, unsigned node)
{
	return xs_global.nnodes == 1 ? node == 0 : xy_handle_nodes(handle->xy) >> node & 1;
}

void starpu_data_wont_use(starpu_data_handle_t handle)
{
	xy_advise(handle->xy, XY_ADVICE_WONT_USE);
}

void starpu_data_advise_as_important(starpu_data_handle_t handle, unsigned is_important)
{
	xy_advise(handle->xy, is_important ? XY_ADVICE_KEEP : XY_ADVICE_NORMAL);
}

int starpu_data_evict_from_node(starpu_data_handle_t handle, unsigned node)
{
	return node == STARPU_MAIN_RAM || !node_check(node) ? -1 : xy_evict(handle->xy, node);
}

void starpu_data_set_wt_mask(starpu_data_handle_t handle, uint32_t wt_mask)
{
	if (xs_global.nnodes > 1)
		xy_handle_set_write_through(handle->xy, wt_mask & ((1u << xs_global.nnodes) - 1));
}

void starpu_data_set_gathering_node(starpu_data_handle_t handle, int node)
{
	(void)handle;
	(void)node;
}

void starpu_data_query_status2(starpu_data_handle_t handle, int memory_node, int *is_allocated, int *is_valid,
			       int *is_loading, int *is_requested)
{
	int there = (int)starpu_data_is_on_node(handle, (unsigned)memory_node);

	if (is_allocated)
		*is_allocated = there;
	if (is_valid)
		*is_valid = there;
	if (is_loading)
		*is_loading = 0;
	if (is_requested)
		*is_requested = 0;
}

void starpu_data_query_status(starpu_data_handle_t handle, int memory_node, int *is_allocated, int *is_valid,
			      int *is_requested)
{
	starpu_data_query_status2(handle, memory_node, is_allocated, is_valid, NULL, is_requested);
}

unsigned starpu_data_test_if_allocated_on_node(starpu_data_handle_t handle, unsigned memory_node)
{
	return memory_node == STARPU_MAIN_RAM ? xy_handle_pointer(handle->xy) != NULL
					      : starpu_data_is_on_node(handle, memory_node);
}

void starpu_memchunk_tidy(unsigned memory_node)
{
	(void)memory_node;
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

/* --- reductions --- */

struct xs_closure {
	struct starpu_codelet *cl;
	void *arg;
};
struct xs_reduction {
	struct xs_closure init, combine;
	struct xy_codelet xy_init, xy_combine;
};

static int reduction_run(struct xy_call *call)
{
	const struct xs_closure *closure = call->arg;
	struct xs_thread outer = xs_thread;

	xs_thread = (struct xs_thread){ NULL, call, (int)call->worker, xs_global.generation };
	closure->cl->cpu_funcs[call->implementation]((void **)call->buffers, closure->arg);
	xs_thread.task = outer.task;
	xs_thread.call = outer.call;
	return 0;
}

void xs_reduction_free(struct _starpu_data_state *h)
{
	free(h->reduction);
	h->reduction = NULL;
}

void starpu_data_set_reduction_methods_with_args(starpu_data_handle_t handle, struct starpu_codelet *redux_cl,
						 void *redux_cl_arg, struct starpu_codelet *init_cl, void *init_cl_arg)
{
	struct xs_reduction *r = handle->reduction ? handle->reduction : calloc(1, sizeof *r);
	int error = 0;

	if (!r || !redux_cl || !init_cl) {
		xs_fail(r ? -EINVAL : -ENOMEM, "a reduction needs a codelet that combines and one that initialises");
		if (!handle->reduction)
			free(r);
		return;
	}
	xs_codelet(redux_cl, -1, &error);
	xs_codelet(init_cl, -1, &error);
	r->init = (struct xs_closure){ init_cl, init_cl_arg };
	r->combine = (struct xs_closure){ redux_cl, redux_cl_arg };
	r->xy_init = (struct xy_codelet){ .name = init_cl->name ? init_cl->name : "init", .modes = { XY_W } };
	r->xy_combine = (struct xy_codelet){ .name = redux_cl->name ? redux_cl->name : "redux",
					     .modes = { XY_RW, XY_R } };
	if (init_cl->cpu_funcs[0])
		r->xy_init.cpu[0] = reduction_run;
	if (redux_cl->cpu_funcs[0])
		r->xy_combine.cpu[0] = reduction_run;
	error = xy_handle_set_reduction(handle->xy, &r->xy_init, &r->xy_combine);
	if (!error)
		error = xy_handle_set_reduction_args(handle->xy, &r->init, &r->combine);
	if (error) {
		xs_fail(error, "starpu_data_set_reduction_methods: %s", strerror(-error));
		if (!handle->reduction)
			free(r);
		return;
	}
	handle->reduction = r;
}

void starpu_data_set_reduction_methods(starpu_data_handle_t handle, struct starpu_codelet *redux_cl,
				       struct starpu_codelet *init_cl)
{
	starpu_data_set_reduction_methods_with_args(handle, redux_cl, NULL, init_cl, NULL);
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
	(void)memory_node;
	return handle->shape ? (void *)xy_handle_view(handle->xy) : handle->view;
}

void *starpu_data_handle_to_pointer(starpu_data_handle_t handle, unsigned node)
{
	if (!handle->shape && handle->ops->to_pointer)
		return handle->ops->to_pointer(handle->view, node);
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
	return xy_handle_size(handle->xy);
}

int starpu_data_pointer_is_inside(starpu_data_handle_t handle, unsigned node, void *ptr)
{
	char *start = starpu_data_handle_to_pointer(handle, node);

	return start && (char *)ptr >= start && (char *)ptr < start + xy_handle_size(handle->xy);
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

int starpu_data_pack(starpu_data_handle_t handle, void **ptr, starpu_ssize_t *count)
{
	size_t size;
	int error;

	if (!handle->shape)
		return handle->ops->pack_data ? handle->ops->pack_data(handle, STARPU_MAIN_RAM, ptr, count) : -ENOTSUP;
	error = xy_handle_packed_size(handle->xy, &size);
	if (error)
		return error;
	*count = (starpu_ssize_t)size;
	if (!ptr)
		return 0;
	if (starpu_malloc(ptr, size ? size : 1))
		return -ENOMEM;
	return xy_pack(handle->xy, *ptr, size);
}

int starpu_data_peek(starpu_data_handle_t handle, void *ptr, size_t count)
{
	return xy_unpack(handle->xy, ptr, count);
}

int starpu_data_unpack(starpu_data_handle_t handle, void *ptr, size_t count)
{
	int error;

	if (!handle->shape)
		return handle->ops->unpack_data && !xs_opaque_allocate(handle)
			       ? handle->ops->unpack_data(handle, STARPU_MAIN_RAM, ptr, count)
			       : -ENOTSUP;
	error = xy_unpack(handle->xy, ptr, count);
	starpu_free_noflag(ptr);
	return error;
}

/* --- copying --- */

static void copy_function(void *buffers[], void *arg)
{
	struct starpu_task *task = starpu_task_get_current();
	starpu_data_handle_t from = STARPU_TASK_GET_HANDLE(task, 1);
	const struct xy_interface *interface;
	struct xy_part to_parts[XY_NPARTS], from_parts[XY_NPARTS];
	unsigned n;

	(void)arg;
	if (!from->shape) {
		xs_opaque_copy(buffers[0], buffers[1], from->ops);
		return;
	}
	interface = xs_shape_interface(from->shape);
	n = interface->parts(buffers[0], to_parts);
	interface->parts(buffers[1], from_parts);
	for (unsigned p = 0; p < n; p++) {
		char *to = *(char **)((char *)buffers[0] + to_parts[p].pointer);
		const char *source = *(char **)((char *)buffers[1] + from_parts[p].pointer);
		size_t rows = 1;

		for (unsigned d = 0; d < to_parts[p].ndims; d++)
			rows *= to_parts[p].count[d];
		for (size_t row = 0; row < rows; row++) {
			size_t rest = row, a = 0, b = 0;

			for (unsigned d = 0; d < to_parts[p].ndims; d++) {
				a += rest % to_parts[p].count[d] * to_parts[p].stride[d];
				b += rest % to_parts[p].count[d] * from_parts[p].stride[d];
				rest /= to_parts[p].count[d];
			}
			memcpy(to + a, source + b, to_parts[p].row_bytes);
		}
	}
}

static struct starpu_codelet copy_codelet = {
	.cpu_funcs = { copy_function }, .nbuffers = 2, .modes = { STARPU_W, STARPU_R }, .name = "copy"
};

int starpu_data_cpy_priority(starpu_data_handle_t dst_handle, starpu_data_handle_t src_handle, int asynchronous,
			     void (*callback_func)(void *), void *callback_arg, int priority)
{
	struct starpu_task *task;
	int error;

	if (dst_handle->ops != src_handle->ops)
		return xs_fail(-EINVAL, "starpu_data_cpy: the two handles have different interfaces");
	if (xy_handle_size(dst_handle->xy) != xy_handle_size(src_handle->xy))
		return xs_fail(-EINVAL, "starpu_data_cpy: the two handles have different sizes");
	task = starpu_task_create();
	if (!task)
		return -ENOMEM;
	task->cl = &copy_codelet;
	task->handles[0] = dst_handle;
	task->handles[1] = src_handle;
	task->callback_func = callback_func;
	task->callback_arg = callback_arg;
	task->priority = priority;
	task->synchronous = !asynchronous;
	error = starpu_task_submit(task);
	if (error)
		xs_task_free(task);
	return error;
}

int starpu_data_cpy(starpu_data_handle_t dst_handle, starpu_data_handle_t src_handle, int asynchronous,
		    void (*callback_func)(void *), void *callback_arg)
{
	return starpu_data_cpy_priority(dst_handle, src_handle, asynchronous, callback_func, callback_arg, 0);
}

int starpu_data_dup_ro(starpu_data_handle_t *dst_handle, starpu_data_handle_t src_handle, int asynchronous)
{
	starpu_data_register_same(dst_handle, src_handle);
	if (!*dst_handle)
		return -ENOMEM;
	return starpu_data_cpy(*dst_handle, src_handle, asynchronous, NULL, NULL);
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
