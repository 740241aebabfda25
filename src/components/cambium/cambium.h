/* SPDX-License-Identifier: MIT */
/*
 * Private parts of cambium, a mapper that binds late. Tasks that take equally long everywhere are of one type; a type
 * keeps its ready tasks in order of rank. A view of the submitted graph gives each task its rank.
 *
 * Locking key: (c) constant after init, (l) the component's lock, (a) atomic.
 */
#ifndef XYLEM_COMPONENTS_CAMBIUM_CAMBIUM_H
#define XYLEM_COMPONENTS_CAMBIUM_CAMBIUM_H

#include "components/estimate.h"
#include "core/task/task.h"

enum {
	XY__CAMBIUM_CLASSES = 8, /* distinguished classes of workers */
	XY__CAMBIUM_TYPES = 256,
	XY__CAMBIUM_FEW = 128, /* workers; with more, estimates of all are not renewed after each task */
	XY__CAMBIUM_TOPS = 32, /* tails of each type that are remembered */
	XY__CAMBIUM_NOTYPE = XY__CAMBIUM_TYPES,
};

/* Tasks of one type and rank, the oldest first. */
struct xy__cambium_group {
	float rank_us; /* least time from its start to the end of the longest path */
	float tail_us; /* least time from its end to the end of all that follows */
	int priority;
	struct xy_task *first, *last;
};

/* All (l). */
struct xy__cambium_type {
	unsigned base;                 /* itself, or the type from which this one was derived for far data */
	float us[XY__CAMBIUM_CLASSES]; /* how long on each class; INFINITY: not there */
	float least_us;
	unsigned fast;   /* the class that is fastest */
	double price_us; /* least share of the machine's time that one of them costs */
	long left;       /* in the view, and not started */
	unsigned words;  /* of the view's sets that are for this type */
	unsigned ntasks; /* here */
	unsigned ngroups, room;
	struct xy__cambium_group *groups; /* by rank, the highest last */
	unsigned ntops, begun;            /* since the view */
	float tops[XY__CAMBIUM_TOPS];     /* the longest tails of the view, falling */
};

/* What the view knows of a task. */
struct xy__cambium_node {
	struct xy_task *task;
	uint32_t generation;
	uint16_t type;
	uint8_t age; /* in how many views it was remembered and not seen */
	bool begun;
	float path_us; /* least time of the longest path after its end */
	float area_us; /* least time of the whole machine for all that follows */
};

/* The place of a node in the picture. */
struct xy__cambium_link {
	uint32_t first; /* of its successors */
	uint32_t waits; /* predecessors not yet in order */
	uint32_t place; /* of its bit in the sets */
	uint32_t order; /* which node comes here if each comes after those it waits for */
};

/* A picture of the tasks that are here and of those that follow them. All (l). */
struct xy__cambium_view {
	unsigned n, most, capacity;
	unsigned remembered; /* nodes that were not seen this time */
	struct xy__cambium_node *nodes;
	struct xy__cambium_link *links; /* one more than nodes */
	uint32_t *table;                /* 2^bits places: numbers of nodes by address, plus 1 */
	unsigned bits;
	unsigned nsuccessors, successors_room;
	uint32_t *successors;
	size_t sets_room;
	uint64_t *sets; /* descendants of each node */
};

struct xy__cambium {
	struct xy_component base;
	double slack, waste;                               /* (c) options */
	unsigned nodes;                                    /* (c) option */
	bool moves;                                        /* (c) there are several memory nodes */
	struct xy__estimate estimate;                      /* (c) */
	unsigned nclasses;                                 /* (c) */
	unsigned counts[XY__CAMBIUM_CLASSES];              /* (c) workers of each class */
	const struct xy__seat *seats[XY__CAMBIUM_CLASSES]; /* (c) one of each class */
	uint8_t *classes;                                  /* (c) by worker */
	const struct xy__seat **by_class;                  /* (c) all workers, one class after the other */
	const struct xy__seat **by_worker;                 /* (c) NULL where it has none */
	unsigned first_of_class[XY__CAMBIUM_CLASSES + 1];  /* (c) */
	const struct xy__seat **by_node;                   /* (c) of each class one worker on each of its nodes */
	unsigned first_node[XY__CAMBIUM_CLASSES + 1];      /* (c) */
	struct xy_lock lock;
	_Atomic size_t count, peak;             /* (a) */
	struct xy_queue rest;                   /* (l) tasks that are not chosen by what is expected */
	unsigned ntypes;                        /* (l) */
	struct xy__cambium_type *types;         /* (l) */
	float guess_us;                         /* (l) for tasks of which nothing is known */
	double prices[XY__CAMBIUM_CLASSES];     /* (l) of a microsecond of a worker; with the counts their sum is 1 */
	double area_us;                         /* (l) of all that is left */
	unsigned unpriced;                      /* (l) started since the prices were computed */
	double backlog_us[XY__CAMBIUM_CLASSES]; /* (l) of held tasks that are fastest there */
	double *ends_us;                        /* (l) by worker: when it is expected to be free */
	float *tails_us;                        /* (l) by worker: of the task that it got last */
	uint8_t *astray;                        /* (l) by worker: the class that had been faster, plus 1 */
	double caution;                         /* (l) factor on slack */
	const struct xy__seat *wanted;          /* (l) the worker to notify, as another one has left it a task */
	unsigned looks;                         /* (l) decisions since then */
	double running_us[XY__CAMBIUM_CLASSES], soonest_us[XY__CAMBIUM_CLASSES], path_end_us; /* (l) the outlook */
	unsigned words, hold_room;         /* (l) of each of these sets, as in the view */
	uint64_t *present;                 /* (l) not started; the memory of all three */
	uint64_t *held;                    /* (l) waits for what slow workers run */
	uint64_t *carried;                 /* (l) did so when the view was made, ... */
	double carried_until_us;           /* (l) ... until then at most */
	bool held_is_known;                /* (l) */
	uint32_t *holds;                   /* (l) by worker: the node that it runs though it is slow, plus 1 */
	struct xy__cambium_view view, old; /* (l) the last one, and memory for the next */
	uint64_t seen;                     /* (l) how many had been submitted when it was made */
	double view_us;                    /* (l) area_us when it was made */
	bool anew;                         /* (l) just rebuilt: held tasks may now suit other workers */
	bool more;                         /* (l) submission waits with more tasks */
	unsigned begun, strangers;         /* (l) tasks started, and arrived without being in it, since then */
};

/* The inputs of one decision. */
struct xy__cambium_outlook {
	unsigned class;
	double now_us;
	double left_us; /* until all that is known can have ended */
	double due_us;  /* tasks that are better elsewhere must end by then; INFINITY: any time */
};

struct xy__cambium_choice {
	int type;       /* -1: none */
	unsigned group; /* of this or a lower rank */
	double cost;    /* how many times dearer than at the cheapest place; 0 for what comes first */
	float rank_us;
};

/* --- cambium_seats.c: for init, when the seats are known and there is memory for the rest --- */

void xy__cambium_sort(struct xy__cambium *c);

/* --- cambium_choose.c. The lock is held. --- */

struct xy__cambium_outlook xy__cambium_outlook(struct xy__cambium *c, unsigned worker, double now_us);
struct xy__cambium_choice xy__cambium_choose(struct xy__cambium *c, const struct xy__cambium_outlook *o);

/* A task, its place in its group, and its transfer time. */
struct xy__cambium_near {
	struct xy_task *task, *before;
	unsigned group;
	float transfer_us, score;
};

/* Moving data is of interest if it takes such a part of a task's time. */
#define XY__CAMBIUM_MOVES 0.05

/* --- cambium_near.c. The lock is held. --- */

/* Transfer time of a task's data to a worker; 0 if unknown. */
float xy__cambium_transfer_us(const struct xy_task *task, unsigned worker);
/*
 * The task of a type for a worker, of this rank or lower; without a task, the rest is left to another worker: c->wanted
 * may name it.
 */
struct xy__cambium_near xy__cambium_pick(struct xy__cambium *c, const struct xy__cambium_type *t, unsigned group,
					 unsigned worker, double now_us);

/* --- cambium_store.c: types and groups. The lock is held. --- */

/* The type of a task, XY__CAMBIUM_NOTYPE if it takes no time. */
unsigned xy__cambium_type_of(struct xy__cambium *c, const struct xy_task *task);
/* The type of a task given where its data is now and how much follows it: transfers take time as well. */
unsigned xy__cambium_type_now(struct xy__cambium *c, unsigned type, const struct xy_task *task, float path_us);
/* False without memory. */
bool xy__cambium_insert(struct xy__cambium *c, unsigned type, struct xy_task *task, float path_us, float area_us);
/* Takes a task of a group out. */
void xy__cambium_remove(struct xy__cambium *c, unsigned type, unsigned group, struct xy_task *task,
			struct xy_task *before);
/* All tasks that are here, in a list linked by next; nothing is left. */
struct xy_task *xy__cambium_empty(struct xy__cambium *c);

/* --- cambium_view.c: what follows. The lock is held. --- */

/* Rebuilds the view of the graph, and gives all held tasks new ranks. */
void xy__cambium_look(struct xy__cambium *c, double now_us);
/* What is known of the descendants of a task, from the view or from its successors. */
struct xy__cambium_node xy__cambium_know(const struct xy__cambium *c, struct xy_task *task, bool *seen);
/* The node of a task in the view; NULL: unknown. */
struct xy__cambium_node *xy__cambium_find(const struct xy__cambium_view *v, const struct xy_task *task);
/* The task leaves. */
void xy__cambium_forget(struct xy__cambium *c, const struct xy_task *task);
void xy__cambium_view_fini(struct xy__cambium_view *v);

/* --- cambium_hold.c: what has to wait for slow workers. The lock is held. --- */

/* How long the machine could go on with what waits neither for what slow workers run nor for this task. */
double xy__cambium_free_us(struct xy__cambium *c, const struct xy_task *task, double now_us);
/* A worker begins a task, on which it is slow or not. */
void xy__cambium_hold(struct xy__cambium *c, const struct xy_task *task, unsigned worker, bool slow);
/* The held tasks as places of the view about to be replaced; from malloc, NULL without any. */
uint64_t *xy__cambium_held(struct xy__cambium *c, double now_us);
/* Adopts a new view, whose sets have this many words. */
void xy__cambium_hold_anew(struct xy__cambium *c, uint64_t *held, unsigned words);

/* --- cambium_price.c --- */

/* Computes the value of each class of worker's time for the remaining work, and a lower bound on the remaining time. */
void xy__cambium_price(struct xy__cambium *c);

#endif
