/* SPDX-License-Identifier: MIT */
/*
 * The environment of a repetition: that of the tool, with the GPUs, threads and numbers of its slot.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/util/message.h"
#include "tools/slots.h"

enum { ENVIRONMENT_OWN = 20, ENVIRONMENT_TEXT = 8192 };

/* What replaces and joins the tool's own variables. */
struct environment {
	char *own[ENVIRONMENT_OWN];
	unsigned count;
	bool failed;
};

__attribute__((format(printf, 3, 4))) static void environment_set(struct environment *e, const char *name,
								  const char *format, ...)
{
	char *value = NULL, *entry = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&value, format, args) < 0 || asprintf(&entry, "%s=%s", name, value) < 0)
		e->failed = true;
	else
		e->own[e->count++] = entry;
	va_end(args);
	free(value);
}

void slots_environment_cpus(const struct slots_job *job, unsigned slot, char *text, size_t size)
{
	unsigned n = job->division.cpus_per_slot;

	text[0] = '\0';
	if (n > 0)
		slots_cpus_print(&job->cpus, job->division.cpus + slot * n, n, text, size);
}

void slots_environment_gpus(const struct slots_job *job, unsigned slot, char *text, size_t size)
{
	unsigned first = slots_division_gpu(&job->division, slot);
	struct xy__message message;

	xy__message_init(&message, text, size);
	for (unsigned i = 0; i < job->division.gpus_per_slot; i++)
		xy__message_add(&message, "%s%s", i ? "," : "", job->gpus.ids[first + i]);
}

/* Limits that a server of CUDA's MPS enforces, for each repetition that shares a GPU. */
static void environment_mps(struct environment *e, const struct slots_job *job)
{
	unsigned percent = (unsigned)(100 * job->gpu_share + 0.5);

	environment_set(e, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "%u", percent > 0 ? percent : 1);
	if (job->gpu_memory_bytes > 0)
		environment_set(e, "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=%lluM", job->gpu_memory_bytes >> 20);
}

static void environment_own(struct environment *e, const struct slots_job *job, const struct slots_rep *rep,
			    unsigned slot)
{
	static const char *const threads[] = { "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
					       "NUMEXPR_NUM_THREADS" };
	char path[PATH_MAX], whole[PATH_MAX], list[ENVIRONMENT_TEXT];

	slots_rep_path(job, rep->number, "", path, sizeof(path));
	environment_set(e, "XYLEM_REP", "%u", rep->number);
	environment_set(e, "XYLEM_REPS", "%u", job->nreps);
	environment_set(e, "XYLEM_REP_FOLDER", "%s", realpath(path, whole) ? whole : path);
	environment_set(e, "XYLEM_SLOT", "%u", slot);
	environment_set(e, "XYLEM_SLOTS", "%u", job->division.nslots);
	if (job->division.gpus_per_slot > 0) {
		slots_environment_gpus(job, slot, list, sizeof(list));
		environment_set(e, "CUDA_VISIBLE_DEVICES", "%s", list);
	}
	if (job->mps && job->division.reps_per_gpu > 1)
		environment_mps(e, job);
	if (job->division.cpus_per_slot == 0)
		return;
	slots_environment_cpus(job, slot, list, sizeof(list));
	environment_set(e, "XYLEM_SLOT_CPUS", "%s", list);
	for (unsigned i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		environment_set(e, threads[i], "%u", job->division.cpus_per_slot);
}

static bool environment_has(const struct environment *e, const char *entry)
{
	size_t length = strcspn(entry, "=") + 1;

	for (unsigned i = 0; i < e->count; i++)
		if (!strncmp(e->own[i], entry, length))
			return true;
	return false;
}

char **slots_environment(const struct slots_job *job, const struct slots_rep *rep, unsigned slot)
{
	struct environment e = { .count = 0 };
	size_t n = 0, used = 0;
	char **all;

	while (environ && environ[n])
		n++;
	all = calloc(n + ENVIRONMENT_OWN + 1, sizeof(*all));
	environment_own(&e, job, rep, slot);
	for (size_t i = 0; all && i < n; i++)
		if (!environment_has(&e, environ[i]) && !(all[used++] = strdup(environ[i])))
			e.failed = true;
	for (unsigned i = 0; i < e.count; i++)
		if (all)
			all[used++] = e.own[i];
		else
			free(e.own[i]);
	if (all && !e.failed)
		return all;
	slots_environment_free(all);
	return NULL;
}

void slots_environment_free(char **environment)
{
	for (size_t i = 0; environment && environment[i]; i++)
		free(environment[i]);
	free(environment);
}
