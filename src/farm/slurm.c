/* SPDX-License-Identifier: MIT */
/*
 * SLURM: job arrays by sbatch, one squeue in each round, scancel. squeue shows ended jobs, too, for some
 * minutes: so one
 * command tells why a job ended, and no accounting is needed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "farm/cluster.h"
#include "farm/script.h"

static void slurm_add(struct farm_cluster *cluster, struct farm_words *words, const char *text)
{
	if (text)
		farm_words_add(&cluster->scratch, words, text);
	else
		cluster->scratch.failed = true;
}

/* States after which a job's processes are gone. */
static bool slurm_is_over(const char *state)
{
	static const char *const over[] = { "BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE", "FAILED",
					    "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT" };

	for (size_t i = 0; i < sizeof(over) / sizeof(over[0]); i++)
		if (!strcmp(state, over[i]))
			return true;
	return false;
}

/* Lines of ID|STATE|NAME. */
int farm_slurm_parse(const struct farm_cluster *cluster, char *text, struct farm_queue *queue)
{
	char *line, *rest;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *state = strchr(line, '|'), *name = state ? strchr(state + 1, '|') : NULL, set[9];
		struct farm_queued *queued;

		if (!name)
			continue;
		*state++ = '\0';
		*name++ = '\0';
		if (!farm_cluster_is_own(cluster, name, set))
			continue;
		queued = farm_queue_add(queue);
		if (!queued)
			return -ENOMEM;
		snprintf(queued->id, sizeof(queued->id), "%s", line);
		memcpy(queued->set, set, sizeof(set));
		queued->running = !strcmp(state, "RUNNING") || !strcmp(state, "COMPLETING");
		queued->ended = slurm_is_over(state);
		snprintf(queued->cause, sizeof(queued->cause), "%s", state);
	}
	return 0;
}

static int slurm_queue(struct farm_cluster *cluster, struct farm_queue *queue)
{
	struct farm_words words = { 0 };
	struct xy__buffer output = { 0 };
	char error[600];
	int failed;

	slurm_add(cluster, &words, "squeue");
	slurm_add(cluster, &words, farm_text(&cluster->scratch, "--user=%u", (unsigned)getuid()));
	slurm_add(cluster, &words, "--states=all");
	slurm_add(cluster, &words, "--array");
	slurm_add(cluster, &words, "--noheader");
	slurm_add(cluster, &words, "--format=%i|%T|%j");
	failed = cluster->scratch.failed ? -ENOMEM : farm_cluster_run(cluster, &words, &output, error, sizeof(error));
	if (failed)
		farm_say(cluster->report, "the queue can't be read: %s", failed == -ENOMEM ? "no memory" : error);
	else if (output.at)
		failed = farm_slurm_parse(cluster, output.at, queue);
	xy__buffer_fini(&output);
	return failed;
}

/* Minutes and seconds as SLURM takes them. */
static char *slurm_time(struct farm_cluster *cluster, unsigned seconds)
{
	return farm_text(&cluster->scratch, "--time=%u:%02u", seconds / 60, seconds % 60);
}

static void slurm_resources(struct farm_cluster *cluster, struct farm_words *words, const struct farm_resources *r)
{
	struct farm *memory = &cluster->scratch;

	if (r->nodes) {
		slurm_add(cluster, words, farm_text(memory, "--nodes=%u", r->nodes));
		slurm_add(cluster, words, farm_text(memory, "--ntasks-per-node=%u", r->cores_per_node));
	} else if (r->cores) {
		slurm_add(cluster, words, farm_text(memory, "--ntasks=%u", r->cores));
	} else {
		slurm_add(cluster, words, farm_text(memory, "--ntasks=%u", r->ntasks ? r->ntasks : 1));
	}
	if (r->cpus_per_task)
		slurm_add(cluster, words, farm_text(memory, "--cpus-per-task=%u", r->cpus_per_task));
	slurm_add(cluster, words, r->requeue ? "--requeue" : "--no-requeue");
	if (r->partition)
		slurm_add(cluster, words, farm_text(memory, "--partition=%s", r->partition));
	if (r->memory)
		slurm_add(cluster, words, farm_text(memory, "--mem=%s", r->memory));
	if (r->gres)
		slurm_add(cluster, words, farm_text(memory, "--gres=%s", r->gres));
	if (r->exclusive)
		slurm_add(cluster, words, "--exclusive");
	if (r->time_limit_s)
		slurm_add(cluster, words, slurm_time(cluster, r->time_limit_s));
	if (r->time_limit_s && r->warning_s)
		slurm_add(cluster, words, farm_text(memory, "--signal=B:USR1@%u", r->warning_s));
	for (size_t i = 0; i < r->extra_scheduler.count; i++)
		slurm_add(cluster, words, r->extra_scheduler.at[i]);
}

/* The path of logs as a pattern: % is written twice. */
static char *slurm_output(struct farm_cluster *cluster)
{
	struct xy__buffer path = { 0 };
	char *option = NULL;

	for (const char *at = cluster->farm->folder; *at; at++)
		xy__buffer_add(&path, *at == '%' ? "%%%%" : "%c", *at);
	if (!path.failed)
		option = farm_text(&cluster->scratch, "--output=%s/logs/%%A_%%a.out", path.at);
	xy__buffer_fini(&path);
	return option;
}

static int slurm_submit(struct farm_cluster *cluster, const struct farm_piece *piece, unsigned count,
			struct farm_words *ids, char *error, size_t size)
{
	struct farm *memory = &cluster->scratch;
	struct xy__buffer output = { 0 };
	struct farm_words words = { 0 };
	int failed;

	slurm_add(cluster, &words, "sbatch");
	slurm_add(cluster, &words, "--parsable");
	slurm_add(cluster, &words, farm_text(memory, "--job-name=%s", farm_cluster_tag(cluster, piece->set, 60)));
	slurm_add(cluster, &words, slurm_output(cluster));
	slurm_add(cluster, &words, "--open-mode=append");
	slurm_add(cluster, &words, farm_text(memory, "--array=0-%u", count - 1));
	slurm_resources(cluster, &words, &piece->resources);
	failed = farm_cluster_late(cluster, piece, &words, error, size);
	if (failed)
		return failed;
	slurm_add(cluster, &words, farm_cluster_script(cluster, piece->set));
	failed = memory->failed ? -ENOMEM : farm_cluster_run(cluster, &words, &output, error, size);
	if (!failed) {
		/* ID or ID;CLUSTER */
		char *id = strtok(output.at ? output.at : (char[]){ "" }, ";\n");

		for (unsigned i = 0; id && i < count; i++)
			slurm_add(cluster, ids, farm_text(memory, "%s_%u", id, i));
		if (!id) {
			snprintf(error, size, "sbatch printed no job id");
			failed = -EPROTO;
		}
	}
	xy__buffer_fini(&output);
	return failed;
}

static int slurm_cancel(struct farm_cluster *cluster, const struct farm_words *ids)
{
	struct farm_words words = { 0 };
	struct xy__buffer output = { 0 };
	char error[600];
	int failed;

	slurm_add(cluster, &words, "scancel");
	/* The batch script forwards signals; without this only the steps of srun would get SIGTERM. */
	slurm_add(cluster, &words, "--quiet");
	for (size_t i = 0; i < ids->count; i++)
		slurm_add(cluster, &words, ids->at[i]);
	failed = cluster->scratch.failed ? -ENOMEM : farm_cluster_run(cluster, &words, &output, error, sizeof(error));
	if (failed)
		farm_say(cluster->report, "jobs can't be cancelled: %s", failed == -ENOMEM ? "no memory" : error);
	xy__buffer_fini(&output);
	return failed;
}

const struct farm_cluster_ops farm_slurm = {
	.name = "slurm",
	.job = "\"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\"",
	.prologue = "",
	.most = 1000,
	.queue = slurm_queue,
	.submit = slurm_submit,
	.cancel = slurm_cancel,
};
