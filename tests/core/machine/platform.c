/* SPDX-License-Identifier: MIT */
/* Machine files: what the shipped ones say, what a text means, and what is said about mistakes. */
#include "../../helper.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/perf/bus.h"
#include "core/perf/store.h"
#include "core/machine/platform.h"

static struct xy__platform *read_text(const char *text)
{
	struct xy__buffer problems = { 0 };
	struct xy__platform *p;

	if (xy__platform_read_text(&p, text, PERF_DATA "/a.xym", &problems))
		fail_msg("%s", problems.at);
	assert_null(problems.at);
	return p;
}

static struct xy__platform *read_shipped(const char *name)
{
	struct xy__platform *p;
	char error[512] = "";

	if (xy__platform_read(&p, name, MACHINES, error, sizeof error))
		fail_msg("%s", error);
	assert_string_equal(p->name, name);
	return p;
}

static bool is_near(double a, double b, double share)
{
	return fabs(a - b) <= share * b;
}

/* --- the shipped ones --- */

static const struct {
	const char *name;
	unsigned ncpus, ngpus, nram;
} shipped[] = {
	{ "mirage", 9, 3, 1 }, { "mirage-12", 12, 3, 1 }, { "idgraf", 4, 8, 1 },    { "attila", 9, 3, 1 },
	{ "laptop", 8, 1, 1 }, { "node-64-8", 64, 8, 2 }, { "huge", 10000, 0, 50 }, { "node-64-4", 64, 4, 2 },
};
enum { NSHIPPED = sizeof shipped / sizeof shipped[0] };

static void has_the_workers_of_every_shipped_machine(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NSHIPPED; i++) {
		struct xy__platform *p = read_shipped(shipped[i].name);
		unsigned count[XY_NARCH] = { 0 };

		for (unsigned w = 0; w < p->nworkers; w++)
			count[p->classes[p->workers[w].class].arch]++;
		assert_int_equal(count[XY_CPU], shipped[i].ncpus);
		assert_int_equal(count[XY_CUDA] + count[XY_HIP], shipped[i].ngpus);
		assert_int_equal(p->nram, shipped[i].nram);
		assert_int_equal(p->nnodes, shipped[i].nram + shipped[i].ngpus);
		xy__platform_destroy(p);
	}
}

static void can_reach_every_node_of_every_shipped_machine(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NSHIPPED; i++) {
		struct xy__platform *p = read_shipped(shipped[i].name);

		for (unsigned from = 0; from < p->nnodes; from++)
			for (unsigned to = 0; to < p->nnodes; to++) {
				const struct xy__platform_route *route = xy__platform_route(p, from, to);

				assert_int_equal(route->nlinks > 0, from != to);
				assert_true(from == to || (route->bytes_per_us > 0 && route->latency_us > 0));
			}
		xy__platform_destroy(p);
	}
}

/* Every class of every shipped machine knows these for tiles of 960. */
static void knows_the_kernels_of_the_graphs_everywhere(void **state)
{
	static const struct {
		const char *name;
		double bytes;
	} kernels[] = {
		{ "spotrf", 1 * 4 }, { "strsm", 2 * 4 },   { "ssyrk", 2 * 4 },   { "sgemm", 3 * 4 },
		{ "dgetrf", 1 * 8 }, { "dtrsm_l", 2 * 8 }, { "dtrsm_u", 2 * 8 }, { "dgemm", 3 * 8 },
		{ "sgeqrt", 2 * 4 }, { "sunmqr", 3 * 4 },  { "stsqrt", 3 * 4 },  { "stsmqr", 4 * 4 },
	};

	(void)state;
	for (unsigned i = 0; i < NSHIPPED; i++) {
		struct xy__platform *p = read_shipped(shipped[i].name);

		for (unsigned k = 0; k < sizeof kernels / sizeof kernels[0]; k++)
			for (unsigned w = 0; w<p->nworkers; w += p->nworkers> 100 ? 999 : 1) {
				struct xy_prediction time = xy__platform_kernel(p, &kernels[k], kernels[k].name,
										kernels[k].bytes * 960 * 960, w);

				assert_int_equal(time.kind, XY_PREDICTION_VALUE);
				assert_true(time.us > 100 && time.us < 1e6);
			}
		xy__platform_destroy(p);
	}
}

static void check_bus(const char *name)
{
	struct xy__platform *p = read_shipped(name);
	char *bandwidth, *latency, path[1024], error[256] = "";
	struct xy__bus bus;

	snprintf(path, sizeof path, PERF_DATA "/%s.bandwidth", name);
	assert_int_equal(xy__store_read(path, &bandwidth, NULL), 0);
	snprintf(path, sizeof path, PERF_DATA "/%s.latency", name);
	assert_int_equal(xy__store_read(path, &latency, NULL), 0);
	assert_int_equal(xy__bus_read_starpu(&bus, bandwidth, latency, error, sizeof error), 0);
	assert_true(bus.nnodes >= p->nnodes);
	for (unsigned from = 0; from < p->nnodes; from++)
		for (unsigned to = 0; to < p->nnodes; to++) {
			const struct xy__platform_route *route = xy__platform_route(p, from, to);
			const struct xy__link *link = xy__bus_link(&bus, from, to);

			assert_true(from == to || is_near(route->bytes_per_us, link->mb_per_s, 1e-5));
			assert_true(from == to || is_near(route->latency_us, link->latency_us, 1e-3));
		}
	free(bandwidth);
	free(latency);
	xy__bus_fini(&bus);
	xy__platform_destroy(p);
}

static void has_the_bus_that_was_measured(void **state)
{
	(void)state;
	check_bus("mirage");
	check_bus("idgraf");
	check_bus("attila");
}

/* The files say the mean over the devices, the model the mean over all measurements. */
static void check_kernel(struct xy__platform *p, const char *kernel, const char *model, double least)
{
	struct xy__model_file file;
	char path[1024], error[256] = "";
	unsigned compared = 0;

	snprintf(path, sizeof path, PERF_DATA "/%s", model);
	assert_int_equal(xy__store_load_path(path, &file, error, sizeof error), 0);
	for (unsigned i = 0; i < file.nrows; i++) {
		unsigned worker = file.rows[i].arch == XY_CPU ? 0 : p->nworkers - 1;
		struct xy_prediction time = xy__platform_kernel(p, kernel, kernel, file.rows[i].size, worker);

		if (file.rows[i].size < least)
			continue;
		assert_int_equal(time.kind, XY_PREDICTION_VALUE);
		assert_true(is_near(time.us, file.rows[i].mean, file.rows[i].arch == XY_CPU ? 1e-5 : 0.02));
		compared++;
	}
	assert_int_equal(compared, 6);
	xy__model_file_fini(&file);
}

static void has_the_kernels_that_were_measured(void **state)
{
	struct xy__platform *p = read_shipped("mirage");

	(void)state;
	check_kernel(p, "spotrf", "chol_model_potrf.mirage", 5000);
	check_kernel(p, "strsm", "chol_model_trsm.mirage", 10000);
	check_kernel(p, "ssyrk", "chol_model_syrk.mirage", 10000);
	check_kernel(p, "sgemm", "chol_model_gemm.mirage", 15000);
	check_kernel(p, "dgetrf", "starpu_dlu_lu_model_getrf.mirage", 0);
	xy__platform_destroy(p);
	p = read_shipped("idgraf");
	check_kernel(p, "dgemm", "starpu_dlu_lu_model_gemm.idgraf", 0);
	xy__platform_destroy(p);
}

static bool shares(const struct xy__platform *p, const unsigned a[2], const unsigned b[2])
{
	const struct xy__platform_route *x = xy__platform_route(p, a[0], a[1]), *y = xy__platform_route(p, b[0], b[1]);

	for (unsigned i = 0; i < x->nlinks; i++)
		for (unsigned k = 0; k < y->nlinks; k++)
			if (x->links[i] == y->links[k])
				return true;
	return false;
}

static void shares_the_link_of_a_switch(void **state)
{
	struct xy__platform *p = read_shipped("idgraf");

	(void)state;
	assert_true(shares(p, (unsigned[]){ 0, 1 }, (unsigned[]){ 0, 2 }));
	assert_false(shares(p, (unsigned[]){ 0, 1 }, (unsigned[]){ 2, 0 }));
	assert_false(shares(p, (unsigned[]){ 0, 1 }, (unsigned[]){ 0, 3 }));
	assert_true(shares(p, (unsigned[]){ 1, 5 }, (unsigned[]){ 4, 8 }));
	assert_false(shares(p, (unsigned[]){ 1, 2 }, (unsigned[]){ 0, 2 }) &&
		     shares(p, (unsigned[]){ 1, 2 }, (unsigned[]){ 2, 0 }));
	xy__platform_destroy(p);
}

/* --- machines --- */

static void numbers_the_machine_as_the_platform(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NSHIPPED; i++) {
		struct xy__platform *p = read_shipped(shipped[i].name);
		struct xy_machine *m;

		assert_int_equal(xy__platform_machine(p, &m), 0);
		assert_false(xy_machine_is_here(m));
		assert_int_equal(xy_machine_ncores(m), 0);
		assert_int_equal(xy_machine_nworkers(m), p->nworkers);
		assert_int_equal(xy_machine_nnodes(m), p->nnodes);
		for (unsigned w = 0; w < p->nworkers; w++) {
			const struct xy_worker_info *info = xy_machine_worker(m, w);
			const struct xy__platform_class *class = &p->classes[p->workers[w].class];

			assert_int_equal(info->arch, class->arch);
			assert_true(info->speed == class->speed);
			assert_int_equal(info->node, p->workers[w].node);
			assert_int_equal(info->device, p->nodes[info->node].device);
			assert_int_equal(info->pu, -1);
		}
		for (unsigned n = 0; n < p->nnodes; n++) {
			const struct xy_node_info *info = xy_machine_node(m, n);

			assert_string_equal(info->name, p->nodes[n].name);
			assert_string_equal(info->title, p->nodes[n].title);
			assert_int_equal(info->arch, p->nodes[n].arch);
			assert_int_equal(info->device, p->nodes[n].device);
			assert_true(info->memory_bytes == p->nodes[n].memory_bytes);
		}
		xy_machine_destroy(m);
		xy__platform_destroy(p);
	}
}

static void orders_devices_by_architecture(void **state)
{
	struct xy__platform *p = read_text("machine m\n"
					   "devices 1 o workers 2\n"
					   "devices 1 big memory 2G title  A large one \n"
					   "devices 1 small memory 1.5x512M\n"
					   "class o opencl speed 3\nclass big cuda\nclass small cuda speed 2\n");
	struct xy_machine *m;

	(void)state;
	assert_int_equal(p->nworkers, 4);
	assert_int_equal(p->nnodes, 4);
	assert_int_equal(xy__platform_machine(p, &m), 0);
	assert_string_equal(xy_machine_worker(m, 0)->name, "cuda0");
	assert_string_equal(xy_machine_worker(m, 1)->name, "cuda1");
	assert_string_equal(xy_machine_worker(m, 3)->name, "opencl1");
	assert_int_equal(xy_machine_worker(m, 3)->node, 3);
	assert_string_equal(xy_machine_node(m, 1)->title, "A large one");
	assert_true(xy_machine_node(m, 1)->memory_bytes == 2ull << 30);
	assert_true(xy_machine_node(m, 2)->memory_bytes == 768ull << 20);
	assert_true(xy_machine_worker(m, 1)->speed == 2);
	assert_int_equal(xy_machine_distance(m, 2, 3), 1);
	xy_machine_destroy(m);
	xy__platform_destroy(p);
}

static void puts_workers_on_the_cores_in_turn(void **state)
{
	struct xy__platform *p = read_text("machine m\ntopology numa:2 core:2\nclass a cpu\nclass b cpu speed 2\n"
					   "workers 3 a\nworkers 2 b\nram 1G");
	static const unsigned nodes[] = { 0, 0, 1, 1, 0 }, classes[] = { 0, 0, 0, 1, 1 };
	struct xy_machine *m;

	(void)state;
	assert_int_equal(xy__platform_machine(p, &m), 0);
	for (unsigned w = 0; w < 5; w++) {
		assert_int_equal(p->workers[w].node, nodes[w]);
		assert_int_equal(p->workers[w].class, classes[w]);
		assert_int_equal(xy_machine_worker(m, w)->node, nodes[w]);
		assert_true(xy_machine_worker(m, w)->speed == classes[w] + 1.0);
	}
	assert_true(xy_machine_node(m, 1)->memory_bytes == 1ull << 30);
	assert_true(xy_machine_distance(m, 0, 1) < xy_machine_distance(m, 0, 2));
	assert_int_equal(xy_machine_distance(m, 0, 4), 1);
	xy_machine_destroy(m);
	xy__platform_destroy(p);
}

static void makes_ten_thousand_workers_at_once(void **state)
{
	clock_t begin = clock();
	struct xy__platform *p = read_shipped("huge");
	struct xy_machine *m;

	(void)state;
	assert_int_equal(xy__platform_machine(p, &m), 0);
	assert_true(clock() - begin < 10 * CLOCKS_PER_SEC);
	xy_machine_destroy(m);
	xy__platform_destroy(p);
}

/* --- routes --- */

#define TWO_GPUS \
	"machine m\nclass c cpu\nclass g cuda\nworkers 1 c\ndevices 2 g\nlink x 1us 6GB/s\n" \
	"link y 2ms 500KB/s\n"

static void sums_latencies_and_takes_the_slowest_link(void **state)
{
	struct xy__platform *p = read_text(TWO_GPUS "route ram0 -> cuda0 via x y\n"
						    "route cuda0 -> ram0 via y x latency 3us bandwidth 0.4MB/s");
	const struct xy__platform_route *route = xy__platform_route(p, 0, 1);

	(void)state;
	assert_int_equal(route->nlinks, 2);
	assert_true(route->latency_us == 2001 && route->bytes_per_us == 0.5);
	assert_string_equal(p->links[route->links[1]].name, "y");
	route = xy__platform_route(p, 1, 0);
	assert_true(route->latency_us == 3 && route->bytes_per_us == 0.4);
	assert_string_equal(p->links[route->links[0]].name, "y");
	assert_int_equal(xy__platform_route(p, 1, 2)->nlinks, 0);
	assert_int_equal(xy__platform_route(p, 0, 0)->nlinks, 0);
	xy__platform_destroy(p);
}

static void lets_a_route_go_before_one_for_many(void **state)
{
	struct xy__platform *p = read_text(TWO_GPUS "route cuda0 -> cuda1 via y\nroute * <-> cuda* via x\n"
						    "route ram0 <-> cuda1 via y\n");
	static const bool slow[3][3] = { { false, false, true }, { false, false, true }, { true, false, false } };

	(void)state;
	for (unsigned from = 0; from < 3; from++)
		for (unsigned to = 0; to < 3; to++)
			if (from != to)
				assert_true(xy__platform_route(p, from, to)->bytes_per_us ==
					    (slow[from][to] ? 0.5 : 6000));
	xy__platform_destroy(p);
}

/* --- kernels --- */

#define ONE_CLASS "machine m\nclass c cpu\nclass g cuda\nworkers 1 c\ndevices 1 g\n"

static void interpolates_between_two_sizes(void **state)
{
	struct xy__platform *p = read_text(ONE_CLASS "kernel k 4x100 c 1ms\nkernel k 100 c 0.125ms g 3us\n"
						     "kernel k 6400 c 2s\n");
	static const struct {
		double bytes, us;
	} known[] = { { 100, 125 }, { 400, 1000 }, { 200, 353.5534 }, { 6400, 2e6 }, { 1600, 44721.36 } };
	struct xy_prediction time;

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof known / sizeof known[0]; i++) {
		time = xy__platform_kernel(p, p, "k", known[i / 2].bytes, 0);
		assert_int_equal(time.kind, XY_PREDICTION_VALUE);
		assert_true(is_near(time.us, known[i / 2].us, 1e-6));
	}
	assert_int_equal(xy__platform_kernel(p, p, "k", 99, 0).kind, XY_PREDICTION_UNKNOWN);
	assert_int_equal(xy__platform_kernel(p, p, "k", 6401, 0).kind, XY_PREDICTION_UNKNOWN);
	assert_int_equal(xy__platform_kernel(p, p, "k", 400, 1).kind, XY_PREDICTION_UNKNOWN);
	assert_true(xy__platform_kernel(p, p, "k", 100, 1).us == 3);
	assert_int_equal(xy__platform_kernel(p, state, "other", 100, 0).kind, XY_PREDICTION_NONE);
	xy__platform_destroy(p);
}

static void remembers_no_wrong_answer(void **state)
{
	struct xy__platform *p = read_text(ONE_CLASS "kernel a 1 c 1us\nkernel a 1000000 c 1s\n"
						     "kernel b 1 c 2us\nkernel b 1000000 c 2s\n");
	static const char *const names[] = { "a", "b" };

	(void)state;
	for (unsigned i = 0; i < 200000; i++) {
		unsigned which = i % 2, bytes = 1 + i * 7919u % 1000000;
		struct xy_prediction time = xy__platform_kernel(p, &names[which], names[which], bytes, 0);

		assert_true(is_near(time.us, (which + 1.0) * bytes, 1e-9));
	}
	xy__platform_destroy(p);
}

static void lists_kernels_and_what_is_known_of_them(void **state)
{
	struct xy__platform *p = read_text(ONE_CLASS "kernel z 2K c 1ns\nkernel a 8 g 2us c 1us\nkernel a 4 c 1us\n");
	const struct xy__platform_point *points;

	(void)state;
	assert_int_equal(xy__platform_nkernels(p), 2);
	assert_string_equal(xy__platform_kernel_name(p, 0), "a");
	assert_int_equal(xy__platform_points(p, 0, 0, &points), 2);
	assert_true(points[0].bytes == 4 && points[1].bytes == 8);
	assert_int_equal(xy__platform_points(p, 0, 1, &points), 1);
	assert_int_equal(xy__platform_points(p, 1, 1, &points), 0);
	assert_int_equal(xy__platform_points(p, 1, 0, &points), 1);
	assert_true(points[0].bytes == 2048 && points[0].us == 1e-3);
	xy__platform_destroy(p);
}

/* --- models --- */

static void takes_durations_from_model_files(void **state)
{
	struct xy__platform *p = read_text(ONE_CLASS "models . mirage sgemm=chol_model_gemm\nkernel sgemm 1 c 1us\n"
						     "models . idgraf dgemm=starpu_dlu_lu_model_gemm");
	struct xy_prediction time = xy__platform_kernel(p, p, "sgemm", 3 * 960 * 960 * 4, 0);

	(void)state;
	assert_int_equal(xy__platform_nkernels(p), 2);
	assert_true(is_near(time.us, 87780.2, 1e-6));
	assert_int_equal(time.samples, 3292);
	assert_true(time.spread > 100);
	time = xy__platform_kernel(p, state, "dgemm", 3 * 960 * 960 * 8, 1);
	assert_int_equal(time.kind, XY_PREDICTION_VALUE);
	xy__platform_destroy(p);
	p = read_text(ONE_CLASS "models . mirage\n");
	assert_true(xy__platform_nkernels(p) >= 6);
	assert_int_equal(xy__platform_kernel(p, p, "chol_model_gemm", 3 * 960 * 960 * 4, 1).kind, XY_PREDICTION_VALUE);
	xy__platform_destroy(p);
}

/* Puts a model of our own into a folder: two sizes on CPUs, the larger with two implementations and two footprints. */
static void write_model(const char *folder)
{
	static const struct xy__row rows[] = {
		{ .footprint = 1, .size = 100, .median = 9, .mean = 10, .deviation = 1, .samples = 20 },
		{ .footprint = 2, .size = 400, .median = 9, .mean = 90, .deviation = 1, .samples = 20 },
		{ .footprint = 2,
		  .size = 400,
		  .median = 9,
		  .mean = 40,
		  .deviation = 1,
		  .samples = 20,
		  .implementation = 1 },
		{ .footprint = 3,
		  .size = 400,
		  .median = 9,
		  .mean = 70,
		  .deviation = 1,
		  .samples = 10,
		  .implementation = 1 },
	};
	struct xy__store store = { .folder = folder, .host = "here" };
	struct xy__model_file file = { .name = "scale", .host = "here", .kind = XY_MODEL_HISTORY };
	struct xy__buffer text = { 0 };
	char model[XY__STORE_PATH];

	for (unsigned i = 0; i < HELPER_COUNT(rows); i++)
		*xy__model_file_add(&file) = rows[i];
	xy__model_file_print(&file, &text);
	assert_true(xy__store_path(&store, "scale", ".model", model));
	assert_int_equal(xy__store_replace(&store, model, &text), 0);
	xy__model_file_fini(&file);
	xy__buffer_fini(&text);
}

static void takes_the_fastest_implementation_of_our_own_models(void **state)
{
	char folder[] = "/tmp/xylem-platform-XXXXXX", text[512], command[64];
	struct xy__platform *p;

	(void)state;
	assert_non_null(mkdtemp(folder));
	write_model(folder);
	snprintf(text, sizeof text, ONE_CLASS "models %s here double=scale\nmodels %s here\n", folder, folder);
	p = read_text(text);
	assert_int_equal(xy__platform_nkernels(p), 2);
	for (unsigned i = 0; i < 2; i++) {
		const char *name = xy__platform_kernel_name(p, i);
		struct xy_prediction time = xy__platform_kernel(p, name, name, 400, 0);

		assert_string_equal(name, i ? "scale" : "double");
		assert_true(is_near(time.us, 50, 1e-9));
		assert_int_equal(time.samples, 30);
		assert_true(is_near(xy__platform_kernel(p, name, name, 100, 0).us, 10, 1e-9));
		assert_int_equal(xy__platform_kernel(p, name, name, 100, 1).kind, XY_PREDICTION_UNKNOWN);
	}
	xy__platform_destroy(p);
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void leaves_out_a_model_file_that_is_malformed(void **state)
{
	char folder[] = "/tmp/xylem-platform-XXXXXX", text[512], command[128], path[64];
	struct xy__buffer problems = { 0 };
	struct xy__platform *p;

	(void)state;
	assert_non_null(mkdtemp(folder));
	write_model(folder);
	snprintf(command, sizeof command, "echo 45 >%s/bad.here; echo words >>%s/bad.here", folder, folder);
	assert_int_equal(system(command), 0);
	snprintf(text, sizeof text, ONE_CLASS "models %s here\n", folder);
	snprintf(path, sizeof path, "%s/bad.here: line 2: ", folder);
	assert_int_equal(xy__platform_read_text(&p, text, "m", &problems), 0);
	assert_int_equal(xy__platform_nkernels(p), 1);
	assert_non_null(strstr(problems.at, path));
	assert_non_null(strstr(problems.at, "; skipped\n"));
	xy__platform_destroy(p);
	xy__buffer_fini(&problems);
	/* Asked for by name, it is an error. */
	snprintf(text, sizeof text, ONE_CLASS "models %s here k=bad\n", folder);
	assert_int_equal(xy__platform_read_text(&p, text, "m", NULL), -EINVAL);
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

/* What a kernel line says goes before a model, wherever it stands. */
static void believes_the_machine_file_first(void **state)
{
	struct xy__platform *p = read_text(ONE_CLASS "models . mirage sgemm=chol_model_gemm\n"
						     "kernel sgemm 3x960x960x4 c 1us\n");

	(void)state;
	assert_true(xy__platform_kernel(p, p, "sgemm", 3 * 960 * 960 * 4, 0).us == 1);
	assert_true(xy__platform_kernel(p, p, "sgemm", 3 * 640 * 640 * 4, 0).us > 20000);
	xy__platform_destroy(p);
}

/* --- mistakes --- */

static const struct {
	const char *text, *message;
} wrong[] = {
	{ "", "line 1: the machine has no name" },
	{ "machine m\nclass c cpu\n", "a machine needs a worker" },
	{ "machine a b", "line 1: unexpected word \"b\"" },
	{ "machine a\nmachine b", "line 2: the machine has a name already" },
	{ "machine a/b", "line 1: \"a/b\" is no name" },
	{ "machine", "line 1: expected a machine at the end of the line" },
	{ "\n# nothing\nmachin m", "line 3: no kind of line \"machin\"; did you mean \"machine\"?" },
	{ "class c gpu", "no architecture \"gpu\"; " },
	{ "class c cpu speed", "expected a speed relative" },
	{ "class c cpu speed 0", "expected a speed relative" },
	{ "class c cpu fast 2", "expected speed and a number, not \"fast\"" },
	{ "class c cpu\nclass c cuda", "line 2: there is a class \"c\" already" },
	{ "class averyveryverylongname cpu", "is too long: a class has at most 15 characters" },
	{ "class c cpu\nworkers 0 c", "line 2: \"0\" is not a number of workers" },
	{ "class c cpu\nworkers two c", "\"two\" is not a number of workers: a whole number from 1 to 100000" },
	{ "class cores cpu\nworkers 2 core", "line 2: no class \"core\"; did you mean \"cores\"?" },
	{ "class c cpu\ndevices 2 c", "line 2: \"c\" is a class of CPUs: write \"workers 2 c\"" },
	{ "class g cuda\nworkers 2 g", "line 2: \"g\" is a class of devices: write \"devices 2 g\"" },
	{ "class g cuda\ndevices 2 g memory 2T", "\"2T\" is not a size of memory: bytes, such as" },
	{ "class g cuda\ndevices 2 g titel x", "expected workers, memory or title, not \"titel\"" },
	{ "class g cuda\ndevices 64 g", "\"64\" is not a number of devices: a whole number from 1 to 63" },
	{ "machine m\nclass g cuda\ndevices 60 g\ndevices 4 g", "line 4: too many memory nodes" },
	{ "machine m\nclass c cpu\nworkers 99 c\ntopology numa:99 core:1", "line 4: the topology has 99 memory nodes" },
	{ "machine m\nclass c cpu\nworkers 9 c\ntopology numa:2 cor:1", "line 4: in the topology, at \"cor:1\": " },
	{ "topology core:1\ntopology core:2", "line 2: there is a topology already, in line 1" },
	{ "ram 1G\nram 1G", "line 2: the size of main memory is already given" },
	{ "ram 1Gx", "\"1Gx\" is not the size" },
	{ "ram 0", "\"0\" is not the size" },
	{ "link l 1 1GB/s", "\"1\" is not the latency of a link: a number with ns, us, ms or s right behind it" },
	{ "link l 1us 1GB", "\"1GB\" is not the bandwidth of a link" },
	{ "link l 1us 0GB/s", "\"0GB/s\" is not the bandwidth of a link" },
	{ "link l 1us 1GB/s\nlink l 1us 1GB/s", "line 2: there is a link \"l\" already" },
	{ TWO_GPUS "route ram0 -> cuda2 via x", "line 8: no memory node \"cuda2\"; did you mean \"cuda0\"" },
	{ TWO_GPUS "route ram0 cuda0 via x", "line 8: expected -> or <-> between two nodes, not \"cuda0\"" },
	{ TWO_GPUS "route ram0 -> cuda0 x", "line 8: expected via and links, not \"x\"" },
	{ TWO_GPUS "route ram0 -> cuda0 via", "line 8: a route needs a link after via" },
	{ TWO_GPUS "route ram0 -> cuda0 via z", "line 8: no link \"z\"; there is \"x\", \"y\"" },
	{ TWO_GPUS "route ram0 -> cuda0 via x x", "line 8: the link \"x\" is named twice" },
	{ TWO_GPUS "route ram0 -> ram* via x", "line 8: a route must connect two different memory nodes" },
	{ TWO_GPUS "route ram0 -> cuda0 via x bandwidth 7GB/s", "faster than its link \"x\", which has 6000MB/s" },
	{ TWO_GPUS "route ram0 -> cuda0 via x\nroute ram0 <-> cuda0 via x", "line 9: there is a route from ram0" },
	{ ONE_CLASS "kernel k", "line 6: expected the size of all data of a task at the end of the line" },
	{ ONE_CLASS "kernel k 100", "line 6: expected a class of workers" },
	{ ONE_CLASS "kernel k 100 c", "line 6: expected the time of a kernel" },
	{ ONE_CLASS "kernel k 100 c 0us", "line 6: the time of a kernel must be above 0" },
	{ ONE_CLASS "kernel k 100 c 1us c 1us", "line 6: the time of k on c with 100 bytes is already given" },
	{ ONE_CLASS "models . nobody", "line 6: the folder " PERF_DATA "/. has no readable model" },
	{ ONE_CLASS "models ./none mirage", "line 6: the folder " PERF_DATA "/./none can't be read: No such file" },
	{ ONE_CLASS "models . mirage k=none", "line 6: no model file " PERF_DATA "/./none.mirage" },
	{ ONE_CLASS "models . mirage k", "line 6: expected KERNEL=MODEL, not \"k\"" },
	{ ONE_CLASS "models . bandwidth k=mirage", "line 6: " PERF_DATA "/./mirage.bandwidth: line " },
};

static void says_what_is_wrong_and_where(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct xy__buffer problems = { 0 };
		struct xy__platform *p = (void *)state;

		assert_int_equal(xy__platform_read_text(&p, wrong[i].text, PERF_DATA "/a.xym", &problems), -EINVAL);
		assert_null(p);
		if (!strstr(problems.at, wrong[i].message))
			fail_msg("\"%s\" says: %s", wrong[i].text, problems.at);
		assert_int_equal(strncmp(problems.at, PERF_DATA "/a.xym, line ", strlen(PERF_DATA "/a.xym, line ")), 0);
		xy__buffer_fini(&problems);
	}
}

static void says_everything_that_is_wrong(void **state)
{
	struct xy__buffer problems = { 0 };
	struct xy__platform *p;

	(void)state;
	assert_int_equal(xy__platform_read_text(&p, "kernel k 1 c\nclass c cpu sped 1\nworkers 3 c\nlinc\nmachine m\n",
						"f", &problems),
			 -EINVAL);
	assert_string_equal(problems.at, "f, line 1: expected the time of a kernel at the end of the line\n"
					 "f, line 2: expected speed and a number, not \"sped\"\n"
					 "f, line 4: no kind of line \"linc\"; did you mean \"link\"?\n");
	xy__buffer_fini(&problems);
}

static void refuses_a_line_without_end(void **state)
{
	struct xy__buffer problems = { 0 };
	char text[3000] = "machine m\nclass c cpu\nworkers 1 c\n";
	struct xy__platform *p;

	(void)state;
	memset(text + strlen(text), 'x', 2000);
	assert_int_equal(xy__platform_read_text(&p, text, "f", &problems), -EINVAL);
	assert_non_null(strstr(problems.at, "f, line 4: this line is too long: at most 1023 characters"));
	xy__buffer_fini(&problems);
}

static void finds_machines_by_name_and_by_path(void **state)
{
	struct xy__buffer names = { 0 };
	struct xy__platform *p;
	char error[512];

	(void)state;
	assert_int_equal(xy__platform_read(&p, MACHINES "/attila.xym", NULL, error, sizeof error), 0);
	xy__platform_destroy(p);
	assert_int_equal(xy__platform_read(&p, "attila", "/nowhere::" PERF_DATA ":" MACHINES, error, sizeof error), 0);
	xy__platform_destroy(p);
	assert_int_equal(xy__platform_read(&p, "atila", MACHINES, error, sizeof error), -ENOENT);
	assert_string_equal(error, "no machine \"atila\"; did you mean \"attila\"?");
	assert_int_equal(xy__platform_read(&p, "zzzzzzzz", MACHINES, error, sizeof error), -ENOENT);
	assert_non_null(strstr(error, "XYLEM_MACHINES"));
	assert_int_equal(xy__platform_read(&p, "./none.xym", MACHINES, error, sizeof error), -ENOENT);
	assert_string_equal(error, "./none.xym: No such file or directory");
	assert_int_equal(xy__platform_read(&p, MACHINES "/", MACHINES, NULL, 0), -EFBIG);
	assert_null(p);
	xy__platform_list(MACHINES, &names);
	assert_non_null(strstr(names.at, "mirage-12\nmirage\n"));
	xy__buffer_fini(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_the_workers_of_every_shipped_machine),
		cmocka_unit_test(can_reach_every_node_of_every_shipped_machine),
		cmocka_unit_test(knows_the_kernels_of_the_graphs_everywhere),
		cmocka_unit_test(has_the_bus_that_was_measured),
		cmocka_unit_test(has_the_kernels_that_were_measured),
		cmocka_unit_test(shares_the_link_of_a_switch),
		cmocka_unit_test(numbers_the_machine_as_the_platform),
		cmocka_unit_test(orders_devices_by_architecture),
		cmocka_unit_test(puts_workers_on_the_cores_in_turn),
		cmocka_unit_test(makes_ten_thousand_workers_at_once),
		cmocka_unit_test(sums_latencies_and_takes_the_slowest_link),
		cmocka_unit_test(lets_a_route_go_before_one_for_many),
		cmocka_unit_test(interpolates_between_two_sizes),
		cmocka_unit_test(remembers_no_wrong_answer),
		cmocka_unit_test(lists_kernels_and_what_is_known_of_them),
		cmocka_unit_test(takes_durations_from_model_files),
		cmocka_unit_test(takes_the_fastest_implementation_of_our_own_models),
		cmocka_unit_test(leaves_out_a_model_file_that_is_malformed),
		cmocka_unit_test(believes_the_machine_file_first),
		cmocka_unit_test(says_what_is_wrong_and_where),
		cmocka_unit_test(says_everything_that_is_wrong),
		cmocka_unit_test(refuses_a_line_without_end),
		cmocka_unit_test(finds_machines_by_name_and_by_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
