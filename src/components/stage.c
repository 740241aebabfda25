/* SPDX-License-Identifier: MIT */
/*
 * stage: the place where branches meet again. Every verb is the default one.
 */
#include <xylem/component.h>

const struct xy_component_ops xy__stage_ops = {
	.name = "stage",
	.summary = "joins flows of tasks",
	.manual =
		"Branches that split the flow of tasks can end in one stage, which then has several\n"
		"parents: `userchoice { prio, fifo } | stage | eager | each worker { }`. A task that is\n"
		"pushed goes on down. A worker that asks gets a task from the first parent that has one,\n"
		"in the order of the branches, so that an earlier branch goes before a later one.\n",
	.size = sizeof(struct xy_component),
};
