/* SPDX-License-Identifier: MIT */
/*
 * A lower bound of the time that tasks take: their shortest lengths, divided among all workers. Tasks of one codelet
 * and one footprint form a class; dependencies are not recorded.
 */
#include "internal.h"

struct class
{
	struct class *next;
	struct starpu_codelet *cl;
	uint32_t footprint;
	unsigned long n;
	double length_us[STARPU_NMAXWORKERS]; /* by worker, when the task was submitted; NAN: not known */
};

static pthread_mutex_t bound_lock = PTHREAD_MUTEX_INITIALIZER;
static struct class *classes; /* with bound_lock */
_Atomic bool xs_bound_records;

static void classes_free(void)
{
	while (classes) {
		struct class *class = classes;

		classes = class->next;
		free(class);
	}
}

void xs_bound_fini(void)
{
	atomic_store(&xs_bound_records, false);
	pthread_mutex_lock(&bound_lock);
	classes_free();
	pthread_mutex_unlock(&bound_lock);
}

void starpu_bound_start(int deps, int prio)
{
	(void)deps;
	(void)prio;
	xs_bound_fini();
	atomic_store(&xs_bound_records, true);
}

void starpu_bound_stop(void)
{
	atomic_store(&xs_bound_records, false);
}

static unsigned workers(void)
{
	return xs_global.nworkers < STARPU_NMAXWORKERS ? xs_global.nworkers : STARPU_NMAXWORKERS;
}

void xs_bound_submitted(struct starpu_task *task)
{
	uint32_t footprint;
	struct class *class;

	if (!task->cl)
		return;
	footprint = starpu_task_data_footprint(task);
	pthread_mutex_lock(&bound_lock);
	for (class = classes; class && (class->cl != task->cl || class->footprint != footprint); class = class->next)
		;
	if (!class && (class = calloc(1, sizeof *class))) {
		class->cl = task->cl;
		class->footprint = footprint;
		class->next = classes;
		classes = class;
	}
	if (class && class->n++ == 0)
		for (unsigned w = 0; w < workers(); w++)
			class->length_us[w] = starpu_worker_can_execute_task(w, task, 0)
						      ? starpu_task_expected_length(
								task, starpu_worker_get_perf_archtype((int)w, 0), 0)
						      : INFINITY;
	pthread_mutex_unlock(&bound_lock);
}

/* What the model has learned since counts. */
static double class_length(const struct class *class, unsigned worker)
{
	double us = class->length_us[worker];

	if ((isnan(us) || us <= 0) && class->cl->model)
		us = starpu_perfmodel_history_based_expected_perf(
			class->cl->model, starpu_worker_get_perf_archtype((int)worker, 0), class->footprint);
	return us > 0 ? us : NAN;
}

/* In microseconds, by work and by the longest task. 0 if a length is not known. */
static void bound_of(double *work_us, double *longest_us)
{
	*work_us = *longest_us = 0;
	for (const struct class *class = classes; class; class = class->next) {
		double best = INFINITY;

		for (unsigned w = 0; w < workers(); w++) {
			double us = class_length(class, w);

			if (isnan(us)) {
				*work_us = *longest_us = 0;
				return;
			}
			best = us < best ? us : best;
		}
		*work_us += best * (double)class->n / workers();
		*longest_us = best > *longest_us ? best : *longest_us;
	}
}

void starpu_bound_compute(double *res, double *integer_res, int integer)
{
	double work_us, longest_us;

	pthread_mutex_lock(&bound_lock);
	bound_of(&work_us, &longest_us);
	pthread_mutex_unlock(&bound_lock);
	if (res)
		*res = work_us / 1000;
	if (integer_res)
		*integer_res = integer && longest_us > work_us ? longest_us / 1000 : work_us / 1000;
}

void starpu_bound_print(FILE *output, int integer)
{
	double bound_ms, whole_ms;

	starpu_bound_compute(&bound_ms, &whole_ms, integer);
	pthread_mutex_lock(&bound_lock);
	for (const struct class *class = classes; class; class = class->next)
		fprintf(output, "%lu tasks of %s, footprint %08x\n", class->n,
			class->cl->name ? class->cl->name : "an unnamed codelet", class->footprint);
	pthread_mutex_unlock(&bound_lock);
	fprintf(output, "lower bound: %f ms\n", integer ? whole_ms : bound_ms);
}

/* How many tasks of each class each worker runs, so that the last one ends as early as possible. */
void starpu_bound_print_lp(FILE *output)
{
	unsigned c = 0;

	pthread_mutex_lock(&bound_lock);
	fprintf(output, "min: tmax;\n");
	for (const struct class *class = classes; class; class = class->next, c++) {
		for (unsigned w = 0; w < workers(); w++)
			fprintf(output, "%sw%ut%u", w ? " + " : "", w, c);
		fprintf(output, " = %lu;\n", class->n);
	}
	for (unsigned w = 0; w < workers(); w++) {
		c = 0;
		for (const struct class *class = classes; class; class = class->next, c++) {
			double us = class_length(class, w);

			if (isfinite(us))
				fprintf(output, "%s%f w%ut%u", c ? " + " : "", us, w, c);
		}
		fprintf(output, "%s <= tmax;\n", c ? "" : "0");
	}
	pthread_mutex_unlock(&bound_lock);
}

void starpu_bound_print_mps(FILE *output)
{
	unsigned c = 0;

	pthread_mutex_lock(&bound_lock);
	fprintf(output, "NAME           bound\nROWS\n N  tmax\n");
	for (unsigned w = 0; w < workers(); w++)
		fprintf(output, " G  W%u\n", w);
	for (const struct class *class = classes; class; class = class->next, c++)
		fprintf(output, " E  T%u\n", c);
	fprintf(output, "COLUMNS\n");
	c = 0;
	for (const struct class *class = classes; class; class = class->next, c++)
		for (unsigned w = 0; w < workers(); w++) {
			double us = class_length(class, w);

			fprintf(output, "    W%uT%u  T%u  1", w, c, c);
			if (isfinite(us))
				fprintf(output, "  W%u  %f", w, -us);
			fprintf(output, "\n");
		}
	fprintf(output, "    TMAX  tmax  1\n");
	for (unsigned w = 0; w < workers(); w++)
		fprintf(output, "    TMAX  W%u  1\n", w);
	fprintf(output, "RHS\n");
	c = 0;
	for (const struct class *class = classes; class; class = class->next, c++)
		fprintf(output, "    N  T%u  %lu\n", c, class->n);
	fprintf(output, "ENDATA\n");
	pthread_mutex_unlock(&bound_lock);
}

void starpu_bound_print_dot(FILE *output)
{
	unsigned c = 0;

	pthread_mutex_lock(&bound_lock);
	fprintf(output, "digraph tasks {\n");
	for (const struct class *class = classes; class; class = class->next, c++)
		fprintf(output, "\tt%u [label=\"%s: %lu\"];\n", c, class->cl->name ? class->cl->name : "task",
			class->n);
	fprintf(output, "}\n");
	pthread_mutex_unlock(&bound_lock);
}
