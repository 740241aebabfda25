/* SPDX-License-Identifier: MIT */
/*
 * Questions to nvidia-smi, asked without waiting: it takes a second on some computers and hangs on
 * others. One question at a time.
 */
#ifndef XYLEM_FARM_SLOTS_SMI_H
#define XYLEM_FARM_SLOTS_SMI_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "core/util/buffer.h"

#define SLOTS_SMI_ADDRESSES "--query-gpu=index,uuid,pci.bus_id"
#define SLOTS_SMI_MEMORY "--query-compute-apps=pid,used_memory"

struct slots_smi {
	pid_t pid;              /* 0: no question is open */
	int output;             /* the end of a pipe to poll and read; -1: none */
	struct xy__buffer text; /* the answer so far */
};

/* Asks; 0 or -errno, -ENOENT where there is no nvidia-smi. */
int slots_smi_ask(struct slots_smi *smi, const char *query);

/* Reads what is there without waiting; true when that was all. */
bool slots_smi_read(struct slots_smi *smi);

/* Ends the question, an open one by force; true if nvidia-smi ended well. The text stays until the
 * next question. Also to free everything: with slots_smi_fini. */
bool slots_smi_end(struct slots_smi *smi);
void slots_smi_fini(struct slots_smi *smi);

/* Asks and waits for the answer, at most so many seconds; whether there is one. */
bool slots_smi_answer(struct slots_smi *smi, const char *query, double seconds);

/* The PCI address of a GPU, given by number or by UUID or its beginning, from an answer to
 * SLOTS_SMI_ADDRESSES. */
bool slots_smi_address(const char *text, const char *id, char *address, size_t size);

/* Takes the next line of an answer to SLOTS_SMI_MEMORY from *text; false after the last. A process
 * whose memory is not known has 0 bytes. */
bool slots_smi_process(const char **text, pid_t *pid, uint64_t *bytes);

#endif
