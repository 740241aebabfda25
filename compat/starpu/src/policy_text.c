/* SPDX-License-Identifier: MIT */
/*
 * The expression of one of Xylem's policies with what StarPU's variables say about decisions and the queues below them.
 */
#include "internal.h"

#include <ctype.h>

struct text {
	char *at, *end;
};

static void text_add(struct text *t, const char *from, size_t n)
{
	if ((size_t)(t->end - t->at) <= n)
		return;
	memcpy(t->at, from, n);
	t->at += n;
	*t->at = '\0';
}

static void text_option(struct text *t, bool *first, const char *option, double value)
{
	char room[64];

	text_add(t, room, (size_t)snprintf(room, sizeof room, "%s%s=%.9g", *first ? "" : ", ", option, value));
	*first = false;
}

/* Microseconds and a variable that is not set: NaN. */
static double setting(const char *name)
{
	const char *text = xs_getenv(name);

	return text && *text ? xs_setting(name, NAN) : NAN;
}

/* Those of a variable that is set. */
static void text_settings(struct text *t, bool *first, const char *const settings[][2], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!isnan(setting(settings[i][0])))
			text_option(t, first, settings[i][1], setting(settings[i][0]));
}

static const char *const weights[][2] = {
	{ "STARPU_SCHED_ALPHA", "alpha" },
	{ "STARPU_SCHED_BETA", "beta" },
	{ "STARPU_SCHED_GAMMA", "gamma" },
	{ "STARPU_IDLE_POWER", "idle_w" },
};
static const char *const limits[][2] = {
	{ "STARPU_NTASKS_THRESHOLD", "ntasks" },
	{ "STARPU_EXP_LEN_THRESHOLD", "length_us" },
};
#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool any_set(void)
{
	for (unsigned i = 0; i < COUNT(weights); i++)
		if (!isnan(setting(weights[i][0])))
			return true;
	for (unsigned i = 0; i < COUNT(limits); i++)
		if (!isnan(setting(limits[i][0])))
			return true;
	return false;
}

/* Options that stand there, apart from ntasks where that is set. Returns what follows the bracket. */
static const char *text_options(struct text *t, bool *first, const char *in, bool is_limited)
{
	while (*in && *in != ')') {
		size_t n = strcspn(in, ",)");
		bool replaced = is_limited && !strncmp(in, "ntasks=", 7) && !isnan(setting(limits[0][0]));

		if (!replaced) {
			text_add(t, ", ", *first ? 0 : 2);
			text_add(t, in, n);
			*first = false;
		}
		in += n;
		in += strspn(in, ", ");
	}
	return *in ? in + 1 : in;
}

/* A component, with its options. Queues that have a limit are those below a decision. */
static const char *text_component(struct text *t, const char *in)
{
	size_t n = strspn(in, "abcdefghijklmnopqrstuvwxyz-");
	bool decides = (n == 3 && !strncmp(in, "mct", n)) || (n == 4 && !strncmp(in, "heft", n));
	const char *open = in + n, *close = *open == '(' ? strchr(open, ')') : NULL;
	const char *limit = close ? strstr(open, "ntasks=") : NULL;
	bool is_limited = limit && limit < close, first = true;
	struct text before;

	text_add(t, in, n);
	if (!decides && !is_limited)
		return open;
	before = *t;
	text_add(t, "(", 1);
	if (decides)
		text_settings(t, &first, weights, COUNT(weights));
	else
		text_settings(t, &first, limits, COUNT(limits));
	if (close)
		open = text_options(t, &first, open + 1, is_limited);
	text_add(t, ")", 1);
	if (first)
		*t = before;
	return open;
}

const char *xs_policy_text(const char *name, char *room, size_t size)
{
	struct text t = { room, room + size };
	struct xy_registry *registry;
	const struct xy_policy *policy;
	const char *in;
	char error[128];

	if (!any_set() || xy_registry_create(&registry, NULL, error, sizeof error))
		return name;
	policy = xy_registry_policy(registry, name);
	in = policy ? policy->expression : NULL;
	while (in && *in)
		if (islower((unsigned char)*in)) {
			in = text_component(&t, in);
		} else {
			text_add(&t, in++, 1);
		}
	if (!policy || !policy->expression)
		xs_note("STARPU_SCHED_ALPHA and the like have no effect on '%s'", name);
	xy_registry_destroy(registry);
	return t.at == room ? name : room;
}
