/* SPDX-License-Identifier: MIT */
/*
 * Transactions: epochs of tasks that follow each other. When an epoch may begin, a function of the program's says
 * whether it shall; otherwise its tasks end without being run. An epoch begins with an empty task that waits for all
 * tasks of the one before, and for which its own tasks wait.
 *
 * Locking key: (c) constant after set-up, (t) transactions_lock, (o) the thread that submits.
 */
#include "internal.h"

static pthread_mutex_t transactions_lock = PTHREAD_MUTEX_INITIALIZER;

struct xs_epoch {
	struct starpu_transaction *transaction; /* (c) */
	struct starpu_task *begin;              /* (t) NULL once it has begun; it frees itself */
	void *arg;                              /* (c) */
	bool runs;                              /* (c) once it has begun */
	struct xs_epoch *before;                /* (c) until it has begun */
};

struct starpu_transaction {
	int (*start)(struct starpu_transaction_descr *descr, void *arg);
	struct xs_epoch *now, *next; /* (o) tasks join now, and next waits for them */
};

bool xs_transaction_runs(const struct xs_epoch *epoch)
{
	return epoch->runs;
}

/* All tasks of the epoch before have ended. */
static void epoch_begin(void *arg)
{
	struct xs_epoch *epoch = arg;
	const struct starpu_transaction *t = epoch->transaction;

	free(epoch->before);
	epoch->before = NULL;
	if (t->start)
		epoch->runs = t->start(NULL, epoch->arg);
	pthread_mutex_lock(&transactions_lock);
	epoch->begin = NULL;
	pthread_mutex_unlock(&transactions_lock);
}

/* The last one has no tasks. */
static void transaction_end(void *arg)
{
	struct xs_epoch *epoch = arg;

	free(epoch->before);
	free(epoch->transaction);
	free(epoch);
}

static struct xs_epoch *epoch_create(struct starpu_transaction *t, struct xs_epoch *before)
{
	struct xs_epoch *epoch = calloc(1, sizeof *epoch);

	if (epoch)
		epoch->begin = starpu_task_create();
	if (!epoch || !epoch->begin) {
		free(epoch);
		xs_fail(-ENOMEM, "no memory for a transaction");
		return NULL;
	}
	epoch->transaction = t;
	epoch->before = before;
	epoch->runs = true;
	epoch->begin->epilogue_callback_func = epoch_begin;
	epoch->begin->epilogue_callback_arg = epoch;
	return epoch;
}

static int transaction_step(struct starpu_transaction *t, void *arg)
{
	struct xs_epoch *begins = t->next;

	t->next = epoch_create(t, begins);
	if (!t->next) {
		t->next = begins;
		return -ENOMEM;
	}
	t->now = begins;
	begins->arg = arg;
	/* An epoch without tasks has its place, too. */
	starpu_task_declare_deps(t->next->begin, 1, begins->begin);
	return starpu_task_submit(begins->begin);
}

struct starpu_transaction *starpu_transaction_open(int (*do_start_func)(struct starpu_transaction_descr *descr,
									void *arg),
						   void *do_start_arg)
{
	struct starpu_transaction *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->start = do_start_func;
	t->next = epoch_create(t, NULL);
	if (!t->next || transaction_step(t, do_start_arg)) {
		free(t);
		return NULL;
	}
	return t;
}

void starpu_transaction_next_epoch(struct starpu_transaction *p_trs, void *do_start_arg)
{
	int error = p_trs ? transaction_step(p_trs, do_start_arg) : -EINVAL;

	if (error)
		xs_fail(error, "starpu_transaction_next_epoch: %s", strerror(-error));
}

void starpu_transaction_close(struct starpu_transaction *p_trs)
{
	int error;

	if (!p_trs) {
		xs_fail(-EINVAL, "starpu_transaction_close: no transaction");
		return;
	}
	p_trs->next->begin->epilogue_callback_func = transaction_end;
	error = starpu_task_submit(p_trs->next->begin);
	if (error)
		xs_fail(error, "starpu_transaction_close: %s", strerror(-error));
}

struct xs_epoch *xs_transaction_join(struct starpu_task *task)
{
	struct starpu_transaction *t = task->transaction;

	pthread_mutex_lock(&transactions_lock);
	if (t->now->begin)
		starpu_task_declare_deps(task, 1, t->now->begin);
	pthread_mutex_unlock(&transactions_lock);
	starpu_task_declare_deps(t->next->begin, 1, task);
	return t->now;
}
