/* SPDX-License-Identifier: MIT */
/* Graph files: what each format says, what is wrong with a file and where, and that nothing is lost by writing. */
#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "graph/graph.h"

/* Reads a text that is right. */
static struct graph read_text(const char *text)
{
	struct graph g;
	char error[256] = "";

	if (graph_read_text(&g, text, strlen(text), "f", error, sizeof(error)))
		fail_msg("%s", error);
	assert_int_equal(graph_check(&g, error, sizeof(error)), 0);
	return g;
}

static char *print(const struct graph *g, int (*write)(const struct graph *g, FILE *file))
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	assert_int_equal(write(g, file), 0);
	fclose(file);
	return text;
}

/* The graph as our own format has it. */
static void expect_text(const char *from, const char *wanted)
{
	struct graph g = read_text(from);
	char *text = print(&g, graph_write);

	assert_string_equal(text, wanted);
	free(text);
	graph_fini(&g);
}

struct wrong {
	const char *text, *error;
};

static void expect_errors(const struct wrong *cases, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct graph g;
		char error[256] = "";

		assert_int_equal(graph_read_text(&g, cases[i].text, strlen(cases[i].text), "f", error, sizeof(error)),
				 -EINVAL);
		assert_string_equal(error, cases[i].error);
		assert_null(g.tasks);
	}
}
#define EXPECT_ERRORS(cases) expect_errors(cases, sizeof(cases) / sizeof((cases)[0]))

/* --- our own --- */

static void own_format_says_everything(void **state)
{
	(void)state;
	expect_text("\n# a comment\nxygraph 1 # the version\nname \"a graph\"\nprocessors 2\nkernel k us=2.50\n"
		    "kernel \"two words\"\r\ndata a 100\ndata d1 2K\ndata d2 7 name=\"x \\\"y\\\" \\\\\"\n\n"
		    "task one k priority=-3 costs=1,2 rw=a w = d1 , d2\n"
		    "task t1 \"two words\" us=7 costs=3,4e1 r=a,d1 commute=d2 after=one "
		    "worker=1 ready=0 start=1.5 end=9\n"
		    "task x - after=one,t1 redux=a scratch=d1\nedge one t1 16\nedge t1 x",
		    "xygraph 1\nname \"a graph\"\nprocessors 2\nkernel \"k\" us=2.5\nkernel \"two words\"\n"
		    "data d0 100 name=\"a\"\ndata d1 2048\ndata d2 7 name=\"x \\\"y\\\" \\\\\"\ndata d3 16\n"
		    "task t0 \"k\" name=\"one\" priority=-3 costs=1,2 rw=d0 w=d1,d2,d3\n"
		    "task t1 \"two words\" us=7 costs=3,40 r=d0,d1 commute=d2 r=d3 after=t0 "
		    "worker=1 ready=0 start=1.5 end=9\n"
		    "task t2 - name=\"x\" redux=d0 scratch=d1 after=t0,t1\n");
	expect_text("xygraph 1", "xygraph 1\nname \"f\"\n");
}

static void own_format_is_checked(void **state)
{
	static const struct wrong cases[] = {
		{ "xygraph 2", "f:1: expected version 1 instead of \"2\"" },
		{ "xygraph 1 x", "f:1: expected the end of the line instead of \"x\"" },
		{ "xygraph 1\ntusk", "f:2: expected name, processors, kernel, data, task or edge instead of \"tusk\"" },
		{ "xygraph 1\n=", "f:2: expected a statement instead of \"=\"" },
		{ "xygraph 1\nname \"x",
		  "f:2: expected a quote at the end of the word instead of the end of the line" },
		{ "xygraph 1\nkernel", "f:2: expected a kernel's name instead of the end of the line" },
		{ "xygraph 1\nkernel k us=-1", "f:2: expected microseconds, at most 1e30, instead of \"-1\"" },
		{ "xygraph 1\nkernel k\nkernel k", "f:3: expected a new kernel name instead of \"k\"" },
		{ "xygraph 1\nkernel k k=3", "f:2: expected us instead of \"k\"" },
		{ "xygraph 1\ndata d x", "f:2: expected a number of bytes instead of \"x\"" },
		{ "xygraph 1\ndata d 5000000000G", "f:2: expected a number of bytes instead of \"5000000000G\"" },
		{ "xygraph 1\ndata d 5\ndata d 5", "f:3: expected a name of data, but \"d\" already exists" },
		{ "xygraph 1\ntask t k", "f:2: expected a kernel declared before instead of \"k\"" },
		{ "xygraph 1\ntask t - r=d", "f:2: expected data declared before instead of \"d\"" },
		{ "xygraph 1\ntask t - after=u", "f:2: expected a task declared before instead of \"u\"" },
		{ "xygraph 1\ntask t - after=t", "f:2: expected another task, not the task itself" },
		{ "xygraph 1\ntask t - priority=9999999999",
		  "f:2: expected a priority from -2147483648 to 2147483647 instead of \"9999999999\"" },
		{ "xygraph 1\ntask t - costs=1", "f:2: expected \"processors\" before costs" },
		{ "xygraph 1\nprocessors 2\ntask t - costs=1", "f:3: expected 2 costs instead of 1" },
		{ "xygraph 1\nprocessors 1\ntask t - costs=0", "f:3: expected 1 positive costs" },
		{ "xygraph 1\nprocessors 1\nkernel k\ntask t k",
		  "f:4: expected costs, because the graph has processors" },
		{ "xygraph 1\ntask t -\nprocessors 3", "f:3: expected processors once, at least 1, before all tasks" },
		{ "xygraph 1\ntask t - us", "f:2: expected = instead of the end of the line" },
		{ "xygraph 1\ntask t - color=red",
		  "f:2: expected r, w, rw, commute, redux, scratch, after, priority, "
		  "us, costs, name, worker, ready, start or end instead of \"color\"" },
		{ "xygraph 1\ntask t -\nedge t u", "f:3: expected a task declared before instead of \"u\"" },
		{ "xygraph 1\ntask t -\ntask u -\nedge u t", "f:4: expected the predecessor to be declared first" },
	};

	(void)state;
	EXPECT_ERRORS(cases);
}

/* --- others --- */

static void stg_comes_without_communication(void **state)
{
	(void)state;
	expect_text(" 3\n 0 0 0\n 1 20 1 0\n 2 5 1 0\n 3 3 2 1 2\n 4 0 1 3\n# CP Length : 23\n",
		    "xygraph 1\nname \"f\"\nkernel \"task\"\ntask t0 -\ntask t1 \"task\" us=20 after=t0\n"
		    "task t2 \"task\" us=5 after=t0\ntask t3 \"task\" us=3 after=t1,t2\ntask t4 - after=t3\n");
}

static void stg_comes_with_communication(void **state)
{
	static const char wanted[] =
		"xygraph 1\nname \"f\"\nkernel \"task\"\ndata d0 4\ndata d1 7\ndata d2 9\ntask t0 -\n"
		"task t1 \"task\" us=20 w=d0,d1 after=t0\ntask t2 \"task\" us=5.5 r=d0 w=d2\n"
		"task t3 \"task\" us=3 r=d1,d2\n";

	(void)state;
	expect_text("3 2\n0 0 0\n1 20 1\n 0 8\n2 5.5 1\n 1 4\n3 3 2\n 1 7\n 2 9\n", wanted);
	expect_text("3\n0 0 0\n1 20 1 0 8\n2 5.5 1 1 4\n3 3 2 1 7 2 9\n", wanted);
}

static void stg_comes_with_times_for_each_processor(void **state)
{
	(void)state;
	expect_text("2 2\n1 20 10 0\n2 5 6 1 1\n3 0 0 1 2",
		    "xygraph 1\nname \"f\"\nprocessors 2\nkernel \"task\"\ntask t0 \"task\" costs=20,10\n"
		    "task t1 \"task\" costs=5,6 after=t0\ntask t2 - after=t1\n");
	expect_text("2 2\n1 20 10 0\n2 5 6 1 1 4",
		    "xygraph 1\nname \"f\"\nprocessors 2\nkernel \"task\"\ndata d0 4\n"
		    "task t0 \"task\" costs=20,10 w=d0\ntask t1 \"task\" costs=5,6 r=d0\n");
}

static void stg_is_checked(void **state)
{
	static const struct wrong cases[] = {
		{ "3 x", "f:1: expected a number instead of \"x\"" },
		{ "1 2 3\n", "f:1: expected a line with the number of tasks, and optionally of processors" },
		{ "3\n", "f:1: expected 3 tasks, but there is none" },
		{ "2\n0 1 0\n2 1 1 0", "f:3: expected the next task's number instead of 2" },
		{ "2\n0 1 0\n1 1 3 0", "f:3: expected no more predecessors than follow instead of 3" },
		{ "9\n0 1 0\n1 1 1 0",
		  "f:3: expected as many tasks as the first line says, and optionally entry and exit instead of 0" },
		{ "2\n0 1 0\n1 1 1 7", "f:3: expected the number of a task as predecessor" },
		{ "2\n0 1 1 1\n1 1 1 0", "f:3: expected no cycle, but task without a name waits for itself" },
		{ "2 2\n0 1 0 0\n1 1 1 1 0", "f:2: expected a time on each processor, or on none" },
	};

	(void)state;
	EXPECT_ERRORS(cases);
}

static void dot_has_nodes_edges_groups_and_defaults(void **state)
{
	(void)state;
	expect_text("/* all */ strict digraph \"a\" + \"b\" { graph [size=\"7,5\"]; rankdir=LR\n"
		    "node [duration=5]; a [label=\"first \\\"one\\\"\", kernel=k];\n"
		    "b:p:n -> {c; d [duration=1.5; priority=-2]} -> e [size=100, label=<<b>x</b>>]\n"
		    "# comment -> x\n subgraph cluster_x { node [duration=3] f; f -> a [weight=\"7\"] } // end\n"
		    "e -> g [label=12]\n"
		    "x [duration=0] -.5 [duration=\"1e3\"] x -> y [size=9]; }\n",
		    "xygraph 1\nname \"ab\"\nkernel \"k\"\nkernel \"task\"\n"
		    "data d0 100\ndata d1 100\ndata d2 100\ndata d3 100\ndata d4 7\ndata d5 12\n"
		    "task t0 \"task\" name=\"b\" us=5 w=d0,d1\ntask t1 \"task\" name=\"c\" us=5 r=d0 w=d2\n"
		    "task t2 \"task\" name=\"d\" priority=-2 us=1.5 r=d1 w=d3\n"
		    "task t3 \"task\" name=\"e\" us=5 r=d2,d3 w=d5\ntask t4 \"task\" name=\"f\" us=3 w=d4\n"
		    "task t5 \"k\" name=\"first \\\"one\\\"\" us=5 r=d4\ntask t6 \"task\" name=\"g\" us=5 r=d5\n"
		    "task t7 - name=\"x\"\ntask t8 \"task\" name=\"-.5\" us=1000\n"
		    "task t9 \"task\" name=\"y\" us=5 after=t7\n");
	expect_text("digraph { a [size=2000 weight=7 duration=9]; b [size=2000 weight=7]; c [size=2000]; d }",
		    "xygraph 1\nname \"f\"\nkernel \"task\"\ntask t0 \"task\" name=\"a\" us=9\n"
		    "task t1 \"task\" name=\"b\" us=7\ntask t2 \"task\" name=\"c\" us=2\n"
		    "task t3 \"task\" name=\"d\"\n");
}

static void dot_is_checked(void **state)
{
	static const struct wrong cases[] = {
		{ "graph { a -- b }", "f:1: expected digraph instead of \"graph\"" },
		{ "digraph x\n[", "f:2: expected { instead of \"[\"" },
		{ "digraph { a -- b }", "f:1: expected ->, as edges have a direction, instead of \"--\"" },
		{ "digraph { a -> ; }", "f:1: expected a node, an edge, an attribute or a subgraph instead of \";\"" },
		{ "digraph { a [duration=x] }", "f:1: expected a number as duration instead of \"x\"" },
		{ "digraph { a [priority=1.5] }", "f:1: expected a priority instead of \"1.5\"" },
		{ "digraph { a [=] }", "f:1: expected an attribute instead of \"=\"" },
		{ "digraph { a\n-> b", "f:2: expected } instead of the end of the file" },
		{ "digraph { } x", "f:1: expected the end of the file instead of \"x\"" },
		{ "digraph { node x }", "f:1: expected [ instead of \"x\"" },
		{ "digraph {\n\"a }", "f:2: expected a quote at the end of the name" },
		{ "digraph {\n/* }", "f:2: expected the end of the comment" },
		{ "digraph { a [label=<x] }", "f:1: expected > at the end of the name" },
		{ "digraph { ! }", "f:1: expected a name or a DOT symbol instead of \"!\"" },
		{ "digraph { a -> b\nb -> c\nc -> a }", "f:1: expected no cycle, but task a waits for itself" },
	};
	char deep[200] = "digraph {";

	(void)state;
	EXPECT_ERRORS(cases);
	memset(deep + 9, '{', 100);
	expect_errors(&(struct wrong){ deep, "f:1: expected at most 64 levels" }, 1);
}

/* A workflow with what a test puts in. */
#define WORKFLOW(tasks, files, rest) \
	"{\"name\":\"w\",\"schemaVersion\":\"1.5\",\"workflow\":{\"specification\":{\"tasks\":[" tasks \
	"],\n\"files\":[" files "]}" rest "}}"

static void wfcommons_has_tasks_files_and_times(void **state)
{
	(void)state;
	expect_text(
		WORKFLOW("{\"name\":\"merge_02\",\"id\":\"m\",\"parents\":[\"s\"],\"children\":[],"
			 "\"inputFiles\":[\"x\",\"o\",\"x\"],\"outputFiles\":[\"o\",\"o\"]},\n"
			 "{\"name\":\"split_01\",\"id\":\"s\",\"parents\":[],\"children\":[\"m\",\"z\"],"
			 "\"inputFiles\":[\"i\"],\"outputFiles\":[\"x\"]},{\"id\":\"z\",\"name\":\"stop\"},"
			 "{\"id\":\"y\",\"name\":\"look\",\"inputFiles\":[\"o\"]}",
			 "{\"id\":\"i\",\"sizeInBytes\":100},{\"id\":\"x\",\"sizeInBytes\":5e3},"
			 "{\"id\":\"o\",\"sizeInBytes\":0}",
			 ",\"execution\":{\"tasks\":[{\"id\":\"s\",\"runtimeInSeconds\":1.5,\"priority\":-2},"
			 "{\"id\":\"m\",\"runtimeInSeconds\":0.25,\"command\":{\"program\":\"cat\",\"arguments\":[]}},"
			 "{\"id\":\"z\",\"runtimeInSeconds\":0}],\"machines\":[{\"nodeName\":\"n\"}]}"),
		"xygraph 1\nname \"w\"\nkernel \"cat\"\nkernel \"split\"\nkernel \"look\"\n"
		"data d0 100 name=\"i\"\ndata d1 5000 name=\"x\"\ndata d2 0 name=\"o\"\n"
		"task t0 \"split\" name=\"s\" priority=-2 us=1500000 w=d1 r=d0\n"
		"task t1 \"cat\" name=\"m\" us=250000 rw=d2 r=d1 after=t0\n"
		"task t2 - name=\"z\" after=t0\ntask t3 \"look\" name=\"y\" r=d2 after=t1\n");
}

static void old_wfcommons_has_files_and_times_in_its_tasks(void **state)
{
	static const char expected[] = "xygraph 1\nname \"w\"\nkernel \"split\"\nkernel \"merge\"\n"
				       "data d0 100 name=\"i\"\ndata d1 5000 name=\"x\"\n"
				       "task t0 \"split\" name=\"split_01\" us=1500000 w=d1 r=d0\n"
				       "task t1 \"merge\" name=\"merge_02\" r=d1 after=t0\n";

	(void)state;
	expect_text("{\"name\":\"w\",\"schemaVersion\":\"1.3\",\"workflow\":{\"tasks\":["
		    "{\"name\":\"split_01\",\"id\":\"1\",\"runtimeInSeconds\":1.5,\"files\":["
		    "{\"link\":\"input\",\"name\":\"i\",\"sizeInBytes\":100},"
		    "{\"link\":\"output\",\"name\":\"x\",\"sizeInBytes\":5000}]},"
		    "{\"name\":\"merge_02\",\"id\":\"2\",\"parents\":[\"split_01\"],\"files\":["
		    "{\"link\":\"input\",\"name\":\"x\",\"sizeInBytes\":5000}]}]}}",
		    expected);
	/* Older still: jobs, other names of figures, and parents by id. */
	expect_text(
		"{\"name\":\"w\",\"schemaVersion\":\"1.0\",\"workflow\":{\"jobs\":["
		"{\"name\":\"split_01\",\"id\":\"1\",\"runtime\":1.5,\"files\":["
		"{\"link\":\"input\",\"name\":\"i\",\"size\":100},{\"link\":\"output\",\"name\":\"x\",\"size\":5000}]},"
		"{\"name\":\"merge_02\",\"id\":\"2\",\"parents\":[\"1\"],\"files\":["
		"{\"link\":\"input\",\"name\":\"x\",\"size\":5000}]}]}}",
		expected);
}

static void wfcommons_is_checked(void **state)
{
	static const struct wrong cases[] = {
		{ "{}", "f:1: expected an object as \"workflow\"" },
		{ "[1]", "f:1: expected an object as \"workflow\"" },
		{ "{\"workflow\":\n{\"specification\":3}}", "f:2: expected an object as \"specification\"" },
		{ WORKFLOW("{}", "", ""), "f:1: expected a text as \"id\"" },
		{ WORKFLOW("{\"id\":\"a\"}", "", ""), "f:1: expected a text as \"name\"" },
		{ WORKFLOW("{\"id\":\"a\"},{\"id\":\"a\"}", "", ""),
		  "f:1: expected a new id, but \"a\" already exists" },
		{ WORKFLOW("{\"id\":\"a\",\"name\":\"a\",\"parents\":[\"b\"]}", "", ""),
		  "f:1: expected the id of a task instead of \"b\"" },
		{ WORKFLOW("{\"id\":\"a\",\"name\":\"a\",\"outputFiles\":[\"b\"]}", "", ""),
		  "f:1: expected the id of a file instead of \"b\"" },
		{ WORKFLOW("{\"id\":\"a\",\"name\":\"a\",\"inputFiles\":{}}", "", ""),
		  "f:1: expected an array as \"inputFiles\"" },
		{ WORKFLOW("", "{\"id\":\"f\",\"sizeInBytes\":-1}", ""), "f:2: expected a number of bytes" },
		{ WORKFLOW("{\"id\":\"a\",\"name\":\"a\",\"parents\":[\"a\"]}", "", ""),
		  "f:1: expected no cycle, but task a waits for itself" },
		{ WORKFLOW("{\"id\":\"a\",\"name\":\"a\"}", "", ",\"execution\":{\"tasks\":[{\"id\":\"a\"}]}"),
		  "f:2: expected a number as \"runtimeInSeconds\"" },
	};

	(void)state;
	EXPECT_ERRORS(cases);
}

static void json_is_strict(void **state)
{
	static const struct wrong cases[] = {
		{ "{\n\"a\" 1}", "f:2: expected : instead of \"1\"" },
		{ "{\"a\":1,}", "f:1: expected a value instead of \"}\"" },
		{ "[1 2]", "f:1: expected , or ] instead of \"2\"" },
		{ "{a:1}", "f:1: expected a key in quotes instead of \"a\"" },
		{ "[01]", "f:1: expected a number instead of \"0\"" },
		{ "[1.]", "f:1: expected a number with digits behind its point instead of \"1\"" },
		{ "[1e]", "f:1: expected a number with digits in its exponent instead of \"1\"" },
		{ "[-]", "f:1: expected a number instead of \"-\"" },
		{ "[+1]", "f:1: expected a value instead of \"+\"" },
		{ "[1e999]", "f:1: expected a number that is not too large instead of \"1\"" },
		{ "[tru]", "f:1: expected a value instead of \"t\"" },
		{ "[\"a\nb\"]", "f:1: expected a quote at the end of a text instead of a control character" },
		{ "[\"a", "f:1: expected a quote at the end of a text instead of the end of the file" },
		{ "[\"\\x\"]", "f:1: expected a JSON escape instead of \"x\"" },
		{ "[\"\\u12g4\"]", "f:1: expected four hexadecimal digits instead of \"g\"" },
		{ "[\"\\u0000\"]", "f:1: expected a character instead of a zero byte" },
		{ "[\"\\udc00\"]", "f:1: expected the other half of a character instead of \"\"\"" },
		{ "[] []", "f:1: expected the end of the file instead of \"[\"" },
	};
	char deep[200] = "";

	(void)state;
	EXPECT_ERRORS(cases);
	memset(deep, '[', 100);
	expect_errors(&(struct wrong){ deep, "f:1: expected at most 64 levels" }, 1);
}

static void texts_of_json_are_utf_8(void **state)
{
	struct graph g = read_text("{\"name\":\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\\/\\t\",\"workflow\":"
				   "{\"specification\":{\"tasks\":[]}}}");

	(void)state;
	assert_string_equal(g.name, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80/\t");
	graph_fini(&g);
}

/* --- all of them --- */

static void what_is_no_graph_is_refused(void **state)
{
	struct graph g;
	char error[256];

	(void)state;
	expect_errors(
		(struct wrong[]){
			{ "", "f:1: expected \"xygraph 1\", STG, a DOT digraph, or WfCommons JSON" },
			{ "hello", "f:1: expected \"xygraph 1\", STG, a DOT digraph, or WfCommons JSON" },
		},
		2);
	assert_int_equal(graph_read_text(&g, "a\nb\0c", 5, "f", error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "f:2: expected text instead of a zero byte");
	assert_int_equal(graph_read_text(&g, "hello", 5, "f.xyg", error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "f.xyg:1: expected xygraph 1 instead of \"hello\"");
	assert_int_equal(graph_read(&g, "no/such/file", error, sizeof(error)), -ENOENT);
	assert_string_equal(error, "no/such/file: No such file or directory");
	assert_int_equal(graph_read(&g, "/", error, sizeof(error)), -EISDIR);
	assert_string_equal(error, "/: Is a directory");
	assert_int_equal(graph_open(&g, "no/such/file", error, sizeof(error)), -ENOENT);
	assert_string_equal(error, "no/such/file: No such file or directory");
	assert_int_equal(graph_open(&g, "cholesk", error, sizeof(error)), -ENOENT);
	assert_string_equal(error, "unknown graph \"cholesk\"; did you mean \"cholesky\"?");
	assert_int_equal(graph_open(&g, "chain:3", error, sizeof(error)), 0);
	assert_int_equal(g.ntasks, 3);
	graph_fini(&g);
	assert_int_equal(graph_open(&g, TEST_GRAPHS "/topcuoglu.xyg", error, sizeof(error)), 0);
	assert_int_equal(g.ntasks, 10);
	graph_fini(&g);
}

static void what_is_written_reads_the_same(void **state)
{
	static const char *const texts[] = { "cholesky:5",   "lu:4",         "qr:4",
					     "stencil:5x4",  "forkjoin:3x2", "random:layers=5:seed=9",
					     "independent:4" };

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct graph g, again;
		struct graph_edges edges, edges_again;
		char *once, *twice;

		assert_int_equal(graph_make(&g, texts[i], NULL, 0), 0);
		once = print(&g, graph_write);
		again = read_text(once);
		twice = print(&again, graph_write);
		assert_string_equal(once, twice);
		assert_memory_equal(g.accesses, again.accesses, g.naccesses * sizeof(*g.accesses));
		graph_fini(&again);
		free(once);
		once = print(&g, graph_write_dot); /* whose edges are the same, if not the data */
		again = read_text(once);
		assert_int_equal(graph_edges_init(&edges, &g), 0);
		assert_int_equal(graph_edges_init(&edges_again, &again), 0);
		assert_int_equal(edges.nedges, edges_again.nedges);
		assert_memory_equal(edges.before, edges_again.before, edges.nedges * sizeof(*edges.before));
		assert_memory_equal(edges.before_bytes, edges_again.before_bytes,
				    edges.nedges * sizeof(*edges.before_bytes));
		graph_edges_fini(&edges);
		graph_edges_fini(&edges_again);
		graph_fini(&again);
		graph_fini(&g);
		free(once);
		free(twice);
	}
}

static void a_decimal_comma_changes_nothing(void **state)
{
	static const char text[] = "xygraph 1\nname \"f\"\nkernel \"k\" us=2.5\ntask t0 \"k\" us=0.1\n";
	char *before = strdup(setlocale(LC_ALL, NULL));

	(void)state;
	if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
		free(before);
		skip();
	}
	expect_text(text, text);
	setlocale(LC_ALL, before);
	free(before);
}

static void writing_to_a_full_device_is_an_error(void **state)
{
	FILE *file = fopen("/dev/full", "w");
	struct graph g;

	(void)state;
	if (!file)
		skip();
	assert_int_equal(graph_make(&g, "chain:3", NULL, 0), 0);
	assert_int_equal(graph_write(&g, file), -EIO);
	graph_fini(&g);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_format_says_everything),
		cmocka_unit_test(own_format_is_checked),
		cmocka_unit_test(stg_comes_without_communication),
		cmocka_unit_test(stg_comes_with_communication),
		cmocka_unit_test(stg_comes_with_times_for_each_processor),
		cmocka_unit_test(stg_is_checked),
		cmocka_unit_test(dot_has_nodes_edges_groups_and_defaults),
		cmocka_unit_test(dot_is_checked),
		cmocka_unit_test(wfcommons_has_tasks_files_and_times),
		cmocka_unit_test(old_wfcommons_has_files_and_times_in_its_tasks),
		cmocka_unit_test(wfcommons_is_checked),
		cmocka_unit_test(json_is_strict),
		cmocka_unit_test(texts_of_json_are_utf_8),
		cmocka_unit_test(what_is_no_graph_is_refused),
		cmocka_unit_test(what_is_written_reads_the_same),
		cmocka_unit_test(a_decimal_comma_changes_nothing),
		cmocka_unit_test(writing_to_a_full_device_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
