/* SPDX-License-Identifier: MIT */
/* What all schedulers share: names of jobs, commands and their errors, options that come late. */
#include "farm/cluster.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "farm/process.h"
#include "farm/quote.h"

#define CLUSTER_TIMEOUT_S 120
#define CLUSTER_TAIL 14 /* the farm's id and the set */

void farm_cluster_init(struct farm_cluster *cluster, struct farm *farm, const char *id, const char *tool,
		       const struct farm_report *report)
{
	static const struct farm_cluster_ops *const all[] = { &farm_slurm, &farm_pbs, &farm_local };

	*cluster = (struct farm_cluster){
		.ops = all[farm->scheduler], .farm = farm, .id = id, .tool = tool, .report = report
	};
	farm_init(&cluster->scratch);
}

void farm_cluster_fini(struct farm_cluster *cluster)
{
	farm_fini(&cluster->scratch);
}

char *farm_cluster_tag(struct farm_cluster *cluster, const char *set, size_t max)
{
	size_t room = max > CLUSTER_TAIL + 1 ? max - CLUSTER_TAIL - 1 : 0;
	char name[64] = "";

	if (room >= sizeof(name))
		room = sizeof(name) - 1;
	snprintf(name, room + 1, "%s", cluster->farm->name);
	for (char *at = name; *at; at++)
		if (!strchr("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_.", *at))
			*at = '_';
	/* Names of PBS begin with a letter. */
	if (!room)
		return farm_text(&cluster->scratch, "x%s%s", cluster->id, set);
	return farm_text(&cluster->scratch, "%s-%s%s", name, cluster->id, set);
}

bool farm_cluster_is_own(const struct farm_cluster *cluster, const char *name, char set[9])
{
	size_t length = strlen(name);

	if (length <= CLUSTER_TAIL || strncmp(name + length - CLUSTER_TAIL, cluster->id, 6))
		return false;
	memcpy(set, name + length - 8, 9);
	return true;
}

/* What a command said, in one line: lines are joined and a long text is cut. */
static void cluster_quote_error(const char *text, char *error, size_t size)
{
	size_t n = 0;

	for (; text && *text && n + 1 < size; text++) {
		if (*text == '\n')
			error[n++] = text[1] && text[1] != '\n' ? ';' : ' ';
		else
			error[n++] = (unsigned char)*text < ' ' ? ' ' : *text;
	}
	while (n && error[n - 1] == ' ')
		n--;
	if (size)
		error[n] = '\0';
}

int farm_cluster_run(struct farm_cluster *cluster, const struct farm_words *words, struct xy__buffer *output,
		     char *error, size_t size)
{
	struct xy__buffer errors = { 0 };
	char **argv = farm_process_argv(words);
	int status = 0, failed = argv && words->count
					 ? farm_process_run(argv, CLUSTER_TIMEOUT_S, output, &errors, &status)
					 : -ENOMEM;

	cluster->status = status;
	cluster->silent = !errors.length && !output->length;
	if (failed == -ENOENT) {
		snprintf(error, size, "%s was not found", words->at[0]);
	} else if (failed) {
		snprintf(error, size, "%s: %s", words->count ? words->at[0] : "?", strerror(-failed));
	} else if (status) {
		failed = -EREMOTEIO;
		cluster_quote_error(errors.length ? errors.at : output->at, error, size);
		if (size && !*error)
			snprintf(error, size, "%s ended with status %d", words->at[0], status);
	}
	xy__buffer_fini(&errors);
	free(argv);
	return failed;
}

int farm_cluster_late(struct farm_cluster *cluster, const struct farm_piece *piece, struct farm_words *words,
		      char *error, size_t size)
{
	struct xy__buffer output = { 0 };
	const char *wrong = NULL;
	int failed;

	if (!piece->resources.late_resources.count)
		return 0;
	failed = farm_cluster_run(cluster, &piece->resources.late_resources, &output, error, size);
	if (!failed && output.at) {
		wrong = farm_quote_split(&cluster->scratch, words, output.at);
		if (wrong) {
			snprintf(error, size, "late_resources: %s", wrong);
			failed = -EINVAL;
		}
	}
	xy__buffer_fini(&output);
	return failed;
}

char *farm_cluster_script(struct farm_cluster *cluster, const char *set)
{
	return farm_text(&cluster->scratch, "%s/scripts/%s.sh", cluster->farm->folder, set);
}
