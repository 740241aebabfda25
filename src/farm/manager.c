/* SPDX-License-Identifier: MIT */
/* The manager: what rounds decide is done here, to files and to the scheduler. */
#include "farm/manager.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "farm/files.h"
#include "farm/request.h"
#include "farm/script.h"

#define MANAGER_REFUSALS 10    /* in a row, then it stops */
#define MANAGER_REFUSED_SETS 3 /* in a round, then the others wait */
#define MANAGER_BACK_OFF_S 1.0 /* after the first; twice as long after each */

/* --- the hands of a round --- */

static void manager_release(void *arg, size_t piece)
{
	struct farm_manager *manager = arg;
	char *path = farm_files_path(manager->farm->folder, "claims", manager->farm->pieces[piece].file, "");

	if (path && unlink(path) && errno != ENOENT)
		farm_say(manager->report, "%s: %s", path, strerror(errno));
	free(path);
}

static void manager_hold(void *arg, size_t piece)
{
	struct farm_manager *manager = arg;
	int error = farm_files_create(manager->farm->folder, "claims", manager->farm->pieces[piece].file, "manager",
				      "{\"job\":\"\",\"host\":\"\",\"pid\":0,\"time\":0}\n");

	if (error && error != -EEXIST)
		farm_say(manager->report, "%s/claims: %s", manager->farm->folder, strerror(-error));
}

static void manager_forget(void *arg, const char *job)
{
	struct farm_manager *manager = arg;
	char *path = farm_files_path_of(manager->farm->folder, "ended", job, "");

	if (path)
		unlink(path);
	free(path);
}

/* Jobs are cancelled with one command at the end of the round; the log of a killed one moves at once. */
static void manager_end(void *arg, const char *job, bool killed)
{
	struct farm_manager *manager = arg;
	char *from = farm_files_path_of(manager->farm->folder, "logs", job, ".out");
	char *to = farm_files_path_of(manager->farm->folder, "old_logs", job, ".out");

	farm_words_add(&manager->cluster.scratch, &manager->killed, job);
	if (killed && from && to && rename(from, to) && errno != ENOENT)
		farm_say(manager->report, "%s: %s", from, strerror(errno));
	free(from);
	free(to);
}

/* --- opening --- */

static int manager_write(struct farm_manager *manager, const char *name, const struct xy__buffer *text)
{
	char *path;
	int error;

	if (text->failed || asprintf(&path, "%s/%s", manager->farm->folder, name) < 0)
		return -ENOMEM;
	error = farm_files_replace(path, text->at, text->length);
	if (error)
		farm_say(manager->report, "%s: %s", path, strerror(-error));
	free(path);
	return error;
}

/* pieces.jsonl, and one script for each set. */
static int manager_write_files(struct farm_manager *manager, const char *tool)
{
	const struct farm *farm = manager->farm;
	struct xy__buffer text = { 0 };
	int error;

	farm_script_pieces(&text, farm);
	error = manager_write(manager, "pieces.jsonl", &text);
	for (size_t i = 0; i < farm->npieces && !error; i++) {
		char name[32];
		bool first = true;

		/* Pieces of a set usually stand together. */
		for (size_t j = i; j-- > 0 && first;)
			first = strcmp(farm->pieces[j].set, farm->pieces[i].set);
		if (!first)
			continue;
		xy__buffer_cut(&text, 0);
		farm_script_write(&text, farm, &farm->pieces[i], tool, manager->cluster.ops->job,
				  manager->cluster.ops->prologue);
		snprintf(name, sizeof(name), "scripts/%s.sh", farm->pieces[i].set);
		error = manager_write(manager, name, &text);
	}
	xy__buffer_fini(&text);
	return error;
}

int farm_manager_open(struct farm_manager *manager, struct farm *farm, const struct farm_place *place,
		      const struct farm_report *report)
{
	double patience_s = 10 * farm->interval_s > 300 ? 10 * farm->interval_s : 300;
	int error;

	*manager = (struct farm_manager){ .farm = farm, .report = report, .lock = { .fd = -1 } };
	error = farm_files_make(farm->folder, report);
	if (!error)
		error = farm_lock(&manager->lock, farm->folder, place->host, patience_s, report);
	if (!error)
		error = farm_state_open(&manager->state, farm, false, report);
	if (error) {
		farm_lock_release(&manager->lock);
		return error;
	}
	farm_cluster_init(&manager->cluster, farm, manager->state.id, place->tool, report);
	manager->round = (struct farm_round){ .state = &manager->state,
					      .hands = { .release = manager_release,
							 .hold = manager_hold,
							 .forget = manager_forget,
							 .cancel = manager_end,
							 .arg = manager } };
	error = farm_observer_init(&manager->observer, farm);
	if (!error)
		error = manager_write_files(manager, place->tool);
	if (error)
		farm_manager_close(manager);
	return error;
}

void farm_manager_close(struct farm_manager *manager)
{
	if (!manager->state.farm)
		return;
	farm_round_fini(&manager->round);
	farm_observer_fini(&manager->observer);
	farm_cluster_fini(&manager->cluster);
	farm_state_close(&manager->state);
	farm_lock_release(&manager->lock);
}

/* --- rounds --- */

int farm_manager_cancel(struct farm_manager *manager)
{
	int error = manager->killed.count ? manager->cluster.ops->cancel(&manager->cluster, &manager->killed) : 0;

	manager->killed = (struct farm_words){ 0 };
	return error;
}

/* Notes that a round ended with a refused submission; -ECONNREFUSED if it is useless to go on. */
static int manager_refused(struct farm_manager *manager, int refused, const char *error)
{
	if (refused == -E2BIG) {
		farm_say(manager->report, "%s can never run this: %s", manager->cluster.ops->name, error);
		return -ECONNREFUSED;
	}
	manager->refusals++;
	manager->back_off_s = MANAGER_BACK_OFF_S * (1u << (manager->refusals < 10 ? manager->refusals - 1 : 9));
	if (manager->refusals >= MANAGER_REFUSALS) {
		farm_say(manager->report, "%s refused %u submissions in a row, the last with: %s",
			 manager->cluster.ops->name, manager->refusals, error);
		return -ECONNREFUSED;
	}
	farm_say(manager->report, "%s refused a submission (try %u of %d, again in %.0f s): %s",
		 manager->cluster.ops->name, manager->refusals, MANAGER_REFUSALS, manager->back_off_s, error);
	return 0;
}

/* Submits one order, in parts that the scheduler takes at once. *refused and error say what it refused with, if so. */
static int manager_submit_order(struct farm_manager *manager, size_t order, int *refused, char *error, size_t size)
{
	const struct farm_cluster_ops *ops = manager->cluster.ops;
	const struct farm_piece *piece = &manager->farm->pieces[manager->round.orders[order].piece];
	unsigned left = manager->round.orders[order].count;

	*refused = 0;
	while (left) {
		unsigned count = left < ops->most ? left : ops->most;
		struct farm_words ids = { 0 };

		*refused = ops->submit(&manager->cluster, piece, count, &ids, error, size);
		if (*refused)
			return 0;
		for (size_t i = 0; i < ids.count; i++) {
			int failed = farm_round_submitted(&manager->round, order, ids.at[i]);

			if (failed)
				return failed;
		}
		if (ids.count < count)
			return 0;
		left -= count;
	}
	return 0;
}

/* Submits what the round orders. A refused set keeps no other back; several mean that the scheduler is not well. */
static int manager_submit(struct farm_manager *manager)
{
	char first[600] = "";
	unsigned nrefused = 0;
	int why = 0;

	for (size_t o = 0; o < manager->round.norders && nrefused < MANAGER_REFUSED_SETS; o++) {
		char error[600] = "";
		int refused, failed = manager_submit_order(manager, o, &refused, error, sizeof(error));

		if (failed)
			return failed;
		if (refused && nrefused++ == 0) {
			why = refused;
			memcpy(first, error, sizeof(first));
		}
	}
	if (nrefused)
		return manager_refused(manager, why, first);
	manager->refusals = 0;
	return 0;
}

static int manager_reconcile(struct farm_manager *manager)
{
	struct farm_queue queue = { 0 };
	struct farm_seen seen;
	int error = manager->cluster.ops->queue(&manager->cluster, &queue);

	if (!error)
		error = farm_observe(&manager->observer, &manager->state, &queue, &seen);
	if (!error)
		error = farm_round(&manager->round, &seen);
	farm_queue_fini(&queue);
	return error;
}

int farm_manager_round(struct farm_manager *manager, int64_t now, double wait_s)
{
	int error = farm_lock_touch(&manager->lock, manager->report);

	if (error)
		return error;
	farm_fini(&manager->cluster.scratch);
	farm_init(&manager->cluster.scratch);
	manager->killed = (struct farm_words){ 0 };
	farm_state_set_time(&manager->state, now);
	error = manager_reconcile(manager);
	if (!error)
		error = farm_request_take(manager);
	farm_manager_cancel(manager);
	manager->back_off_s = manager->back_off_s > wait_s ? manager->back_off_s - wait_s : 0;
	if (!error && !manager->back_off_s)
		error = manager_submit(manager);
	if (error && error != -ECONNREFUSED && farm_state_reload(&manager->state))
		farm_say(manager->report, "the state can't be read again: trying in the next round");
	return error;
}
