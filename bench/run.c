/* SPDX-License-Identifier: MIT */
/*
 * bench/run: the command line of the benches.
 */
#include <getopt.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "driver.h"

struct settings settings = { .rounds = 5, .workers = 2, .limit_s = 60 };

static const char *const others[] = { "hops", "instructions", NULL };

static void usage(FILE *to)
{
	fputs("Usage: bench/run [OPTION]... [BENCH]...\n"
	      "Runs the benches (all, unless some are named) in Xylem and in every other runtime whose\n"
	      "program was built, and prints medians, their spread, ratios and which targets are reached.\n\n",
	      to);
	for (unsigned i = 0; i < NTABLES; i++)
		fprintf(to, "  %-14s %s\n", tables[i].name, tables[i].title);
	for (unsigned i = 0; i < NSHEETS; i++)
		fprintf(to, "  %-14s %s\n", sheets[i].name, sheets[i].title);
	fputs("  hops           what one more pass-through component costs a task\n"
	      "  instructions   instructions per empty task, by callgrind\n\n"
	      "  --rounds N     rounds (5, quick: 2)\n"
	      "  --quick        smaller graphs: to see that everything works\n"
	      "  --workers N    workers in the second column (2)\n"
	      "  --limit S      seconds that a process may take (60)\n"
	      "  --peers DIR    where the programs are (peers beside this program)\n"
	      "  --csv FILE     also write every single value to FILE\n"
	      "  --help\n\n"
	      "Exit status: 0 all ran, 1 a program failed, hung or computed something wrong, 2 wrong usage.\n",
	      to);
}

static bool parse_number(const char *text, unsigned max, unsigned *number)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*number = (unsigned)value;
	return *text >= '0' && *text <= '9' && !*end && value >= 1 && value <= max;
}

static bool parse_csv(const char *path)
{
	settings.csv = fopen(path, "w");
	if (!settings.csv) {
		perror(path);
		return false;
	}
	fputs("bench,row,column,value\n", settings.csv);
	return true;
}

static bool parse_options(int argc, char **argv)
{
	static const struct option table[] = {
		{ "rounds", required_argument, NULL, 'r' },  { "quick", no_argument, NULL, 'q' },
		{ "workers", required_argument, NULL, 'w' }, { "limit", required_argument, NULL, 'l' },
		{ "peers", required_argument, NULL, 'p' },   { "csv", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },          { NULL, 0, NULL, 0 },
	};
	unsigned rounds = 0;
	bool good = true;
	int c;

	while (good && (c = getopt_long(argc, argv, "h", table, NULL)) != -1)
		switch (c) {
		case 'r':
			good = parse_number(optarg, MAX_ROUNDS, &rounds);
			break;
		case 'q':
			settings.quick = true;
			break;
		case 'w':
			good = parse_number(optarg, 1000, &settings.workers);
			break;
		case 'l':
			good = parse_number(optarg, 86400, &settings.limit_s);
			break;
		case 'p':
			settings.peers = optarg;
			break;
		case 'c':
			good = parse_csv(optarg);
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			good = false;
		}
	settings.rounds = rounds ? rounds : settings.quick ? 2 : settings.rounds;
	return good;
}

static bool is_bench(const char *name)
{
	for (unsigned i = 0; i < NTABLES; i++)
		if (!strcmp(name, tables[i].name))
			return true;
	for (unsigned i = 0; i < NSHEETS; i++)
		if (!strcmp(name, sheets[i].name))
			return true;
	for (unsigned i = 0; others[i]; i++)
		if (!strcmp(name, others[i]))
			return true;
	fprintf(stderr, "bench/run: no bench is called '%s'\n", name);
	return false;
}

/* Whether the bench was asked for: no names mean all. */
static bool wanted(const char *name, char **names)
{
	bool found = !*names;

	for (; *names; names++)
		found |= !strcmp(*names, name);
	return found && !process_interrupted();
}

/* The programs are in the folder "peers" beside this one; valgrind is somewhere on PATH. */
static void find_programs(const char *self)
{
	static char peers[4096];
	char *copy = strdup(self);

	if (!settings.peers && copy) {
		snprintf(peers, sizeof(peers), "%s/peers", dirname(copy));
		settings.peers = peers;
	}
	free(copy);
	if (system("valgrind --version >/dev/null 2>&1") == 0)
		settings.valgrind = "valgrind";
}

/* So that a table found later tells where and when it was made, and whether to believe it. */
static void print_conditions(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	time_t now = time(NULL);
	double load = 0;
	char date[32];

	strftime(date, sizeof(date), "%F", localtime(&now));
	getloadavg(&load, 1);
	printf("%s, %ld cores, load %.2f before the first bench%s\n", date, cores, load,
	       load > 0.3 ? ": others use this machine, distrust the times" : "");
	if (settings.workers > (unsigned)cores)
		printf("More workers than cores: the times say little.\n");
	subjects_print_missing();
}

int main(int argc, char **argv)
{
	bool sound = true;

	if (!parse_options(argc, argv)) {
		usage(stderr);
		return 2;
	}
	for (int i = optind; i < argc; i++)
		if (!is_bench(argv[i]))
			return 2;
	find_programs(argv[0]);
	if (process_prepare()) {
		perror("bench/run: temporary folder");
		return 1;
	}
	print_conditions();
	for (unsigned i = 0; i < NTABLES; i++)
		if (wanted(tables[i].name, argv + optind))
			sound &= table_run(&tables[i]);
	for (unsigned i = 0; i < NSHEETS; i++)
		if (wanted(sheets[i].name, argv + optind))
			sound &= sheet_run(&sheets[i]);
	if (wanted("hops", argv + optind))
		sound &= hops_run();
	if (wanted("instructions", argv + optind))
		sound &= instructions_run();
	verdicts_print();
	process_clean();
	if (settings.csv)
		fclose(settings.csv);
	return sound && !process_interrupted() ? 0 : 1;
}
