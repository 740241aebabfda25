/* SPDX-License-Identifier: MIT */
/*
 * Performance counters. What is counted about the program, a worker or a codelet is an account; an account with a
 * listener is reported at each change. Accounts change and listeners are called with counters_lock held, which is
 * recursive: a listener may submit tasks.
 */
#include "internal.h"

#define NCODELETS 64u

enum field { TOTAL_SUBMITTED, PEAK_SUBMITTED, CURRENT_SUBMITTED, PEAK_READY, CURRENT_READY, TOTAL_EXECUTED, TIME_US };
#define NFIELDS ((unsigned)TIME_US + 1)

struct counter {
	enum starpu_perf_counter_scope scope;
	enum field field;
	const char *name, *help;
};

/* An id is the index here plus 1. */
static const struct counter counters[] = {
	{ starpu_perf_counter_scope_global, TOTAL_SUBMITTED, "starpu.task.g_total_submitted", "tasks submitted" },
	{ starpu_perf_counter_scope_global, PEAK_SUBMITTED, "starpu.task.g_peak_submitted",
	  "most tasks submitted and not ended at a time" },
	{ starpu_perf_counter_scope_global, CURRENT_SUBMITTED, "starpu.task.g_current_submitted",
	  "tasks submitted and not ended" },
	{ starpu_perf_counter_scope_global, PEAK_READY, "starpu.task.g_peak_ready", "most tasks ready at a time" },
	{ starpu_perf_counter_scope_global, CURRENT_READY, "starpu.task.g_current_ready", "tasks ready" },
	{ starpu_perf_counter_scope_per_worker, TOTAL_EXECUTED, "starpu.task.w_total_executed",
	  "tasks that the worker ran" },
	{ starpu_perf_counter_scope_per_worker, TIME_US, "starpu.task.w_cumul_execution_time",
	  "microseconds in functions of codelets" },
	{ starpu_perf_counter_scope_per_codelet, TOTAL_SUBMITTED, "starpu.task.c_total_submitted",
	  "tasks of the codelet submitted" },
	{ starpu_perf_counter_scope_per_codelet, PEAK_SUBMITTED, "starpu.task.c_peak_submitted",
	  "most tasks of the codelet submitted and not run at a time" },
	{ starpu_perf_counter_scope_per_codelet, CURRENT_SUBMITTED, "starpu.task.c_current_submitted",
	  "tasks of the codelet submitted and not run" },
	{ starpu_perf_counter_scope_per_codelet, TOTAL_EXECUTED, "starpu.task.c_total_executed",
	  "tasks of the codelet that ran" },
	{ starpu_perf_counter_scope_per_codelet, TIME_US, "starpu.task.c_cumul_execution_time",
	  "microseconds in functions of the codelet" },
};
#define NCOUNTERS ((int)(sizeof counters / sizeof *counters))

static const char *const scopes[] = { NULL, "global", "per_worker", "per_codelet" };
static const char *const types[] = { NULL, "int32", "int64", "float", "double" };

struct starpu_perf_counter_set {
	enum starpu_perf_counter_scope scope;
	bool has[NFIELDS];
};

struct starpu_perf_counter_listener {
	struct starpu_perf_counter_set *set;
	void (*callback)(struct starpu_perf_counter_listener *, struct starpu_perf_counter_sample *, void *);
	void *arg;
};

struct starpu_perf_counter_sample {
	const struct starpu_perf_counter_set *set;
	const double *values;
};

struct account {
	struct starpu_perf_counter_listener *listener;
	double values[NFIELDS];
};

_Atomic bool xs_counts;
static pthread_mutex_t counters_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct account program, workers[STARPU_NMAXWORKERS]; /* with counters_lock, like the following */
static struct codelet {
	struct starpu_codelet *cl; /* NULL: free */
	struct account account;
} codelets[NCODELETS]; /* that have listeners */

void starpu_perf_counter_collection_start(void)
{
	atomic_store(&xs_counts, true);
}

void starpu_perf_counter_collection_stop(void)
{
	atomic_store(&xs_counts, false);
}

void xs_counters_fini(void)
{
	starpu_perf_counter_collection_stop();
	pthread_mutex_lock(&counters_lock);
	memset(&program, 0, sizeof program);
	memset(workers, 0, sizeof workers);
	memset(codelets, 0, sizeof codelets);
	pthread_mutex_unlock(&counters_lock);
}

/* --- names --- */

static int name_find(const char *const *names, int n, const char *name)
{
	for (int i = 1; i < n; i++)
		if (name && !strcmp(names[i], name))
			return i;
	return -1;
}

int starpu_perf_counter_scope_name_to_id(const char *name)
{
	return name_find(scopes, 4, name);
}

const char *starpu_perf_counter_scope_id_to_name(enum starpu_perf_counter_scope scope)
{
	return (unsigned)scope < 4 ? scopes[scope] : NULL;
}

int starpu_perf_counter_type_name_to_id(const char *name)
{
	return name_find(types, 5, name);
}

const char *starpu_perf_counter_type_id_to_name(enum starpu_perf_counter_type type)
{
	return (unsigned)type < 5 ? types[type] : NULL;
}

int starpu_perf_counter_nb(enum starpu_perf_counter_scope scope)
{
	int n = 0;

	for (int i = 0; i < NCOUNTERS; i++)
		n += counters[i].scope == scope;
	return n;
}

int starpu_perf_counter_name_to_id(enum starpu_perf_counter_scope scope, const char *name)
{
	for (int i = 0; i < NCOUNTERS; i++)
		if (name && counters[i].scope == scope && !strcmp(counters[i].name, name))
			return i + 1;
	return -1;
}

int starpu_perf_counter_nth_to_id(enum starpu_perf_counter_scope scope, int nth)
{
	for (int i = 0; i < NCOUNTERS && nth >= 0; i++)
		if (counters[i].scope == scope && !nth--)
			return i + 1;
	return -1;
}

static const struct counter *counter_of(int id)
{
	return id > 0 && id <= NCOUNTERS ? &counters[id - 1] : NULL;
}

const char *starpu_perf_counter_id_to_name(int id)
{
	return counter_of(id) ? counter_of(id)->name : NULL;
}

int starpu_perf_counter_get_type_id(int id)
{
	const struct counter *counter = counter_of(id);

	if (!counter)
		return -1;
	return counter->field == TIME_US ? starpu_perf_counter_type_double : starpu_perf_counter_type_int64;
}

const char *starpu_perf_counter_get_help_string(int id)
{
	return counter_of(id) ? counter_of(id)->help : NULL;
}

void starpu_perf_counter_list_avail(enum starpu_perf_counter_scope scope)
{
	for (int id = 1; id <= NCOUNTERS; id++)
		if (counter_of(id)->scope == scope)
			fprintf(stderr, "%d\t%s\t%s\t%s\n", id, counter_of(id)->name,
				types[starpu_perf_counter_get_type_id(id)], counter_of(id)->help);
}

void starpu_perf_counter_list_all_avail(void)
{
	for (int scope = 1; scope < 4; scope++)
		starpu_perf_counter_list_avail((enum starpu_perf_counter_scope)scope);
}

/* --- sets and listeners --- */

struct starpu_perf_counter_set *starpu_perf_counter_set_alloc(enum starpu_perf_counter_scope scope)
{
	struct starpu_perf_counter_set *set = calloc(1, sizeof *set);

	if (set)
		set->scope = scope;
	return set;
}

void starpu_perf_counter_set_free(struct starpu_perf_counter_set *set)
{
	free(set);
}

static void set_change(struct starpu_perf_counter_set *set, int id, bool has)
{
	const struct counter *counter = counter_of(id);

	if (set && counter && counter->scope == set->scope)
		set->has[counter->field] = has;
	else
		xs_fail(-EINVAL, "a set of performance counters can't have counter %d", id);
}

void starpu_perf_counter_set_enable_id(struct starpu_perf_counter_set *set, int id)
{
	set_change(set, id, true);
}

void starpu_perf_counter_set_disable_id(struct starpu_perf_counter_set *set, int id)
{
	set_change(set, id, false);
}

struct starpu_perf_counter_listener *starpu_perf_counter_listener_init(
	struct starpu_perf_counter_set *set,
	void (*callback)(struct starpu_perf_counter_listener *, struct starpu_perf_counter_sample *, void *),
	void *user_arg)
{
	struct starpu_perf_counter_listener *listener = set && callback ? malloc(sizeof *listener) : NULL;

	if (listener)
		*listener = (struct starpu_perf_counter_listener){ set, callback, user_arg };
	else
		xs_fail(-EINVAL, "a listener of performance counters needs a set and a function");
	return listener;
}

void starpu_perf_counter_listener_exit(struct starpu_perf_counter_listener *listener)
{
	free(listener);
}

static void account_listen(struct account *account, struct starpu_perf_counter_listener *listener,
			   enum starpu_perf_counter_scope scope)
{
	if (listener && listener->set->scope != scope)
		xs_fail(-EINVAL, "the listener is for counters %s", scopes[listener->set->scope]);
	else if (account)
		account->listener = listener;
}

void starpu_perf_counter_set_global_listener(struct starpu_perf_counter_listener *listener)
{
	pthread_mutex_lock(&counters_lock);
	account_listen(&program, listener, starpu_perf_counter_scope_global);
	pthread_mutex_unlock(&counters_lock);
}

void starpu_perf_counter_set_per_worker_listener(unsigned workerid, struct starpu_perf_counter_listener *listener)
{
	pthread_mutex_lock(&counters_lock);
	account_listen(workerid < STARPU_NMAXWORKERS ? &workers[workerid] : NULL, listener,
		       starpu_perf_counter_scope_per_worker);
	pthread_mutex_unlock(&counters_lock);
}

void starpu_perf_counter_set_all_per_worker_listeners(struct starpu_perf_counter_listener *listener)
{
	for (unsigned i = 0; i < xs_global.nworkers; i++)
		starpu_perf_counter_set_per_worker_listener(i, listener);
}

static struct codelet *codelet_find(const struct starpu_codelet *cl)
{
	for (unsigned i = 0; i < NCODELETS; i++)
		if (codelets[i].cl == cl)
			return &codelets[i];
	return NULL;
}

static struct account *codelet_account(const struct starpu_codelet *cl)
{
	struct codelet *codelet = cl ? codelet_find(cl) : NULL;

	return codelet ? &codelet->account : NULL;
}

void starpu_perf_counter_set_per_codelet_listener(struct starpu_codelet *cl,
						  struct starpu_perf_counter_listener *listener)
{
	struct codelet *codelet;

	pthread_mutex_lock(&counters_lock);
	codelet = codelet_find(cl);
	if (!codelet && listener)
		codelet = codelet_find(NULL);
	if (codelet) {
		codelet->cl = cl;
		account_listen(&codelet->account, listener, starpu_perf_counter_scope_per_codelet);
		if (!codelet->account.listener)
			*codelet = (struct codelet){ 0 };
	} else if (listener) {
		xs_fail(-ENOMEM, "at most %u codelets have listeners", NCODELETS);
	}
	pthread_mutex_unlock(&counters_lock);
}

void starpu_perf_counter_unset_global_listener(void)
{
	starpu_perf_counter_set_global_listener(NULL);
}

void starpu_perf_counter_unset_per_worker_listener(unsigned workerid)
{
	starpu_perf_counter_set_per_worker_listener(workerid, NULL);
}

void starpu_perf_counter_unset_all_per_worker_listeners(void)
{
	starpu_perf_counter_set_all_per_worker_listeners(NULL);
}

void starpu_perf_counter_unset_per_codelet_listener(struct starpu_codelet *cl)
{
	starpu_perf_counter_set_per_codelet_listener(cl, NULL);
}

/* --- samples --- */

double starpu_perf_counter_sample_get_double_value(struct starpu_perf_counter_sample *sample, const int counter_id)
{
	const struct counter *counter = counter_of(counter_id);

	if (counter && counter->scope == sample->set->scope && sample->set->has[counter->field])
		return sample->values[counter->field];
	xs_fail(-EINVAL, "the sample has no performance counter %d", counter_id);
	return 0;
}

int64_t starpu_perf_counter_sample_get_int64_value(struct starpu_perf_counter_sample *sample, const int counter_id)
{
	return (int64_t)starpu_perf_counter_sample_get_double_value(sample, counter_id);
}

int32_t starpu_perf_counter_sample_get_int32_value(struct starpu_perf_counter_sample *sample, const int counter_id)
{
	return (int32_t)starpu_perf_counter_sample_get_double_value(sample, counter_id);
}

float starpu_perf_counter_sample_get_float_value(struct starpu_perf_counter_sample *sample, const int counter_id)
{
	return (float)starpu_perf_counter_sample_get_double_value(sample, counter_id);
}

/* --- counting --- */

static void account_report(struct account *account)
{
	struct starpu_perf_counter_listener *listener = account->listener;
	struct starpu_perf_counter_sample sample;

	if (!listener)
		return;
	sample = (struct starpu_perf_counter_sample){ listener->set, account->values };
	listener->callback(listener, &sample, listener->arg);
}

static void account_submitted(struct account *account, double current)
{
	double *values = account->values;

	values[TOTAL_SUBMITTED]++;
	values[CURRENT_SUBMITTED] = current;
	if (current > values[PEAK_SUBMITTED])
		values[PEAK_SUBMITTED] = current;
	account_report(account);
}

static void program_ready(void)
{
	program.values[CURRENT_READY] = starpu_task_nready();
	if (program.values[CURRENT_READY] > program.values[PEAK_READY])
		program.values[PEAK_READY] = program.values[CURRENT_READY];
}

void xs_count_submitted(const struct starpu_task *task)
{
	struct account *codelet;

	pthread_mutex_lock(&counters_lock);
	program_ready();
	account_submitted(&program, (double)atomic_load(&xs_global.nsubmitted));
	codelet = codelet_account(task->cl);
	if (codelet)
		account_submitted(codelet, codelet->values[CURRENT_SUBMITTED] + 1);
	pthread_mutex_unlock(&counters_lock);
}

static void account_ran(struct account *account, double us)
{
	account->values[TOTAL_EXECUTED]++;
	account->values[TIME_US] += us;
	if (account->values[CURRENT_SUBMITTED] > 0)
		account->values[CURRENT_SUBMITTED]--;
	account_report(account);
}

void xs_count_ran(unsigned worker, const struct starpu_task *task, double us)
{
	struct account *codelet;

	pthread_mutex_lock(&counters_lock);
	program_ready();
	program.values[CURRENT_SUBMITTED] = (double)atomic_load(&xs_global.nsubmitted);
	account_report(&program);
	if (worker < STARPU_NMAXWORKERS)
		account_ran(&workers[worker], us);
	codelet = codelet_account(task->cl);
	if (codelet)
		account_ran(codelet, us);
	pthread_mutex_unlock(&counters_lock);
}
