/* SPDX-License-Identifier: MIT */
/*
 * The verdict of seal on random trees against what happens when they run, in one thread: tasks are
 * pushed at the root, workers pull in turn until nothing moves. A tree that seal takes must take and
 * run every task, once, whatever the schedule; one that it refuses for its flow must refuse a task at
 * the root or keep one for ever in some schedule.
 *
 * Each tree's expression must read as the same tree, also when its links were made in another order.
 *
 * The shapes here obey the structural rules (one root, no cycle, leaves, arity, options, levels), which
 * say what a tree is and have no counterpart in a run; tests/core/tree/tree_seal.c has those. Two verdicts
 * are careful on purpose, so that the second half of the property is not asked for there: where tasks
 * can go several ways to a worker, some ways may be enough; and a reservoir with a bound that stands
 * above one without never gets to refuse.
 */
#include "../../components/recording.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include "components/parallel_worker.h"
#include "core/tree/registry.h"
#include "core/tree/tree_parts.h"
#include "core/tree/tree_rules.h"

enum { TREES = 1500, TASKS = 24, DEPTH = 5, MAX_WORKERS = 5, SILENCE = 100 };

/* Lets seal through although the flow is wrong, to see what such a tree does. */
static bool flow_is_not_checked;

int __real_xy__rules_check_flow(struct xy__rules *rules);
int __wrap_xy__rules_check_flow(struct xy__rules *rules);
int __wrap_xy__rules_check_flow(struct xy__rules *rules)
{
	return flow_is_not_checked ? 0 : __real_xy__rules_check_flow(rules);
}

/* --- kinds that the library has not --- */

struct pond {
	struct xy_component base;
	unsigned ntasks;
	struct xy_lock lock;
	struct xy_queue queue;
};

static const struct xy_option pond_options[] = { { .name = "ntasks",
						   .type = XY_OPTION_UNSIGNED,
						   .offset = offsetof(struct pond, ntasks),
						   .initial = INFINITY,
						   .min = 1,
						   .max = INFINITY },
						 { 0 } };

static struct pond *pond(struct xy_component *self)
{
	return (struct pond *)self;
}

static bool pond_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	bool taken;

	xy_lock_take(&pond(self)->lock, self, by);
	taken = xy_queue_count(&pond(self)->queue) < pond(self)->ntasks;
	if (taken)
		xy_queue_insert(&pond(self)->queue, task);
	xy_lock_drop(&pond(self)->lock, self, by);
	return taken;
}

static struct xy_task *pond_pull(struct xy_component *self, struct xy_agent *by)
{
	struct xy_task *task;

	xy_lock_take(&pond(self)->lock, self, by);
	task = xy_queue_take(&pond(self)->queue, by);
	xy_lock_drop(&pond(self)->lock, self, by);
	if (!task)
		return xy_pull_parents(self, by);
	xy_can_push_parents(self, by);
	return task;
}

static bool pond_is_bounded(const struct xy_component *self)
{
	return ((const struct pond *)self)->ntasks != UINT_MAX;
}

static size_t pond_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&pond(self)->queue);
	return xy_queue_count(&pond(self)->queue);
}

/* Holds tasks until somebody pulls. */
static const struct xy_component_ops pond_ops = {
	.name = "pond",
	.flags = XY_STORES,
	.size = sizeof(struct pond),
	.options = pond_options,
	.push = pond_push,
	.pull = pond_pull,
	.is_bounded = pond_is_bounded,
	.depth = pond_depth,
};

/* Pushes what the children take, each task to the first that can run it. */
static bool heart_beat(struct xy_component *self, struct xy_agent *by)
{
	bool moved = false;

	xy_lock_take(&pond(self)->lock, self, by);
	for (unsigned i = 0; i < self->nchildren; i++) {
		struct xy_task *task = xy_queue_first_for(&pond(self)->queue, self->children[i]);

		while (task && xy_queue_pass(&pond(self)->queue, task, self->children[i], by)) {
			moved = true;
			task = xy_queue_first_for(&pond(self)->queue, self->children[i]);
		}
	}
	xy_lock_drop(&pond(self)->lock, self, by);
	return moved;
}

static bool heart_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	pond_push(self, task, by);
	heart_beat(self, by);
	return true;
}

static bool heart_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	bool moved = heart_beat(self, by);

	(void)child;
	return xy_can_push_parents(self, by) || moved;
}

static struct xy_task *heart_pull(struct xy_component *self, struct xy_agent *by)
{
	heart_can_push(self, NULL, by);
	return NULL;
}

static bool heart_is_bounded(const struct xy_component *self)
{
	(void)self;
	return false;
}

/* Holds tasks, decides who gets them, and pushes them there. */
static const struct xy_component_ops heart_ops = {
	.name = "heart",
	.flags = XY_STORES | XY_PUMPS | XY_MAPS | XY_DECIDES,
	.size = sizeof(struct pond),
	.options = pond_options,
	.push = heart_push,
	.pull = heart_pull,
	.can_push = heart_can_push,
	.is_bounded = heart_is_bounded,
	.depth = pond_depth,
};

static struct xy_task *trap_pull(struct xy_component *self, struct xy_agent *by)
{
	xy_can_push_parents(self, by);
	return NULL;
}

/* Holds tasks, would decide who gets them, but does not pump. */
static const struct xy_component_ops trap_ops = {
	.name = "trap",
	.flags = XY_STORES | XY_MAPS | XY_DECIDES,
	.size = sizeof(struct pond),
	.options = pond_options,
	.push = pond_push,
	.pull = trap_pull,
	.is_bounded = pond_is_bounded,
	.depth = pond_depth,
};

/* --- random trees --- */

struct garden {
	struct bed *bed;
	uint64_t random;
	bool overlaps; /* branches may lead to the same workers, and meet again */
	bool teams;    /* and some lead to teams of workers */
};

static unsigned below(struct garden *g, unsigned n)
{
	struct xy_agent dice = { .random = g->random };
	unsigned number = xy_agent_random(&dice) % n;

	g->random = dice.random;
	return number;
}

static void grow(struct garden *g, struct xy_component *parent, const unsigned *workers, unsigned n, unsigned depth);

/* A component that takes one below it; with a bound now and then if it can have one. */
static struct xy_component *add_simple(struct garden *g, struct xy_component *parent, bool root)
{
	const struct xy_component_ops *const kinds[] = {
		&xy__fifo_ops, &xy__prio_ops, &xy__fifo_ops, &pond_ops, &xy__stage_ops, &xy__best_implementation_ops,
	};
	const struct xy_component_ops *ops = kinds[below(g, root ? 4 : 6)];
	struct xy_component *c = bed_add(g->bed, parent, ops);
	char ntasks[2] = { (char)('1' + below(g, 3)), '\0' };

	if (ops->options && below(g, root ? 6 : 2) == 0)
		assert_int_equal(xy_component_set(c, "ntasks", ntasks), 0);
	return c;
}

static struct xy_component *add_mapper(struct garden *g, struct xy_component *parent)
{
	const struct xy_component_ops *const kinds[] = {
		&xy__eager_ops,         &xy__random_ops,     &xy__userchoice_ops,
		&xy__work_stealing_ops, &xy__eager_prio_ops, &heart_ops,
		&xy__eager_ops,         &xy__random_ops,     &trap_ops,
	};

	return bed_add(g->bed, parent, kinds[below(g, below(g, 8) ? 8 : 9)]);
}

/* Branches that meet again in one component, from which the workers are reached. */
static void grow_join(struct garden *g, struct xy_component *mapper, const unsigned *workers, unsigned n,
		      unsigned depth)
{
	struct xy_component *join = add_mapper(g, NULL);

	for (unsigned i = 2 + below(g, 2); i > 0; i--)
		assert_int_equal(xy_tree_link(add_simple(g, mapper, false), join), 0);
	for (unsigned i = 0; i < n; i++)
		grow(g, join, workers + i, 1, depth + 2);
}

/* A team somewhere below a mapper. */
static void grow_team(struct garden *g, struct xy_component *mapper)
{
	unsigned count = xy__tree_teams(g->bed->tree)->count;
	struct xy_component *c = mapper;

	if (!count)
		return;
	for (unsigned i = below(g, 3); i > 0; i--)
		c = add_simple(g, c, false);
	if (below(g, 4) == 0)
		c = add_mapper(g, c);
	/* not twice below one */
	xy_tree_link(c, xy_tree_team(g->bed->tree, below(g, count)));
	if (!c->nchildren)
		bed_add_worker(g->bed, c, 0);
}

/* Splits the workers into branches. */
static void grow_branches(struct garden *g, struct xy_component *mapper, const unsigned *workers, unsigned n,
			  unsigned depth)
{
	for (unsigned begin = 0, count; begin < n; begin += count) {
		count = depth >= DEPTH ? 1 : 1 + below(g, n - begin);
		grow(g, mapper, workers + begin, count, depth + 1);
	}
	if (g->overlaps && depth < DEPTH && below(g, 3) == 0)
		grow(g, add_simple(g, mapper, false), workers, n, depth + 2);
	for (unsigned i = g->teams && mapper->tree->ncomponents < 60 ? below(g, 3) : 0; i > 0; i--)
		grow_team(g, mapper);
}

static void grow(struct garden *g, struct xy_component *parent, const unsigned *workers, unsigned n, unsigned depth)
{
	struct xy_component *c;

	if (n == 1 && (depth >= DEPTH || below(g, 3) == 0)) {
		bed_add_worker(g->bed, parent, workers[0]);
	} else if (depth < DEPTH && below(g, 2)) {
		c = add_simple(g, parent, false);
		grow(g, c, workers, n, depth + 1);
	} else {
		c = add_mapper(g, parent);
		if (g->overlaps && depth < DEPTH && below(g, 3) == 0)
			grow_join(g, c, workers, n, depth);
		else
			grow_branches(g, c, workers, n, depth);
	}
}

/* Makes the links anew, in any order. */
static void shuffle_links(struct garden *g)
{
	struct xy_tree *tree = g->bed->tree;
	struct xy_component **links; /* parent, child */
	unsigned n = 0, count = 0;

	for (unsigned i = 0; i < tree->ncomponents; i++)
		n += tree->components[i]->nchildren;
	links = malloc(2 * n * sizeof(struct xy_component *));
	assert_non_null(links);
	for (unsigned i = 0; i < tree->ncomponents; i++)
		for (unsigned j = 0; j < tree->components[i]->nchildren; j++, count++) {
			unsigned k = below(g, count + 1);

			links[2 * count] = links[2 * k];
			links[2 * count + 1] = links[2 * k + 1];
			links[2 * k] = tree->components[i];
			links[2 * k + 1] = tree->components[i]->children[j];
		}
	for (unsigned i = 0; i < tree->ncomponents; i++)
		tree->components[i]->nchildren = tree->components[i]->nparents = 0;
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(xy_tree_link(links[2 * i], links[2 * i + 1]), 0);
	free(links);
}

/* Forgets the tree and the tasks of before and grows another. */
static void plant(struct garden *g)
{
	struct bed *bed = g->bed;
	unsigned n = xy_machine_nworkers(bed->machine), workers[MAX_WORKERS];

	for (unsigned i = 0; i < n; i++) {
		unsigned j = below(g, i + 1);

		workers[i] = workers[j];
		workers[j] = i;
	}
	xy_tree_destroy(bed->tree);
	bed->tree = xy_tree_create(bed->machine, bed->registry);
	grow(g, add_simple(g, NULL, true), workers, n, 1);
	if (below(g, 2))
		shuffle_links(g);
}

/* --- running --- */

enum outcome { RAN, REFUSED, STUCK };

/* Where tasks can run and who pushes when. */
struct schedule {
	int pinned;     /* to this worker; -1: any mixture */
	unsigned pulls; /* tries to pull between two pushes */
};

struct run {
	struct garden *g;
	unsigned runs[TASKS]; /* how often each task was run */
	unsigned nrun;
	struct xy__team *joined[MAX_WORKERS]; /* where a worker waits for the others */
};

static void free_tasks(struct bed *bed)
{
	while (bed->ntasks) {
		struct xy_task *task = bed->tasks[--bed->ntasks];

		if (task->extra)
			free(task->extra->workers);
		free(task->extra);
		free(task);
	}
}

static struct xy_task *make_task(struct garden *g, const struct schedule *schedule)
{
	unsigned n = xy_machine_nworkers(g->bed->machine);
	unsigned worker = schedule->pinned < 0 ? below(g, n) : (unsigned)schedule->pinned;
	unsigned archs = 1u << xy_machine_worker(g->bed->machine, worker)->arch | below(g, XY_ON_ALL + 1);
	struct xy_task *task;

	if (schedule->pinned >= 0 || below(g, 2)) {
		task = bed_task_pinned(g->bed, archs, worker);
	} else {
		task = bed_task(g->bed, archs);
		task->extra = calloc(1, sizeof(*task->extra));
		assert_non_null(task->extra);
	}
	if (g->teams && (archs & XY_ON_CPU) && below(g, 2))
		task->archs |= XY_ON_TEAM;
	task->priority = below(g, 2) ? 0 : (int)below(g, 5) - 2;
	task->extra->choice = below(g, 4);
	return task;
}

static void note(struct run *run, const struct xy_task *task)
{
	run->runs[task->number - 1]++;
	run->nrun++;
}

/* A worker comes to a team that calls it, or asks for a task for its teams; the last one to come runs the task. */
static bool work_in_team(struct run *run, unsigned worker)
{
	const struct xy_component *root = xy_tree_root(run->g->bed->tree);
	struct xy_agent *by = &run->g->bed->workers[worker];
	struct xy__team *teams[MAX_WORKERS];
	struct xy__team_place place;
	unsigned n = 0;

	for (unsigned i = 0; i < root->nteams; i++)
		if (xy__team_has(root->teams[i], worker))
			teams[n++] = xy__team_of(root->teams[i]);
	for (unsigned i = 0; i < n && !xy__team_calls(run->g->bed->tree->teams, worker); i++)
		xy__team_fetch(teams[i], by);
	if (!xy__team_join(teams, n, &place, by))
		return false;
	run->joined[worker] = place.team;
	if (!place.last)
		return true;
	for (unsigned w = 0; w < MAX_WORKERS; w++)
		if (run->joined[w] == place.team) {
			assert_true(xy_task_can_run(place.task, w));
			run->joined[w] = NULL;
		}
	assert_true(xy_task_can_run_below(place.task, &place.team->base));
	note(run, place.task);
	return true;
}

/* One worker asks for a task; true if it got one, which it has then run, or has come to a team. */
static bool work(struct run *run, unsigned worker)
{
	bool team_first = run->g->teams && below(run->g, 2);
	struct xy_task *task;

	if (run->joined[worker])
		return false;
	if (team_first && work_in_team(run, worker))
		return true;
	task = bed_pull(run->g->bed, worker);
	if (!task)
		return run->g->teams && !team_first && work_in_team(run, worker);
	assert_true(xy_task_can_run(task, worker));
	note(run, task);
	return true;
}

static enum outcome run_tree(struct garden *g, const struct schedule *schedule)
{
	struct run run = { .g = g };
	unsigned n = xy_machine_nworkers(g->bed->machine);

	free_tasks(g->bed);
	for (unsigned i = 0; i < TASKS; i++) {
		if (!xy_push(xy_tree_root(g->bed->tree), make_task(g, schedule), &g->bed->application))
			return REFUSED;
		for (unsigned j = 0; j < schedule->pulls; j++)
			work(&run, below(g, n));
	}
	/* a pull that brings nothing may still have moved a task a little further down */
	for (unsigned silence = 0; silence < SILENCE; silence++)
		for (unsigned w = 0; w < n; w++)
			if (work(&run, w))
				silence = 0;
	for (unsigned i = 0; i < TASKS; i++)
		assert_in_range(run.runs[i], 0, 1);
	return run.nrun == TASKS ? RAN : STUCK;
}

/* The first outcome that is not RAN in several schedules. */
static enum outcome try_schedules(struct garden *g)
{
	struct schedule schedule = { .pinned = -1 };
	enum outcome outcome = RAN;

	for (; !outcome && schedule.pinned < (int)xy_machine_nworkers(g->bed->machine); schedule.pinned++)
		for (schedule.pulls = 0; !outcome && schedule.pulls < 4; schedule.pulls += 3)
			outcome = run_tree(g, &schedule);
	return outcome;
}

/* --- the property --- */

static bool is_reservoir(const struct xy_component *c)
{
	return (c->ops->flags & XY_STORES) && !(c->ops->flags & XY_LEAF);
}

/* Whether a reservoir with a bound stands above one without. */
static bool has_needless_bound(const struct xy_component *c, bool bounded_above)
{
	bool bounded = is_reservoir(c) && c->ops->is_bounded(c);

	if (is_reservoir(c) && !bounded && bounded_above)
		return true;
	for (unsigned i = 0; i < c->nchildren; i++)
		if (has_needless_bound(c->children[i], bounded_above || bounded))
			return true;
	return false;
}

static void explain(struct garden *g, unsigned seed, const char *what, const char *rules)
{
	xy_tree_print(g->bed->tree, stderr, XY_TREE_DRAWING, XY_PRINT_COUNTERS);
	fail_msg("seed %u%s%s: %s\n%s", seed, g->overlaps ? " with overlaps" : "", g->teams ? " and teams" : "", what,
		 rules);
}

/* What was seen, to be sure that the trees are of all sorts. */
struct tally {
	unsigned sealed, refused, stuck, careful;
	unsigned named, linked; /* expressions that bind names, that are written link by link */
};

static char *print(const struct xy_tree *tree)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(xy_tree_print(tree, out, XY_TREE_EXPRESSION, 0), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* The tree's expression reads as the same tree, which prints as the same text. */
static void check_text(struct garden *g, unsigned seed, struct tally *tally)
{
	char *text = print(g->bed->tree), *twice, error[4096] = "";
	struct xy_tree *again;

	if (xy_tree_parse(&again, text, g->bed->machine, g->bed->registry, error, sizeof(error)))
		explain(g, seed, text, error);
	if (!xy_tree_equal(g->bed->tree, again))
		explain(g, seed, text, "is another tree");
	twice = print(again);
	assert_string_equal(twice, text);
	tally->named += !strncmp(text, "let ", 4);
	tally->linked += strstr(text, "let n1 = ") && strstr(text, " in n1\n");
	xy_tree_destroy(again);
	free(twice);
	free(text);
}

static void check_tree(struct garden *g, unsigned seed, struct tally *tally)
{
	static const char *const outcomes[] = { "ran", "refused a task", "kept a task" };
	char error[4096];
	enum outcome outcome;
	int rc;

	g->random = seed;
	plant(g);
	flow_is_not_checked = false;
	rc = xy_tree_seal(g->bed->tree, error, sizeof(error));
	assert_true(rc == 0 || rc == -EINVAL);
	if (rc) {
		flow_is_not_checked = true;
		rc = xy_tree_seal(g->bed->tree, NULL, 0);
		assert_int_equal(rc, 0);
		rc = -EINVAL;
	}
	check_text(g, seed, tally);
	outcome = try_schedules(g);
	if (!rc && outcome)
		explain(g, seed, outcomes[outcome], "but seal took it");
	if (!rc)
		tally->sealed++;
	else if (outcome)
		tally->refused += outcome == REFUSED, tally->stuck += outcome == STUCK;
	else if (g->overlaps || has_needless_bound(xy_tree_root(g->bed->tree), false))
		tally->careful++;
	else
		explain(g, seed, "ran in all schedules, but seal said:", error);
}

static void register_kinds(struct bed *bed)
{
	const struct xy_component_ops *const kinds[] = { &pond_ops, &heart_ops, &trap_ops };
	struct xy__message nobody;

	xy__message_init(&nobody, NULL, 0);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		assert_int_equal(xy__registry_add_component(bed->registry, kinds[i], "test", &nobody), 0);
}

static void check_trees(bool overlaps, bool teams)
{
	static const char *const machines[] = { "cpu:1", "cpu:3", "cpu:2 cuda:2", "cpu:3 cuda:1 opencl:1" };
	enum { MACHINES = sizeof(machines) / sizeof(machines[0]) };
	struct garden gardens[MACHINES];
	struct tally tally = { 0 };

	for (unsigned i = 0; i < MACHINES; i++) {
		gardens[i] = (struct garden){ .bed = bed_open(machines[i]), .overlaps = overlaps, .teams = teams };
		register_kinds(gardens[i].bed);
	}
	for (unsigned seed = 0; seed < TREES; seed++)
		check_tree(&gardens[seed % MACHINES], seed, &tally);
	for (unsigned i = 0; i < MACHINES; i++)
		bed_close(gardens[i].bed);
	print_message("# %u sealed, %u refused a task, %u kept a task, %u would do; %u bind names, %u link by link\n",
		      tally.sealed, tally.refused, tally.stuck, tally.careful, tally.named, tally.linked);
	assert_true(tally.sealed > TREES / 20 && tally.refused > TREES / 20 && tally.stuck > TREES / 20);
	assert_true(tally.careful < TREES / 4);
	assert_true(!overlaps || (tally.named > TREES / 20 && tally.linked > TREES / 50));
}

static void seal_is_right_about_trees_with_one_way_to_each_worker(void **state)
{
	(void)state;
	check_trees(false, false);
}

static void seal_is_right_about_trees_with_several_ways(void **state)
{
	(void)state;
	check_trees(true, false);
}

static void seal_is_right_about_trees_with_teams(void **state)
{
	(void)state;
	check_trees(true, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seal_is_right_about_trees_with_one_way_to_each_worker),
		cmocka_unit_test(seal_is_right_about_trees_with_several_ways),
		cmocka_unit_test(seal_is_right_about_trees_with_teams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
