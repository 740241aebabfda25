/* SPDX-License-Identifier: MIT */
/* An entry of `jobs`: one piece, or a sweep of them, or repetitions of either. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/util/nearest.h"
#include "farm/read.h"
#include "farm/sweep.h"

static const char *const entry_keys[] = {
	"name",         "command",      "depends_on", "params",      "grid",         "list",
	"ablative",     "goal",         "claims",     "repetitions", "reps_per_job", "reps_in_parallel",
	"gpus_per_rep", "cpus_per_rep", "scheduler",  "mps",
};

bool farm_read_is_entry_key(const char *key, struct xy__nearest *nearest)
{
	for (size_t i = 0; i < sizeof(entry_keys) / sizeof(entry_keys[0]); i++) {
		if (!strcmp(entry_keys[i], key))
			return true;
		if (nearest)
			xy__nearest_look(nearest, entry_keys[i]);
	}
	return farm_read_is_resource(key, nearest);
}

bool farm_read_is_share(const char *word, enum farm_share *share)
{
	static const char *const words[] = { "mp", "horeka", "kluster", "cpu_distribute" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i])) {
			*share = (enum farm_share)(FARM_SHARE_MP + i);
			return true;
		}
	return false;
}

static bool entry_params(const struct farm_reader *reader, const struct farm_node *node, struct farm_values *params)
{
	if (!node || farm_node_is_null(node))
		return true;
	if (node->kind != FARM_MAP)
		return farm_read_refuse(reader, node, "must be a map of parameters");
	for (const struct farm_node *item = node->first; item; item = item->next)
		farm_values_add(reader->farm, params, farm_node_value(reader->farm, item->key, item));
	return true;
}

static bool entry_axes(const struct farm_reader *reader, const struct farm_node *node, struct farm_axes *axes)
{
	size_t n = 0;

	if (!node || farm_node_is_null(node))
		return true;
	if (node->kind != FARM_MAP)
		return farm_read_refuse(reader, node, "must be a map of parameters and lists of values");
	if (!node->first)
		return farm_read_refuse(reader, node, "the sweep is empty");
	axes->at = farm_alloc(reader->farm, farm_node_length(node) * sizeof(*axes->at));
	if (!axes->at)
		return false;
	axes->count = farm_node_length(node);
	for (const struct farm_node *item = node->first; item; item = item->next, n++) {
		struct farm_axis *axis = &axes->at[n];
		size_t v = 0;

		if (item->kind != FARM_LIST)
			return farm_read_refuse(reader, item, "must be a list of values");
		*axis = (struct farm_axis){ .name = item->key, .count = farm_node_length(item), .line = item->line };
		axis->values = farm_alloc(reader->farm, axis->count * sizeof(*axis->values));
		if (!axis->values)
			return false;
		for (const struct farm_node *value = item->first; value; value = value->next)
			axis->values[v++] = farm_node_value(reader->farm, item->key, value);
	}
	return true;
}

static bool entry_goal(const struct farm_reader *reader, const struct farm_node *node, struct farm_goal *goal)
{
	*goal = (struct farm_goal){ .loss = -1, .time_s = -1 };
	if (!node || farm_node_is_null(node))
		return true;
	if (node->kind != FARM_MAP)
		return farm_read_refuse(reader, node, "must have points, loss, time or command");
	for (const struct farm_node *item = node->first; item; item = item->next) {
		unsigned points;
		bool good;

		if (!strcmp(item->key, "points")) {
			good = farm_read_count(reader, item, &points);
			goal->points = good ? points : 0;
		} else if (!strcmp(item->key, "loss")) {
			good = farm_read_number(reader, item, &goal->loss);
		} else if (!strcmp(item->key, "time")) {
			good = farm_read_time(reader, item, &goal->time_s);
		} else if (!strcmp(item->key, "command")) {
			good = farm_read_words(reader, item, &goal->command);
		} else {
			good = farm_read_refuse(reader, item, "is no goal: there are points, loss, time and command");
		}
		if (!good)
			return false;
	}
	return true;
}

/* Reads the keys of repetitions; says in *any whether there was one. */
static bool entry_repetitions(const struct farm_reader *reader, const struct farm_node *entry,
			      struct farm_repetitions *r, bool *any)
{
	const struct farm_node *share = farm_node_find(entry, "scheduler"),
			       *gpus = farm_node_find(entry, "gpus_per_rep"), *mps = farm_node_find(entry, "mps");
	struct {
		const char *key;
		unsigned *value;
	} counts[] = {
		{ "repetitions", &r->count },
		{ "reps_per_job", &r->per_job },
		{ "reps_in_parallel", &r->parallel },
		{ "cpus_per_rep", &r->cpus_per_rep },
	};

	*any = false;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const struct farm_node *node = farm_node_find(entry, counts[i].key);

		if (!node)
			continue;
		if (!farm_read_count(reader, node, counts[i].value))
			return false;
		if (!*counts[i].value)
			return farm_read_refuse(reader, node, "must be at least 1");
		*any = true;
	}
	if (gpus && !farm_read_number(reader, gpus, &r->gpus_per_rep))
		return false;
	if (gpus && (r->gpus_per_rep <= 0 || (r->gpus_per_rep > 1 && r->gpus_per_rep != floor(r->gpus_per_rep))))
		return farm_read_refuse(reader, gpus, "must be a fraction below 1 or a whole number");
	if (share && (share->kind != FARM_SCALAR || !farm_read_is_share(share->text, &r->share)))
		return farm_read_refuse(reader, share, "must be mp, horeka, kluster or cpu_distribute in a job");
	if (mps && !farm_read_truth(reader, mps, &r->mps))
		return false;
	*any |= gpus || share || mps;
	return true;
}

/* Replaces the parameters in each word. */
static bool entry_fill(const struct farm_reader *reader, const struct farm_node *node, const struct farm_words *from,
		       const struct farm_values *params, struct farm_words *to)
{
	for (size_t i = 0; i < from->count; i++) {
		char *word = farm_sweep_fill(reader->farm, from->at[i], params, node->source, node->line,
					     reader->report);

		if (!word)
			return false;
		farm_words_add(reader->farm, to, word);
	}
	return true;
}

/* What all pieces of an entry have in common. */
struct entry {
	const struct farm_node *name, *command, *depends_on;
	struct farm_words words, needs;
	struct farm_repetitions repetitions;
	bool repeated;
	struct farm_piece piece;
};

static bool entry_read_common(const struct farm_reader *reader, const struct farm_node *map, struct entry *entry)
{
	const struct farm_node *claims = farm_node_find(map, "claims");

	*entry = (struct entry){
		.name = farm_node_find(map, "name"),
		.command = farm_node_find(map, "command"),
		.depends_on = farm_node_find(map, "depends_on"),
		.piece = { .source = map->source, .line = map->line },
	};
	if (!entry->name || entry->name->kind != FARM_SCALAR || !*entry->name->text)
		return farm_read_refuse(reader, entry->name ? entry->name : map, "a job needs a name");
	if (!entry->command || farm_node_is_null(entry->command))
		return farm_read_refuse(reader, map, "the job \"%s\" has no command", entry->name->text);
	if (claims && (claims->kind != FARM_SCALAR || strcmp(claims->text, "itself")))
		return farm_read_refuse(reader, claims, "can only be itself");
	entry->piece.claims_itself = claims;
	return farm_read_words(reader, entry->command, &entry->words) &&
	       (!entry->depends_on || farm_node_is_null(entry->depends_on) ||
		(entry->depends_on->kind == FARM_LIST
			 ? farm_read_words(reader, entry->depends_on, &entry->needs)
			 : (farm_words_add(reader->farm, &entry->needs, entry->depends_on->text), true))) &&
	       farm_read_resources(reader, map, &entry->piece.resources) &&
	       entry_goal(reader, farm_node_find(map, "goal"), &entry->piece.goal) &&
	       entry_repetitions(reader, map, &entry->repetitions, &entry->repeated);
}

static bool entry_add(const struct farm_reader *reader, const struct entry *entry, const struct farm_values *params,
		      const struct farm_values *changed)
{
	struct farm_piece piece = entry->piece;

	piece.entry = entry->name->text;
	piece.params = *params;
	piece.name = farm_sweep_name(reader->farm, entry->name->text, params, changed, entry->name->source,
				     entry->name->line, reader->report);
	if (!piece.name)
		return false;
	for (size_t i = 0; i < piece.resources.mpiexec.count; i++)
		farm_words_add(reader->farm, &piece.argv, piece.resources.mpiexec.at[i]);
	if (!entry_fill(reader, entry->command, &entry->words, params, &piece.argv) ||
	    (entry->depends_on && !entry_fill(reader, entry->depends_on, &entry->needs, params, &piece.depends_on)))
		return false;
	if (entry->repeated)
		farm_add_repetitions(reader->farm, &piece, &entry->repetitions, reader->place->tool);
	else
		farm_add(reader->farm, &piece);
	return true;
}

bool farm_read_entry(const struct farm_reader *reader, const struct farm_node *map)
{
	struct farm_sweep sweep = { .source = map->source, .line = map->line };
	struct farm_points points;
	struct entry entry;

	if (!entry_read_common(reader, map, &entry) ||
	    !entry_params(reader, farm_node_find(map, "params"), &sweep.base) ||
	    !entry_axes(reader, farm_node_find(map, "grid"), &sweep.grid) ||
	    !entry_axes(reader, farm_node_find(map, "list"), &sweep.list) ||
	    !entry_axes(reader, farm_node_find(map, "ablative"), &sweep.ablative) ||
	    farm_sweep_expand(reader->farm, &sweep, &points, reader->report))
		return false;
	for (size_t i = 0; i < points.count; i++)
		if (!entry_add(reader, &entry, &points.params[i], &points.changed[i]))
			return false;
	return true;
}
