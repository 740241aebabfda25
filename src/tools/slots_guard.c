/* SPDX-License-Identifier: MIT */
/*
 * The guard of GPU memory: asks nvidia-smi every few seconds how much each process has, adds that up
 * for the processes of a repetition, and warns of or stops one that takes more than its share.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/slots.h"

#define GUARD_INTERVAL_S 5.0
#define GUARD_PATIENCE_S 10.0 /* for an answer */
#define GUARD_FAILURES 3u     /* in a row, until it gives up */
#define GUARD_ANCESTORS 64u

void slots_guard_init(struct slots_guard *guard, const struct slots_job *job)
{
	*guard = (struct slots_guard){ .smi = { .output = -1 }, .off = job->gpu_memory_bytes == 0 };
	if (guard->off)
		return;
	/* No process may use a GPU yet, so an empty answer is one too. */
	slots_smi_answer(&guard->smi, SLOTS_SMI_ADDRESSES, GUARD_PATIENCE_S);
	if (guard->smi.text.length > 0)
		return;
	tool_say("slots: --gpu-memory: nvidia-smi does not answer, so GPU memory is not watched");
	guard->off = true;
}

void slots_guard_fini(struct slots_guard *guard)
{
	slots_smi_fini(&guard->smi);
}

/* The parent of a process; 0 if there is none. */
static pid_t guard_parent(pid_t pid)
{
	char path[64], line[512];
	const char *after;
	FILE *file;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	/* The name, in parentheses, may have blanks and parentheses in it. */
	if (fgets(line, sizeof(line), file) && (after = strrchr(line, ')')) &&
	    sscanf(after + 1, " %*c %d", &parent) != 1)
		parent = 0;
	fclose(file);
	return parent;
}

/* The slot whose repetition a process belongs to: by its group, or as a descendant; -1: none. */
static int guard_slot(const struct slots_job *job, struct slots_rep *const *running, pid_t pid)
{
	for (unsigned i = 0; i < GUARD_ANCESTORS && pid > 1; i++) {
		pid_t group = getpgid(pid);

		for (unsigned slot = 0; slot < job->division.nslots; slot++)
			if (running[slot] && (running[slot]->pid == pid || running[slot]->pid == group))
				return (int)slot;
		pid = guard_parent(pid);
	}
	return -1;
}

static void guard_judge(const struct slots_job *job, struct slots_rep *rep, unsigned long long bytes)
{
	char reason[sizeof(rep->reason)];

	if (bytes <= job->gpu_memory_bytes || rep->warned)
		return;
	rep->warned = true;
	snprintf(reason, sizeof(reason), "it takes %llu MiB of GPU memory, more than %llu MiB", bytes >> 20,
		 job->gpu_memory_bytes >> 20);
	if (job->memory_stops)
		slots_run_stop(job, rep, reason);
	else
		tool_say("slots: rep %u: %s", rep->number, reason);
}

static void guard_read(struct slots_guard *guard, const struct slots_job *job, struct slots_rep *const *running)
{
	for (unsigned slot = 0; slot < job->division.nslots; slot++) {
		const char *at = guard->smi.text.at ? guard->smi.text.at : "";
		unsigned long long sum = 0;
		uint64_t bytes;
		pid_t pid;

		while (running[slot] && slots_smi_process(&at, &pid, &bytes))
			if (guard_slot(job, running, pid) == (int)slot)
				sum += bytes;
		if (running[slot])
			guard_judge(job, running[slot], sum);
	}
}

static void guard_failed(struct slots_guard *guard)
{
	if (++guard->failures < GUARD_FAILURES)
		return;
	tool_say("slots: --gpu-memory: nvidia-smi does not answer any more, so GPU memory is no longer watched");
	guard->off = true;
}

double slots_guard_turn(struct slots_guard *guard, const struct slots_job *job, struct slots_rep *const *running)
{
	double now = xy__now();

	if (guard->limit_s > 0) {
		bool whole = slots_smi_read(&guard->smi);

		if (!whole && now < guard->limit_s)
			return guard->limit_s;
		guard->limit_s = 0;
		guard->next_s = now + GUARD_INTERVAL_S;
		if (slots_smi_end(&guard->smi) && whole) {
			guard->failures = 0;
			guard_read(guard, job, running);
		} else {
			guard_failed(guard);
		}
	}
	if (!guard->off && now >= guard->next_s) {
		guard->next_s = now + GUARD_INTERVAL_S;
		if (slots_smi_ask(&guard->smi, SLOTS_SMI_MEMORY))
			guard_failed(guard);
		else
			guard->limit_s = now + GUARD_PATIENCE_S;
	}
	return guard->off ? now + 3600 : guard->limit_s > 0 ? guard->limit_s : guard->next_s;
}
