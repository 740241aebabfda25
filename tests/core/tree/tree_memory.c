/* SPDX-License-Identifier: MIT */
/* Trees without memory: whichever allocation fails, the answer is -ENOMEM, nothing leaks, and nothing
 * that is printed is wrong. The linker lets these wrappers stand before the library's calls. */
#include "tree_fixture.h"

#include <errno.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strndup(const char *text, size_t length);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strndup(const char *text, size_t length);
void __wrap_free(void *p);

static long allocations_left = -1; /* until one fails; -1: none does */
static long blocks;                /* allocated and not freed */
static bool failed;

static bool fails(void)
{
	if (allocations_left < 0)
		return false;
	if (allocations_left-- > 0)
		return false;
	allocations_left = -1;
	return failed = true;
}

static void *counted(void *p)
{
	blocks += p != NULL;
	return p;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t size)
{
	void *grown;

	if (fails())
		return NULL;
	grown = __real_realloc(p, size);
	blocks += grown && !p;
	return grown;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

char *__wrap_strndup(const char *text, size_t length)
{
	return fails() ? NULL : counted(__real_strndup(text, length));
}

void __wrap_free(void *p)
{
	blocks -= p != NULL;
	__real_free(p);
}

/* Calls with the n-th allocation failing, for each n, until it succeeds without one having failed. */
static void with_every_failure(int (*call)(void *arg), void *arg)
{
	int rc;
	long n = 0;

	do {
		long before = blocks;

		failed = false;
		allocations_left = n++;
		rc = call(arg);
		allocations_left = -1;
		assert_int_equal(blocks, before);
		assert_int_equal(rc, failed ? -ENOMEM : 0);
	} while (failed);
	assert_true(n > 2);
}

struct fixture {
	struct xy_machine *machine;
	struct xy_registry *registry;
	struct xy_tree *tree;
	const char *text;
	enum xy_tree_format format;
	FILE *out;
};

/* Loses the error of each call that fails, as chained calls do. */
static int build(struct xy_tree *tree, void *arg)
{
	struct xy_component *root = xy_tree_add_named(tree, arg), *eager = xy_tree_add_named(tree, "eager");
	int error = xy_tree_link(root, eager);

	for (unsigned i = 0; !error && i < xy_machine_nworkers(xy_tree_machine(tree)); i++) {
		struct xy_component *fifo = xy_tree_add_named(tree, "fifo");

		error = xy_component_set(fifo, "ntasks", "2") || xy_tree_link(eager, fifo) ||
			xy_tree_link(fifo, xy_tree_worker(tree, i));
	}
	return error || xy_tree_link(eager, xy_tree_team(tree, 0));
}

static const struct xy_policy built_policy = { .name = "test-built", .build = build, .build_arg = "fifo" };

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct xy__message nobody;

	f->machine = fixture_machine("cpu:2 cuda:1");
	f->registry = fixture_registry();
	xy__message_init(&nobody, NULL, 0);
	assert_int_equal(xy__registry_add_policy(f->registry, &built_policy, "test", &nobody), 0);
	f->out = fopen("/dev/null", "w");
	*state = f;
	return !f->out;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	fclose(f->out);
	xy_registry_destroy(f->registry);
	xy_machine_destroy(f->machine);
	free(f);
	return 0;
}

static int make_registry(void *arg)
{
	struct xy_registry *registry;
	char error[300] = "";
	int rc = xy_registry_create(&registry, "tests/plugins/.libs/good.so", error, sizeof(error));

	(void)arg;
	assert_int_equal(!rc, !error[0]);
	xy_registry_destroy(registry);
	return rc;
}

static int parse(void *arg)
{
	const struct fixture *f = arg;
	struct xy_tree *tree;
	char error[2000] = "";
	int rc = xy_tree_parse(&tree, f->text, f->machine, f->registry, error, sizeof(error));

	if (!rc != !error[0])
		fail_msg("%d: %s", rc, error);
	xy_tree_destroy(tree);
	return rc;
}

static int print(void *arg)
{
	const struct fixture *f = arg;

	return xy_tree_print(f->tree, f->out, f->format, XY_PRINT_COUNTERS);
}

static void a_registry_is_made_or_not(void **state)
{
	with_every_failure(make_registry, *state);
}

static const char *const shapes[] = {
	"tree-eager-prefetching",
	"userchoice { fifo(ntasks=inf), prio | userchoice { fifo, fifo } } | stage | eager | each worker { stage }",
	"fifo | eager { each worker { stage }, each team { prio(ntasks=2) }, parallel-worker(id=0) }",
	"fifo | eager | each arch { random | each worker { fifo(ntasks=1) } }",
	"tree-ws",
	"test-built",
	"let q = fifo | eager | each worker { } in userchoice { q, prio | q, tree-eager }",
	"let p = eager in let q = eager in let x = fifo | worker(id=0) in let y = fifo | worker(id=1) in "
	"let z = p { x } in let l = q { x, y } in let m = p { y, worker(id=2) } in "
	"fifo | random { fifo | p, fifo | q }",
};

static void a_tree_is_read_or_not(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		f->text = shapes[i];
		with_every_failure(parse, f);
	}
}

static void a_tree_is_printed_or_not(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		f->tree = fixture_parse(shapes[i], f->machine, f->registry);
		for (f->format = XY_TREE_EXPRESSION; f->format <= XY_TREE_JSON; f->format++)
			with_every_failure(print, f);
		xy_tree_destroy(f->tree);
	}
}

/* Link by link: a call that fails leaves the tree as it was, and works when it is repeated. */
static void a_tree_is_built_or_stays_as_it_was(void **state)
{
	struct fixture *f = *state;
	struct xy_tree *tree = xy_tree_create(f->machine, f->registry);
	struct xy_component *root, *child;
	unsigned failures = 0;

	root = xy_tree_add_named(tree, "eager");
	for (unsigned i = 0; i < 40; i++) {
		unsigned n = xy_tree_ncomponents(tree);
		int rc;

		child = NULL;
		for (long left = 0; !child; left++) {
			allocations_left = left;
			child = xy_tree_add_named(tree, "stage");
			allocations_left = -1;
			failures += !child;
			assert_int_equal(xy_tree_ncomponents(tree), n + (child != NULL));
		}
		rc = -1;
		for (long left = 0; rc; left++) {
			allocations_left = left;
			rc = xy_tree_link(root, child);
			allocations_left = -1;
			assert_true(rc == 0 || rc == -ENOMEM);
			failures += rc != 0;
			assert_int_equal(root->nchildren, i + !rc);
			assert_int_equal(child->nparents, !rc);
		}
	}
	assert_true(failures > 80);
	xy_tree_destroy(tree);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_registry_is_made_or_not),
		TEST(a_tree_is_read_or_not),
		TEST(a_tree_is_printed_or_not),
		TEST(a_tree_is_built_or_stays_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
