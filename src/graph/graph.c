/* SPDX-License-Identifier: MIT */
/*
 * Graphs grow one kernel, datum or task at a time; what was added is consistent with what was there, or it is not
 * added.
 */
#include "graph/graph.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/text.h"

void graph_fini(struct graph *g)
{
	for (uint32_t i = 0; i < g->nkernels; i++)
		free(g->kernels[i].name);
	for (uint32_t i = 0; i < g->ndata; i++)
		free(g->data[i].name);
	for (uint32_t i = 0; i < g->ntasks; i++) {
		free(g->tasks[i].name);
		free(g->tasks[i].costs);
		free(g->tasks[i].record);
	}
	free(g->name);
	free(g->kernels);
	free(g->data);
	free(g->tasks);
	free(g->accesses);
	free(g->before);
	*g = (struct graph){ 0 };
}

/* Makes room for n more elements in an array. 0, -ENOMEM or -E2BIG. */
static int graph_reserve(void *array, uint32_t count, uint32_t n, uint32_t *room, size_t size)
{
	size_t wanted = (size_t)count + n, grown = *room + *room / 2 + 16;
	void **at = array, *more;

	if (wanted <= *room)
		return 0;
	if (wanted > GRAPH_TASKS_MAX * (size_t)8)
		return -E2BIG;
	more = realloc(*at, (grown > wanted ? grown : wanted) * size);
	if (!more)
		return -ENOMEM;
	*at = more;
	*room = (uint32_t)(grown > wanted ? grown : wanted);
	return 0;
}

/* A copy of a text, NULL for NULL; false without memory. */
static bool graph_copy_text(const char *text, char **copy)
{
	*copy = text ? strdup(text) : NULL;
	return !text || *copy;
}

static bool graph_is_length(double us)
{
	return us >= 0 && us <= GRAPH_LENGTH_MAX_US;
}

int graph__add_new_kernel(struct graph *g, const char *name, double length_us)
{
	char *copy;
	int error;

	if (!name || !*name || !graph_is_length(length_us))
		return -EINVAL;
	if (g->nkernels >= GRAPH_TASKS_MAX)
		return -E2BIG;
	error = graph_reserve(&g->kernels, g->nkernels, 1, &g->kernels_room, sizeof(*g->kernels));
	if (error)
		return error;
	if (!graph_copy_text(name, &copy))
		return -ENOMEM;
	g->kernels[g->nkernels] = (struct graph_kernel){ .name = copy, .length_us = length_us };
	return (int)g->nkernels++;
}

int graph_add_kernel(struct graph *g, const char *name, double length_us)
{
	for (uint32_t i = g->nkernels; name && i-- > 0;)
		if (!strcmp(g->kernels[i].name, name))
			return (int)i;
	return graph__add_new_kernel(g, name, length_us);
}

int graph_add_data(struct graph *g, const char *name, uint64_t bytes)
{
	char *copy;
	int error;

	if (bytes > GRAPH_BYTES_MAX)
		return -EINVAL;
	if (g->ndata >= GRAPH_TASKS_MAX)
		return -E2BIG;
	error = graph_reserve(&g->data, g->ndata, 1, &g->data_room, sizeof(*g->data));
	if (error)
		return error;
	if (!graph_copy_text(name, &copy))
		return -ENOMEM;
	g->data[g->ndata] = (struct graph_data){ .name = copy, .bytes = bytes };
	return (int)g->ndata++;
}

int graph_set_processors(struct graph *g, uint32_t nprocessors)
{
	if (g->ntasks || nprocessors > GRAPH_TASKS_MAX)
		return -EINVAL;
	g->nprocessors = nprocessors;
	return 0;
}

int graph_set_name(struct graph *g, const char *name)
{
	char *copy;

	if (!graph_copy_text(name, &copy))
		return -ENOMEM;
	free(g->name);
	g->name = copy;
	return 0;
}

static bool graph_is_mode(unsigned mode)
{
	return mode == XY_R || mode == XY_W || mode == XY_RW || mode == XY_SCRATCH || mode == (XY_RW | XY_COMMUTE) ||
	       mode == XY_REDUX;
}

static bool graph_are_costs(const double *costs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!isfinite(costs[i]) || costs[i] <= 0)
			return false;
	return true;
}

/* Checks that a task can be added and makes room for it. */
static int graph_check_desc(const struct graph *g, const struct graph_task_desc *desc)
{
	if (desc->kernel != GRAPH_NO_KERNEL && desc->kernel >= g->nkernels)
		return -EINVAL;
	if (!graph_is_length(desc->length_us))
		return -EINVAL;
	for (uint32_t i = 0; i < desc->naccesses; i++)
		if (desc->accesses[i].data >= g->ndata || !graph_is_mode(desc->accesses[i].mode))
			return -EINVAL;
	for (uint32_t i = 0; i < desc->nbefore; i++)
		if (desc->before[i] >= g->ntasks)
			return -EINVAL;
	if (desc->kernel != GRAPH_NO_KERNEL && g->nprocessors &&
	    (!desc->costs || !graph_are_costs(desc->costs, g->nprocessors)))
		return -EINVAL;
	return g->ntasks < GRAPH_TASKS_MAX ? 0 : -E2BIG;
}

/* Copies what a task owns; false without memory, then nothing is left. */
static bool graph_copy_owned(const struct graph *g, const struct graph_task_desc *desc, struct graph_task *task)
{
	size_t size = g->nprocessors * sizeof(*task->costs);

	if (!graph_copy_text(desc->name, &task->name))
		return false;
	if (g->nprocessors && desc->costs && desc->kernel != GRAPH_NO_KERNEL) {
		task->costs = malloc(size);
		if (!task->costs)
			goto failed;
		memcpy(task->costs, desc->costs, size);
	}
	if (desc->record) {
		task->record = malloc(sizeof(*task->record));
		if (!task->record)
			goto failed;
		*task->record = *desc->record;
	}
	return true;
failed:
	free(task->costs);
	free(task->name);
	return false;
}

int graph_add_task(struct graph *g, const struct graph_task_desc *desc)
{
	struct graph_task task = {
		.kernel = desc->kernel,
		.priority = desc->priority,
		.length_us = desc->length_us,
		.first_access = g->naccesses,
		.naccesses = desc->naccesses,
		.first_before = g->nbefore,
		.nbefore = desc->nbefore,
	};
	int error = graph_check_desc(g, desc);

	if (!error)
		error = graph_reserve(&g->tasks, g->ntasks, 1, &g->tasks_room, sizeof(*g->tasks));
	if (!error)
		error = graph_reserve(&g->accesses, g->naccesses, desc->naccesses, &g->accesses_room,
				      sizeof(*g->accesses));
	if (!error)
		error = graph_reserve(&g->before, g->nbefore, desc->nbefore, &g->before_room, sizeof(*g->before));
	if (!error && !graph_copy_owned(g, desc, &task))
		error = -ENOMEM;
	if (error)
		return error;
	if (desc->naccesses)
		memcpy(&g->accesses[g->naccesses], desc->accesses, desc->naccesses * sizeof(*g->accesses));
	if (desc->nbefore)
		memcpy(&g->before[g->nbefore], desc->before, desc->nbefore * sizeof(*g->before));
	g->naccesses += desc->naccesses;
	g->nbefore += desc->nbefore;
	g->tasks[g->ntasks] = task;
	return (int)g->ntasks++;
}

/* The fault of a task, NULL without one. */
static const char *graph_task_fault(const struct graph *g, uint32_t t)
{
	const struct graph_task *task = &g->tasks[t];

	if (task->kernel != GRAPH_NO_KERNEL && task->kernel >= g->nkernels)
		return "its kernel does not exist";
	if (!graph_is_length(task->length_us))
		return "its length is not a number of microseconds";
	if ((uint64_t)task->first_access + task->naccesses > g->naccesses ||
	    (uint64_t)task->first_before + task->nbefore > g->nbefore)
		return "its accesses or predecessors do not exist";
	for (uint32_t i = 0; i < task->naccesses; i++) {
		const struct graph_access *access = &g->accesses[task->first_access + i];

		if (access->data >= g->ndata)
			return "it uses data that does not exist";
		if (!graph_is_mode(access->mode))
			return "it has an invalid access mode";
	}
	for (uint32_t i = 0; i < task->nbefore; i++)
		if (g->before[task->first_before + i] >= t)
			return "it waits for a task that does not come before it";
	if (task->kernel != GRAPH_NO_KERNEL && g->nprocessors &&
	    (!task->costs || !graph_are_costs(task->costs, g->nprocessors)))
		return "it lacks the cost on each processor";
	return NULL;
}

int graph_check(const struct graph *g, char *error, size_t error_size)
{
	for (uint32_t i = 0; i < g->nkernels; i++)
		if (!graph_is_length(g->kernels[i].length_us)) {
			xy__text_print(error, error_size,
				       "kernel %s: its length is not a number of "
				       "microseconds",
				       g->kernels[i].name);
			return -EINVAL;
		}
	for (uint32_t t = 0; t < g->ntasks; t++) {
		const char *fault = graph_task_fault(g, t);

		if (fault) {
			xy__text_print(error, error_size, "task %u%s%s: %s", t, g->tasks[t].name ? ", " : "",
				       g->tasks[t].name ? g->tasks[t].name : "", fault);
			return -EINVAL;
		}
	}
	return 0;
}

uint64_t graph_task_bytes(const struct graph *g, uint32_t t)
{
	const struct graph_task *task = &g->tasks[t];
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < task->naccesses; i++)
		bytes += g->data[g->accesses[task->first_access + i].data].bytes;
	return bytes;
}

double graph_task_length(const struct graph *g, uint32_t t)
{
	const struct graph_task *task = &g->tasks[t];
	double sum = 0;

	if (task->kernel == GRAPH_NO_KERNEL)
		return 0;
	if (task->length_us > 0)
		return task->length_us;
	for (uint32_t p = 0; task->costs && p < g->nprocessors; p++)
		sum += task->costs[p];
	return sum > 0 ? sum / g->nprocessors : g->kernels[task->kernel].length_us;
}
