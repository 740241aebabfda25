/* SPDX-License-Identifier: MIT */
/*
 * The component types and the policies that are known: those of the library and those of
 * plug-ins. Invariant: both tables are sorted, no name is in them twice, and every type keeps what
 * component.h asks of its constants.
 */
#include "core/tree/registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/tree/tree.h"

/* An instance is allocated and cleared as a whole; what a component needs more of, it allocates in init. */
#define MOST_SIZE ((size_t)16 << 20)

/* A sorted array of pointers to structs that begin with their name. */
struct table {
	const void **at;
	unsigned count;
};

struct xy_registry {
	struct table components; /* struct xy_component_ops */
	struct table policies;   /* struct xy_policy */
	void **plugins;          /* from dlopen */
	unsigned nplugins;
	const struct xy__default *defaults; /* or NULL */
};

_Static_assert(offsetof(struct xy_component_ops, name) == 0 && offsetof(struct xy_policy, name) == 0,
	       "the table finds the name at the beginning");

static const char *table_name(const struct table *table, unsigned i)
{
	return *(const char *const *)table->at[i];
}

/* Where the name is or would have to be. */
static unsigned table_position(const struct table *table, const char *name)
{
	unsigned low = 0, high = table->count;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (strcmp(table_name(table, middle), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const void *table_find(const struct table *table, const char *name)
{
	unsigned i = table_position(table, name);

	return i < table->count && !strcmp(table_name(table, i), name) ? table->at[i] : NULL;
}

static int table_insert(struct table *table, const void *item, const char *name)
{
	unsigned i = table_position(table, name);
	const void **at = realloc(table->at, (table->count + 1) * sizeof(*at));

	if (!at)
		return -ENOMEM;
	table->at = at;
	memmove(at + i + 1, at + i, (table->count - i) * sizeof(*at));
	at[i] = item;
	table->count++;
	return 0;
}

static bool name_is_valid(const char *name)
{
	if (!name || !xy__name_begins(name[0]))
		return false;
	while (xy__name_continues(*name))
		name++;
	return !*name;
}

bool xy__is_keyword(const char *name)
{
	return !strcmp(name, "each") || !strcmp(name, "let") || !strcmp(name, "in");
}

static size_t option_size(enum xy_option_type type)
{
	return type == XY_OPTION_BOOL       ? sizeof(bool)
	       : type == XY_OPTION_UNSIGNED ? sizeof(unsigned)
	       : type == XY_OPTION_DOUBLE   ? sizeof(double)
					    : XY_OPTION_TEXT_SIZE;
}

/* The fault of an option, NULL without one. */
static const char *option_fault(const struct xy_component_ops *ops, const struct xy_option *option)
{
	size_t size = option_size(option->type), alignment = option->type == XY_OPTION_TEXT ? 1 : size;

	if (!name_is_valid(option->name))
		return "has an option with a name that can't be written";
	if ((unsigned)option->type > XY_OPTION_TEXT)
		return "has an option of an unknown type";
	if (option->offset < sizeof(struct xy_component) || option->offset % alignment || ops->size < size ||
	    option->offset > ops->size - size)
		return "has an option outside its instance";
	if (option->type != XY_OPTION_BOOL && option->type != XY_OPTION_TEXT &&
	    !(option->initial >= option->min && option->initial <= option->max))
		return "has an option whose initial value is out of range";
	return NULL;
}

const char *xy__component_fault(const struct xy_component_ops *ops)
{
	const char *fault;

	if (!name_is_valid(ops->name) || xy__is_keyword(ops->name))
		return "has a name that can't be written in an expression";
	if (ops->size < sizeof(struct xy_component))
		return "is smaller than struct xy_component";
	if (ops->size > MOST_SIZE)
		return "is larger than 16 MiB";
	if ((ops->flags & XY_STORES) && !ops->depth)
		return "stores tasks but has no depth";
	if ((ops->flags & XY_LEAF) && (ops->flags & (XY_MAPS | XY_PUMPS | XY_DECIDES)))
		return "is a leaf that also maps, pumps or decides";
	if ((ops->flags & XY_PUMPS) && !(ops->flags & XY_STORES))
		return "pumps but stores nothing";
	for (const struct xy_option *o = ops->options; o && o->name; o++) {
		fault = option_fault(ops, o);
		if (fault)
			return fault;
	}
	for (const char *const *label = ops->labels; label && *label; label++)
		if (!name_is_valid(*label))
			return "has a label that can't be written";
	return NULL;
}

/* Policies and components share one space of names, so that SCHED is never ambiguous. */
static int registry_check_free(const struct xy_registry *registry, const char *name, const char *from,
			       struct xy__message *error)
{
	bool component = table_find(&registry->components, name);

	if (!component && !table_find(&registry->policies, name))
		return 0;
	xy__message_add(error, "%s defines \"%s\", but there is already a %s of that name", from, name,
			component ? "component" : "policy");
	return -EEXIST;
}

static int registry_insert(struct table *table, const void *item, const char *name, struct xy__message *error)
{
	int rc = table_insert(table, item, name);

	if (rc)
		xy__message_add(error, "no memory for the names of components and policies");
	return rc;
}

int xy__registry_add_component(struct xy_registry *registry, const struct xy_component_ops *ops, const char *from,
			       struct xy__message *error)
{
	const char *fault = xy__component_fault(ops);
	int rc;

	if (fault) {
		xy__message_add(error, "%s: the component \"%s\" %s", from, ops->name ? ops->name : "", fault);
		return -EPROTO;
	}
	rc = registry_check_free(registry, ops->name, from, error);
	return rc ? rc : registry_insert(&registry->components, ops, ops->name, error);
}

int xy__registry_add_policy(struct xy_registry *registry, const struct xy_policy *policy, const char *from,
			    struct xy__message *error)
{
	int rc;

	if (!name_is_valid(policy->name) || xy__is_keyword(policy->name) || !policy->expression == !policy->build) {
		xy__message_add(error, "%s: the policy \"%s\" has no valid name, or not one of expression and build",
				from, policy->name ? policy->name : "");
		return -EPROTO;
	}
	rc = registry_check_free(registry, policy->name, from, error);
	return rc ? rc : registry_insert(&registry->policies, policy, policy->name, error);
}

static int registry_add_all(struct xy_registry *registry, const struct xy_component_ops *const *components,
			    const struct xy_policy *const *policies, const char *from, struct xy__message *error)
{
	int rc = 0;

	for (; !rc && components && *components; components++)
		rc = xy__registry_add_component(registry, *components, from, error);
	for (; !rc && policies && *policies; policies++)
		rc = xy__registry_add_policy(registry, *policies, from, error);
	return rc;
}

/* Takes the shared object into the registry's care. */
static int registry_keep(struct xy_registry *registry, void *object)
{
	void **plugins = realloc(registry->plugins, (registry->nplugins + 1) * sizeof(*plugins));

	if (!plugins)
		return -ENOMEM;
	registry->plugins = plugins;
	plugins[registry->nplugins++] = object;
	return 0;
}

/* A name without a slash is a file here, or else one that the linker finds. */
static void *registry_open(const char *path)
{
	char here[4096];
	int length = snprintf(here, sizeof here, "./%s", path);
	bool is_here = !strchr(path, '/') && length < (int)sizeof here && access(here, F_OK) == 0;

	return dlopen(is_here ? here : path, RTLD_NOW | RTLD_LOCAL);
}

static int registry_load(struct xy_registry *registry, const char *path, struct xy__message *error)
{
	const struct xy_plugin *plugin;
	void *object = registry_open(path);

	if (!object) {
		xy__message_add(error, "the plug-in %s can't be loaded: %s", path, dlerror());
		return -ENOENT;
	}
	if (registry_keep(registry, object)) {
		dlclose(object);
		xy__message_add(error, "no memory for the plug-in %s", path);
		return -ENOMEM;
	}
	plugin = dlsym(object, "xy_plugin");
	if (!plugin) {
		xy__message_add(error, "%s is not a plug-in: it does not define xy_plugin", path);
		return -EPROTO;
	}
	if (plugin->abi != XY_ABI) {
		xy__message_add(error,
				"the plug-in %s was made for ABI %u, this library has ABI %u: "
				"compile it again",
				path, plugin->abi, XY_ABI);
		return -EPROTO;
	}
	return registry_add_all(registry, plugin->components, plugin->policies, path, error);
}

static int registry_load_all(struct xy_registry *registry, const char *plugins, struct xy__message *error)
{
	int rc = 0;

	while (!rc && plugins && *plugins) {
		size_t length = strcspn(plugins, ":");
		char *path = strndup(plugins, length);

		if (!path) {
			xy__message_add(error, "no memory for the names of plug-ins");
			return -ENOMEM;
		}
		if (length)
			rc = registry_load(registry, path, error);
		free(path);
		plugins += length + (plugins[length] == ':');
	}
	return rc;
}

int xy__registry_create(struct xy_registry **registry, const struct xy__builtin *builtin, const char *plugins,
			char *error, size_t error_size)
{
	struct xy_registry *made;
	struct xy__message text;
	int rc;

	xy__message_init(&text, error, error_size);
	if (!registry) {
		xy__message_add(&text, "the output pointer is NULL");
		return -EINVAL;
	}
	*registry = NULL;
	made = calloc(1, sizeof(*made));
	if (!made) {
		xy__message_add(&text, "no memory for the registry");
		return -ENOMEM;
	}
	rc = registry_add_all(made, builtin->components, builtin->policies, "the library", &text);
	if (!rc)
		rc = registry_load_all(made, plugins, &text);
	if (rc)
		xy_registry_destroy(made);
	else
		*registry = made;
	return rc;
}

void xy_registry_destroy(struct xy_registry *registry)
{
	if (!registry)
		return;
	for (unsigned i = 0; i < registry->nplugins; i++)
		dlclose(registry->plugins[i]);
	free(registry->plugins);
	free(registry->components.at);
	free(registry->policies.at);
	free(registry);
}

void xy__registry_set_defaults(struct xy_registry *registry, const struct xy__default *defaults)
{
	registry->defaults = defaults;
}

const struct xy__default *xy__registry_defaults(const struct xy_registry *registry)
{
	return registry ? registry->defaults : NULL;
}

const struct xy_component_ops *xy_registry_component(const struct xy_registry *registry, const char *name)
{
	return registry && name ? table_find(&registry->components, name) : NULL;
}

/* Other names of policies, beside modular-x for tree-x. */
static const char *const registry_aliases[][2] = {
	{ "modular-gemm", "tree-heteroprio" },
	{ "modular-pheft", "tree-parallel-heft" },
	{ "modular-prandom", "tree-parallel-random" },
	{ "modular-prandom-prio", "tree-parallel-random-prio" },
	{ "simple", "tree-batch-simple" },
	{ "static-hybrid", "tree-batch-hybrid" },
	{ "mpi-simple", "tree-batch-mpi" },
};
enum { NALIASES = sizeof registry_aliases / sizeof registry_aliases[0] };

const struct xy_policy *xy_registry_policy(const struct xy_registry *registry, const char *name)
{
	static const char alias[] = "modular-", meant[] = "tree-";
	const struct xy_policy *found;
	char full[64];

	if (!registry || !name)
		return NULL;
	for (unsigned i = 0; i < NALIASES; i++)
		if (!strcmp(name, registry_aliases[i][0]))
			return table_find(&registry->policies, registry_aliases[i][1]);
	found = table_find(&registry->policies, name);
	if (found || strncmp(name, alias, sizeof(alias) - 1) || strlen(name) >= sizeof(full))
		return found;
	strcpy(full, meant);
	strcat(full, name + sizeof(alias) - 1);
	return table_find(&registry->policies, full);
}

const struct xy_component_ops *xy_registry_component_at(const struct xy_registry *registry, unsigned i)
{
	return registry && i < registry->components.count ? registry->components.at[i] : NULL;
}

const struct xy_policy *xy_registry_policy_at(const struct xy_registry *registry, unsigned i)
{
	return registry && i < registry->policies.count ? registry->policies.at[i] : NULL;
}

void xy__registry_look_components(const struct xy_registry *registry, struct xy__nearest *nearest)
{
	for (unsigned i = 0; i < registry->components.count; i++)
		xy__nearest_look(nearest, table_name(&registry->components, i));
}

/* Aliases are suggested for names that begin as they do ("modular-gem"), or that lack only that ("gemm"). */
static bool registry_is_like(const char *alias, const char *wanted)
{
	return !strncmp(wanted, "modular-", 8) || (!strncmp(alias, "modular-", 8) && !strcmp(alias + 8, wanted));
}

void xy__registry_look_policies(const struct xy_registry *registry, struct xy__nearest *nearest)
{
	for (unsigned i = 0; i < registry->policies.count; i++)
		xy__nearest_look(nearest, table_name(&registry->policies, i));
	for (unsigned i = 0; i < NALIASES; i++)
		if (registry_is_like(registry_aliases[i][0], nearest->wanted) &&
		    table_find(&registry->policies, registry_aliases[i][1]))
			xy__nearest_look(nearest, registry_aliases[i][0]);
}
