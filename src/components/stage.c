/* SPDX-License-Identifier: MIT */
/*
 * stage: the place where branches meet again. Every verb is the default one.
 */
#include <xylem/component.h>

const struct xy_component_ops xy__stage_ops = {
	.name = "stage",
	.summary = "joins several streams of tasks",
	.manual = "Branches that split the stream of tasks can end in one stage, which then has several\n"
		  "parents: `userchoice { prio, fifo } | stage | eager | each worker { }`. A pushed task\n"
		  "continues down. A worker that asks gets a task from the first parent that has one, in\n"
		  "the order of the branches, so that earlier branches take precedence.\n",
	.size = sizeof(struct xy_component),
};
