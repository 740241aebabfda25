/* SPDX-License-Identifier: MIT */
/*
 * Inside the test double of libcudart. One lock guards everything that changes; what a stream executes
 * runs without it. Every entry point is double_begin ... double_end.
 *
 * Locking: (c) constant after double_begin's set-up, (l) the lock.
 */
#ifndef CUDART_DOUBLE_INTERNAL_H
#define CUDART_DOUBLE_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cudart_double.h"
#include "more_api.h"

enum { DOUBLE_DEVICES = 16, DOUBLE_MAX_PITCH = 0x7fffffff };

struct double_block {
	size_t offset, bytes;
};

/* An arena that is mapped twice: for the addresses that programs see, which the host can't read, and
 * for the threads that play the device. */
struct double_device {
	unsigned number;             /* (c) */
	char *addresses, *memory;    /* (c) */
	size_t arena_bytes;          /* (c) */
	size_t limit, used;          /* (l) */
	struct double_block *blocks; /* (l) by address, in order */
	size_t nblocks, room;        /* (l) */
	size_t packed;               /* (l) so many of the first ones have no gap before them */
	enum cudaError lost;         /* (l) the sticky error; 0 while it is alive */
	unsigned running;            /* (l) operations that its streams are executing */
	struct CUstream_st *legacy;  /* (l) stream 0, made when it is first used */
	bool peers[DOUBLE_DEVICES];  /* (l) whose memory was enabled */
};

/* Something that a stream reaches at some time. Events and waits share it. */
struct double_marker {
	unsigned references; /* (l) */
	bool done;           /* (l) */
	uint64_t time_ns;    /* (l) when it was done */
};

struct double_rows {
	char *to;
	const char *from;
	size_t row_bytes, nrows, nplanes;
	size_t to_row, from_row, to_plane, from_plane;
};

enum double_kind { DOUBLE_MARK, DOUBLE_WAIT, DOUBLE_FREE, DOUBLE_COPY, DOUBLE_MEMSET, DOUBLE_FUNCTION, DOUBLE_KERNEL };

struct double_operation {
	struct double_operation *next;
	enum double_kind kind;
	struct double_marker *marker;            /* MARK, WAIT */
	struct double_rows rows;                 /* COPY; of MEMSET: to, row_bytes */
	void *staged;                            /* COPY: freed in the end */
	uint64_t *link;                          /* COPY: when its link with the host is free; NULL: it needs none */
	int value;                               /* MEMSET */
	void (*function)(void *);                /* FUNCTION, KERNEL without a body */
	void *arg;                               /* FUNCTION; of KERNEL and FREE: freed in the end */
	const struct cudart_double_kernel *body; /* KERNEL from nvcc */
	struct cudart_double_grid grid;
	double us; /* lasts at least so long */
};

struct CUstream_st {
	struct CUstream_st *next;              /* (l) all streams */
	struct double_device *device;          /* (c) */
	bool blocking;                         /* (c) ordered with stream 0 */
	bool stop, drop;                       /* (l) end when empty; end at once */
	struct double_operation *first, *last; /* (l) the first one is being executed */
	pthread_cond_t work;
	pthread_t thread; /* (c) */
};

struct CUevent_st {
	struct double_device *device; /* (c) */
	bool timing;                  /* (c) */
	struct double_marker *marker; /* (l) of the last record */
};

/* state.c */
struct double_state {
	pthread_mutex_t lock;
	pthread_cond_t progress; /* an operation has ended, a device was lost, copies are let go */
	unsigned ndevices;       /* (c) */
	struct double_device devices[DOUBLE_DEVICES];
	unsigned nvisible;                                               /* (c) */
	struct double_device *visible[DOUBLE_DEVICES];                   /* (c) by ordinal */
	bool peers;                                                      /* (c) devices can copy from each other */
	unsigned linked, island;                                         /* (l) devices that share a link, are peers */
	uint64_t links[DOUBLE_DEVICES][2];                               /* (l) by direction: busy until then, in ns */
	double bytes_per_us, launch_us;                                  /* (l) 0: no delay */
	bool holds_copies, holds_host;                                   /* (l) */
	struct CUstream_st *streams;                                     /* (l) */
	unsigned nstreams, nevents, npools;                              /* (l) that are the program's */
	size_t host_bytes, registered_bytes;                             /* (l) */
	struct cudart_double_traffic traffic[CUDART_DOUBLE_NDIRECTIONS]; /* (l) */
};
extern struct double_state double_state;

/* Makes the double what the environment says; for whoever may come first. */
void double_setup(void);
/* Takes the lock, counts the call, and says whether it fails: struck by a fault, or the device is lost. */
enum cudaError double_begin(const char *function, struct double_device *device);
/* double_begin for functions that need no device. */
enum cudaError double_begin_any(const char *function);
/* Notes the error of the thread and gives the lock back. Returns error. */
enum cudaError double_end(enum cudaError error);
/* The device that the thread has chosen, that an ordinal means; NULL: there is none. */
struct double_device *double_current(void);
struct double_device *double_ordinal(int ordinal);
int double_ordinal_of(const struct double_device *device);
int *double_current_ordinal(void);
/* With the lock: whether two devices can copy from each other directly. */
bool double_are_peers(const struct double_device *a, const struct double_device *b);
/* With the lock: whether the operation that device is to execute is struck, which loses the device. */
bool double_operation_fails(struct double_device *device);
/* Which thread is one of a stream: it never waits for devices. */
void double_is_stream_thread(void);
uint64_t double_now_ns(void);

/* faults.c: with the lock. */
enum cudaError double_fault(const char *function);
bool double_is_sticky(enum cudaError error);
void double_faults_from_environment(void);
void double_faults_reset(void);

/* memory.c: with the lock. */
bool double_arena(struct double_device *device, size_t bytes);
/* The device in whose address range this is, whether it is allocated or not. */
struct double_device *double_owner(const void *memory);
/* Where the bytes of an allocation can be touched; NULL unless all of them are of one allocation. */
char *double_device_bytes(const void *memory, size_t bytes);
bool double_is_pinned(const void *memory, size_t bytes);
enum cudaError double_allocate(struct double_device *device, size_t bytes, void **memory);
enum cudaError double_release(void *memory);

/* stream.c: with the lock. */
struct CUstream_st *double_stream(struct CUstream_st *stream);
/* Queues a copy of the operation behind what the stream has; false: out of memory. */
bool double_queue(struct CUstream_st *stream, const struct double_operation *operation);
/* A marker behind everything in the stream, with one reference for the caller; NULL: out of memory. */
struct double_marker *double_mark(struct CUstream_st *stream);
void double_marker_release(struct double_marker *marker);
/* Waits for a marker, or until the device is lost: its error then. */
enum cudaError double_await(struct double_device *device, struct double_marker *marker);
enum cudaError double_await_stream(struct CUstream_st *stream);
/* Waits for what is in all streams of the device now; streams may come and go meanwhile. */
enum cudaError double_await_device(struct double_device *device);

/* capture.c: with the lock. Whether the call is one that a capture forbids to this thread, and so ends it. */
bool double_breaks_capture(const char *function);

/* kernel.c: in the thread of a stream, without the lock. */
void double_run_kernel(struct double_operation *operation);
void double_kernels_from_environment(void);

#endif
