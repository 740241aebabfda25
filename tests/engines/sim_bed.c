/* SPDX-License-Identifier: MIT */
/* Simulations under test; see sim_bed.h. */
#include "sim_bed.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xylem/component.h>

const char sim_two_cores[] = "machine two\n"
			     "class core cpu\n"
			     "workers 2 core\n";

const char sim_two_gpus[] = "machine gpus\n"
			    "class core cpu\n"
			    "class gpu cuda speed 10\n"
			    "workers 2 core\n"
			    "devices 2 gpu memory 1M\n"
			    "link down 5us 1GB/s\n"
			    "link up 5us 1GB/s\n"
			    "route ram0 -> cuda* via down\n"
			    "route cuda* -> ram0 via up\n"
			    "kernel simple 1000 core 100us gpu 10us\n";

/* --- what is written down --- */

static struct sim_fate *bed_fate(struct sim_bed *bed, const struct xy_task *task)
{
	uintptr_t mark = (uintptr_t)xy_task_argument(task);

	return mark && mark <= SIM_MARKS ? &bed->fates[mark - 1] : NULL;
}

static void bed_mix(struct sim_bed *bed, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bed->digest = (bed->digest ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
}

static void bed_submitted(void *arg, const struct xy_task *task)
{
	struct sim_bed *bed = arg;
	struct sim_fate *fate = bed_fate(bed, task);

	pthread_mutex_lock(&bed->lock);
	if (fate)
		fate->submitted++;
	pthread_mutex_unlock(&bed->lock);
}

static void bed_ready(void *arg, const struct xy_task *task, double now_s)
{
	struct sim_bed *bed = arg;
	struct sim_fate *fate = bed_fate(bed, task);

	pthread_mutex_lock(&bed->lock);
	bed_mix(bed, &now_s, sizeof now_s);
	if (fate) {
		fate->ready++;
		fate->ready_us = now_s * 1e6;
	}
	pthread_mutex_unlock(&bed->lock);
}

static void bed_mix_report(struct sim_bed *bed, const struct xy_report *report)
{
	unsigned long long number = xy_task_number(report->task);

	bed_mix(bed, &number, sizeof number);
	bed_mix(bed, &report->worker, sizeof report->worker);
	bed_mix(bed, &report->implementation, sizeof report->implementation);
	bed_mix(bed, &report->status, sizeof report->status);
	bed_mix(bed, &report->begin_s, sizeof report->begin_s);
	bed_mix(bed, &report->start_s, sizeof report->start_s);
	bed_mix(bed, &report->end_s, sizeof report->end_s);
}

static void bed_ended(void *arg, const struct xy_report *report)
{
	struct sim_bed *bed = arg;
	struct sim_fate *fate = bed_fate(bed, report->task);

	pthread_mutex_lock(&bed->lock);
	bed_mix_report(bed, report);
	bed->nended++;
	bed->nforeign += !fate;
	if (fate) {
		fate->ended++;
		fate->worker = report->worker;
		fate->status = report->status;
		fate->begin_us = report->begin_s * 1e6;
		fate->start_us = report->start_s * 1e6;
		fate->end_us = report->end_s * 1e6;
	}
	if (report->start_s * 1e6 < bed->busy_until_us[report->worker] - 1e-6)
		bed->noverlaps++;
	bed->busy_until_us[report->worker] = report->end_s * 1e6;
	pthread_mutex_unlock(&bed->lock);
}

/* --- simulations --- */

static char folder[] = "/tmp/xylem-sim-XXXXXX";
static char path[64];

static void remove_files(void)
{
	unlink(path);
	rmdir(folder);
}

const char *sim_file(const char *text)
{
	FILE *file;

	if (!path[0]) {
		assert_non_null(mkdtemp(folder));
		snprintf(path, sizeof path, "%s/machine.xym", folder);
		atexit(remove_files);
	}
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	return path;
}

struct sim_bed *sim_start(const char *machine, const char *sched, const struct xy_config *config)
{
	struct sim_bed *bed = calloc(1, sizeof *bed);
	struct xy_config c = config ? *config : (struct xy_config){ 0 };

	assert_non_null(bed);
	pthread_mutex_init(&bed->lock, NULL);
	bed->digest = 0xcbf29ce484222325u;
	bed->watch =
		(struct xy_watch){ .arg = bed, .submitted = bed_submitted, .ready = bed_ready, .ended = bed_ended };
	bed->busy_until_us = calloc(100000, sizeof *bed->busy_until_us);
	assert_non_null(bed->busy_until_us);
	c.sim = strchr(machine, '\n') ? sim_file(machine) : machine;
	c.sched = sched;
	c.machines = MACHINES;
	c.watch = &bed->watch;
	bed->h = helper_start_with(&c);
	bed->rt = bed->h->rt;
	assert_true(xy_is_simulated(bed->rt));
	return bed;
}

int sim_stop(struct sim_bed *bed, unsigned lines)
{
	int status;

	assert_int_equal(bed->noverlaps, 0);
	status = helper_stop_lines(bed->h, lines);
	pthread_mutex_destroy(&bed->lock);
	free(bed->busy_until_us);
	free(bed);
	return status;
}

double sim_now_us(const struct sim_bed *bed)
{
	return xy_now(bed->rt) * 1e6;
}

void sim_wait(struct sim_bed *bed)
{
	int status = helper_wait(bed->h);

	if (status)
		fail_msg("xy_wait returned %d: %s", status, xy_error(bed->rt));
}

void sim_assert_us_at(double found, double expected, const char *file, int line)
{
	if (fabs(found - expected) > 1e-6 + 1e-12 * fabs(expected)) {
		print_error("%s:%d: %.9f us instead of %.9f us\n", file, line, found, expected);
		fail();
	}
}

/* --- codelets --- */

/* Whoever reduces can't say how long what the runtime submits for it takes. */
static double join_us(const struct xy_task *task, enum xy_arch arch, unsigned implementation)
{
	(void)task, (void)implementation;
	return arch == XY_CPU ? 4 : 2;
}

static const struct xy_model join_model = { .kind = XY_MODEL_ARCH, .per_arch = join_us };

static int never(struct xy_call *call)
{
	(void)call;
	fprintf(stderr, "a codelet was called in a simulation\n");
	abort();
}

#define EVERYWHERE .cpu = { never }, .cuda = { never }
const struct xy_codelet sim_plain = { .name = "plain", EVERYWHERE };
const struct xy_codelet sim_read = { .name = "simple", EVERYWHERE, .modes = { XY_R } };
const struct xy_codelet sim_write = { .name = "simple", EVERYWHERE, .modes = { XY_W } };
const struct xy_codelet sim_update = { .name = "simple", EVERYWHERE, .modes = { XY_RW } };
const struct xy_codelet sim_copy = { .name = "copy", EVERYWHERE, .modes = { XY_R, XY_W } };
const struct xy_codelet sim_commute = { .name = "commute", EVERYWHERE, .modes = { XY_RW | XY_COMMUTE } };
const struct xy_codelet sim_add = { .name = "add", EVERYWHERE, .modes = { XY_REDUX } };
const struct xy_codelet sim_zero = { .name = "zero", EVERYWHERE, .modes = { XY_W } };
const struct xy_codelet sim_join = { .name = "join", EVERYWHERE, .modes = { XY_RW, XY_R }, .model = &join_model };
const struct xy_codelet sim_scratch = { .name = "scratch", EVERYWHERE, .modes = { XY_SCRATCH, XY_RW } };
const struct xy_codelet sim_plain_gpu = { .name = "plain", .cuda = { never } };
const struct xy_codelet sim_update_gpu = { .name = "simple", .cuda = { never }, .modes = { XY_RW } };
const struct xy_codelet sim_read_gpu = { .name = "simple", .cuda = { never }, .modes = { XY_R } };

/* --- data --- */

struct xy_handle *sim_vector(struct sim_bed *bed, size_t bytes)
{
	static char untouchable[1];
	struct xy_handle *handle;

	assert_int_equal(xy_vector_register(bed->rt, &handle, untouchable, bytes, 1), 0);
	return handle;
}

void sim_unregister(struct xy_handle **handle)
{
	assert_int_equal(xy_unregister(handle), 0);
}

struct xy_node_stats sim_stats(const struct sim_bed *bed, unsigned node)
{
	struct xy_node_stats stats;

	assert_int_equal(xy_node_stats(bed->rt, node, &stats), 0);
	return stats;
}
