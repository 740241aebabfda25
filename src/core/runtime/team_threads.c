/* SPDX-License-Identifier: MIT */
/*
 * Threads that a codelet starts through a library. OpenMP and MKL have a thread count per calling thread: one for a
 * single worker, the size of the team for its leader. OpenBLAS with its own threads has one count for the process,
 * which is set only while no other CPU worker runs anything. Libraries are found in the process and never loaded.
 */
#include "core/runtime/team.h"
#include "core/runtime/team_threads.h"

#include <dlfcn.h>
#include <pthread.h>

enum { OPENBLAS_THREADS = 1 }; /* result of openblas_get_parallel for a library with its own threads */

struct libraries {
	void (*openmp_set)(int);
	int (*openmp_get)(void);
	int (*mkl_set)(int); /* of the calling thread; gives what it was */
	void (*openblas_set)(int);
	int (*openblas_get)(void);
};

/* POSIX has it that a function's address comes out of dlsym as a pointer to data. */
static void *library_find(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

static struct libraries libraries_here(void)
{
	struct libraries l = { 0 };
	int (*openblas_kind)(void);

	*(void **)&l.openmp_set = library_find("omp_set_num_threads");
	*(void **)&l.openmp_get = library_find("omp_get_max_threads");
	*(void **)&l.mkl_set = library_find("MKL_Set_Num_Threads_Local");
	*(void **)&openblas_kind = library_find("openblas_get_parallel");
	if (openblas_kind && openblas_kind() == OPENBLAS_THREADS) {
		*(void **)&l.openblas_set = library_find("openblas_set_num_threads");
		*(void **)&l.openblas_get = library_find("openblas_get_num_threads");
	}
	return l;
}

void xy__team_threads_of_one(void)
{
	struct libraries l = libraries_here();

	if (l.openmp_set)
		l.openmp_set(1);
	if (l.mkl_set)
		l.mkl_set(1);
}

static void threads_bind(const struct xy__team_round *round, const cpu_set_t *cpus)
{
	/* If it can't, the threads share the leader's core: slower, not wrong. */
	if (cpus)
		pthread_setaffinity_np(pthread_self(), round->cpus_size, cpus);
}

struct xy__team_threads_before xy__team_threads_of_team(const struct xy__team *team)
{
	struct xy__team_threads_before before = { -1, -1, -1 };
	struct libraries l = libraries_here();
	int n = (int)team->base.nmembers;

	threads_bind(team->round, team->round->cpus);
	if (l.openmp_set && l.openmp_get) {
		before.openmp = l.openmp_get();
		l.openmp_set(n);
	}
	if (l.mkl_set)
		before.mkl = l.mkl_set(n);
	if (team->round->whole && l.openblas_set && l.openblas_get) {
		before.openblas = l.openblas_get();
		l.openblas_set(n);
	}
	return before;
}

void xy__team_threads_put_back(const struct xy__team *team, const struct xy__team_threads_before *before)
{
	struct libraries l = libraries_here();

	if (before->openmp >= 0)
		l.openmp_set(before->openmp);
	if (before->mkl >= 0)
		l.mkl_set(before->mkl);
	if (before->openblas >= 0)
		l.openblas_set(before->openblas);
	threads_bind(team->round, team->round->own);
}
