/* SPDX-License-Identifier: MIT */
/*
 * The mark is a page that the kernel fills with zeros in the child (MADV_WIPEONFORK): no handler and no list of
 * runtimes is needed.
 */
#include "core/runtime/fork.h"

#include <errno.h>
#include <sys/mman.h>

enum { MARK_SIZE = 4096 }; /* the kernel rounds it up to a page */

static const int mark_always = 1;

void xy__fork_ignore(struct xy_runtime *rt)
{
	rt->started_here = &mark_always;
}

void xy__fork_guard(struct xy_runtime *rt)
{
	int *mark = mmap(NULL, MARK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mark == MAP_FAILED)
		return;
	if (madvise(mark, MARK_SIZE, MADV_WIPEONFORK)) {
		munmap(mark, MARK_SIZE);
		return;
	}
	*mark = 1;
	rt->started_here = mark;
}

void xy__fork_unguard(struct xy_runtime *rt)
{
	if (rt->started_here != &mark_always)
		munmap((void *)rt->started_here, MARK_SIZE);
	xy__fork_ignore(rt);
}

int xy__fork_refuse(const struct xy_runtime *rt, const char *who)
{
	xy__log(&rt->settings.log, "%s: the runtime belongs to the parent process; start another one after fork", who);
	return -ESHUTDOWN;
}
