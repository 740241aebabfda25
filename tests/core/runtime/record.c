/* SPDX-License-Identifier: MIT */
/* Recorded runs: read as a graph, they say what was submitted, in an order that keeps all dependencies, and what
 * became of it. */
#include "../../helper.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xylem/partition.h>

#include "graph/graph.h"

static char path[64];

static struct helper *start_recording(void)
{
	return helper_start_with(&(struct xy_config){ .ncpu = 2, .record = path });
}

static void read_graph(struct graph *g)
{
	char error[512] = "";

	if (graph_read(g, path, error, sizeof error))
		fail_msg("%s", error);
	assert_int_equal(graph_check(g, error, sizeof error), 0);
}

static void stop_and_read(struct helper *h, struct graph *g)
{
	assert_int_equal(helper_stop(h), 0);
	read_graph(g);
}

/* The index of the task of this name. */
static uint32_t task_of(const struct graph *g, const char *name)
{
	for (uint32_t t = 0; t < g->ntasks; t++)
		if (g->tasks[t].name && !strcmp(g->tasks[t].name, name))
			return t;
	fail_msg("no task %s", name);
	return 0;
}

/* Whether a task waits for another one, maybe by way of others. */
static bool waits(const struct graph_edges *edges, uint32_t task, uint32_t before)
{
	for (size_t i = edges->before_at[task]; i < edges->before_at[task + 1]; i++)
		if (edges->before[i] == before || waits(edges, edges->before[i], before))
			return true;
	return false;
}

static bool named_waits(const struct graph *g, const char *task, const char *before)
{
	struct graph_edges edges;
	bool answer;

	assert_int_equal(graph_edges_init(&edges, g), 0);
	answer = waits(&edges, task_of(g, task), task_of(g, before));
	graph_edges_fini(&edges);
	return answer;
}

/* --- in real time --- */

static void writes_what_was_submitted(void **state)
{
	static const struct xy_codelet work = {
		.name = "a \"work\"",
		.cpu = { helper_count_body },
	};
	static double content[2][100];
	struct xy_handle *a, *b;
	_Atomic int count = 0;
	struct helper *h = start_recording();
	struct graph g = { 0 };
	const struct graph_task *task;

	(void)state;
	xy_vector_register(h->rt, &a, content[0], 100, sizeof(double));
	xy_vector_register(h->rt, &b, content[1], 50, sizeof(double));
	xy_handle_set_name(b, "b");
	HELPER_SUBMIT(h, .codelet = &work, .arg = (void *)&count, .priority = -3, .name = "one",
		      .accesses = XY_ACCESSES({ a, XY_R }, { b, XY_RW }));
	HELPER_SUBMIT(h, .codelet = &work, .arg = (void *)&count,
		      .accesses = XY_ACCESSES({ a, XY_W }, { b, XY_RW | XY_COMMUTE }));
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = (void *)&count);
	assert_int_equal(xy_unregister(&a) | xy_unregister(&b), 0);
	stop_and_read(h, &g);
	assert_int_equal(g.nkernels, 2);
	assert_int_equal(g.ndata, 2);
	assert_int_equal(g.ntasks, 3);
	assert_int_equal(g.data[0].bytes, 800);
	assert_int_equal(g.data[1].bytes, 400);
	assert_string_equal(g.data[1].name, "b");
	task = &g.tasks[0];
	assert_string_equal(g.kernels[task->kernel].name, "a \"work\"");
	assert_string_equal(task->name, "one");
	assert_int_equal(task->priority, -3);
	assert_int_equal(task->naccesses, 2);
	assert_int_equal(g.accesses[task->first_access].mode, XY_R);
	assert_int_equal(g.accesses[task->first_access + 1].mode, XY_RW);
	task = &g.tasks[1];
	assert_null(task->name);
	assert_int_equal(g.accesses[task->first_access].mode, XY_W);
	assert_int_equal(g.accesses[task->first_access + 1].mode, XY_RW | XY_COMMUTE);
	for (uint32_t t = 0; t < 3; t++) {
		const struct graph_record *record = g.tasks[t].record;

		assert_non_null(record);
		assert_in_range(record->worker, 0, 1);
		assert_true(0 <= record->ready_us && record->ready_us <= record->start_us &&
			    record->start_us <= record->end_us);
	}
	assert_true(g.tasks[0].record->end_us <= g.tasks[1].record->ready_us);
	graph_fini(&g);
}

static void knows_who_was_to_wait_for_whom(void **state)
{
	struct helper *h = start_recording();
	struct graph g = { 0 };
	_Atomic int count = 0;
	struct xy_task *first = HELPER_CREATE(h, .codelet = &helper_count, .arg = (void *)&count, .name = "first");
	struct xy_task *empty = HELPER_CREATE(h, .name = "empty", .after = &first, .nafter = 1), *again;

	(void)state;
	again = HELPER_CREATE(h, .codelet = &helper_count, .arg = (void *)&count, .name = "again");
	assert_int_equal(xy_task_submit(first) | xy_task_submit(empty), 0);
	assert_int_equal(helper_wait(h), 0);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = (void *)&count, .name = "late", .after = &empty, .nafter = 1);
	assert_int_equal(xy_task_submit(again), 0);
	assert_int_equal(helper_wait(h), 0);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = (void *)&count, .name = "last", .after = &again, .nafter = 1);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_task_submit(again), 0);
	assert_int_equal(helper_wait(h), 0);
	xy_task_release(first);
	xy_task_release(empty);
	xy_task_release(again);
	stop_and_read(h, &g);
	assert_int_equal(g.ntasks, 6);
	assert_true(named_waits(&g, "late", "first"));
	assert_true(named_waits(&g, "last", "again"));
	assert_false(named_waits(&g, "last", "first"));
	assert_false(named_waits(&g, "again", "first"));
	graph_fini(&g);
}

/* A task may be submitted before what it waits for; in the file it stands behind that. */
static void puts_a_task_behind_what_it_waits_for(void **state)
{
	static double content;
	struct helper *h = start_recording();
	struct graph g = { 0 };
	_Atomic int count = 0;
	struct xy_handle *v;
	struct xy_task *before, *task, *empty, *second;

	(void)state;
	xy_variable_register(h->rt, &v, &content, sizeof content);
	before = HELPER_CREATE(h, .codelet = &helper_count, .arg = (void *)&count, .name = "before");
	empty = HELPER_CREATE(h, .name = "empty", .after = &before, .nafter = 1);
	second = HELPER_CREATE(h, .name = "second", .after = &empty, .nafter = 1);
	task = HELPER_CREATE(h, .codelet = &helper_count, .arg = (void *)&count, .name = "task", .after = &second,
			     .nafter = 1, .accesses = XY_ACCESSES({ v, XY_W }));
	assert_int_equal(xy_task_submit(task), 0);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = (void *)&count, .name = "reader",
		      .accesses = XY_ACCESSES({ v, XY_R }));
	assert_int_equal(xy_task_submit(second) | xy_task_submit(empty) | xy_task_submit(before), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_unregister(&v), 0);
	xy_task_release(before);
	xy_task_release(empty);
	xy_task_release(second);
	xy_task_release(task);
	stop_and_read(h, &g);
	assert_int_equal(g.ntasks, 5);
	assert_true(named_waits(&g, "task", "before"));
	assert_true(named_waits(&g, "task", "second"));
	assert_true(named_waits(&g, "second", "empty"));
	assert_true(named_waits(&g, "reader", "task"));
	assert_true(named_waits(&g, "empty", "before"));
	graph_fini(&g);
}

static void tells_handles_at_one_address_apart(void **state)
{
	struct helper *h = start_recording();
	struct graph g = { 0 };
	_Atomic int count = 0;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		static double content;
		struct xy_handle *v;

		xy_variable_register(h->rt, &v, &content, sizeof content);
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = (void *)&count,
			      .accesses = XY_ACCESSES({ v, XY_RW }));
		assert_int_equal(xy_unregister(&v), 0);
	}
	stop_and_read(h, &g);
	assert_int_equal(g.ndata, 20);
	for (uint32_t t = 0; t < g.ntasks; t++)
		assert_int_equal(g.accesses[g.tasks[t].first_access].data, t);
	graph_fini(&g);
}

static void keeps_the_order_of_a_handle_and_its_parts(void **state)
{
	static double content[8];
	struct helper *h = start_recording();
	struct graph g = { 0 };
	struct xy_handle *v, *parts[2];
	_Atomic int count = 0;

	(void)state;
	xy_vector_register(h->rt, &v, content, 8, sizeof(double));
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = (void *)&count, .name = "whole",
		      .accesses = XY_ACCESSES({ v, XY_W }));
	assert_int_equal(xy_partition(v, &(struct xy_filter){ .ops = &xy_filter_halves }, parts, 2), 0);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = (void *)&count, .name = "left",
		      .accesses = XY_ACCESSES({ parts[0], XY_RW }));
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = (void *)&count, .name = "right",
		      .accesses = XY_ACCESSES({ parts[1], XY_RW }));
	assert_int_equal(xy_unpartition(v), 0);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = (void *)&count, .name = "after",
		      .accesses = XY_ACCESSES({ v, XY_R }));
	assert_int_equal(xy_unregister(&v), 0);
	stop_and_read(h, &g);
	assert_true(named_waits(&g, "left", "whole"));
	assert_true(named_waits(&g, "right", "whole"));
	assert_false(named_waits(&g, "right", "left"));
	assert_true(named_waits(&g, "after", "left"));
	assert_true(named_waits(&g, "after", "right"));
	graph_fini(&g);
}

static unsigned nwatched[3];

static void watch_submitted(void *arg, const struct xy_task *task)
{
	(void)task;
	assert_ptr_equal(arg, nwatched);
	nwatched[0]++;
}

static void watch_ready(void *arg, const struct xy_task *task, double now_s)
{
	(void)arg, (void)task, (void)now_s;
	nwatched[1]++;
}

static void watch_ended(void *arg, const struct xy_report *report)
{
	(void)arg, (void)report;
	nwatched[2]++;
}

static void lets_others_watch(void **state)
{
	struct xy_watch watch = {
		.arg = nwatched, .submitted = watch_submitted, .ready = watch_ready, .ended = watch_ended
	};
	struct helper *h = helper_start_with(&(struct xy_config){ .ncpu = 1, .record = path, .watch = &watch });
	_Atomic int count = 0;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = (void *)&count);
	assert_int_equal(helper_stop(h), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(nwatched[i], 1);
}

static void records_failures_without_their_times(void **state)
{
	struct helper *h = start_recording();
	struct graph g = { 0 };
	static double content;
	struct xy_handle *v;
	_Atomic int count = 0;

	(void)state;
	xy_variable_register(h->rt, &v, &content, sizeof content);
	HELPER_SUBMIT(h, .codelet = &helper_fail, .length_us = 7, .accesses = XY_ACCESSES({ v, XY_W }));
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = (void *)&count, .accesses = XY_ACCESSES({ v, XY_R }));
	assert_int_equal(helper_wait(h), -EIO);
	xy_unregister(&v);
	helper_stop_lines(h, HELPER_ANY_LINES);
	read_graph(&g);
	assert_int_equal(g.ntasks, 2);
	assert_true(g.tasks[0].length_us == 7);
	assert_null(g.tasks[1].record);
	graph_fini(&g);
}

static void says_when_the_file_can_not_be_written(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .ncpu = 1, .record = "/nowhere/at/all" });

	(void)state;
	assert_int_equal(helper_stop_lines(h, 1), 0);
}

static int body_init(struct xy_call *call)
{
	*(double *)((struct xy_variable *)call->buffers[0])->ptr = 0;
	return 0;
}

static int body_combine(struct xy_call *call)
{
	*(double *)((struct xy_variable *)call->buffers[0])->ptr +=
		*(const double *)((struct xy_variable *)call->buffers[1])->ptr;
	return 0;
}

static void leaves_out_what_reductions_do_by_themselves(void **state)
{
	static const struct xy_codelet init = { .name = "init", .cpu = { body_init }, .modes = { XY_W } };
	static const struct xy_codelet combine = {
		.name = "combine",
		.cpu = { body_combine },
		.modes = { XY_RW, XY_R },
	};
	struct helper *h = start_recording();
	struct graph g = { 0 };
	static double content;
	struct xy_handle *v;
	_Atomic int count = 0;

	(void)state;
	xy_variable_register(h->rt, &v, &content, sizeof content);
	assert_int_equal(xy_handle_set_reduction(v, &init, &combine), 0);
	for (unsigned i = 0; i < 50; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = (void *)&count,
			      .accesses = XY_ACCESSES({ v, XY_REDUX }));
	assert_int_equal(xy_unregister(&v), 0);
	stop_and_read(h, &g);
	assert_int_equal(g.ntasks, 50);
	assert_int_equal(g.accesses[0].mode, XY_REDUX);
	graph_fini(&g);
}

/* --- random programs --- */

enum { RANDOM_TASKS = 60, RANDOM_DATA = 4, RANDOM_LATE = 15 };

/* What a task of a random program does. The last ones use no data, and are submitted after all others, which may have
 * been told to wait for them. */
struct random_task {
	char name[8];
	struct xy_access accesses[3];
	unsigned naccesses, uses[2];
	bool waits_for[RANDOM_TASKS];
};

static void random_make(struct random_task *tasks, struct xy_handle **data, uint64_t *seed)
{
	static const enum xy_mode modes[] = { XY_R, XY_R, XY_W, XY_RW };

	for (unsigned i = 0; i < RANDOM_TASKS; i++) {
		struct random_task *task = &tasks[i];

		*task = (struct random_task){ .naccesses = i < RANDOM_TASKS - RANDOM_LATE ? helper_below(seed, 3) : 0 };
		snprintf(task->name, sizeof task->name, "n%u", i);
		task->uses[0] = helper_below(seed, RANDOM_DATA);
		task->uses[1] = (task->uses[0] + 1 + helper_below(seed, RANDOM_DATA - 1)) % RANDOM_DATA;
		for (unsigned k = 0; k < task->naccesses; k++)
			task->accesses[k] = (struct xy_access){ data[task->uses[k]], modes[helper_below(seed, 4)] };
	}
}

/* Tells tasks whom to wait for: somebody who is submitted before them, or one of the late ones. */
static void random_connect(struct random_task *tasks, struct xy_task **handles, uint64_t *seed)
{
	for (unsigned n = 0; n < 40; n++) {
		unsigned i = 1 + helper_below(seed, RANDOM_TASKS - 1), before = helper_below(seed, i);

		if (i < RANDOM_TASKS - RANDOM_LATE && helper_below(seed, 4) == 0)
			before = RANDOM_TASKS - 1 - helper_below(seed, RANDOM_LATE);
		else if (i >= RANDOM_TASKS - RANDOM_LATE)
			before = RANDOM_TASKS - RANDOM_LATE + helper_below(seed, RANDOM_LATE);
		if (i == before || (i >= RANDOM_TASKS - RANDOM_LATE && before >= i))
			continue;
		assert_int_equal(xy_task_after(handles[i], handles[before]), 0);
		tasks[i].waits_for[before] = true;
	}
}

/* Those that conflict on some datum, by the order of submission. */
static void random_add_conflicts(struct random_task *tasks)
{
	for (unsigned i = 0; i < RANDOM_TASKS; i++)
		for (unsigned j = 0; j < i; j++)
			for (unsigned k = 0; k < tasks[i].naccesses; k++)
				for (unsigned l = 0; l < tasks[j].naccesses; l++)
					tasks[i].waits_for[j] |=
						tasks[i].uses[k] == tasks[j].uses[l] &&
						((tasks[i].accesses[k].mode | tasks[j].accesses[l].mode) & XY_W);
}

static void random_check(const struct random_task *tasks, const struct graph *g)
{
	uint32_t place[RANDOM_TASKS];
	struct graph_edges edges;

	assert_int_equal(g->ntasks, RANDOM_TASKS);
	assert_int_equal(graph_edges_init(&edges, g), 0);
	for (unsigned i = 0; i < RANDOM_TASKS; i++)
		place[i] = task_of(g, tasks[i].name);
	for (unsigned i = 0; i < RANDOM_TASKS; i++)
		for (unsigned j = 0; j < RANDOM_TASKS; j++)
			assert_true(!tasks[i].waits_for[j] || waits(&edges, place[i], place[j]));
	for (uint32_t t = 0; t < g->ntasks; t++)
		for (size_t e = edges.before_at[t]; e < edges.before_at[t + 1]; e++) {
			const struct graph_record *after = g->tasks[t].record;
			const struct graph_record *before = g->tasks[edges.before[e]].record;

			assert_true(!after || !before || before->end_us <= after->start_us);
		}
	graph_fini((struct graph *)g);
	graph_edges_fini(&edges);
}

/* What waits in the program waits in the file, and what waits in the file has waited in the run. */
static void keeps_the_dependencies_of_random_programs(void **state)
{
	(void)state;
	for (uint64_t number = 1; number <= helper_scale(40); number++) {
		static double content[RANDOM_DATA];
		static struct random_task tasks[RANDOM_TASKS];
		uint64_t seed = number;
		struct xy_task *handles[RANDOM_TASKS];
		struct xy_handle *data[RANDOM_DATA];
		struct helper *h = start_recording();
		_Atomic int count = 0;
		struct graph g = { 0 };

		for (unsigned i = 0; i < RANDOM_DATA; i++)
			xy_variable_register(h->rt, &data[i], &content[i], sizeof(double));
		random_make(tasks, data, &seed);
		for (unsigned i = 0; i < RANDOM_TASKS; i++)
			handles[i] = HELPER_CREATE(h, .codelet = i % 7 ? &helper_count : NULL, .arg = (void *)&count,
						   .name = tasks[i].name, .accesses = tasks[i].accesses);
		random_connect(tasks, handles, &seed);
		for (unsigned i = 0; i < RANDOM_TASKS; i++)
			assert_int_equal(xy_task_submit(handles[i]), 0);
		assert_int_equal(helper_wait(h), 0);
		for (unsigned i = 0; i < RANDOM_TASKS; i++)
			xy_task_release(handles[i]);
		for (unsigned i = 0; i < RANDOM_DATA; i++)
			assert_int_equal(xy_unregister(&data[i]), 0);
		stop_and_read(h, &g);
		random_add_conflicts(tasks);
		random_check(tasks, &g);
	}
}

/* --- in the simulator --- */

static char *simulate(const struct graph *g, const char *machine, double *makespan_us)
{
	struct graph_run *run;
	struct helper *h = helper_start_with(
		&(struct xy_config){ .sim = machine, .machines = MACHINES, .record = path, .sched = "tree-prio" });
	char *text = calloc(1, 1 << 22);
	FILE *file;

	assert_non_null(text);
	assert_int_equal(graph_submit(&run, g, h->rt, NULL), 0);
	assert_int_equal(graph_retract(&run), 0);
	*makespan_us = xy_now(h->rt) * 1e6;
	assert_int_equal(helper_stop(h), 0);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 22) - 1, file) < (1 << 22) - 1);
	fclose(file);
	return text;
}

static void check_same(const struct graph *a, const struct graph *b)
{
	assert_int_equal(a->ntasks, b->ntasks);
	assert_int_equal(a->naccesses, b->naccesses);
	assert_int_equal(a->nbefore, b->nbefore);
	for (uint32_t t = 0; t < a->ntasks; t++) {
		const struct graph_task *x = &a->tasks[t], *y = &b->tasks[t];

		assert_int_equal(x->priority, y->priority);
		assert_int_equal(x->naccesses, y->naccesses);
		assert_int_equal(x->nbefore, y->nbefore);
		assert_int_equal(graph_task_bytes(a, t), graph_task_bytes(b, t));
		assert_int_equal(x->kernel == GRAPH_NO_KERNEL, y->kernel == GRAPH_NO_KERNEL);
		if (x->kernel != GRAPH_NO_KERNEL)
			assert_string_equal(a->kernels[x->kernel].name, b->kernels[y->kernel].name);
		for (uint32_t i = 0; i < x->naccesses; i++)
			assert_int_equal(a->accesses[x->first_access + i].mode, b->accesses[y->first_access + i].mode);
		for (uint32_t i = 0; i < x->nbefore; i++)
			assert_int_equal(a->before[x->first_before + i], b->before[y->first_before + i]);
	}
}

static void gives_back_the_graph_that_was_simulated(void **state)
{
	static const char *const graphs[] = { "cholesky:8",     "lu:5",
					      "qr:4",           "stencil:6x5",
					      "forkjoin:5x3",   "chain:20",
					      "independent:30", "random:layers=8:width=7:seed=3" };

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(graphs); i++) {
		struct graph g = { 0 }, read = { 0 };
		double makespan_us, again_us, last_us = 0;
		char error[256], *text, *again;

		assert_int_equal(graph_make(&g, graphs[i], error, sizeof error), 0);
		text = simulate(&g, "mirage", &makespan_us);
		read_graph(&read);
		check_same(&g, &read);
		for (uint32_t t = 0; t < read.ntasks; t++)
			if (read.tasks[t].record && read.tasks[t].record->end_us > last_us)
				last_us = read.tasks[t].record->end_us;
		assert_true(last_us > 0 && last_us <= makespan_us * (1 + 1e-8));
		again = simulate(&g, "mirage", &again_us);
		assert_true(again_us == makespan_us);
		assert_string_equal(text, again);
		free(text);
		free(again);
		graph_fini(&g);
		graph_fini(&read);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_what_was_submitted),
		cmocka_unit_test(knows_who_was_to_wait_for_whom),
		cmocka_unit_test(puts_a_task_behind_what_it_waits_for),
		cmocka_unit_test(tells_handles_at_one_address_apart),
		cmocka_unit_test(keeps_the_order_of_a_handle_and_its_parts),
		cmocka_unit_test(lets_others_watch),
		cmocka_unit_test(records_failures_without_their_times),
		cmocka_unit_test(says_when_the_file_can_not_be_written),
		cmocka_unit_test(leaves_out_what_reductions_do_by_themselves),
		cmocka_unit_test(keeps_the_dependencies_of_random_programs),
		cmocka_unit_test(gives_back_the_graph_that_was_simulated),
	};
	int failed;

	helper_guard();
	snprintf(path, sizeof path, "/tmp/xylem-record-%ld", (long)getpid());
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
