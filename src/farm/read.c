/* SPDX-License-Identifier: MIT */
/*
 * farm.yml: imports first, then the block of this host, then each entry of jobs with the defaults below it. All of
 * this merges trees; values are read once, from the merged tree.
 */
#include "farm/read.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/nearest.h"
#include "farm/quote.h"

#define READ_IMPORTS 32 /* files inside each other */

static const char *const read_keys[] = {
	"name",
	"scheduler",
	"folder",
	"max_simultaneous_jobs",
	"max_fails_per_job",
	"max_fails",
	"interval",
	"save_interval",
	"log_interval",
	"kill_on_error",
	"jobs",
	"import",
	"DEFAULT",
	"SLURM",
};

/* Keys at the top that hold for all jobs. */
static bool read_is_default(const char *key)
{
	return strcmp(key, "name") && strcmp(key, "scheduler") && farm_read_is_entry_key(key, NULL);
}

static bool read_unknown(const struct farm_reader *reader, const struct farm_node *node, struct xy__nearest *nearest)
{
	struct xy__message message;
	char suggestion[160];

	xy__message_init(&message, suggestion, sizeof(suggestion));
	xy__nearest_say(nearest, &message);
	farm_say(reader->report, "%s:%u: there is no key \"%s\"%s", node->source, node->line, node->key, suggestion);
	return false;
}

/* Every key of the top: known, or the block of a host. */
static bool read_check_top(const struct farm_reader *reader, const struct farm_node *map)
{
	for (const struct farm_node *item = map->first; item; item = item->next) {
		struct xy__nearest nearest;
		bool known = !strncmp(item->key, "SLURM_", 6);

		xy__nearest_init(&nearest, item->key, strlen(item->key));
		for (size_t i = 0; i < sizeof(read_keys) / sizeof(read_keys[0]) && !known; i++) {
			known = !strcmp(item->key, read_keys[i]);
			xy__nearest_look(&nearest, read_keys[i]);
		}
		if (!known && !farm_read_is_entry_key(item->key, &nearest))
			return read_unknown(reader, item, &nearest);
	}
	return true;
}

static bool read_check_entry(const struct farm_reader *reader, const struct farm_node *map)
{
	if (map->kind != FARM_MAP)
		return farm_read_refuse(reader, map, "must be a map with keys of a job");
	for (const struct farm_node *item = map->first; item; item = item->next) {
		struct xy__nearest nearest;

		xy__nearest_init(&nearest, item->key, strlen(item->key));
		if (!farm_read_is_entry_key(item->key, &nearest))
			return read_unknown(reader, item, &nearest);
	}
	return true;
}

/* --- imports --- */

struct read_file {
	const char *path; /* real */
	const struct read_file *outer;
	unsigned depth;
};

static struct farm_node *read_tree(const struct farm_reader *reader, const char *path, const struct read_file *outer,
				   const struct farm_node *from);

/* The tree of one file that an import names, from beside the importing file. */
static struct farm_node *read_import(const struct farm_reader *reader, const struct farm_node *node,
				     const struct read_file *file)
{
	const char *slash = strrchr(file->path, '/');
	char *path;

	if (node->kind != FARM_SCALAR || !*node->text) {
		farm_read_refuse(reader, node, "must be the name of a file");
		return NULL;
	}
	path = *node->text == '/'
		       ? farm_text(reader->farm, "%s", node->text)
		       : farm_text(reader->farm, "%.*s/%s", (int)(slash - file->path), file->path, node->text);
	return path ? read_tree(reader, path, file, node) : NULL;
}

static struct farm_node *read_imports(const struct farm_reader *reader, struct farm_node *root,
				      const struct read_file *file)
{
	const struct farm_node *import = farm_node_find(root, "import"), *item;
	struct farm_node *merged = NULL, *tree;

	if (!import || farm_node_is_null(import))
		return root;
	if (import->kind == FARM_SCALAR) {
		merged = read_import(reader, import, file);
		return merged ? farm_node_merge(reader->farm, merged, root) : NULL;
	}
	for (item = import->kind == FARM_LIST ? import->first : NULL; item; item = item->next) {
		tree = read_import(reader, item, file);
		if (!tree)
			return NULL;
		merged = merged ? farm_node_merge(reader->farm, merged, tree) : tree;
	}
	if (!merged)
		return root;
	return farm_node_merge(reader->farm, merged, root);
}

static bool read_is_open(const struct farm_reader *reader, const char *real, const struct read_file *outer,
			 const struct farm_node *from)
{
	for (const struct read_file *file = outer; file; file = file->outer)
		if (!strcmp(file->path, real) || file->depth >= READ_IMPORTS) {
			farm_read_refuse(reader, from, "%s imports itself, through %s", real, from->source);
			return true;
		}
	return false;
}

/* The merged tree of a file and all its imports; from is the import that names it, or NULL. */
static struct farm_node *read_tree(const struct farm_reader *reader, const char *path, const struct read_file *outer,
				   const struct farm_node *from)
{
	char *real = realpath(path, NULL);
	struct read_file file = { .path = real, .outer = outer, .depth = outer ? outer->depth + 1 : 0 };
	struct farm_node **documents, *root = NULL;
	FILE *stream = real ? fopen(real, "re") : NULL;
	size_t count;

	if (!stream) {
		if (from)
			farm_read_refuse(reader, from, "%s: %s", path, strerror(errno));
		else
			farm_say(reader->report, "%s: %s", path, strerror(errno));
		free(real);
		return NULL;
	}
	if (read_is_open(reader, real, outer, from) ||
	    farm_node_read(reader->farm, stream, path, &documents, &count, reader->report))
		goto out;
	if (count != 1 || documents[0]->kind != FARM_MAP) {
		farm_say(reader->report, "%s: must be one document of YAML with a map of keys", path);
		goto out;
	}
	if (read_check_top(reader, documents[0]))
		root = read_imports(reader, documents[0], &file);
out:
	fclose(stream);
	free(real);
	return root;
}

/* --- the farm --- */

/* Puts the block of this host over the keys of the top: SLURM, or the longest SLURM_<part of the host's name>. */
static struct farm_node *read_host(const struct farm_reader *reader, struct farm_node *root)
{
	struct farm_node *block = farm_node_find(root, "SLURM"), *item, *merged;
	size_t longest = 0;

	for (item = root->first; item; item = item->next)
		if (!strncmp(item->key, "SLURM_", 6) && strstr(reader->place->host, item->key + 6) &&
		    strlen(item->key) > longest) {
			longest = strlen(item->key);
			block = item;
		}
	if (!block)
		return root;
	if (block->kind != FARM_MAP) {
		farm_read_refuse(reader, block, "must be a map of keys");
		return NULL;
	}
	if (!read_check_top(reader, block))
		return NULL;
	merged = farm_node_merge(reader->farm, root, block);
	if (merged)
		merged->key = NULL;
	return merged;
}

static bool read_scheduler(const struct farm_reader *reader, const struct farm_node *node, struct farm *farm)
{
	static const char *const words[] = { "slurm", "pbs", "local" };
	enum farm_share share;

	if (!node || farm_node_is_null(node))
		return true;
	for (size_t i = 0; node->kind == FARM_SCALAR && i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(node->text, words[i])) {
			farm->scheduler = (enum farm_scheduler)i;
			return true;
		}
	if (node->kind == FARM_SCALAR && farm_read_is_share(node->text, &share))
		return true;
	return farm_read_refuse(reader, node,
				"must be slurm, pbs or local (or mp, horeka, kluster, cpu_distribute: "
				"SLURM with shares)");
}

static bool read_kill(const struct farm_reader *reader, const struct farm_node *node, struct farm *farm)
{
	size_t length;
	regex_t regex;

	if (!node)
		return true;
	if (farm_node_is_null(node)) {
		farm->kill_on_error = NULL;
		return true;
	}
	if (!farm_read_text(reader, node, &farm->kill_on_error))
		return false;
	length = strlen(node->text);
	if (!length)
		farm->kill_on_error = NULL;
	if (length < 3 || node->text[0] != '/' || node->text[length - 1] != '/')
		return true;
	farm->kill_on_error = farm_text(farm, "%.*s", (int)length - 2, node->text + 1);
	farm->kill_is_pattern = true;
	if (!farm->kill_on_error || regcomp(&regex, farm->kill_on_error, REG_EXTENDED | REG_NOSUB))
		return farm_read_refuse(reader, node, "is no extended regular expression");
	regfree(&regex);
	return true;
}

static bool read_numbers(const struct farm_reader *reader, const struct farm_node *root, struct farm *farm)
{
	unsigned max_fails = 0;
	struct {
		const char *key;
		unsigned *count;
		double *time;
		bool zero;
	} keys[] = {
		{ "max_simultaneous_jobs", &farm->max_simultaneous_jobs, NULL, false },
		{ "max_fails_per_job", &farm->max_fails_per_job, NULL, true },
		{ "max_fails", &max_fails, NULL, true },
		{ "interval", NULL, &farm->interval_s, false },
		{ "save_interval", NULL, &farm->save_interval_s, true },
		{ "log_interval", NULL, &farm->log_interval_s, true },
	};

	/* On this computer looking is cheap, and nobody waits a minute for the next job. */
	if (farm->scheduler == FARM_LOCAL)
		farm->interval_s = 1;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct farm_node *node = farm_node_find(root, keys[i].key);

		if (!node || farm_node_is_null(node))
			continue;
		if (!(keys[i].count ? farm_read_count(reader, node, keys[i].count)
				    : farm_read_time(reader, node, keys[i].time)))
			return false;
		if (!keys[i].zero && (keys[i].count ? *keys[i].count == 0 : *keys[i].time <= 0))
			return farm_read_refuse(reader, node, "must be more than 0");
	}
	farm->max_fails = max_fails;
	return true;
}

/* The folder of the farm: beside its file unless it says otherwise. */
static bool read_folder(const struct farm_reader *reader, const struct farm_node *root, struct farm *farm)
{
	const struct farm_node *name = farm_node_find(root, "name"), *folder = farm_node_find(root, "folder");
	struct xy__buffer file = { 0 };

	if (!name || name->kind != FARM_SCALAR || !*name->text || farm_quote_has_control(name->text))
		return farm_read_refuse(reader, name ? name : root, name ? "must be a name" : "the farm needs a name");
	farm->name = name->text;
	if (folder && (folder->kind != FARM_SCALAR || !*folder->text || farm_quote_has_control(folder->text)))
		return farm_read_refuse(reader, folder, "must be the name of a folder");
	farm_quote_file(&file, farm->name);
	if (folder && *folder->text == '/')
		farm->folder = folder->text;
	else if (folder)
		farm->folder = farm_text(farm, "%s/%s", farm->base, folder->text);
	else
		farm->folder = farm_text(farm, "%s/%s.farm", farm->base, file.failed ? "" : file.at);
	farm->failed |= file.failed;
	xy__buffer_fini(&file);
	return true;
}

/* The defaults of all jobs: what the top says about jobs, then DEFAULT. */
static struct farm_node *read_defaults(const struct farm_reader *reader, const struct farm_node *root)
{
	struct farm_node *defaults = farm_alloc(reader->farm, sizeof(*defaults)), **end;
	const struct farm_node *block = farm_node_find(root, "DEFAULT"), *share = farm_node_find(root, "scheduler");
	enum farm_share ignored;

	if (!defaults)
		return NULL;
	*defaults = (struct farm_node){ .kind = FARM_MAP, .source = root->source, .line = root->line };
	end = &defaults->first;
	for (const struct farm_node *item = root->first; item; item = item->next) {
		bool is_share = item == share && item->kind == FARM_SCALAR && farm_read_is_share(item->text, &ignored);

		if (!is_share && !read_is_default(item->key))
			continue;
		*end = farm_node_merge(reader->farm, NULL, item);
		if (!*end)
			return NULL;
		end = &(*end)->next;
	}
	if (!block || farm_node_is_null(block))
		return defaults;
	return read_check_entry(reader, block) ? farm_node_merge(reader->farm, defaults, block) : NULL;
}

static bool read_jobs(const struct farm_reader *reader, const struct farm_node *root)
{
	const struct farm_node *jobs = farm_node_find(root, "jobs"), *item;
	struct farm_node *defaults = read_defaults(reader, root), *entry;

	if (!defaults)
		return false;
	if (!jobs || jobs->kind == FARM_SCALAR || !jobs->first)
		return farm_read_refuse(reader, jobs ? jobs : root, "%s",
					jobs ? "must be a list of jobs or a sweep" : "the key jobs is missing");
	for (item = jobs->kind == FARM_LIST ? jobs->first : jobs; item; item = item->next) {
		if (!read_check_entry(reader, item))
			return false;
		entry = farm_node_merge(reader->farm, defaults, item);
		if (!entry)
			return false;
		entry->key = NULL;
		entry->source = item->source;
		entry->line = item->line;
		if (!farm_read_entry(reader, entry))
			return false;
		if (jobs->kind == FARM_MAP)
			break;
	}
	return true;
}

int farm_read(struct farm *farm, const char *path, const struct farm_place *place, const struct farm_report *report)
{
	struct farm_reader reader = { .farm = farm, .place = place, .report = report };
	struct farm_node *root = read_tree(&reader, path, NULL, NULL);
	char *real = realpath(path, NULL);
	bool good;

	farm->file = real ? farm_text(farm, "%s", real) : NULL;
	farm->base = real ? farm_text(farm, "%.*s", (int)(strrchr(real, '/') - real), real) : NULL;
	if (farm->base && !*farm->base)
		farm->base = farm_text(farm, "/");
	free(real);
	if (root && farm->base)
		root = read_host(&reader, root);
	good = root && farm->base && read_scheduler(&reader, farm_node_find(root, "scheduler"), farm) &&
	       read_folder(&reader, root, farm) && read_numbers(&reader, root, farm) &&
	       read_kill(&reader, farm_node_find(root, "kill_on_error"), farm) && read_jobs(&reader, root);
	if (!good) {
		if (farm->failed)
			farm_say(report, "there is not enough memory for the farm");
		return farm->failed ? -ENOMEM : -EINVAL;
	}
	return farm_check(farm, report);
}
