/* SPDX-License-Identifier: MIT */
/*
 * Tasks by one call, and the values in their arguments: a count, then for each
 * value its size and its bytes.
 */
#include "internal.h"

/* --- packing --- */

void starpu_codelet_pack_arg_init(struct starpu_codelet_pack_arg_data *state)
{
	*state = (struct starpu_codelet_pack_arg_data){ .current_offset = sizeof(int) };
}

void starpu_codelet_pack_arg(struct starpu_codelet_pack_arg_data *state, const void *ptr, size_t ptr_size)
{
	size_t needed = state->current_offset + sizeof(size_t) + ptr_size;

	if (needed > state->arg_buffer_size) {
		size_t size = needed > 2 * state->arg_buffer_size ? needed + 64 : 2 * state->arg_buffer_size;
		char *buffer = realloc(state->arg_buffer, size);

		if (!buffer) {
			xs_fail(-ENOMEM, "no memory for the arguments of a codelet");
			return;
		}
		state->arg_buffer = buffer;
		state->arg_buffer_size = size;
	}
	memcpy(state->arg_buffer + state->current_offset, &ptr_size, sizeof ptr_size);
	if (ptr_size)
		memcpy(state->arg_buffer + state->current_offset + sizeof ptr_size, ptr, ptr_size);
	state->current_offset = needed;
	state->nargs++;
}

void starpu_codelet_pack_arg_fini(struct starpu_codelet_pack_arg_data *state, void **cl_arg, size_t *cl_arg_size)
{
	if (state->nargs)
		memcpy(state->arg_buffer, &state->nargs, sizeof state->nargs);
	*cl_arg = state->arg_buffer;
	*cl_arg_size = state->nargs ? state->current_offset : 0;
}

void starpu_codelet_pack_args(void **arg_buffer, size_t *arg_buffer_size, ...)
{
	struct starpu_codelet_pack_arg_data state;
	va_list list;
	int kind;

	starpu_codelet_pack_arg_init(&state);
	va_start(list, arg_buffer_size);
	while ((kind = va_arg(list, int))) {
		void *ptr;

		if (kind != STARPU_VALUE) {
			xs_fail(-EINVAL, "starpu_codelet_pack_args takes STARPU_VALUE only");
			break;
		}
		ptr = va_arg(list, void *);
		starpu_codelet_pack_arg(&state, ptr, va_arg(list, size_t));
	}
	va_end(list);
	starpu_codelet_pack_arg_fini(&state, arg_buffer, arg_buffer_size);
}

void starpu_codelet_unpack_arg_init(struct starpu_codelet_pack_arg_data *state, void *cl_arg, size_t cl_arg_size)
{
	*state = (struct starpu_codelet_pack_arg_data){ .arg_buffer = cl_arg,
							.arg_buffer_size = cl_arg_size,
							.current_offset = sizeof(int) };
}

static size_t next_size(const struct starpu_codelet_pack_arg_data *state)
{
	size_t size;

	memcpy(&size, state->arg_buffer + state->current_offset, sizeof size);
	return size;
}

void starpu_codelet_unpack_arg(struct starpu_codelet_pack_arg_data *state, void *ptr, size_t size)
{
	size_t there = next_size(state);

	if (size != there)
		xs_fail(-EINVAL, "a value of %zu bytes is unpacked as %zu", there, size);
	memcpy(ptr, state->arg_buffer + state->current_offset + sizeof there, size < there ? size : there);
	state->current_offset += sizeof there + there;
	state->nargs++;
}

void starpu_codelet_unpack_arg_fini(struct starpu_codelet_pack_arg_data *state)
{
	(void)state;
}

void starpu_codelet_dup_arg(struct starpu_codelet_pack_arg_data *state, void **ptr, size_t *size)
{
	*size = next_size(state);
	*ptr = malloc(*size ? *size : 1);
	if (*ptr)
		memcpy(*ptr, state->arg_buffer + state->current_offset + sizeof *size, *size);
	state->current_offset += sizeof *size + *size;
	state->nargs++;
}

void starpu_codelet_peek_arg(struct starpu_codelet_pack_arg_data *state, void **ptr, size_t *size)
{
	*size = next_size(state);
	*ptr = state->arg_buffer + state->current_offset + sizeof *size;
}

void starpu_codelet_pick_arg(struct starpu_codelet_pack_arg_data *state, void **ptr, size_t *size)
{
	starpu_codelet_peek_arg(state, ptr, size);
	state->current_offset += sizeof *size + *size;
	state->nargs++;
}

void starpu_codelet_unpack_discard_arg(struct starpu_codelet_pack_arg_data *state)
{
	state->current_offset += sizeof(size_t) + next_size(state);
	state->nargs++;
}

/* Unpacks into the pointers of a list, up to 0; a NULL among them skips a
 * value. Returns where it stopped. */
static size_t unpack(char *buffer, va_list list)
{
	size_t offset = sizeof(int), size;
	int nargs;

	memcpy(&nargs, buffer, sizeof nargs);
	for (int i = 0; i < nargs; i++) {
		void *ptr = va_arg(list, void *);

		if (!ptr)
			break;
		memcpy(&size, buffer + offset, sizeof size);
		memcpy(ptr, buffer + offset + sizeof size, size);
		offset += sizeof size + size;
	}
	return offset;
}

void starpu_codelet_unpack_args(void *cl_arg, ...)
{
	va_list list;

	if (!cl_arg) {
		xs_fail(-EINVAL, "starpu_codelet_unpack_args: the task has no arguments");
		return;
	}
	va_start(list, cl_arg);
	unpack(cl_arg, list);
	va_end(list);
}

void starpu_codelet_unpack_args_and_copyleft(void *cl_arg, void *buffer, size_t buffer_size, ...)
{
	struct starpu_codelet_pack_arg_data left;
	char *bytes = cl_arg;
	size_t offset, size;
	int nargs, seen = 0;
	va_list list;

	if (!cl_arg)
		return;
	va_start(list, buffer_size);
	offset = unpack(bytes, list);
	va_end(list);
	memcpy(&nargs, bytes, sizeof nargs);
	for (size_t at = sizeof nargs; at < offset; seen++) {
		memcpy(&size, bytes + at, sizeof size);
		at += sizeof size + size;
	}
	starpu_codelet_pack_arg_init(&left);
	for (; seen < nargs; seen++) {
		memcpy(&size, bytes + offset, sizeof size);
		starpu_codelet_pack_arg(&left, bytes + offset + sizeof size, size);
		offset += sizeof size + size;
	}
	if (left.nargs && left.current_offset <= buffer_size) {
		memcpy(left.arg_buffer, &left.nargs, sizeof left.nargs);
		memcpy(buffer, left.arg_buffer, left.current_offset);
	} else if (left.nargs) {
		xs_fail(-ENOSPC, "the values that are left need %zu bytes", left.current_offset);
	} else if (buffer && buffer_size >= sizeof(int)) {
		memset(buffer, 0, sizeof(int));
	}
	free(left.arg_buffer);
}

/* --- inserting --- */

struct insertion {
	struct starpu_task *task;
	va_list list; /* what is not read yet */
	struct starpu_codelet_pack_arg_data values;
	unsigned n, room; /* handles so far; room in dyn_handles */
	int error;
};

/* Room for one more handle: in the task's own array, or else in one of any
 * size. */
static bool insertion_grow(struct insertion *in)
{
	struct starpu_task *task = in->task;
	unsigned room = in->room ? 2 * in->room : 4 * STARPU_NMAXBUFS;
	starpu_data_handle_t *handles;
	enum starpu_data_access_mode *modes;

	if (in->n < (task->dyn_handles ? in->room : STARPU_NMAXBUFS))
		return true;
	handles = realloc(task->dyn_handles, room * sizeof *handles);
	if (handles && !task->dyn_handles)
		memcpy(handles, task->handles, sizeof task->handles);
	if (handles)
		task->dyn_handles = handles;
	modes = handles ? realloc(task->dyn_modes, room * sizeof *modes) : NULL;
	if (modes && !task->dyn_modes)
		memcpy(modes, task->modes, sizeof task->modes);
	if (modes)
		task->dyn_modes = modes;
	in->room = room;
	return modes;
}

static void insertion_handle(struct insertion *in, starpu_data_handle_t handle, unsigned mode, bool checked)
{
	struct starpu_task *task = in->task;
	const struct starpu_codelet *cl = task->cl;
	unsigned i = in->n;

	if (!cl || !insertion_grow(in)) {
		in->error = cl ? -ENOMEM : xs_fail(-EINVAL, "a task without a codelet has no handles");
		return;
	}
	STARPU_TASK_GET_HANDLES(task)[i] = handle;
	(task->dyn_modes ? task->dyn_modes : task->modes)[i] = (enum starpu_data_access_mode)mode;
	in->n++;
	if (cl->nbuffers == STARPU_VARIABLE_NBUFFERS || !checked)
		return;
	if ((int)i < cl->nbuffers && (cl->dyn_modes || i < STARPU_NMAXBUFS)) {
		unsigned declared = STARPU_CODELET_GET_MODE(cl, i);

		/* A codelet without modes takes those of its first task. */
		if (!declared && !cl->checked)
			STARPU_CODELET_SET_MODE(task->cl, (enum starpu_data_access_mode)mode, i);
		else if (declared && (declared & 0x1f) != (mode & 0x1f))
			in->error = xs_fail(-EINVAL, "codelet '%s' declares mode %u for handle %u, and the task has %u",
					    cl->name ? cl->name : "", declared, i, mode);
	}
}

static void insertion_deps(struct insertion *in, bool ends)
{
	int n = va_arg(in->list, int);
	struct starpu_task **tasks = va_arg(in->list, struct starpu_task **);

	if (ends)
		starpu_task_declare_end_deps_array(in->task, (unsigned)n, tasks);
	else
		starpu_task_declare_deps_array(in->task, (unsigned)n, tasks);
}

static void insertion_data_array(struct insertion *in)
{
	starpu_data_handle_t *handles = va_arg(in->list, starpu_data_handle_t *);
	int n = va_arg(in->list, int);
	const struct starpu_codelet *cl = in->task->cl;

	for (int i = 0; i < n && cl; i++) {
		unsigned mode = cl->dyn_modes || in->n < STARPU_NMAXBUFS ? STARPU_CODELET_GET_MODE(cl, in->n)
									 : STARPU_RW;

		insertion_handle(in, handles[i], mode, false);
	}
}

/* Memory nodes of the handles, which may come before or after them. */
static void insertion_nodes(struct insertion *in, const int *nodes, size_t stride, int n)
{
	struct starpu_task *task = in->task;
	int *room = n > STARPU_NMAXBUFS ? realloc(task->dyn_nodes, (size_t)n * sizeof *room) : task->nodes;

	if (!room) {
		in->error = -ENOMEM;
		return;
	}
	for (int i = 0; i < n; i++)
		room[i] = *(const int *)((const char *)nodes + (size_t)i * stride);
	if (room != task->nodes)
		task->dyn_nodes = room;
	task->specific_nodes = 1;
}

static void insertion_node_array(struct insertion *in)
{
	const int *nodes = va_arg(in->list, int *);

	insertion_nodes(in, nodes, sizeof *nodes, va_arg(in->list, int));
}

static void insertion_mode_node_array(struct insertion *in)
{
	struct starpu_data_mode_node_descr *descriptions = va_arg(in->list, struct starpu_data_mode_node_descr *);
	int n = va_arg(in->list, int);

	for (int i = 0; i < n; i++)
		insertion_handle(in, descriptions[i].handle, descriptions[i].mode, true);
	if (n > 0)
		insertion_nodes(in, &descriptions->node, sizeof *descriptions, n);
}

static void insertion_mode_array(struct insertion *in)
{
	struct starpu_data_descr *descriptions = va_arg(in->list, struct starpu_data_descr *);
	int n = va_arg(in->list, int);

	for (int i = 0; i < n; i++)
		insertion_handle(in, descriptions[i].handle, descriptions[i].mode, true);
}

typedef void (*callback_t)(void *);
typedef int (*decide_t)();
typedef void (*replace_t)();

static bool insertion_recursive(struct insertion *in, int kind)
{
	struct starpu_task *task = in->task;

	switch (kind) {
	case STARPU_RECURSIVE_TASK_FUNC:
		task->recursive_task_func = va_arg(in->list, decide_t);
		return true;
	case STARPU_RECURSIVE_TASK_FUNC_ARG:
		task->recursive_task_func_arg = va_arg(in->list, void *);
		return true;
	case STARPU_RECURSIVE_TASK_GEN_DAG_FUNC:
		task->recursive_task_gen_dag_func = va_arg(in->list, replace_t);
		return true;
	case STARPU_RECURSIVE_TASK_GEN_DAG_FUNC_ARG:
		task->recursive_task_gen_dag_func_arg = va_arg(in->list, void *);
		return true;
	case STARPU_RECURSIVE_TASK_PARENT:
		task->recursive_task_parent = va_arg(in->list, struct starpu_task *);
		return true;
	default:
		return false;
	}
}

/* Callbacks and their arguments. False: it is another kind. */
static bool insertion_callback(struct insertion *in, int kind)
{
	struct starpu_task *task = in->task;

	switch (kind) {
	case STARPU_CALLBACK:
		task->callback_func = va_arg(in->list, callback_t);
		return true;
	case STARPU_CALLBACK_WITH_ARG:
	case STARPU_CALLBACK_WITH_ARG_NFREE:
		task->callback_func = va_arg(in->list, callback_t);
		task->callback_arg = va_arg(in->list, void *);
		task->callback_arg_free = kind == STARPU_CALLBACK_WITH_ARG;
		return true;
	case STARPU_CALLBACK_ARG:
	case STARPU_CALLBACK_ARG_NFREE:
		task->callback_arg = va_arg(in->list, void *);
		task->callback_arg_free = kind == STARPU_CALLBACK_ARG;
		return true;
	case STARPU_EPILOGUE_CALLBACK:
		task->epilogue_callback_func = va_arg(in->list, callback_t);
		return true;
	case STARPU_EPILOGUE_CALLBACK_ARG:
		task->epilogue_callback_arg = va_arg(in->list, void *);
		task->epilogue_callback_arg_free = 1;
		return true;
	case STARPU_PROLOGUE_CALLBACK:
		task->prologue_callback_func = va_arg(in->list, callback_t);
		return true;
	case STARPU_PROLOGUE_CALLBACK_ARG:
	case STARPU_PROLOGUE_CALLBACK_ARG_NFREE:
		task->prologue_callback_arg = va_arg(in->list, void *);
		task->prologue_callback_arg_free = kind == STARPU_PROLOGUE_CALLBACK_ARG;
		return true;
	case STARPU_PROLOGUE_CALLBACK_POP:
		task->prologue_callback_pop_func = va_arg(in->list, callback_t);
		return true;
	case STARPU_PROLOGUE_CALLBACK_POP_ARG:
	case STARPU_PROLOGUE_CALLBACK_POP_ARG_NFREE:
		task->prologue_callback_pop_arg = va_arg(in->list, void *);
		task->prologue_callback_pop_arg_free = kind == STARPU_PROLOGUE_CALLBACK_POP_ARG;
		return true;
	default:
		return false;
	}
}

/* Where, when and as what the task runs. False: it is another kind. */
static bool insertion_setting(struct insertion *in, int kind)
{
	struct starpu_task *task = in->task;
	int number;

	switch (kind) {
	case STARPU_PRIORITY:
		task->priority = va_arg(in->list, int);
		return true;
	case STARPU_EXECUTE_ON_WORKER:
		number = va_arg(in->list, int);
		task->execute_on_a_specific_worker = number != -1;
		task->workerid = number != -1 ? (unsigned)number : 0;
		return true;
	case STARPU_WORKER_ORDER:
		task->workerorder = va_arg(in->list, unsigned);
		return true;
	case STARPU_TASK_WORKERIDS:
		task->workerids_len = va_arg(in->list, unsigned);
		task->workerids = va_arg(in->list, uint32_t *);
		return true;
	case STARPU_EXECUTE_WHERE:
		task->where = (int32_t)va_arg(in->list, unsigned long long);
		return true;
	case STARPU_SCHED_CTX:
		task->sched_ctx = va_arg(in->list, unsigned);
		return true;
	case STARPU_NAME:
		task->name = va_arg(in->list, const char *);
		return true;
	case STARPU_TASK_FILE:
		task->file = va_arg(in->list, const char *);
		return true;
	case STARPU_TASK_LINE:
		task->line = va_arg(in->list, int);
		return true;
	case STARPU_FLOPS:
		task->flops = va_arg(in->list, double);
		return true;
	case STARPU_TASK_COLOR:
		task->color = (unsigned)va_arg(in->list, int);
		return true;
	case STARPU_TASK_SYNCHRONOUS:
		task->synchronous = va_arg(in->list, int) != 0;
		return true;
	case STARPU_SEQUENTIAL_CONSISTENCY:
		task->sequential_consistency = va_arg(in->list, unsigned) != 0;
		return true;
	case STARPU_HANDLES_SEQUENTIAL_CONSISTENCY:
		task->handles_sequential_consistency = va_arg(in->list, unsigned char *);
		return true;
	case STARPU_HYPERVISOR_TAG:
		task->hypervisor_tag = va_arg(in->list, int);
		return true;
	case STARPU_POSSIBLY_PARALLEL:
		task->possibly_parallel = va_arg(in->list, unsigned);
		return true;
	case STARPU_TASK_PROFILING_INFO:
		task->profiling_info = va_arg(in->list, struct starpu_profiling_task_info *);
		return true;
	case STARPU_TASK_NO_SUBMITORDER:
		task->no_submitorder = va_arg(in->list, unsigned) != 0;
		return true;
	case STARPU_TASK_SCHED_DATA:
		task->sched_data = va_arg(in->list, void *);
		return true;
	case STARPU_NODE_SELECTION_POLICY:
	case STARPU_EXECUTE_ON_NODE:
		(void)va_arg(in->list, int);
		return true;
	case STARPU_TRANSACTION:
		task->transaction = va_arg(in->list, struct starpu_transaction *);
		return true;
	case STARPU_EXECUTE_ON_DATA:
		(void)va_arg(in->list, void *);
		return true;
	default:
		return false;
	}
}

static void insertion_value(struct insertion *in)
{
	void *ptr = va_arg(in->list, void *);
	size_t size = va_arg(in->list, size_t);

	starpu_codelet_pack_arg(&in->values, ptr, size);
}

static void insertion_arguments(struct insertion *in, int kind)
{
	struct starpu_task *task = in->task;

	task->cl_arg = va_arg(in->list, void *);
	task->cl_arg_size = va_arg(in->list, size_t);
	task->cl_arg_free = kind == STARPU_CL_ARGS;
}

static void insertion_take(struct insertion *in, int kind)
{
	if (kind & ((1 << STARPU_MODE_SHIFT) - 1))
		insertion_handle(in, va_arg(in->list, starpu_data_handle_t), (unsigned)kind, true);
	else if (kind == STARPU_VALUE)
		insertion_value(in);
	else if (kind == STARPU_CL_ARGS || kind == STARPU_CL_ARGS_NFREE)
		insertion_arguments(in, kind);
	else if (kind == STARPU_DATA_ARRAY)
		insertion_data_array(in);
	else if (kind == STARPU_DATA_MODE_ARRAY)
		insertion_mode_array(in);
	else if (kind == STARPU_NODE_ARRAY)
		insertion_node_array(in);
	else if (kind == STARPU_DATA_MODE_NODE_ARRAY)
		insertion_mode_node_array(in);
	else if (kind == STARPU_TASK_DEPS_ARRAY || kind == STARPU_TASK_END_DEPS_ARRAY)
		insertion_deps(in, kind == STARPU_TASK_END_DEPS_ARRAY);
	else if (kind == STARPU_TASK_END_DEP)
		starpu_task_end_dep_add(in->task, va_arg(in->list, int));
	else if (kind == STARPU_TAG || kind == STARPU_TAG_ONLY) {
		in->task->tag_id = va_arg(in->list, starpu_tag_t);
		in->task->use_tag = kind == STARPU_TAG;
	} else if (!insertion_callback(in, kind) && !insertion_setting(in, kind) && !insertion_recursive(in, kind))
		in->error = xs_fail(-EINVAL, "starpu_task_insert: unknown kind of argument %d", kind);
}

static int insertion_fill(struct starpu_task *task, struct starpu_codelet *cl, va_list list)
{
	struct insertion in = { .task = task };
	int kind;

	task->cl = cl;
	starpu_codelet_pack_arg_init(&in.values);
	va_copy(in.list, list);
	while (!in.error && (kind = va_arg(in.list, int)))
		insertion_take(&in, kind);
	va_end(in.list);
	task->nbuffers = (int)in.n;
	if (!in.error && cl && cl->nbuffers != STARPU_VARIABLE_NBUFFERS && cl->nbuffers != (int)in.n)
		in.error = xs_fail(-EINVAL, "codelet '%s' has %d buffers, and the task has %u",
				   cl->name ? cl->name : "", cl->nbuffers, in.n);
	if (in.values.nargs && !task->cl_arg) {
		starpu_codelet_pack_arg_fini(&in.values, &task->cl_arg, &task->cl_arg_size);
		task->cl_arg_free = 1;
	} else {
		free(in.values.arg_buffer);
	}
	return in.error;
}

int starpu_task_set(struct starpu_task *task, struct starpu_codelet *cl, ...)
{
	va_list list;
	int error;

	va_start(list, cl);
	error = insertion_fill(task, cl, list);
	va_end(list);
	return error;
}

struct starpu_task *starpu_task_build(struct starpu_codelet *cl, ...)
{
	struct starpu_task *task = starpu_task_create();
	va_list list;
	int error;

	if (!task)
		return NULL;
	va_start(list, cl);
	error = insertion_fill(task, cl, list);
	va_end(list);
	if (!error)
		return task;
	xs_task_free(task);
	return NULL;
}

static int insert(struct starpu_codelet *cl, va_list list)
{
	struct starpu_task *task = starpu_task_create();
	int error;

	if (!task)
		return -ENOMEM;
	error = insertion_fill(task, cl, list);
	if (!error)
		error = xs_submit(task, true);
	if (error)
		xs_task_free(task);
	return error;
}

int starpu_task_insert(struct starpu_codelet *cl, ...)
{
	va_list list;
	int error;

	va_start(list, cl);
	error = insert(cl, list);
	va_end(list);
	return error;
}

int starpu_insert_task(struct starpu_codelet *cl, ...)
{
	va_list list;
	int error;

	va_start(list, cl);
	error = insert(cl, list);
	va_end(list);
	return error;
}

/* --- handles one by one, for layers above --- */

void starpu_task_insert_data_make_room(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_buffers,
				       int current_buffer, int room)
{
	struct insertion in = { .task = task, .room = (unsigned)*allocated_buffers };

	task->cl = cl;
	for (in.n = (unsigned)current_buffer; in.n < (unsigned)(current_buffer + room); in.n++)
		if (!insertion_grow(&in))
			xs_fail(-ENOMEM, "no memory for the handles of a task");
	*allocated_buffers = (int)in.room;
}

void starpu_task_insert_data_process_arg(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_buffers,
					 int *current_buffer, int arg_type, starpu_data_handle_t handle)
{
	struct insertion in = { .task = task, .n = (unsigned)*current_buffer, .room = (unsigned)*allocated_buffers };

	task->cl = cl;
	insertion_handle(&in, handle, (unsigned)arg_type, true);
	task->nbuffers = *current_buffer = (int)in.n;
	*allocated_buffers = (int)in.room;
}

void starpu_task_insert_data_process_array_arg(struct starpu_codelet *cl, struct starpu_task *task,
					       int *allocated_buffers, int *current_buffer, int nb_handles,
					       starpu_data_handle_t *handles)
{
	for (int i = 0; i < nb_handles; i++) {
		bool has = cl->dyn_modes || *current_buffer < STARPU_NMAXBUFS;

		starpu_task_insert_data_process_arg(cl, task, allocated_buffers, current_buffer,
						    has ? (int)STARPU_CODELET_GET_MODE(cl, *current_buffer) : STARPU_RW,
						    handles[i]);
	}
}

void starpu_task_insert_data_process_mode_array_arg(struct starpu_codelet *cl, struct starpu_task *task,
						    int *allocated_buffers, int *current_buffer, int nb_descrs,
						    struct starpu_data_descr *descrs)
{
	for (int i = 0; i < nb_descrs; i++)
		starpu_task_insert_data_process_arg(cl, task, allocated_buffers, current_buffer, (int)descrs[i].mode,
						    descrs[i].handle);
}
