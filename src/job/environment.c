/* SPDX-License-Identifier: MIT */
/* What a job learns from its environment. */
#include <errno.h>
#include <stdlib.h>

#include "core/util/text.h"
#include "farm/environment.h"
#include "job/job.h"

#define ENVIRONMENT_SAVE_S 300.0
#define ENVIRONMENT_LOG_S 30.0

static const char *environment_get(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static double environment_seconds(const char *name, double otherwise)
{
	const char *text = environment_get(name), *at = text;
	double value;

	return at && xy__text_double(&at, &value) && !*at ? value : otherwise;
}

int job_environment_read(struct job_environment *e, char *error, size_t size)
{
	*e = (struct job_environment){
		.folder = environment_get(FARM_ENV_FOLDER),
		.set = environment_get(FARM_ENV_SET),
		.job = environment_get(FARM_ENV_JOB),
		.piece = environment_get(FARM_ENV_PIECE),
		.file = environment_get(FARM_ENV_FILE),
		.params = environment_get(FARM_ENV_PARAMS),
		.goal = environment_get(FARM_ENV_GOAL),
		.save_interval_s = environment_seconds(FARM_ENV_SAVE_INTERVAL, ENVIRONMENT_SAVE_S),
		.log_interval_s = environment_seconds(FARM_ENV_LOG_INTERVAL, ENVIRONMENT_LOG_S),
	};
	if (!e->folder) {
		xy__text_print(error, size, "%s is not set: this is no job of a farm", FARM_ENV_FOLDER);
		return -ENXIO;
	}
	if (e->job && (e->set || (e->piece && e->file)))
		return 0;
	xy__text_print(error, size, "%s is set, but %s is not", FARM_ENV_FOLDER,
		       !e->job    ? FARM_ENV_JOB
		       : e->piece ? FARM_ENV_FILE
				  : FARM_ENV_SET);
	return -EINVAL;
}
