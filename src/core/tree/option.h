/* SPDX-License-Identifier: MIT */
/*
 * Options of components as data: every form of an option (text, C, help) goes through these.
 */
#ifndef XYLEM_CORE_TREE_OPTION_H
#define XYLEM_CORE_TREE_OPTION_H

#include <xylem/component.h>

enum { XY__OPTION_TEXT = 40 }; /* bytes that hold any value as text */

/* The option of a component type, or NULL; name has length bytes. */
const struct xy_option *xy__option_find(const struct xy_component_ops *ops, const char *name, size_t length);

/* Gives every option of an instance its initial value. */
void xy__options_reset(struct xy_component *c);

/* Sets an option from text: 0, -EINVAL not a value of its type, -ERANGE. On error nothing changes. */
int xy__option_set(struct xy_component *c, const struct xy_option *option, const char *value);

/* The value as a number: 0 or 1, INFINITY for no limit; 0 for text. */
double xy__option_value(const struct xy_component *c, const struct xy_option *option);
bool xy__option_in_range(const struct xy_option *option, double value);
bool xy__option_is_initial(const struct xy_component *c, const struct xy_option *option);

/* The value of an option that is text, NULL for others. */
const char *xy__option_text(const struct xy_component *c, const struct xy_option *option);
/* Whether text may have this character. */
bool xy__option_text_has(char c);
/* Whether it may stand in an expression without quotes around the text. */
bool xy__option_text_is_bare(char c);
bool xy__option_is_same(const struct xy_component *a, const struct xy_component *b, const struct xy_option *option);

/* A value as text that xy__option_set reads back. */
void xy__option_print(const struct xy_option *option, double value, char text[static XY__OPTION_TEXT]);

/* Describes the range, for messages and help: "true or false", "a whole number from 1 to inf". */
void xy__option_describe(const struct xy_option *option, char *text, size_t size);

#endif
