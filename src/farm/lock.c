/* SPDX-License-Identifier: MIT */
/*
 * The lock of a farm: flock, which the kernel releases when its owner dies, and the owner's name for other
 * computers.
 */
#include "farm/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "farm/files.h"
#include "farm/quote.h"

struct lock_owner {
	char host[128];
	long pid;
	double age_s; /* since the file was touched */
	bool known;
};

/* Seconds from one time of a file to another, both by the clock of the file server. */
static double lock_age(int fd, const char *path)
{
	struct stat old, young = { 0 };
	char *probe;
	int other;

	if (fstat(fd, &old) || asprintf(&probe, "%s.%ld", path, (long)getpid()) < 0)
		return 0;
	other = open(probe, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (other >= 0) {
		if (fstat(other, &young))
			young = old;
		close(other);
		unlink(probe);
	}
	free(probe);
	return other < 0 ? 0 : difftime(young.st_mtime, old.st_mtime);
}

static void lock_read(struct farm_lock *lock, struct lock_owner *owner)
{
	struct json json = { 0 };
	char text[sizeof(lock->text)] = "";
	ssize_t n = pread(lock->fd, text, sizeof(text) - 1, 0);

	*owner = (struct lock_owner){ 0 };
	if (n > 0 && !farm_files_json(&json, text, (size_t)n)) {
		snprintf(owner->host, sizeof(owner->host), "%s", farm_files_text(&json, json.nodes, "host"));
		owner->pid = (long)farm_files_number(&json, json.nodes, "pid", 0);
		owner->age_s = lock_age(lock->fd, lock->path);
		owner->known = *owner->host;
	}
	graph__json_fini(&json);
}

static int lock_write(struct farm_lock *lock, const char *host)
{
	struct xy__buffer text = { 0 };
	int error = 0;

	xy__buffer_add(&text, "{\"host\":");
	farm_quote_json(&text, host);
	xy__buffer_add(&text, ",\"pid\":%ld,\"user\":%u,\"since\":%lld}\n", (long)getpid(), (unsigned)getuid(),
		       (long long)time(NULL));
	if (text.failed || text.length >= sizeof(lock->text))
		error = -ENOMEM;
	else
		memcpy(lock->text, text.at, text.length + 1);
	if (!error && (ftruncate(lock->fd, 0) || pwrite(lock->fd, text.at, text.length, 0) != (ssize_t)text.length))
		error = errno ? -errno : -EIO;
	xy__buffer_fini(&text);
	return error;
}

int farm_lock(struct farm_lock *lock, const char *folder, const char *host, double patience_s,
	      const struct farm_report *report)
{
	struct lock_owner owner;
	bool held;
	int error;

	*lock = (struct farm_lock){ .fd = -1 };
	if (asprintf(&lock->path, "%s/lock", folder) < 0) {
		lock->path = NULL;
		return -ENOMEM;
	}
	lock->fd = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (lock->fd < 0) {
		error = -errno;
		farm_say(report, "%s: %s", lock->path, strerror(errno));
		goto out;
	}
	held = flock(lock->fd, LOCK_EX | LOCK_NB);
	lock_read(lock, &owner);
	if (held || (owner.known && strcmp(owner.host, host) && owner.age_s < patience_s)) {
		if (owner.known)
			farm_say(report, "%s: process %ld on %s manages this farm (last sign of life %.0f s ago)",
				 folder, owner.pid, owner.host, owner.age_s);
		else
			farm_say(report, "%s: another process manages this farm", folder);
		error = -EBUSY;
		goto out;
	}
	if (owner.known)
		farm_say(report, "%s: taking over from process %ld on %s, which is gone", folder, owner.pid,
			 owner.host);
	error = lock_write(lock, host);
	if (!error)
		return 0;
	farm_say(report, "%s: %s", lock->path, strerror(-error));
out:
	if (lock->fd >= 0)
		close(lock->fd);
	free(lock->path);
	*lock = (struct farm_lock){ .fd = -1 };
	return error;
}

int farm_lock_touch(struct farm_lock *lock, const struct farm_report *report)
{
	char text[sizeof(lock->text)] = "";
	ssize_t n = pread(lock->fd, text, sizeof(text) - 1, 0);

	if (n < 0 || strcmp(text, lock->text)) {
		farm_say(report, "%s: another manager took over this farm", lock->path);
		return -EBUSY;
	}
	futimens(lock->fd, NULL);
	return 0;
}

void farm_lock_release(struct farm_lock *lock)
{
	if (!lock->path)
		return;
	/* The file stays, empty: removing it would let two managers lock two files of one name. */
	if (ftruncate(lock->fd, 0))
		lock->text[0] = '\0';
	close(lock->fd);
	free(lock->path);
	*lock = (struct farm_lock){ .fd = -1 };
}
