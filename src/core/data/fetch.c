/* SPDX-License-Identifier: MIT */
/*
 * Fetches what a task needs on its worker's node: room for each access, and the content of those it reads. A task is
 * admitted when it holds all of them; until then it releases what it holds rather than wait for a task that may wait
 * for it. If memory is short, one task at a time has its turn.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "core/data/fetch.h"
#include "core/data/prefetch.h"
#include "core/data/redux.h"
#include "core/data/transfer.h"
#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
#include "core/runtime/halt.h"
#include "core/runtime/runtime.h"
#include "core/runtime/worker.h"

static struct xy__node *fetch_node(const struct xy__fetch *f, const struct xy__agent *agent)
{
	return &agent->runtime->memory.nodes[f->node];
}

static struct xy_handle *fetch_handle(const struct xy__fetch *f, unsigned i)
{
	uintptr_t access = xy__task_accesses(f->task)[i];

	return access & XY_REDUX ? xy__redux_replica(access, f->worker)->handle : xy__access_handle(access);
}

/* Where an access has its data. Not known before it is held, if that may be anywhere. */
static unsigned fetch_place(const struct xy__fetch *f, unsigned i)
{
	return f->places ? f->places[i].node : f->node;
}

/* A task that overwrites the content reads the arrays that it does not write. */
static bool fetch_needs_constants(const struct xy__fetch *f, unsigned i, uintptr_t access)
{
	const struct xy_handle *h = xy__access_handle(access);

	return (access & XY_W) && h->constant && fetch_place(f, i) != XY__RAM &&
	       atomic_load(&((struct xy_handle *)h)->valid);
}

static unsigned fetch_mode(const struct xy__fetch *f, unsigned i)
{
	uintptr_t access = xy__task_accesses(f->task)[i];

	if (access & XY_REDUX)
		return xy__redux_replica(access, f->worker)->used ? XY_RW : XY_W;
	return xy__access_mode(access) | (fetch_needs_constants(f, i, access) ? XY_R : 0);
}

/* The copy that an access holds. */
static struct xy__copy *fetch_copy(const struct xy__fetch *f, unsigned i)
{
	struct xy__copies *copies = fetch_handle(f, i)->copies;

	return fetch_mode(f, i) & XY_SCRATCH ? copies->scratch[f->worker] : copies->on[fetch_place(f, i)];
}

static int __attribute__((format(printf, 3, 4))) fetch_fail(struct xy__fetch *f, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(f->reason, sizeof f->reason, format, arguments);
	va_end(arguments);
	return error;
}

/* --- holding --- */

static int fetch_failed_transfer(struct xy__fetch *f, unsigned i, int error, struct xy__agent *agent)
{
	const char *name = xy_handle_name(xy__access_handle(xy__task_accesses(f->task)[i]));
	const char *node = agent->runtime->memory.nodes[fetch_place(f, i)].name;
	char why[192];

	if (error == -ENODATA)
		return fetch_fail(f, error, "'%s' is read, but was never written", name);
	xy__blame_get(fetch_handle(f, i), error, why, sizeof why);
	return fetch_fail(f, error, "'%s' could not be copied to %s: %s", name, node, why);
}

/* Gives a copy memory of its own. */
static int fetch_separate(struct xy__copy *copy, struct xy__agent *agent)
{
	struct xy_handle *h = copy->handle;
	uint64_t valid = atomic_load(&h->valid), mine = xy__bit(copy->node);

	if (copy->pins || copy->incoming)
		return -EAGAIN;
	if (!(valid & mine) || (valid & ~mine & ~atomic_load(&h->runtime->memory.lost))) {
		xy__copy_release(copy);
		return 0;
	}
	if (!h->copies->ram.pins && !h->copies->ram.incoming && copy->unsaved < XY__SAVE_TRIES)
		xy__transfer_evict(copy, agent);
	return -EAGAIN;
}

/* Whether a task that is running on the same worker writes the content, which this one then finds in the copy. */
static bool fetch_is_coming(const struct xy__fetch *f, unsigned i)
{
	return i < 64 && (f->coming >> i & 1);
}

static bool fetch_is_heir(const struct xy__fetch *f, unsigned mode)
{
	return f->behind && (mode & (XY_W | XY_SCRATCH)) == XY_W;
}

/* Chooses where an access has its data. The handle is locked. */
static void fetch_settle(struct xy__fetch *f, struct xy_handle *h, unsigned i)
{
	const struct xy__memory *memory = &h->runtime->memory;
	uint64_t valid = atomic_load(&h->valid) & ~memory->lost;

	if (!f->places)
		return;
	if (memory->disk)
		valid &= ~xy__bit(memory->disk);
	f->places[i].node = (uint8_t)f->node;
	if (f->places[i].wish == XY__PLACE_RAM)
		f->places[i].node = XY__RAM;
	else if (f->places[i].wish == XY__PLACE_ANYWHERE && valid && !(valid & xy__bit(f->node)))
		f->places[i].node = (uint8_t)__builtin_ctzll(valid);
}

/*
 * Keeps a copy where it is. On another node than the worker's, it counts like one that the application holds: so a task
 * waits for room on one node only.
 */
static void fetch_pin(struct xy__fetch *f, struct xy__copy *copy)
{
	struct xy__node *node = &copy->handle->runtime->memory.nodes[copy->node];

	if (copy->node == f->node) {
		xy__copy_pin(copy);
		return;
	}
	xy__copy_hold(copy);
	xy__lock_take(&node->lock);
	node->admitted++;
	xy__lock_drop(&node->lock);
}

static void fetch_unpin(struct xy__fetch *f, struct xy__copy *copy)
{
	struct xy__node *node = &copy->handle->runtime->memory.nodes[copy->node];

	if (copy->node == f->node) {
		copy->pins--;
		return;
	}
	xy__copy_let_go(copy);
	xy__lock_take(&node->lock);
	node->admitted--;
	xy__node_change(node);
	xy__lock_drop(&node->lock);
}

/* Makes sure that an access has memory, pins it, and begins to bring its content. */
static int fetch_hold(struct xy__fetch *f, unsigned i, struct xy__agent *agent)
{
	struct xy_handle *h = fetch_handle(f, i);
	struct xy__copy *copy;
	unsigned mode;
	int error;

	xy__lock_take(&h->lock);
	fetch_settle(f, h, i);
	mode = fetch_mode(f, i);
	copy = mode & XY_SCRATCH ? xy__copy_scratch(h, f->worker, f->node) : xy__copy_on(h, fetch_place(f, i));
	error = !copy ? -ENOMEM : f->apart && copy->lender ? fetch_separate(copy, agent) : 0;
	if (!error)
		error = xy__copy_allocate(copy, copy->node == f->node ? XY__EFFORT_ALL : XY__EFFORT_BEYOND, agent);
	if (!error) {
		if (h->copies->advice == XY_ADVICE_WONT_USE)
			h->copies->advice = XY_ADVICE_NORMAL;
		fetch_pin(f, copy);
		if ((mode & XY_R) && !fetch_is_coming(f, i))
			error = xy__transfer_begin(copy, agent);
		if (error)
			fetch_unpin(f, copy);
		else
			copy->heirs += fetch_is_heir(f, mode);
		f->buffers[i] = copy->view;
	}
	xy__transfers_go(h);
	return error;
}

static void fetch_drop(struct xy__fetch *f)
{
	while (f->npinned) {
		struct xy_handle *h = fetch_handle(f, --f->npinned);

		xy__lock_take(&h->lock);
		fetch_copy(f, f->npinned)->heirs -= fetch_is_heir(f, fetch_mode(f, f->npinned));
		fetch_unpin(f, fetch_copy(f, f->npinned));
		xy__lock_drop(&h->lock);
	}
}

/* Whether an access uses memory that the handle has in any case. */
static bool fetch_is_home(const struct xy__fetch *f, unsigned i)
{
	const struct xy__copy *copy = fetch_handle(f, i)->copies->on[fetch_place(f, i)];

	return !(fetch_mode(f, i) & XY_SCRATCH) && copy && copy->home;
}

/* Bytes of an access on the task's node. */
static size_t fetch_content(const struct xy__fetch *f, unsigned i)
{
	const struct xy_handle *h = fetch_handle(f, i);

	return h->copies->on[f->node] ? h->copies->on[f->node]->content_bytes : h->size_bytes;
}

/* Bytes that the task needs on its node at once; a handle counts once. */
static size_t fetch_bytes(const struct xy__fetch *f)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < f->task->naccesses; i++) {
		bool before = fetch_is_home(f, i) || fetch_place(f, i) != f->node;

		for (unsigned j = 0; j < i && !before; j++)
			before = fetch_handle(f, j) == fetch_handle(f, i) &&
				 !((fetch_mode(f, j) ^ fetch_mode(f, i)) & XY_SCRATCH);
		if (!before)
			bytes += fetch_content(f, i);
	}
	return bytes;
}

/* A device may have less than its limit: a large one was asked for, or other programs use the device too. */
static int fetch_too_large(struct xy__fetch *f, struct xy__node *node)
{
	if (fetch_bytes(f) <= node->limit)
		return fetch_fail(f, -ENOMEM, "its data needs %zu bytes on %s, more than it has", fetch_bytes(f),
				  node->name);
	f->too_large = true;
	return fetch_fail(f, -ENOMEM, "its data needs %zu bytes on %s, which has room for %zu", fetch_bytes(f),
			  node->name, node->limit);
}

/* Nothing can be evicted, and all others are done. */
static int fetch_no_room(struct xy__fetch *f, struct xy__node *node)
{
	int error = atomic_load(&node->save_error);

	if (!error)
		return fetch_too_large(f, node);
	return fetch_fail(f, error, "its data needs %zu bytes on %s, and other data can't be saved on disk: %s",
			  fetch_bytes(f), node->name, strerror(-error));
}

/* What it holds may live in larger copies, which can't be evicted for that. Then it starts again without them. */
static bool fetch_set_apart(struct xy__fetch *f)
{
	bool apart = false;

	for (unsigned i = 0; i < f->npinned && !f->apart; i++)
		apart |= fetch_copy(f, i)->lender != NULL;
	if (!apart)
		return false;
	f->apart = true;
	fetch_drop(f);
	return true;
}

/* Whether everything evictable was gone while it looked. The node is locked. */
static bool fetch_is_last(const struct xy__fetch *f, struct xy__node *node)
{
	return xy__node_rests(node, 1) && atomic_load(&node->changes) == f->changes;
}

/* Gives back what it holds. */
static void fetch_give_way(struct xy__fetch *f, struct xy__node *node)
{
	fetch_drop(f);
	if (!f->holding)
		return;
	f->holding = false;
	xy__lock_take(&node->lock);
	node->holding--;
	xy__node_change(node);
	xy__lock_drop(&node->lock);
}

/*
 * There was no memory. Either another task has its turn, or this one does; the task whose turn it is fails when all
 * others have released what they had and it is not enough.
 */
static int fetch_starve(struct xy__fetch *f, struct xy__agent *agent)
{
	struct xy__node *node = fetch_node(f, agent);
	bool first, hopeless;

	if (fetch_bytes(f) > node->limit)
		return fetch_too_large(f, node);
	xy__lock_take(&node->lock);
	if (!node->starving)
		node->starving = f;
	first = node->starving == f;
	hopeless = first && fetch_is_last(f, node);
	xy__lock_drop(&node->lock);
	if (!first)
		fetch_give_way(f, node);
	else if (f->places)
		fetch_drop(f); /* those of other nodes may be in the way of tasks there */
	return hopeless && !fetch_set_apart(f) ? fetch_no_room(f, node) : -EAGAIN;
}

/* If not, it is one of those that hold something. */
static bool fetch_must_wait(struct xy__fetch *f, struct xy__node *node)
{
	bool wait;

	xy__lock_take(&node->lock);
	wait = node->starving && node->starving != f;
	if (!wait && !f->holding) {
		f->holding = true;
		node->holding++;
	}
	xy__lock_drop(&node->lock);
	return wait;
}

static void fetch_admit(struct xy__fetch *f, struct xy__node *node)
{
	xy__lock_take(&node->lock);
	node->admitted++;
	node->holding -= f->holding;
	if (node->starving == f)
		node->starving = NULL;
	xy__lock_drop(&node->lock);
	f->holding = false;
	f->admitted = true;
}

static int fetch_hold_all(struct xy__fetch *f, struct xy__agent *agent)
{
	struct xy__node *node = fetch_node(f, agent);

	if ((f->task->flags & XY__TASK_REDUX) && !xy__redux_replicas(f->task, f->worker))
		return fetch_fail(f, -ENOMEM, "not enough memory for a reduction copy");
	if (f->task->naccesses && fetch_must_wait(f, node)) {
		fetch_give_way(f, node);
		return -EAGAIN;
	}
	f->changes = atomic_load(&node->changes);
	for (; f->npinned < f->task->naccesses; f->npinned++) {
		int error = fetch_hold(f, f->npinned, agent);

		if (error == -EAGAIN)
			return fetch_starve(f, agent);
		if (error)
			return fetch_failed_transfer(f, f->npinned, error, agent);
	}
	fetch_admit(f, node);
	return 0;
}

/* --- arriving --- */

/* Whether an access may be used now. */
static int fetch_arrived(struct xy__fetch *f, unsigned i, struct xy__agent *agent)
{
	struct xy_handle *h = fetch_handle(f, i);
	unsigned mode = fetch_mode(f, i);
	struct xy__copy *copy = fetch_copy(f, i);
	int error = 0;

	if (fetch_is_coming(f, i))
		return 0; /* the task that writes it has seen to transfers of older content */
	/* acquire: pairs with transfer_finish, which sets the bit after the data has come */
	if (mode & XY_SCRATCH ||
	    ((atomic_load_explicit(&h->valid, memory_order_acquire) & xy__bit(fetch_place(f, i)) || !(mode & XY_R)) &&
	     !atomic_load(&h->underway)))
		return 0;
	xy__lock_take(&h->lock);
	if (copy->incoming) {
		xy__transfer_begin(copy, agent); /* if it is a hint, it is needed now */
		error = -EAGAIN;
	} else if ((mode & XY_R) && !(atomic_load(&h->valid) & xy__bit(fetch_place(f, i)))) {
		error = copy->error;
		if (!error)
			error = xy__transfer_begin(copy, agent);
		error = error ? fetch_failed_transfer(f, i, error, agent) : -EAGAIN;
	} else if (mode & XY_W) {
		/* Transfers of the old content are useless now; readers of this copy must be waited for. */
		xy__transfers_spoil(h);
		error = atomic_load(&copy->readers) ? -EAGAIN : 0;
	}
	xy__transfers_go(h);
	return error;
}

/* The common case on a CPU: everything is in RAM, and nothing is in flight. */
static bool fetch_is_there(struct xy__fetch *f)
{
	const uintptr_t *accesses = xy__task_accesses(f->task);

	if (f->node != XY__RAM || f->places)
		return false;
	for (unsigned i = 0; i < f->task->naccesses; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);

		/* acquire: pairs with transfer_finish */
		if ((accesses[i] & (XY_SCRATCH | XY_REDUX)) || !h->copies->ram.home || !h->copies->ram.allocated ||
		    !(atomic_load_explicit(&h->valid, memory_order_acquire) & xy__bit(XY__RAM)) ||
		    ((accesses[i] & XY_W) && atomic_load_explicit(&h->underway, memory_order_acquire)))
			return false;
		f->buffers[i] = &h->view;
	}
	return true;
}

void xy__fetch_init(struct xy__fetch *f, struct xy_task *task, struct xy__worker *worker, void **buffers)
{
	f->task = task;
	f->node = worker->node;
	f->worker = worker->id;
	f->npinned = 0;
	f->places = xy__task_places(task);
	f->holding = f->admitted = f->there = f->too_large = f->apart = f->behind = false;
	f->coming = 0;
	f->buffers = buffers;
	f->reason[0] = '\0';
	if (task->flags & XY__TASK_WANTED)
		xy__task_unwant(task);
}

int xy__fetch_step(struct xy__fetch *f, struct xy__agent *agent)
{
	int error = 0;

	if (!f->admitted) {
		f->there = !f->npinned && fetch_is_there(f);
		if (f->there)
			return 0;
		error = fetch_hold_all(f, agent);
	}
	for (unsigned i = 0; i < f->npinned && !error; i++)
		error = fetch_arrived(f, i, agent);
	return error;
}

int xy__fetch_wait(struct xy__fetch *f, struct xy__agent *agent)
{
	unsigned rounds = 0;
	int error;

	while ((error = xy__fetch_step(f, agent)) == -EAGAIN) {
		xy__halt_pass(agent); /* for memory that a task of another worker uses */
		if (xy__transfers_poll(agent->runtime, agent))
			rounds = 0;
		else
			agent->runtime->engine->pause(agent->runtime, &rounds);
	}
	return error;
}

/* --- the end of the task --- */

/*
 * A new content: the other copies are not valid any more, except those that are to get it at once; unless it is being
 * overwritten already.
 */
static void fetch_commit(struct xy_handle *h, unsigned node, struct xy__agent *agent)
{
	uint64_t others = h->copies->on[node]->heirs ? 0 : h->copies->write_through & ~xy__bit(node);

	atomic_store(&h->valid, xy__bit(node));
	xy__transfers_spoil(h);
	for (unsigned i = 0; others >> i; i++) {
		struct xy__copy *copy = others >> i & 1 ? xy__copy_on(h, i) : NULL;

		/* Only a hint: without room it is left. */
		if (copy && !xy__copy_allocate(copy, XY__EFFORT_IDLE, agent))
			xy__transfer_offer(copy, agent);
	}
}

static void fetch_close(struct xy__fetch *f, unsigned i, int status, struct xy__agent *agent)
{
	struct xy_handle *h = fetch_handle(f, i);
	unsigned mode = fetch_mode(f, i);
	uint64_t mine = xy__bit(fetch_place(f, i)), valid;

	if (f->there && (!(mode & XY_W) ||
			 (!status && !h->copies->write_through &&
			  atomic_load_explicit(&h->valid, memory_order_relaxed) == mine && !atomic_load(&h->underway))))
		return;
	xy__lock_take(&h->lock);
	valid = atomic_load(&h->valid);
	if (f->admitted)
		fetch_copy(f, i)->heirs -= fetch_is_heir(f, mode);
	if ((mode & XY_W) && !status)
		fetch_commit(h, fetch_place(f, i), agent);
	else if ((mode & XY_W) && (valid & ~mine & ~atomic_load(&agent->runtime->memory.lost)))
		atomic_store(&h->valid, valid & ~mine); /* its output is worthless, the old content is valid */
	if (f->admitted)
		fetch_unpin(f, fetch_copy(f, i));
	xy__transfers_go(h);
}

void xy__fetch_end(struct xy__fetch *f, int status, struct xy__agent *agent)
{
	struct xy__node *node = fetch_node(f, agent);
	unsigned n = f->task->naccesses;

	if (!f->admitted && !f->there) { /* it never began */
		fetch_give_way(f, node);
		xy__lock_take(&node->lock);
		if (node->starving == f)
			node->starving = NULL;
		xy__lock_drop(&node->lock);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		fetch_close(f, i, status, agent);
	if (!f->admitted)
		return;
	xy__lock_take(&node->lock);
	node->admitted--;
	xy__node_change(node);
	xy__lock_drop(&node->lock);
}

/* A copy that the task wrote to counts no more if another one has the content: see fetch_close. */
bool xy__fetch_is_unharmed(const struct xy__fetch *f)
{
	for (unsigned i = 0; i < f->task->naccesses; i++) {
		uintptr_t access = xy__task_accesses(f->task)[i];
		unsigned mode = xy__access_mode(access);

		if (access & XY_REDUX)
			return false;
		if ((mode & XY_RW) == XY_RW &&
		    atomic_load(&xy__access_handle(access)->valid) & xy__bit(fetch_place(f, i)))
			return false;
	}
	return true;
}
