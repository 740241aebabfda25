/* SPDX-License-Identifier: MIT */
/*
 * For programs with MPI: tells a runtime which of the ranks on this host it serves, for the policy tree-batch-mpi. The
 * program is compiled and linked with its MPI; the library itself needs none.
 *
 * 	struct xy_config config = { .sched = "tree-batch-mpi" };
 * 	xy_mpi_ranks(&config, MPI_COMM_WORLD);
 * 	xy_start(&rt, &config);
 */
#ifndef XYLEM_MPI_H
#define XYLEM_MPI_H

#include <errno.h>
#include <mpi.h>
#include <xylem/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sets batch_rank and batch_ranks to the number of this rank among those of the communicator on this host, and how
 * many they are. Collective: all ranks of the communicator must call it, between MPI_Init and MPI_Finalize. 0, or -EIO
 * if MPI fails.
 */
static inline int xy_mpi_ranks(struct xy_config *config, MPI_Comm comm)
{
	MPI_Comm host;
	int rank, size, failed;

	if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host) != MPI_SUCCESS)
		return -EIO;
	failed = MPI_Comm_rank(host, &rank) != MPI_SUCCESS || MPI_Comm_size(host, &size) != MPI_SUCCESS;
	failed |= MPI_Comm_free(&host) != MPI_SUCCESS;
	if (failed)
		return -EIO;
	config->batch_rank = (unsigned)rank;
	config->batch_ranks = (unsigned)size;
	return 0;
}

#ifdef __cplusplus
}
#endif
#endif
