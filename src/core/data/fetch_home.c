/* SPDX-License-Identifier: MIT */
/* Brings data to where the application has it: its own memory, or RAM while it holds the data. */
#include <errno.h>

#include "core/data/fetch.h"
#include "core/data/transfer.h"
#include "core/runtime/runtime.h"

/* The handle is locked. */
static int home_step(struct xy__copy *home, unsigned mode, struct xy__await *await, struct xy__agent *agent)
{
	struct xy_handle *h = home->handle;
	struct xy__copies *copies = h->copies;
	int error = 0;

	if ((mode & XY_R) && !(atomic_load(&h->valid) & xy__bit(home->node))) {
		error = await->begun ? home->error : 0;
		if (!error)
			error = xy__transfer_begin(home, agent);
		error = error ? error : -EAGAIN;
	} else if ((mode & XY_W) && copies->transfers) {
		xy__transfers_spoil(h);
		error = -EAGAIN;
	} else if (mode & XY_W) {
		atomic_store(&h->valid, xy__bit(home->node));
	}
	if (error == -EAGAIN) {
		await->begun = true;
		await->next = copies->awaits;
		copies->awaits = await;
	}
	return error;
}

int xy__fetch_home(struct xy_handle *h, unsigned mode, struct xy__await *await, struct xy__agent *agent)
{
	int error;

	xy__lock_take(&h->lock);
	error = home_step(&h->copies->ram, mode, await, agent);
	xy__transfers_go(h);
	return error;
}

int xy__fetch_leave(struct xy_handle *h, struct xy__await *await, struct xy__agent *agent)
{
	int error;

	xy__lock_take(&h->lock);
	error = home_step(h->copies->on[h->copies->home], XY_RW, await, agent);
	xy__transfers_go(h);
	return error;
}

/* Memory in RAM, within its limit if that is only a matter of time. -EAGAIN: await is notified. */
static int acquire_allocate(struct xy_handle *h, struct xy__await *await, struct xy__agent *agent)
{
	struct xy__copy *ram = &h->copies->ram;
	int error = xy__copy_allocate(ram, XY__EFFORT_ALL, agent);

	if (error != -EAGAIN)
		return error;
	if (xy__node_await_room(&h->runtime->memory.nodes[XY__RAM], await))
		return -EAGAIN;
	return xy__copy_allocate(ram, XY__EFFORT_BEYOND, agent);
}

int xy__fetch_acquire(struct xy_handle *h, unsigned mode, struct xy__await *await, struct xy__agent *agent)
{
	int error;

	xy__lock_take(&h->lock);
	error = acquire_allocate(h, await, agent);
	if (!error)
		error = home_step(&h->copies->ram, mode, await, agent);
	if (!error)
		xy__copy_hold(&h->copies->ram);
	xy__transfers_go(h);
	return error;
}
