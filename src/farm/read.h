/* SPDX-License-Identifier: MIT */
/* farm.yml to a farm. Every key is known or an error with the nearest one; messages have the file and the line. */
#ifndef XYLEM_FARM_READ_H
#define XYLEM_FARM_READ_H

#include "farm/farm.h"
#include "farm/node.h"

/* What reading depends on besides the file. */
struct farm_place {
	const char *host; /* chooses SLURM_<host> blocks */
	const char *tool; /* the path of xylem, for commands in job scripts */
};

/* Reads and checks a farm.yml with all that it imports. 0, or -errno after a message; farm_fini in any case. */
int farm_read(struct farm *farm, const char *path, const struct farm_place *place, const struct farm_report *report);

/* --- values (read_values.c): each says what is wrong and gives false --- */

struct farm_reader {
	struct farm *farm;
	const struct farm_place *place;
	const struct farm_report *report;
};

__attribute__((format(printf, 3, 4))) bool farm_read_refuse(const struct farm_reader *reader,
							    const struct farm_node *node, const char *format, ...);
bool farm_read_text(const struct farm_reader *reader, const struct farm_node *node, char **text);
bool farm_read_truth(const struct farm_reader *reader, const struct farm_node *node, bool *value);
bool farm_read_count(const struct farm_reader *reader, const struct farm_node *node, unsigned *value);
bool farm_read_number(const struct farm_reader *reader, const struct farm_node *node, double *value);
/* Seconds: a number, [D-]H:MM:SS, or a number with s, m, h or d behind it. */
bool farm_read_time(const struct farm_reader *reader, const struct farm_node *node, double *seconds);
/* Words: a list, or a line that is cut as a shell would. */
bool farm_read_words(const struct farm_reader *reader, const struct farm_node *node, struct farm_words *words);
/* Options of a scheduler: words as above, or a map of names without dashes and their values. */
bool farm_read_options(const struct farm_reader *reader, const struct farm_node *node, struct farm_words *words);

/* --- resources (read_resources.c) --- */

/* Whether a key is about resources; adds it to the search for near names if not NULL. */
struct xy__nearest;
bool farm_read_is_resource(const char *key, struct xy__nearest *nearest);
/* Reads all resource keys of a map. */
bool farm_read_resources(const struct farm_reader *reader, const struct farm_node *map,
			 struct farm_resources *resources);

/* --- an entry of jobs (read_entry.c): one piece or a sweep --- */

bool farm_read_is_entry_key(const char *key, struct xy__nearest *nearest);
bool farm_read_entry(const struct farm_reader *reader, const struct farm_node *entry);
/* Replaces dependencies on an entry with a sweep by dependencies on each of its pieces. */
bool farm_read_is_share(const char *word, enum farm_share *share);

#endif
