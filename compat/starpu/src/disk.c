/* SPDX-License-Identifier: MIT */
/*
 * Disks: nodes behind those of the machine. Data whose home is a disk is read when it is registered and written back
 * when it is unregistered; in between it is in memory like all data.
 */
#include "internal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define NDISKS 16u

struct disk {
	struct starpu_disk_ops *ops;
	void *base;
};

int starpu_disk_swap_node = -1;

static pthread_mutex_t disks_lock = PTHREAD_MUTEX_INITIALIZER;
static struct disk disks[NDISKS];
static _Atomic unsigned ndisks; /* (a) those below it are constant until the runtime stops */

unsigned xs_disks(void)
{
	return atomic_load(&ndisks);
}

static struct disk *disk_of(int node)
{
	unsigned i = (unsigned)node - xs_global.nnodes;

	return node >= 0 && (unsigned)node >= xs_global.nnodes && i < atomic_load(&ndisks) ? &disks[i] : NULL;
}

bool xs_disk_is(int node)
{
	return disk_of(node) != NULL;
}

int starpu_disk_register(struct starpu_disk_ops *func, void *parameter, starpu_ssize_t size)
{
	void *base;
	int node;

	if (!xs_global.rt || !func || !func->plug || !func->read || !func->write || !func->open || !func->close)
		return xs_fail(-EINVAL, "starpu_disk_register: a function of the disk is missing");
	if (size >= 0 && size < STARPU_DISK_SIZE_MIN)
		return xs_fail(-EINVAL, "starpu_disk_register: a disk has at least %d bytes", STARPU_DISK_SIZE_MIN);
	pthread_mutex_lock(&disks_lock);
	base = atomic_load(&ndisks) < NDISKS ? func->plug(parameter, size) : NULL;
	node = (int)(xs_global.nnodes + atomic_load(&ndisks));
	if (base) {
		disks[atomic_load(&ndisks)] = (struct disk){ func, base };
		atomic_fetch_add(&ndisks, 1);
	}
	pthread_mutex_unlock(&disks_lock);
	return base ? node : xs_fail(-ENOENT, "starpu_disk_register: the disk can't be used");
}

void *starpu_disk_open(unsigned node, void *pos, size_t size)
{
	struct disk *disk = disk_of((int)node);
	void *object = disk ? disk->ops->open(disk->base, pos, size) : NULL;

	if (!object)
		xs_fail(-ENOENT, "starpu_disk_open: there is no disk %u, or no such object on it", node);
	return object;
}

void starpu_disk_close(unsigned node, void *obj, size_t size)
{
	struct disk *disk = disk_of((int)node);

	if (disk && obj)
		disk->ops->close(disk->base, obj, size);
	else
		xs_fail(-EINVAL, "starpu_disk_close: there is no disk %u, or no object", node);
}

void xs_disks_fini(void)
{
	for (unsigned i = 0; i < atomic_load(&ndisks); i++)
		if (disks[i].ops->unplug)
			disks[i].ops->unplug(disks[i].base);
	atomic_store(&ndisks, 0);
}

/* --- data at home on a disk --- */

void xs_disk_load(struct _starpu_data_state *h, void *object)
{
	struct disk *disk = disk_of(h->home_node);
	size_t size;
	void *bytes;
	int error = xy_handle_packed_size(h->xy, &size);

	h->object = object;
	bytes = error ? NULL : malloc(size + 1);
	if (!bytes) {
		xs_fail(-ENOMEM, "data of a disk can't be read");
		return;
	}
	error = disk->ops->read(disk->base, object, bytes, 0, size) ? -EIO : xy_acquire(h->xy, XY_W);
	if (!error) {
		error = xy_unpack(h->xy, bytes, size);
		xy_release(h->xy);
	}
	if (error)
		xs_fail(error, "data of a disk can't be read: %s", strerror(-error));
	free(bytes);
}

/* acquired: the caller has the data. */
void xs_disk_store(struct _starpu_data_state *h, bool acquired)
{
	struct disk *disk = disk_of(h->home_node);
	size_t size;
	void *bytes;
	int error;

	if (!h->object || !disk)
		return;
	error = xy_handle_packed_size(h->xy, &size);
	bytes = error ? NULL : malloc(size + 1);
	if (!bytes) {
		xs_fail(-ENOMEM, "data of a disk can't be written");
		return;
	}
	error = acquired ? 0 : xy_acquire(h->xy, XY_R);
	if (!error) {
		error = xy_pack(h->xy, bytes, size);
		if (!acquired)
			xy_release(h->xy);
	}
	if (!error && disk->ops->write(disk->base, h->object, bytes, 0, size))
		error = -EIO;
	if (error)
		xs_fail(error, "data of a disk can't be written: %s", strerror(-error));
	free(bytes);
	h->object = NULL;
}

/* --- files of a folder --- */

struct file {
	char *path;
	int fd;
	FILE *stream; /* of stdio's, else NULL */
	bool own;     /* made by alloc */
};

static void *folder_plug(void *parameter, starpu_ssize_t size)
{
	const char *folder = parameter;

	(void)size;
	if (!folder || (mkdir(folder, 0777) && errno != EEXIST) || access(folder, W_OK | X_OK))
		return NULL;
	return strdup(folder);
}

static void folder_unplug(void *base)
{
	free(base);
}

static int folder_bandwidth(unsigned node, void *base)
{
	(void)node;
	(void)base;
	return 1;
}

static struct file *file_open(const char *base, const char *name, bool own, bool stream)
{
	struct file *file = calloc(1, sizeof *file);

	if (file && asprintf(&file->path, "%s/%s", base, name) < 0)
		file->path = NULL;
	if (!file || !file->path) {
		free(file);
		return NULL;
	}
	file->own = own;
	file->fd = own ? mkostemp(file->path, O_CLOEXEC) : open(file->path, O_RDWR | O_CLOEXEC);
	if (file->fd >= 0 && stream)
		file->stream = fdopen(file->fd, "r+");
	if (file->fd >= 0 && (file->stream || !stream))
		return file;
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	free(file);
	return NULL;
}

static void file_close(struct file *file)
{
	if (file->stream)
		fclose(file->stream);
	else
		close(file->fd);
	if (file->own)
		unlink(file->path);
	free(file->path);
	free(file);
}

static void *stdio_alloc(void *base, size_t size)
{
	struct file *file = file_open(base, "STARPU_DISK_XXXXXX", true, true);

	if (file && ftruncate(file->fd, (off_t)size)) {
		file_close(file);
		return NULL;
	}
	return file;
}

static void *stdio_open(void *base, void *pos, size_t size)
{
	(void)size;
	return file_open(base, pos, false, true);
}

static void folder_close(void *base, void *obj, size_t size)
{
	(void)base;
	(void)size;
	file_close(obj);
}

static int stdio_read(void *base, void *obj, void *buf, off_t offset, size_t size)
{
	struct file *file = obj;

	(void)base;
	return fseeko(file->stream, offset, SEEK_SET) || fread(buf, 1, size, file->stream) != size ? -EIO : 0;
}

static int stdio_write(void *base, void *obj, const void *buf, off_t offset, size_t size)
{
	struct file *file = obj;

	(void)base;
	if (fseeko(file->stream, offset, SEEK_SET) || fwrite(buf, 1, size, file->stream) != size)
		return -EIO;
	return fflush(file->stream) ? -EIO : 0;
}

static void *unistd_alloc(void *base, size_t size)
{
	struct file *file = file_open(base, "STARPU_DISK_XXXXXX", true, false);

	if (file && ftruncate(file->fd, (off_t)size)) {
		file_close(file);
		return NULL;
	}
	return file;
}

static void *unistd_open(void *base, void *pos, size_t size)
{
	(void)size;
	return file_open(base, pos, false, false);
}

static int unistd_read(void *base, void *obj, void *buf, off_t offset, size_t size)
{
	const struct file *file = obj;

	(void)base;
	while (size) {
		ssize_t n = pread(file->fd, buf, size, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EIO;
		buf = (char *)buf + n;
		offset += n;
		size -= (size_t)n;
	}
	return 0;
}

static int unistd_write(void *base, void *obj, const void *buf, off_t offset, size_t size)
{
	const struct file *file = obj;

	(void)base;
	while (size) {
		ssize_t n = pwrite(file->fd, buf, size, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EIO;
		buf = (const char *)buf + n;
		offset += n;
		size -= (size_t)n;
	}
	return 0;
}

struct starpu_disk_ops starpu_disk_stdio_ops = {
	.plug = folder_plug,
	.unplug = folder_unplug,
	.bandwidth = folder_bandwidth,
	.alloc = stdio_alloc,
	.free = folder_close,
	.open = stdio_open,
	.close = folder_close,
	.read = stdio_read,
	.write = stdio_write,
};

#define UNISTD \
	{ \
		.plug = folder_plug, .unplug = folder_unplug, .bandwidth = folder_bandwidth, .alloc = unistd_alloc, \
		.free = folder_close, .open = unistd_open, .close = folder_close, .read = unistd_read, \
		.write = unistd_write, \
	}
struct starpu_disk_ops starpu_disk_unistd_ops = UNISTD;
/* Blocks of any size and place are written, which unbuffered files do not allow: these are buffered too. */
struct starpu_disk_ops starpu_disk_unistd_o_direct_ops = UNISTD;
