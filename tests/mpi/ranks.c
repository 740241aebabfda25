/* SPDX-License-Identifier: MIT */
/*
 * An MPI program: each rank prints the devices that its batch used, in a simulation. What mpirun put into the
 * environment is removed first: the rank comes from MPI itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <xylem.h>
#include <xylem/mpi.h>

static double length(const struct xy_task *task, enum xy_arch arch, unsigned implementation)
{
	(void)task;
	(void)arch;
	(void)implementation;
	return 10;
}

static int nothing(struct xy_call *call)
{
	(void)call;
	return 0;
}

static const struct xy_model model = { .kind = XY_MODEL_ARCH, .per_arch = length };
static const struct xy_codelet codelet = { .name = "rank", .cpu = { nothing }, .cuda = { nothing }, .model = &model };

static unsigned used[64];

static void ended(void *arg, const struct xy_report *report)
{
	(void)arg;
	if (report->worker < 64 && xy_task_range(report->task).stop)
		used[report->worker]++;
}

int main(int argc, char **argv)
{
	struct xy_watch watch = { .ended = ended };
	struct xy_config config = { .sched = "tree-batch-mpi", .watch = &watch };
	struct xy_runtime *rt;
	int rank, error;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	unsetenv("OMPI_COMM_WORLD_LOCAL_RANK");
	unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
	unsetenv("MPI_LOCALRANKID");
	unsetenv("MPI_LOCALNRANKS");
	unsetenv("SLURM_LOCALID");
	error = xy_mpi_ranks(&config, MPI_COMM_WORLD);
	if (!error)
		error = xy_start(&rt, &config);
	if (!error) {
		error = xy_batch_handles(rt, &codelet, &(struct xy_batch){ .stop = 10000 });
		for (unsigned i = 0; i < 64; i++)
			if (used[i])
				printf("rank %d: %s\n", rank, xy_machine_worker(xy_runtime_machine(rt), i)->name);
		fflush(stdout);
		error = xy_stop(&rt) || error;
	}
	MPI_Finalize();
	return error != 0;
}
