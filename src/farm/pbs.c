/* SPDX-License-Identifier: MIT */
/*
 * PBS Pro, OpenPBS and Torque: qsub, one `qstat -f` in each round, qdel. They differ in how arrays and resources are
 * written, so the version decides; what qstat -f prints is alike.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "farm/cluster.h"
#include "farm/process.h"
#include "farm/script.h"

#define PBS_NO_JOB 153 /* status of qstat where no job is there: error 15001 of PBS, cut to a byte */

static void pbs_add(struct farm_cluster *cluster, struct farm_words *words, const char *text)
{
	if (text)
		farm_words_add(&cluster->scratch, words, text);
	else
		cluster->scratch.failed = true;
}

enum farm_pbs_kind farm_pbs_kind_of(const char *version)
{
	if (version && (strstr(version, "pbs_version") || strstr(version, "PBSPro") || strstr(version, "OpenPBS")))
		return FARM_PBS_PRO;
	return version && !strncasecmp(version, "version:", 8) ? FARM_PBS_TORQUE : FARM_PBS_PLAIN;
}

void farm_pbs_tasks(struct farm *memory, const char *id, unsigned count, struct farm_words *ids)
{
	const char *brackets = strstr(id, "[]");

	for (unsigned i = 0; brackets && i < count; i++) {
		char *task = farm_text(memory, "%.*s[%u%s", (int)(brackets - id), id, i, brackets + 1);

		if (task)
			farm_words_add(memory, ids, task);
	}
}

/* The value of a line "    name = value", or NULL. Cuts what is behind it. */
static char *pbs_value(char *line, const char *name)
{
	size_t length = strlen(name);

	line += strspn(line, " \t");
	if (strncmp(line, name, length))
		return NULL;
	line += length;
	line += strspn(line, " \t");
	if (*line != '=')
		return NULL;
	line++;
	line += strspn(line, " \t");
	for (char *end = line + strlen(line); end > line && isspace((unsigned char)end[-1]);)
		*--end = '\0';
	return line;
}

/* Whether an id is of a whole array, such as 12[].server: its tasks are listed besides it. */
static bool pbs_is_array(const char *id)
{
	return strstr(id, "[]");
}

int farm_pbs_parse(const struct farm_cluster *cluster, char *text, struct farm_queue *queue)
{
	char *line, *rest, *value;
	char id[64] = "", set[9] = "";
	bool own = false;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (!strncmp(line, "Job Id:", 7)) {
			value = line + 7 + strspn(line + 7, " \t");
			snprintf(id, sizeof(id), "%.*s", (int)strcspn(value, " \t\r"), value);
			own = false;
		} else if ((value = pbs_value(line, "Job_Name"))) {
			own = farm_cluster_is_own(cluster, value, set);
		} else if (own && (value = pbs_value(line, "job_state"))) {
			struct farm_queued *queued = pbs_is_array(id) ? NULL : farm_queue_add(queue);

			if (!queued && !pbs_is_array(id))
				return -ENOMEM;
			if (!queued)
				continue;
			memcpy(queued->id, id, sizeof(id));
			memcpy(queued->set, set, sizeof(set));
			/* C, F and X: over; E is ending, so its processes may still be there. */
			queued->ended = strchr("CFX", *value);
			queued->running = strchr("RE", *value);
			snprintf(queued->cause, sizeof(queued->cause), "state %.1s", value);
		}
	}
	return 0;
}

static enum farm_pbs_kind pbs_kind(struct farm_cluster *cluster)
{
	char *argv[] = { "qstat", "--version", NULL };
	struct xy__buffer output = { 0 }, errors = { 0 };
	int status = 0, error;

	if (cluster->pbs != FARM_PBS_UNKNOWN)
		return cluster->pbs;
	error = farm_process_run(argv, 60, &output, &errors, &status);
	/* Torque prints its version on standard error; wrappers refuse the option. */
	cluster->pbs = error || status ? FARM_PBS_PLAIN : farm_pbs_kind_of(output.length ? output.at : errors.at);
	xy__buffer_fini(&output);
	xy__buffer_fini(&errors);
	return cluster->pbs;
}

static int pbs_queue(struct farm_cluster *cluster, struct farm_queue *queue)
{
	struct farm_words words = { 0 };
	struct xy__buffer output = { 0 };
	char error[600];
	int failed;

	pbs_add(cluster, &words, "qstat");
	pbs_add(cluster, &words, "-f");
	if (pbs_kind(cluster) != FARM_PBS_PLAIN)
		pbs_add(cluster, &words, "-t");
	failed = cluster->scratch.failed ? -ENOMEM : farm_cluster_run(cluster, &words, &output, error, sizeof(error));
	if (failed == -EREMOTEIO && cluster->status == PBS_NO_JOB && cluster->silent)
		failed = 0;
	if (failed)
		farm_say(cluster->report, "the queue can't be read: %s", failed == -ENOMEM ? "no memory" : error);
	else if (output.at)
		failed = farm_pbs_parse(cluster, output.at, queue);
	xy__buffer_fini(&output);
	return failed;
}

/* An amount of memory in the spelling of PBS: 4G is 4gb, plain numbers are megabytes. */
static char *pbs_memory(struct farm_cluster *cluster, const char *memory)
{
	size_t digits = strspn(memory, "0123456789");

	return farm_text(&cluster->scratch, "%.*s%cb", (int)digits, memory,
			 memory[digits] ? tolower(memory[digits]) : 'm');
}

static void pbs_resources(struct farm_cluster *cluster, struct farm_words *words, const struct farm_resources *r)
{
	struct farm *memory = &cluster->scratch;
	unsigned nodes = r->nodes ? r->nodes : 1, cores = farm_script_cores(r) / nodes;
	char *amount = r->memory ? pbs_memory(cluster, r->memory) : NULL;
	char *list;

	if (cluster->pbs == FARM_PBS_PRO)
		list = farm_text(memory, "select=%u:ncpus=%u:mpiprocs=%u%s%s", nodes, cores, cores,
				 amount ? ":mem=" : "", amount ? amount : "");
	else
		list = farm_text(memory, "nodes=%u:ppn=%u%s%s", nodes, cores, amount ? ",mem=" : "",
				 amount ? amount : "");
	pbs_add(cluster, words, "-l");
	pbs_add(cluster, words, list);
	if (cluster->pbs == FARM_PBS_PRO && r->exclusive) {
		pbs_add(cluster, words, "-l");
		pbs_add(cluster, words, "place=excl");
	}
	if (r->time_limit_s) {
		pbs_add(cluster, words, "-l");
		pbs_add(cluster, words,
			farm_text(memory, "walltime=%u:%02u:%02u", r->time_limit_s / 3600, r->time_limit_s / 60 % 60,
				  r->time_limit_s % 60));
	}
	if (r->partition) {
		pbs_add(cluster, words, "-q");
		pbs_add(cluster, words, r->partition);
	}
	pbs_add(cluster, words, "-r");
	pbs_add(cluster, words, r->requeue ? "y" : "n");
	for (size_t i = 0; i < r->extra_scheduler.count; i++)
		pbs_add(cluster, words, r->extra_scheduler.at[i]);
}

static int pbs_submit(struct farm_cluster *cluster, const struct farm_piece *piece, unsigned count,
		      struct farm_words *ids, char *error, size_t size)
{
	struct xy__buffer output = { 0 };
	struct farm_words words = { 0 };
	/* An array of PBS Pro has at least two tasks. */
	bool array = pbs_kind(cluster) != FARM_PBS_PLAIN && count > 1;
	int failed;

	pbs_add(cluster, &words, "qsub");
	pbs_add(cluster, &words, "-V");
	pbs_add(cluster, &words, "-N");
	pbs_add(cluster, &words, farm_cluster_tag(cluster, piece->set, 15));
	pbs_add(cluster, &words, "-j");
	pbs_add(cluster, &words, "oe");
	pbs_add(cluster, &words, "-o");
	pbs_add(cluster, &words, "/dev/null");
	pbs_resources(cluster, &words, &piece->resources);
	failed = farm_cluster_late(cluster, piece, &words, error, size);
	if (failed)
		return failed;
	if (array) {
		pbs_add(cluster, &words, cluster->pbs == FARM_PBS_PRO ? "-J" : "-t");
		pbs_add(cluster, &words, farm_text(&cluster->scratch, "0-%u", count - 1));
	}
	pbs_add(cluster, &words, farm_cluster_script(cluster, piece->set));
	for (unsigned i = 0; i < (array ? 1 : count) && !failed; i++) {
		char *id;

		xy__buffer_cut(&output, 0);
		failed = cluster->scratch.failed ? -ENOMEM : farm_cluster_run(cluster, &words, &output, error, size);
		id = failed || !output.at ? NULL : strtok(output.at, " \t\r\n");
		if (id && array)
			/* Should their spelling be unknown, the next round finds the tasks in the queue. */
			farm_pbs_tasks(&cluster->scratch, id, count, ids);
		else if (id)
			pbs_add(cluster, ids, id);
		else if (!failed)
			failed = -EPROTO;
	}
	xy__buffer_fini(&output);
	return ids->count ? 0 : failed;
}

static int pbs_cancel(struct farm_cluster *cluster, const struct farm_words *ids)
{
	struct farm_words words = { 0 };
	struct xy__buffer output = { 0 };
	char error[600];

	pbs_add(cluster, &words, "qdel");
	for (size_t i = 0; i < ids->count; i++)
		pbs_add(cluster, &words, ids->at[i]);
	/* qdel fails for jobs that are gone, which is what was wanted. */
	if (cluster->scratch.failed)
		return -ENOMEM;
	if (farm_cluster_run(cluster, &words, &output, error, sizeof(error)) == -ENOENT)
		farm_say(cluster->report, "jobs can't be cancelled: %s", error);
	xy__buffer_fini(&output);
	return 0;
}

const struct farm_cluster_ops farm_pbs = {
	.name = "pbs",
	.job = "\"${PBS_JOBID:-$SLURM_JOB_ID}\"",
	.prologue = "log=${XYLEM_FARM_JOB//'['/%5B}\n"
		    "exec >>\"$XYLEM_FARM_FOLDER/logs/${log//']'/%5D}.out\" 2>&1\n",
	.most = 100,
	.queue = pbs_queue,
	.submit = pbs_submit,
	.cancel = pbs_cancel,
};
