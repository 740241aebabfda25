/* SPDX-License-Identifier: MIT */
/*
 * For programs in a farm's jobs: claim a piece of work, save and resume it, report progress, mark it as done. Link with
 * -lxylem-farm (pkg-config xylem-farm), which needs no other library; the task runtime is not used.
 * doc/farm-jobs.md is the contract behind it. One thread uses a piece; a process has one piece at a time.
 *
 * Functions that can fail return 0 or -errno and print nothing.
 */
#ifndef XYLEM_FARM_H
#define XYLEM_FARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exit status of a program that saved its work and wants to be run again. */
#define XY_FARM_AGAIN 75

/* A piece of work that this process has claimed. */
struct xy_farm_piece;

/*
 * Claims the piece that the job script chose, or the first open one if the farm leaves it to the program (claims:
 * itself). From then on SIGTERM and SIGUSR1 are noted for xy_farm_checkpoint, unless the program handles them itself.
 * -ENOENT: nothing is open. -ENXIO: this process is in no job of a farm. A sentence is in error, which may be NULL.
 */
int xy_farm_claim(struct xy_farm_piece **piece, char *error, size_t size);

/* Frees it. The claim stays: a piece that is not done is run again once the job has ended. NULL is fine. */
void xy_farm_free(struct xy_farm_piece *piece);

/* Its name, and the folder for what it saves; both live as long as the piece. */
const char *xy_farm_name(const struct xy_farm_piece *piece);
const char *xy_farm_folder(const struct xy_farm_piece *piece);

/* A parameter as a text or a number. 0; -ENOENT: there is none; -EINVAL: it is of another type. */
int xy_farm_text(const struct xy_farm_piece *piece, const char *name, const char **value);
int xy_farm_number(const struct xy_farm_piece *piece, const char *name, double *value);

/*
 * Call it often, where the work can be saved. Calls save(arg) if interval_s seconds have passed since the last
 * time (0: the farm's save_interval) or a signal has come. save replaces its file as a whole, or not at all: it writes
 * another one and renames it. Returns 0: go on; 1: SIGTERM came and the work is saved, end with XY_FARM_AGAIN; or what
 * save returned, if not 0, and then save is called again next time.
 */
int xy_farm_checkpoint(struct xy_farm_piece *piece, int (*save)(void *arg), void *arg, double interval_s);

/*
 * Reports progress: points so far, the loss (NAN: none), any text (NULL: none). Writes a line each
 * log_interval at most, with CPU time, memory and overhead.
 */
int xy_farm_progress(struct xy_farm_piece *piece, uint64_t points, double loss, const char *text);

/* Around the user's own function: the rest of the time is called overhead in lines of progress. */
void xy_farm_work_begin(struct xy_farm_piece *piece);
void xy_farm_work_end(struct xy_farm_piece *piece);

/*
 * Whether the farm's goal is reached: a number of points, a loss, a time since the claim, or a command that
 * exits with 0 (run each log_interval at most). Always false for a farm without a goal.
 */
bool xy_farm_is_reached(struct xy_farm_piece *piece, uint64_t points, double loss);

/* Marks the piece as done, whatever the goal: it is never run again. Save first. */
int xy_farm_done(struct xy_farm_piece *piece);

#ifdef __cplusplus
}
#endif

#endif
