/* SPDX-License-Identifier: MIT */
/* Changing a runtime while tasks run: its policy, its workers, several trees side by side. */
#include "../../helper.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/runtime.h"

/* --- tasks --- */

enum { TASKS = 200 };

/* What tasks leave behind. */
struct journal {
	_Atomic int count, started, gate, ended;
	unsigned order[TASKS];
	unsigned worker[TASKS];
	struct journal_entry {
		struct journal *journal;
		unsigned number;
	} entries[TASKS];
};

static int note(struct xy_call *call)
{
	struct journal_entry *entry = call->arg;
	int place = atomic_fetch_add(&entry->journal->count, 1);

	entry->journal->order[place] = entry->number;
	entry->journal->worker[entry->number] = call->worker;
	helper_add(&entry->journal->ended);
	return 0;
}

static const struct xy_codelet note_codelet = { .name = "note", .cpu = { note } };

/* Runs until the test opens the gate. */
static int stay(struct xy_call *call)
{
	struct journal *journal = call->arg;

	helper_add(&journal->started);
	while (!atomic_load(&journal->gate))
		sched_yield();
	return 0;
}

static const struct xy_codelet stay_codelet = { .name = "stay", .cpu = { stay } };

/* Keeps all workers busy. */
static void occupy(struct helper *h, struct journal *journal, unsigned nworkers)
{
	for (unsigned i = 0; i < nworkers; i++)
		assert_int_equal(xy_insert(h->rt, &stay_codelet, xy_arg(journal), xy_on(i)), 0);
	helper_reach(h, &journal->started, (int)nworkers);
}

static void submit_notes(struct helper *h, struct journal *journal, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		journal->entries[i] = (struct journal_entry){ journal, i };
		assert_int_equal(
			xy_insert(h->rt, &note_codelet, xy_arg(&journal->entries[i]), xy_priority((int)(i % 3))), 0);
	}
}

static const char *tree_text(struct xy_tree *tree, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");

	assert_non_null(out);
	assert_int_equal(xy_tree_print(tree, out, XY_TREE_EXPRESSION, 0), 0);
	fclose(out);
	return text;
}

/* --- the policy --- */

static void keeps_the_order_of_a_queue_in_the_next_policy(void **state)
{
	struct helper *h = helper_start("fifo | eager | each worker { }", 1);
	struct journal *journal = calloc(1, sizeof *journal);
	char text[256];

	(void)state;
	occupy(h, journal, 1);
	submit_notes(h, journal, 0, TASKS / 2);
	assert_int_equal(xy_set_policy(h->rt, "fifo | fifo(ntasks=3) | eager | each worker { fifo(ntasks=2) }"), 0);
	assert_non_null(strstr(tree_text(xy_runtime_tree(h->rt), text, sizeof text), "ntasks=3"));
	submit_notes(h, journal, TASKS / 2, TASKS);
	assert_int_equal(xy_set_policy(h->rt, "fifo | eager | each worker { }"), 0);
	atomic_store(&journal->gate, 1);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < TASKS; i++)
		assert_int_equal(journal->order[i], i);
	free(journal);
	assert_int_equal(helper_stop(h), 0);
}

/* What a prio queue promised, a fifo that comes after it keeps. */
static void keeps_priorities_of_tasks_that_wait(void **state)
{
	struct helper *h = helper_start("tree-prio", 1);
	struct journal *journal = calloc(1, sizeof *journal);

	(void)state;
	occupy(h, journal, 1);
	submit_notes(h, journal, 0, TASKS);
	helper_reach(h, &journal->started, 1);
	/* the inbox is emptied by a worker, which is busy: a swap takes both */
	assert_int_equal(xy_set_policy(h->rt, "tree-prio"), 0);
	assert_int_equal(xy_set_policy(h->rt, "tree-eager"), 0);
	atomic_store(&journal->gate, 1);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 1; i < TASKS; i++)
		assert_true(journal->order[i] % 3 < journal->order[i - 1] % 3 ||
			    (journal->order[i] % 3 == journal->order[i - 1] % 3 &&
			     journal->order[i] > journal->order[i - 1]));
	free(journal);
	assert_int_equal(helper_stop(h), 0);
}

static void goes_on_with_the_old_policy_after_a_mistake(void **state)
{
	struct helper *h = helper_start("tree-prio", 2);
	struct journal *journal = calloc(1, sizeof *journal);
	struct xy_tree *tree = xy_runtime_tree(h->rt);

	(void)state;
	assert_int_equal(xy_set_policy(h->rt, "tree-eagre"), -ENOENT);
	helper_one_line(h, "tree-eager");
	assert_int_equal(xy_set_policy(h->rt, "eager | each worker { }"), -EINVAL);
	assert_int_equal(helper_lines(h), 1);
	helper_forget(h);
	assert_int_equal(xy_set_policy(h->rt, NULL), -EINVAL);
	helper_one_line(h, "no policy");
	assert_ptr_equal(xy_runtime_tree(h->rt), tree);
	submit_notes(h, journal, 0, TASKS);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(journal->count, TASKS);
	free(journal);
	assert_int_equal(helper_stop(h), 0);
}

/* A component that hides its tasks, and gives none away, can't lose them. */
static void recovers_tasks_that_a_component_hides(void **state)
{
	struct helper *h = helper_start_with(
		&(struct xy_config){ .sched = "hoards | eager | each worker { }", .ncpu = 2, .plugins = HOARDS });
	struct journal *journal = calloc(1, sizeof *journal);

	(void)state;
	submit_notes(h, journal, 0, TASKS);
	helper_rest(h);
	assert_int_equal(journal->count, 0);
	assert_int_equal(xy_set_policy(h->rt, "tree-eager"), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(journal->count, TASKS);
	free(journal);
	assert_int_equal(helper_stop(h), 0);
}

static int change_inside(struct xy_call *call)
{
	struct journal *journal = call->arg;

	if (xy_set_policy(call->runtime, "tree-ws"))
		return -EIO;
	atomic_fetch_add(&journal->count, 1);
	return xy_set_policy(call->runtime, "tree-prio");
}

static const struct xy_codelet change_codelet = { .name = "change", .cpu = { change_inside } };

static void change_back(void *arg, int status)
{
	struct helper *h = arg;

	assert_int_equal(status, 0);
	assert_int_equal(xy_set_policy(h->rt, "tree-eager"), 0);
}

static void changes_inside_codelets_and_callbacks(void **state)
{
	struct helper *h = helper_start("tree-eager", 2);
	struct journal *journal = calloc(1, sizeof *journal);

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(xy_insert(h->rt, &change_codelet, xy_arg(journal), xy_callback(change_back, h)), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(journal->count, 20);
	free(journal);
	assert_int_equal(helper_stop(h), 0);
}

/* --- positions --- */

static void goes_on_in_the_order_of_positions(void **state)
{
	const char *policy = "in-order | eager | each worker { }";
	struct helper *h = helper_start(policy, 1);
	struct journal *journal = calloc(1, sizeof *journal);

	(void)state;
	for (unsigned i = 0; i < TASKS; i++)
		journal->entries[i] = (struct journal_entry){ journal, i };
	/* 0 and 1 run; 3 waits for 2, which comes after the change */
	for (unsigned i = 0; i < 4; i++)
		if (i != 2)
			assert_int_equal(xy_insert(h->rt, &note_codelet, xy_arg(&journal->entries[i]),
						   xy_priority(-1000000000 - (int)i)),
					 0);
	helper_reach(h, &journal->ended, 2);
	helper_rest(h);
	assert_int_equal(xy_set_policy(h->rt, policy), 0);
	helper_rest(h);
	assert_int_equal(journal->count, 2);
	assert_int_equal(xy_insert(h->rt, &note_codelet, xy_arg(&journal->entries[2]), xy_priority(-1000000002)), 0);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(journal->order[i], i);
	free(journal);
	assert_int_equal(helper_stop(h), 0);
}

/* --- workers --- */

static void gives_tasks_of_a_removed_worker_to_others(void **state)
{
	struct helper *h = helper_start("fifo | random | each worker { fifo }", 2);
	struct journal *journal = calloc(1, sizeof *journal);

	(void)state;
	occupy(h, journal, 2);
	submit_notes(h, journal, 0, TASKS);
	assert_int_equal(xy_worker_remove(h->rt, 1), 0);
	assert_false(xy_worker_is_present(h->rt, 1));
	assert_true(xy_worker_is_present(h->rt, 0));
	assert_false(xy_worker_is_present(h->rt, 2));
	assert_int_equal(xy_tree_root(xy_runtime_tree(h->rt))->nworkers, 1);
	atomic_store(&journal->gate, 1);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < TASKS; i++)
		assert_int_equal(journal->worker[i], 0);
	assert_int_equal(xy_worker_remove(h->rt, 1), 0);
	assert_int_equal(xy_worker_add(h->rt, 1), 0);
	assert_int_equal(xy_worker_add(h->rt, 1), 0);
	assert_int_equal(xy_tree_root(xy_runtime_tree(h->rt))->nworkers, 2);
	assert_int_equal(xy_worker_remove(h->rt, 2), -EINVAL);
	helper_one_line(h, "no such worker");
	free(journal);
	assert_int_equal(helper_stop(h), 0);
}

/* Pinned to the absent one, and what depends on it; the others pass. */
static void keeps_tasks_that_only_an_absent_worker_can_run(void **state)
{
	struct helper *h = helper_start("prio | mct | each worker { fifo(ntasks=1) }", 2);
	struct journal *journal = calloc(1, sizeof *journal);
	struct xy_handle *data;
	long value = 0;
	char *dump;

	(void)state;
	assert_int_equal(xy_variable_register(h->rt, &data, &value, sizeof value), 0);
	assert_int_equal(xy_worker_remove(h->rt, 1), 0);
	for (unsigned i = 0; i < TASKS; i++)
		journal->entries[i] = (struct journal_entry){ journal, i };
	assert_int_equal(xy_insert(h->rt, &note_codelet, xy_arg(&journal->entries[0]), xy_on(1), xy_rw(data)), 0);
	assert_int_equal(xy_insert(h->rt, &note_codelet, xy_arg(&journal->entries[1]), xy_rw(data)), 0);
	for (unsigned i = 2; i < TASKS; i++)
		assert_int_equal(xy_insert(h->rt, &note_codelet, xy_arg(&journal->entries[i])), 0);
	helper_reach(h, &journal->ended, TASKS - 2);
	helper_rest(h);
	assert_int_equal(journal->count, TASKS - 2);
	dump = helper_dump(h);
	assert_non_null(strstr(dump, "1 ready tasks wait for workers that are not present"));
	free(dump);
	assert_int_equal(xy_worker_add(h->rt, 1), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(journal->worker[0], 1);
	assert_int_equal(journal->order[TASKS - 2], 0);
	assert_int_equal(journal->order[TASKS - 1], 1);
	xy_unregister(&data);
	free(journal);
	assert_int_equal(helper_stop(h), 0);
}

static void cancels_tasks_for_absent_workers_when_it_stops(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct journal *journal = calloc(1, sizeof *journal);

	(void)state;
	assert_int_equal(xy_set_workers(h->rt, NULL, 0), 0);
	assert_null(xy_runtime_tree(h->rt));
	submit_notes(h, journal, 0, 10);
	assert_int_equal(xy_wait_for(h->rt, 0.01), -ETIMEDOUT);
	assert_int_equal(helper_stop_lines(h, 2), -ECANCELED);
	assert_int_equal(journal->count, 0);
	free(journal);
}

static void goes_on_after_all_workers_were_away(void **state)
{
	struct helper *h = helper_start("tree-ws", 2);
	struct journal *journal = calloc(1, sizeof *journal);

	(void)state;
	occupy(h, journal, 2);
	submit_notes(h, journal, 0, TASKS / 2);
	assert_int_equal(xy_set_workers(h->rt, NULL, 0), 0);
	atomic_store(&journal->gate, 1);
	submit_notes(h, journal, TASKS / 2, TASKS);
	helper_rest(h);
	assert_int_equal(journal->count, 0);
	assert_int_equal(xy_set_policy(h->rt, "tree-eager"), 0);
	assert_int_equal(xy_set_workers(h->rt, (unsigned[]){ 1 }, 1), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(journal->count, TASKS);
	free(journal);
	assert_int_equal(helper_stop(h), 0);
}

/* Team tasks gather members, one of which is busy, when the tree goes. */
static int parallel_run(struct xy_call *call)
{
	struct journal *journal = call->arg;

	if (call->rank == 0) {
		journal->worker[0] = call->nranks;
		atomic_fetch_add(&journal->count, 1);
		helper_add(&journal->ended);
	}
	return 0;
}

static const struct xy_codelet parallel_codelet = { .name = "parallel", .cpu = { parallel_run }, .parallel = XY_SPMD };

static void lets_members_of_a_team_go(void **state)
{
	struct helper *h = helper_start("fifo | eager { each team { }, each worker { } }", 2);
	struct journal *journal = calloc(1, sizeof *journal);

	(void)state;
	assert_int_equal(xy_insert(h->rt, &stay_codelet, xy_arg(journal), xy_on(1)), 0);
	helper_reach(h, &journal->started, 1);
	assert_int_equal(xy_insert(h->rt, &parallel_codelet, xy_arg(journal)), 0);
	for (unsigned i = 0; i < 1000; i++)
		sched_yield(); /* cpu0 joins, most likely, and waits for cpu1 */
	assert_int_equal(xy_set_policy(h->rt, "tree-eager"), 0);
	helper_reach(h, &journal->ended, 1);
	assert_int_equal(journal->worker[0], 1);
	assert_int_equal(xy_set_policy(h->rt, "fifo | eager { each team { }, each worker { } }"), 0);
	atomic_store(&journal->gate, 1);
	assert_int_equal(xy_insert(h->rt, &parallel_codelet, xy_arg(journal)), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(journal->count, 2);
	free(journal);
	assert_int_equal(helper_stop(h), 0);
}

/* --- contexts --- */

static void runs_tasks_with_the_workers_of_their_context(void **state)
{
	struct helper *h = helper_start("tree-eager", 3);
	struct journal *journal = calloc(1, sizeof *journal);
	struct xy_context *side = NULL;
	char text[256], *dump;

	(void)state;
	assert_int_equal(xy_context_create(h->rt,
					   &(struct xy_context_desc){ .name = "side",
								      .policy = "tree-prio",
								      .workers = (unsigned[]){ 1, 2 },
								      .nworkers = 2 },
					   &side),
			 0);
	assert_string_equal(xy_context_name(side), "side");
	assert_non_null(strstr(tree_text(xy_context_tree(side), text, sizeof text), "prio"));
	assert_int_equal(xy_tree_root(xy_runtime_tree(h->rt))->nworkers, 1);
	for (unsigned i = 0; i < TASKS; i++) {
		journal->entries[i] = (struct journal_entry){ journal, i };
		assert_int_equal(
			xy_insert(h->rt, &note_codelet, xy_arg(&journal->entries[i]), xy_in(i % 2 ? side : NULL)), 0);
	}
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < TASKS; i++)
		assert_true(i % 2 ? journal->worker[i] > 0 : journal->worker[i] == 0);
	dump = helper_dump(h);
	assert_non_null(strstr(dump, "context 'side', policy tree-prio"));
	free(dump);
	assert_int_equal(xy_context_destroy(&side), 0);
	assert_null(side);
	assert_int_equal(xy_tree_root(xy_runtime_tree(h->rt))->nworkers, 3);
	free(journal);
	assert_int_equal(helper_stop(h), 0);
}

static void moves_workers_between_contexts(void **state)
{
	struct helper *h = helper_start("tree-eager", 2);
	struct journal *journal = calloc(1, sizeof *journal);
	struct xy_context *side = NULL;
	struct xy_task *kept;

	(void)state;
	assert_int_equal(xy_context_create(h->rt, &(struct xy_context_desc){ .policy = "tree-ws" }, &side), 0);
	assert_string_equal(xy_context_name(side), "context 1");
	assert_null(xy_context_tree(side));
	for (unsigned i = 0; i < TASKS; i++) {
		journal->entries[i] = (struct journal_entry){ journal, i };
		assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &note_codelet,
									  .arg = &journal->entries[i],
									  .context = side }),
				 0);
	}
	helper_rest(h);
	assert_int_equal(journal->count, 0);
	assert_int_equal(xy_context_set_workers(side, (unsigned[]){ 1 }, 1), 0);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < TASKS; i++)
		assert_int_equal(journal->worker[i], 1);
	/* one that is removed leaves its context, and comes back to the main one */
	assert_int_equal(xy_worker_remove(h->rt, 1), 0);
	assert_null(xy_context_tree(side));
	assert_int_equal(xy_worker_add(h->rt, 1), 0);
	assert_int_equal(xy_tree_root(xy_runtime_tree(h->rt))->nworkers, 2);
	/* tasks of a destroyed context are the main one's */
	journal->count = 0;
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(xy_insert(h->rt, &note_codelet, xy_arg(&journal->entries[i]), xy_in(side)), 0);
	kept = HELPER_CREATE(h, .codelet = &note_codelet, .arg = &journal->entries[10], .context = side);
	assert_int_equal(xy_context_destroy(&side), 0);
	assert_int_equal(xy_task_submit(kept), 0);
	xy_task_release(kept);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(journal->count, 11);
	free(journal);
	assert_int_equal(helper_stop(h), 0);
}

static void orders_tasks_across_contexts(void **state)
{
	struct helper *h = helper_start("tree-eager", 2);
	struct journal *journal = calloc(1, sizeof *journal);
	struct xy_context *side;
	struct xy_handle *data;
	long value = 0;

	(void)state;
	assert_int_equal(xy_variable_register(h->rt, &data, &value, sizeof value), 0);
	assert_int_equal(xy_context_create(h->rt,
					   &(struct xy_context_desc){ .workers = (unsigned[]){ 0 }, .nworkers = 1 },
					   &side),
			 0);
	for (unsigned i = 0; i < TASKS; i++) {
		journal->entries[i] = (struct journal_entry){ journal, i };
		assert_int_equal(xy_insert(h->rt, &note_codelet, xy_arg(&journal->entries[i]), xy_rw(data),
					   xy_in(i % 2 ? side : NULL)),
				 0);
	}
	xy_unregister(&data);
	for (unsigned i = 0; i < TASKS; i++) {
		assert_int_equal(journal->order[i], i);
		assert_int_equal(journal->worker[i], !(i % 2));
	}
	free(journal);
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_what_is_no_context(void **state)
{
	struct helper *h = helper_start("tree-eager", 1), *other = helper_start("tree-eager", 1);
	struct xy_context *side = NULL;

	(void)state;
	assert_int_equal(xy_context_create(h->rt, &(struct xy_context_desc){ .policy = "tree-egaer" }, &side), 0);
	assert_int_equal(xy_context_set_workers(side, (unsigned[]){ 0 }, 1), -ENOENT);
	helper_one_line(h, "tree-eager");
	assert_int_equal(xy_context_set_policy(side, "tree-eager"), 0);
	assert_int_equal(xy_context_set_workers(side, (unsigned[]){ 1 }, 1), -EINVAL);
	helper_one_line(h, "no such worker");
	assert_int_equal(xy_insert(other->rt, &note_codelet, xy_in(side)), -EINVAL);
	helper_one_line(other, "another runtime");
	assert_int_equal(xy_context_create(h->rt, NULL, &side), -EINVAL);
	helper_one_line(h, "no description");
	assert_int_equal(helper_stop(other), 0);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_order_of_a_queue_in_the_next_policy),
		cmocka_unit_test(keeps_priorities_of_tasks_that_wait),
		cmocka_unit_test(goes_on_with_the_old_policy_after_a_mistake),
		cmocka_unit_test(recovers_tasks_that_a_component_hides),
		cmocka_unit_test(changes_inside_codelets_and_callbacks),
		cmocka_unit_test(goes_on_in_the_order_of_positions),
		cmocka_unit_test(gives_tasks_of_a_removed_worker_to_others),
		cmocka_unit_test(keeps_tasks_that_only_an_absent_worker_can_run),
		cmocka_unit_test(cancels_tasks_for_absent_workers_when_it_stops),
		cmocka_unit_test(goes_on_after_all_workers_were_away),
		cmocka_unit_test(lets_members_of_a_team_go),
		cmocka_unit_test(runs_tasks_with_the_workers_of_their_context),
		cmocka_unit_test(moves_workers_between_contexts),
		cmocka_unit_test(orders_tasks_across_contexts),
		cmocka_unit_test(refuses_what_is_no_context),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
