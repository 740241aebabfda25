/* SPDX-License-Identifier: MIT */
/*
 * The three files of PipeEdge's scheduler as a problem. Everything that is used is checked; messages have
 * the file, the line and the key.
 */
#ifndef XYLEM_PIPELINE_READ_H
#define XYLEM_PIPELINE_READ_H

#include "pipeline/pipeline.h"

/* What the command line says about the files. */
struct pipeline_request {
	const char *model, *dtype;
	const char *models_name, *types_name, *devices_name; /* of the files, for messages */
	unsigned nexcluded;
	const char *const *excluded; /* hosts */
};

/* The bytes of a parameter of a PyTorch datatype; 0, after a message that says where, if it is unknown. */
unsigned pipeline_dtype_size(const char *dtype, const char *where, const struct pipeline_report *report);
/* Whether two names, both known, mean one datatype: torch.half and torch.float16. */
bool pipeline_dtype_is_same(const char *a, const char *b);

/* Fills a problem whose numbers from the command line are set already. False after a message; the problem is
 * to be freed in any case. Types without a profile or without an entry are left out with a warning. */
bool pipeline_read(struct pipeline_problem *problem, const struct pipeline_request *request, FILE *models, FILE *types,
		   FILE *devices, const struct pipeline_report *report);

/* Shared by the readers of the files (source.c). */
struct pipeline_document;
struct yaml_node_s;

/* A place in a file: every message about it begins with file, line and owner. */
struct pipeline_source {
	const struct pipeline_document *document;
	const char *name;  /* of the file */
	const char *owner; /* the model or the type, or NULL */
	const struct pipeline_report *report;
};

/* Says what is wrong with the value of a key; returns false. */
bool pipeline_source_refuse(const struct pipeline_source *source, const struct yaml_node_s *node, const char *key,
			    const char *what);

/* The value of a key of a map, or NULL after a message. */
const struct yaml_node_s *pipeline_source_need(const struct pipeline_source *source, const struct yaml_node_s *map,
					       const char *key);

/* Each reads the value of a key, or says what is wrong with it and returns false. */
bool pipeline_source_count(const struct pipeline_source *source, const struct yaml_node_s *node, const char *key,
			   uint64_t max, uint64_t *value);
bool pipeline_source_number(const struct pipeline_source *source, const struct yaml_node_s *node, const char *key,
			    double max, double *value);
/* A list of such numbers, to be freed. */
bool pipeline_source_numbers(const struct pipeline_source *source, const struct yaml_node_s *node, const char *key,
			     double max, double **values);

/* One file each (read_model.c, read_types.c, read_devices.c). */
bool pipeline_read_model(struct pipeline_problem *problem, const struct pipeline_request *request,
			 struct pipeline_source source);
bool pipeline_read_types(struct pipeline_problem *problem, const struct pipeline_request *request,
			 struct pipeline_source source);
bool pipeline_read_devices(struct pipeline_problem *problem, const struct pipeline_request *request,
			   struct pipeline_source source);

#endif
