/* SPDX-License-Identifier: MIT */
/*
 * Where the copies of data are: prefetching, evicting, and asking.
 */
#include "internal.h"

static bool node_check(unsigned node)
{
	return node < xs_global.nnodes;
}

int starpu_data_fetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async)
{
	if (!node_check(node))
		return xs_disk_is((int)node) ? 0 : xs_fail(-EINVAL, "there is no memory node %u", node);
	if (xs_global.nnodes == 1 && async)
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
	return node_check(node) && (xs_global.nnodes == 1 || xy_handle_nodes(handle->xy) >> node & 1);
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
		*is_allocated = (int)starpu_data_test_if_allocated_on_node(handle, (unsigned)memory_node);
	if (is_valid)
		*is_valid = there && atomic_load(&handle->initialised);
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
	if (!handle->shape)
		return memory_node == STARPU_MAIN_RAM && handle->allocated;
	return memory_node == STARPU_MAIN_RAM ? xy_handle_pointer(handle->xy) != NULL
					      : starpu_data_is_on_node(handle, memory_node);
}

unsigned starpu_data_is_on_node_excluding_prefetch(starpu_data_handle_t handle, unsigned node)
{
	return starpu_data_is_on_node(handle, node);
}

/* Devices have copies; they never use the program's memory in place. */
unsigned starpu_data_test_if_mapped_on_node(starpu_data_handle_t handle, unsigned memory_node)
{
	(void)handle;
	(void)memory_node;
	return 0;
}

int starpu_data_can_evict(starpu_data_handle_t handle, unsigned node, enum starpu_is_prefetch is_prefetch)
{
	(void)is_prefetch;
	return node != STARPU_MAIN_RAM && node_check(node) && starpu_data_is_on_node(handle, node) &&
	       atomic_load(&handle->acquired) <= 0;
}

void starpu_data_get_node_data(unsigned node, starpu_data_handle_t **handles, int **valid, unsigned *n)
{
	unsigned room = xs_handles_on(node, NULL, 0), found;

	*n = 0;
	*handles = calloc(room + 1, sizeof **handles);
	*valid = calloc(room + 1, sizeof **valid);
	if (!*handles || !*valid) {
		xs_fail(-ENOMEM, "no memory for a list of handles");
		return;
	}
	found = xs_handles_on(node, *handles, room);
	*n = found < room ? found : room;
	for (unsigned i = 0; i < *n; i++)
		(*valid)[i] = (int)starpu_data_is_on_node((*handles)[i], node);
}

/* Xylem chooses what it evicts. */
void starpu_data_register_victim_selector(starpu_data_victim_selector selector,
					  starpu_data_victim_eviction_failed evicted, void *data)
{
	(void)evicted;
	(void)data;
	if (selector)
		xs_fail(-ENOTSUP, "starpu_data_register_victim_selector: the program can't choose what is evicted");
}

void starpu_memchunk_tidy(unsigned memory_node)
{
	(void)memory_node;
}
