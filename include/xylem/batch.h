/* SPDX-License-Identifier: MIT */
/*
 * Batches: a long range of items, cut into pieces that run on several unequal devices; the results are joined in order.
 * The policy decides how to cut: see doc/batch.md. Unless stated otherwise, any thread may call a
 * function, and it returns 0 or -errno with one log line.
 */
#ifndef XYLEM_BATCH_H
#define XYLEM_BATCH_H

#include <xylem/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a piece runs. All CPU workers are one device, each device of a driver is another. */
struct xy_batch_device {
	const char *name;  /* "cpu", "cuda:0" */
	enum xy_arch arch; /* XY_CPU, XY_CUDA and so on */
	int index;         /* of the device among those of its driver, -1: the CPUs */
	void *state;       /* of this device in this batch: for begin to set */
	/* The call of the piece, for xy_cuda_stream and the like: work launches on it and returns. */
	struct xy_call *call;
};

/* A piece of a batch. All functions for a piece get the same struct. */
struct xy_batch_piece {
	struct xy_range range; /* its items */
	void *arg;             /* of the batch */
	void *data, *result;   /* for the functions below; NULL at first, kept if the piece runs again */
};

/*
 * The functions of a batch. Each returns 0 or an error, which fails its piece. Workers call them, for different pieces
 * concurrently. In a simulation none is called.
 */
struct xy_batch_ops {
	const char *name; /* for messages and models; NULL: "batch" */
	/* Optional: once per device, before its first piece. Its duration is not part of any measurement. */
	int (*begin)(void *arg, struct xy_batch_device *device);
	/* Optional: brings a piece's input to the device. */
	int (*prepare)(struct xy_batch_piece *piece, struct xy_batch_device *device);
	/* Mandatory, unless there is a codelet. */
	int (*work)(struct xy_batch_piece *piece, struct xy_batch_device *device);
	/* Optional: when work, and what it launched, has succeeded. */
	int (*finish)(struct xy_batch_piece *piece);
	/* Mandatory with work: once, after all pieces succeeded; they are in the order of their items. */
	int (*reduce)(void *arg, struct xy_batch_piece *pieces, size_t n);
	/*
	 * Optional: called instead of reduce if the batch fails, for each piece that has data or a result, to free
	 * them; also for pieces that failed themselves.
	 */
	void (*discard)(struct xy_batch_piece *piece);
	unsigned where; /* XY_ON_*: architectures that work can use; 0: CPUs only */
	/* Instead of the functions above, for batches with handles: runs on each piece; see xy_call_range. */
	const struct xy_codelet *codelet;
	const struct xy_model *model; /* of the duration of a piece, or NULL */
	/* Device memory per item, besides its part of the handles; limits sizes found by measuring. 0: unknown */
	size_t item_bytes;
};

struct xy_batch_progress {
	uint64_t done, total; /* items */
	double items_per_s, left_s;
};

/* A batch; unset fields are zero. */
struct xy_batch {
	uint64_t start, stop; /* its items: from start up to, not including, stop */
	void *arg;            /* borrowed until the batch has ended */
	/*
	 * Vectors and matrices to be cut, up to { NULL, 0 }, with XY_R, XY_W or XY_RW. Item i is element i, or row i
	 * of a matrix (y = i). The codelet's buffers are those of its piece, from 0 on. The batch waits for earlier
	 * tasks that use them, and later ones wait for it; afterwards the handles are whole again.
	 */
	const struct xy_access *handles;
	struct xy_task *const *after; /* nafter tasks that must end before */
	unsigned nafter;
	unsigned retries; /* how often a failing piece runs again */
	int priority;     /* of its pieces */
	double length_us; /* without a model: expected time of the whole on a CPU core; 0: unknown */
	/*
	 * Optional: called after pieces have ended, one call at a time, at most once in progress_s (default 0.5), and
	 * in any case when all items are done.
	 */
	void (*progress)(void *arg, const struct xy_batch_progress *progress);
	double progress_s;
	/* Optional: called once when the batch has ended, after reduce and before any waiting thread is woken. */
	void (*callback)(void *arg, int status);
};

struct xy_batch_error {
	struct xy_range range; /* of the piece; of the whole batch if reduce failed */
	int status;
};

struct xy_batch_job;

/*
 * Runs a batch and waits. Returns 0 or the error of the first piece that failed; each failure is logged. -EINVAL for a
 * missing function or an empty range, -EDEADLK inside a codelet or callback.
 */
int xy_batch_run(struct xy_runtime *rt, const struct xy_batch_ops *ops, const struct xy_batch *batch);

/* xy_batch_run for a codelet that works on pieces of batch->handles. */
int xy_batch_handles(struct xy_runtime *rt, const struct xy_codelet *codelet, const struct xy_batch *batch);

/* Submits a batch, takes its place in the order like a task, and returns. ops is borrowed until it has ended. */
int xy_batch_submit(struct xy_runtime *rt, const struct xy_batch_ops *ops, const struct xy_batch *batch,
		    struct xy_batch_job **job);
/* Waits for the end, and returns what xy_batch_run would. */
int xy_batch_wait(struct xy_batch_job *job);
/* A task that ends with the batch, for `after` of others; valid until xy_batch_release. */
struct xy_task *xy_batch_task(struct xy_batch_job *job);
/*
 * The failures of a batch that has ended, in the order of their items: fills in the first n and returns how many
 * there are. At most 1024 are kept, fewer without memory; the others are zero.
 */
size_t xy_batch_errors(const struct xy_batch_job *job, struct xy_batch_error *errors, size_t n);
/* Drops the job; the batch still runs. NULL is allowed. */
void xy_batch_release(struct xy_batch_job *job);

#ifdef __cplusplus
}
#endif
#endif
