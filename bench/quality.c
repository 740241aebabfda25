/* SPDX-License-Identifier: MIT */
/*
 * How good the schedules of tree-cambium are, in virtual time, on shipped machines and graphs and on drawn ones of
 * several classes, beside other online policies and beside static schedulers, which know the whole graph. Every result
 * follows from the seed.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bench/quality.h"

enum { POLICIES = 6, ONLINE = 3, AT_ONCE = 2, WORST = 10, TEXT = 256, CASES_MOST = 2000 };

static const char *const policies[POLICIES] = {
	"tree-cambium", "tree-dmdas", "tree-heft", "tree-eager", "heft", "peft"
};

struct item {
	unsigned class;
	char machine[TEXT], graph[TEXT];
	const char *options;
	double us[POLICIES];
	double behind; /* tree-cambium's makespan divided by that of the best online policy */
};

/* The bench. */
struct quality {
	const char *tool, *folder;
	uint64_t seed;
	unsigned count; /* cases of a class */
	bool quick;
	unsigned nitems, used;
	struct item items[CASES_MOST];
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "bench/quality: %s: %s\n", what, why);
	exit(1);
}

/* --- classes of cases --- */

/* Opens a new file and leaves its path in `path`. */
static FILE *file_open(struct quality *q, char *path, const char *suffix)
{
	FILE *out;

	snprintf(path, TEXT, "%s/%u.%s", q->folder, q->used++, suffix);
	out = fopen(path, "w");
	if (!out)
		die(path, strerror(errno));
	return out;
}

static void machine_file(struct quality *q, struct item *item, uint64_t *state, struct quality_machine m)
{
	FILE *out = file_open(q, item->machine, "xym");

	quality_machine(out, state, &m);
	fclose(out);
}

/* One of the shipped machines with devices. */
static void machine_shipped(struct item *item, uint64_t *state)
{
	static const char *const names[] = { "mirage", "idgraf", "attila", "laptop", "node-64-8", "node-64-4" };

	snprintf(item->machine, TEXT, "%s", names[quality_draw(state, 0, 5)]);
}

static const char *maybe_transfers(uint64_t *state)
{
	return quality_draw(state, 0, 1) ? "" : " --no-transfers";
}

static void case_dense(struct quality *q, struct item *item, uint64_t *state)
{
	machine_shipped(item, state);
	quality_dense(item->graph, TEXT, state, 6, q->quick ? 16 : 32);
	item->options = maybe_transfers(state);
}

static void case_large(struct quality *q, struct item *item, uint64_t *state)
{
	snprintf(item->machine, TEXT, "%s", quality_draw(state, 0, 1) ? "node-64-8" : "node-64-4");
	quality_dense(item->graph, TEXT, state, q->quick ? 18 : 32, q->quick ? 24 : 64);
	item->options = "";
}

static void case_drawn(struct quality *q, struct item *item, uint64_t *state)
{
	machine_file(q, item, state,
		     (struct quality_machine){ .kinds = quality_draw(state, 2, 4), .cores = 16, .devices = true });
	quality_dense(item->graph, TEXT, state, 6, q->quick ? 16 : 32);
	item->options = maybe_transfers(state);
}

static void case_layered(struct quality *q, struct item *item, uint64_t *state)
{
	if (quality_draw(state, 0, 1))
		machine_shipped(item, state);
	else
		machine_file(
			q, item, state,
			(struct quality_machine){ .kinds = quality_draw(state, 1, 4), .cores = 16, .devices = true });
	quality_layered(item->graph, TEXT, state, 40);
	item->options = maybe_transfers(state);
}

static void case_workflow(struct quality *q, struct item *item, uint64_t *state)
{
	FILE *out;

	if (quality_draw(state, 0, 1))
		machine_shipped(item, state);
	else
		machine_file(
			q, item, state,
			(struct quality_machine){ .kinds = quality_draw(state, 1, 6), .cores = 8, .devices = true });
	out = file_open(q, item->graph, "xyg");
	quality_workflow(out, state, quality_draw(state, 4, 80));
	fclose(out);
	item->options = maybe_transfers(state);
}

static void case_costs(struct quality *q, struct item *item, uint64_t *state)
{
	unsigned processors = quality_draw(state, 2, 16);
	FILE *out;

	if (quality_draw(state, 0, 1)) {
		out = file_open(q, item->machine, "xym");
		quality_apart(out, state, processors);
		fclose(out);
		item->options = "";
	} else {
		snprintf(item->machine, TEXT, "cpu:%u", processors);
		item->options = " --no-transfers";
	}
	out = file_open(q, item->graph, "xyg");
	quality_costs(out, state, processors, quality_draw(state, 10, 500));
	fclose(out);
}

static void case_kinds(struct quality *q, struct item *item, uint64_t *state)
{
	machine_file(q, item, state,
		     (struct quality_machine){
			     .kinds = quality_draw(state, 5, 32), .cores = 4, .devices = quality_draw(state, 0, 1) });
	if (quality_draw(state, 0, 1))
		quality_dense(item->graph, TEXT, state, 6, q->quick ? 14 : 24);
	else
		quality_layered(item->graph, TEXT, state, 30);
	item->options = maybe_transfers(state);
}

static void case_memory(struct quality *q, struct item *item, uint64_t *state)
{
	unsigned blocks = quality_draw(state, 16, 60), mib = 1u << quality_draw(state, 0, 3);

	machine_file(q, item, state,
		     (struct quality_machine){ .kinds = 2,
					       .cores = 8,
					       .devices = true,
					       .memory_mib = blocks * mib / quality_draw(state, 2, 6) + 5 * mib });
	if (quality_draw(state, 0, 1))
		snprintf(item->graph, TEXT, "stencil:%ux%u:us=%u:bytes=%uM", blocks, quality_draw(state, 5, 30),
			 50u << quality_draw(state, 0, 7), mib);
	else
		snprintf(item->graph, TEXT, "random:layers=%u:width=%u:us=%u:bytes=%uM:seed=%u",
			 quality_draw(state, 5, 20), blocks, 50u << quality_draw(state, 0, 7), mib,
			 quality_draw(state, 0, 999));
	item->options = "";
}

static void case_noise(struct quality *q, struct item *item, uint64_t *state)
{
	unsigned form = quality_draw(state, 0, 3);

	(form == 0 ? case_dense : form == 1 ? case_drawn : form == 2 ? case_layered : case_workflow)(q, item, state);
	item->options = *item->options ? " --no-transfers --noise 0.1 --repeat 5" : " --noise 0.1 --repeat 5";
}

static const struct class
{
	const char *name;
	void (*draw)(struct quality *q, struct item *item, uint64_t *state);
} classes[] = {
	{ "dense", case_dense },     { "large", case_large },       { "drawn", case_drawn },
	{ "layered", case_layered }, { "workflow", case_workflow }, { "costs", case_costs },
	{ "kinds", case_kinds },     { "memory", case_memory },     { "noise", case_noise },
};

enum { NCLASSES = sizeof(classes) / sizeof(*classes) };

static void quality_draw_all(struct quality *q, const char *only)
{
	for (unsigned k = 0; k < NCLASSES; k++)
		for (unsigned i = 0; i < q->count && q->nitems < CASES_MOST; i++) {
			/* each case has numbers of its own, so that none depends on what else is drawn */
			uint64_t state = q->seed * 1000003 + k * 10007 + i;
			struct item *item = &q->items[q->nitems];

			if (only && strcmp(only, classes[k].name))
				continue;
			item->class = k;
			classes[k].draw(q, item, &state);
			q->nitems++;
		}
}

/* --- running --- */

static FILE *item_start(const struct quality *q, const struct item *item)
{
	char command[4 * TEXT];
	FILE *in;

	snprintf(command, sizeof(command), "'%s' sim --machine '%s' --graph '%s'%s --csv --limit 0 --policy ", q->tool,
		 item->machine, item->graph, item->options);
	for (unsigned i = 0; i < POLICIES; i++)
		snprintf(command + strlen(command), sizeof(command) - strlen(command), "%s%s", i ? "," : "",
			 policies[i]);
	in = popen(command, "r");
	if (!in)
		die(command, strerror(errno));
	return in;
}

/* The field of a CSV line without quotes, from 0. */
static const char *field(const char *line, unsigned n)
{
	while (n && (line = strchr(line, ',')))
		line += 1, n--;
	return line ? line : "";
}

static void item_end(struct item *item, FILE *in)
{
	char line[4 * TEXT];
	double best = INFINITY;

	while (fgets(line, sizeof(line), in))
		for (unsigned i = 0; i < POLICIES; i++)
			if (!strncmp(field(line, 6), policies[i], strlen(policies[i])) &&
			    field(line, 6)[strlen(policies[i])] == ',')
				item->us[i] = strtod(field(line, 8), NULL);
	if (pclose(in))
		fprintf(stderr, "bench/quality: failed: --machine '%s' --graph '%s'%s\n", item->machine, item->graph,
			item->options);
	for (unsigned i = 1; i <= ONLINE; i++)
		if (item->us[i] > 0)
			best = fmin(best, item->us[i]);
	item->behind = item->us[0] > 0 ? item->us[0] / best : INFINITY;
}

static void quality_run(struct quality *q)
{
	for (unsigned i = 0; i < q->nitems; i += AT_ONCE) {
		FILE *in[AT_ONCE] = { NULL };

		for (unsigned k = 0; k < AT_ONCE && i + k < q->nitems; k++)
			in[k] = item_start(q, &q->items[i + k]);
		for (unsigned k = 0; k < AT_ONCE && i + k < q->nitems; k++)
			item_end(&q->items[i + k], in[k]);
	}
}

/* --- results --- */

struct sums {
	unsigned n, late;       /* cases, those more than 3 % behind */
	double behind, worst;   /* logarithms; the largest */
	double ratio[POLICIES]; /* logarithms of tree-cambium's makespan divided by that of each policy */
	unsigned nratio[POLICIES];
};

static void sums_add(struct sums *s, const struct item *item)
{
	s->n++;
	s->late += item->behind > 1.03;
	s->behind += log(item->behind);
	s->worst = fmax(s->worst, item->behind);
	for (unsigned i = 1; i < POLICIES; i++)
		if (item->us[i] > 0) {
			s->ratio[i] += log(item->us[0] / item->us[i]);
			s->nratio[i]++;
		}
}

static void sums_print(const struct sums *s, const char *name)
{
	printf("%-10s %5u %8u %8.3f %8.3f", name, s->n, s->late, s->n ? exp(s->behind / s->n) : 1, s->worst);
	for (unsigned i = 1; i < POLICIES; i++)
		printf(" %8.3f", s->nratio[i] ? exp(s->ratio[i] / s->nratio[i]) : 1);
	printf("\n");
}

static int item_worse(const void *a, const void *b)
{
	const struct item *first = a, *second = b;

	return first->behind < second->behind ? 1 : -(first->behind > second->behind);
}

static void quality_print(struct quality *q, bool all)
{
	struct sums total = { 0 };

	printf("%-10s %5s %8s %8s %8s", "class", "cases", "> 3 %", "best", "worst");
	for (unsigned i = 1; i < POLICIES; i++)
		printf(" %8s", strncmp(policies[i], "tree-", 5) ? policies[i] : policies[i] + 5);
	printf("\n");
	for (unsigned k = 0; k < NCLASSES; k++) {
		struct sums sums = { 0 };

		for (unsigned i = 0; i < q->nitems; i++)
			if (q->items[i].class == k)
				sums_add(&sums, &q->items[i]);
		if (sums.n)
			sums_print(&sums, classes[k].name);
	}
	for (unsigned i = 0; i < q->nitems; i++)
		sums_add(&total, &q->items[i]);
	sums_print(&total, "all");
	qsort(q->items, q->nitems, sizeof(*q->items), item_worse);
	printf("\nthe worst:\n");
	for (unsigned i = 0; i < q->nitems && (all || i < WORST); i++) {
		const struct item *item = &q->items[i];

		printf("%7.3f %-8s --machine '%s' --graph '%s'%s  ", item->behind, classes[item->class].name,
		       item->machine, item->graph, item->options);
		for (unsigned k = 1; k < POLICIES; k++)
			printf(" %.3f", item->us[0] / item->us[k]);
		printf("\n");
	}
}

static const char help[] = "usage: bench/quality [OPTION]... [TOOL]\n"
			   "\n"
			   "Compares tree-cambium with online and static policies in virtual time. For each class of\n"
			   "cases: how many there are, in how many tree-cambium is more than 3 % behind the best of\n"
			   "tree-dmdas, tree-heft and tree-eager, the geometric mean and the largest of its makespans\n"
			   "divided by that best one's, and the geometric means of the quotients with each policy.\n"
			   "Below 1, tree-cambium is ahead. Then the ten worst cases. TOOL is the tool, ./xylem.\n"
			   "\n"
			   "  --quick        few and small cases, for about a minute\n"
			   "  --seed N       other cases (1)\n"
			   "  --count N      cases of each class (40; with --quick 10)\n"
			   "  --only CLASS   dense, large, drawn, layered, workflow, costs, kinds, memory or noise\n"
			   "  --folder PATH  where drawn machines and graphs are written (quality-cases)\n"
			   "  --all          print all cases, the worst first\n";

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "quick", no_argument, NULL, 'q' },        { "seed", required_argument, NULL, 's' },
		{ "count", required_argument, NULL, 'c' },  { "only", required_argument, NULL, 'o' },
		{ "folder", required_argument, NULL, 'f' }, { "all", no_argument, NULL, 'a' },
		{ "help", no_argument, NULL, 'h' },         { 0 },
	};
	static struct quality q = { .tool = "./xylem", .folder = "quality-cases", .seed = 1 };
	const char *only = NULL;
	bool all = false;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (option) {
		case 'q':
			q.quick = true;
			break;
		case 's':
			q.seed = strtoull(optarg, NULL, 10);
			break;
		case 'c':
			q.count = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'o':
			only = optarg;
			break;
		case 'f':
			q.folder = optarg;
			break;
		case 'a':
			all = true;
			break;
		default:
			fputs(help, option == 'h' ? stdout : stderr);
			return option == 'h' ? 0 : 2;
		}
	if (optind < argc)
		q.tool = argv[optind];
	q.count = q.count ? q.count : q.quick ? 10 : 40;
	if (mkdir(q.folder, 0777) && errno != EEXIST)
		die(q.folder, strerror(errno));
	setenv("XYLEM_MACHINES", BENCH_MACHINES, 0);
	quality_draw_all(&q, only);
	quality_run(&q);
	quality_print(&q, all);
	return 0;
}
