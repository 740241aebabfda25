/* SPDX-License-Identifier: MIT */
/* Topologies from /sys, from hwloc and from text: what cores there are and what they share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <ftw.h>
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/machine/topology.h"

/* --- helpers --- */

/* Depth of the nearest place that two cores share. */
static unsigned common(const struct xy__topology *t, unsigned a, unsigned b)
{
	unsigned x = xy__topology_core(t, a)->place, y = xy__topology_core(t, b)->place;

	while (x != y)
		if (t->places[x].depth >= t->places[y].depth)
			x = t->places[x].parent;
		else
			y = t->places[y].parent;
	return t->places[x].depth;
}

/* A folder that looks like /sys, filled file by file. */
static char fake[] = "/tmp/xylem-sys-XXXXXX";

static int fake_remove(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static int fake_begin(void **state)
{
	(void)state;
	strcpy(fake + strlen(fake) - 6, "XXXXXX");
	return mkdtemp(fake) ? 0 : -1;
}

static int fake_end(void **state)
{
	(void)state;
	return nftw(fake, fake_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static void fake_file(const char *content, const char *format, ...)
{
	char path[PATH_MAX], name[256];
	va_list args;
	FILE *file;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	snprintf(path, sizeof(path), "%s/devices/system/%s", fake, name);
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(path, 0700))
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", content);
	fclose(file);
}

static int fake_read(struct xy__topology *t, uint64_t mask)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned pu = 0; pu < 64; pu++)
		if (mask >> pu & 1)
			CPU_SET(pu, &set);
	return xy__topology_of_sys(t, fake, &set, sizeof(set));
}

/* Two packages of two cores with two threads each; the second threads are numbered after all first
 * ones, as many firmwares do: core i has processors i and i + 4, packages are {0, 2} and {1, 3}. */
static void fake_two_packages(void)
{
	for (unsigned pu = 0; pu < 8; pu++) {
		char core[16];

		snprintf(core, sizeof(core), "%u,%u", pu % 4, pu % 4 + 4);
		fake_file(core, "cpu/cpu%u/topology/core_cpus_list", pu);
		fake_file(core, "cpu/cpu%u/cache/index2/shared_cpu_list", pu);
		fake_file(pu % 2 ? "1,3,5,7" : "0,2,4,6", "cpu/cpu%u/topology/package_cpus_list", pu);
		fake_file(pu % 2 ? "1,3,5,7" : "0,2,4,6", "cpu/cpu%u/cache/index3/shared_cpu_list", pu);
	}
	fake_file("0-1", "node/online");
	fake_file("0,2,4,6", "node/node0/cpulist");
	fake_file("1,3,5,7", "node/node1/cpulist");
}

/* --- /sys --- */

static void reads_cores_packages_and_nodes_from_sys(void **state)
{
	static const int pus[4] = { 0, 2, 1, 3 };
	struct xy__topology t;

	(void)state;
	fake_two_packages();
	assert_int_equal(fake_read(&t, 0xff), 0);
	assert_int_equal(t.ncores, 4);
	assert_int_equal(t.nnodes, 2);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(xy__topology_core(&t, i)->pu, pus[i]);
		assert_int_equal(xy__topology_core(&t, i)->node, i / 2);
	}
	assert_int_equal(t.depth, 2);
	assert_int_equal(t.nplaces, 1 + 2 + 4);
	assert_int_equal(common(&t, 0, 1), 1);
	assert_int_equal(common(&t, 2, 3), 1);
	assert_int_equal(common(&t, 1, 2), 0);
	xy__topology_fini(&t);
}

static void takes_only_processors_of_the_set(void **state)
{
	struct xy__topology t;

	(void)state;
	fake_two_packages();
	assert_int_equal(fake_read(&t, 1 << 4 | 1 << 5 | 1 << 1 | 1 << 7), 0);
	assert_int_equal(t.ncores, 3);
	assert_int_equal(t.nnodes, 2);
	/* The package of core 1 is met first. */
	assert_int_equal(xy__topology_core(&t, 0)->pu, 1);
	assert_int_equal(xy__topology_core(&t, 1)->pu, 7);
	assert_int_equal(xy__topology_core(&t, 2)->pu, 4);
	assert_int_equal(xy__topology_core(&t, 2)->node, 1);
	assert_int_equal(common(&t, 0, 1), 1);
	assert_int_equal(common(&t, 0, 2), 0);
	xy__topology_fini(&t);
	assert_int_equal(fake_read(&t, 1 << 6), 0);
	assert_int_equal(t.ncores, 1);
	assert_int_equal(t.nnodes, 1);
	assert_int_equal(t.depth, 1);
	xy__topology_fini(&t);
}

static void puts_levels_in_order_of_size(void **state)
{
	struct xy__topology t;

	(void)state;
	/* One package of eight cores, two memory nodes in it, and a cache for each pair. */
	for (unsigned pu = 0; pu < 8; pu++) {
		char text[16];

		snprintf(text, sizeof(text), "%u", pu);
		fake_file(text, "cpu/cpu%u/topology/core_cpus_list", pu);
		fake_file("0-7", "cpu/cpu%u/topology/package_cpus_list", pu);
		snprintf(text, sizeof(text), "%u-%u", pu / 2 * 2, pu / 2 * 2 + 1);
		fake_file(text, "cpu/cpu%u/cache/index2/shared_cpu_list", pu);
	}
	fake_file("0-1", "node/online");
	fake_file("0-3", "node/node0/cpulist");
	fake_file("4-7", "node/node1/cpulist");
	assert_int_equal(fake_read(&t, 0xff), 0);
	assert_int_equal(t.ncores, 8);
	assert_int_equal(t.depth, 3);
	assert_int_equal(common(&t, 0, 1), 2);
	assert_int_equal(common(&t, 1, 2), 1);
	assert_int_equal(common(&t, 3, 4), 0);
	xy__topology_fini(&t);
}

static void leaves_out_a_level_that_cuts_across(void **state)
{
	static const char *const caches[4] = { "0", "1-2", "1-2", "3" };
	struct xy__topology t;

	(void)state;
	for (unsigned pu = 0; pu < 4; pu++) {
		char core[16];

		snprintf(core, sizeof(core), "%u", pu);
		fake_file(core, "cpu/cpu%u/topology/core_cpus_list", pu);
		fake_file(pu < 2 ? "0-1" : "2-3", "cpu/cpu%u/topology/package_cpus_list", pu);
		fake_file(caches[pu], "cpu/cpu%u/cache/index3/shared_cpu_list", pu);
	}
	assert_int_equal(fake_read(&t, 0xf), 0);
	assert_int_equal(t.depth, 2);
	assert_int_equal(common(&t, 0, 1), 1);
	assert_int_equal(common(&t, 1, 2), 0);
	assert_int_equal(common(&t, 2, 3), 1);
	assert_int_equal(t.nnodes, 1);
	xy__topology_fini(&t);
}

static void reads_the_names_of_older_kernels(void **state)
{
	struct xy__topology t;

	(void)state;
	for (unsigned pu = 0; pu < 4; pu++) {
		fake_file(pu < 2 ? "0-1" : "2-3", "cpu/cpu%u/topology/thread_siblings_list", pu);
		fake_file("0-3", "cpu/cpu%u/topology/core_siblings_list", pu);
	}
	assert_int_equal(fake_read(&t, 0xf), 0);
	assert_int_equal(t.ncores, 2);
	assert_int_equal(xy__topology_core(&t, 1)->pu, 2);
	xy__topology_fini(&t);
}

static void survives_odd_lists(void **state)
{
	struct xy__topology t;

	(void)state;
	fake_file("0-99999999999", "cpu/cpu0/topology/core_cpus_list");
	assert_int_equal(fake_read(&t, 3), 0);
	assert_int_equal(t.ncores, 1);
	xy__topology_fini(&t);
	fake_file("banana", "cpu/cpu0/topology/core_cpus_list");
	fake_file("5-", "cpu/cpu1/topology/core_cpus_list");
	fake_file("3-1,,7", "cpu/cpu0/topology/package_cpus_list");
	fake_file("0-70000", "node/online");
	fake_file("4000000000-1", "node/node0/cpulist");
	assert_int_equal(fake_read(&t, 3), 0);
	assert_int_equal(t.ncores, 2);
	assert_int_equal(t.nnodes, 1);
	xy__topology_fini(&t);
}

static void says_when_sys_has_no_topology(void **state)
{
	struct xy__topology t;

	(void)state;
	assert_int_equal(fake_read(&t, 1), -ENOENT);
	fake_file("0", "cpu/online");
	assert_int_equal(fake_read(&t, 1), -ENOENT);
	fake_two_packages();
	assert_int_equal(fake_read(&t, 0), -ENOENT);
	assert_int_equal(fake_read(&t, 1 << 3 | 1 << 9), -ENOENT);
}

/* --- this computer --- */

static void finds_the_cores_that_hwloc_finds(void **state)
{
	struct xy__topology a, b;
	cpu_set_t set;

	(void)state;
	if (sched_getaffinity(0, sizeof(set), &set))
		skip();
	assert_int_equal(xy__topology_of_hwloc(&b, &set, sizeof(set)), 0);
	assert_int_equal(xy__topology_of_here(&a), 0);
	assert_int_equal(a.ncores, b.ncores);
	assert_int_equal(a.nnodes, b.nnodes);
	for (unsigned i = 0; i < a.ncores; i++) {
		unsigned j = 0;

		while (j < b.ncores && xy__topology_core(&b, j)->pu != xy__topology_core(&a, i)->pu)
			j++;
		assert_true(j < b.ncores);
	}
	xy__topology_fini(&a);
	xy__topology_fini(&b);
}

static void respects_the_affinity_of_the_caller(void **state)
{
	cpu_set_t before, one;
	struct xy__topology t;
	int last = -1;

	(void)state;
	if (sched_getaffinity(0, sizeof(before), &before))
		skip();
	for (int pu = 0; pu < CPU_SETSIZE; pu++)
		if (CPU_ISSET(pu, &before))
			last = pu;
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(xy__topology_of_here(&t), 0);
	assert_int_equal(t.ncores, 1);
	assert_int_equal(xy__topology_core(&t, 0)->pu, last);
	xy__topology_fini(&t);
	assert_int_equal(xy__topology_of_hwloc(&t, &one, sizeof(one)), 0);
	assert_int_equal(t.ncores, 1);
	assert_int_equal(xy__topology_core(&t, 0)->pu, last);
	xy__topology_fini(&t);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

/* --- text --- */

static int of_text(struct xy__topology *t, const char *text, char error[160], size_t *column)
{
	const char *at = text;
	int status = xy__topology_of_text(t, &at, text + strlen(text), error, 160);

	*column = (size_t)(at - text) + 1;
	return status;
}

/* A text must give the cores, the nodes and the order of distances that hwloc derives from it. */
static void compare_with_hwloc(const char *text)
{
	hwloc_topology_t h;
	hwloc_obj_t cores[64];
	struct xy__topology t;
	char error[160];
	size_t column;
	int n;

	assert_int_equal(of_text(&t, text, error, &column), 0);
	assert_int_equal(hwloc_topology_init(&h), 0);
	assert_int_equal(hwloc_topology_set_synthetic(h, text), 0);
	assert_int_equal(hwloc_topology_load(h), 0);
	n = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_CORE);
	if (n == 0)
		n = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_PU);
	assert_true(n > 0 && n <= 64);
	for (int i = 0; i < n; i++) {
		cores[i] = hwloc_get_obj_by_type(h, HWLOC_OBJ_CORE, (unsigned)i);
		if (!cores[i])
			cores[i] = hwloc_get_obj_by_type(h, HWLOC_OBJ_PU, (unsigned)i);
	}
	assert_int_equal(t.ncores, n);
	for (unsigned a = 0; a < t.ncores; a++)
		for (unsigned b = 0; b < t.ncores; b++)
			for (unsigned c = 0; c < t.ncores; c++) {
				hwloc_obj_t ab = hwloc_get_common_ancestor_obj(h, cores[a], cores[b]);
				hwloc_obj_t ac = hwloc_get_common_ancestor_obj(h, cores[a], cores[c]);
				unsigned x = common(&t, a, b), y = common(&t, a, c);

				assert_int_equal((x > y) - (x < y), (ab->depth > ac->depth) - (ab->depth < ac->depth));
			}
	for (unsigned a = 0; a < t.ncores; a++)
		for (unsigned b = 0; b < t.ncores; b++)
			assert_int_equal(xy__topology_core(&t, a)->node == xy__topology_core(&t, b)->node,
					 hwloc_bitmap_isequal(cores[a]->nodeset, cores[b]->nodeset));
	hwloc_topology_destroy(h);
	xy__topology_fini(&t);
}

static void reads_synthetic_topologies_as_hwloc_does(void **state)
{
	(void)state;
	compare_with_hwloc("core:4 pu:1");
	compare_with_hwloc("pu:4");
	compare_with_hwloc("numa:2 core:4 pu:1");
	compare_with_hwloc("numa:2 pack:1 l3:1 l2:4 core:1 pu:2");
	compare_with_hwloc("pack:2 [numa(memory=17179869184)] l3:1 core:8 pu:1");
	compare_with_hwloc("package:2 numa:2 l3:2 core:2 pu:2");
	compare_with_hwloc("Package:2 NUMANode:1 L2Cache:2 Core:2 "
			   "PU:2(indexes=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15)");
	compare_with_hwloc("group:2 die:2 l2:1 core:2 pu:1");
	compare_with_hwloc("pack:2 [numa] [numa] core:2 pu:2");
	compare_with_hwloc("[numa] pack:3 core:3 pu:1");
	compare_with_hwloc("core:2 l1:1 pu:2");
	compare_with_hwloc("core:1 pu:1");
}

static void needs_no_pu_below_a_core(void **state)
{
	struct xy__topology t;
	char error[160];
	size_t column;

	(void)state;
	assert_int_equal(of_text(&t, " numa:2 core:3 ", error, &column), 0);
	assert_int_equal(t.ncores, 6);
	assert_int_equal(t.nnodes, 2);
	assert_int_equal(xy__topology_core(&t, 0)->pu, -1);
	xy__topology_fini(&t);
}

static void says_what_is_wrong_and_where(void **state)
{
	static const struct {
		const char *text;
		int status;
		size_t column;
		const char *says;
	} cases[] = {
		{ "", -EINVAL, 1, "no cores" },
		{ "numa:2", -EINVAL, 7, "no cores" },
		{ "cores:2", -EINVAL, 1, "expected package" },
		{ "2 4", -EINVAL, 1, "expected package" },
		{ "numa:2 core", -EINVAL, 12, "':'" },
		{ "numa:2 core:x", -EINVAL, 13, "number" },
		{ "numa:2 core:", -EINVAL, 13, "number" },
		{ "core:0", -ERANGE, 6, "1 to 100000" },
		{ "core:100001", -ERANGE, 6, "1 to 100000" },
		{ "core:99999999999999999999999", -ERANGE, 6, "1 to 100000" },
		{ "numa:1000 core:1000", -ERANGE, 16, "more than 100000 cores" },
		{ "core:2 core:2", -EINVAL, 8, "already" },
		{ "core:2 pu:1 pu:1", -EINVAL, 13, "inside a pu" },
		{ "core:2 numa:1", -EINVAL, 8, "inside a core" },
		{ "numa:2 numa:2 core:1", -EINVAL, 8, "already" },
		{ "core:2(size=1", -EINVAL, 7, "not closed" },
		{ "core:2x", -EINVAL, 7, "space" },
		{ "pack:2 [die] core:2", -EINVAL, 8, "brackets" },
		{ "pack:2 [numa core:2", -EINVAL, 8, "not closed" },
		{ "l1:1 l1:1 l1:1 l1:1 l1:1 l1:1 l1:1 l1:1 l1:1 l1:1 l1:1 l1:1 l1:1 l1:1 l1:1 l1:1 "
		  "l1:1 core:1",
		  -EINVAL, 81, "too many" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xy__topology t;
		char error[160] = "";
		size_t column;

		assert_int_equal(of_text(&t, cases[i].text, error, &column), cases[i].status);
		if (!strstr(error, cases[i].says))
			fail_msg("\"%s\" says \"%s\"", cases[i].text, error);
		assert_int_equal(column, cases[i].column);
	}
}

static void stays_linear_for_many_cores(void **state)
{
	struct xy__topology t;
	char error[160];
	size_t column;

	(void)state;
	assert_int_equal(of_text(&t, "numa:50000 core:2 pu:8", error, &column), 0);
	assert_int_equal(t.ncores, 100000);
	assert_int_equal(t.nnodes, 50000);
	assert_int_equal(t.nplaces, 1 + 50000 + 100000);
	assert_int_equal(common(&t, 99998, 99999), 1);
	assert_int_equal(common(&t, 0, 99999), 0);
	xy__topology_fini(&t);
}

static void tells_which_processors_are_near_a_device(void **state)
{
	char folder[] = "/tmp/xylem-sys-XXXXXX", path[256], *parts[] = { "bus", "pci", "devices", "0000:3b:00.0" };
	size_t length;
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	length = (size_t)snprintf(path, sizeof(path), "%s", folder);
	for (unsigned i = 0; i < 4; i++) {
		length += (size_t)snprintf(path + length, sizeof(path) - length, "/%s", parts[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(path + length, sizeof(path) - length, "/local_cpulist");
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("4-7,12\n", file);
	fclose(file);
	assert_true(xy__topology_is_near(folder, "0000:3b:00.0", 4));
	assert_true(xy__topology_is_near(folder, "0000:3b:00.0", 12));
	assert_false(xy__topology_is_near(folder, "0000:3b:00.0", 3));
	assert_false(xy__topology_is_near(folder, "0000:3b:00.0", -1));
	assert_false(xy__topology_is_near(folder, "0000:3c:00.0", 4));
	unlink(path);
	for (unsigned i = 0; i < 5; i++) {
		*strrchr(path, '/') = '\0';
		assert_int_equal(rmdir(path), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_which_processors_are_near_a_device),
		cmocka_unit_test_setup_teardown(reads_cores_packages_and_nodes_from_sys, fake_begin, fake_end),
		cmocka_unit_test_setup_teardown(takes_only_processors_of_the_set, fake_begin, fake_end),
		cmocka_unit_test_setup_teardown(puts_levels_in_order_of_size, fake_begin, fake_end),
		cmocka_unit_test_setup_teardown(leaves_out_a_level_that_cuts_across, fake_begin, fake_end),
		cmocka_unit_test_setup_teardown(reads_the_names_of_older_kernels, fake_begin, fake_end),
		cmocka_unit_test_setup_teardown(survives_odd_lists, fake_begin, fake_end),
		cmocka_unit_test_setup_teardown(says_when_sys_has_no_topology, fake_begin, fake_end),
		cmocka_unit_test(finds_the_cores_that_hwloc_finds),
		cmocka_unit_test(respects_the_affinity_of_the_caller),
		cmocka_unit_test(reads_synthetic_topologies_as_hwloc_does),
		cmocka_unit_test(needs_no_pu_below_a_core),
		cmocka_unit_test(says_what_is_wrong_and_where),
		cmocka_unit_test(stays_linear_for_many_cores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
