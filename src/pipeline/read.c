/* SPDX-License-Identifier: MIT */
/* Reads the three files one after the other; the model comes first, as its layers are counted in the others. */
#include "pipeline/document.h"
#include "pipeline/read.h"

static bool read_file(struct pipeline_problem *problem, const struct pipeline_request *request, FILE *file,
		      const char *name, const struct pipeline_report *report,
		      bool (*read)(struct pipeline_problem *, const struct pipeline_request *, struct pipeline_source))
{
	struct pipeline_document *document = pipeline_document_read(file, name, report);
	bool fine = document && read(problem, request,
				     (struct pipeline_source){
					     .document = document,
					     .name = name,
					     .report = report,
				     });

	pipeline_document_destroy(document);
	return fine;
}

bool pipeline_read(struct pipeline_problem *problem, const struct pipeline_request *request, FILE *models, FILE *types,
		   FILE *devices, const struct pipeline_report *report)
{
	return read_file(problem, request, models, request->models_name, report, pipeline_read_model) &&
	       read_file(problem, request, types, request->types_name, report, pipeline_read_types) &&
	       read_file(problem, request, devices, request->devices_name, report, pipeline_read_devices);
}
