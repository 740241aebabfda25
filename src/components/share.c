/* SPDX-License-Identifier: MIT */
/*
 * The table of a host's devices in shared memory. Invariant: with the lock held, the row of a process has what it took
 * and did not give back. The mutex is robust: if its owner dies, the next one goes on, as each change is one number.
 */
#include "components/share.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SHARE_ROWS = 64, SHARE_DEVICES = 64, SHARE_NAME = 32, SHARE_VERSION = 3 };
#define SHARE_MAGIC 0x78796c62u
#define SHARE_PATIENCE_NS 50000000u /* a process that has not asked again for so long does not wait any more */
#define SHARE_BURY_NS 10000000u     /* between searches for dead processes, which take long */
#define SHARE_UNKNOWN UINT64_MAX    /* the start time of a process could not be read */

/* A process. pid 0: free. */
struct share_row {
	pid_t pid;
	uint64_t started; /* a process with the number of a dead one began later */
	uint64_t load[SHARE_DEVICES];
	uint64_t since_ns[SHARE_DEVICES]; /* when it was first refused; 0: it does not wait */
	uint64_t asked_ns[SHARE_DEVICES]; /* when it last asked */
};

/* In shared memory. Locking key: (c) constant once it is made, (l) lock. */
struct share_table {
	uint32_t magic, version; /* (c) magic is set last: without it the table is not finished */
	pthread_mutex_t lock;
	uint64_t buried_ns;                    /* (l) last search for dead processes */
	char names[SHARE_DEVICES][SHARE_NAME]; /* (l) "": free */
	struct share_row rows[SHARE_ROWS];     /* (l) */
};

struct xy__share {
	struct share_table *table;
	char path[128];
	unsigned row;
};

/* --- the lock and the dead --- */

static void share_lock(struct share_table *table)
{
	if (pthread_mutex_lock(&table->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&table->lock);
}

static void share_unlock(struct share_table *table)
{
	pthread_mutex_unlock(&table->lock);
}

static uint64_t share_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* When a process began, in clock ticks since the computer did; 0 if there is none of that number; or SHARE_UNKNOWN. */
static uint64_t share_started(pid_t pid)
{
	char path[64], text[1024], *at;
	unsigned long long started = 0;
	size_t n;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT || errno == ESRCH ? 0 : SHARE_UNKNOWN;
	n = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[n] = '\0';
	at = strrchr(text, ')'); /* the name may have anything in it */
	if (!at || (at[1] && at[2] == 'Z'))
		return 0;
	for (unsigned field = 0; at && field < 20; field++)
		at = strchr(at + 1, ' ');
	if (at)
		sscanf(at, "%llu", &started);
	return started;
}

static void share_clear(struct share_row *row)
{
	memset(row, 0, sizeof *row);
}

/* A process whose start time can't be read, for want of a free file descriptor, say, counts as alive. */
static bool share_is_gone(const struct share_row *row)
{
	uint64_t started = share_started(row->pid);

	return started != row->started && started != SHARE_UNKNOWN && (!started || row->started != SHARE_UNKNOWN);
}

/* Frees the rows of processes that are gone. The lock is held. True if there was one. */
static bool share_bury(struct share_table *table)
{
	bool any = false;

	table->buried_ns = share_now_ns();
	for (unsigned i = 0; i < SHARE_ROWS; i++) {
		struct share_row *row = &table->rows[i];

		if (!row->pid || !share_is_gone(row))
			continue;
		share_clear(row);
		any = true;
	}
	return any;
}

/* --- joining and leaving --- */

static int share_make(struct share_table *table)
{
	pthread_mutexattr_t attributes;
	int error = pthread_mutexattr_init(&attributes);

	if (error)
		return -error;
	memset(table, 0, sizeof *table);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	error = pthread_mutex_init(&table->lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
	if (error)
		return -error;
	table->version = SHARE_VERSION;
	table->magic = SHARE_MAGIC;
	return 0;
}

/* The mapping keeps the file open, and with it the lock. */
static void share_close(int fd)
{
	if (fd < 0)
		return;
	flock(fd, LOCK_UN);
	close(fd);
}

/* The file of that name, locked. One that was removed while this process waited for the lock is no good. */
static int share_open(const char *path, struct stat *status)
{
	int fd = -1, error = 0;

	*status = (struct stat){ 0 };
	while (!status->st_nlink && !error) {
		share_close(fd);
		fd = shm_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0 || flock(fd, LOCK_EX) || fstat(fd, status))
			error = -errno;
	}
	if (!error)
		return fd;
	share_close(fd);
	return error;
}

/* Maps the table, and makes it if it is new, or if the process died that made it. The file is locked. */
static int share_map(struct xy__share *share, int fd, off_t size)
{
	if (size == 0 && ftruncate(fd, sizeof *share->table))
		return -errno;
	if (size != 0 && size != sizeof *share->table)
		return -EPROTO;
	share->table = mmap(NULL, sizeof *share->table, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (share->table == MAP_FAILED) {
		share->table = NULL;
		return -errno;
	}
	if (!share->table->magic)
		return share_make(share->table);
	return share->table->magic == SHARE_MAGIC && share->table->version == SHARE_VERSION ? 0 : -EPROTO;
}

static int share_enter(struct xy__share *share)
{
	struct share_table *table = share->table;
	int error = -ENOSPC;

	share_lock(table);
	share_bury(table);
	for (unsigned i = 0; i < SHARE_ROWS && error; i++)
		if (!table->rows[i].pid) {
			table->rows[i].started = share_started(getpid());
			table->rows[i].pid = getpid();
			share->row = i;
			error = 0;
		}
	share_unlock(table);
	return error;
}

struct xy__share *xy__share_join(const char *name, int *error)
{
	struct xy__share *share = calloc(1, sizeof *share);
	struct stat status;
	int fd;

	*error = -ENOMEM;
	if (!share)
		return NULL;
	snprintf(share->path, sizeof share->path, "/xylem-batch-%u-%s", (unsigned)getuid(), name);
	fd = share_open(share->path, &status);
	*error = fd < 0 ? fd : share_map(share, fd, status.st_size);
	if (!*error)
		*error = share_enter(share);
	share_close(fd);
	if (!*error)
		return share;
	if (share->table)
		munmap(share->table, sizeof *share->table);
	free(share);
	return NULL;
}

void xy__share_leave(struct xy__share *share)
{
	bool others = false;
	int fd;

	if (!share)
		return;
	/* No process joins between the look and the removal; one that has opened the file already sees it gone. */
	fd = shm_open(share->path, O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		flock(fd, LOCK_EX);
	share_lock(share->table);
	share_clear(&share->table->rows[share->row]);
	share_bury(share->table);
	for (unsigned i = 0; i < SHARE_ROWS; i++)
		others |= share->table->rows[i].pid != 0;
	share_unlock(share->table);
	if (!others)
		shm_unlink(share->path);
	share_close(fd);
	munmap(share->table, sizeof *share->table);
	free(share);
}

int xy__share_device(struct xy__share *share, const char *name)
{
	struct share_table *table = share->table;
	int found = -ENOSPC;

	share_lock(table);
	for (unsigned i = 0; i < SHARE_DEVICES && found < 0; i++) {
		if (!*table->names[i])
			snprintf(table->names[i], SHARE_NAME, "%.31s", name);
		if (!strncmp(table->names[i], name, SHARE_NAME - 1))
			found = (int)i;
	}
	share_unlock(table);
	return found;
}

/* --- room --- */

static uint64_t share_load(const struct share_table *table, unsigned device)
{
	uint64_t load = 0;

	for (unsigned i = 0; i < SHARE_ROWS; i++)
		load += table->rows[i].load[device];
	return load;
}

/* Whether another process has waited longer and has no more than this one: then it is its turn. */
static bool share_is_anothers(const struct share_table *table, unsigned own, unsigned device, uint64_t now)
{
	const struct share_row *row = &table->rows[own], *other;

	for (unsigned i = 0; i < SHARE_ROWS; i++) {
		other = &table->rows[i];
		if (i != own && other->since_ns[device] && other->load[device] <= row->load[device] &&
		    now - other->asked_ns[device] < SHARE_PATIENCE_NS &&
		    (!row->since_ns[device] || other->since_ns[device] < row->since_ns[device]))
			return true;
	}
	return false;
}

bool xy__share_take(struct xy__share *share, unsigned device, uint64_t items, uint64_t capacity)
{
	struct share_table *table = share->table;
	struct share_row *row = &table->rows[share->row];
	uint64_t now;
	bool taken;

	share_lock(table);
	now = share_now_ns(); /* with the lock: no other process noted a later time */
	taken = share_load(table, device) + items <= capacity;
	if (!taken && now - table->buried_ns > SHARE_BURY_NS && share_bury(table))
		taken = share_load(table, device) + items <= capacity;
	taken = taken && !share_is_anothers(table, share->row, device, now);
	if (taken) {
		row->load[device] += items;
		row->since_ns[device] = 0;
	} else {
		row->since_ns[device] = row->since_ns[device] ? row->since_ns[device] : now;
		row->asked_ns[device] = now;
	}
	share_unlock(table);
	return taken;
}

void xy__share_force(struct xy__share *share, unsigned device, uint64_t items)
{
	share_lock(share->table);
	share->table->rows[share->row].load[device] += items;
	share_unlock(share->table);
}

void xy__share_give(struct xy__share *share, unsigned device, uint64_t items)
{
	share_lock(share->table);
	share->table->rows[share->row].load[device] -= items;
	share_unlock(share->table);
}
