/* SPDX-License-Identifier: MIT */
/* For codelets of the driver of doc/drivers.md: what is at call->services. */
#ifndef DOC_DRIVER_H
#define DOC_DRIVER_H

#include <xylem/task.h>

struct line_services {
	/* Has function(argument) called on the stream of a call, after what was begun there before. 0 or -ENOMEM. */
	int (*begin)(void *stream, void (*function)(void *argument), void *argument);
};

#endif
