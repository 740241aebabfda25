/* SPDX-License-Identifier: MIT */
/* Lines of progress: each is one write to a file opened for appending, so that readers see whole lines. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "farm/files.h"
#include "farm/quote.h"
#include "job/job.h"

/* CPU seconds of this process and of those that it has waited for. */
static double progress_cpu(void)
{
	double seconds = 0;
	struct rusage usage;

	for (int i = 0; i < 2; i++)
		if (getrusage(i == 0 ? RUSAGE_SELF : RUSAGE_CHILDREN, &usage) == 0)
			seconds += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
				   1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	return seconds;
}

/* Bytes of memory that this process has now; 0: not known. */
static unsigned long long progress_memory(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%*u %llu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (unsigned long long)sysconf(_SC_PAGESIZE);
}

void job_progress_begin(struct xy_farm_piece *piece)
{
	piece->logged_cpu_s = progress_cpu();
}

static void progress_number(struct xy__buffer *line, const char *name, double value)
{
	if (!isfinite(value))
		return;
	xy__buffer_add(line, ",\"%s\":", name);
	farm_quote_number(line, value);
}

/* What was used since the line before, in per cent of that time. */
static void progress_usage(struct xy_farm_piece *piece, struct xy__buffer *line, double now)
{
	double since = now - (piece->logged_s > 0 ? piece->logged_s : piece->claimed_s), cpu = progress_cpu();
	unsigned long long memory = progress_memory();

	if (piece->work_began_s > 0) { /* in the middle of the user's function */
		piece->work_s += now - piece->work_began_s;
		piece->work_began_s = now;
	}
	if (since > 0)
		progress_number(line, "cpu", round(1000 * (cpu - piece->logged_cpu_s) / since) / 10);
	if (memory > 0)
		xy__buffer_add(line, ",\"memory\":%llu", memory);
	if (piece->has_work && since > 0)
		progress_number(line, "overhead", round(1000 * fmax(0, 1 - piece->work_s / since)) / 10);
	piece->logged_cpu_s = cpu;
	piece->logged_s = now;
	piece->work_s = 0;
}

static int progress_append(const char *path, const struct xy__buffer *line)
{
	int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	int error = 0;
	ssize_t n;

	if (file < 0)
		return -errno;
	n = write(file, line->at, line->length);
	if (n != (ssize_t)line->length)
		error = n < 0 ? -errno : -EIO;
	if (close(file) && !error)
		error = -errno;
	return error;
}

int job_progress_write(struct xy_farm_piece *piece, uint64_t points, double loss, const char *text)
{
	char *path = farm_files_path(piece->farm, "progress", piece->file, ".jsonl");
	struct xy__buffer line = { 0 };
	struct timespec date;
	int error = -ENOMEM;

	clock_gettime(CLOCK_REALTIME, &date);
	xy__buffer_add(&line, "{\"time\":%lld.%03ld,\"job\":", (long long)date.tv_sec, date.tv_nsec / 1000000);
	farm_quote_json(&line, piece->job);
	xy__buffer_add(&line, ",\"points\":%llu", (unsigned long long)points);
	progress_number(&line, "loss", loss);
	progress_usage(piece, &line, xy__now());
	if (text) {
		xy__buffer_add(&line, ",\"text\":");
		farm_quote_json(&line, text);
	}
	xy__buffer_add(&line, "}\n");
	if (path && !line.failed)
		error = progress_append(path, &line);
	xy__buffer_fini(&line);
	free(path);
	return error;
}

int xy_farm_progress(struct xy_farm_piece *piece, uint64_t points, double loss, const char *text)
{
	piece->points = points;
	piece->loss = loss;
	piece->has_news = piece->logged_s > 0 && xy__now() - piece->logged_s < piece->log_interval_s;
	return piece->has_news ? 0 : job_progress_write(piece, points, loss, text);
}

void xy_farm_work_begin(struct xy_farm_piece *piece)
{
	piece->has_work = true;
	piece->work_began_s = xy__now();
}

void xy_farm_work_end(struct xy_farm_piece *piece)
{
	if (piece->work_began_s > 0)
		piece->work_s += xy__now() - piece->work_began_s;
	piece->work_began_s = 0;
}
