/* SPDX-License-Identifier: MIT */
/*
 * `xylem check --run`: many cases of xy_check_run, and the smallest one found that breaks a rule. The cases run in a
 * child process, since a wrong component may crash or never return; this one watches it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xylem/check.h>

#include "tools/check_run.h"

enum { QUIET_S = 10, SLOW_S = 1, PAUSE_NS = 2000000, SMALLER_TRIES = 60 };

/* What the child tells. It has the parent's plug-ins at the parent's addresses. */
struct run_page {
	uint64_t seed, ncases;
	unsigned long long steps;
	struct {
		const struct xy_component_ops *ops;
		unsigned id;
		const char *where;
	} at;
	volatile unsigned long long beats;
	struct timespec beat; /* when the last one was */
	bool begins;          /* no step of this case was seen */
	long waits;           /* at its first step */
	double waited_s;      /* of the step that ended the child because it waited for so long; else 0 */
	int error;            /* of xy_check_run */
	bool done;            /* the child has come to its end */
	struct xy_check_result result;
};

enum run_end { RUN_PASSED, RUN_BROKEN, RUN_REFUSED, RUN_FAILED };

/* How often this process has waited for something other than a processor. */
static long run_waits(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : usage.ru_nvcsw;
}

/* Whether the step since the last beat waited for long. Others may have had the processor for as long: no wait. */
static bool run_has_waited(struct run_page *page)
{
	struct timespec last = page->beat;
	double seconds;

	clock_gettime(CLOCK_MONOTONIC, &page->beat);
	seconds = (double)(page->beat.tv_sec - last.tv_sec) + 1e-9 * (double)(page->beat.tv_nsec - last.tv_nsec);
	if (page->begins) {
		page->begins = false;
		page->waits = run_waits();
		return false;
	}
	if (seconds < SLOW_S || run_waits() == page->waits)
		return false;
	page->waited_s = seconds;
	return true;
}

static void run_step(void *arg, const struct xy_component *at, const char *where)
{
	struct run_page *page = arg;

	if (run_has_waited(page))
		_exit(0);
	page->at.ops = at ? at->ops : NULL;
	page->at.id = at ? at->id : 0;
	page->at.where = where;
	page->beats++;
}

/* The child: n cases from this seed on, until one breaks a rule. */
static void run_child(struct run_page *page, struct xy_check check, uint64_t n)
{
	check.step = run_step;
	check.step_arg = page;
	for (; n > 0 && !page->error && !page->result.broken; n--, check.seed++) {
		page->seed = check.seed;
		page->begins = true;
		page->error = xy_check_run(&check, &page->result);
		page->steps += page->result.steps;
		page->ncases++;
	}
	page->done = true;
	_exit(0);
}

/* Where the child was, in words. */
static void run_place(const struct run_page *page, char *text, size_t size)
{
	if (!page->at.where)
		snprintf(text, size, "the set-up of the tree");
	else if (page->at.ops)
		snprintf(text, size, "%s of %s#%u", page->at.where, page->at.ops->name, page->at.id);
	else
		snprintf(text, size, "\"%s\" of the run", page->at.where);
}

/*
 * Waits for the child; ends it if it makes no step for a long time. False: it was ended. Pauses are counted, not time:
 * a computer that stood still has not let the child work, either.
 */
static bool run_watch(struct run_page *page, pid_t child, int *status)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	unsigned long long beats = page->beats;

	for (unsigned quiet = 0; waitpid(child, status, WNOHANG) == 0; quiet++) {
		if (page->beats != beats)
			quiet = 0;
		beats = page->beats;
		if (quiet > QUIET_S * (1000000000 / PAUSE_NS)) {
			kill(child, SIGKILL);
			waitpid(child, status, 0);
			return false;
		}
		nanosleep(&pause, NULL);
	}
	return true;
}

/* The child could not say itself what is wrong. */
static void run_explain(struct run_page *page, bool ended, int status)
{
	char place[128];

	run_place(page, place, sizeof place);
	page->result.broken = true;
	if (page->waited_s > 0)
		snprintf(page->result.text, sizeof page->result.text,
			 "the rule \"do not block\" is broken: a step waited for %.1f s, after %s", page->waited_s,
			 place);
	else if (!ended)
		snprintf(page->result.text, sizeof page->result.text,
			 "the rule \"do not block\" is broken: nothing happened for %d s, after %s", QUIET_S, place);
	else if (WIFSIGNALED(status))
		snprintf(page->result.text, sizeof page->result.text, "the run crashed (%s), after %s",
			 strsignal(WTERMSIG(status)), place);
	else
		snprintf(page->result.text, sizeof page->result.text, "the run ended the process, after %s", place);
}

/* n cases from the case's seed on. */
static enum run_end run_cases(struct run_page *page, const struct xy_check *check, uint64_t n)
{
	int status = 0;
	pid_t child;
	bool ended;

	memset(page, 0, sizeof *page);
	fflush(NULL);
	child = fork();
	if (child < 0) {
		tool_say("no process for the cases: %s", strerror(errno));
		return RUN_FAILED;
	}
	if (!child)
		run_child(page, *check, n);
	ended = run_watch(page, child, &status);
	if (!page->done)
		run_explain(page, ended, status);
	if (page->error) {
		tool_say("%s", *page->result.text ? page->result.text : strerror(-page->error));
		return RUN_REFUSED;
	}
	return page->result.broken ? RUN_BROKEN : RUN_PASSED;
}

/* --- smaller cases --- */

/* The name of the rule in a message, or its beginning. */
static size_t run_rule(const char *text, const char **rule)
{
	const char *quote = strchr(text, '"');

	*rule = quote ? quote : text;
	return quote && strchr(quote + 1, '"') ? (size_t)(strchr(quote + 1, '"') - quote) : strcspn(text, "(");
}

static bool run_same_rule(const char *a, const char *b)
{
	const char *rule_a, *rule_b;
	size_t length = run_rule(a, &rule_a);

	return run_rule(b, &rule_b) == length && !strncmp(rule_a, rule_b, length);
}

/* Whether some seeds break the same rule in a case of this size; the case and the page are then of that one. */
static bool run_smaller(struct run_page *page, struct xy_check *check, const struct xy_check *smaller)
{
	struct run_page *before = malloc(sizeof *before);
	bool found;

	if (!before)
		return false;
	*before = *page;
	found = run_cases(page, smaller, SMALLER_TRIES) == RUN_BROKEN &&
		run_same_rule(page->result.text, before->result.text);
	if (found) {
		*check = *smaller;
		check->seed = page->seed;
	} else {
		*page = *before;
	}
	free(before);
	return found;
}

static void run_shrink(struct run_page *page, struct xy_check *check, bool any_machine)
{
	static const char *const machines[] = { "cpu:1", "cpu:2", "cpu:3" };
	static char machine[sizeof page->result.machine];
	struct xy_check smaller;
	unsigned ntasks;

	check->seed = page->seed;
	if (!page->done) /* a crash says nothing of its size */
		return;
	snprintf(machine, sizeof machine, "%s", page->result.machine);
	check->machine = machine;
	ntasks = page->result.ntasks;
	for (unsigned i = 0; any_machine && i < 3 && strcmp(machines[i], machine); i++) {
		smaller = *check;
		smaller.machine = machines[i];
		if (run_smaller(page, check, &smaller))
			break;
	}
	for (unsigned n = 1; n < ntasks; n++) {
		smaller = *check;
		smaller.ntasks = n;
		if (run_smaller(page, check, &smaller))
			break;
	}
	for (unsigned n = 1; n < page->result.switches; n *= 2) {
		smaller = *check;
		smaller.switches = n;
		if (run_smaller(page, check, &smaller))
			break;
	}
}

/* --- the command --- */

static void run_print_broken(const struct run_page *page, const struct xy_check *check, const char *plugins)
{
	tool_say("seed %llu: %s", (unsigned long long)page->seed, page->result.text);
	if (*page->result.history)
		printf("the last steps, with %u task%s on %s:\n%s", page->result.ntasks,
		       page->result.ntasks == 1 ? "" : "s", page->result.machine, page->result.history);
	printf("again: xylem check --run '%s'", check->sched);
	if (plugins)
		printf(" --plugins %s", plugins);
	printf(" --seed %llu", (unsigned long long)page->seed);
	if (check->machine)
		printf(" --machine '%s'", check->machine);
	if (check->ntasks)
		printf(" --tasks %u", check->ntasks);
	if (check->switches)
		printf(" --switches %u", check->switches);
	printf("\n");
}

enum tool_status tool_check_run(struct xy_check *check, uint64_t nseeds, bool shrink, const char *plugins)
{
	bool any_machine = !check->machine;
	struct run_page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	enum tool_status status = TOOL_FAILED;

	if (page == MAP_FAILED) {
		tool_say("not enough memory");
		return TOOL_FAILED;
	}
	switch (run_cases(page, check, nseeds)) {
	case RUN_PASSED:
		printf("%llu seed%s, %llu steps: no rule is broken\n", (unsigned long long)page->ncases,
		       page->ncases == 1 ? "" : "s", page->steps);
		status = TOOL_OK;
		break;
	case RUN_BROKEN:
		if (shrink)
			run_shrink(page, check, any_machine);
		run_print_broken(page, check, plugins);
		status = TOOL_WRONG;
		break;
	case RUN_REFUSED:
		status = tool_status_of(page->error);
		break;
	case RUN_FAILED:
		break;
	}
	munmap(page, sizeof *page);
	return status;
}
