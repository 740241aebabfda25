/* SPDX-License-Identifier: MIT */
/*
 * Gates: a job that waits for explicit dependencies starts after an empty task of Xylem's, which is submitted once the
 * last of them is fulfilled.
 */
#include "deps.h"

/* Gates to be used again: any thread gives one back, and the lock's holder takes all at once. */
static struct xs_gate *own_gates;             /* (d) */
static _Atomic(struct xs_gate *) spare_gates; /* (a) */

static struct xs_gate *gate_take(void)
{
	struct xs_gate *gate;

	if (!own_gates)
		own_gates = atomic_exchange(&spare_gates, NULL);
	gate = own_gates;
	if (!gate)
		return malloc(sizeof *gate);
	own_gates = gate->next;
	return gate;
}

static void gate_give(struct xs_gate *gate)
{
	struct xs_gate *old = atomic_load_explicit(&spare_gates, memory_order_relaxed); /* the exchange checks it */

	do
		gate->next = old;
	while (!atomic_compare_exchange_weak(&spare_gates, &old, gate));
}

void xs_gates_fini(void)
{
	while (own_gates || atomic_load(&spare_gates))
		free(gate_take());
}

struct xs_gate *xs_gate_create(void)
{
	struct xs_gate *gate = gate_take();

	if (!gate)
		return NULL;
	gate->users = 2;
	if (!xy_task_create(xs_global.rt, &(struct xy_task_desc){ .name = "dependencies" }, &gate->task))
		return gate;
	gate_give(gate);
	return NULL;
}

void xs_gate_drop(struct xs_gate *gate)
{
	if (!gate || atomic_fetch_sub(&gate->users, 1) > 1)
		return;
	xy_task_release(gate->task);
	gate_give(gate);
}

/* Not with the lock held: what waits behind the gate may run at once. */
void xs_gate_open(struct xs_gate *gate)
{
	if (!gate)
		return;
	xy_task_submit(gate->task);
	xs_gate_drop(gate);
}

#define FEW (sizeof((struct xs_opening *)NULL)->few / sizeof(struct xs_gate *))

void xs_opening_add(struct xs_opening *o, struct xs_gate *gate)
{
	if (!gate)
		return;
	if (o->n < FEW) {
		o->few[o->n++] = gate;
		return;
	}
	if (o->n - FEW == o->room) {
		unsigned room = o->room ? 2 * o->room : 64;
		struct xs_gate **more = realloc(o->more, room * sizeof *more);

		if (!more) {
			xs_fail(-ENOMEM, "no memory to start a task whose dependencies are fulfilled");
			return;
		}
		o->more = more;
		o->room = room;
	}
	o->more[o->n++ - FEW] = gate;
}

void xs_opening_unlock(struct xs_opening *o)
{
	pthread_mutex_unlock(&xs_deps_lock);
	for (unsigned i = 0; i < o->n; i++)
		xs_gate_open(i < FEW ? o->few[i] : o->more[i - FEW]);
	free(o->more);
}
