/* SPDX-License-Identifier: MIT */
/*
 * A Cholesky factorization three times larger than the limit on RAM, on a disk of known speed: reads and writes of
 * files come by here and are slowed down. The result is compared with that of a run in RAM, bit by bit, and its time
 * with the longer of two that no run can beat: that of the bytes moved at the speed of the disk, and that of the run in
 * RAM.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../examples/cholesky.h"

static double bench_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- the disk --- */

static double bytes_per_s; /* of reads and writes together */
static pthread_mutex_t disk_lock = PTHREAD_MUTEX_INITIALIZER;
static double disk_free_at; /* (disk_lock) */

/* The disk is busy for as long as so many bytes take. */
static void disk_delay(ssize_t bytes)
{
	double end, left;

	if (bytes <= 0)
		return;
	pthread_mutex_lock(&disk_lock);
	disk_free_at = fmax(disk_free_at, bench_now()) + (double)bytes / bytes_per_s;
	end = disk_free_at;
	pthread_mutex_unlock(&disk_lock);
	left = end - bench_now();
	if (left > 0)
		nanosleep(&(struct timespec){ (time_t)left, (long)(1e9 * (left - floor(left))) }, NULL);
}

ssize_t pread(int fd, void *memory, size_t bytes, off_t offset)
{
	ssize_t n = syscall(SYS_pread64, fd, memory, bytes, offset);

	disk_delay(n);
	return n;
}

ssize_t pwrite(int fd, const void *memory, size_t bytes, off_t offset)
{
	ssize_t n = syscall(SYS_pwrite64, fd, memory, bytes, offset);

	disk_delay(n);
	return n;
}

/* --- the factorization --- */

static int tile_size;

static int fill_body(struct xy_call *call)
{
	const int *at = call->arg;
	double *a = xy_pointer(call, 0);

	for (int y = 0; y < tile_size; y++)
		for (int x = 0; x < tile_size; x++) {
			int row = at[0] * tile_size + x, column = at[1] * tile_size + y;

			a[x + y * tile_size] = 1.0 / (1 + abs(row - column)) + (row == column ? 8 : 0);
		}
	return 0;
}

static int potrf_body(struct xy_call *call)
{
	return kernels_own.potrf(tile_size, xy_pointer(call, 0), tile_size);
}

static int trsm_body(struct xy_call *call)
{
	kernels_own.trsm(tile_size, tile_size, xy_pointer(call, 1), tile_size, xy_pointer(call, 0), tile_size);
	return 0;
}

static int syrk_body(struct xy_call *call)
{
	kernels_own.syrk(tile_size, tile_size, xy_pointer(call, 1), tile_size, xy_pointer(call, 0), tile_size);
	return 0;
}

static int gemm_body(struct xy_call *call)
{
	kernels_own.gemm(tile_size, tile_size, tile_size, xy_pointer(call, 1), tile_size, xy_pointer(call, 2),
			 tile_size, xy_pointer(call, 0), tile_size);
	return 0;
}

static const struct xy_codelet fill = { .name = "fill", .cpu = { fill_body }, .modes = { XY_W } };
static const struct xy_codelet potrf = { .name = "potrf", .cpu = { potrf_body }, .modes = { XY_RW } };
static const struct xy_codelet trsm = { .name = "trsm", .cpu = { trsm_body }, .modes = { XY_RW, XY_R } };
static const struct xy_codelet syrk = { .name = "syrk", .cpu = { syrk_body }, .modes = { XY_RW, XY_R } };
static const struct xy_codelet gemm = { .name = "gemm", .cpu = { gemm_body }, .modes = { XY_RW, XY_R, XY_R } };

struct run {
	struct xy_runtime *rt;
	struct xy_handle **tiles; /* lower half, by columns; n * n places */
	int n;                    /* tiles in each direction */
	uint64_t hash;
	double seconds, read_mb, written_mb, most_mb;
};

static struct xy_handle *tile_at(const struct run *run, int i, int j)
{
	return run->tiles[i + j * run->n];
}

static int submit_fill(struct run *run, int i, int j)
{
	int at[] = { i, j };

	return xy_submit(run->rt, &(struct xy_task_desc){ .codelet = &fill,
							  .handles = { tile_at(run, i, j) },
							  .arg = at,
							  .arg_size = sizeof at,
							  .priority = -j });
}

/* Column by column from the left, and in this order by priority: each is complete when it is left, and written once. */
static int submit(struct run *run)
{
	int error = 0;

	for (int j = 0; j < run->n; j++) {
		for (int i = j; i < run->n; i++)
			error |= submit_fill(run, i, j);
		for (int k = 0; k < j; k++) {
			error |= xy_insert(run->rt, &syrk, xy_rw(tile_at(run, j, j)), xy_r(tile_at(run, j, k)),
					   xy_priority(-j));
			for (int i = j + 1; i < run->n; i++)
				error |= xy_insert(run->rt, &gemm, xy_rw(tile_at(run, i, j)), xy_r(tile_at(run, i, k)),
						   xy_r(tile_at(run, j, k)), xy_priority(-j));
		}
		error |= xy_insert(run->rt, &potrf, xy_rw(tile_at(run, j, j)), xy_priority(-j));
		for (int i = j + 1; i < run->n; i++)
			error |= xy_insert(run->rt, &trsm, xy_rw(tile_at(run, i, j)), xy_r(tile_at(run, j, j)),
					   xy_priority(-j));
	}
	return error;
}

/* Of the content of all tiles, in order. */
static int take_hash(struct run *run)
{
	run->hash = 14695981039346656037u;
	for (int j = 0; j < run->n; j++)
		for (int i = j; i < run->n; i++) {
			const uint64_t *words;
			int error = xy_acquire(tile_at(run, i, j), XY_R);

			if (error)
				return error;
			words = xy_handle_pointer(tile_at(run, i, j));
			for (int k = 0; k < tile_size * tile_size; k++)
				run->hash = (run->hash ^ words[k]) * 1099511628211u;
			xy_release(tile_at(run, i, j));
		}
	return 0;
}

static void take_stats(struct run *run)
{
	struct xy_node_stats ram, disk = { 0 };

	xy_node_stats(run->rt, 0, &ram);
	if (xy_machine_nnodes(xy_runtime_machine(run->rt)) > 1)
		xy_node_stats(run->rt, 1, &disk);
	run->read_mb = (double)disk.bytes_out / 1e6;
	run->written_mb = (double)disk.bytes_in / 1e6;
	run->most_mb = (double)ram.most_bytes / 1e6;
}

static int factor(struct run *run, const char *sched, const char *limit, const char *disk)
{
	struct xy_config config = { .sched = sched,
				    .limit_ram = limit,
				    .disk = disk,
				    .models = "none",
				    .arch[XY_CUDA].devices = "none",
				    .arch[XY_HIP].devices = "none",
				    .arch[XY_OPENCL].devices = "none" };
	int error = xy_start(&run->rt, &config);
	double begin;

	run->tiles = calloc((size_t)run->n * (size_t)run->n, sizeof *run->tiles);
	if (error || !run->tiles)
		return error ? error : -ENOMEM;
	for (int j = 0; j < run->n; j++)
		for (int i = j; i < run->n && !error; i++)
			error = xy_matrix_register(run->rt, &run->tiles[i + j * run->n],
						   &(struct xy_matrix){ .nx = (size_t)tile_size,
									.ny = (size_t)tile_size,
									.elem = sizeof(double) });
	begin = bench_now();
	if (!error)
		error = submit(run);
	if (!error)
		error = xy_wait(run->rt);
	run->seconds = bench_now() - begin;
	take_stats(run);
	if (!error)
		error = take_hash(run);
	for (int i = 0; i < run->n * run->n; i++)
		if (run->tiles[i])
			xy_unregister(&run->tiles[i]);
	free(run->tiles);
	xy_stop(&run->rt);
	return error;
}

int main(int argc, char **argv)
{
	bool quick = argc > 1 && !strcmp(argv[1], "--quick");
	struct run in_ram = { .n = quick ? 12 : 24 }, run = in_ram;
	const char *folder = argc > 2 ? argv[2] : ".";
	double tile_bytes, mb, limit, io_s, bound_s;
	char limit_text[32], disk_text[256];
	int error;

	if (argc > 1 && !quick && strcmp(argv[1], "--full")) {
		fprintf(stderr, "usage: %s [--quick | --full [FOLDER [MB_PER_S [POLICY]]]]\n", argv[0]);
		return 2;
	}
	tile_size = quick ? 32 : 128;
	bytes_per_s = 1e6 * (argc > 3 ? atof(argv[3]) : 100);
	tile_bytes = 8.0 * tile_size * tile_size;
	mb = in_ram.n * (in_ram.n + 1) / 2 * tile_bytes / 1e6;
	limit = floor(mb * 1e6 / 3);
	snprintf(limit_text, sizeof limit_text, "%.0f", limit);
	snprintf(disk_text, sizeof disk_text, "%s:%.0f", folder, 2 * mb * 1e6);
	error = factor(&in_ram, argc > 4 ? argv[4] : "tree-prio-prefetching", NULL, NULL);
	if (!error)
		error = factor(&run, argc > 4 ? argv[4] : "tree-prio-prefetching", limit_text, disk_text);
	if (error || run.hash != in_ram.hash) {
		printf("failed: %s\n", error ? strerror(-error) : "the result differs from that in RAM");
		return 1;
	}
	io_s = (run.read_mb + run.written_mb) / bytes_per_s * 1e6;
	bound_s = fmax(io_s, in_ram.seconds);
	printf("matrix_mb          %.1f\nlimit_mb           %.1f\nmost_ram_mb        %.1f\n", mb, limit / 1e6,
	       run.most_mb);
	printf("disk_mb_per_s      %.0f\nread_mb            %.1f\nwritten_mb         %.1f\n", bytes_per_s / 1e6,
	       run.read_mb, run.written_mb);
	printf("in_ram_s           %.3f\ndisk_s             %.3f\nrun_s              %.3f\n", in_ram.seconds, io_s,
	       run.seconds);
	printf("percent_of_bound   %.0f\n", 100 * bound_s / run.seconds);
	return 0;
}
