/* SPDX-License-Identifier: MIT */
/*
 * What the files that read expressions share with each other.
 */
#ifndef XYLEM_CORE_TREE_EXPRESSION_PARTS_H
#define XYLEM_CORE_TREE_EXPRESSION_PARTS_H

#include "core/tree/expression.h"

/* Memory that lives as long as the expression, set to 0; NULL: the status is set. */
void *xy__expression_allocate(struct xy__expression *x, size_t size);

/* The next character that means something, '\0' at the end. */
char xy__token_peek(struct xy__expression *x);
/* Whether this character, or this word, comes next; reads it then. */
bool xy__token_accept(struct xy__expression *x, char c);
bool xy__token_accept_word(struct xy__expression *x, const char *word);
/* Reads a character that must come next, or a name, which stands at *at and has the length that is returned; 0 after
 * an error. */
void xy__token_expect(struct xy__expression *x, char c, const char *sentence);
size_t xy__token_expect_name(struct xy__expression *x, size_t *at, const char *sentence);
/* The length of the name that begins at an offset, 0 if none does. */
size_t xy__token_name_length(const char *text, size_t length, size_t at);
/* Says what is wrong with the text at an offset; returns the status. */
int xy__token_complain(struct xy__expression *x, size_t at, const char *sentence);

/* Reads options behind '('. */
void xy__settings_read(struct xy__expression *x, struct xy__stage *stage);

enum { XY__NAME_BUCKETS = 1024 }; /* of x->visible */

/* The sub-tree that a name stands for here, or NULL; and why the name can't be defined, NULL if it can. */
struct xy__let *xy__name_find(const struct xy__expression *x, const char *name, size_t length);
const char *xy__name_fault(const struct xy__expression *x, const char *name, size_t length);

/* Lets a name be seen from here on, where x->visible is; and no longer those of a tree that has been read. */
void xy__name_define(struct xy__expression *x, struct xy__let *let);
void xy__names_forget(struct xy__expression *x, const struct xy__let *let);

/* Explains that the text at an offset names nothing, and sets the status. */
void xy__unknown_component(struct xy__expression *x, size_t at, size_t length);
void xy__unknown_option(struct xy__expression *x, const struct xy_component_ops *ops, size_t at, size_t length);
void xy__unknown_label(struct xy__expression *x, const struct xy_component_ops *ops, size_t at, size_t length);

#endif
