/* SPDX-License-Identifier: MIT */
/* The command line: PipeEdge's options with their defaults, and ours behind them, which have no letter. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/text.h"
#include "pipeline/options.h"

/* Absurd above this; the product with the model's sizes is checked when they are read. */
#define OPTIONS_COUNT_MAX 1000000

enum {
	OPTION_COMPAT = 256,
	OPTION_COST,
	OPTION_ALL_COSTS,
	OPTION_OBJECTIVE,
	OPTION_ORDER,
	OPTION_EXCLUDE,
	OPTION_DRAW,
};

static const struct option options_long[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "dtype", required_argument, NULL, 'd' },
	{ "batch-size", required_argument, NULL, 'b' },
	{ "buffers-in", required_argument, NULL, 'i' },
	{ "buffers-out", required_argument, NULL, 'o' },
	{ "model-name", required_argument, NULL, 'm' },
	{ "models-file", required_argument, NULL, 'M' },
	{ "dev-types-file", required_argument, NULL, 'T' },
	{ "dev-file", required_argument, NULL, 'D' },
	{ "compat", no_argument, NULL, OPTION_COMPAT },
	{ "cost", no_argument, NULL, OPTION_COST },
	{ "all-costs", no_argument, NULL, OPTION_ALL_COSTS },
	{ "objective", required_argument, NULL, OPTION_OBJECTIVE },
	{ "order", required_argument, NULL, OPTION_ORDER },
	{ "exclude", required_argument, NULL, OPTION_EXCLUDE },
	{ "draw", required_argument, NULL, OPTION_DRAW },
	{ NULL, 0, NULL, 0 },
};

void pipeline_options_help(const char *program, FILE *file)
{
	fprintf(file,
		"usage: %s [-d dtype] [-b batch-size] [-i buffers-in] [-o buffers-out]\n"
		"       [-m model-name] [-M models-file] [-T dev-types-file] [-D dev-file]\n"
		"       [--cost] [--all-costs] [--objective throughput|latency] [--order host,...]\n"
		"       [--exclude host] [--draw file] [--compat]\n"
		"\n"
		"Assigns the layers of a model to devices, as the stages of a pipeline, so that the "
		"slowest\n"
		"stage or transfer is as fast as possible. Prints the schedule as a YAML list.\n"
		"\n",
		program);
	fputs("Options\n"
	      "  -d, --dtype TYPE           PyTorch datatype (torch.float32)\n"
	      "  -b, --batch-size N         size of a microbatch (8)\n"
	      "  -i, --buffers-in N         buffers for received data (2)\n"
	      "  -o, --buffers-out N        buffers for data to send (2)\n"
	      "  -m, --model-name NAME      model (google/vit-base-patch16-224)\n"
	      "  -M, --models-file FILE     models (models.yml)\n"
	      "  -T, --dev-types-file FILE  types of devices (device_types.yml)\n"
	      "  -D, --dev-file FILE        devices (devices.yml)\n"
	      "      --cost                 also print the bottleneck, its stage, and the throughput\n"
	      "      --all-costs            also print a table with the costs of each stage\n"
	      "      --objective WHAT       throughput, or latency: the least time for one microbatch\n"
	      "      --order HOST,...       use only these hosts, in this order; some may stay unused\n"
	      "      --exclude HOST         don't use this host; may be given several times\n"
	      "      --draw FILE            draw the schedule as SVG; \"-\": instead of printing it\n"
	      "      --compat               print the schedule that PipeEdge's own scheduler finds\n"
	      "  -h, --help                 this text\n"
	      "\n"
	      "Exit status: 0, even if nothing fits (the schedule is then []); 1 for an error.\n",
	      file);
}

/* Everything as it is without options. */
static void options_init(struct pipeline_options *options)
{
	*options = (struct pipeline_options) {
		.request = {
			.model = "google/vit-base-patch16-224",
			.dtype = "torch.float32",
			.models_name = "models.yml",
			.types_name = "device_types.yml",
			.devices_name = "devices.yml",
		},
		.batch_size = 8,
		.buffers_in = 2,
		.buffers_out = 2,
	};
}

void pipeline_options_fini(struct pipeline_options *options)
{
	free((void *)options->request.excluded);
	options->request.excluded = NULL;
}

static bool options_count(const char *name, const char *text, uint64_t least, uint64_t *value,
			  const struct pipeline_report *report)
{
	const char *at = text;

	if (xy__text_unsigned(&at, OPTIONS_COUNT_MAX, value) && !*at && *value >= least)
		return true;
	pipeline_say(report, "--%s: \"%s\" is not a whole number from %llu to %d", name, text,
		     (unsigned long long)least, OPTIONS_COUNT_MAX);
	return false;
}

static bool options_exclude(struct pipeline_options *options, const char *host, const struct pipeline_report *report)
{
	struct pipeline_request *request = &options->request;
	const char **hosts = realloc((void *)request->excluded, (request->nexcluded + 1) * sizeof(*hosts));

	if (!hosts) {
		pipeline_say(report, "no memory");
		return false;
	}
	hosts[request->nexcluded++] = host;
	request->excluded = hosts;
	return true;
}

static bool options_objective(struct pipeline_options *options, const char *text, const struct pipeline_report *report)
{
	options->latency = !strcmp(text, "latency");
	if (options->latency || !strcmp(text, "throughput"))
		return true;
	pipeline_say(report, "--objective: \"%s\" is neither throughput nor latency", text);
	return false;
}

/* One option with its value. */
static bool options_take(struct pipeline_options *options, int option, const char *value,
			 const struct pipeline_report *report)
{
	struct pipeline_request *request = &options->request;

	switch (option) {
	case 'h':
		options->help = true;
		return true;
	case 'd':
		request->dtype = value;
		return true;
	case 'b':
		return options_count("batch-size", value, 1, &options->batch_size, report);
	case 'i':
		return options_count("buffers-in", value, 0, &options->buffers_in, report);
	case 'o':
		return options_count("buffers-out", value, 0, &options->buffers_out, report);
	case 'm':
		request->model = value;
		return true;
	case 'M':
		request->models_name = value;
		return true;
	case 'T':
		request->types_name = value;
		return true;
	case 'D':
		request->devices_name = value;
		return true;
	case OPTION_COMPAT:
		options->compat = true;
		return true;
	case OPTION_COST:
		options->cost = true;
		return true;
	case OPTION_ALL_COSTS:
		options->all_costs = true;
		return true;
	case OPTION_OBJECTIVE:
		return options_objective(options, value, report);
	case OPTION_ORDER:
		options->order = value;
		return true;
	case OPTION_EXCLUDE:
		return options_exclude(options, value, report);
	case OPTION_DRAW:
		options->draw = value;
		return true;
	default:
		return false;
	}
}

bool pipeline_options_parse(struct pipeline_options *options, int argc, char **argv,
			    const struct pipeline_report *report)
{
	int option;

	options_init(options);
	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":hd:b:i:o:m:M:T:D:", options_long, NULL)) != -1) {
		if (option == '?' || option == ':') {
			pipeline_say(report,
				     option == '?' ? "unknown option \"%s\", see --help"
						   : "option \"%s\" needs a value, see --help",
				     argv[optind - 1]);
			return false;
		}
		if (!options_take(options, option, optarg, report))
			return false;
	}
	if (options->help)
		return true;
	if (optind < argc) {
		pipeline_say(report, "unexpected argument \"%s\", see --help", argv[optind]);
		return false;
	}
	if (options->compat && (options->latency || options->order)) {
		pipeline_say(report, "--compat excludes --objective latency and --order");
		return false;
	}
	options->dtype_size = pipeline_dtype_size(options->request.dtype, "--dtype", report);
	return options->dtype_size;
}
