/* SPDX-License-Identifier: MIT */
/*
 * How long a round of a farm's manager takes: 10,000 pieces, a queue as squeue would print it, files in a folder.
 *   bench/farm [--quick] [--check SECONDS]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "farm/cluster.h"
#include "farm/files.h"
#include "farm/manager.h"
#include "farm/script.h"

struct bench {
	struct farm farm;
	struct farm_manager manager;
	unsigned npieces, jobs;  /* jobs that were submitted */
	struct xy__buffer queue; /* what squeue prints */
	double worst_s;
};

static struct bench bench;

static void bench_say(void *arg, const char *line)
{
	(void)arg;
	fprintf(stderr, "%s\n", line);
}

static const struct farm_report bench_report = { .say = bench_say };

static double bench_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The recorded scheduler: SLURM's parser reads a text that was printed before the round. */
static int bench_list(struct farm_cluster *cluster, struct farm_queue *queue)
{
	char *text = strdup(bench.queue.at ? bench.queue.at : "");
	int error = text ? farm_slurm_parse(cluster, text, queue) : -ENOMEM;

	free(text);
	return error;
}

static int bench_submit(struct farm_cluster *cluster, const struct farm_piece *piece, unsigned count,
			struct farm_words *ids, char *error, size_t size)
{
	(void)piece, (void)error, (void)size;
	for (unsigned i = 0; i < count; i++)
		farm_words_add(&cluster->scratch, ids, farm_text(&cluster->scratch, "1_%u", bench.jobs++));
	return 0;
}

static int bench_cancel(struct farm_cluster *cluster, const struct farm_words *ids)
{
	(void)cluster, (void)ids;
	return 0;
}

static const struct farm_cluster_ops bench_ops = { .name = "recorded",
						   .job = "",
						   .prologue = "",
						   .most = 1000,
						   .queue = bench_list,
						   .submit = bench_submit,
						   .cancel = bench_cancel };

static void bench_farm(const char *folder)
{
	farm_init(&bench.farm);
	bench.farm.name = "bench";
	bench.farm.file = bench.farm.base = (char *)folder;
	bench.farm.folder = farm_text(&bench.farm, "%s/bench.farm", folder);
	bench.farm.max_simultaneous_jobs = bench.npieces;
	for (unsigned i = 0; i < bench.npieces; i++) {
		struct farm_piece piece = { .name = farm_text(&bench.farm, "piece-%u", i),
					    .source = "bench",
					    .line = i,
					    .goal = { .loss = -1, .time_s = -1 } };

		farm_words_add(&bench.farm, &piece.argv, "./work");
		farm_add(&bench.farm, &piece);
	}
}

/* Prints the queue: jobs from first on, the first of them running. */
static void bench_print(unsigned first, unsigned running)
{
	char *tag = farm_cluster_tag(&bench.manager.cluster, bench.farm.pieces[0].set, 60);

	xy__buffer_cut(&bench.queue, 0);
	for (unsigned i = first; i < bench.jobs; i++)
		xy__buffer_add(&bench.queue, "1_%u|%s|%s\n", i, i < first + running ? "RUNNING" : "PENDING", tag);
}

static void bench_file(const char *kind, unsigned piece, const char *text)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/piece-%u", bench.farm.folder, kind, piece);
	file = fopen(path, "w");
	if (file) {
		fputs(text, file);
		fclose(file);
	}
}

static void bench_round(const char *what, int64_t now)
{
	double begin = bench_now(), length;
	int error = farm_manager_round(&bench.manager, now, 60);

	length = bench_now() - begin;
	bench.worst_s = length > bench.worst_s ? length : bench.worst_s;
	printf("%-52s %8.3f s%s\n", what, length, error ? "  failed" : "");
}

int main(int argc, char **argv)
{
	const struct farm_place place = { .host = "here", .tool = "xylem" };
	char folder[] = "/tmp/xylem-bench-XXXXXX", command[100];
	double limit = 0;
	unsigned half;

	bench.npieces = 10000;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--quick"))
			bench.npieces = 1000;
		else if (!strcmp(argv[i], "--check") && i + 1 < argc)
			limit = strtod(argv[++i], NULL);
	}
	if (!mkdtemp(folder))
		return 1;
	bench_farm(folder);
	if (farm_check(&bench.farm, &bench_report) ||
	    farm_manager_open(&bench.manager, &bench.farm, &place, &bench_report))
		return 1;
	bench.manager.cluster.ops = &bench_ops;
	half = bench.npieces / 2;
	printf("%u pieces, all submitted at once\n", bench.npieces);
	bench_round("first round: every piece is submitted", 1000);
	bench_print(0, half);
	bench_round("the same queue: nothing changes", 1060);
	for (unsigned i = 0; i < half; i++) {
		char claim[64];

		snprintf(claim, sizeof(claim), "{\"job\":\"1_%u\"}\n", i);
		bench_file("claims", i, claim);
	}
	bench_round("half of the jobs started", 1120);
	bench_round("nothing changes, half are running", 1180);
	for (unsigned i = 0; i < half; i++)
		bench_file("done", i, "{}\n");
	bench_print(half, 0);
	bench_round("half are done and left the queue", 1240);
	bench_print(bench.jobs, 0);
	bench_round("the others vanished and are submitted again", 1300);
	printf("worst round %.3f s\n", bench.worst_s);
	farm_manager_close(&bench.manager);
	farm_fini(&bench.farm);
	xy__buffer_fini(&bench.queue);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) || (limit > 0 && bench.worst_s > limit);
}
