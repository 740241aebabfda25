/* SPDX-License-Identifier: MIT */
/*
 * A piece of a farm: samples a function with a narrow peak, always in the middle of the interval with the largest loss,
 * until the goal of the farm is reached. It saves its points, goes on from them when it is started again, and ends
 * with the same points whether it was interrupted or not. An argument makes each point take so many milliseconds.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xylem/farm.h>

struct point {
	double x, y;
};

/* Points in ascending order of x. */
struct sampler {
	const char *folder;
	double width, centre;
	unsigned delay_ms;
	size_t count, room;
	struct point *points;
};

static double sampler_function(const struct sampler *s, double x)
{
	double distance = x - s->centre;

	nanosleep(&(struct timespec){ s->delay_ms / 1000, s->delay_ms % 1000 * 1000000L }, NULL);
	return x + s->width * s->width / (s->width * s->width + distance * distance);
}

static int sampler_insert(struct sampler *s, size_t at, struct point point)
{
	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		struct point *points = realloc(s->points, room * sizeof(*points));

		if (!points)
			return -ENOMEM;
		s->points = points;
		s->room = room;
	}
	memmove(s->points + at + 1, s->points + at, (s->count - at) * sizeof(*s->points));
	s->points[at] = point;
	s->count++;
	return 0;
}

/* The largest loss, and the interval that has it: the longest piece of the curve. */
static double sampler_loss(const struct sampler *s, size_t *interval)
{
	double most = s->count < 2 ? NAN : 0;

	for (size_t i = 0; i + 1 < s->count; i++) {
		double loss = hypot(s->points[i + 1].x - s->points[i].x, s->points[i + 1].y - s->points[i].y);

		if (loss > most) {
			most = loss;
			*interval = i;
		}
	}
	return most;
}

/* The two ends first, then the middle of the worst interval. */
static int sampler_step(struct sampler *s)
{
	size_t worst = 0;
	double x;

	if (s->count < 2) {
		x = s->count == 0 ? -1 : 1;
		return sampler_insert(s, s->count, (struct point){ x, sampler_function(s, x) });
	}
	sampler_loss(s, &worst);
	x = (s->points[worst].x + s->points[worst + 1].x) / 2;
	return sampler_insert(s, worst + 1, (struct point){ x, sampler_function(s, x) });
}

/* Replaces the file as a whole, so that a crash leaves the old points or the new ones. */
static int sampler_save(void *arg)
{
	const struct sampler *s = arg;
	char path[PATH_MAX], aside[PATH_MAX];
	FILE *file;
	int error = 0;

	snprintf(path, sizeof(path), "%s/points", s->folder);
	snprintf(aside, sizeof(aside), "%s/points.new", s->folder);
	file = fopen(aside, "w");
	if (!file)
		return -errno;
	for (size_t i = 0; i < s->count; i++)
		fprintf(file, "%.17g %.17g\n", s->points[i].x, s->points[i].y);
	if (fflush(file) || fsync(fileno(file)))
		error = -errno;
	if (fclose(file) && !error)
		error = -errno;
	if (!error && rename(aside, path))
		error = -errno;
	return error;
}

static int sampler_load(struct sampler *s)
{
	char path[PATH_MAX];
	struct point point;
	FILE *file;
	int error = 0;

	snprintf(path, sizeof(path), "%s/points", s->folder);
	file = fopen(path, "r");
	if (!file)
		return errno == ENOENT ? 0 : -errno;
	while (!error && fscanf(file, "%lf %lf", &point.x, &point.y) == 2)
		error = sampler_insert(s, s->count, point);
	fclose(file);
	return error;
}

static int sampler_run(struct sampler *s, struct xy_farm_piece *piece)
{
	size_t interval = 0;
	int error = sampler_load(s);

	while (!error && !xy_farm_is_reached(piece, s->count, sampler_loss(s, &interval))) {
		xy_farm_work_begin(piece);
		error = sampler_step(s);
		xy_farm_work_end(piece);
		if (!error)
			error = xy_farm_progress(piece, s->count, sampler_loss(s, &interval), NULL);
		if (!error)
			error = xy_farm_checkpoint(piece, sampler_save, s, 0);
	}
	if (!error)
		error = sampler_save(s);
	return error ? error : xy_farm_done(piece);
}

int main(int argc, char **argv)
{
	struct sampler s = { .delay_ms = argc > 1 ? (unsigned)atoi(argv[1]) : 0 };
	struct xy_farm_piece *piece;
	char message[256];
	int error = xy_farm_claim(&piece, message, sizeof(message));

	if (error == -ENOENT)
		return 0; /* nothing is left to do */
	if (error) {
		fprintf(stderr, "sampler: %s\n", message);
		return 1;
	}
	s.folder = xy_farm_folder(piece);
	if (xy_farm_number(piece, "width", &s.width) || xy_farm_number(piece, "centre", &s.centre)) {
		fprintf(stderr, "sampler: %s has no numbers width and centre\n", xy_farm_name(piece));
		return 1;
	}
	error = sampler_run(&s, piece);
	if (error < 0)
		fprintf(stderr, "sampler: %s: %s\n", xy_farm_name(piece), strerror(-error));
	free(s.points);
	xy_farm_free(piece);
	return error > 0 ? XY_FARM_AGAIN : error < 0;
}
