/* SPDX-License-Identifier: MIT */
/* Names and data of handles, memory nodes of accesses, tasks without a function. */
#include "check.h"

static void f(void *b[], void *a)
{
	(void)a;
	CHECK(starpu_task_get_current_data_node(0) == 0 ||
	      starpu_task_get_current_data_node(0) == (int)starpu_worker_get_local_memory_node());
	++*(int *)STARPU_VARIABLE_GET_PTR(b[0]);
}

static struct starpu_codelet cl = { .cpu_funcs = { f },
				    .nbuffers = 1,
				    .modes = { STARPU_RW },
				    .specific_nodes = 1,
				    .nodes = { STARPU_SPECIFIC_NODE_CPU } },
			     c2 = { .cpu_funcs = { f }, .nbuffers = 1, .modes = { STARPU_RW | STARPU_LOCALITY } },
			     c3 = { .cpu_funcs = { f }, .nbuffers = 1, .modes = { STARPU_RW | STARPU_NOFOOTPRINT } };

static struct starpu_codelet now = { .where = STARPU_NOWHERE, .nbuffers = 1, .modes = { STARPU_RW } };
static int got;

static void cb(void *a)
{
	(void)a;
	got++;
}

int main(void)
{
	START();
	int v = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, 0, (uintptr_t)&v, sizeof v);
	starpu_data_set_name(h, "hello");
	CHECK(!strcmp(starpu_data_get_name(h), "hello"));
	starpu_data_set_coordinates(h, 2, 3, 4);
	int xy[2];
	CHECK(starpu_data_get_coordinates_array(h, 2, xy) == 2 && xy[1] == 4);
	int ud;
	starpu_data_set_user_data(h, &ud);
	CHECK(starpu_data_get_user_data(h) == &ud);
	OK(starpu_task_insert(&cl, STARPU_RW, h, 0));
	OK(starpu_task_insert(&c2, STARPU_RW | STARPU_LOCALITY, h, 0));
	OK(starpu_task_insert(&c3, STARPU_RW | STARPU_NOFOOTPRINT, h, 0));
	OK(starpu_task_insert(&now, STARPU_RW, h, STARPU_CALLBACK, cb, 0));
	int nodes[1] = { STARPU_SPECIFIC_NODE_LOCAL };
	OK(starpu_task_insert(&cl, STARPU_RW, h, STARPU_NODE_ARRAY, nodes, 1, 0));
	struct starpu_task *t = starpu_task_create_sync(h, STARPU_R);
	t->callback_func = cb;
	OK(starpu_task_submit(t));
	starpu_data_unregister(h);
	OK(starpu_task_wait_for_all());
	CHECK(v == 4 && got == 2);
	starpu_shutdown();
	return 0;
}
