/* SPDX-License-Identifier: MIT */
/*
 * Submitting a task without a struct: a codelet, then any number of terms in any order.
 *
 *	xy_insert(rt, &scale, xy_rw(vector), xy_arg(&factor), xy_priority(3));
 *
 * Accesses are the codelet's buffers in the order in which they are written here, and need no modes in the codelet.
 * Other terms are the fields of struct xy_task_desc with their names; of those that hold one value, the last counts.
 * C and C++ code is identical.
 */
#ifndef XYLEM_INSERT_H
#define XYLEM_INSERT_H

#include <xylem/task.h>

#ifdef __cplusplus
extern "C" {
#endif

enum xy_term_kind {
	XY_TERM_END,
	XY_TERM_ACCESS,
	XY_TERM_ARG,
	XY_TERM_PRIORITY,
	XY_TERM_NAME,
	XY_TERM_CALLBACK,
	XY_TERM_AFTER,
	XY_TERM_WORKER,
	XY_TERM_RETRIES,
	XY_TERM_CHOICE,
	XY_TERM_LENGTH,
	XY_TERM_GROUP,
	XY_TERM_TAG,
	XY_TERM_SCHED_DATA,
	XY_TERM_DEADLINE,
	XY_TERM_CONTEXT
};

/* One term; made by the functions below. */
struct xy_term {
	enum xy_term_kind kind;
	int number; /* the mode of an access, a priority, a worker, ... */
	const void *pointer;
	union {
		size_t size;
		double length_us;
		double deadline_s;
		uint64_t tag;
		void (*callback)(void *callback_arg, int status);
	} more;
};

static inline struct xy_term xy_term_of(enum xy_term_kind kind, int number, const void *pointer)
{
	struct xy_term term = { kind, number, pointer, { 0 } };

	return term;
}

/* --- accesses --- */

static inline struct xy_term xy_use(struct xy_handle *h, enum xy_mode mode)
{
	return xy_term_of(XY_TERM_ACCESS, (int)mode, h);
}
static inline struct xy_term xy_r(struct xy_handle *h)
{
	return xy_use(h, XY_R);
}
static inline struct xy_term xy_w(struct xy_handle *h)
{
	return xy_use(h, XY_W);
}
static inline struct xy_term xy_rw(struct xy_handle *h)
{
	return xy_use(h, XY_RW);
}
static inline struct xy_term xy_scratch(struct xy_handle *h)
{
	return xy_use(h, XY_SCRATCH);
}
static inline struct xy_term xy_commute(struct xy_handle *h)
{
	return xy_use(h, (enum xy_mode)(XY_RW | XY_COMMUTE));
}
static inline struct xy_term xy_redux(struct xy_handle *h)
{
	return xy_use(h, XY_REDUX);
}

/* --- the rest --- */

/* The argument, borrowed until the task ends. */
static inline struct xy_term xy_arg(void *arg)
{
	return xy_term_of(XY_TERM_ARG, 0, arg);
}
/* The argument: size bytes, copied now. */
static inline struct xy_term xy_copy(const void *arg, size_t size)
{
	struct xy_term term = xy_term_of(XY_TERM_ARG, 0, arg);

	term.more.size = size;
	return term;
}
static inline struct xy_term xy_priority(int priority)
{
	return xy_term_of(XY_TERM_PRIORITY, priority, NULL);
}
static inline struct xy_term xy_name(const char *name)
{
	return xy_term_of(XY_TERM_NAME, 0, name);
}
static inline struct xy_term xy_callback(void (*callback)(void *callback_arg, int status), void *callback_arg)
{
	struct xy_term term = xy_term_of(XY_TERM_CALLBACK, 0, callback_arg);

	term.more.callback = callback;
	return term;
}
/* A predecessor; may be repeated. */
static inline struct xy_term xy_after(struct xy_task *task)
{
	return xy_term_of(XY_TERM_AFTER, 0, task);
}
/* A worker that may run it; may be repeated. */
static inline struct xy_term xy_on(unsigned worker)
{
	return xy_term_of(XY_TERM_WORKER, (int)worker, NULL);
}
static inline struct xy_term xy_retries(unsigned retries)
{
	return xy_term_of(XY_TERM_RETRIES, (int)retries, NULL);
}
static inline struct xy_term xy_choice(unsigned choice)
{
	return xy_term_of(XY_TERM_CHOICE, (int)choice, NULL);
}
static inline struct xy_term xy_length_us(double length_us)
{
	struct xy_term term = xy_term_of(XY_TERM_LENGTH, 0, NULL);

	term.more.length_us = length_us;
	return term;
}
/* For components of one's own: a datum, borrowed until the task ends, and a time of xy_now. */
static inline struct xy_term xy_sched_data(void *data)
{
	return xy_term_of(XY_TERM_SCHED_DATA, 0, data);
}
static inline struct xy_term xy_deadline_s(double deadline_s)
{
	struct xy_term term = xy_term_of(XY_TERM_DEADLINE, 0, NULL);

	term.more.deadline_s = deadline_s;
	return term;
}
/* A group to be waited for, or a tag: see <xylem/group.h>. */
static inline struct xy_term xy_into(struct xy_group *group)
{
	return xy_term_of(XY_TERM_GROUP, 0, group);
}
static inline struct xy_term xy_tag(uint64_t tag)
{
	struct xy_term term = xy_term_of(XY_TERM_TAG, 0, NULL);

	term.more.tag = tag;
	return term;
}
/* The context whose workers run it: see <xylem/context.h>. */
static inline struct xy_term xy_in(struct xy_context *context)
{
	return xy_term_of(XY_TERM_CONTEXT, 0, context);
}
static inline struct xy_term xy_term_end(void)
{
	return xy_term_of(XY_TERM_END, 0, NULL);
}

/* What xy_insert calls: terms up to one of XY_TERM_END. Returns what xy_submit does. */
int xy_insert_terms(struct xy_runtime *rt, const struct xy_codelet *codelet, const struct xy_term *terms);

#ifdef __cplusplus
}

template <typename... Terms>
inline int xy_insert(struct xy_runtime *rt, const struct xy_codelet *codelet, const Terms &...terms)
{
	const struct xy_term list[] = { terms..., xy_term_end() };

	return xy_insert_terms(rt, codelet, list);
}
#else
/* int xy_insert(struct xy_runtime *rt, const struct xy_codelet *codelet, struct xy_term term, ...) */
#define xy_insert(...) XY__INSERT(__VA_ARGS__, xy_term_end())
#define XY__INSERT(rt, codelet, ...) xy_insert_terms(rt, codelet, (const struct xy_term[]){ __VA_ARGS__ })
#endif
#endif
