/* SPDX-License-Identifier: MIT */
/* xylem slots: repetitions of a command, several at once, each with its share of GPUs and processors. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/util/text.h"
#include "tools/slots.h"

#define SLOTS_REPS_MAX 1000000u
#define SLOTS_GRACE_S 30.0
#define SLOTS_SMI_PATIENCE_S 10.0
#define SLOTS_UNUSED_NOTE 0.02 /* of a GPU: less is rounding */

enum {
	OPTION_REPS,
	OPTION_PARALLEL,
	OPTION_GPUS_PER_REP,
	OPTION_CPUS_PER_REP,
	OPTION_GPUS,
	OPTION_FOLDER,
	OPTION_OVERWRITE,
	OPTION_GRACE,
	OPTION_GPU_MEMORY,
	OPTION_GPU_MEMORY_STOP,
	OPTION_MPS,
	OPTION_DRY_RUN,
	OPTION_SCHEDULER,
};

/* --- the numbers of repetitions --- */

static bool slots_add_reps(struct slots_job *job, uint64_t first, uint64_t last)
{
	size_t count = job->nreps + (size_t)(last - first) + 1;
	unsigned *more = count <= SLOTS_REPS_MAX ? realloc(job->reps, count * sizeof(*more)) : NULL;

	if (!more) {
		tool_say("slots: %s", count > SLOTS_REPS_MAX ? "too many repetitions" : "not enough memory");
		return false;
	}
	job->reps = more;
	while (first <= last)
		job->reps[job->nreps++] = (unsigned)first++;
	return true;
}

static int slots_compare_reps(const void *a, const void *b)
{
	unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

	return left < right ? -1 : left > right;
}

/* Puts them in order; each may be there once. */
static bool slots_sort_reps(struct slots_job *job)
{
	qsort(job->reps, job->nreps, sizeof(*job->reps), slots_compare_reps);
	for (unsigned i = 1; i < job->nreps; i++)
		if (job->reps[i] == job->reps[i - 1]) {
			tool_say("slots: --reps: %u is there twice", job->reps[i]);
			return false;
		}
	return true;
}

/* "8": 0 to 7; "4-7"; "0,3,8-9". */
static bool slots_read_reps(struct slots_job *job, const char *text)
{
	const char *at = text;
	uint64_t first, last;

	if (xy__text_unsigned(&at, SLOTS_REPS_MAX, &last) && !*at && last > 0)
		return slots_add_reps(job, 0, last - 1);
	for (at = text; strpbrk(text, "-,"); at++) {
		if (!xy__text_unsigned(&at, SLOTS_REPS_MAX, &first))
			break;
		last = first;
		if (*at == '-' && (at++, !xy__text_unsigned(&at, SLOTS_REPS_MAX, &last) || last < first))
			break;
		if (*at && *at != ',')
			break;
		if (!slots_add_reps(job, first, last))
			return false;
		if (!*at)
			return slots_sort_reps(job);
	}
	tool_say("slots: --reps: \"%s\" may be a number from 1 to %u, a range such as 4-7, or a list such as 0,3,8-9",
		 text, SLOTS_REPS_MAX);
	return false;
}

/* --- other options --- */

static bool slots_number(const struct tool_arguments *a, int option, unsigned min, unsigned max, unsigned *value)
{
	const char *at = a->options[option];
	uint64_t number;

	if (!at)
		return true;
	if (xy__text_unsigned(&at, max, &number) && !*at && number >= min) {
		*value = (unsigned)number;
		return true;
	}
	tool_say("slots: --%s: \"%s\" is not a whole number from %u to %u", tool_slots.options[option].name,
		 a->options[option], min, max);
	return false;
}

/* A share such as 0.5, 2 or 1/3. */
static bool slots_share(const struct tool_arguments *a, double *share)
{
	const char *at = a->options[OPTION_GPUS_PER_REP];
	double below = 1;

	if (!at)
		return true;
	if (xy__text_double(&at, share) && (*at != '/' || (at++, xy__text_double(&at, &below))) && !*at && *share > 0 &&
	    below > 0) {
		*share /= below;
		return true;
	}
	tool_say("slots: --gpus-per-rep: \"%s\" is neither a share of a GPU such as 0.5 or 1/3 nor a whole number "
		 "from 1 on",
		 a->options[OPTION_GPUS_PER_REP]);
	return false;
}

/* CW2's words for how repetitions are kept apart. */
static bool slots_scheduler(struct slots_job *job, const struct slots_request *request, const char *word)
{
	static const char *const words[] = { "mp", "horeka", "kluster", "cpu_distribute", NULL };
	char suggestion[160];

	job->bind = !word || strcmp(word, "kluster");
	if (word && !strcmp(word, "cpu_distribute") && (request->cpus_per_rep == 0 || request->gpus_per_rep > 0)) {
		tool_say("slots: --scheduler cpu_distribute divides processors: it needs --cpus-per-rep and excludes "
			 "--gpus-per-rep");
		return false;
	}
	for (unsigned i = 0; word && words[i]; i++)
		if (!strcmp(word, words[i]))
			return true;
	if (!word)
		return true;
	tool_suggest(suggestion, sizeof(suggestion), word, words);
	tool_say("slots: --scheduler: \"%s\" is none of mp, horeka, kluster and cpu_distribute%s", word, suggestion);
	return false;
}

static bool slots_options(struct slots_job *job, struct slots_request *request, const struct tool_arguments *a)
{
	const char *grace = a->options[OPTION_GRACE], *memory = a->options[OPTION_GPU_MEMORY];
	uint64_t bytes = 0;

	if (!slots_share(a, &request->gpus_per_rep) ||
	    !slots_number(a, OPTION_CPUS_PER_REP, 0, SLOTS_MAX, &request->cpus_per_rep) ||
	    !slots_number(a, OPTION_PARALLEL, 1, SLOTS_MAX, &request->parallel))
		return false;
	request->share_cpus = a->options[OPTION_CPUS_PER_REP] && request->cpus_per_rep == 0;
	if (!slots_scheduler(job, request, a->options[OPTION_SCHEDULER]))
		return false;
	if (grace && (!xy__text_double(&grace, &job->grace_s) || *grace || job->grace_s > 1e6)) {
		tool_say("slots: --grace: \"%s\" is not a number of seconds", a->options[OPTION_GRACE]);
		return false;
	}
	if (memory && (!xy__text_bytes(&memory, UINT64_MAX >> 1, &bytes) || *memory || bytes >> 20 == 0)) {
		tool_say("slots: --gpu-memory: \"%s\" is not a size such as 512M or 10G, from 1M on",
			 a->options[OPTION_GPU_MEMORY]);
		return false;
	}
	if (a->options[OPTION_GPU_MEMORY_STOP] && !memory) {
		tool_say("slots: --gpu-memory-stop needs --gpu-memory");
		return false;
	}
	job->gpu_share = request->gpus_per_rep;
	job->gpu_memory_bytes = bytes;
	job->memory_stops = a->options[OPTION_GPU_MEMORY_STOP] != NULL;
	job->mps = a->options[OPTION_MPS] != NULL;
	job->overwrite = a->options[OPTION_OVERWRITE] != NULL;
	if (a->options[OPTION_FOLDER])
		job->folder = a->options[OPTION_FOLDER];
	if (!*job->folder) {
		tool_say("slots: --folder: the name is empty");
		return false;
	}
	return true;
}

/* --- what the job has --- */

static bool slots_find_gpus(struct slots_job *job, const struct tool_arguments *a)
{
	struct slots_gpus_source source = {
		.visible = getenv("CUDA_VISIBLE_DEVICES"),
		.step = getenv("SLURM_STEP_GPUS"),
		.job = getenv("SLURM_JOB_GPUS"),
		.wanted = a->options[OPTION_GPUS],
	};
	char error[512];

	if (!slots_gpus_read(&job->gpus, &source, error, sizeof(error)))
		return true;
	tool_say("slots: %s", error);
	return false;
}

/* Which processors are near which GPU, where nvidia-smi and the topology know; NULL otherwise. */
static bool *slots_find_near(const struct slots_job *job)
{
	bool *near = calloc((size_t)job->gpus.count * job->cpus.count, sizeof(*near));
	struct slots_smi smi = { .output = -1 };
	bool any = false;

	if (near && slots_smi_answer(&smi, SLOTS_SMI_ADDRESSES, SLOTS_SMI_PATIENCE_S))
		for (unsigned gpu = 0; gpu < job->gpus.count; gpu++) {
			char address[64];

			if (slots_smi_address(smi.text.at, job->gpus.ids[gpu], address, sizeof(address)) &&
			    slots_cpus_near(&job->cpus, address, near + gpu * job->cpus.count))
				any = true;
		}
	slots_smi_fini(&smi);
	if (any)
		return near;
	free(near);
	return NULL;
}

static bool slots_divide(struct slots_job *job, struct slots_request *request)
{
	bool divides = request->gpus_per_rep > 0 && job->gpus.count > 0 && !request->share_cpus;
	bool *near = divides ? slots_find_near(job) : NULL;
	char error[512];
	int failed;

	request->ngpus = job->gpus.count;
	request->ncpus = job->cpus.count;
	request->near = near;
	failed = slots_division_init(&job->division, request, error, sizeof(error));
	free(near);
	if (!failed)
		return true;
	tool_say("slots: %s", error);
	if (request->gpus_per_rep > 0 && job->gpus.count == 0)
		tool_say("slots: GPUs come from CUDA_VISIBLE_DEVICES, SLURM_STEP_GPUS, SLURM_JOB_GPUS or --gpus");
	else if (request->ncpus < SLOTS_MAX && !request->share_cpus && strstr(error, "processor"))
		tool_say("slots: --cpus-per-rep 0 lets all repetitions share all processors");
	return false;
}

static void slots_notes(const struct slots_job *job)
{
	const struct slots_division *division = &job->division;

	if (division->unused > SLOTS_UNUSED_NOTE)
		tool_say("slots: note: %u repetition%s of %g GPU leave %.0f %% of each GPU unused",
			 division->reps_per_gpu, division->reps_per_gpu == 1 ? "" : "s", job->gpu_share,
			 100 * division->unused);
	if (division->idle_gpus > 0)
		tool_say("slots: note: %u of %u GPUs stay idle", division->idle_gpus, job->gpus.count);
	if (job->mps && division->reps_per_gpu > 1) {
		const char *folder = getenv("CUDA_MPS_PIPE_DIRECTORY");

		if (access(folder && *folder ? folder : "/tmp/nvidia-mps", F_OK))
			tool_say("slots: note: no MPS server runs here; \"nvidia-cuda-mps-control -d\" before "
				 "this command "
				 "starts one");
	} else if (job->mps) {
		tool_say("slots: note: --mps does nothing, as no GPU is shared");
	}
}

static void slots_print(const struct slots_job *job)
{
	char cpus[512], gpus[4096];

	printf("%u slot%s\n", job->division.nslots, job->division.nslots == 1 ? "" : "s");
	for (unsigned slot = 0; slot < job->division.nslots; slot++) {
		slots_environment_cpus(job, slot, cpus, sizeof(cpus));
		slots_environment_gpus(job, slot, gpus, sizeof(gpus));
		printf("slot %-3u GPU %-8s processors %s\n", slot, *gpus ? gpus : "-", *cpus ? cpus : "all");
	}
	fflush(stdout);
}

static enum tool_status slots_prepare(struct slots_job *job, const struct tool_arguments *a)
{
	struct slots_request request = { .ngpus = 0 };
	int error;

	if (!slots_options(job, &request, a) || !slots_find_gpus(job, a) ||
	    (a->options[OPTION_REPS] && !slots_read_reps(job, a->options[OPTION_REPS])))
		return TOOL_USAGE;
	error = slots_cpus_init(&job->cpus, NULL);
	if (error) {
		tool_say("slots: the processors can't be found: %s", strerror(-error));
		return TOOL_FAILED;
	}
	if (!slots_divide(job, &request))
		return TOOL_USAGE;
	if (!a->options[OPTION_REPS] && !slots_add_reps(job, 0, job->division.nslots - 1))
		return TOOL_FAILED;
	return TOOL_OK;
}

static enum tool_status slots_tool(const struct tool_arguments *a)
{
	const char *data = getenv("XYLEM_FARM_DATA");
	struct slots_job job = { .folder = data && *data ? data : "reps",
				 .grace_s = SLOTS_GRACE_S,
				 .command = a->rest };
	enum tool_status status = slots_prepare(&job, a);

	if (status == TOOL_OK && (!job.command || !job.command[0]) && !a->options[OPTION_DRY_RUN]) {
		tool_say("slots: needs -- and a command");
		status = TOOL_USAGE;
	}
	if (status == TOOL_OK) {
		slots_notes(&job);
		slots_print(&job);
		if (!a->options[OPTION_DRY_RUN])
			status = slots_run(&job);
	}
	slots_division_fini(&job.division);
	slots_cpus_fini(&job.cpus);
	free(job.reps);
	return status;
}

const struct tool_command tool_slots = {
	.name = "slots",
	.takes_rest = true,
	.usage = "[OPTION...] -- COMMAND [ARGUMENT...]",
	.summary = "repetitions of a command, each with its share of GPUs and processors",
	.help = "Runs a command several times inside one allocation, for instance in a SLURM job. A slot is a\n"
		"share of the job's GPUs and processors; each repetition is a fresh process in a free slot.\n"
		"\n"
		"  xylem slots --gpus-per-rep 0.5 --reps 8 -- python train.py --seed {rep}\n"
		"\n"
		"With a share below 1, floor(1/share) repetitions run on each GPU, and none uses two GPUs; with a\n"
		"whole number N, each has N GPUs. Without --gpus-per-rep every repetition sees all GPUs, and\n"
		"--cpus-per-rep or --parallel determines the number of slots. The GPUs are those in\n"
		"CUDA_VISIBLE_DEVICES, SLURM_STEP_GPUS or SLURM_JOB_GPUS, or else as many as --gpus says.\n"
		"The processors are those that this process may use, taken near the GPU if nvidia-smi and the\n"
		"topology show which are near.\n"
		"\n"
		"Each repetition is bound to its processors and gets CUDA_VISIBLE_DEVICES, the number of its\n"
		"processors in OMP_NUM_THREADS, MKL_NUM_THREADS, OPENBLAS_NUM_THREADS and NUMEXPR_NUM_THREADS, and\n"
		"XYLEM_REP, XYLEM_REPS, XYLEM_REP_FOLDER, XYLEM_SLOT, XYLEM_SLOTS and XYLEM_SLOT_CPUS. {rep}, {slot}\n"
		"and {folder} in the command are replaced. Repetition 0 has the folder FOLDER/rep_00 and writes its\n"
		"output to FOLDER/rep_00.log. FOLDER/rep_00.unfinished exists until it has succeeded; a non-empty\n"
		"folder without this file is a result, and its repetition is skipped.\n"
		"\n"
		"SIGTERM, SIGINT and SIGHUP end all repetitions, with SIGKILL after the grace period or a second\n"
		"signal; SIGUSR1 and SIGUSR2 are passed on. Exit status 1: a repetition failed. Exit status 75: none\n"
		"failed, but some did not finish: they ended with 75 themselves, or a signal stopped the tool.\n",
	.options = {
		[OPTION_REPS] = { "reps", "N", "number of repetitions, or a list such as 4-7 or 0,3,8-9; default: "
					       "one per slot" },
		[OPTION_PARALLEL] = { "parallel", "N", "repetitions at once; must be the number of slots" },
		[OPTION_GPUS_PER_REP] = { "gpus-per-rep", "F", "a share of a GPU such as 0.5 or 1/3, or a whole "
							       "number" },
		[OPTION_CPUS_PER_REP] = { "cpus-per-rep", "N", "processors per slot; 0: not bound; default: equal "
							       "shares" },
		[OPTION_GPUS] = { "gpus", "N", "GPUs to use; also a SLURM resource such as gpu:a100:4(S:0-1)" },
		[OPTION_FOLDER] = { "folder", "FOLDER", "parent folder of the repetitions; default: the farm's "
							"data folder, or reps" },
		[OPTION_OVERWRITE] = { "overwrite", NULL, "also run repetitions whose folder holds results" },
		[OPTION_GRACE] = { "grace", "SECONDS", "from SIGTERM to SIGKILL; default: 30" },
		[OPTION_GPU_MEMORY] = { "gpu-memory", "SIZE", "warn if a repetition uses more GPU memory than "
							      "this, such as 10G" },
		[OPTION_GPU_MEMORY_STOP] = { "gpu-memory-stop", NULL, "stop that repetition instead" },
		[OPTION_MPS] = { "mps", NULL, "set the limits that a CUDA MPS server enforces for each share" },
		[OPTION_DRY_RUN] = { "dry-run", NULL, "only show the slots" },
		[OPTION_SCHEDULER] = { "scheduler", "WORD", "as in CW2: mp, horeka, kluster or cpu_distribute" },
	},
	.run = slots_tool,
};
