/* SPDX-License-Identifier: MIT */
/*
 * The topology of this computer from Linux's /sys: a few small files per core, which takes a tenth of the time that
 * hwloc needs to load its plug-ins. The processor lists in those files tell what is shared, whatever a cache or a die
 * is called.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/machine/topology.h"
#include "core/util/text.h"

#define SYS_LIST_MAX 16384
#define SYS_NODES_TEXT 4096
#define SYS_NODES_MAX 65535
#define SYS_NONE UINT_MAX

/*
 * The files that list the processors sharing a part, with the names of older kernels. The caches 0 and 1 are private
 * to a core.
 */
static const char *const sys_files[][2] = {
	{ "topology/package_cpus_list", "topology/core_siblings_list" },
	{ "topology/die_cpus_list", NULL },
	{ "cache/index4/shared_cpu_list", NULL },
	{ "cache/index3/shared_cpu_list", NULL },
	{ "cache/index2/shared_cpu_list", NULL },
};
static const char *const sys_core_file[2] = {
	"topology/core_cpus_list",
	"topology/thread_siblings_list",
};
enum { SYS_PACKAGE = 0, SYS_CACHES = 2 }; /* the files of packages, and of caches from here on */
#define SYS_NFILES ((unsigned)(sizeof(sys_files) / sizeof(sys_files[0])))
#define SYS_NLEVELS (SYS_NFILES + 1) /* the last level: memory nodes */

struct sys {
	struct xy__topology *t;
	int folder;              /* devices/system */
	unsigned npus;           /* processors have numbers below this */
	unsigned *core_of;       /* by processor; SYS_NONE: not in the set */
	unsigned *scratch;       /* by processor */
	char list[SYS_LIST_MAX]; /* the file that was read last */
};

static bool sys_read(struct sys *sys, const char *path)
{
	int fd = openat(sys->folder, path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t n;

	if (fd < 0)
		return false;
	do {
		n = read(fd, sys->list + length, SYS_LIST_MAX - 1 - length);
		length += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	close(fd);
	sys->list[length] = '\0';
	return length > 0;
}

static bool sys_read_pu(struct sys *sys, unsigned pu, const char *const names[2])
{
	char path[128];

	for (unsigned i = 0; i < 2 && names[i]; i++) {
		snprintf(path, sizeof(path), "cpu/cpu%u/%s", pu, names[i]);
		if (sys_read(sys, path))
			return true;
	}
	return false;
}

/* Takes the next range of a list such as "0-3,8"; false at its end. */
static bool sys_next(const char **list, unsigned max, unsigned *first, unsigned *last)
{
	uint64_t a, b;

	if (**list == ',')
		++*list;
	if (!xy__text_unsigned(list, max, &a))
		return false;
	b = a;
	if (**list == '-') {
		++*list;
		if (!xy__text_unsigned(list, UINT64_MAX, &b))
			return false;
	}
	*first = (unsigned)a;
	*last = (unsigned)(b < max ? b : max);
	return true;
}

/* Makes a core of each processor of the set whose sibling was not there before. */
static int sys_find_cores(struct sys *sys, const cpu_set_t *set, size_t set_size)
{
	unsigned *pus = sys->scratch, ncores = 0;
	int error;

	for (unsigned pu = 0; pu < sys->npus; pu++) {
		const char *list = sys->list;
		unsigned first, last;

		if (!CPU_ISSET_S(pu, set_size, set) || sys->core_of[pu] != SYS_NONE)
			continue;
		if (!sys_read_pu(sys, pu, sys_core_file))
			return -ENOENT;
		sys->core_of[pu] = ncores;
		while (sys_next(&list, sys->npus - 1, &first, &last))
			for (unsigned sibling = first; sibling <= last; sibling++)
				sys->core_of[sibling] = ncores;
		pus[ncores++] = pu;
	}
	if (ncores == 0 || ncores > XY__CORES_MAX)
		return ncores == 0 ? -ENOENT : -ERANGE;
	error = xy__topology_init(sys->t, ncores, SYS_NLEVELS);
	for (unsigned i = 0; !error && i < ncores; i++)
		xy__topology_core(sys->t, i)->pu = (int)pus[i];
	return error;
}

/* Puts the cores of sys->list into one part of a level, named after the first processor in the set. */
static void sys_mark(struct sys *sys, unsigned level)
{
	const char *list = sys->list;
	unsigned first, last, name = SYS_NONE;

	while (sys_next(&list, sys->npus - 1, &first, &last))
		for (unsigned pu = first; pu <= last; pu++) {
			struct xy__core *core;

			if (sys->core_of[pu] == SYS_NONE)
				continue;
			core = xy__topology_core(sys->t, sys->core_of[pu]);
			if (name == SYS_NONE)
				name = (unsigned)core->pu;
			core->part[level] = name;
		}
}

/* A core that a file does not mention is a separate part. */
static void sys_find_level(struct sys *sys, unsigned level)
{
	for (unsigned i = 0; i < sys->t->ncores; i++) {
		struct xy__core *core = xy__topology_core(sys->t, i);

		if (core->part[level] != SYS_NONE)
			continue;
		if (sys_read_pu(sys, (unsigned)core->pu, sys_files[level]))
			sys_mark(sys, level);
		if (core->part[level] == SYS_NONE)
			core->part[level] = (unsigned)core->pu;
	}
}

/* Notes the package and the outermost cache that the kernel knows of each core. */
static void sys_find_parts(struct sys *sys)
{
	for (unsigned i = 0; i < sys->t->ncores; i++) {
		struct xy__core *core = xy__topology_core(sys->t, i);
		unsigned level = SYS_CACHES;

		while (level < SYS_NFILES && !sys_read_pu(sys, (unsigned)core->pu, sys_files[level]))
			level++;
		core->package = core->part[SYS_PACKAGE];
		core->cache = core->part[level < SYS_NFILES ? level : SYS_PACKAGE];
	}
}

/* Cores of which nothing is said, as where the kernel knows no nodes, share one. */
static void sys_find_nodes(struct sys *sys)
{
	char nodes[SYS_NODES_TEXT] = "", path[64];
	const char *list = nodes;
	unsigned first, last, rest = SYS_NONE;

	if (sys_read(sys, "node/online"))
		xy__text_print(nodes, sizeof(nodes), "%s", sys->list);
	while (sys_next(&list, SYS_NODES_MAX, &first, &last))
		for (unsigned node = first; node <= last; node++) {
			snprintf(path, sizeof(path), "node/node%u/cpulist", node);
			if (sys_read(sys, path))
				sys_mark(sys, SYS_NFILES);
		}
	for (unsigned i = 0; i < sys->t->ncores; i++) {
		struct xy__core *core = xy__topology_core(sys->t, i);

		if (core->part[SYS_NFILES] == SYS_NONE) {
			if (rest == SYS_NONE)
				rest = (unsigned)core->pu;
			core->part[SYS_NFILES] = rest;
		}
		core->node = core->part[SYS_NFILES];
	}
}

static unsigned sys_count_parts(struct sys *sys, unsigned level)
{
	unsigned count = 0;

	for (unsigned i = 0; i < sys->t->ncores; i++)
		sys->scratch[xy__topology_core(sys->t, i)->part[level]] = 0;
	for (unsigned i = 0; i < sys->t->ncores; i++)
		count += sys->scratch[xy__topology_core(sys->t, i)->part[level]]++ == 0;
	return count;
}

/* Whether each part of `fine` lies in one part of `coarse`. */
static bool sys_is_nested(struct sys *sys, unsigned coarse, unsigned fine)
{
	for (unsigned i = 0; i < sys->t->ncores; i++)
		sys->scratch[xy__topology_core(sys->t, i)->part[fine]] = SYS_NONE;
	for (unsigned i = 0; i < sys->t->ncores; i++) {
		struct xy__core *core = xy__topology_core(sys->t, i);
		unsigned *outer = &sys->scratch[core->part[fine]];

		if (*outer == SYS_NONE)
			*outer = core->part[coarse];
		else if (*outer != core->part[coarse])
			return false;
	}
	return true;
}

static int sys_compare(const void *a, const void *b)
{
	const struct xy__core *x = a, *y = b;

	for (unsigned level = 0; level < SYS_NLEVELS; level++)
		if (x->part[level] != y->part[level])
			return x->part[level] < y->part[level] ? -1 : 1;
	return x->pu < y->pu ? -1 : x->pu > y->pu;
}

/* Orders the levels from coarse to fine, as a memory node may be more or less than a package,
 * leaves out those that cut across the others, and orders the cores. */
static void sys_arrange(struct sys *sys)
{
	unsigned count[SYS_NLEVELS], order[SYS_NLEVELS], nkept = 0;

	for (unsigned level = 0; level < SYS_NLEVELS; level++) {
		unsigned k = level;

		for (count[level] = sys_count_parts(sys, level); k > 0 && count[order[k - 1]] > count[level]; k--)
			order[k] = order[k - 1];
		order[k] = level;
	}
	for (unsigned k = 0; k < SYS_NLEVELS; k++)
		if (nkept == 0 || sys_is_nested(sys, order[nkept - 1], order[k]))
			order[nkept++] = order[k];
	for (unsigned i = 0; i < sys->t->ncores; i++) {
		struct xy__core *core = xy__topology_core(sys->t, i);
		unsigned part[SYS_NLEVELS];

		for (unsigned k = 0; k < SYS_NLEVELS; k++)
			part[k] = core->part[order[k < nkept ? k : nkept - 1]];
		for (unsigned k = 0; k < SYS_NLEVELS; k++)
			core->part[k] = part[k];
	}
	qsort(sys->t->cores, sys->t->ncores, xy__core_size(SYS_NLEVELS), sys_compare);
}

static int sys_find(struct sys *sys, const cpu_set_t *set, size_t set_size)
{
	int error = sys_find_cores(sys, set, set_size);

	if (error)
		return error;
	for (unsigned i = 0; i < sys->t->ncores; i++)
		for (unsigned level = 0; level < SYS_NLEVELS; level++)
			xy__topology_core(sys->t, i)->part[level] = SYS_NONE;
	for (unsigned level = 0; level < SYS_NFILES; level++)
		sys_find_level(sys, level);
	sys_find_parts(sys);
	sys_find_nodes(sys);
	sys_arrange(sys);
	return xy__topology_build(sys->t);
}

int xy__topology_of_sys(struct xy__topology *t, const char *sys_path, const cpu_set_t *set, size_t set_size)
{
	struct sys sys = { .t = t, .npus = (unsigned)set_size * CHAR_BIT };
	char path[PATH_MAX];
	int error;

	*t = (struct xy__topology){ 0 };
	snprintf(path, sizeof(path), "%s/devices/system", sys_path);
	sys.folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (sys.folder < 0)
		return -ENOENT;
	sys.core_of = malloc(sys.npus * sizeof(unsigned));
	sys.scratch = malloc(sys.npus * sizeof(unsigned));
	for (unsigned pu = 0; sys.core_of && pu < sys.npus; pu++)
		sys.core_of[pu] = SYS_NONE;
	error = sys.core_of && sys.scratch ? sys_find(&sys, set, set_size) : -ENOMEM;
	if (error)
		xy__topology_fini(t);
	free(sys.core_of);
	free(sys.scratch);
	close(sys.folder);
	return error;
}

bool xy__topology_is_near(const char *sys, const char *pci, int pu)
{
	char path[PATH_MAX], text[SYS_LIST_MAX] = "";
	const char *list = text;
	unsigned first, last;
	bool near = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/local_cpulist", sys, pci);
	file = pu < 0 ? NULL : fopen(path, "re");
	if (!file)
		return false;
	if (fgets(text, sizeof(text), file))
		while (!near && sys_next(&list, INT_MAX, &first, &last))
			near = (unsigned)pu >= first && (unsigned)pu <= last;
	fclose(file);
	return near;
}
