/* SPDX-License-Identifier: MIT */
/*
 * Compares the forecasts of a task on the architectures below a component.
 */
#include "components/slowness.h"

#include <math.h>
#include <stdlib.h>

enum { SLOWNESS_NEAR_STEPS = 5 }; /* taken together where moving data decides, as no two tasks are alike then */

/* The time of a task on each architecture, on the best worker there, with that of its data if `moving`; INFINITY
 * where it can't run, and negative if nothing is known. */
static void slowness_lengths(struct xy__forecast *f, bool moving, double us[XY_NARCH])
{
	const struct xy_machine *machine = xy_component_machine(f->estimate->self);

	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		us[arch] = INFINITY;
	for (unsigned i = 0; i < xy__forecast_count(f); i++) {
		const struct xy__seat *seat = xy__forecast_seat(f, i);
		struct xy__length length = xy__forecast_length(f, seat);
		enum xy_arch arch = xy_machine_worker(machine, seat->worker)->arch;

		if (moving && length.known)
			length.us += xy__forecast_transfer_us(f, seat);
		if (length.runs)
			us[arch] = length.known      ? (us[arch] < 0 ? length.us : fmin(us[arch], length.us))
				   : isinf(us[arch]) ? -1
						     : us[arch];
	}
}

/* Where nothing is known, a task counts as fast as anywhere. *best_us is its shortest time, 0 if none is known. */
static struct xy__slowness slowness_compare(const double us[XY_NARCH], int unit, double *best_us)
{
	double least = INFINITY;
	struct xy__slowness s;

	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		if (us[arch] >= 0)
			least = fmin(least, us[arch]);
	*best_us = isinf(least) ? 0 : least;
	for (unsigned arch = 0; arch < XY_NARCH; arch++) {
		if (isinf(us[arch]))
			s.of[arch] = XY__SLOWNESS_NEVER;
		else if (us[arch] < 0 || !(*best_us > 0))
			s.of[arch] = 0;
		else
			s.of[arch] = (int16_t)(unit *
					       lrint(fmin(XY__SLOWNESS_STEPS * log2(us[arch] / least), 1000) / unit));
	}
	return s;
}

struct xy__slowness xy__slowness_of(const struct xy__estimate *estimate, const struct xy_task *task, bool near,
				    double *best_us)
{
	double us[XY_NARCH], moved_us;
	struct xy__slowness s, moved;
	struct xy__forecast f;

	xy__forecast_init(&f, estimate, task);
	slowness_lengths(&f, false, us);
	s = slowness_compare(us, 1, best_us);
	if (!near || !task->naccesses)
		return s;
	slowness_lengths(&f, true, us);
	moved = slowness_compare(us, SLOWNESS_NEAR_STEPS, &moved_us);
	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		if (moved.of[arch] == 0 && s.of[arch] > 0) {
			*best_us = moved_us;
			return moved;
		}
	return s;
}

int xy__slowness_affinity(const struct xy__slowness *s, unsigned arch)
{
	int others = XY__SLOWNESS_NEVER;

	for (unsigned other = 0; other < XY_NARCH; other++)
		if (other != arch && s->of[other] < others)
			others = s->of[other];
	return others - s->of[arch];
}

int xy__slowness_distance(const struct xy__slowness *a, const struct xy__slowness *b)
{
	int distance = 0;

	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		distance += abs(a->of[arch] - b->of[arch]);
	return distance;
}

double xy__slowness_length_us(const struct xy__slowness *s, unsigned arch, double best_us)
{
	return best_us * exp2((double)s->of[arch] / XY__SLOWNESS_STEPS);
}
