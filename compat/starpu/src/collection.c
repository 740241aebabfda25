/* SPDX-License-Identifier: MIT */
/*
 * Worker collections: lists of workers with an iterator. Contexts fill theirs themselves; a program may make some of
 * its own from the functions of starpu_worker_list and starpu_worker_tree, which keep the order of insertion.
 */
#include "internal.h"

static unsigned collection_has_next(struct starpu_worker_collection *workers, struct starpu_sched_ctx_iterator *it)
{
	return (unsigned)it->cursor < workers->nworkers;
}

static int collection_get_next(struct starpu_worker_collection *workers, struct starpu_sched_ctx_iterator *it)
{
	return workers->workerids[it->cursor++];
}

static void collection_init_iterator(struct starpu_worker_collection *workers, struct starpu_sched_ctx_iterator *it)
{
	(void)workers;
	memset(it, 0, sizeof *it);
}

static void collection_init_iterator_for_task(struct starpu_worker_collection *workers,
					      struct starpu_sched_ctx_iterator *it, struct starpu_task *task)
{
	collection_init_iterator(workers, it);
	it->possibly_parallel = task && task->cl && task->cl->type != STARPU_SEQ;
}

/* --- of a program --- */

static void collection_init(struct starpu_worker_collection *workers)
{
	workers->workerids = calloc(STARPU_NMAXWORKERS, sizeof *workers->workerids);
	workers->nworkers = 0;
	memset(workers->present, 0, sizeof workers->present);
	if (!workers->workerids)
		xs_fail(-ENOMEM, "no memory for a set of workers");
}

static void collection_deinit(struct starpu_worker_collection *workers)
{
	free(workers->workerids);
	workers->workerids = NULL;
	workers->nworkers = 0;
}

static int collection_add(struct starpu_worker_collection *workers, int worker)
{
	if (worker < 0 || worker >= STARPU_NMAXWORKERS || !workers->workerids || workers->present[worker])
		return -1;
	workers->workerids[workers->nworkers++] = worker;
	workers->present[worker] = 1;
	return worker;
}

static int collection_remove(struct starpu_worker_collection *workers, int worker)
{
	unsigned kept = 0;

	if (worker < 0 || worker >= STARPU_NMAXWORKERS || !workers->present[worker])
		return -1;
	for (unsigned i = 0; i < workers->nworkers; i++)
		if (workers->workerids[i] != worker)
			workers->workerids[kept++] = workers->workerids[i];
	workers->nworkers = kept;
	workers->present[worker] = 0;
	return worker;
}

#define COLLECTION(kind) \
	{ \
		.type = kind, .has_next = collection_has_next, .get_next = collection_get_next, .add = collection_add, \
		.remove = collection_remove, .init = collection_init, .deinit = collection_deinit, \
		.init_iterator = collection_init_iterator, \
		.init_iterator_for_parallel_tasks = collection_init_iterator_for_task, \
	}
struct starpu_worker_collection starpu_worker_list = COLLECTION(STARPU_WORKER_LIST);
struct starpu_worker_collection starpu_worker_tree = COLLECTION(STARPU_WORKER_TREE);

/* --- of a context, which changes its workers itself --- */

static int context_change(struct starpu_worker_collection *workers, int worker)
{
	(void)workers;
	return worker;
}

static void context_keep(struct starpu_worker_collection *workers)
{
	(void)workers;
}

void xs_collection_fill(struct starpu_worker_collection *c, int *ids, unsigned n)
{
	*c = starpu_worker_list;
	c->workerids = c->unblocked_workers = c->masters = ids;
	c->nworkers = c->nunblocked_workers = c->nmasters = n;
	c->add = c->remove = context_change;
	c->init = c->deinit = context_keep;
	for (unsigned i = 0; i < n; i++)
		c->present[ids[i]] = c->is_unblocked[ids[i]] = c->is_master[ids[i]] = 1;
}
