/* SPDX-License-Identifier: MIT */
/*
 * Expressions as text and as stages. Names are looked up while reading, so a stage knows its component type;
 * how often it stands in a tree is known only when the workers are (tree_parse.c).
 */
#ifndef XYLEM_CORE_TREE_EXPRESSION_H
#define XYLEM_CORE_TREE_EXPRESSION_H

#include <xylem/tree.h>
#include "core/util/message.h"

enum xy__each {
	XY__EACH_NONE,
	XY__EACH_WORKER,
	XY__EACH_TEAM,
	XY__EACH_NODE, /* from here on: groups of workers */
	XY__EACH_ARCH,
	XY__EACH_PACKAGE,
	XY__EACH_NUMA,
	XY__EACH_CACHE,
	XY__EACH_CORE,
	XY__EACH_END
};
/* The word after "each", "" for none. */
extern const char *const xy__each_words[XY__EACH_END];

/* Which group a worker is in, where an each goes over groups. */
unsigned xy__each_group(const struct xy_machine *machine, enum xy__each each, unsigned worker);

/* An option that is set; value is NULL for a bool written bare. */
struct xy__setting {
	struct xy__setting *next;
	const struct xy_option *option;
	char *value;
	size_t at; /* offset in the text, for messages */
};

struct xy__branch {
	struct xy__branch *next;
	const char *label; /* of the table of the component type, or NULL */
	struct xy__stage *stages;
};

/* A sub-tree with a name, built once where the name is defined. */
struct xy__let {
	struct xy__let *next;   /* defined after it, for the same tree */
	struct xy__let *hidden; /* the reader's: another name of its bucket */
	const char *name;       /* length bytes of the text */
	size_t length;
	struct xy__stage *stages;
	struct xy__built *built; /* the builder's: what it has become */
};

/* One of: `each` and what it goes over, a component, a name of a sub-tree, a policy. */
struct xy__stage {
	struct xy__stage *next; /* the one below, in this tree */
	struct xy__let *lets;   /* of a tree's first stage: names that are defined before it */
	enum xy__each each;
	const struct xy_component_ops *ops;
	struct xy__let *named;
	struct xy__expression *policy; /* its expression, which has been read */
	struct xy__setting *settings;
	struct xy__branch *branches; /* NULL: none; with each: one without label, or NULL */
	size_t at;
};

struct xy__expression {
	const char *text; /* length bytes; outlives the expression */
	size_t length;
	const char *origin; /* file or policy that it comes from, NULL: neither */
	const struct xy_registry *registry;
	struct xy__message *error;
	struct xy__stage *stages; /* the result */
	/* the reader's own */
	size_t at;
	unsigned depth;
	unsigned policies;         /* that it stands inside of */
	struct xy__let **visible;  /* names, in buckets; NULL: none yet */
	struct xy__memory *memory; /* everything above, freed at once */
	int status;                /* 0, or the error that was explained */
};

/* Reads the text; 0 or -EINVAL, -ENOENT (an unknown name), -ENOMEM, explained in error. Needs fini in
 * any case. */
int xy__expression_read(struct xy__expression *x);
void xy__expression_fini(struct xy__expression *x);

/* If the whole text is one name: its length and where it begins, else 0. */
size_t xy__expression_sole_name(const char *text, size_t length, size_t *at);

/* Begins a message about the text at an offset ("column 3: "); the caller adds a sentence, then
 * ends it, which shows the line with a caret below and gives back rc. */
void xy__expression_complain(struct xy__expression *x, size_t at);
int xy__expression_point(struct xy__expression *x, size_t at, int rc);

#endif
