/* SPDX-License-Identifier: MIT */
/*
 * The policies that StarPU predefines, each run by a tree of Xylem's, and those of a library of the user's.
 */
#include "internal.h"

#include <dlfcn.h>

#define NPOLICIES 64u

struct starpu_sched_policy **starpu_sched_get_predefined_policies(void)
{
	static struct starpu_sched_policy policies[NPOLICIES], *pointers[NPOLICIES + 1];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	unsigned n = 0;

	pthread_mutex_lock(&lock);
	for (const char *name; n < NPOLICIES && !pointers[n] && (name = xs_policy_name(n)); n++) {
		policies[n].policy_name = name;
		policies[n].policy_description = xs_policy(name);
		pointers[n] = &policies[n];
	}
	pthread_mutex_unlock(&lock);
	return pointers;
}

static struct starpu_sched_policy *predefined(const char *name)
{
	struct starpu_sched_policy **all = starpu_sched_get_predefined_policies();

	for (; *all; all++)
		if (!strcmp((*all)->policy_name, name))
			return *all;
	return starpu_sched_get_predefined_policies()[0];
}

struct starpu_sched_policy *starpu_sched_get_sched_policy(void)
{
	if (xs_global.policy)
		return (struct starpu_sched_policy *)xs_global.policy;
	return predefined(xs_global.sched);
}

struct starpu_sched_policy *starpu_sched_ctx_get_sched_policy(unsigned sched_ctx_id)
{
	const char *name = xs_context_policy_name(sched_ctx_id);

	if (xs_context_policy(sched_ctx_id))
		return (struct starpu_sched_policy *)xs_context_policy(sched_ctx_id);
	return name ? predefined(name) : starpu_sched_get_sched_policy();
}

struct starpu_sched_policy *starpu_sched_get_sched_policy_in_ctx(unsigned sched_ctx_id)
{
	return starpu_sched_ctx_get_sched_policy(sched_ctx_id);
}

int xs_policy_check(const char *name)
{
	struct starpu_sched_policy **all = starpu_sched_get_predefined_policies();
	struct xy_registry *registry;
	struct xy_tree *tree = NULL;
	char why[256] = "";
	int error;

	for (; *all; all++)
		if (!strcmp((*all)->policy_name, name))
			return 0;
	error = xy_registry_create(&registry, NULL, why, sizeof why);
	if (error)
		return xs_fail(error, "%s", why);
	error = xy_tree_parse(&tree, xs_policy(name), xs_global.machine, registry, why, sizeof why);
	xy_tree_destroy(tree);
	xy_registry_destroy(registry);
	return error ? xs_fail(-EINVAL, "policy '%s' of a context: %s", name, why) : 0;
}

/* --- STARPU_SCHED_LIB --- */

const struct starpu_sched_policy *xs_policy_of_library(const char *file, const char *name)
{
	struct starpu_sched_policy *(*one)(const char *name) = NULL;
	struct starpu_sched_policy **(*all)(void) = NULL, **list;
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL); /* stays: the policy's functions are in it */

	if (!library) {
		xs_fail(-ENOENT, "STARPU_SCHED_LIB: %s", dlerror());
		return NULL;
	}
	*(void **)&all = dlsym(library, "starpu_get_sched_lib_policies");
	*(void **)&one = dlsym(library, "starpu_get_sched_lib_policy");
	for (list = all && name ? all() : NULL; list && *list; list++)
		if ((*list)->policy_name && !strcmp((*list)->policy_name, name))
			return *list;
	if (!all && !one)
		xs_fail(-EINVAL, "STARPU_SCHED_LIB=%s has no policies", file);
	return one ? one(name) : NULL;
}
