/* SPDX-License-Identifier: MIT */
/*
 * Bundles: tasks that a policy might keep together. Those of Xylem's do not; a program's own may ask what a bundle
 * takes.
 */
#include "internal.h"

struct _starpu_task_bundle {
	pthread_mutex_t lock;       /* guards what follows */
	struct starpu_task **tasks; /* its members that have not ended */
	unsigned n, room;
	bool closed; /* the last member frees it */
};

void starpu_task_bundle_create(starpu_task_bundle_t *bundle)
{
	*bundle = calloc(1, sizeof **bundle);
	if (*bundle)
		pthread_mutex_init(&(*bundle)->lock, NULL);
	else
		xs_fail(-ENOMEM, "no memory for a bundle");
}

/* Drops the lock, and the bundle if nothing needs it. */
static void bundle_leave(struct _starpu_task_bundle *bundle)
{
	bool last = bundle->closed && !bundle->n;

	pthread_mutex_unlock(&bundle->lock);
	if (!last)
		return;
	pthread_mutex_destroy(&bundle->lock);
	free(bundle->tasks);
	free(bundle);
}

int starpu_task_bundle_insert(starpu_task_bundle_t bundle, struct starpu_task *task)
{
	struct starpu_task **grown;
	int error = 0;

	if (!bundle || task->bundle)
		return xs_fail(-EPERM, "there is no bundle, or the task is already in one");
	if (task->status != STARPU_TASK_INIT)
		return xs_fail(-EINVAL, "the task is already submitted");
	pthread_mutex_lock(&bundle->lock);
	if (bundle->closed)
		error = -EPERM;
	if (!error && bundle->n == bundle->room) {
		grown = realloc(bundle->tasks, (2 * bundle->room + 4) * sizeof *grown);
		if (grown) {
			bundle->tasks = grown;
			bundle->room = 2 * bundle->room + 4;
		} else {
			error = -ENOMEM;
		}
	}
	if (!error) {
		bundle->tasks[bundle->n++] = task;
		task->bundle = bundle;
	}
	pthread_mutex_unlock(&bundle->lock);
	return error ? xs_fail(error, "a bundle takes no task: %s", strerror(-error)) : 0;
}

int starpu_task_bundle_remove(starpu_task_bundle_t bundle, struct starpu_task *task)
{
	int error = -ENOENT;

	if (!bundle || task->bundle != bundle)
		return error;
	pthread_mutex_lock(&bundle->lock);
	for (unsigned i = 0; i < bundle->n && error; i++)
		if (bundle->tasks[i] == task) {
			bundle->tasks[i] = bundle->tasks[--bundle->n];
			error = 0;
		}
	task->bundle = NULL;
	bundle_leave(bundle);
	return error;
}

void starpu_task_bundle_close(starpu_task_bundle_t bundle)
{
	if (!bundle)
		return;
	pthread_mutex_lock(&bundle->lock);
	bundle->closed = true;
	bundle_leave(bundle);
}

/* --- what a bundle takes: the sum of its tasks; NAN if one is not known --- */

double starpu_task_bundle_expected_length(starpu_task_bundle_t bundle, struct starpu_perfmodel_arch *arch,
					  unsigned nimpl)
{
	double sum = 0;

	pthread_mutex_lock(&bundle->lock);
	for (unsigned i = 0; i < bundle->n; i++)
		sum += starpu_task_expected_length(bundle->tasks[i], arch, nimpl);
	pthread_mutex_unlock(&bundle->lock);
	return sum;
}

double starpu_task_bundle_expected_energy(starpu_task_bundle_t bundle, struct starpu_perfmodel_arch *arch,
					  unsigned nimpl)
{
	double sum = 0;

	pthread_mutex_lock(&bundle->lock);
	for (unsigned i = 0; i < bundle->n; i++)
		sum += starpu_task_expected_energy(bundle->tasks[i], arch, nimpl);
	pthread_mutex_unlock(&bundle->lock);
	return sum;
}

double starpu_task_bundle_expected_data_transfer_time(starpu_task_bundle_t bundle, unsigned memory_node)
{
	double sum = 0;

	pthread_mutex_lock(&bundle->lock);
	for (unsigned i = 0; i < bundle->n; i++)
		sum += starpu_task_expected_data_transfer_time(memory_node, bundle->tasks[i]);
	pthread_mutex_unlock(&bundle->lock);
	return sum;
}
