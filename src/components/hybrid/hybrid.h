/* SPDX-License-Identifier: MIT */
/* Private parts of hybrid: devices with sizes, capacities and priorities that the user gives. */
#ifndef XYLEM_COMPONENTS_HYBRID_HYBRID_H
#define XYLEM_COMPONENTS_HYBRID_HYBRID_H

#include "components/cutter.h"

/* Locking key: (c) constant after seal, (l) lock. */
struct xy__hybrid_device {
	uint64_t size, capacity; /* (c) items of a piece, and that it may have at once */
	double priority;         /* (c) */
	uint64_t load;           /* (l) items that it has */
	unsigned shared;         /* (c) its number in the table of the host, if there is one */
};

struct xy__hybrid {
	struct xy__cutter cutter;
	char batch_sizes[XY_OPTION_TEXT_SIZE]; /* (c) option, and those below */
	char capacities[XY_OPTION_TEXT_SIZE], priorities[XY_OPTION_TEXT_SIZE];
	bool one, ranks, strict;
	unsigned local_rank, local_size;
	struct xy__hybrid_device *of; /* (c) by device */
	unsigned *order;              /* (c) devices, the most urgent first */
};

/* hybrid_options.c: for init. Reads the options into `of` and `order`, of which there may be one device left. 0, or an
 * error that is explained. */
int xy__hybrid_read(struct xy__hybrid *h);

extern const struct xy_option xy__hybrid_options[];

#endif
