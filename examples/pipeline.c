/* SPDX-License-Identifier: MIT */
/*
 * A pipeline on the tree: microbatches stream through a made-up model of 48 layers, each layer a task that takes a
 * given time. `pipeline --write FOLDER` writes the files from which sched-pipeline makes a schedule for the workers
 * that there are; without it the program runs under the policy in SCHED and says how often a microbatch came out.
 * `pipeline --floats N` has N floats sent from layer to layer, instead of 1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xylem.h>

enum { LAYERS = 48, MICROBATCHES = 200 };

static const char *const model = "made-up";

/* On a worker of speed 1. */
static double layer_us(unsigned layer)
{
	return 400 + 100 * (layer * 7 % 5);
}

/* --- the files of sched-pipeline --- */

static FILE *file_begin(const char *folder, const char *name)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return fopen(path, "w");
}

static int write_model(FILE *file)
{
	fprintf(file, "%s:\n  layers: %d\n  parameters_in: 1\n  mem_MB: [", model, LAYERS);
	for (unsigned i = 0; i < LAYERS; i++)
		fprintf(file, "%s1", i ? ", " : "");
	fprintf(file, "]\n  parameters_out: [");
	for (unsigned i = 0; i < LAYERS; i++)
		fprintf(file, "%s1", i ? ", " : "");
	fprintf(file, "]\n");
	return fclose(file);
}

/* Workers of equal speed are of one type, named by it; true for the first of them. */
static bool is_first(const struct xy_machine *machine, unsigned worker)
{
	unsigned i = 0;

	while (xy_machine_worker(machine, i)->speed != xy_machine_worker(machine, worker)->speed)
		i++;
	return i == worker;
}

static int write_types(FILE *file, const struct xy_machine *machine)
{
	for (unsigned w = 0; w < xy_machine_nworkers(machine); w++) {
		double speed = xy_machine_worker(machine, w)->speed;

		if (!is_first(machine, w))
			continue;
		fprintf(file, "speed-%g:\n  bw_Mbps: 100000\n  mem_MB: 4096\n", speed);
		fprintf(file, "  model_profiles:\n    %s:\n", model);
		fprintf(file, "    - batch_size: 1\n      dtype: torch.float32\n      time_s: [");
		for (unsigned i = 1; i <= LAYERS; i++)
			fprintf(file, "%s%.17g", i > 1 ? ", " : "", layer_us(i) / speed * 1e-6);
		fprintf(file, "]\n");
	}
	return fclose(file);
}

/* Hosts are workers, so that the schedule names them. */
static int write_devices(FILE *file, const struct xy_machine *machine)
{
	for (unsigned w = 0; w < xy_machine_nworkers(machine); w++) {
		double speed = xy_machine_worker(machine, w)->speed;

		if (is_first(machine, w))
			fprintf(file, "speed-%g:\n", speed);
		for (unsigned i = w; is_first(machine, w) && i < xy_machine_nworkers(machine); i++)
			if (xy_machine_worker(machine, i)->speed == speed)
				fprintf(file, "- %s\n", xy_machine_worker(machine, i)->name);
	}
	return fclose(file);
}

static int write_files(const char *folder, const struct xy_machine *machine)
{
	FILE *models = file_begin(folder, "models.yml"), *types = file_begin(folder, "device_types.yml");
	FILE *devices = file_begin(folder, "devices.yml");
	int error = 0;

	error |= models ? write_model(models) : 1;
	error |= types ? write_types(types, machine) : 1;
	error |= devices ? write_devices(devices, machine) : 1;
	if (error)
		fprintf(stderr, "pipeline: the files can't be written to %s\n", folder);
	return error;
}

/* --- microbatches --- */

struct microbatch {
	struct xy_runtime *rt;
	struct xy_handle *data;
	double end; /* when it came out */
};

struct layer {
	unsigned number;
};

static int layer_run(struct xy_call *call)
{
	const struct layer *layer = call->arg;
	const struct xy_machine *machine = xy_runtime_machine(call->runtime);
	double us = layer_us(layer->number) / xy_machine_worker(machine, call->worker)->speed;
	const struct timespec pause = { .tv_sec = (time_t)(us / 1e6), .tv_nsec = (long)(fmod(us, 1e6) * 1e3) };

	return nanosleep(&pause, NULL);
}

static const struct xy_codelet layer_codelet = {
	.name = "layer", .cpu = { layer_run }, .cuda = { layer_run }, .modes = { XY_RW }
};

static void microbatch_ended(void *arg, int status)
{
	struct microbatch *m = arg;

	if (!status)
		m->end = xy_now(m->rt);
}

/* One layer after the other: each writes what the next one reads. */
static int microbatch_submit(struct microbatch *m)
{
	int error = 0;

	for (unsigned i = 1; i <= LAYERS && !error; i++)
		error = xy_submit(m->rt, &(struct xy_task_desc){
						 .codelet = &layer_codelet,
						 .handles = { m->data },
						 .arg = &(struct layer){ i },
						 .arg_size = sizeof(struct layer),
						 .choice = i,
						 .length_us = layer_us(i),
						 .callback = i == LAYERS ? microbatch_ended : NULL,
						 .callback_arg = m,
					 });
	return error;
}

/* The first quarter fills the pipeline and the last one empties it. */
static void print_period(const struct microbatch *m)
{
	const struct microbatch *from = &m[MICROBATCHES / 4], *to = &m[3 * MICROBATCHES / 4];
	double period = (to->end - from->end) / (double)(to - from);

	printf("%d layers, %d microbatches\n", LAYERS, MICROBATCHES);
	printf("a microbatch each %.6g ms, %.6g per second\n", period * 1e3, 1 / period);
}

static int stream(struct xy_runtime *rt, size_t floats)
{
	static struct microbatch m[MICROBATCHES];
	int error = 0;

	for (unsigned i = 0; i < MICROBATCHES && !error; i++) {
		m[i].rt = rt;
		error = xy_vector_register(rt, &m[i].data, NULL, floats, sizeof(float));
		if (!error)
			error = microbatch_submit(&m[i]);
	}
	if (!error)
		error = xy_wait(rt);
	if (!error)
		print_period(m);
	for (unsigned i = 0; i < MICROBATCHES; i++)
		if (m[i].data && xy_unregister(&m[i].data))
			error = 1;
	return error;
}

int main(int argc, char **argv)
{
	bool writes = argc == 3 && !strcmp(argv[1], "--write");
	size_t floats = argc == 3 && !strcmp(argv[1], "--floats") ? strtoul(argv[2], NULL, 10) : argc == 1;
	struct xy_runtime *rt;
	int error;

	if (!writes && !floats) {
		fprintf(stderr, "usage: pipeline [--write FOLDER | --floats N]\n");
		return 2;
	}
	error = xy_start(&rt, NULL);
	if (error)
		return 1;
	error = writes ? write_files(argv[2], xy_runtime_machine(rt)) : stream(rt, floats);
	return xy_stop(&rt) || error ? 1 : 0;
}
