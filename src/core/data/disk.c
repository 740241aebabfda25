/* SPDX-License-Identifier: MIT */
/*
 * Files of the disks, the chunks they are divided into, and the threads that read and write. Space that was written
 * once is reused first; a file that can't be written any more takes no more than it has, and what a failed write was to
 * fill is never used again. So each failure leaves less to try, and what is there can still be read.
 */
#include "core/data/disk.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/disk_file.h"
#include "core/data/node.h"
#include "core/runtime/fork.h"
#include "core/runtime/runtime.h"
#include "core/util/text.h"

/* A part of a file, in use or free. */
struct disk_chunk {
	struct disk_chunk *next; /* (l) the next free one, further on in the file */
	struct disk *disk;       /* (c) */
	size_t offset, bytes;    /* (l) a multiple of XY__DISK_BLOCK */
	bool bad;                /* (l) it could not be written */
};

/* Pending copies of one direction. */
struct xy_event {
	struct xy_event *next; /* (q) */
	bool writes;           /* (c) */
	unsigned n;            /* (c) */
	const char *path;      /* (o) of what failed */
	_Atomic int status;    /* (a) -EAGAIN: pending */
	struct xy_copy copies[];
};

/* One direction of a file. */
struct disk_line {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t news;
	struct xy_event *first, *last; /* (q) the lock above */
	bool ends;                     /* (q) */
};

struct disk {
	struct disk *next;         /* (c) */
	struct xy_device *disks;   /* (c) */
	char *path;                /* (c) */
	struct xy__disk_file file; /* (c) */
	size_t limit;              /* (l) bytes that it may have */
	size_t end;                /* (l) bytes from here on were never used */
	size_t left;               /* (l) bytes that are not in use */
	struct disk_chunk *free;   /* (l) in the order of the file */
	struct disk_line lines[2]; /* reading, writing */
};

struct xy_device {
	_Atomic int lock;
	struct disk *first; /* (l) to write; the list only grows */
	const struct xy__log *log;
};

static _Thread_local char disk_words[192];

/* --- chunks --- */

/* Takes from the free space that was used before. */
static bool chunk_reuse(struct disk *disk, struct disk_chunk *chunk, size_t bytes)
{
	for (struct disk_chunk **link = &disk->free; *link; link = &(*link)->next) {
		struct disk_chunk *from = *link;

		if (from->bytes < bytes)
			continue;
		chunk->offset = from->offset;
		from->offset += bytes;
		from->bytes -= bytes;
		if (!from->bytes) {
			*link = from->next;
			free(from);
		}
		return true;
	}
	return false;
}

static bool chunk_place(struct disk *disk, struct disk_chunk *chunk, size_t bytes)
{
	if (!chunk_reuse(disk, chunk, bytes)) {
		if (bytes > disk->limit || disk->end > disk->limit - bytes)
			return false;
		chunk->offset = disk->end;
		disk->end += bytes;
	}
	disk->left -= bytes;
	chunk->disk = disk;
	chunk->bytes = bytes;
	return true;
}

/* The disk with the most space first, so that all are used. The disks are locked. */
static bool chunk_find(struct xy_device *disks, struct disk_chunk *chunk, size_t bytes)
{
	struct disk *best = disks->first;

	for (struct disk *disk = disks->first; disk; disk = disk->next)
		if (disk->left > best->left)
			best = disk;
	if (best && chunk_place(best, chunk, bytes))
		return true;
	for (struct disk *disk = disks->first; disk; disk = disk->next)
		if (disk != best && chunk_place(disk, chunk, bytes))
			return true;
	return false;
}

static int disk_allocate(struct xy_device *disks, size_t bytes, void **memory)
{
	struct disk_chunk *chunk = calloc(1, sizeof *chunk);
	bool found = false;

	if (chunk && bytes <= SIZE_MAX - XY__DISK_BLOCK) {
		bytes = (bytes + XY__DISK_BLOCK - 1) / XY__DISK_BLOCK * XY__DISK_BLOCK;
		xy__lock_take(&disks->lock);
		found = chunk_find(disks, chunk, bytes);
		xy__lock_drop(&disks->lock);
	}
	if (!found)
		free(chunk);
	*memory = found ? chunk : NULL;
	return found ? 0 : -ENOMEM;
}

/* Puts a chunk into the list of free ones, and together with its neighbours. */
static void chunk_return(struct disk *disk, struct disk_chunk *chunk)
{
	struct disk_chunk *before = NULL, *after = disk->free;

	for (; after && after->offset < chunk->offset; after = after->next)
		before = after;
	disk->left += chunk->bytes;
	chunk->next = after;
	*(before ? &before->next : &disk->free) = chunk;
	if (after && chunk->offset + chunk->bytes == after->offset) {
		chunk->bytes += after->bytes;
		chunk->next = after->next;
		free(after);
	}
	if (before && before->offset + before->bytes == chunk->offset) {
		before->bytes += chunk->bytes;
		before->next = chunk->next;
		free(chunk);
	}
}

static void disk_free(struct xy_device *disks, void *memory)
{
	struct disk_chunk *chunk = memory;

	xy__lock_take(&disks->lock);
	if (chunk->bad)
		free(chunk);
	else
		chunk_return(chunk->disk, chunk);
	xy__lock_drop(&disks->lock);
}

/* A write has failed: what was never used stays so. */
static void chunk_spoil(struct disk_chunk *chunk, int error)
{
	struct disk *disk = chunk->disk;
	bool first;

	xy__lock_take(&disk->disks->lock);
	first = disk->limit > disk->end;
	if (first)
		disk->left -= disk->limit - disk->end;
	disk->limit = disk->end;
	chunk->bad = true;
	xy__lock_drop(&disk->disks->lock);
	if (first)
		xy__log(disk->disks->log, "the disk at %s can't be written and takes no more data: %s", disk->path,
			strerror(-error));
}

/* --- threads --- */

static int disk_move(struct xy_event *event, const struct xy_copy *copy)
{
	const struct xy_place *place = event->writes ? &copy->to : &copy->from;
	struct disk_chunk *chunk = place->memory;
	int error = xy__disk_copy(&chunk->disk->file, copy, event->writes, chunk->offset);

	if (error)
		event->path = chunk->disk->path;
	if (error && event->writes)
		chunk_spoil(chunk, error);
	return error;
}

/* The next event of a line; NULL at its end. */
static struct xy_event *line_next(struct disk_line *line)
{
	struct xy_event *event;

	pthread_mutex_lock(&line->lock);
	while (!line->first && !line->ends)
		pthread_cond_wait(&line->news, &line->lock);
	event = line->first;
	if (event)
		line->first = event->next;
	pthread_mutex_unlock(&line->lock);
	return event;
}

static void *line_run(void *arg)
{
	struct xy_event *event;

	pthread_setname_np(pthread_self(), "xylem-disk");
	while ((event = line_next(arg))) {
		int error = 0;

		for (unsigned i = 0; i < event->n && !error; i++)
			error = disk_move(event, &event->copies[i]);
		atomic_store(&event->status, error); /* the event is the poller's now */
	}
	return NULL;
}

static int line_start(struct disk_line *line)
{
	sigset_t all, old;
	int error;

	pthread_mutex_init(&line->lock, NULL);
	pthread_cond_init(&line->news, NULL);
	/* Signals are for the application's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = -pthread_create(&line->thread, NULL, line_run, line);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!error)
		return 0;
	pthread_cond_destroy(&line->news);
	pthread_mutex_destroy(&line->lock);
	return error;
}

static void line_stop(struct disk_line *line)
{
	pthread_mutex_lock(&line->lock);
	line->ends = true;
	pthread_cond_signal(&line->news);
	pthread_mutex_unlock(&line->lock);
	pthread_join(line->thread, NULL);
	pthread_cond_destroy(&line->news);
	pthread_mutex_destroy(&line->lock);
}

/* --- the driver --- */

static int disk_copy(struct xy_device *disks, enum xy_copy_kind kind, struct xy_device *peer,
		     const struct xy_copy *copies, unsigned n, struct xy_event **out)
{
	struct xy_event *event = malloc(sizeof *event + n * sizeof *copies);
	const struct xy_place *place = kind == XY_COPY_IN ? &copies[0].to : &copies[0].from;
	struct disk_line *line = &((struct disk_chunk *)place->memory)->disk->lines[kind == XY_COPY_IN];

	(void)disks;
	(void)peer;
	disk_words[0] = '\0';
	if (!event)
		return -ENOMEM;
	*event = (struct xy_event){ .writes = kind == XY_COPY_IN, .n = n, .status = -EAGAIN };
	memcpy(event->copies, copies, n * sizeof *copies);
	*out = event;
	pthread_mutex_lock(&line->lock);
	*(line->first ? &line->last->next : &line->first) = event;
	line->last = event;
	pthread_cond_signal(&line->news);
	pthread_mutex_unlock(&line->lock);
	return 0;
}

static int disk_poll(struct xy_device *disks, struct xy_event *event)
{
	int status = atomic_load(&event->status);

	(void)disks;
	if (status == -EAGAIN)
		return status;
	disk_words[0] = '\0';
	if (status)
		snprintf(disk_words, sizeof disk_words, "%s: %s", event->path, strerror(-status));
	free(event);
	return status;
}

static const char *disk_explain(void)
{
	return disk_words;
}

static bool disk_is_lost(struct xy_device *disks)
{
	(void)disks;
	return false;
}

const struct xy_driver xy__disk_driver = {
	.abi = XY_DRIVER_ABI,
	.name = "disk",
	.arch = XY_CPU,
	.allocate = disk_allocate,
	.free = disk_free,
	.copy = disk_copy,
	.poll = disk_poll,
	.explain = disk_explain,
	.is_lost = disk_is_lost,
};

/* --- disks --- */

struct xy_device *xy__disks_create(const struct xy__log *log)
{
	struct xy_device *disks = calloc(1, sizeof *disks);

	if (disks)
		disks->log = log;
	return disks;
}

static void disk_destroy(struct disk *disk)
{
	while (disk->free) {
		struct disk_chunk *chunk = disk->free;

		disk->free = chunk->next;
		free(chunk);
	}
	xy__disk_file_close(&disk->file);
	free(disk->path);
	free(disk);
}

void xy__disks_destroy(struct xy_device *disks)
{
	while (disks && disks->first) {
		struct disk *disk = disks->first;

		disks->first = disk->next;
		line_stop(&disk->lines[0]);
		line_stop(&disk->lines[1]);
		disk_destroy(disk);
	}
	free(disks);
}

static int disk_start(struct disk *disk)
{
	int error = line_start(&disk->lines[0]);

	if (error)
		return error;
	error = line_start(&disk->lines[1]);
	if (error)
		line_stop(&disk->lines[0]);
	return error;
}

static int disk_create(struct disk **out, const char *path, size_t bytes)
{
	struct disk *disk = calloc(1, sizeof *disk);
	int error;

	if (!disk)
		return -ENOMEM;
	disk->path = strdup(path);
	error = disk->path ? xy__disk_file_open(&disk->file, path, &bytes) : -ENOMEM;
	if (error) {
		free(disk->path);
		free(disk);
		return error;
	}
	disk->limit = disk->left = bytes / XY__DISK_BLOCK * XY__DISK_BLOCK;
	error = disk_start(disk);
	if (error)
		disk_destroy(disk);
	else
		*out = disk;
	return error;
}

int xy_disk_add(struct xy_runtime *rt, const char *path, size_t bytes)
{
	struct xy__node *node;
	struct xy_device *disks;
	struct disk *disk;
	int error;

	if (!rt || !path) {
		xy__log(rt ? &rt->settings.log : NULL, "xy_disk_add: no %s", rt ? "path" : "runtime");
		return -EINVAL;
	}
	if (xy__fork_is_child(rt))
		return xy__fork_refuse(rt, "xy_disk_add");
	if (!rt->memory.disk) {
		xy__log(&rt->settings.log, "xy_disk_add: the runtime was started without a limit on RAM "
					   "(limit_ram, XYLEM_LIMIT_RAM)");
		return -ENOTSUP;
	}
	node = &rt->memory.nodes[rt->memory.disk];
	disks = node->device;
	error = disk_create(&disk, path, bytes);
	if (error) {
		xy__log(&rt->settings.log, "xy_disk_add: %s: %s", path, strerror(-error));
		return error;
	}
	disk->disks = disks;
	xy__lock_take(&disks->lock);
	disk->next = disks->first;
	disks->first = disk;
	xy__lock_drop(&disks->lock);
	xy__node_change(node);
	xy__node_change(&rt->memory.nodes[XY__RAM]); /* what could not be saved may be now */
	return (int)node->id;
}

/* One of the texts between commas: a path, perhaps with its size. */
static int disks_add_one(struct xy_runtime *rt, char *text)
{
	char *colon = strrchr(text, ':');
	const char *size = colon ? colon + 1 : "";
	uint64_t bytes = 0;
	int status;

	if (*size && xy__text_bytes(&size, SIZE_MAX, &bytes) && !*size && bytes)
		*colon = '\0';
	else
		bytes = 0;
	status = xy_disk_add(rt, text, (size_t)bytes);
	return status < 0 ? status : 0;
}

int xy__disks_add(struct xy_runtime *rt, const char *text)
{
	char *copy = strdup(text), *rest = copy, *one;
	int error = copy ? 0 : -ENOMEM;

	while (!error && (one = strtok_r(rest, ",", &rest)))
		error = disks_add_one(rt, one);
	free(copy);
	return error;
}
